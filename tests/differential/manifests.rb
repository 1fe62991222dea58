# frozen_string_literal: true

require_relative 'words'

# Hand-written manifests and damaged ones: the results of parsing and validation.
class Manifests < Words
  SOURCES = [File.expand_path('../cases/*.pp', __dir__), File.expand_path('../data/environments/**/*.{pp,epp}', __dir__), '/usr/share/puppet/modules/{apache,stdlib,concat,nova,keystone}/**/*.{pp,epp}'].freeze
  PIECES = ['{', '}', '(', ')', '[', ']', ',', ';', ':', '=>', '+>', '=', '+=', '->', '~>', '<|', '|>', '<<|', '|', '@', '@@', '.', '$', '"', "'", '/', '?', '!', '::', '#', '*', '-', '<', '\\', '${', 'class', 'define',
            'if', 'else', 'elsif', 'case', 'default', 'undef', 'inherits', 'node', 'function', 'type', 'unless', 'and', 'in', 'Foo', 'foo', '$x', "'a'", '1', '0x', '1.', "@(X)\n a\n | X\n", "\n", ' ', "\t", "\u00a0", 'é', "\u{feff}", 'application', 'site', 'plan', 'apply', 'private', 'import', 'attr', 'true'].freeze
  TOKEN = /\$?(?:::)?[A-Za-z_][\w:]*|\d[\w.]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s+|[-+=~<]>|<<?\||\|>>?|./m

  def initialize(seed)
    super
    @texts = SOURCES.flat_map { |glob| Dir[glob].sort }.select { |file| File.size(file) < 20_000 }.map { |file| [File.read(file, encoding: 'UTF-8'), file.end_with?('.epp')] }
    @texts.select! { |text, _| text.valid_encoding? }
  end

  def question
    text, is_template = pick(@texts)
    lines = text.lines
    from = number(0...lines.size + 1)
    text = lines[from, number(1..25)].to_a.join if chance(0.7)
    number(0..3).times { text = damaged(text) }
    question = { 'op' => pick(%w[parse validate validate]), 'source' => text }
    question['epp'] = true if is_template
    question['settings'] = { 'tasks' => true } if question['op'] == 'validate' && chance(0.1)
    question
  end

  def damaged(text)
    tokens = text.scan(TOKEN)
    return pick(PIECES) if tokens.empty?

    at = number(0...tokens.size)
    case number(0...7)
    when 0 then tokens.delete_at(at)
    when 1 then tokens.insert(at, pick(PIECES))
    when 2 then tokens[at] = pick(PIECES)
    when 3 then tokens.insert(at, tokens[at])
    when 4 then tokens[at], tokens[at - 1] = tokens[at - 1], tokens[at]
    when 5 then tokens.insert(at, *tokens[number(0...tokens.size), 3])
    else tokens[at] = tokens[at][0, tokens[at].size / 2].to_s
    end
    tokens.join
  end
end

# frozen_string_literal: true

require 'json'
require_relative 'words'

# Data of a module in YAML, JSON or HOCON behind a hierarchy, and lookups in it.
class HieraData < Words
  METADATA = JSON.generate('name' => 'x-m', 'version' => '1.0.0', 'author' => 'x', 'summary' => 's', 'license' => 'l', 'source' => 's', 'dependencies' => [])
  SCALARS = ['1', '-5', '0x1f', '010', '1_000', '1.5', '1e3', '.inf', '~', 'null', 'true', 'no', 'on', 'text', '"quoted \\u00e9"', "'it''s'", '2001-02-03', '12:30:45', ':sym', 'a: b', '- a',
             '!!str 5', '&x 1', '*x', '99999999999999999999', '"%{facts.os}"', "'%{lookup(\"m::b\")}'", "\"%{alias('m::c')}\"", "'%{hiera(\"m::d\")}'", "'%{literal(\"%\")}x'", "'%{nope}'", "'%{::node}'",
             '"a\\x41\\tb"', '|', '>-', 'é', '日本', '<<', '?', '!ruby/sym a', '=', "''", '[', '{', '@a', '`a', '--', '%a'].freeze
  MERGES = ['first', 'unique', 'hash', 'deep', "{strategy => deep, knockout_prefix => '--'}", "{strategy => deep, sort_merged_arrays => true}", "{strategy => deep, merge_hash_arrays => true}", 'reverse_deep', 'nope'].freeze
  KEYS = %w[a b c d e].freeze

  def question
    layers = number(1..3)
    kinds = Array.new(layers) { pick(%w[yaml yaml json conf]) }
    files = { 'modules/m/metadata.json' => METADATA, 'modules/m/hiera.yaml' => configuration(kinds), 'modules/m/manifests/init.pp' => "class m($a = 'none', $b = undef) { notice([$a, $b]) }" }
    kinds.each_with_index { |kind, n| files["modules/m/data/l#{n}.#{kind}"] = document(kind) }
    { 'op' => 'eval', 'source' => lookup, 'files' => files, 'facts' => { 'os' => 'Debian' } }
  end

  def configuration(kinds)
    levels = kinds.each_with_index.map do |kind, n|
      backend = { 'yaml' => 'yaml_data', 'json' => 'json_data', 'conf' => 'hocon_data' }[kind]
      "  - name: l#{n}\n    data_hash: #{backend}\n    #{pick(["path: l#{n}.#{kind}", "paths: [nope.#{kind}, l#{n}.#{kind}]", "glob: 'l#{n}.*'", "path: 'l%{lookup(\"zz\", {default_value => #{n}})}.#{kind}'"].first(chance(0.1) ? 4 : 3))}\n"
    end
    "version: 5\nhierarchy:\n#{levels.join}"
  end

  def lookup
    key = "m::#{pick(KEYS)}"
    case number(0...7)
    when 0 then "lookup('#{key}')"
    when 1 then "lookup('#{key}', #{pick(%w[Any String Integer Hash Array Undef])}, #{pick(MERGES).then { |m| m.start_with?('{') ? m : "'#{m}'" }}, 'd')"
    when 2 then "lookup('#{key}.#{pick(['x', '0', "'x.y'", '1.x', 'nope'])}', default_value => 'dv')".sub("default_value => 'dv'", "{default_value => 'dv'}")
    when 3 then "lookup(['m::zz', '#{key}'], {merge => #{pick(MERGES).then { |m| m.start_with?('{') ? m : "'#{m}'" }}})"
    when 4 then 'include m'
    when 5 then "lookup({name => '#{key}', merge => #{pick(MERGES).then { |m| m.start_with?('{') ? m : "'#{m}'" }}, default_values_hash => {'#{key}' => 9}})"
    else "lookup('#{key}', {merge => 'deep', default_value => {}}) |$k| { \"b ${k}\" }"
    end
  end

  def document(kind)
    return YamlText.new(self).document if kind == 'yaml'

    tree = KEYS.select { chance(0.6) }.to_h { |key| ["m::#{key}", tree(3)] }
    tree['lookup_options'] = { "m::#{pick([*KEYS, '^m::.*'])}" => { 'merge' => pick(%w[unique hash deep first]), 'convert_to' => pick(['Array', 'Sensitive', 'String', %w[String %p]]) }.select { chance(0.6) } } if chance(0.3)
    text = JSON.generate(tree)
    if kind == 'conf'
      text = text.sub(/\A\{/, '').sub(/\}\z/, '').gsub('","', "\"\n\"") if chance(0.3)
      return text.gsub('":', '" = ') if chance(0.3)
    end
    damaged(text)
  end

  def damaged(text)
    return text unless chance(0.15)

    at = number(0..text.size)
    "#{text[0, at]}#{pick(['', ',', '}', '"', '/* c */', "// c\n", '\\x', '1e400', 'é', ' '])}#{text[(at + pick([0, 1]))..]}"
  end

  def tree(depth)
    case choose(text: 4, number: 3, other: 2, list: depth.positive? ? 3 : 0, hash: depth.positive? ? 4 : 0)
    when :text then pick([*TEXTS, '%{facts.os}', "%{lookup('m::b')}", "%{alias('m::c')}", '--a', '--', "%{literal('%')}{x}", '%{nope}', '%{}', "%{lookup('m::a.x')}"])
    when :number then pick([1, -2, 1.5, 0, 10**20, 1e3])
    when :other then pick([nil, true, false])
    when :list then some(0..3) { tree(depth - 1) }
    else some(0..3) { [pick(%w[x y z --x x.y 0 Ünï]), tree(depth - 1)] }.to_h
    end
  end

  # Documents in YAML with the structure that people write.
  class YamlText
    def initialize(words)
      @words = words
    end

    def document
      lines = HieraData::KEYS.select { @words.chance(0.6) }.map { |key| "m::#{key}:#{node(2, 1)}" }
      lines << "lookup_options:\n  m::#{@words.pick(HieraData::KEYS)}:\n    merge: #{@words.pick(%w[unique hash deep])}" if @words.chance(0.25)
      text = "#{@words.pick(['', '', "---\n", "# c\n", "%YAML 1.1\n---\n"])}#{lines.join("\n")}\n#{@words.pick(['', '', "...\n", "--- \nx: 1\n"])}"
      @words.chance(0.1) ? @words.damaged(text) : text
    end

    def node(depth, indent)
      pad = '  ' * indent
      case @words.choose(scalar: 6, list: depth.positive? ? 3 : 0, hash: depth.positive? ? 4 : 0, flow: 2, block: 1)
      when :scalar then " #{@words.pick(HieraData::SCALARS)}"
      when :list then "\n#{@words.some(1..3) { "#{pad}-#{node(depth - 1, indent + 1)}" }.join("\n")}"
      when :hash then "\n#{@words.some(1..3) { |i| "#{pad}#{@words.pick(['x', 'y', 'z', "k#{i}", '1', '"q"', ':s', '--x', 'true', '<<'])}:#{node(depth - 1, indent + 1)}" }.join("\n")}"
      when :flow then " #{@words.pick(['[1, a, "b"]', '{x: 1, y: [2]}', '[]', '{}', '[a, {b: c}]', '{x: --, y}', '[1, 2', "[\n#{pad}  1,\n#{pad}  2]"])}"
      else " #{@words.pick(['|', '>', '|-', '>+', '|2'])}\n#{pad}  line\n\n#{pad}   more\n"
      end
    end
  end
end

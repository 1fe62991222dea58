# frozen_string_literal: true

# Makes YAML documents, valid and broken ones, and asks Psych for the value or the message of each
# (classes that may not be loaded are told as Puppet::Util::Yaml tells them):
#
#     ruby ask.rb [COUNT [SEED]] | gzip -9n > answers.jsonl.gz
#     ruby ask.rb --clones DIR | gzip > FILE
#
# `--clones` asks about the YAML files of the clones in a directory, and the documents of yaml-test-suite, if
# that is one of them (`make yaml-public`).
#
# A line is {"text": …, "value": …} or {"text": …, "error": …}. Values are written as JSON with a mark of the
# class where JSON has none: {"!sym": …}, {"!float": …}, {"!bytes": …} and {"!hash": [[key, value], …]}. A
# document with an alias within its own anchor is left out: the value would have no end.

require 'psych'
require 'json'

# Documents that were written by hand, from which others are made.
SEEDS = [
  "a: 1\nb:\n  - x\n  - y: 2\n    z: [1, 'two', \"three\"]\n",
  "---\nk: [\n  'a',\n  \"b\"\n]\nl: {a: 1,\n b: 2\n}\n",
  "base: &b\n  a: 1\n  b: yes\nd:\n  <<: *b\n  b: no\nlist: {<<: [*b, {c: 3}]}\n",
  "text: |\n  one\n    two\n\n  three\nfolded: >-\n  a\n  b\n\n  c\n   d\nkept: |+\n  x\n\nindented: |2\n    y\n",
  "'quoted ''text''': \"esc \\t \\x41 \\u00e9 \\\n  joined\"\nplain: a b\n  c\n\n  d\n? complex\n: value\n? [1, 2]\n: {x: y}\n",
  "- - a\n  - b\n- c: d\n  e:\n  - f\n  -\n- !!str 12\n- ! 12\n- !!float 3\n- ! \"12\"\n",
  "%YAML 1.1\n%TAG !e! tag:example.com,2000:\n---\n- !e!foo bar\n- !local {a: b}\n- !<tag:yaml.org,2002:str> 1\n...\n---\nb\n",
  "a: 0755\nb: 1_000\nc: 1:30\nd: .inf\ne: 6.02e+23\nf: ~\ng: on\nh: 0x1f\ni: -0\nj: +.5\nk: 1e3\nl: 1.\nm: 08\nn: 1:30.5\n",
  "a: 2024-01-01\nb: :sym\n:c: d\n'e': :\"quoted sym\"\n",
  "# comment\na: b # comment\nc: 'd' # e\nf: #g\n  h\n\n#i\n",
  "a:\n\t- b\nc:\td\ne: f\t\n",
  "a: b\r\nc:\r\n  - d\r\n  - |\r\n    e\r\n    f\r\n",
  "ü: ö\n€: \"\\u20ac\"\n\u2028a: \u0085b\nc: 'd\u2029e'\n",
  "a: [b, c: d, ? e, ?f, {g, h: , i}, [], {}, 'j':k, \"l\":m]\n",
  "&a a: &b b\n*a : *b\nc: &d [*b, *a]\ne: *d\n",
  "profile::x::y: '%{lookup(\"z\")}'\n\"k::%{facts.os}\": |-\n  %{x}\n  - y\nz: %{x}\n",
  "a: >\n  x\n   y\n  z\n\n\n  w\nb: |-\n\n\n  c\nd: >+2\n   e\n\n\nf: \"\n  g\n\n  h\n  \"\n",
  "- &x 1\n- *x\n- &x 2\n- *x\n- *y\n", "a: b: c\n", "a\nb: c\n", "{a: b\nc: d}\n", "- a\nb\n", "a: 'b\n", "a: \"\\q\"\n", "@a\n", "`a\n",
  "a: |0\n b\n", "a: !x!y z\n", "%FOO\n--- a\n", "%YAML 2.0\n--- a\n", "a: &é 1\n", "a: *\n", "[!!str,a, !b]\n", "\"\\", "k: \"\\x4", "!%41 a\n", "!%zz a\n",
  "a: !!omap\n- b: 1\n", "!!set {a, b}\n", "!ruby/object:Foo {a: 1}\n", "- !ruby/regexp /a/\n- !ruby/sym a\n", "--- |\n a\n--- b\n", "--- >-\n a\n...\nb\n",
  "", "---\n", "--- \n...\n", "~\n", "\u{feff}a: 1\nb: 2\n", "a: \u{feff}b\n", "a: \x01\n", "a: \u{7f}\n", "#{'x' * 1030}: 1\n", "{#{'x' * 1030}: 1}\n",
  "#{'a: b\n' * 4000}c: \x02\n", "#{'é: b\n' * 4000}c: [\n#{'d\n' * 4000}\x02\n"
].freeze

# What is put somewhere, or in the place of something.
PIECES = [
  *"[]{},:?-&*!|>'\"%@`#~=<\\ \t\n\r".chars, ' ', '  ', "\n", "\n ", "\n  ", ': ', '- ', '? ', ' #', '---', "\n---\n", "\n...\n", "\r\n", ', ', '&a ', '*a',
  '!!str ', '!x ', '!!', '<<: ', '""', "''", '|-', '>+', '|2', "\u0085", "\u2028", "\u{feff}", 'é', '0', '1', 'a', 'b: ', "a: b\n", '[a]', '{a: b}', '\\x', '\\u12', '%YAML 1.1', "\x00"
].freeze

WORDS = %w[a b1 yes No 0 12 -3 07 0x1F 1.5 .5 ~ null :s a:b a#b x-y /p 1:2 é <<].freeze

def scalar(random)
  word = WORDS.sample(random: random)
  case random.rand(8)
  when 0 then "'#{word} #{word}'"
  when 1 then "\"#{word}\\n#{word}\""
  when 2 then "#{word} #{WORDS.sample(random: random)}"
  else word
  end
end

def properties(random)
  ['', '', '', '', '', '&a ', '&b ', '!!str ', '!t ', '!!int ', '! ', '&a !!map ', '!!seq &b '].sample(random: random)
end

def flow(random, depth)
  blank = ['', ' ', "\n", "\n  "].sample(random: random)
  case random.rand(depth > 3 ? 1 : 3)
  when 0 then random.rand(10).zero? ? '*a' : "#{properties(random)}#{scalar(random)}"
  when 1 then "[#{blank}#{Array.new(random.rand(4)) { flow(random, depth + 1) }.join(", #{blank}")}#{blank}]"
  else "{#{blank}#{Array.new(random.rand(4)) { "#{flow(random, depth + 2)}: #{flow(random, depth + 1)}" }.join(",#{blank}")}#{blank}}"
  end
end

def block(random, indent, depth)
  pad = ' ' * (indent + (random.rand(40).zero? ? 1 : 0))
  deeper = indent + 1 + random.rand(3)
  case random.rand(depth > 3 ? 2 : 6)
  when 0 then " #{properties(random)}#{scalar(random)}\n"
  when 1 then " #{flow(random, depth)}\n"
  when 2 then " #{['|', '>', '|-', '>+', '>-'].sample(random: random)}\n#{Array.new(random.rand(4)) { "#{pad}#{' ' * random.rand(1..3)}#{scalar(random)}\n" }.join}"
  when 3 then " #{properties(random)}\n#{Array.new(random.rand(1..3)) { "#{pad}-#{block(random, deeper, depth + 1)}" }.join}"
  else
    lines = Array.new(random.rand(1..4)) do
      key = random.rand(15).zero? ? flow(random, 3) : scalar(random)
      "#{pad}#{key}:#{block(random, deeper, depth + 1)}"
    end
    " #{properties(random)}\n#{lines.join}"
  end
end

def mutated(text, random)
  text = text.dup
  random.rand(1..3).times do
    at = random.rand(text.size + 1)
    case random.rand(4)
    when 0 then text.insert(at, PIECES.sample(random: random))
    when 1 then text[at, random.rand(1..3)] = ''
    when 2 then text[at, 1] = PIECES.sample(random: random)
    else
      lines = text.lines
      line = random.rand(lines.size + 1)
      lines[line] = [" #{lines[line]}", lines[line].to_s.sub(/\A /, ''), lines[line - 1].to_s].sample(random: random)
      text = lines.join
    end
  end
  text
end

def written(value)
  case value
  when Symbol then { '!sym' => value.to_s }
  when Float then { '!float' => value.to_s }
  when String then value.encoding == Encoding::UTF_8 ? value : { '!bytes' => value.unpack1('H*') }
  when Array then value.map { |item| written(item) }
  when Hash then { '!hash' => value.map { |key, item| [written(key), written(item)] } }
  else value
  end
end

# Whether an alias stands within what it names.
def endless?(node, open = [])
  return open.include?(node.anchor) if node.alias?

  open += [node.anchor] if node.respond_to?(:anchor) && node.anchor
  (node.children || []).any? { |child| endless?(child, open) }
end

def answer(text)
  value = Psych.safe_load(text, permitted_classes: [Symbol], aliases: true)
  { 'text' => text, 'value' => written(value) }
rescue Psych::DisallowedClass => e
  { 'text' => text, 'error' => "(<unknown>): #{e.message}" }
rescue Psych::Exception, ArgumentError => e
  { 'text' => text, 'error' => e.message }
end

def made_up(count, random)
  texts = SEEDS.dup
  while texts.size < count
    texts << case random.rand(3)
             when 0 then mutated(SEEDS.first(SEEDS.size - 2).sample(random: random), random)
             when 1 then block(random, 0, 0).lstrip
             else mutated(block(random, 0, 0).lstrip, random)
             end
  end
  texts
end

# The documents of a file of yaml-test-suite, in which characters that are hard to see have signs.
def of_suite(text)
  last = nil
  Psych.safe_load(text, aliases: true).filter_map do |one|
    last = one['yaml'] || last
    last&.gsub('␣', ' ')&.gsub(/—*»/, "\t")&.gsub('←', "\r")&.gsub('⇔', "\u{feff}")&.gsub('↵', '')&.sub(/∎\n\z/, '')
  end
end

# The YAML files of the clones in a directory, each as its newest commit has it.
def of_clones(directory)
  Dir.glob("#{directory}/**/objects").sort.map { |objects| File.dirname(objects) }.flat_map do |git|
    names = IO.popen(['git', "--git-dir=#{git}", 'ls-tree', '-r', '-z', '--name-only', 'HEAD'], err: File::NULL, &:read)
    names.split("\0").grep(/\.ya?ml\z/).flat_map do |name|
      text = IO.popen(['git', "--git-dir=#{git}", 'show', "HEAD:#{name}"], err: File::NULL, &:read).force_encoding('UTF-8')
      next [] unless text.valid_encoding? && text.size < 1_000_000

      git.include?('yaml-test-suite') && name.start_with?('src/') ? of_suite(text) : [text]
    end
  end
end

texts = ARGV[0] == '--clones' ? of_clones(ARGV[1]) : made_up((ARGV[0] || 6000).to_i, Random.new((ARGV[1] || 22).to_i))
texts.uniq.each do |text|
  answered = answer(text)
  puts JSON.generate(answered) if answered.key?('error') || !text.include?('*') || !endless?(Psych.parse(text) || Psych.parse('a'))
rescue SystemStackError, StandardError
  # What Psych itself fails at has no answer.
  next
end

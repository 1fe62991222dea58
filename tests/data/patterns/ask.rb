# frozen_string_literal: true

# Writes random patterns and texts with what Ruby finds: `ruby ask.rb SEED COUNT > patterns.jsonl`. A line is a pattern, a text, the byte
# where the search begins, and the spans of the match and its groups in bytes, or null.

require 'json'
require 'timeout'

srand(ARGV[0].to_i)
# With a third argument: patterns without regard to case, too.
$folds = ARGV[2]
$stderr = File.open(File::NULL, 'w')

SETS = ['[ab]', '[^a]', '\w', '\d', '.', '[[:alpha:]]', '[a-c&&[^b]]', '\s', '[é-ü]'].freeze
ANCHORS = ['^', '$', '\A', '\z', '\Z', '\b', '\B', '\G'].freeze
BEHIND = ['(?<=a)', '(?<!b)', '(?<=ab|c)', '(?<=^|b)', '(?<!é)', '(?<=\b)'].freeze
FOLDED = ['(?i)', '(?i:ss)', '(?i:st)', '(?i)ß', '(?i:[ß-é])', '(?i:[\\w])', '(?i:[^\\W])', '(?i:[[:upper:]])', '(?i:\\p{Lu})', '(?i:\\P{Lu})',
          '(?i:[[:^lower:]])', '(?i:ﬁ)', '(?i:fi)', '(?i)k', '(?i:[k])', '(?i:[a-z&&[^s]])', '(?-i)', '(?x) ', '(?#c)', '(?i:\\xC3\\xA9)'].freeze
OTHERS = ['\K', '(?i:aB)', '(?~ab)', '(?~b)', '(?(1)a|b)', '(?m:.)'].freeze
TIMES = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{2,}', '{0,2}?', '*+', '++', '?+', '{,2}'].freeze

LETTERS = %w[a b c é x A B s S ß ẞ ſ ss st ﬆ f i ﬁ K k É ﬀ T t].freeze

def atom(depth)
  group = ->(open) { depth.positive? ? "#{open}#{alternatives(depth - 1)})" : 'b' }
  case rand($folds ? 37 : 30)
  when 0..9 then ['a', 'b', 'c', 'ab', 'é', 'x', '\n'].sample
  when 10..13 then SETS.sample
  when 14..15 then ANCHORS.sample
  when 16..19 then group.('(')
  when 20 then group.('(?:')
  when 21 then group.('(?=')
  when 22 then group.('(?!')
  when 23 then group.('(?>')
  when 24 then BEHIND.sample
  when 25 then '\1'
  when 26 then '\2'
  when 27 then OTHERS.sample
  when 28 then '\g<1>'
  when 30..33 then FOLDED.sample
  when 34..36 then ['s', 'f', 'i', 'S', 'ß', 'k', 'É', 'T'].sample
  else 'c'
  end
end

def sequence(depth)
  Array.new(1 + rand(3)) do
    part = atom(depth)
    stands = part.match?(/\A(\\[AzZbBGK1-9]|[\^$]|\(\?[<=!~(])/)
    part + (rand < (stands ? 0.1 : 0.45) ? TIMES.sample : '')
  end.join
end

def alternatives(depth)
  rand < 0.25 ? "#{sequence(depth)}|#{rand < 0.1 ? '' : sequence(depth)}" : sequence(depth)
end

ARGV[1].to_i.times do
  pattern = Regexp.new(alternatives(3))
  text = Array.new(rand(9)) { rand < 0.08 ? "\n" : ($folds ? LETTERS : %w[a b c é x A B]).sample }.join
  from = rand < 0.25 ? rand(text.size + 1) : 0
  found = Timeout.timeout(1) { pattern.match(text, from) }
  bytes = ->(index) { text[0, index].bytesize }
  spans = found && Array.new(found.size) { |group| found.begin(group) && found.offset(group).map(&bytes) }
  puts JSON.generate([pattern.source, text, bytes.(from), spans])
rescue RegexpError, Timeout::Error
  next
end

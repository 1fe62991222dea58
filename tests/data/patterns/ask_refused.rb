# frozen_string_literal: true

# Writes random patterns, nearly all broken, with what Ruby says of each, or true: `ruby ask_refused.rb SEED
# COUNT > refused.jsonl`.

require 'json'
require_relative '../../differential/words'

# Patterns with references, names, conditions, sets, escapes and quantifiers that are none, in any order.
class Refused < Words
  OPENS = [
    '(', '(?:', '(?<n>', '(?<m>', "(?'n'", '(?=', '(?<=', '(?!',
    '(?>', '(?i:', '(?~'
  ].freeze
  NO_OPENS = [
    '(?(1)', '(?(2)', '(?(<n>)', "(?('m')", '(?(<x>)', '(?(0)', '(?(-1)', '(?(<-1>)',
    '(?(<1>)', '(?(+1)', '(?(1', '(?(<n)', '(?()', '(?(n)', '(?(<n+0>)', '(?(<1+1>)',
    '(?<', '(?<>', '(?<n', '(?<1>', '(?<n-1>', '(?<-n>', '(?', '(?z',
    '(?i', '(?i-', '(?#', '(?#a)', '(?P<n>', "(?'", "(?''", "(?'n>",
    "(?<n'", '(?<é>', '(?<n é>', '(?^)', '(?<!(', '(?<n)', '(?a)', '(?u:',
    '(?d)', '(?ia-m:', '(?a-i)', '(?-a)', '(?!', '(?<a.b>', '(?<_1>', '(?<n!>'
  ].freeze
  REFERENCES = [
    '\1', '\2', '\3', '\9', '\10', '\12', '\k<n>', '\k<m>',
    '\k<x>', '\k<1>', '\k<2>', '\k<-1>', '\k<-3>', '\k<+', '\k<+1', '\k<+1>',
    '\k<+n>', '\k<', '\k<>', '\k', '\kn', '\k<n', '\k<1', '\k<n+0>',
    '\k<n-1>', '\k<n+>', '\k<1+1>', '\k<1+', '\k<-', '\k<->', '\k<+>', '\k<-n>',
    '\k<1n>', '\k<n1>', '\k<é>', '\k<é', %q(\k'n'), %q(\k'n), %q(\k'1'), %q(\k'+1'),
    %q(\k'), %q(\k''), '\k<0>', '\k<00>', '\k<01>', '\k<99999999999>', '\g<1>', '\g<2>',
    '\g<0>', '\g<n>', '\g<x>', '\g<+1>', '\g<+2>', '\g<-1>', '\g<-2>', '\g<+',
    '\g<-', '\g<+>', '\g<', '\g<>', '\g', '\g<n', '\g<1', '\g<1n>',
    '\g<n+0>', '\g<99999999999>', %q(\g'n'), %q(\g'-1'), '\g<é>', '\g<+n>', '\k<n>>', '\k<n.>',
    '\k<n )', '\k< n>', '\k<)>', '\g<)>', '\k<1)>'
  ].freeze
  SETS = [
    '[a', '[]', '[^]', '[a-', '[b-a]', '[[:foo:]]', '[[:alpha:', '[[:alpha:]',
    '[\]', '[a&&', '[a&&]', '[&&]', '[a-\d]', '[\d-a]', '[[a-c]', '[a]]',
    '[\x]', '[\x4]', '[\u]', '[\u{41 42}]', '[\u{', '[\p{L}]', '[\p{Foo}]', '[\p{',
    '[\pL]', '[\k]', '[\1]', '[\400]', '[\c]', '[\C-]', '[\M-a]', '[a-\u{e9}]',
    '[a--]', '[--a]', '[a-b-c]', '[[:^foo:]]', '[[:x]', '[[=a=]]', '[\w-]', '[^a&&^b]',
    '[\R]', '[\X]', '[é-a]', '[\xC3\xA9]', '[\xff]', '[\u{110000}]', '[\uD800]', '[z-\u{41 42}]',
    '[[]', '[]a]', '[^]a]'
  ].freeze
  ESCAPES = [
    '\\', '\x', '\x4', '\xg', '\u', '\u1', '\u{', '\u{}',
    '\u{110000}', '\u{41', '\u{41 ', '\u{41 42}', '\uD800', '\c', '\C', '\C-',
    '\M', '\M-', '\M-\\', '\c\\', '\p', '\p{', '\p{Foo}', '\p{^L',
    '\pL', '\P{^L}', '\0', '\00', '\400', '\377', '\x80', '\xC3',
    '\xC3\xA9', '\Q', '\o{7}', '\N', '\y', '\R', '\X', '\K',
    '\h', '\e', '\G', '\p{^^L}', '\p{ L u }', '\p{In_Greek}', '\x{41}', '\x{',
    '\x{110000}', '\u{0 0}', '\u{1234567}', '\u{41x}', '\u{ 41}', '\c\M-a', '\M-\C-a', '\C-\\',
    '\c?', '\M-é', '\cé'
  ].freeze
  TIMES = [
    '*', '+', '?', '*?', '++', '?+', '{2}', '{2,1}',
    '{1,2}', '{', '{1', '{,', '{,2', '{a}', '{100000}', '{100001}',
    '{2,100001}', '{99999999999}', '{0}', '{,}', '**', '+*?', '{1}{2}', '{2}+',
    '{2}?', '{1,2}?', '{3,1}?', '{3,1}+', '{,0}', '{1,', '{ 1}', '{-1}',
    '{100000}{100000}'
  ].freeze

  def pattern
    sequence(3)
  end

  private

  def sequence(depth)
    some(1..3) { atom(depth) + (chance(0.15) ? pick(TIMES) : '') }.join
  end

  def atom(depth)
    case number(0...(depth.positive? ? 14 : 9))
    when 0..2 then pick(['a', 'b', 'é', 'x', '.', '^', '$', '|', '-'])
    when 3..4 then pick(chance(0.7) ? REFERENCES : ['\1', '\k<n>'])
    when 5 then chance(0.4) ? pick(SETS) : '[ab]'
    when 6 then chance(0.5) ? pick(ESCAPES) : 'c'
    when 7 then chance(0.3) ? pick([')', '(', ']', '}', '*', '(?i)', '(?x) ', '#', "\n", '|', '||']) : 'd'
    when 8 then 'b'
    else "#{pick(chance(0.25) ? NO_OPENS : OPENS)}#{sequence(depth - 1)}#{"|#{sequence(depth - 1)}" if chance(0.2)}#{')' if chance(0.9)}"
    end
  end
end

# What Ruby says of a pattern.
def said(pattern)
  Regexp.new(pattern) && true
rescue RegexpError => e
  e.message
end

$stderr = File.open(File::NULL, 'w')
words = Refused.new(ARGV[0].to_i)
patterns = Array.new(ARGV[1].to_i) { words.pattern }
# A long name is cut, and can be in a character.
patterns.map { |pattern| [pattern, said(pattern)] }.uniq.each { |line| puts JSON.generate(line) if line.last == true || line.last.valid_encoding? }

# frozen_string_literal: true

require_relative 'words'

# Regular expressions, many of which are none, in all places where the language takes them.
class Patterns < Words
  SETS = ['[ab]', '[^a]', '\w', '\D', '\h', '\s', '.', '\R', '\X', '[[:alpha:]]', '[[:^word:]]', '[a-c&&[^b]]', '[é-ü]', '\p{Lu}', '\p{^L}', '\P{Alpha}', '\p{Greek}', '[a-]', '[-a]', '[\]\[]', '[[a-c][x]]', '[\n\t\e]', '[\x41-\x43]', '[\u{61 62}]', '[^[:space:]x]'].freeze
  NO_SETS = ['[[:foo:]]', '[b-a]', '[]', '[^]', '[a', '\p{Foo}', '\p{', '[\w-z]', '[a-\d]', '[\M]', '[\c]', '[a&&', '[[a]', '[:alpha:]'].freeze
  ANCHORS = ['^', '$', '\A', '\z', '\Z', '\b', '\B', '\G', '\K'].freeze
  OPENS = ['(', '(', '(', '(?:', '(?=', '(?!', '(?>', '(?<=', '(?<!', '(?i:', '(?mx-i:', '(?~', '(?a:', '(?u:'].freeze
  NAMED = ['(?<n>', '(?<m>', "(?'n'", '(?<n>'].freeze
  NO_OPENS = ['(?<>', '(?<1>', '(?z:', '(?i-', '(?', '(?#', '(?@', '(?P<x>', '(?(1)', '(?(<n>)', '(?(9)', '(?<n', '(?<n-1>'].freeze
  REFERENCES = ['\1', '\2', '\k<1>', '\k<-1>', '\g<1>'].freeze
  NO_REFERENCES = ['\1', '\9', '\10', '\0', '\k<n>', '\k<x>', '\k<n', '\g<n>', '\g<0>', '\g<x>', '\g', '\k', '\k<>', "\\k'n'", '\k<n+0>', '\g<+1>', '\g<-1>', '\k<9>'].freeze
  ESCAPES = ['\x41', '\u00e9', '\u{e9}', '\cA', '\C-a', '\M-a', '\e', '\07', '\/', '\-', '\é', '\\\\', '\y', '\N', '\o'].freeze
  NO_ESCAPES = ['\x', '\x4', '\u', '\u{', '\u{110000}', '\uD800', '\c', '\377', '\Q', '\C', '\M-', '\x80', '\xC3\xA9'].freeze
  TIMES = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{2,}', '{0,2}?', '*+', '++', '?+', '{,2}', '{1}{2}', '{2}+', '{a}', '{,}'].freeze
  NO_TIMES = ['{2,1}', '{', '{100001}', '{1', '**', '+*?', '{0}', '{0,0}'].freeze
  LETTERS = ['a', 'b', 'c', 'é', 'x', 'A', 'B', ' ', 'ß', 'ſ', 's', 'k', '1', "\n", '-', '_'].freeze

  def question
    { 'op' => 'eval', 'source' => program }
  end

  def program
    made = quoted(pattern)
    text = quoted(letters)
    case number(0...9)
    when 0..2 then "[#{text} =~ Regexp(#{made}), $0, $1, $2]"
    when 3 then "regsubst(#{text}, #{made}, #{quoted(pick(['<\0>', '[\1\2]', '\k<n>', '\\\\1', '\9', '']))}#{pick(['', ", 'G'", ", 'GI'", ", 'EM'", ", 'G', 'N'", ", 'X'"])})"
    when 4 then "split(#{text}, #{made})"
    when 5 then "match([#{text}, #{quoted(letters)}], #{made})"
    when 6 then "#{text} =~ Pattern[#{made}, 'zz']"
    when 7 then "case #{text} { Regexp(#{made}): { [$0, $1] } default: { $0 } }"
    else "#{text} =~ #{made}"
    end
  end

  def letters
    some(0..8) { pick(LETTERS) }.join
  end

  def pattern
    @is_named = chance(0.2)
    alternatives(3)
  end

  def alternatives(depth)
    chance(0.25) ? "#{sequence(depth)}|#{chance(0.1) ? '' : sequence(depth)}" : sequence(depth)
  end

  def sequence(depth)
    some(1..4) { "#{atom(depth)}#{chance(0.3) ? some_of(TIMES, NO_TIMES) : ''}" }.join
  end

  def atom(depth)
    case choose(letter: 14, set: 5, anchor: 2, group: depth.positive? ? 6 : 0, reference: 1, escape: 1)
    when :letter then pick(LETTERS)
    when :set then some_of(SETS, NO_SETS)
    when :anchor then chance(0.9) ? pick(ANCHORS) : pick(['(?i)', '(?x)', '(?-i)', '(?#c)', '(?m)a|b', '#', ')', ']', '}', '|', '\\'])
    when :group then "#{@is_named ? some_of(NAMED + OPENS.drop(3), NO_OPENS) : some_of(OPENS, NO_OPENS)}#{alternatives(depth - 1)}#{chance(0.98) ? ')' : ''}"
    when :reference then @is_named ? pick(["\\k<n>", '\g<n>', "\\k'm'"]) : some_of(REFERENCES, NO_REFERENCES)
    else some_of(ESCAPES, NO_ESCAPES)
    end
  end

  # An item that is sound, or rarely one of the others.
  def some_of(sound, others)
    chance(0.93) ? pick(sound) : pick(others)
  end
end

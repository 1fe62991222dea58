# frozen_string_literal: true

# Holds the laws of the formatter on generated manifests:
#
#   ruby -I ruby-ext/lib tests/format/generated.rb [--count N] [--seed N]
#
# A manifest comes from the generators of `tests/differential`; blanks, ends of lines and comments are put
# between its tokens, or taken away. What is formatted must be the same program with the same comments in the
# same order, and formatting it again must change nothing. The status is 1 if a law is broken; the
# manifests are printed.
require 'bunraku'
require 'optparse'
require_relative '../differential/catalogs'
require_relative '../differential/programs'

# A generated manifest in any layout.
class Layout
  BLANKS = ['', ' ', '  ', "\n", "\n\n\n", "\t", " \n  ", ' # b', "\n# c\n", "\r\n", ' /* d */ ', "  # e\n\n", "\n/* f\n g */\n"].freeze

  def initialize(seed)
    @words = Words.new(seed)
    @generators = [Programs.new(seed), Catalogs.new(seed)]
  end

  # A manifest that can be parsed; the layout of its source is kept where another one would break it.
  def manifest
    text = @generators[@words.number(0...2)].then { |one| one.respond_to?(:manifest) ? one.manifest : one.program }
    return unless parsed(text)

    laid_out = other_layout(text)
    parsed(laid_out) == parsed(text) ? laid_out : text
  end

  def parsed(text)
    Bunraku.parse(text).to_pn
  rescue Bunraku::ParseError
    nil
  end

  private

  def other_layout(text)
    @words.chance(0.2) and return text

    share = @words.pick([0.03, 0.1, 0.3])
    Bunraku.tokens(text).map do |token|
      trivia = (token.leading.map(&:text) + [token.text] + token.trailing.map(&:text)).join
      blank = @words.pick(BLANKS)
      blank += "\n" if blank.match?(/#[^\n]*\z/)
      @words.chance(share) ? "#{blank}#{trivia}" : trivia
    end.join
  end
end

# What a manifest says: its tree, and its comments.
def said(text)
  program = Bunraku.parse(text)
  [program.to_pn, program.comments.map { |comment| comment.gsub(/\s+/, ' ').strip }]
end

def broken(text)
  formatted = Bunraku.format(text)
  return 'another program, or other comments' unless said(formatted) == said(text)

  'formatted again, it changes' unless Bunraku.format(formatted) == formatted
rescue Bunraku::Error => e
  e.message
end

options = { count: 2000, seed: 1 }
OptionParser.new do |parser|
  parser.on('--count N', Integer) { |count| options[:count] = count }
  parser.on('--seed N', Integer) { |seed| options[:seed] = seed }
end.parse!

layout = Layout.new(options[:seed])
texts = Array.new(options[:count]) { layout.manifest }.compact
wrong = texts.filter_map { |text| (why = broken(text)) && [text, why] }
changed = (texts - wrong.map(&:first)).count { |text| Bunraku.format(text) != text }
comments = texts.sum { |text| Bunraku.parse(text).comments.size }
wrong.first(10).each { |text, why| puts "--- #{why}", text }
puts "#{texts.size} manifests with #{comments} comments, #{changed} of them changed; #{wrong.size} break a law"
exit wrong.empty?

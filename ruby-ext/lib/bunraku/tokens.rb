# frozen_string_literal: true

module Bunraku
  # White space or a comment.
  #
  # @!attribute kind [r] @return [Symbol] `:Space`, `:LineEnd`, `:Comment`, `:TemplateComment`
  # @!attribute text [r] @return [String]
  # @!attribute offset [r] @return [Integer] of the first byte
  # @!attribute line [r] @return [Integer] from 1
  # @!attribute column [r] @return [Integer] in characters, from 1
  Trivia = Struct.new(:kind, :text, :offset, :line, :column)

  # A token with the white space and the comments around it.
  #
  # @!attribute kind [r] @return [Symbol] such as `:Name`, `:ClassRef`, `:FArrow`, `:HeredocText`;
  #   `:Unreadable` for invalid text; `:End` is the last token, without text
  # @!attribute text [r] @return [String]
  # @!attribute offset [r] @return [Integer] of the first byte
  # @!attribute line [r] @return [Integer] from 1
  # @!attribute column [r] @return [Integer] in characters, from 1
  # @!attribute leading [r] @return [Array<Trivia>] between it and the trailing trivia of the previous token
  # @!attribute trailing [r] @return [Array<Trivia>] after it, up to the end of its line
  Token = Struct.new(:kind, :text, :offset, :line, :column, :leading, :trailing) do
    # @return [String] the text with its trivia: joined over all tokens, these are the whole text
    def full_text
      [*leading, self, *trailing].map(&:text).join
    end
  end

  # Splits a text into tokens, whatever errors it has: `tokens.map(&:full_text).join` is the text.
  #
  # @param source [String] the text
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are part of the language
  # @return [Array<Token>]
  # @raise [ArgumentError] the text is not valid in its encoding
  def self.tokens(source, epp: false, tasks: false)
    text = utf8(source)
    leading = []
    tokens = []
    trails = 0
    native_tokens(text, epp, tasks).each do |kind, offset, length, line, column, trailing|
      content = text.byteslice(offset, length).freeze
      if trailing
        tokens << Token.new(kind, content, offset, line, column, leading.freeze, [])
        leading = []
        trails = trailing
      else
        (trails.positive? ? tokens.last.trailing : leading) << Trivia.new(kind, content, offset, line, column).freeze
        trails -= 1
      end
    end
    tokens << end_of(text, leading)
    tokens.each { |token| token.trailing.freeze && token.freeze }.freeze
  end

  # @api private
  def self.end_of(text, leading)
    last = text.rindex("\n")
    Token.new(:End, '', text.bytesize, text.count("\n") + 1, text.length - (last ? last + 1 : 0) + 1, leading.freeze, [])
  end
  private_class_method :end_of

  # Formats a manifest according to the style guide. The program stays the same, comments stay with the code
  # that they describe, strings and heredocs keep their content. Text between the comments `# bunraku:fmt off`
  # and `# bunraku:fmt on` stays unchanged.
  #
  # @param source [String] the text
  # @param epp [Boolean] whether the text is a template
  # @param tasks [Boolean] whether plans and `apply` are part of the language
  # @param width [Integer] the maximum number of characters in a line, where possible
  # @param indentation [Integer] the number of spaces by which the content of brackets is indented
  # @param align_arrows [Boolean] whether arrows are aligned
  # @param single_quotes [Boolean] whether strings without interpolation and escapes get single quotes
  # @param lines [Range<Integer>, nil] the lines whose statements are formatted, from 1; nil for all
  # @param recover [Boolean] whether a text that cannot be parsed is formatted but for the statements with
  #   errors
  # @return [String]
  # @raise [ParseError] the text cannot be parsed
  def self.format(source, epp: false, tasks: false, width: 140, indentation: 2, align_arrows: true, single_quotes: true,
                  lines: nil, recover: false)
    part = [lines && lines.minmax, recover]
    native_format(utf8(source), [epp, tasks], [width, indentation], [align_arrows, single_quotes], part)
  end
end

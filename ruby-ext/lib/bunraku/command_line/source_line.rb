# frozen_string_literal: true

module Bunraku
  class CommandLine
    # A line of a manifest as a terminal shows it, and the place of a column in it.
    class SourceLine
      # Characters that take two columns.
      WIDE = /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1FAFF}\u{20000}-\u{3FFFD}]/
      # Characters that take none: marks on others, and what is not seen.
      NARROW = /[\p{Mn}\p{Me}\u200B-\u200F\u2060\uFEFF]/
      # As wide as a terminal is when it does not tell.
      WIDTH = 80
      private_constant :WIDE, :NARROW, :WIDTH

      # @param stream [IO] a terminal
      # @return [Integer] how many columns it has
      def self.width_of(stream)
        require 'io/console'
        columns = stream.winsize.last
        columns.positive? ? columns : WIDTH
      rescue SystemCallError, NoMethodError, LoadError
        WIDTH
      end

      # @param line [String] with or without its line end
      # @param column [Integer] in characters, from 1
      def initialize(line, column)
        @text = Screen.printable(line.scrub.chomp)
        @column = (column - 1).clamp(0, @text.size)
      end

      # @param width [Integer] how many columns there are
      # @return [Array(String, String)] as much of the line as fits around the column, and what stands before a mark below it
      def fit(width)
        text = @text
        column = @column
        if columns(text) > width
          # Tabs reach different columns when the line starts elsewhere.
          text = text.tr("\t", ' ')
          start = [column - (width / 3), 0].max
          text = text[start, width]
          column -= start
          text = "\u2026#{text[1..]}" if start.positive?
          text = text.chop while columns(text) > width
        end
        [text, text[0, column].gsub(NARROW, '').gsub(WIDE, '  ').gsub(/[^\t]/, ' ')]
      end

      private

      def columns(text)
        text.size + text.scan(WIDE).size - text.scan(NARROW).size + (7 * text.count("\t"))
      end
    end
  end
end

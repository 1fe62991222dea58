# frozen_string_literal: true

module Bunraku
  class CommandLine
    # A stream that people read. What it is told goes through here, so that no text of a catalog, of facts or of a message gives orders
    # to a terminal: control characters are shown as pictures of them, those that turn the direction of writing are replaced.
    # Lines and tabs stay.
    class Screen
      ORDERS = /[\u0000-\u0008\u000B-\u001F\u007F]/
      HIDDEN = /[\u0080-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/
      private_constant :ORDERS, :HIDDEN

      # A part of a line in a colour of the terminal.
      Coloured = Struct.new(:text, :number) do
        def to_s = "\e[#{number}m#{Screen.printable(text)}\e[0m"
      end

      # A text that a terminal does not take for orders.
      #
      # @param text [String]
      # @return [String]
      def self.printable(text)
        text = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless text.encoding == Encoding::UTF_8
        text.scrub.gsub(ORDERS) { |order| (order == "\u007F" ? 0x2421 : 0x2400 + order.ord).chr('UTF-8') }.gsub(HIDDEN, "\uFFFD")
      end

      # @return [IO] the stream itself
      attr_reader :io

      # @param io [IO]
      def initialize(io)
        @io = io
      end

      # Writes lines, each a text or an array of texts and {Coloured} parts.
      def puts(*lines)
        @io.puts(*lines.map { |line| shown(line) })
      end

      # Writes a text.
      def print(text)
        @io.print(shown(text))
      end

      # Writes data, which programs read: as it is, unless the stream is a terminal. JSON stays JSON there.
      #
      # @param text [String]
      # @param json [Boolean] whether it is JSON
      def data(text, json: false)
        return @io.write(text) unless tty?
        return print(text) unless json

        @io.write(text.gsub(Regexp.union("\u007F", HIDDEN)) { |char| format('\u%04x', char.ord) })
      end

      # @return [Boolean] whether it is a terminal
      def tty?
        @io.tty?
      end

      private

      def shown(line)
        (line.is_a?(Array) ? line : [line]).map { |part| part.is_a?(Coloured) ? part.to_s : Screen.printable(part.to_s) }.join
      end
    end
  end
end

# frozen_string_literal: true

require_relative 'nodes'

module Bunraku
  # Reads the binary form of a program, which `core/docs/binary.md` describes. The part that follows from the
  # table of nodes is generated, in {Nodes}.
  #
  # @api private
  class BinaryProgram
    include Nodes

    MAGIC = "bunraku\0"
    NAMES = KINDS.keys.freeze

    # @return [String, nil] the file name
    attr_reader :path
    # @return [String] the text
    attr_reader :source
    # @return [Integer] the number of the root node
    attr_reader :body
    # @return [Array<Integer>] the numbers of the definitions
    attr_reader :definitions
    # @return [Array<Array(Integer, Integer)>] offsets and lengths of the comments
    attr_reader :comments
    # @return [Boolean] whether the lexer has warned
    attr_reader :warned

    # @param bytes [String] the bytes from the library
    # @raise [Error] the bytes are of another version
    def initialize(bytes)
      @bytes = bytes
      @at = MAGIC.bytesize
      damaged unless bytes.start_with?(MAGIC) && byte == Nodes::VERSION
      @path = boolean ? text : nil
      @source = text.freeze
      @strings = text
      @lists = numbers
      read_nodes
      @body = number
      @definitions = numbers
      read_big_integers
      @comments = Array.new(number) { [number, number] }
      @warned = number.positive?
      @bytes = nil
    end

    # @return [Integer] the number of nodes
    def size
      @kinds.size
    end

    # @param id [Integer] the number of a node
    # @return [Array, nil] name of the kind, offset and length in bytes, and the fields: `[:node, n]`,
    #   `[:nodes, n…]` or the value itself
    def row(id)
      [NAMES[@kinds[id]], @offsets[id], @lengths[id], @fields[id]] if id >= 0 && id < size
    end

    # @param name [String] a kind of nodes
    # @return [Array<String>] the first fields of all its nodes
    def texts(name)
      kind = NAMES.index(name)
      @kinds.each_index.select { |id| @kinds[id] == kind }.map { |id| @fields[id].first }
    end

    # @return [Array<Integer>] the offsets of the first bytes of lines
    def line_offsets
      @line_offsets ||= begin
        offsets = [0]
        bytes = @source.b
        at = -1
        offsets << (at + 1) while (at = bytes.index("\n", at + 1))
        offsets
      end
    end

    # @param offset [Integer] in bytes
    # @return [Array(Integer, Integer)] line and column, both from 1, the column in characters
    def position(offset)
      line = (line_offsets.bsearch_index { |start| start > offset } || line_offsets.size)
      start = line_offsets[line - 1]
      [line, @source.byteslice(start, offset - start).length + 1]
    end

    private

    def read_nodes
      count = number
      @kinds = Array.new(count)
      @offsets = Array.new(count)
      @lengths = Array.new(count)
      @fields = Array.new(count)
      place = 0
      count.times do |id|
        @id = id
        @kinds[id] = kind = byte
        @offsets[id] = place += integer
        @lengths[id] = number
        @fields[id] = fields(kind).freeze
      end
    end

    # The digits of Integers beyond 64 bits follow the nodes.
    def read_big_integers
      number.times do
        id = number
        *others, _value = @fields[id]
        @fields[id] = [*others, pooled_text.to_i(0)].freeze
      end
    end

    def byte
      byte = @bytes.getbyte(@at)
      @at += 1
      byte || damaged
    end

    def boolean
      byte == 1
    end

    def number
      first = byte
      return first if first < 0x80

      value = first & 0x7F
      shift = 7
      loop do
        following = byte
        value |= (following & 0x7F) << shift
        return value if following < 0x80

        shift += 7
      end
    end

    def integer
      value = number
      (value >> 1) ^ -(value & 1)
    end

    def float
      @at += 8
      @bytes.byteslice(@at - 8, 8).unpack1('E') || damaged
    end

    def numbers
      Array.new(number) { number }
    end

    def text
      length = number
      @at += length
      @bytes.byteslice(@at - length, length).force_encoding(Encoding::UTF_8)
    end

    # A text of the source or of the pool of strings.
    def pooled_text
      place = number
      (place.odd? ? @strings : @source).byteslice(place >> 1, number).freeze
    end

    def operator(texts)
      texts.fetch(byte)
    end

    def node
      [:node, @id - integer].freeze
    end

    def nodes
      length = number
      (length.zero? ? [:nodes] : [:nodes, *@lists[number, length]]).freeze
    end

    def damaged
      raise Error, 'the bytes are not a program of this version'
    end
  end
end

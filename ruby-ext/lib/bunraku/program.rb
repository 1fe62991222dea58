# frozen_string_literal: true

module Bunraku
  # A message of the parser or the validator.
  #
  # @!attribute severity [r] @return [Symbol] `:error`, `:warning` or `:deprecation`
  # @!attribute issue_code [r] @return [String] such as `SYNTAX_ERROR`
  # @!attribute message [r] @return [String] the message without the place
  # @!attribute file [r] @return [String, nil]
  # @!attribute line [r] @return [Integer, nil] from 1
  # @!attribute column [r] @return [Integer, nil] in characters, from 1; OpenVox reports no line and column
  #   for the end of the input, {#place} does
  # @!attribute offset [r] @return [Integer, nil] the offset of its first byte
  # @!attribute length [r] @return [Integer, nil] its length in bytes
  # @!attribute end_line [r] @return [Integer, nil]
  # @!attribute end_column [r] @return [Integer, nil] behind the end, in characters
  # @!attribute ranges [r] @return [Hash{Symbol => Place}, nil] the place in each unit, see {#place}
  Diagnostic = Struct.new(:severity, :issue_code, :message, :file, :line, :column, :offset, :length, :end_line, :end_column, :ranges,
                          keyword_init: true) do
    # @param unit [Symbol] `:byte`, `:character`, `:utf16`
    # @return [Place, nil] the place: an empty one at the end of the text if the input ends too early; nil for
    #   a diagnostic about no text, such as a limit
    # @raise [ArgumentError] the unit does not exist
    def place(unit = :character)
      raise ArgumentError, 'the unit is one of byte, character, utf16' unless %i[byte character utf16].include?(unit)

      ranges&.fetch(unit)
    end

    # @return [String] `file:line:column: severity: message (CODE)`
    def to_s
      place = [file, line, column].compact.join(':')
      "#{"#{place}: " unless place.empty?}#{severity}: #{message}#{" (#{issue_code})" if issue_code}"
    end

    # @param path [String, nil] a file
    # @param result [Array<Hash>, Error] the messages about the file
    # @return [Array<Diagnostic>]
    # @api private
    def self.of(path, result)
      return result.map { |members| of_members(members.transform_keys(&:to_sym)) } unless result.is_a?(Error)

      ranges = result.ranges if result.is_a?(ParseError)
      place = ranges&.fetch(:character)
      [new(severity: :error, issue_code: result.issue_code, message: result.basic_message, file: result.file || path,
           line: result.line, column: result.column, offset: ranges&.fetch(:byte)&.offset, length: ranges&.fetch(:byte)&.length,
           end_line: place&.end_line, end_column: place&.end_column, ranges: ranges)]
    end

    # @api private
    def self.of_members(members)
      new(**members, severity: members[:severity].to_sym, ranges: Place.of_ranges(members[:ranges]))
    end
    private_class_method :of_members
  end

  # A place in a source, in the requested unit.
  #
  # @!attribute offset [r] @return [Integer] from 0
  # @!attribute length [r] @return [Integer]
  # @!attribute line [r] @return [Integer] from 1
  # @!attribute column [r] @return [Integer] from 1
  # @!attribute end_line [r] @return [Integer]
  # @!attribute end_column [r] @return [Integer] behind the end
  Place = Struct.new(:offset, :length, :line, :column, :end_line, :end_column) do
    # @api private
    def self.of_ranges(ranges)
      ranges&.to_h { |unit, place| [unit.to_sym, new(*place.transform_keys(&:to_sym).values_at(*members)).freeze] }
    end
  end

  # A parsed manifest or template. Made by {Bunraku.parse}.
  class Program
    # @!method to_binary
    #   @return [String] the binary form, for caches; `core/docs/binary.md` describes it. {Marshal} uses it,
    #     too
    # @!method tasks?
    #   @return [Boolean] whether plans and `apply` were part of the language
    # @!method source
    #   @return [String] the text
    # @!method path
    #   @return [String, nil] the file name
    # @!method node_count
    #   @return [Integer] the number of nodes in the syntax tree
    # @!method body
    #   @return [Node] the root node
    # @!method definitions
    #   @return [Array<Node>] the classes, defined types, functions, types and nodes that the file defines
    # @!method node(id)
    #   @param id [Integer] the number of a node
    #   @return [Node]
    #   @raise [IndexError] the node does not exist

    # Reads the binary form of a program.
    #
    # @param bytes [String] the result of {#to_binary}
    # @param tasks [Boolean] whether plans and `apply` were part of the language when the text was parsed
    # @return [Program]
    # @raise [Error] the bytes are damaged or of another version
    def self.from_binary(bytes, tasks: false)
      native_from_binary(bytes, tasks).freeze
    end

    # @api private
    def self._load(bytes)
      from_binary(bytes.byteslice(1..), tasks: bytes.getbyte(0) == 1)
    end

    # @api private
    def _dump(_level)
      (tasks? ? "\1" : "\0").b << to_binary
    end

    # @return [self] programs are immutable
    def dup
      self
    end
    alias clone dup

    # @return [Array<Diagnostic>] the errors after which the parser continued, see {Bunraku.parse}
    def errors
      Diagnostic.of(path, native_errors)
    end

    # @return [Array<Diagnostic>] the warnings of the lexer: unknown escapes
    def warnings
      Diagnostic.of(path, native_warnings)
    end

    # @param pretty [Boolean] whether each element has its own line
    # @return [String] Puppet Extended S-Expression Notation, as `puppet parser dump --format pn` writes it
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_pn(pretty: false)
      body.to_pn(pretty: pretty)
    end

    # @return [Object] the notation as arrays and hashes, as `puppet parser dump --format json` has it
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_data
      body.to_data
    end

    # @return [String] {#to_data} as JSON
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_json(*)
      body.to_json
    end

    # @return [String] the text, under the name of the reference's model
    def source_text
      source
    end

    # @return [String, nil] the file name, under the name of the reference's model
    def source_ref
      path
    end

    # @return [Array<String>] the comments, in order
    def comments
      native_comments.map { |offset, length| source.byteslice(offset, length) }
    end

    # A comment with the node that it belongs to.
    #
    # @!attribute text [r] @return [String] the comment, with its marks
    # @!attribute offset [r] @return [Integer] of the first byte
    # @!attribute length [r] @return [Integer] in bytes
    # @!attribute line [r] @return [Integer] from 1
    # @!attribute column [r] @return [Integer] in characters, from 1
    # @!attribute node [r] @return [Node]
    # @!attribute placement [r] @return [Symbol] `:leading`: on a line of its own before the node;
    #   `:trailing`: after it, on its line or below if nothing else follows in the same brackets; `:dangling`:
    #   inside it, with no other node beside the comment
    Comment = Struct.new(:text, :offset, :length, :line, :column, :node, :placement)

    # @return [Array<Comment>] the comments with their nodes, in order
    def placed_comments
      native_placed_comments.map do |offset, length, line, column, node, placement|
        Comment.new(source.byteslice(offset, length), offset, length, line, column, node(node), placement).freeze
      end
    end

    # Changes of a program's text, see {Program#edit}.
    class Edits
      # @api private
      def initialize(program)
        @program = program
        @edits = []
      end

      # Replaces a node, with everything in it.
      #
      # @param node [Node]
      # @param text [String]
      # @return [self]
      def replace(node, text)
        add('replace', node, text)
      end

      # Inserts a text directly before a node.
      #
      # @param (see #replace)
      # @return [self]
      def insert_before(node, text)
        add('insert_before', node, text)
      end

      # Inserts a text directly after a node.
      #
      # @param (see #replace)
      # @return [self]
      def insert_after(node, text)
        add('insert_after', node, text)
      end

      # Removes a node, and its lines where nothing else is on them.
      #
      # @param node [Node]
      # @return [self]
      def remove(node)
        add('remove', node)
      end

      # Gives a class, a defined type or a function a new name: its definition, the definitions inside it, and
      # all references in this program. {Index#rename} does it in a whole environment.
      #
      # @param kind [Symbol, String] `:class`, `:define` or `:function`
      # @param from [String] the full name
      # @param to [String] the new full name
      # @return [self]
      def rename(kind, from, to)
        @edits << { edit: 'rename', kind: kind.to_s, from: from, to: to }
        self
      end

      # @api private
      def to_json(*)
        JSON.generate(@edits)
      end

      private

      def add(edit, node, text = nil)
        raise ArgumentError, 'the node is one of another program' unless node.program.equal?(@program)

        text = String.try_convert(text) || raise(TypeError, "no implicit conversion of #{text.class} into String") if edit != 'remove'
        @edits << { edit: edit, node: node.id, text: text }.compact
        self
      end
    end

    # Changes the text of nodes. All else stays as it is written: comments, white space, quotes.
    #
    # @example
    #   program.edit { |edits| edits.replace(node, "'0644'") }.source
    # @param epp [Boolean, nil] whether the text is a template; nil: if the path ends with `.epp`
    # @param recover [Boolean] whether the parser continues after syntax errors, as in {Bunraku.parse}
    # @yieldparam edits [Edits]
    # @return [Program] the program of the changed text
    # @raise [ParseError] the text is no longer valid
    # @raise [Error] edits overlap; the place is that of the second one
    def edit(epp: nil, recover: false)
      edits = Edits.new(self)
      yield edits
      Bunraku.parse(native_edited(edits.to_json), path: path, epp: epp, tasks: tasks?, recover: recover)
    end

    # @param visitor [Object, nil] see {Node#accept}
    # @yieldparam node [Node] every node, in the order of the source
    # @return [self, Enumerator]
    def each(visitor = nil, &block)
      return body.each(&block) unless visitor || block

      body.each(visitor, &block)
      self
    end
    alias walk each

    # @return [Hash] the tree, recursively
    def to_h
      body.to_h
    end

    # @param strict [Symbol] how strictly questionable code is treated: `:off`, `:warning`, `:error`
    # @return [Array<Diagnostic>] the messages of the validator, in the order of the reference; without errors
    #   among them, also parameters with names of metaparameters and duplicate definitions. {#warnings}
    #   contains the messages of the lexer
    def validate(strict: :error)
      Diagnostic.of(path, native_validate(strict.to_s))
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{path || 'without a file'}, #{node_count} nodes>"
    end
  end
end

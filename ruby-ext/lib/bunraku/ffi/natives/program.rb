# frozen_string_literal: true

module Bunraku
  # The natives of {Program}: the library parses and validates, the tree is Ruby's.
  class Program
    include Natives::Handle

    # Kinds of texts.
    MANIFEST = 0
    TEMPLATE = 1
    TASKS = 2
    # The levels of strictness.
    STRICTNESS = %w[off warning error].freeze
    private_constant :MANIFEST, :TEMPLATE, :TASKS, :STRICTNESS

    class << self
      def native_parse(source, path, epp, tasks, recover)
        new(Library.make(:program, recover ? :program_parse_recovering : :program_parse, source, path.to_s, syntax(epp, tasks)), tasks)
      end

      def native_parse_flawless(source, path, epp, tasks)
        return if epp && tasks

        program = native_parse(source, path, epp, tasks, false)
        program unless program.warned?
      rescue ParseError
        nil
      end

      def native_from_binary(bytes, tasks)
        new(Library.make(:program, :program_read, bytes, syntax(false, tasks)), tasks)
      end

      def native_kinds
        BinaryProgram::KINDS
      end

      private

      def syntax(epp, tasks)
        return TASKS if tasks && !epp

        epp ? TEMPLATE : MANIFEST
      end
    end

    def initialize(handle, tasks)
      super(handle)
      @tasks = tasks
      @bytes = Library.bytes(:program_write, handle)
      @tree = BinaryProgram.new(@bytes)
      @nodes = {}
      @lock = Mutex.new
      freeze
    end

    # @return [BinaryProgram]
    # @api private
    attr_reader :tree

    def to_binary
      @bytes.dup
    end

    def tasks?
      @tasks
    end

    def source
      @tree.source
    end

    def path
      @tree.path
    end

    def node_count
      @tree.size
    end

    # @return [Boolean] whether the lexer has warned
    def warned?
      @tree.warned
    end

    def body
      node(@tree.body)
    end

    def definitions
      @tree.definitions.map { |id| node(id) }
    end

    def node(id)
      @lock.synchronize { @nodes[id] ||= Node.make(self, id, *row(id)) }
    end

    def native_outline
      definitions = @tree.definitions.map do |id|
        kind, offset, _, fields = row(id)
        line, column = @tree.position(offset)
        named = self.class.__send__(:native_kinds).fetch(kind).zip(fields).to_h
        _, *parameters = named['parameters']
        [kind, named['name'], line, column, parameters.map { |parameter| row(parameter).last.first }]
      end
      [definitions, @tree.texts('LiteralRegularExpression')]
    end

    def native_comments
      @tree.comments
    end

    def native_placed_comments
      placement = ::FFI::MemoryPointer.new(:uint32)
      @tree.comments.each_with_index.map do |(offset, length), index|
        node = Library.program_comment_node(handle, index, placement)
        [offset, length, *@tree.position(offset), node[:number], %i[leading trailing dangling].fetch(placement.read_uint32)]
      end
    end

    def native_line_offsets
      @tree.line_offsets.dup
    end

    def native_validate(strict)
      strictness = STRICTNESS.index(strict) || raise(ArgumentError, "strict is one of #{STRICTNESS.join(', ')}")
      diagnostics(Library.text(:program_validate, handle, strictness))
    end

    def native_edited(edits)
      Library.text(:program_edit, handle, edits)
    end

    def native_errors
      diagnostics(Library.text(:program_errors, handle))
    end

    def native_warnings
      diagnostics(Library.text(:program_warnings, handle))
    end

    def native_flawless?(manifest, modulepath)
      Library.truth(:program_is_flawless, handle, JSON.generate(manifest: manifest, modulepath: modulepath))
    end

    private

    def row(id)
      @tree.row(id) || raise(IndexError, 'there is no such node')
    end

    def diagnostics(json)
      JSON.parse(json)
    end
  end
end

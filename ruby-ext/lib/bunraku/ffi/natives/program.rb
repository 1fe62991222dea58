# frozen_string_literal: true

module Bunraku
  # The natives of {Program}: the library parses and validates, the tree is Ruby's.
  class Program
    include Natives::Handle

    # Kinds of texts.
    MANIFEST = 0
    TEMPLATE = 1
    TASKS = 2
    # How questionable code is treated.
    STRICTNESS = %w[off warning error].freeze
    # What is counted.
    UNITS = %w[byte character utf16].freeze
    private_constant :MANIFEST, :TEMPLATE, :TASKS, :STRICTNESS, :UNITS

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

    # @return [Boolean] whether the lexer warned of something
    def warned?
      @tree.warned
    end

    def native_body
      @tree.body
    end

    def native_definitions
      @tree.definitions
    end

    def native_node(id)
      kind, offset, length, fields = @tree.row(id) || raise(IndexError, 'there is no such node')
      [kind, offset, length, *@tree.position(offset), fields]
    end

    def native_outline
      definitions = native_definitions.map do |id|
        kind, _, _, line, column, fields = native_node(id)
        named = self.class.__send__(:native_kinds).fetch(kind).zip(fields).to_h
        _, *parameters = named['parameters']
        [kind, named['name'], line, column, parameters.map { |parameter| native_node(parameter).last.first }]
      end
      [definitions, @tree.texts('LiteralRegularExpression')]
    end

    def native_comments
      @tree.comments.map { |offset, length| [offset, length, @tree.position(offset).first] }
    end

    def native_line_offsets
      @tree.line_offsets.dup
    end

    def native_parent(id)
      above = Library.node_parent(node_of(id))
      above[:number] unless above[:program].null?
    end

    def native_place(id, whole, unit)
      span_of(id, whole, UNITS.index(unit) || raise(ArgumentError, "unit is one of #{UNITS.join(', ')}"))
    end

    def native_text(id, whole)
      offset, length, = span_of(id, whole, 0)
      source.byteslice(offset, length)
    end

    def native_documentation(id)
      Library.text(:node_documentation, node_of(id))
    end

    def native_notation(id, format)
      Library.text(:node_to_pn, node_of(id), format == 'pn' ? 'text' : format)
    end

    def native_data(id)
      JSON.parse(native_notation(id, 'json'), create_additions: false)
    end

    def native_validate(strict)
      strictness = STRICTNESS.index(strict) || raise(ArgumentError, "strict is one of #{STRICTNESS.join(', ')}")
      diagnostics(Library.text(:program_validate, handle, strictness))
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

    def node_of(id)
      Library::Node.new.tap do |node|
        node[:program] = handle
        node[:number] = id
      end
    end

    def span_of(id, whole, unit)
      span = Library::Span.new
      found = Library.public_send(whole ? :node_extent : :node_span, node_of(id), unit, span)
      found ? span.values : raise(IndexError, 'there is no such node')
    end

    def diagnostics(json)
      JSON.parse(json, symbolize_names: true).map { |one| one.merge(severity: one[:severity].to_sym) }
    end
  end
end

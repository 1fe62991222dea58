# frozen_string_literal: true

module Bunraku
  # The natives of {Node}, on the table of nodes that was transferred with the program.
  class Node
    # The units of offsets and columns.
    UNITS = %w[byte character utf16].freeze
    # The classes of kinds.
    CLASSES = {} # rubocop:disable Style/MutableConstant
    private_constant :UNITS, :CLASSES

    attr_reader :program, :id, :offset, :length

    class << self
      def make(program, id, kind, *row)
        CLASSES.fetch(kind).new(program, id, *row)
      end

      def native_register(kind, owner)
        CLASSES[kind] = owner
        owner.fields.each_with_index { |field, index| owner.define_method(field) { field(index) } }
      end
    end

    def native_handle
      own
    end

    def initialize(program, id, offset, length, fields)
      @program = program
      @id = id
      @offset = offset
      @length = length
      @fields = fields
      freeze
    end

    def line
      program.tree.position(offset).first
    end

    def column
      program.tree.position(offset).last
    end

    def attributes
      self.class.fields.to_h { |name| [name, public_send(name)] }
    end

    def children
      @fields.each_index.flat_map { |index| field(index) }.grep(Node)
    end

    def parent
      found(Library.node_parent(own))
    end

    def enclosing_definition
      found(Library.node_enclosing_definition(own))
    end

    def native_siblings
      [found(Library.node_previous_sibling(own)), found(Library.node_next_sibling(own))]
    end

    def documentation
      Library.text(:node_documentation, own)
    end

    def native_all
      all = []
      descend { |node| all << node && nil }
      all.freeze
    end

    def native_place(whole, unit)
      span_of(whole, UNITS.index(unit) || raise(ArgumentError, "unit is one of #{UNITS.join(', ')}"))
    end

    def native_text(whole)
      offset, length, = span_of(whole, 0)
      program.source.byteslice(offset, length)
    end

    def native_notation(format)
      Library.text(:node_to_pn, own, format == 'pn' ? 'text' : format)
    end

    def native_data
      JSON.parse(native_notation('json'), create_additions: false)
    end

    private

    # The content of a field; the numbers of nodes become nodes.
    def field(index)
      value = @fields[index]
      return value unless value.is_a?(Array)

      tag, *ids = value
      nodes = ids.map { |id| program.node(id) }.freeze
      tag == :node ? nodes.first : nodes
    end

    def found(node)
      program.node(node[:number]) unless node[:program].null?
    end

    def own
      Library::Node.new.tap do |node|
        node[:program] = program.handle
        node[:number] = id
      end
    end

    def span_of(whole, unit)
      span = Library::Span.new
      found = Library.public_send(whole ? :node_extent : :node_span, own, unit, span)
      found ? span.values : raise(IndexError, 'there is no such node')
    end
  end
end

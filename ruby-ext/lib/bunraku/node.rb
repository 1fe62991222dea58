# frozen_string_literal: true

module Bunraku
  # A node of a syntax tree. Made when it is looked at; the tree itself stays native.
  #
  # The classes below {Model} have the names and attributes of the reference's model: `LiteralString#value`,
  # `HostClassDefinition#parameters`. They match patterns:
  #
  # @example
  #   case node
  #   in Bunraku::Model::CallNamedFunctionExpression[functor_expr: { value: 'include' }, arguments:]
  #     arguments.each { |argument| puts argument.source_text }
  #   end
  class Node
    include Enumerable

    # @return [Program] the program that it belongs to
    attr_reader :program
    # @return [Integer] its number in the program
    attr_reader :id
    # @return [Integer] the offset of its first byte
    attr_reader :offset
    # @return [Integer] its length in bytes
    attr_reader :length
    # @return [Integer] its line, from 1
    attr_reader :line
    # @return [Integer] its column in characters, from 1
    attr_reader :column

    # @api private
    def initialize(program, id, offset, length, line, column, fields)
      @program = program
      @id = id
      @offset = offset
      @length = length
      @line = line
      @column = column
      @fields = fields
      freeze
    end

    # @return [String] such as `LiteralString`
    def kind
      self.class.name[/\w+\z/]
    end

    # @return [Hash{Symbol => Object}] the attributes; nodes are {Node}s
    def attributes
      self.class.fields.to_h { |name| [name, public_send(name)] }
    end

    # @return [Array<Node>] the nodes directly below
    def children
      attributes.values.flatten.grep(Node)
    end

    # @yieldparam node [Node] this node and all below it, in the order of the source
    # @return [self, Enumerator]
    def each(&block)
      return enum_for(:each) unless block

      waiting = [self]
      while (node = waiting.pop)
        yield node
        waiting.concat(node.children.reverse)
      end
      self
    end
    alias walk each

    # Calls `visitor.visit_LiteralString(node)` and its like for this node and all below it, as far as the visitor has such a
    # method.
    #
    # @param visitor [Object]
    # @return [void]
    def accept(visitor)
      each do |node|
        name = :"visit_#{node.kind}"
        visitor.public_send(name, node) if visitor.respond_to?(name)
      end
    end

    # @return [String] its text in the source
    def source_text
      program.source.byteslice(offset, length)
    end

    # @return [Array<String>] the lines of the comment directly above, without `#`
    def comment
      program.comment_above(line)
    end

    # @param _keys [Array<Symbol>, nil]
    # @return [Hash{Symbol => Object}]
    def deconstruct_keys(_keys)
      attributes.merge(offset: offset, length: length, line: line, column: column)
    end

    # @return [Hash] kind, place and attributes, all the way down
    def to_h
      # Not `lambda do`: calls have an attribute of that name.
      plain = ->(value) { value.is_a?(Node) ? value.to_h : (value.is_a?(Array) ? value.map(&plain) : value) }
      { kind: kind, offset: offset, length: length, line: line, column: column }.merge(attributes.transform_values(&plain))
    end

    # @return [Boolean] whether both are the same node of the same program
    def ==(other)
      other.is_a?(Node) && other.program.equal?(program) && other.id == id
    end
    alias eql? ==

    # @return [Integer]
    def hash
      [program.object_id, id].hash
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{line}:#{column} #{source_text[/\A.{0,40}/].inspect}>"
    end

    class << self
      # @return [Array<Symbol>] the names of the attributes
      attr_accessor :fields
    end

    # What a field holds, with nodes for numbers of nodes.
    # @api private
    def field(index)
      value = @fields[index]
      return value unless value.is_a?(Array)

      tag, *ids = value
      nodes = ids.map { |id| program.node(id) }
      tag == :node ? nodes.first : nodes
    end
  end

  # The classes of nodes, below those that the reference's model puts them under.
  module Model
    # What stands below what: the classes of the reference that have no nodes of their own, and those that have.
    PARENTS = {
      BinaryExpression: %i[AssignmentExpression ArithmeticExpression RelationshipExpression ComparisonExpression MatchExpression
                           InExpression AndExpression OrExpression NamedAccessExpression],
      UnaryExpression: %i[ParenthesizedExpression NotExpression UnaryMinusExpression UnfoldExpression TextExpression
                          VariableExpression RenderExpression],
      QueryExpression: %i[ExportedQuery VirtualQuery],
      AbstractAttributeOperation: %i[AttributeOperation AttributesOperation],
      Definition: %i[FunctionDefinition ResourceTypeDefinition TypeAlias TypeMapping TypeDefinition NodeDefinition
                     HostClassDefinition PlanDefinition],
      CallExpression: %i[CallFunctionExpression CallNamedFunctionExpression CallMethodExpression],
      Literal: %i[LiteralRegularExpression LiteralString LiteralInteger LiteralFloat LiteralUndef LiteralDefault LiteralBoolean
                  QualifiedName ReservedWord QualifiedReference RenderStringExpression],
      AbstractResource: %i[ResourceExpression ResourceDefaultsExpression ResourceOverrideExpression]
    }.freeze

    parents = {}
    PARENTS.each do |name, children|
      parent = const_set(name, Class.new(Node))
      children.each { |child| parents[child] = parent }
    end
    Program.native_kinds.each do |name, fields|
      kind = Class.new(parents.fetch(name.to_sym, Node))
      kind.fields = fields.map(&:to_sym)
      kind.fields.each_with_index { |field, index| kind.define_method(field) { field(index) } }
      const_set(name, kind)
    end

    class QualifiedReference
      # @return [String] the name in lower case
      def value
        cased_value.downcase
      end
    end

    class AbstractResource
      # @return [Boolean] whether the resource is virtual or exported
      def virtual
        form != 'regular'
      end

      # @return [Boolean] whether the resource is exported
      def exported
        form == 'exported'
      end
    end
  end
end

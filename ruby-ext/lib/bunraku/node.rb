# frozen_string_literal: true

module Bunraku
  # A node of a syntax tree. Its object is created on first access and kept as long as its program. So a node
  # has the same identity on every path (`node.parent.children.any? { |child| child.equal?(node) }`) and can
  # be the key of a hash. Nodes are frozen, and can be used in any thread and any Ractor.
  #
  # The classes below {Model} have the names and attributes of the reference's model: `LiteralString#value`,
  # `HostClassDefinition#parameters`. Their texts and lists are frozen. They support pattern matching:
  #
  # @example
  #   case node
  #   in Bunraku::Model::CallNamedFunctionExpression[functor_expr: { value: 'include' }, arguments:]
  #     arguments.each { |argument| puts argument.source_text }
  #   end
  class Node
    include Enumerable

    # @!method program
    #   @return [Program] its program
    # @!method id
    #   @return [Integer] its number in the program
    # @!method offset
    #   @return [Integer] the offset of its first byte
    # @!method length
    #   @return [Integer] its length in bytes
    # @!method line
    #   @return [Integer] its line, from 1
    # @!method column
    #   @return [Integer] its column in characters, from 1
    # @!method children
    #   @return [Array<Node>] the child nodes
    # @!method attributes
    #   @return [Hash{Symbol => Object}] the attributes; nodes are {Node}s
    # @!method parent
    #   @return [Node, nil] the parent node
    # @!method documentation
    #   @return [String, nil] the text of the comments directly above or, without these, of the one after the
    #     node on its last line; without comment marks

    # @return [self] nodes are immutable
    def dup
      self
    end
    alias clone dup

    # @api private
    def self._load(bytes)
      program, id = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
      program.node(id)
    end

    # @api private
    def _dump(_level)
      Marshal.dump([program, id])
    end

    # @return [String] such as `LiteralString`
    def kind
      self.class.name[/\w+\z/]
    end

    # @param visitor [Object, nil] a visitor, see {#accept}
    # @yieldparam node [Node] this node and its descendants, in the order of the source
    # @return [self, Enumerator]
    def each(visitor = nil, &block)
      if visitor
        accept(visitor)
        return self
      end
      return enum_for(:each) unless block

      native_all.each(&block)
      self
    end
    alias walk each

    # Calls `visitor.visit_LiteralString(node)` and its like for this node and its descendants. A node is
    # passed to the method of its kind, or else to that of its nearest superclass (`visit_LiteralValue`,
    # `visit_Expression` …) or to `visit`, if the visitor has such a method. If the method returns `:skip`,
    # the node's descendants are not visited.
    #
    # @param visitor [Object]
    # @return [void]
    def accept(visitor)
      descend do |node|
        name = node.class.visits.find { |visit| visitor.respond_to?(visit) }
        visitor.public_send(name, node) if name
      end
    end

    # @return [Array<Node>] the ancestors, innermost first
    def ancestors
      above = []
      node = self
      above << node while (node = node.parent)
      above
    end

    # @return [String, nil] the file name
    def file
      program.path
    end

    # @return [Integer] the column, under the name of the reference's model
    def pos
      column
    end

    # @param unit [Symbol] `:byte`, `:character` or `:utf16`
    # @return [Place] the place, as the reference has it. For some nodes it is a part only: for a parameter,
    #   its name
    def place(unit = :character)
      Place.new(*native_place(false, unit.to_s))
    end

    # @param unit [Symbol] `:byte`, `:character` or `:utf16`
    # @return [Place] the place with all descendants: for a parameter, from its type to the end of its default
    def extent(unit = :character)
      Place.new(*native_place(true, unit.to_s))
    end

    # @return [String] the source text with all descendants
    def extent_text
      native_text(true)
    end

    # @param pretty [Boolean] whether each element has its own line
    # @return [String] Puppet Extended S-Expression Notation
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_pn(pretty: false)
      native_notation(pretty ? 'pretty' : 'pn')
    end

    # @return [Object] the notation as arrays and hashes
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_data
      native_data
    end

    # @return [String] {#to_data} as JSON
    # @raise [ParseError] the notation cannot represent the name of a parameter
    def to_json(*)
      native_notation('json')
    end

    # @return [String] the source text
    def source_text
      native_text(false)
    end

    # @return [Array<String>] the lines of {#documentation}
    def comment
      documentation.to_s.lines(chomp: true)
    end

    # @param keys [Array<Symbol>, nil] the keys of the pattern; nil for all
    # @return [Hash{Symbol => Object}] those attributes, and `offset`, `length`, `line`, `column`
    def deconstruct_keys(keys)
      return attributes.merge(offset: offset, length: length, line: line, column: column) unless keys

      keys.each_with_object({}) { |key, found| found[key] = public_send(key) if self.class.key?(key) }
    end

    # @return [Hash] kind, place and attributes, recursively
    def to_h
      # Not `lambda do`: calls have an attribute of that name.
      plain = ->(value) { value.is_a?(Node) ? value.to_h : (value.is_a?(Array) ? value.map(&plain) : value) }
      { kind: kind, offset: offset, length: length, line: line, column: column }.merge(attributes.transform_values(&plain))
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{line}:#{column} #{source_text[/\A.{0,40}/].inspect}>"
    end

    class << self
      # @return [Array<Symbol>] the names of the attributes
      attr_reader :fields

      # @return [Boolean] whether a pattern can use the key
      # @api private
      def key?(name)
        fields.include?(name) || %i[offset length line column].include?(name)
      end

      # Makes this the class of a kind of nodes.
      # @api private
      def register(kind, fields)
        @fields = fields.map(&:to_sym).freeze
        visits
        native_register(kind, self)
      end

      # The methods of visitors that accept such a node, best first.
      # @api private
      def visits
        @visits ||= [*ancestors.take_while { |one| one < Node }.map { |one| :"visit_#{one.name[/\w+\z/]}" }, :visit].freeze
      end
    end

    private

    # Calls the block with this node and its descendants. If the block returns `:skip`, the node's descendants
    # are left out.
    def descend
      waiting = [self]
      while (node = waiting.pop)
        waiting.concat(node.children.reverse) unless yield(node) == :skip
      end
    end
  end

  # The classes of nodes, with the hierarchy of the reference's model.
  module Model
    # The superclass of each class.
    CLASSES = {
      PopsObject: %i[Positioned],
      Positioned: %i[Expression AbstractAttributeOperation KeyedEntry Parameter ResourceBody SelectorEntry],
      Expression: %i[AbstractResource AccessExpression ApplyExpression BinaryExpression BlockExpression CallExpression
                     CaseExpression CaseOption CollectExpression ConcatenatedString Definition EppExpression HeredocExpression
                     IfExpression LambdaExpression Literal LiteralHash LiteralList Nop QueryExpression SelectorExpression
                     UnaryExpression Error],
      AbstractAttributeOperation: %i[AttributeOperation AttributesOperation],
      AbstractResource: %i[ResourceExpression ResourceDefaultsExpression ResourceOverrideExpression],
      BinaryExpression: %i[ArithmeticExpression AssignmentExpression BooleanExpression ComparisonExpression InExpression
                           MatchExpression NamedAccessExpression RelationshipExpression],
      BooleanExpression: %i[AndExpression OrExpression],
      BlockExpression: %i[ApplyBlockExpression],
      CallExpression: %i[CallFunctionExpression CallNamedFunctionExpression CallMethodExpression],
      Definition: %i[NamedDefinition NodeDefinition QRefDefinition TypeMapping],
      NamedDefinition: %i[FunctionDefinition HostClassDefinition ResourceTypeDefinition],
      FunctionDefinition: %i[PlanDefinition],
      QRefDefinition: %i[TypeAlias TypeDefinition],
      IfExpression: %i[UnlessExpression],
      Literal: %i[LiteralDefault LiteralUndef LiteralValue],
      LiteralValue: %i[LiteralBoolean LiteralNumber LiteralRegularExpression LiteralString QualifiedName QualifiedReference
                       ReservedWord],
      LiteralNumber: %i[LiteralFloat LiteralInteger],
      LiteralString: %i[RenderStringExpression],
      QueryExpression: %i[ExportedQuery VirtualQuery],
      UnaryExpression: %i[NotExpression ParenthesizedExpression RenderExpression TextExpression UnaryMinusExpression
                          UnfoldExpression VariableExpression]
    }.freeze

    const_set(:PopsObject, Class.new(Node))
    # Superclasses precede their subclasses in the table.
    add = lambda do |name, parent|
      const_set(name, Class.new(parent))
      CLASSES.fetch(name, []).each { |child| add.call(child, const_get(name)) }
    end
    CLASSES[:PopsObject].each { |name| add.call(name, PopsObject) }

    Program.__send__(:native_kinds).each { |name, fields| const_get(name).register(name, fields) }

    # The kinds of nodes below each class, by the classes' names.
    KINDS = [Node, *constants(false).map { |name| const_get(name) }].grep(Class).to_h do |owner|
      below = Program.__send__(:native_kinds).keys.select { |kind| const_get(kind) <= owner }
      [owner.name[/\w+\z/].to_sym, below.map(&:to_sym).freeze]
    end.freeze

    class QualifiedReference
      # @return [String] the name in lower case
      def value
        cased_value.downcase
      end
    end

    class LiteralRegularExpression
      alias written pattern
      private :written

      # @return [Regexp] Ruby's regular expression
      def value
        Regexp.new(written)
      end

      # @return [String] the pattern between slashes, as Ruby shows it
      def pattern
        value.inspect
      end

      # @return [Hash{Symbol => Object}]
      def attributes
        { pattern: pattern }
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

# frozen_string_literal: true

require 'etc'

module Bunraku
  # A pattern of nodes, modelled on tree-sitter's query language. Immutable: any number of threads and Ractors
  # can use one.
  #
  # * `(Kind …)` matches a node of a kind, by the names of {Model}'s classes that nodes have. `(_)` and `_`
  #   match any node. `"text"` matches a node with this text: a name, a reference to a type (in any case), a
  #   literal, a variable's name. `[…]` matches one of several patterns.
  # * `field: …` matches the value of an attribute: a node, one of a list of nodes, or a text, number, `true`,
  #   `false`. `!field` matches if the attribute is empty. Patterns without a name match children, in their
  #   order; `.` between them requires that they are adjacent.
  # * `*`, `+` and `?` after a pattern match all nodes, at least one, or none. Without them each node is a
  #   separate match.
  # * `@name` captures a node. `(#eq? @a "text")`, `(#eq? @a @b)`, `(#match? @a "regex")`, `(#any-of? @a "x"
  #   "y")` and their `#not-` forms compare the text of captured nodes, or their source text if they have no
  #   text.
  # * `;` begins a comment. The patterns of a query are matched independently.
  #
  # @example The titles of all files
  #   pattern = '(ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title))'
  #   program.query(Bunraku::Query.new(pattern)) { |match| puts match[:title].source_text }
  class Query
    # @!method captures
    #   @return [Array<Symbol>] the names of its captures

    # A match of a query's pattern.
    #
    # @!attribute pattern [r] @return [Integer] the index of the pattern in the query, from 0
    # @!attribute node [r] @return [Node] the matching node
    # @!attribute captures [r] @return [Hash{Symbol => Array<Node>}] the captured nodes, by name
    Match = Struct.new(:pattern, :node, :captures) do
      # @param name [Symbol, String, Integer] the name of a capture
      # @return [Node, nil] the first node with this capture
      def [](name)
        captures.fetch(name.to_sym, []).first
      end
    end

    # @param text [String] the query
    # @return [Query]
    # @raise [Error] the query is invalid, or names unknown kinds, attributes or captures
    def self.new(text)
      native_new(text).freeze
    end

    # Converts a text to a query; a query is returned unchanged.
    #
    # @param query [Query, String]
    # @return [Query]
    def self.of(query)
      query.is_a?(Query) ? query : new(query)
    end

    # Makes a query that finds nodes by kinds and attributes.
    #
    # @param kinds [Array<Symbol>] names of classes below {Model}; none for any node
    # @param fields [Hash{Symbol => String, Symbol, Numeric, Boolean, nil}] the values of attributes; nil for
    #   an empty attribute
    # @return [Query]
    # @raise [ArgumentError] a kind does not exist, no kind has these attributes, or a value cannot be
    #   searched for
    def self.for(kinds, fields)
      wanted = kinds.empty? ? Model::KINDS.fetch(:Node) : kinds.flat_map { |kind| Model::KINDS[kind.to_sym] || unknown(kind) }
      wanted = wanted.uniq.select { |kind| (fields.keys - Model.const_get(kind).fields).empty? }
      raise ArgumentError, "no such node has the attributes #{fields.keys.join(', ')}" if wanted.empty?

      conditions = fields.map { |name, value| value.nil? ? "!#{name}" : "#{name}: #{written(value)}" }.join(' ')
      new("[#{wanted.map { |kind| "(#{kind} #{conditions})" }.join(' ')}]")
    end

    def self.written(value)
      case value
      when String, Symbol then "\"#{value.to_s.gsub(/["\\]/) { |special| "\\#{special}" }}\""
      when Numeric, true, false then value.to_s
      else raise ArgumentError, "#{value.class} is nothing that a node says"
      end
    end

    def self.unknown(kind)
      raise ArgumentError, "there is no kind #{kind} of nodes"
    end
    private_class_method :written, :unknown

    # Finds all matches.
    #
    # @param below [Program, Node] a program, or a node whose descendants are searched as well
    # @yieldparam match [Match] each match, in the order of the source
    # @return [Array<Match>] without a block
    # @return [nil] with a block
    # @raise [LimitError] the search takes more than 300 seconds of processor time
    def matches(below, &block)
      below = below.body if below.is_a?(Program)
      found = native_matches(below).map { |members| Match.new(*members).freeze }
      block ? found.each(&block) && nil : found
    end

    # Finds all matches in many programs, on several threads. Releases Ruby's global lock.
    #
    # @param programs [Enumerable<Program>]
    # @param threads [Integer, nil] the number of threads; by default the number of processors
    # @return [Array<Array<Match>>] the matches of each program, in their order
    # @raise (see #matches)
    def matches_of(programs, threads: nil)
      found = native_matches_of(programs.to_a.dup.freeze, threads || Etc.nprocessors)
      found.map { |all| all.map { |members| Match.new(*members).freeze } }
    end

    # The queries that programs and nodes support.
    module Asked
      # @param query [Query, String]
      # @yieldparam match [Query::Match] each match, in the order of the source
      # @return [Array<Query::Match>, nil] the matches, without a block
      # @raise [Error] the query is invalid
      def query(query, &block)
        Query.of(query).matches(self, &block)
      end

      # Returns nodes by kinds and attributes: `select(:ResourceExpression, type_name: 'file')`,
      # `select(:Definition)`. The search includes the node itself. Without arguments this is the method of
      # Enumerable.
      #
      # @param kinds [Array<Symbol>] names of classes below {Model}; none for any
      # @param fields [Hash{Symbol => Object}] the values of attributes: texts, numbers, true, false; nil for
      #   an empty attribute
      # @yieldparam node [Node] each node, in the order of the source
      # @return [Array<Node>] all nodes; with a block, those for which it returns true
      # @raise [ArgumentError] a kind does not exist, or no kind has these attributes
      def select(*kinds, **fields, &block)
        return each.select(&block) if kinds.empty? && fields.empty?

        found = Query.for(kinds, fields).matches(self).map(&:node)
        block ? found.select(&block) : found
      end
    end
  end

  class Program
    include Query::Asked
  end

  class Node
    include Query::Asked

    # @!method enclosing_definition
    #   @return [Node, nil] the innermost enclosing definition: of a class, a defined type, a function, a
    #     plan, a type or a node

    # @return [Node, nil] the previous sibling
    def previous_sibling
      native_siblings.first
    end

    # @return [Node, nil] the next sibling
    def next_sibling
      native_siblings.last
    end
  end
end

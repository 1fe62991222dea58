# frozen_string_literal: true

require 'etc'

module Bunraku
  # A pattern of nodes, after the model of tree-sitter's query language. Immutable: any number of threads and
  # Ractors may use one.
  #
  # * `(Kind …)` is a node of a kind, by the names of {Model}'s classes that nodes have; `(_)` and `_` are any
  #   node; `"text"` is a node that says a text: a name, a reference to a type (in any case), a literal, a
  #   variable's name. `[…]` is one of several.
  # * `field: …` holds for what an attribute has: a node, one of a list of nodes, or a text, number, `true`,
  #   `false`. `!field` holds where there is nothing in it. Patterns without a name before them hold for
  #   children, in their order; `.` between them says that nothing stands between.
  # * `*`, `+` and `?` behind a pattern take all that hold, at least one, or none. Without them each is a
  #   match of its own.
  # * `@name` captures a node. `(#eq? @a "text")`, `(#eq? @a @b)`, `(#match? @a "regex")`, `(#any-of? @a "x"
  #   "y")` and their `#not-` forms hold for what the nodes of a capture say, or for their source text where
  #   they say nothing.
  # * `;` begins a comment. Several patterns in one query are matched each for itself.
  #
  # @example The titles of all files
  #   query = Bunraku::Query.new('(ResourceExpression type_name: "file" bodies: (ResourceBody title: _
  #   @title))') program.query(query) { |match| puts match[:title].source_text }
  class Query
    # @!method captures
    #   @return [Array<Symbol>] the names of its captures

    # Where a pattern of a query holds.
    #
    # @!attribute pattern [r] @return [Integer] which pattern of the query, from 0
    # @!attribute node [r] @return [Node] the node that it holds for
    # @!attribute captures [r] @return [Hash{Symbol => Array<Node>}] what it captures, by name
    Match = Struct.new(:pattern, :node, :captures) do
      # @param name [Symbol, String, Integer] the name of a capture
      # @return [Node, nil] the first node that it captures
      def [](name)
        captures.fetch(name.to_sym, []).first
      end
    end

    # @param text [String] the query
    # @return [Query]
    # @raise [Error] it is none, or names kinds, attributes or captures that there are not
    def self.new(text)
      native_new(text).freeze
    end

    # The query that a text is; a query is itself.
    #
    # @param query [Query, String]
    # @return [Query]
    def self.of(query)
      query.is_a?(Query) ? query : new(query)
    end

    # The query that finds nodes by kinds and attributes.
    #
    # @param kinds [Array<Symbol>] names of classes below {Model}; none for any node
    # @param fields [Hash{Symbol => String, Symbol, Numeric, Boolean, nil}] what attributes say; nil for
    #   nothing
    # @return [Query]
    # @raise [ArgumentError] there is no such kind, none has such attributes, or a value cannot be looked for
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
    # @param below [Program, Node] where: in a program, or in a node and all below it
    # @yieldparam match [Match] each, in the order of the source
    # @return [Array<Match>] without a block
    # @return [nil] with a block
    # @raise [LimitError] it takes more than 300 seconds of the processor
    def matches(below, &block)
      below = below.body if below.is_a?(Program)
      found = native_matches(below).map { |members| Match.new(*members).freeze }
      block ? found.each(&block) && nil : found
    end

    # Finds all matches in many programs, on several threads, without Ruby's global lock.
    #
    # @param programs [Enumerable<Program>]
    # @param threads [Integer, nil] how many threads; as many as the machine has processors
    # @return [Array<Array<Match>>] the matches of each program, in their order
    # @raise (see #matches)
    def matches_of(programs, threads: nil)
      found = native_matches_of(programs.to_a.dup.freeze, threads || Etc.nprocessors)
      found.map { |all| all.map { |members| Match.new(*members).freeze } }
    end

    # What a program and its nodes can be asked.
    module Asked
      # @param query [Query, String]
      # @yieldparam match [Query::Match] each match, in the order of the source
      # @return [Array<Query::Match>, nil] the matches, without a block
      # @raise [Error] the query is none
      def query(query, &block)
        Query.of(query).matches(self, &block)
      end

      # Nodes by kinds and attributes: `select(:ResourceExpression, type_name: 'file')`,
      # `select(:Definition)`. A node takes part in it itself. Without arguments it is that of Enumerable.
      #
      # @param kinds [Array<Symbol>] names of classes below {Model}; none for any
      # @param fields [Hash{Symbol => Object}] what attributes say: texts, numbers, true, false; nil for
      #   nothing
      # @yieldparam node [Node] each, in the order of the source
      # @return [Array<Node>] all; with a block those for which it gives true
      # @raise [ArgumentError] there is no such kind, or none with such attributes
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
    #   @return [Node, nil] the innermost definition around it: of a class, a defined type, a function, a
    #     plan, a type or a node

    # @return [Node, nil] the node before it, below the same one
    def previous_sibling
      native_siblings.first
    end

    # @return [Node, nil] the node behind it, below the same one
    def next_sibling
      native_siblings.last
    end
  end
end

# frozen_string_literal: true

module Bunraku
  # Creates the objects of Puppet's own model of programs, in Ruby. The classes and the arguments of their
  # constructors are determined from the loaded Puppet (see {DropIn::Model}).
  #
  # @api private
  class ModelBuilder
    # Kinds of nodes whose texts Puppet does not freeze.
    CHANGEABLE = %w[RenderStringExpression].freeze

    # @param classes [Array<Array>] for each kind its name, its class, the names of the constructor's
    #   attributes, and whether the constructor only stores them
    # @param _hash [Integer] the initial hash of all objects; unused, because constructors compute it
    def initialize(classes, _hash)
      @classes = classes.to_h { |kind, one, names, _| [kind, [one, readers(kind, names)]] }
    end

    # @param program [Program]
    # @param locator [Puppet::Pops::Parser::Locator]
    # @return [(Object, Array)] the body of the program, and its definitions
    def build(program, locator)
      tree = program.tree
      objects = {}
      body = object(tree, tree.body, locator, objects)
      [body, tree.definitions.map { |id| objects[id] }]
    end

    private

    # How the arguments of a constructor are read from fields.
    def readers(kind, names)
      fields = BinaryProgram::KINDS.fetch(kind)
      names.map do |name|
        index = fields.index(name)
        case [kind, name]
        when %w[LiteralRegularExpression value] then ->(values) { Regexp.new(values[0]) }
        when %w[LiteralRegularExpression pattern] then ->(values) { Regexp.new(values[0]).inspect }
        when %w[Parameter captures_rest] then ->(values) { values[index] || nil }
        else index || raise(ArgumentError, "#{kind} has an attribute that is not known: #{name}")
        end
      end
    end

    def object(tree, id, locator, objects)
      kind, offset, length, fields = tree.row(id)
      kind_class, readers = @classes[kind] || raise(NotImplementedError, "there is no class for a #{kind}")
      values = readers.map do |reader|
        next reader.call(fields) if reader.is_a?(Proc)

        value(tree, fields[reader], locator, objects) { |text| frozen?(tree, kind, offset, length, text) }
      end
      objects[id] = kind_class.new(locator, offset, length, *values)
    end

    def value(tree, field, locator, objects)
      case field
      when Array
        tag, *ids = field
        made = ids.map { |id| object(tree, id, locator, objects) }
        tag == :node ? made.first : made
      when String then yield(field) ? field.dup.freeze : field.dup
      else field
      end
    end

    # Whether Puppet's lexer freezes a text, as it does with names and texts in single quotes.
    def frozen?(tree, kind, offset, length, text)
      return !CHANGEABLE.include?(kind) unless kind == 'LiteralString'

      tree.source.byteslice(offset, length).start_with?("'") && length >= text.bytesize + 2
    end
  end
end

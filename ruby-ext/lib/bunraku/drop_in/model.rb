# frozen_string_literal: true

module Bunraku
  module DropIn
    # Creates the objects of `Puppet::Pops::Model` natively.
    #
    # @api private
    module Model
      # The first arguments of all constructors of positioned objects.
      PLACE = %i[locator offset length].freeze

      class << self
        # @param program [Bunraku::Program]
        # @param locator [Puppet::Pops::Parser::Locator]
        # @return [(Object, Array)] the body of the program, and its definitions
        def build(program, locator)
          (@builder ||= builder).build(program, locator)
        end

        private

        def builder
          ModelBuilder.new(Program.__send__(:native_kinds).keys.map { |kind| description(kind) }.compact, ::Puppet::Pops::Model::PopsObject.new.hash)
        end

        # The description of a class for the builder: how to create its objects, and whether the constructor
        # does nothing else.
        def description(kind)
          return unless ::Puppet::Pops::Model.const_defined?(kind, false)

          kind_class = ::Puppet::Pops::Model.const_get(kind, false)
          place, names = kind_class.instance_method(:initialize).parameters.map(&:last).partition { |name| PLACE.include?(name) }
          [kind, kind_class, names.map(&:to_s), keeper?(kind_class, names)] if place == PLACE
        end

        # Whether a constructor only stores its arguments and combines their hashes into its own.
        def keeper?(kind_class, names)
          values = names.each_with_index.map { |name, index| "#{name}#{index}" }
          object = kind_class.new(:locator, 1, 2, *values)
          expected = { :@hash => values.map(&:hash).reduce(::Puppet::Pops::Model::PopsObject.new.hash, :^), :@locator => :locator, :@offset => 1,
                       :@length => 2 }.merge(names.zip(values).to_h { |name, value| [:"@#{name}", value] })
          object.instance_variables.to_h { |name| [name, object.instance_variable_get(name)] } == expected
        end
      end
    end
  end
end

# frozen_string_literal: true

module Bunraku
  module DropIn
    # Objects of `Puppet::Pops::Model`, made natively.
    #
    # @api private
    module Model
      # The arguments that all constructors of positioned objects begin with.
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

        # What the builder has to know of a class: how its objects are made, and whether that is all that its
        # constructor does.
        def description(kind)
          return unless ::Puppet::Pops::Model.const_defined?(kind, false)

          kind_class = ::Puppet::Pops::Model.const_get(kind, false)
          place, names = kind_class.instance_method(:initialize).parameters.map(&:last).partition { |name| PLACE.include?(name) }
          [kind, kind_class, names.map(&:to_s), keeper?(kind_class, names)] if place == PLACE
        end

        # Whether a constructor does no more than to keep its arguments and to mix their hashes into its own.
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

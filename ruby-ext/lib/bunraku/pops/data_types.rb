# frozen_string_literal: true

module Puppet
  # Types whose instances are objects of Ruby.
  module DataTypes
    # Defines an Object type and the class that implements it. Its name is known to {Pops::Types::TypeParser}
    # and to what reads data and streams from then on.
    #
    # @example
    #   Puppet::DataTypes.create_type('Point') do
    #     interface 'attributes => { x => Integer, y => Integer, far => { type => Boolean, kind => derived }
    #     }' implementation do
    #       def far
    #         x.abs > 100 || y.abs > 100
    #       end
    #     end
    #   end
    #
    # @param name [String] such as `Mymodule::Point`
    # @yield in the receiver {Definition}
    # @return [Pops::Types::PObjectType]
    # @raise [ArgumentError] the definition is not complete
    def self.create_type(name, &block)
      definition = Definition.new(name, &block)
      type = definition.type
      Bunraku::Pops.register(type, definition.owner(type))
      type
    end

    # The receiver of the block of {DataTypes.create_type}.
    class Definition
      def initialize(name, &block)
        raise ArgumentError, 'a Data Type definition has a block' unless block

        @name = Pops::Types::TypeFormatter.singleton.capitalize_segments(name.to_s)
        instance_eval(&block)
      end

      # @param text [String] the content of the hash that defines an Object type
      def interface(text)
        raise ArgumentError, "Data Type '#{@name}' has two interfaces" if @interface

        @interface = text
      end

      # The methods of instances, besides those for the attributes.
      def implementation(&block)
        raise ArgumentError, "Data Type '#{@name}' has two implementations" if @implementation || @class

        @implementation = block
      end

      # @param owner [Class] the class of instances: `new` takes the attributes in order
      def implementation_class(owner)
        raise ArgumentError, "Data Type '#{@name}' has two implementations" if @implementation || @class
        raise ArgumentError, 'the implementation_class is a Class' unless owner.is_a?(Class)

        @class = owner
      end

      # @param name [String] a file to require
      def load_file(name)
        require(name)
      end

      # @return [Pops::Types::PObjectType]
      # @api private
      def type
        raise ArgumentError, "Data Type '#{@name}' has no interface" unless @interface

        Pops::Types::PObjectType.new(@name, "{#{@interface}}").resolve(nil)
      end

      # @return [Class] the class of instances
      # @api private
      def owner(type)
        owner = @class || generated(type)
        owner.include(Pops::Types::PuppetObject) unless owner.include?(Pops::Types::PuppetObject)
        owner.define_singleton_method(:_pcore_type) { type }
        owner
      end

      private

      def generated(type)
        given = type.attributes(true).reject { |_, one| %w[derived constant].include?(one.kind) }
        owner = Class.new(Implementation)
        owner.const_set(:ATTRIBUTES, given)
        owner.attr_reader(*given.keys)
        constants = type.attributes(true).select { |_, one| one.constant? }
        constants.each { |name, one| owner.define_method(name) { one.value } }
        owner.class_eval(&@implementation) if @implementation
        owner
      end
    end

    # What classes inherit that are made of `implementation`. Instances are equal if their attributes are.
    class Implementation
      include Pops::Types::PuppetObject

      # @param given [Array<Object>] the attributes in order, or one hash of all
      # @raise [ArgumentError] an attribute is missing
      # @raise [Pops::Types::TypeAssertionError] an attribute is of another type
      def initialize(*given)
        all = self.class::ATTRIBUTES
        named = given.size == 1 && given[0].is_a?(Hash) && all.size != 1 ? given[0] : all.keys.zip(given).first(given.size).to_h
        raise ArgumentError, "wrong number of arguments (given #{given.size}, expected #{all.size})" if given.size > all.size

        all.each { |name, attribute| instance_variable_set("@#{name}", value_of(attribute, named)) }
      end

      # @return [Boolean]
      def ==(other)
        other.class == self.class && self.class::ATTRIBUTES.keys.all? { |name| public_send(name) == other.public_send(name) }
      end
      alias eql? ==

      # @return [Integer]
      def hash
        self.class::ATTRIBUTES.keys.map { |name| public_send(name) }.hash
      end

      private

      def value_of(attribute, given)
        unless given.key?(attribute.name)
          raise ArgumentError, "#{attribute.label} is missing" unless attribute.value?

          return attribute.value
        end
        Pops::Types::TypeAsserter.assert_instance_of(attribute.label, attribute.type, given[attribute.name])
      end
    end
  end
end

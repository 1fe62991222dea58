# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # An attribute of an Object type.
      class PAttribute
        # @return [String]
        attr_reader :name
        # @return [PAnyType]
        attr_reader :type
        # @return [String, nil] `constant`, `derived`, `given_or_derived`, `reference`
        attr_reader :kind
        # @return [PObjectType] the type that declares it
        attr_reader :container

        # @api private
        def initialize(name, container, type, kind, value)
          @name = name
          @container = container
          @type = type
          @kind = kind
          @value = value
        end

        # @return [Boolean]
        def value?
          !@value.empty?
        end

        # @return [Object] the default
        def value
          raise Puppet::Error, "attribute #{label} has no value" if @value.empty?

          @value.first
        end

        # @return [Boolean] whether it has the default
        def default_value?(object)
          value? && @value.first == object
        end

        # @return [String]
        def label
          "#{container.label}[#{name}]"
        end
      end

      # `Object[definition]`
      class PObjectType < PAnyType
        # @return [Object, nil] the class that was declared to implement it
        attr_accessor :implementation_class

        # @overload initialize(definition)
        #   @param definition [Hash{String => Object}]
        # @overload initialize(name, expression)
        #   @param name [String]
        #   @param expression [Object] its definition in the language
        def initialize(definition = {}, expression = nil)
          return define(definition, expression) if definition.is_a?(String)

          self.native = make([definition])
        end

        # @return [String] the name; that of the kind for an anonymous type
        def name
          @native.name || ''
        end

        # @return [String]
        def label
          name.empty? ? '<anonymous object type>' : name
        end

        # @return [String]
        def simple_name
          label.split('::').last
        end

        # @return [PObjectType, nil]
        def parent
          _pcore_init_hash['parent']
        end

        # @return [Hash{String => PAttribute}] own and inherited attributes
        def attributes(_include_parent = true) # rubocop:disable Style/OptionalBooleanParameter
          @attributes ||= Bunraku::Pops.call { @native.__send__(:native_members, Bunraku::Pops) }.to_h do |name, (_, type, kind, value)|
            kind = kind.gsub(/(?<=[a-z])(?=[A-Z])/, '_').downcase
            [name, PAttribute.new(name, self, type, (kind unless kind == 'normal'), value)]
          end
        end

        # @return [PAttribute, nil]
        def [](name)
          attributes[name]
        end

        # @return [Hash{String => Object}] the definition
        def _pcore_init_hash
          native_attributes['_pcore_init_hash'] || {}
        end

        # @return [PObjectType] itself, with the names in its definition resolved
        def resolve(loader)
          return self if @native

          text = TypeParser.text_of(@expression)
          of = Bunraku::Pops.call { Bunraku::Type.__send__(:native_define, @name, text, Bunraku::Pops::Loader.of(loader)) }
          self.native = of
          self
        end

        # @return [Object]
        def create(*arguments)
          implementation_class ? implementation_class.new(*arguments) : super
        end

        # @return [Object] an instance of a hash of attributes
        def from_hash(hash)
          create(hash)
        end

        private

        def define(name, expression)
          @name = name
          @expression = expression
        end
      end

      # An Object type with its parameters.
      class PObjectTypeExtension < PAnyType
        attributes :base_type, :init_parameters

        # @param base_type [PObjectType]
        # @param init_parameters [Array<Object>]
        def self.create(base_type, init_parameters)
          new(base_type, init_parameters)
        end

        # @return [String]
        def self.simple_name
          'ObjectTypeExtension'
        end

        # @return [String]
        def name
          base_type.name
        end

        # @return [Object]
        def create(*arguments)
          base_type.create(*arguments)
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # A member of an Object type.
      class PAnnotatedMember
        # @return [String]
        attr_reader :name
        # @return [PAnyType]
        attr_reader :type
        # @return [PObjectType] the type that declares it
        attr_reader :container

        # @api private
        def initialize(name, container, type, kind, value, final, override) # rubocop:disable Metrics/ParameterLists
          @name = name
          @container = container
          @type = type
          @kind = kind
          @value = value
          @final = final
          @override = override
        end

        # @return [Boolean] whether no type that inherits it can override it
        def final?
          @final
        end

        # @return [Boolean] whether it overrides one of the parent
        def override?
          @override
        end

        # @return [String]
        def label
          "#{self.class.feature_type} #{container.label}[#{name}]"
        end
      end

      # A function of an Object type.
      class PFunction < PAnnotatedMember
        # @return [String]
        def self.feature_type
          'function'
        end
      end

      # An attribute of an Object type.
      class PAttribute < PAnnotatedMember
        # @return [String]
        def self.feature_type
          'attribute'
        end

        # @return [String, nil] `constant`, `derived`, `given_or_derived`, `reference`
        def kind
          { 'Constant' => 'constant', 'Derived' => 'derived', 'GivenOrDerived' => 'given_or_derived', 'Reference' => 'reference' }[@kind]
        end

        # @return [Boolean]
        def constant?
          kind == 'constant'
        end

        # @return [Boolean] whether it has a default
        def value?
          !@value.empty?
        end

        # @return [Object] the default
        # @raise [Puppet::Error] there is none
        def value
          raise Puppet::Error, "#{label} has no value" unless value?

          @value.first
        end

        # @return [Boolean] whether an object is the default
        def default_value?(object)
          value? && @value.first == object
        end
      end
    end
  end
end

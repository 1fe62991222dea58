# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # A member of a Struct.
      class PStructElement < TypedModelObject
        include Comparable

        # @return [PAnyType]
        attr_reader :key_type, :value_type

        # @param key_type [PAnyType]
        # @param value_type [PAnyType]
        def initialize(key_type, value_type)
          @key_type = key_type
          @value_type = value_type
        end

        # @return [String]
        def name
          type = key_type
          type = type.type while type.is_a?(PTypeWithContainedType)
          type.is_a?(PEnumType) ? type.values.first : type.value
        end

        # @return [PStructElement] with a type without bounds and values
        def generalize
          PStructElement.new(key_type, value_type.generalize)
        end

        # @return [PStructElement] with a type in its simplest form
        def normalize(_guard = nil)
          PStructElement.new(key_type.normalize, value_type.normalize)
        end

        # @return [PStructElement] with another type
        def replace_value_type(type)
          PStructElement.new(key_type, type)
        end

        # @return [Integer]
        def <=>(other)
          name <=> other.name
        end

        # @return [Boolean]
        def ==(other)
          other.is_a?(PStructElement) && key_type == other.key_type && value_type == other.value_type
        end
        alias eql? ==

        # @return [Integer]
        def hash
          [key_type, value_type].hash
        end

        # @return [String]
        def to_s
          "#{key_type} => #{value_type}"
        end
      end

      # `Struct[{name => type}]`
      class PStructType < PAnyType
        include Enumerable

        # @return [Array<PStructElement>]
        def elements
          @elements ||= native_attributes['elements']
        end

        # Calls the block with each member.
        def each(&block)
          elements.each(&block)
        end

        # @return [Hash{String => PStructElement}]
        def hashed_elements
          @hashed_elements ||= elements.to_h { |element| [element.name, element] }
        end

        private

        def make(given)
          members = given.fetch(0, []).sort_by(&:name).to_h { |member| [member.key_type, member.value_type] }
          members.empty? ? Bunraku::Type.parse('Struct') : TypeFactory.keyed('Struct', [members]).native
        end

        @attributes = [:elements]
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Relations between types, and between types and values.
      class TypeCalculator
        class << self
          # @return [TypeCalculator]
          def singleton
            @singleton ||= new
          end

          %i[assignable? callable? infer generalize infer_set instance? iterable].each do |name|
            define_method(name) { |*arguments| singleton.public_send(name, *arguments) }
          end

          # @return [Boolean] whether all instances of a type are lambdas
          def is_kind_of_callable?(type, optional = true) # rubocop:disable Naming/PredicateName, Style/OptionalBooleanParameter
            type.is_a?(PAnyType) && type.kind_of_callable?(optional)
          end
        end

        # @param type [PAnyType, Class]
        # @param other [PAnyType, Class]
        # @return [Boolean] whether every instance of the other type is one of this type
        def assignable?(type, other)
          TypeFactory.type_of(type).assignable?(TypeFactory.type_of(other))
        end

        # @return [Enumerator, nil] all instances of an Enum or of an Integer type with two bounds
        def iterable(type)
          type = TypeFactory.type_of(type).resolved_type
          type.each if type.is_a?(PEnumType) || (type.is_a?(PIntegerType) && type.finite_range?)
        end

        # @param callable [PAnyType]
        # @param arguments [PAnyType] their types
        # @return [Boolean]
        def callable?(callable, arguments)
          callable.callable?(arguments)
        end

        # @return [Boolean] whether each is assignable to the other
        def equals(type, other)
          type.is_a?(PAnyType) && other.is_a?(PAnyType) ? type.assignable?(other) && other.assignable?(type) : type == other
        end

        # @param object [Class, Object]
        # @return [PAnyType] the type of a class of Ruby
        def type(object)
          raise ArgumentError, 'The type must be a class or module' unless object.is_a?(Module)

          TypeFactory.type_of(object)
        end

        # @return [PAnyType] without bounds and values
        def generalize(type)
          type.is_a?(PAnyType) ? type.generalize : type
        end

        # @return [PAnyType] the type of an object; an Array has one type of elements
        def infer(object)
          inferred(object, 'reduced')
        end

        # @return [PAnyType] the type of an object without bounds and values
        def infer_generic(object)
          inferred(object, 'generalized')
        end

        # @return [PAnyType] the exact type of an object: an Array is a Tuple, a Hash with names a Struct
        def infer_set(object)
          inferred(object, 'detailed')
        end

        # @return [Boolean]
        def instance?(type, object)
          TypeFactory.type_of(type).instance?(object)
        end

        # @return [Boolean]
        def is_ptype?(object) # rubocop:disable Naming/PredicateName
          object.is_a?(PAnyType)
        end

        # @return [Boolean]
        def is_pnil?(object) # rubocop:disable Naming/PredicateName
          object.nil? || object.is_a?(PUndefType)
        end

        # @return [PAnyType] the most specific type that both can be assigned to
        def common_type(type, other)
          raise ArgumentError, 'two types expected' unless is_ptype?(type) && is_ptype?(other)

          Bunraku::Pops.type(Bunraku::Type.common(type.native, other.native))
        end

        # @return [PAnyType] the most specific type that all can be assigned to
        def reduce_type(types)
          types.reduce { |one, other| common_type(one, other) }
        end

        # @return [PAnyType] of objects
        def infer_and_reduce_type(objects)
          reduce_type(objects.map { |object| infer(object) })
        end

        # @return [String]
        def string(type)
          TypeFormatter.singleton.string(type)
        end

        # @return [String]
        def debug_string(type)
          TypeFormatter.singleton.debug_string(type)
        end

        private

        def inferred(object, method)
          Bunraku::Pops.type(Bunraku::Type.infer(Bunraku::Pops.value(object), method))
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Collection[size]`
      class PCollectionType < PAnyType
        # The size of any collection.
        DEFAULT_SIZE_RANGE = [0, Float::INFINITY].freeze

        attributes :size_type

        # @return [Array<Numeric>] the least and greatest number of elements
        def size_range
          size_type ? size_type.range : [0, Float::INFINITY]
        end

        # @return [Boolean] whether all instances are empty
        def has_empty_range? # rubocop:disable Naming/PredicateName
          size_range == [0, 0]
        end
      end

      # `Array[element, size]`
      class PArrayType < PCollectionType
        attributes :element_type, :size_type

        # See {PAnyType#callable_args?}.
        def callable_args?(callable, _guard = nil)
          parameters = callable.param_types
          parameters.nil? || (parameters.assignable?(self) && (callable.block_type.nil? || callable.block_type.assignable?(PUndefType::DEFAULT)))
        end
      end

      # `Hash[key, value, size]`
      class PHashType < PCollectionType
        attributes :key_type, :value_type, :size_type

        # @return [PAnyType]
        def element_type
          value_type
        end

        # @return [Boolean]
        def is_the_empty_hash? # rubocop:disable Naming/PredicateName
          self == EMPTY
        end
      end

      # `Tuple[types, size]`
      class PTupleType < PAnyType
        include Enumerable

        attributes :types, :size_type

        # Calls the block with each type.
        def each(&block)
          types.each(&block)
        end

        # @return [Array<Numeric>] the least and greatest number of elements
        def size_range
          return size_type.range if size_type

          types.empty? ? [0, Float::INFINITY] : [types.size, types.size]
        end

        # @return [Array<Numeric>] how often the last type occurs
        def repeat_last_range
          least, most = size_range
          [[0, least - types.size + 1].max, most - types.size + 1]
        end

        # See {PAnyType#callable_args?}.
        def callable_args?(callable, _guard)
          return true if callable.param_types.nil?

          *first, last = types
          block = last if last&.kind_of_callable?(true)
          arguments = block ? PTupleType.new(first) : self
          callable.param_types.assignable?(arguments) && takes_block?(callable.block_type, block)
        end

        private

        def takes_block?(expected, block)
          return block.nil? unless expected

          expected.assignable?(block || PUndefType::DEFAULT)
        end
      end
    end
  end
end

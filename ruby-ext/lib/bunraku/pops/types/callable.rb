# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Callable[[types, size, block], result]`
      class PCallableType < PAnyType
        attributes :param_types, :block_type

        # @return [PAnyType, nil]
        def return_type
          found = native_attributes['return_type']
          found unless found == PAnyType::DEFAULT
        end

        # @return [Array<Numeric>, nil] the least and greatest number of arguments
        def size_range
          param_types&.size_range
        end

        # @return [Array<Numeric>, nil] how often the last parameter occurs
        def last_range
          param_types&.repeat_last_range
        end

        # @return [Array<Integer>] the least and greatest number of blocks
        def block_range
          return [0, 0] unless block_type

          block_type.is_a?(POptionalType) ? [0, 1] : [1, 1]
        end

        # See {PAnyType#callable_args?}: a block as the only argument.
        def callable_args?(required, _guard)
          required.callable_with?([]) || required.assignable?(self)
        end

        private

        def make(given)
          parameters, block, result = given
          super([parameters, block, (result unless result == PAnyType::DEFAULT)])
        end

        @attributes = %i[param_types block_type return_type]
      end
    end
  end
end

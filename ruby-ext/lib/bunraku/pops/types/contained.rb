# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # A type with another one in brackets.
      class PTypeWithContainedType < PAnyType
        attributes :type
      end

      # `Type[of]`
      class PTypeType < PTypeWithContainedType; end

      # `NotUndef[of]`
      class PNotUndefType < PTypeWithContainedType
        private

        def make(given)
          super(given.reject { |type| type.instance_of?(PAnyType) })
        end
      end

      # `Optional[of]`
      class POptionalType < PTypeWithContainedType
        # @return [PAnyType, nil]
        def optional_type
          type
        end
      end

      # `Iterable[of]`
      class PIterableType < PTypeWithContainedType
        # @return [PAnyType, nil]
        def element_type
          type
        end
      end

      # `Iterator[of]`
      class PIteratorType < PTypeWithContainedType
        # @return [PAnyType, nil]
        def element_type
          type
        end
      end
    end
  end
end

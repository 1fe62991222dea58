# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Variant[types]`
      class PVariantType < PAnyType
        include Enumerable

        attributes :types

        # @param types [Array<PAnyType>]
        # @return [PAnyType] the only one of the types, or a Variant of all
        def self.maybe_create(types)
          types = types.uniq
          types.size == 1 ? types.first : new(types)
        end

        # Calls the block with each type.
        def each(&block)
          types.each(&block)
        end
      end
    end
  end
end

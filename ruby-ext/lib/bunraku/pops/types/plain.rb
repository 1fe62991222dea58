# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Undef`
      class PUndefType < PAnyType
        # See {PAnyType#callable_args?}.
        def callable_args?(callable, _guard)
          callable.callable_with?([])
        end
      end

      # The type that any type can be assigned to and from. The language has no name for it.
      class PUnitType < PAnyType; end

      # `Default`
      class PDefaultType < PAnyType; end

      # `Scalar`
      class PScalarType < PAnyType
        # See {PAnyType#roundtrip_with_string?}.
        def roundtrip_with_string?
          instance_of?(PStringType) || is_a?(PSemVerType) || is_a?(PTimespanType) || is_a?(PTimestampType)
        end
      end

      # `ScalarData`
      class PScalarDataType < PScalarType; end

      # `SemVerRange`
      class PSemVerRangeType < PAnyType
        # @param range [String, SemanticPuppet::VersionRange, nil]
        # @return [SemanticPuppet::VersionRange, nil] the range that a text means
        # @raise [ArgumentError] the text is not a range
        def self.convert(range)
          range.is_a?(String) ? SemanticPuppet::VersionRange.parse(range) : range
        end
      end
    end
  end
end

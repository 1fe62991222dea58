# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Says why a type does not match another.
      class TypeMismatchDescriber
        class << self
          # @return [TypeMismatchDescriber]
          def singleton
            @singleton ||= new
          end

          # See the method of instances.
          def describe_mismatch(name, expected, actual, **)
            singleton.describe_mismatch(name, expected, actual)
          end
        end

        # @param name [String] the beginning of the text
        # @param expected [PAnyType]
        # @param actual [PAnyType] a type that cannot be assigned to it
        # @return [String]
        def describe_mismatch(name, expected, actual, **)
          Bunraku::Pops.native(expected).describe_mismatch(name.to_s, Bunraku::Pops.native(actual))
        end
      end
    end
  end
end

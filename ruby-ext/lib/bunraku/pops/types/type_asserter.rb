# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Checks values and types. A subject is the beginning of the message: a text, or a list of a format and
      # what it is formatted with; a block makes it of what is given.
      module TypeAsserter
        class << self
          # @return [PAnyType] the type
          # @raise [TypeAssertionError] the type cannot be assigned
          def assert_assignable(subject, expected, type, &block)
            return type if expected.assignable?(type)

            refuse("#{text(subject, &block)} is incorrect,", expected, type)
          end

          # @param nil_ok [Boolean] whether nil is fine, too
          # @return [Object] the value
          # @raise [TypeAssertionError] the value is not an instance
          def assert_instance_of(subject, expected, value, nil_ok = false, &block) # rubocop:disable Style/OptionalBooleanParameter
            return value if (value.nil? && nil_ok) || expected.instance?(value)

            refuse("#{text(subject, &block)} has wrong type,", expected, TypeCalculator.singleton.infer_set(value))
          end

          private

          def text(subject)
            subject = yield(subject) if block_given?
            subject.is_a?(Array) ? format(*subject) : subject
          end

          def refuse(beginning, expected, actual)
            message = TypeMismatchDescriber.singleton.describe_mismatch(beginning, expected, actual)
            raise TypeAssertionError.new(message, expected, actual)
          end
        end
      end
    end
  end
end

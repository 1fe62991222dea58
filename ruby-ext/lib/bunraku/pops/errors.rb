# frozen_string_literal: true

# The exceptions of these classes.
module Puppet
  # The superclass of Puppet's exceptions.
  class Error < RuntimeError
    # @return [Exception, nil]
    attr_accessor :original

    # @param message [String]
    # @param original [Exception, nil] what was raised first
    def initialize(message, original = nil)
      super(message)
      @original = original
    end
  end

  # A text is not a type.
  class ParseError < Error; end

  # A defect of the caller.
  class DevError < Error; end

  module Pops
    # An empty list.
    EMPTY_ARRAY = [].freeze
    # An empty map.
    EMPTY_HASH = {}.freeze
    # An empty text.
    EMPTY_STRING = ''
    # The smallest and largest Integer.
    MIN_INTEGER = -0x8000000000000000
    MAX_INTEGER = 0x7FFFFFFFFFFFFFFF

    module Types
      # A value is not an instance of a type, or a type cannot be assigned to another.
      class TypeAssertionError < Puppet::Error
        # @return [PAnyType, nil]
        attr_reader :expected_type, :actual_type

        # @param message [String]
        # @param expected_type [PAnyType, nil]
        # @param actual_type [PAnyType, nil]
        def initialize(message, expected_type = nil, actual_type = nil)
          super(message)
          @expected_type = expected_type
          @actual_type = actual_type
        end
      end
    end

    module Serialization
      # A value cannot be written, or a stream cannot be read.
      class SerializationError < Puppet::Error; end
    end
  end
end

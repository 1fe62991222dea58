# frozen_string_literal: true

module Bunraku
  # Converts values to data and to streams, and back. Ruby objects are interpreted as {Type} describes. Any
  # number of threads can call these functions at the same time.
  #
  # @!method self.to_msgpack(data)
  #   @param data [Object] data, such as the result of {.to_data}
  #   @return [String] MessagePack
  # @!method self.from_msgpack(bytes)
  #   @param bytes [String]
  #   @return [Object] the data
  #   @raise [Error] the bytes are damaged
  # @!method self.stringify(object)
  #   @param object [Object]
  #   @return [Object] data in which values without a form in JSON are Strings, as PuppetDB receives it
  module Pcore
    # Converts a value to data: nil, true, false, numbers, Strings, Arrays, and Hashes with Strings as keys.
    # The data can share Strings with the object.
    #
    # @param object [Object]
    # @param rich_data [Boolean] whether values without a form in JSON become Hashes with `__ptype`; otherwise
    #   they become Strings
    # @param local_reference [Boolean] whether a repeated value becomes a path to its first occurrence
    # @param type_by_reference [Boolean] whether the types of objects are named; otherwise they are written
    #   out
    # @param symbol_as_string [Boolean] whether Symbols become Strings
    # @param message_prefix [String] the beginning of messages about losses
    # @yieldparam loss [String] each loss, such as a Regexp that became a String; without a block a loss is an
    #   error
    # @return [Object]
    # @raise [Error] a part of the value has no form as data
    def self.to_data(object, rich_data: true, local_reference: true, type_by_reference: true, symbol_as_string: false,
                     message_prefix: '', &block)
      flags = [rich_data, local_reference, type_by_reference, symbol_as_string]
      data, losses = native_to_data(object, flags, message_prefix.to_s, !block.nil?)
      losses.each(&block) if block
      data
    end

    # Converts data to a value. The value can share Strings with the data.
    #
    # @param data [Object] the result of {.to_data}
    # @param environment [Environment, nil] resolves the names of modules' types
    # @param allow_unresolved [Boolean] whether data of unknown types stays a Hash; otherwise it is an error
    # @return [Object]
    # @raise [Error] the data is damaged or names unknown types
    def self.from_data(data, environment: nil, allow_unresolved: false)
      native_from_data(data, environment, allow_unresolved)
    end

    # Converts a value to a stream that contains each object once.
    #
    # @param object [Object]
    # @param format [Symbol] `:json` or `:msgpack`
    # @param type_by_reference [Boolean] whether the types of objects are named; otherwise they are written
    #   out
    # @param tabulate [Boolean] whether repeated texts are written as a number
    # @return [String]
    # @raise [Error] a part of the value cannot be written
    def self.dump(object, format: :json, type_by_reference: true, tabulate: true)
      native_dump(object, format.to_s, type_by_reference, tabulate)
    end

    # Reads a value from a stream.
    #
    # @param stream [String] the result of {.dump}
    # @param format [Symbol] `:json` or `:msgpack`
    # @param environment [Environment, nil] resolves the names of modules' types
    # @return [Object]
    # @raise [Error] the stream is damaged or names unknown types
    def self.load(stream, format: :json, environment: nil)
      native_load(stream, format.to_s, environment)
    end
  end
end

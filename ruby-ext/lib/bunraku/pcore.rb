# frozen_string_literal: true

module Bunraku
  # Values as data and as streams, and back. Ruby objects are taken for what {Type} says. All functions may be
  # called from any number of threads.
  #
  # @!method self.to_msgpack(data)
  #   @param data [Object] data, such as {.to_data} gives
  #   @return [String] MessagePack
  # @!method self.from_msgpack(bytes)
  #   @param bytes [String]
  #   @return [Object] the data
  #   @raise [Error] the bytes are damaged
  # @!method self.stringify(object)
  #   @param object [Object]
  #   @return [Object] data in which everything that JSON has no form for is text, as PuppetDB gets it
  module Pcore
    # A value as data: nil, true, false, numbers, Strings, Arrays and Hashes with Strings as keys. Strings of
    # the data may be the very Strings of the object.
    #
    # @param object [Object]
    # @param rich_data [Boolean] whether values that JSON has no form for become Hashes with `__ptype`;
    #   otherwise they become Strings
    # @param local_reference [Boolean] whether a value that was met before becomes a path to its first place
    # @param type_by_reference [Boolean] whether the types of objects are named; otherwise they are written
    #   out
    # @param symbol_as_string [Boolean] whether Symbols become Strings
    # @param message_prefix [String] what messages about losses begin with
    # @yieldparam loss [String] each loss, such as that a Regexp became a String; without a block a loss is an
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

    # The value that data says. Strings of the value may be the very Strings of the data.
    #
    # @param data [Object] what {.to_data} gives
    # @param environment [Environment, nil] where the names of modules' types are found
    # @param allow_unresolved [Boolean] whether data of unknown types stays a Hash; otherwise it is an error
    # @return [Object]
    # @raise [Error] the data is damaged or names unknown types
    def self.from_data(data, environment: nil, allow_unresolved: false)
      native_from_data(data, environment, allow_unresolved)
    end

    # A value as a stream in which everything is written once.
    #
    # @param object [Object]
    # @param format [Symbol] `:json` or `:msgpack`
    # @param type_by_reference [Boolean] whether the types of objects are named; otherwise they are written
    #   out
    # @param tabulate [Boolean] whether texts that were written before are written as their number
    # @return [String]
    # @raise [Error] a part of the value cannot be written
    def self.dump(object, format: :json, type_by_reference: true, tabulate: true)
      native_dump(object, format.to_s, type_by_reference, tabulate)
    end

    # The value that a stream holds.
    #
    # @param stream [String] what {.dump} gives
    # @param format [Symbol] `:json` or `:msgpack`
    # @param environment [Environment, nil] where the names of modules' types are found
    # @return [Object]
    # @raise [Error] the stream is damaged or names unknown types
    def self.load(stream, format: :json, environment: nil)
      native_load(stream, format.to_s, environment)
    end
  end
end

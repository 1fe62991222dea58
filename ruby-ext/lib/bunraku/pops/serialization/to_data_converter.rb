# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Makes data of values: what has a form in JSON, and Hashes with `__ptype` for all else.
      class ToDataConverter
        # @param value [Object]
        # @param options [Hash{Symbol => Object}] those of {#initialize}
        # @return [Object] data
        def self.convert(value, options = {})
          new(options).convert(value)
        end

        # @param options [Hash{Symbol => Object}] `:rich_data` (false): whether values without a form in JSON
        #   are Hashes with `__ptype`; otherwise they are texts, each of which is told to
        #   {Bunraku::Pops.on_loss=}; `:local_reference` (true): whether a repeated value is a path to its
        #   first occurrence; `:type_by_reference` (true): whether the types of objects are named;
        #   `:symbol_as_string` (false); `:message_prefix`: the beginning of messages
        def initialize(options = {})
          @options = { rich_data: options[:rich_data] || false, local_reference: options.fetch(:local_reference, true) && true,
                       type_by_reference: options.fetch(:type_by_reference, true) && true,
                       symbol_as_string: options[:symbol_as_string] || false, message_prefix: options[:message_prefix].to_s }
        end

        # @return [Object] data
        # @raise [Puppet::Error] a part of the value has no form as data
        def convert(value)
          Bunraku::Pops.call(SerializationError) { Bunraku::Pcore.to_data(Bunraku::Pops.value(value), **@options, &Bunraku::Pops.on_loss) }
        rescue ArgumentError, SystemStackError
          raise unless (owner = cyclic(value))

          raise SerializationError, "Endless recursion detected when attempting to serialize value of class #{owner.class.name}"
        end

        private

        # The first list or map that contains itself.
        def cyclic(value, above = {}.compare_by_identity)
          parts = value.is_a?(Hash) ? value.to_a.flatten(1) : value
          return unless parts.is_a?(Array)
          return value if above.key?(value)

          above[value] = true
          found = parts.lazy.filter_map { |part| cyclic(part, above) }.first
          above.delete(value)
          found
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Makes values of the data of {ToDataConverter}.
      class FromDataConverter
        # @param data [Object]
        # @param options [Hash{Symbol => Object}] those of {#initialize}
        # @return [Object]
        def self.convert(data, options = {})
          new(options).convert(data)
        end

        # @param options [Hash{Symbol => Object}] `:loader`: resolves the names of types, as with
        #   {Types::TypeParser#parse}; `:allow_unresolved` (false): whether data of unknown types stays a
        #   Hash; otherwise it is an error
        def initialize(options = {})
          @loader = Bunraku::Pops::Loader.of(options[:loader])
          @allows_unresolved = options[:allow_unresolved] || false
        end

        # @return [Object]
        # @raise [Puppet::Error] the data is damaged, or names unknown types
        def convert(data)
          Bunraku::Pops.call(SerializationError) { Bunraku::Pcore.__send__(:native_read_data, data, @loader, @allows_unresolved, Bunraku::Pops) }
        end
      end
    end
  end
end

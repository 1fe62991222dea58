# frozen_string_literal: true

require 'puppet/pops'

module Bunraku
  class Registry
    module OnPuppet
      # The context of backends, of Puppet's own class.
      class Context < Puppet::Pops::Lookup::Context
        include LookupContext::Functions

        # @param native [Value] the library's object
        # @param setup [Setup]
        # @param files [Hash{String => Array}] see {LookupContext::Functions#initialize}
        def initialize(native, setup, files)
          super(native, Puppet::Pops::Types::Iterable, files)
          @setup = setup
        end

        # With Puppet's environments, files are read again when these are, or when they change.
        def cached_file_data(path, &block)
          return super unless @setup.drop_in?

          Puppet::Pops::Lookup::EnvironmentContext.adapt(DropIn::Exported.environment).cached_file_data(path, &block)
        end

        # The lookup belongs to the compilation.
        def invocation
          @setup.drop_in? ? @setup.refuse('a backend asks for its lookup') : nil
        end
      end
    end
  end
end

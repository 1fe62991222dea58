# frozen_string_literal: true

require_relative 'exported'

module Bunraku
  module DropIn
    # The environments of Puppet's that are loaded natively. Each lives as long as Puppet's object, and is
    # loaded again when a setting has changed. Data files are looked at by each compilation, as Puppet does.
    #
    # @api private
    class Environments
      # An environment, and the request that it was loaded for.
      Loaded = Struct.new(:request, :environment)

      # The member of Puppet's environments for the native one, which lives as long.
      MEMBER = :@bunraku_environment
      private_constant :MEMBER

      # @return [Environments] those for the binding in use: the extension, or the C library
      def self.of_binding
        return new unless Bunraku.const_defined?(:Library)

        require_relative 'shared_environments'
        SharedEnvironments.new
      end

      # @param environment [Puppet::Node::Environment]
      # @param request [Hash{Symbol => Object}] the arguments for the native one
      # @yieldparam native [Environment]
      # @return [Object] the result of the block
      def use(environment, request)
        loaded = environment.instance_variable_get(MEMBER)
        unless loaded && loaded.request == request
          loaded = Loaded.new(request, load(environment.name, request, (Exported.new if ::Puppet[:storeconfigs])))
          environment.instance_variable_set(MEMBER, loaded)
        end
        yield loaded.environment
      end

      private

      # @param host [Host, nil] finds exported resources
      def load(name, request, host)
        Environment.new(name.to_s, ruby_functions: :drop_in, fresh_data: true, host: host, **request)
      end
    end
  end
end

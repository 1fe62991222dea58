# frozen_string_literal: true

require_relative 'untouched'

module Bunraku
  module DropIn
    # Makes the classes and defined types that native compilations have used known to Puppet's environment, as
    # soon as code asks for its known types.
    #
    # @api private
    module ResourceTypes
      # The class whose variables are the settings.
      SETTINGS = 'settings'

      # The member of Puppet's environments for the names of what has been used.
      WAITING = :@bunraku_waiting
      private_constant :WAITING

      class << self
        # Installs itself before Puppet's method.
        def install
          Untouched.replace(:compiler, ::Puppet::Node::Environment, :known_resource_types) do |original|
            lambda do |environment|
              known = original.bind(environment).call
              load_into(known, environment) if waiting(environment)
              known
            end
          end
        end

        # @param environment [Puppet::Node::Environment]
        # @param native [Bunraku::Catalog] a catalog that was compiled in it
        def used(environment, native)
          loaded = waiting(environment) || environment.instance_variable_set(WAITING, {})
          native.__send__(:native_definitions).each { |kind, name| loaded[[kind, name]] = true }
        end

        # Runs a block that creates Puppet's own objects from native ones: in the environment, with its
        # loaders.
        def within(environment, &block)
          loaders = ::Puppet::Pops::Loaders.new(environment)
          ::Puppet.override({ current_environment: environment, loaders: loaders }, 'bunraku', &block)
        end

        # Runs a block that logs nothing: the messages were already logged when the library compiled.
        def silently
          level = ::Puppet::Util::Log.level
          ::Puppet::Util::Log.level = :crit
          yield
        ensure
          ::Puppet::Util::Log.level = level
        end

        private

        # The names that an environment does not know yet. They live as long as it.
        def waiting(environment)
          environment.instance_variable_get(WAITING)
        end

        def load_into(known, environment)
          waiting = waiting(environment)
          environment.instance_variable_set(WAITING, nil)
          within(environment) do
            silently { waiting.each_key { |kind, name| kind == 'class' ? known.find_hostclass(name) : known.find_definition(name) } }
          end
          known.add(::Puppet::Resource::Type.new(:hostclass, SETTINGS)) unless known.hostclass(SETTINGS)
        end
      end
    end
  end
end

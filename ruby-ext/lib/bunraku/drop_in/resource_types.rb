# frozen_string_literal: true

require_relative 'untouched'

module Bunraku
  module DropIn
    # The classes and defined types that native compilations have used: an environment of Puppet's knows them,
    # too, as soon as somebody asks what it knows.
    #
    # @api private
    module ResourceTypes
      # The class whose variables are the settings.
      SETTINGS = 'settings'

      class << self
        # Puts itself before Puppet's method.
        def install
          @waiting = ObjectSpace::WeakMap.new
          Untouched.replace(:compiler, ::Puppet::Node::Environment, :known_resource_types) do |original|
            lambda do |environment|
              known = original.bind(environment).call
              load_into(known, environment) if @waiting[environment]
              known
            end
          end
        end

        # @param environment [Puppet::Node::Environment]
        # @param native [Bunraku::Catalog] what was compiled in it
        def used(environment, native)
          loaded = @waiting[environment] || (@waiting[environment] = {})
          native.__send__(:native_definitions).each { |kind, name| loaded[[kind, name]] = true }
        end

        # What happens while Puppet's own objects are made of native ones: in the environment, with its
        # loaders.
        def within(environment, &block)
          loaders = ::Puppet::Pops::Loaders.new(environment)
          ::Puppet.override({ current_environment: environment, loaders: loaders }, 'bunraku', &block)
        end

        private

        def load_into(known, environment)
          waiting = @waiting[environment]
          @waiting[environment] = nil
          within(environment) do
            silently { waiting.each_key { |kind, name| kind == 'class' ? known.find_hostclass(name) : known.find_definition(name) } }
          end
          known.add(::Puppet::Resource::Type.new(:hostclass, SETTINGS)) unless known.hostclass(SETTINGS)
        end

        # What there is to be said of files was said when they were compiled.
        def silently
          level = ::Puppet::Util::Log.level
          ::Puppet::Util::Log.level = :crit
          yield
        ensure
          ::Puppet::Util::Log.level = level
        end
      end
    end
  end
end

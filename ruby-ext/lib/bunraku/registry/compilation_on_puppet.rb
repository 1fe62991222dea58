# frozen_string_literal: true

module Bunraku
  class Registry
    module OnPuppet
      # The classes and resource types of the current compilation.
      class Definitions
        def find_hostclass(name)
          find('class', name)
        end
        alias hostclass find_hostclass

        def find_definition(name)
          find('define', name)
        end
        alias definition find_definition

        # Loads resource types as Puppet's loaders do.
        def load(_kind, name)
          find('type', name)
        end

        # Nothing is cached here, unlike in Puppet's loaders.
        def set_entry(_name, value, _origin = nil)
          value
        end

        # @return [Puppet::Resource::Type, nil]
        def find(kind, name)
          name = name.to_s.downcase.delete_prefix('::')
          Puppet::Resource::Type.new(kind == 'class' ? :hostclass : :definition, name) if Call.current&.definition?(kind, name)
        end
      end

      # The catalog of the current compilation.
      class Catalog
        def initialize(registry)
          @registry = registry
        end

        # @return [Puppet::Resource, nil]
        def resource(type, title = nil)
          type, title = Puppet::Resource.type_and_title(type.respond_to?(:name) ? type.name : type, title)
          parts = Registry.running_call.__send__(:native_resource, type.to_s, title.to_s)
          parts && @registry.resource_of(parts)
        end

        # @return [Array<Puppet::Resource>]
        def resources
          Registry.running_call.__send__(:native_resources).map { |parts| @registry.resource_of(parts) }
        end

        # @return [Array<String>]
        def resource_refs
          resources.map(&:ref)
        end
        alias resource_keys resource_refs

        # @return [Array<String>]
        def classes
          Registry.running_call.classes
        end

        # @return [Array<String>]
        def tags
          Registry.running_call.catalog_tags
        end

        # @return [String]
        def name
          Registry.running_call.node_name
        end
        alias to_s name

        # @return [Symbol]
        def environment
          @registry.name.to_sym
        end

        # @return [Puppet::Node::Environment]
        def environment_instance
          @registry.puppet_environment
        end
      end

      # The current compilation as a compiler. There is one for each compilation, because Puppet's functions
      # attach their caches to it.
      class Compiler
        # @return [Catalog]
        attr_reader :catalog

        def initialize(registry)
          @registry = registry
          @catalog = Catalog.new(registry)
        end

        # @return [Puppet::Node]
        def node
          call = Registry.running_call
          Puppet::Node.new(call.node_name, environment: environment, parameters: call.facts)
        end

        # @return [Puppet::Node::Environment]
        def environment
          @registry.puppet_environment
        end

        # @return [Puppet::Pops::Loaders]
        def loaders
          @registry.puppet_loaders
        end

        # @return [Puppet::Parser::Scope]
        def topscope
          @registry.top_scope(Registry.running_call)
        end

        # @return [Puppet::Resource, nil]
        def findresource(*reference)
          catalog.resource(*reference)
        end

        # @return [Array<Puppet::Resource>]
        def resources
          catalog.resources
        end

        # Declares classes.
        def evaluate_classes(names, _scope = nil, _lazy = true) # rubocop:disable Style/OptionalBooleanParameter
          names = names.keys if names.is_a?(Hash)
          Registry.running_call.call_function('include', names)
          names
        end
      end

      # The lambda that was passed to a call.
      class Lambda < Puppet::Pops::Evaluator::PuppetProc
        include LambdaOfCall

        # @param call [Call]
        # @return [Lambda]
        def self.of(call)
          new(nil) { |*arguments| call.yield(*arguments) }.tap { |block| block.instance_variable_set(:@call, call) }
        end
      end

      # Puppet's errors with a place, which the library uses unchanged.
      module Placed
        # @return [Array, nil] file, line, column
        def bunraku_place
          [file, line, pos] if file || line
        end

        # @return [String] the message without the place
        def basic_message
          StandardError.instance_method(:to_s).bind_call(self)
        end
      end
    end
  end
end

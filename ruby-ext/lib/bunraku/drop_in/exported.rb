# frozen_string_literal: true

module Bunraku
  module DropIn
    # Finds resources for collectors of exported resources through Puppet's own terminus, as Puppet's
    # collector does, and so in PuppetDB if that is the store.
    #
    # @api private
    class Exported < Host
      # The compilation for which the terminus is queried.
      NODE = :bunraku_node

      # Queries the terminus for a node while the block runs.
      #
      # @param node [Puppet::Node]
      def self.for_node(node)
        before = Thread.current.thread_variable_get(NODE)
        Thread.current.thread_variable_set(NODE, node)
        yield
      ensure
        Thread.current.thread_variable_set(NODE, before)
      end

      # @return [Puppet::Node::Environment] that of the compilation
      def self.environment
        Thread.current.thread_variable_get(NODE).environment
      end

      # @param name [String] the node whose catalog is compiled
      # @param type [String]
      # @param filter [Array, nil] the collector's condition
      # @return [String] JSON
      # @raise [Compiler::Unsuitable] a found resource has no native form
      def exported_resources_json(name, type, filter = nil)
        node = Thread.current.thread_variable_get(NODE)
        scope = scope_of(node)
        found = ResourceTypes.within(node.environment) do
          ::Puppet::Resource.indirection.search(type, host: name, filter: plain(filter), scope: scope)
        end
        JSON.generate(found.map { |resource| described(resource) })
      end

      private

      # A scope of a compiler that has not started, which terminuses need to create resources.
      def scope_of(node)
        ResourceTypes.within(node.environment) { ::Puppet::Parser::Compiler.new(node).topscope }
      end

      # The store identifies the node that exported a resource.
      def described(resource)
        unsuitable("an exported #{resource.class}") unless resource.instance_of?(::Puppet::Parser::Resource)
        known_tags = ::Puppet::Parser::Resource.new(resource.type, resource.title, scope: resource.scope, parameters: resource.parameters.values).tags
        unsuitable('exported resources with tags of their own') unless (resource.tags - known_tags).empty?

        name = "#{resource.type}|#{resource.title}"
        { certname: resource.collector_id.to_s.delete_suffix("|#{name}"), type: resource.type, title: resource.title.to_s, filtered: true,
          parameters: resource.parameters.to_h { |key, parameter| [key.to_s, plain(parameter.value)] } }
      end

      def plain(value)
        case value
        when nil, true, false, Numeric, String then value
        when Array then value.map { |inner| plain(inner) }
        when Hash then value.to_h { |key, inner| [plain(key), plain(inner)] }
        else unsuitable("a #{value.class} among exported resources")
        end
      end

      def unsuitable(reason)
        raise Compiler::Unsuitable, reason
      end
    end
  end
end

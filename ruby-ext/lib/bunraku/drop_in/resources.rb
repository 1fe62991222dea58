# frozen_string_literal: true

module Bunraku
  module DropIn
    # Catalogs as Puppet has them, made of native ones.
    #
    # @api private
    class Resources
      # @param environment [Puppet::Node::Environment]
      def initialize(environment)
        @environment = environment
      end

      # @param native [Bunraku::Catalog]
      # @param code_id [String, nil]
      # @return [Puppet::Resource::Catalog]
      def catalog(native, code_id)
        catalog = ::Puppet::Resource::Catalog.new(native.name, @environment, code_id)
        described = native.to_h
        catalog.version = described['version']
        resources = native.map { |one| resource(one).tap { |made| catalog.add_resource(made) } }
        native.native_edges.each { |source, target| catalog.add_edge(resources[source], resources[target]) }
        catalog.add_class(*native.classes)
        catalog.tag(*described['tags'])
        catalog
      end

      private

      def resource(one)
        resource = ::Puppet::Resource.new(one.type, title_of(one), environment: @environment, kind: one.kind.to_s)
        resource.file = one.file
        resource.line = one.line
        resource.exported = one.exported
        resource.virtual = one.exported || (false if one.line)
        keep_title(resource)
        one.parameters.each { |name, parameter| resource[name] = value(parameter) }
        resource.sensitive_parameters = one.sensitive_parameters.map(&:to_sym)
        resource.instance_variable_set(:@tags, ::Puppet::Util::TagSet.new(one.tags))
        resource
      end

      # What a resource is made with; the outermost stage and class have a title that Puppet makes of something else.
      def title_of(one)
        return one.title unless one.title == 'main'

        { 'Class' => '', 'Stage' => :main }.fetch(one.type, one.title)
      end

      # What the title says of the parameters that name a resource.
      def keep_title(resource)
        resource.send(:parse_title).each { |name, parameter| resource[name] = parameter }
      end

      def value(value)
        case value
        when nil, true, false, Numeric, Symbol, Regexp then value
        when String then value.encoding == Encoding::BINARY ? ::Puppet::Pops::Types::PBinaryType::Binary.from_binary_string(value) : value
        when Array then value.map { |inner| value(inner) }
        when Hash then value.to_h { |name, inner| [value(name), value(inner)] }
        when Time then ::Puppet::Pops::Time::Timestamp.new((value.to_i * 1_000_000_000) + value.nsec)
        when Type then reference(value) || ::Puppet::Pops::Types::TypeParser.singleton.parse(value.to_s)
        else ::Puppet::Pops::Serialization::FromDataConverter.convert(Pcore.to_data(value))
        end
      end

      # The resource that a type refers to.
      def reference(type)
        name, title = type.to_s.match(/\A(\w+(?:::\w+)*)\['(.*)'\]\z/m)&.captures
        return unless name

        case name
        when 'Class' then ::Puppet::Resource.new('class', title)
        when 'Resource' then nil
        else ::Puppet::Resource.new(name, title).tap { |resource| keep_title(resource) }
        end
      end
    end
  end
end

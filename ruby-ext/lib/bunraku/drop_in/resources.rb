# frozen_string_literal: true

module Bunraku
  module DropIn
    # Creates Puppet's catalogs from native ones.
    #
    # @api private
    class Resources
      # The kind of resources whose types are Puppet's, in Ruby.
      BUILT_IN = 'compilable_type'

      # The class of main manifests.
      MAIN = 'main'

      # A reference to a resource, or a class.
      REFERENCE = /\A(\w+(?:::\w+)*)\[(?:'((?:[^'\\]|\\.)*)'|((?:::)?[A-Za-z]\w*(?:::[A-Za-z]\w*)*))\]\z/m.freeze
      private_constant :BUILT_IN, :MAIN, :REFERENCE

      # @return [Bunraku::Catalog]
      attr_reader :native
      # @return [Puppet::Node::Environment]
      attr_reader :environment

      # @param native [Bunraku::Catalog]
      # @param environment [Puppet::Node::Environment]
      def initialize(native, environment)
        @native = native
        @environment = environment
        @types = {}
        @namevars = {}
        @files = {}
        @rich = native.__send__(:native_rich)
      end

      # Checks that Puppet has objects for everything in the catalog.
      #
      # @return [void]
      # @raise [Compiler::Unsuitable] it has none for something
      def check
        return if @rich.empty?

        prepare
        @rich.each do |index|
          native.__send__(:native_resource, index).values_at(:parameters, :sensitive_parameters).then do |parameters, secrets|
            parameters.each { |name, parameter| check_value(secrets.include?(name) ? parameter.unwrap : parameter) }
          end
        end
      end

      # Whether the library writes the resources as Puppet would here. For values without a form in JSON this
      # depends on settings and versions; for paths of environments with several versions it depends on which
      # path is shown.
      def writable?
        (@rich.empty? || (::Puppet.version.to_i >= 8 && ::Puppet.lookup(:rich_data) == true && ::Puppet[:rich_data] == true &&
          !::Puppet.lookup(:stringify_rich) { false })) &&
          (!@environment.respond_to?(:resolved_path) || @environment.resolved_path == @environment.configured_path)
      end

      # @param code_id [String, nil]
      # @return [Puppet::Resource::Catalog] a catalog without its resources
      def head(code_id)
        catalog = ::Puppet::Resource::Catalog.new(native.name, @environment, code_id)
        catalog.version = version
        catalog.add_class(*native.classes)
        catalog.tag(*native.tags)
        catalog
      end

      # @param catalog [Puppet::Resource::Catalog] receives the resources and edges
      # @return [Puppet::Resource::Catalog] the same catalog
      def fill(catalog)
        prepare
        @known = @environment.known_resource_types
        described = Array.new(native.size) { |index| native.__send__(:native_resource, index) }
        @by_function = native.__send__(:native_by_function).to_h { |index| [described[index], true] }.compare_by_identity
        resources = described.map { |one| resource(one).tap { |made| catalog.add_resource(made) } }
        native.__send__(:native_edges).each { |source, target| catalog.add_edge(resources[source], resources[target]) }
        catalog
      end

      private

      # Without a command for it, the version is the time when Puppet has first known the environment's types.
      def version
        is_native = !@environment.config_version.to_s.empty? && !Compiler.version?(@environment)
        is_native ? native.version : @environment.known_resource_types.version
      end

      def prepare
        @loader = ::Puppet.lookup(:loaders).private_environment_loader
        @kinds = native.__send__(:native_kinds).to_h
      end

      def check_value(value)
        case value
        when Array then value.each { |inner| check_value(inner) }
        when Hash then value.each { |pair| check_value(pair) }
        when Type then type(value.to_s) unless reference?(value.to_s)
        else value(value)
        end
      end

      def resource(one)
        resource = bare(one[:type], one[:title], one[:kind].to_s)
        resource.file = file(one[:file]) if one[:file]
        resource.line = one[:line]
        # A resource that a function declares lacks the members that the function does not set.
        unsaid = @by_function[one] ? nil : false
        resource.exported = one[:exported] || unsaid
        resource.virtual = one[:virtual] || (unsaid if one[:line])
        namevar = namevar_of(resource)
        resource.instance_variable_set(:@title, title_of(one, namevar))
        parameters = resource.parameters
        # `name` is also accepted for the parameter that names the resources of a type. Puppet keeps the
        # content of a secret, and separately which parameters are secret.
        secrets = one[:sensitive_parameters]
        one[:parameters].each do |name, parameter|
          parameter = parameter.unwrap if secrets.include?(name)
          parameters[name == 'name' ? namevar : name.to_sym] = value(parameter)
        end
        resource.sensitive_parameters = secrets.map(&:to_sym)
        resource.instance_variable_set(:@tags, ::Puppet::Util::TagSet.new(one[:tags]))
        resource
      end

      # A resource with only its title and what follows from it. Its type is known without a search through
      # the environment.
      def bare(type, title, kind)
        resource = ::Puppet::Resource.allocate
        resource.instance_variable_set(:@parameters, {})
        resource.instance_variable_set(:@sensitive_parameters, [])
        resource.instance_variable_set(:@exported, false)
        resource.instance_variable_set(:@environment, @environment)
        resource.instance_variable_set(:@file, nil)
        resource.instance_variable_set(:@type, type)
        resource.instance_variable_set(:@title, title)
        resource.instance_variable_set(:@kind, kind)
        resource.instance_variable_set(:@rstype, type_of(type, title, kind))
        if kind == BUILT_IN
          resource.parameters.merge!(resource.send(:parse_title))
        else
          resource.parameters[:name] = title
        end
        resource
      end

      # The parameter that names resources of a type.
      def namevar_of(resource)
        return :name unless resource.kind == BUILT_IN

        @namevars[resource.type] ||= resource.send(:namevar)
      end

      # The path of a file as it is shown; Puppet 7 shows all paths unchanged.
      def file(path)
        @files[path] ||= @environment.respond_to?(:externalize_path) ? @environment.externalize_path(path) : path
      end

      # The catalog keeps a title that is not a String separate from the parameter that names the resource.
      def title_of(one, namevar)
        title = one[:title]
        return title unless one[:parameters][namevar.to_s].to_s == title

        Integer(title, exception: false) || Float(title, exception: false) || title.to_sym
      end

      # The type of a resource, as the compiler finds it.
      def type_of(type, title, kind)
        return @types[type] ||= built_in(type.downcase) if kind == BUILT_IN

        case type
        when 'Class' then @known.hostclass(title == MAIN ? '' : title)
        when 'Node' then @known.node(title)
        else @types[type] ||= @known.definition(type)
        end
      end

      # Types that were generated for the environment come first, so that no Ruby is loaded for them.
      def built_in(name)
        @loader.load(:resource_type_pp, name) || ::Puppet::Type.type(name)
      end

      def value(value)
        case value
        when nil, true, false, Numeric, Symbol, Regexp then value
        when String then value.encoding == Encoding::BINARY ? ::Puppet::Pops::Types::PBinaryType::Binary.from_binary_string(value) : value
        when Array then value.map { |inner| value(inner) }
        when Hash then value.to_h { |name, inner| [value(name), value(inner)] }
        when Time then ::Puppet::Pops::Time::Timestamp.new((value.to_i * 1_000_000_000) + value.nsec)
        when Type then type(value.to_s)
        else ::Puppet::Pops::Serialization::FromDataConverter.convert(data_of(value))
        end
      end

      # A value in rich data.
      def data_of(value)
        Bunraku.const_defined?(:Pcore) ? Pcore.to_data(value) : value.to_data
      end

      # A type, or the resource that it refers to.
      def type(text)
        return type_value(text) unless reference?(text)

        name, quoted, plain = text.match(REFERENCE).captures
        reference(name, plain || quoted.gsub(/\\(['\\])/, '\1'))
      end

      # Whether the text is a reference to a resource of a type that the catalog contains, or a class.
      def reference?(text)
        name = text[REFERENCE, 1]
        name == 'Class' || @kinds.key?(name)
      end

      def type_value(text)
        type = ::Puppet::Pops::Types::TypeParser.singleton.parse(text)
        case type
        when ::Puppet::Pops::Types::PTypeReferenceType then raise Compiler::Unsuitable, "a value #{text}"
        when ::Puppet::Pops::Types::PResourceType then type.title ? named_reference(text[/\A[\w:]+/], type.title) : type
        else type
        end
      end

      # A reference to a resource of a type that the catalog does not contain: a copy, because only a copy has
      # its name among its parameters.
      def named_reference(type, title)
        ::Puppet::Resource.new(::Puppet::Resource.new(type, title))
      end

      def reference(type, title)
        title = title.split('::').map(&:capitalize).join('::') if type == 'Class'
        resource = bare(type, title, @kinds[type])
        resource.tag(type)
        resource.tag_if_valid(title)
        resource
      end
    end
  end
end

# frozen_string_literal: true

# Scopes, as functions and templates see them.
module Puppet
  module Parser
    # The scope of a function's caller. Functions of the 3.x API are its methods.
    class Scope
      include Bunraku::Registry::CallScope
      include Puppet::Util::Errors
      include Puppet::Util::Logging
      include Puppet::Parser::Functions::Methods

      # The exception for an uncaught `throw`.
      UNCAUGHT_THROW_EXCEPTION = UncaughtThrowError

      # Functions that do not exist in this API.
      ONLY_MODERN = %w[
        assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash hiera_include inline_epp
        lest lookup map match new next reduce regsubst return reverse_each slice split step strftime then type with
      ].freeze

      class << self
        # @return [Scope] the top scope of the current compilation
        def top
          new(BUNRAKU.call, true)
        end

        # @return [Boolean] whether the 3.x API treats the value as true
        def true?(value)
          !['', nil, false, :undef].include?(value)
        end

        # @return [Integer, Float, nil] the number that a text represents
        def number?(value)
          return value if value.is_a?(Numeric)
          return unless value.is_a?(String)

          case value
          when /\A-?\d+(:?\.\d+|(:?\.\d+)?e\d+)\z/ then value.to_f
          when /\A0x[0-9a-f]+\z/i then value.to_i(16)
          when /\A0[0-7]+\z/ then value.to_i(8)
          when /\A-?\d+\z/ then value.to_i
          end
        end
      end

      # @param call [Bunraku::Call] of the function
      # @param is_top [Boolean] whether it is the top scope
      def initialize(call, is_top = false) # rubocop:disable Style/OptionalBooleanParameter
        @call = call
        @is_top = is_top
      end

      # @param name [String] the name of a variable
      # @return [Object, nil] its value
      # @raise [ArgumentError] the variable does not exist, and the setting `strict` makes this an error
      # @throw :undefined_variable the variable does not exist, and a caller catches this
      def lookupvar(name, _options = {})
        unless name.is_a?(String)
          raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end

        super
      end

      # @return [Puppet::Parser::Catalog]
      def catalog
        Catalog.current
      end

      # @return [Puppet::Parser::Compiler]
      def compiler
        Compiler.new
      end

      # @return [Puppet::Node::Environment]
      def environment
        Puppet::Node::Environment.current
      end

      # @return [Puppet::Parser::ResourceTypes]
      def known_resource_types
        ResourceTypes.new
      end

      # @return [Puppet::Parser::Resource, nil] the class or the resource whose body calls
      def resource
        reference = @call.scope_name[/\AScope\((.*)\)\z/m, 1]
        return if @is_top || reference.nil? || reference.empty?

        type, title = reference.match(/\A([^\[]+)\[(.*)\]\z/m)&.captures
        type && (catalog.resource(type, title) || Resource.new(type, title))
      end

      # @return [Puppet::Resource::Type] the class or defined type whose body calls
      def source
        reference = resource
        name = reference ? (reference.class? ? reference.title : reference.type).to_s.downcase : ''
        Puppet::Resource::Type.new(reference.nil? || reference.class? ? :hostclass : :definition, name)
      end

      # @return [Puppet::Parser::Resource, nil] a resource of the catalog
      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      # @return [Puppet::Resource::Type, nil]
      def find_hostclass(name)
        known_resource_types.find_hostclass(name)
      end

      # @return [Puppet::Resource::Type, nil]
      def find_definition(name)
        known_resource_types.find_definition(name)
      end

      # @return [Object, nil] the scope of an evaluated class: an object that is not nil
      def class_scope(name)
        name = name.respond_to?(:name) ? name.name : name.to_s
        self if catalog.classes.include?(name.to_s.downcase.delete_prefix('::'))
      end

      # @return [Scope] the top scope
      def find_global_scope
        @is_top ? self : Scope.new(@call, true)
      end

      # @return [Boolean]
      def is_topscope? # rubocop:disable Naming/PredicateName
        @is_top || @call.scope_name == 'Scope(Class[main])'
      end

      # @return [Boolean]
      def is_classscope? # rubocop:disable Naming/PredicateName
        resource&.class? || false
      end

      # @return [Boolean]
      def is_nodescope? # rubocop:disable Naming/PredicateName
        resource&.type == 'Node'
      end

      # @return [String, nil] the module whose code calls
      def module_name
        @call.module_name
      end
      alias parent_module_name module_name

      # @return [Array<String>] the tags of the resource whose body calls
      def tags
        resource&.tags || []
      end

      # @return [Boolean]
      def tagged?(*names)
        resource&.tagged?(*names) || false
      end

      # @return [Array<String>] names of classes, absolute
      def transform_and_assert_classnames(names)
        names.map do |name|
          case name
          when nil then raise ::ArgumentError, 'Cannot use undef as a class name'
          when String
            raise ::ArgumentError, 'Cannot use empty string as a class name' if name.empty?

            name.start_with?('::') ? name : "::#{name}"
          when Puppet::Resource then "::#{name.title.to_s.delete_prefix('::').downcase}"
          when Puppet::Pops::Types::PClassType then "::#{name.class_name}"
          else raise ::ArgumentError, "Illegal class reference, got #{name.class}"
          end
        end
      end

      # @return [String]
      def inspect
        to_s
      end

      # `function_name([arguments])`: a function of the 3.x API of a module, or a built-in function.
      def method_missing(name, *args, &block)
        function = name.to_s[/\Afunction_(.+)\z/, 1]
        return no_method(name) unless function
        return __send__(name, *args) if loaded?(function)
        if ONLY_MODERN.include?(function)
          raise Puppet::ParseError, "#{function}() can only be called using the 4.x function API. See Scope#call_function"
        end
        return no_method(name) unless @call.function?(function)

        Functions.check(function, -1, args)
        call_function(function, args[0], &block)
      end

      def respond_to_missing?(name, all = false)
        function = name.to_s[/\Afunction_(.+)\z/, 1]
        function ? Functions.function(function) != false : super
      end

      private

      # With the text of now: a scope has no name once its call has ended.
      def no_method(name)
        raise ::NoMethodError.new("undefined method `#{name}' for #{self}:Puppet::Parser::Scope", name)
      end

      def default_parameter(name, value)
        Resource::Param.new(name, value)
      end

      def loaded?(function)
        Functions.known?(function) || !BUNRAKU.legacy_function(function).nil?
      end

      # Variables that always exist, with or without a value.
      BUILT_IN = /\A(module_name|caller_module_name|\d+)\z/.freeze
      private_constant :BUILT_IN

      def variable_missing(name, reason = nil)
        return if name.match?(BUILT_IN)

        begin
          throw(:undefined_variable, reason)
        rescue UncaughtThrowError
          message = "Undefined variable '#{name}'; #{reason}"
          case Puppet[:strict]
          when :warning then warn_once('undefined_variables', "Variable: #{name}", message)
          when :error then raise ::ArgumentError, message
          end
        end
        nil
      end
    end

    # The compilation.
    class Compiler
      # @return [Puppet::Parser::Catalog]
      def catalog
        Catalog.current
      end

      # @return [Puppet::Node]
      def node
        Puppet::Node.new
      end

      # @return [Puppet::Node::Environment]
      def environment
        Puppet::Node::Environment.current
      end

      # @return [Scope]
      def topscope
        Scope.top
      end

      # @return [Array<Parser::Resource>]
      def resources
        catalog.resources
      end

      # @return [Parser::Resource, nil]
      def findresource(*reference)
        catalog.resource(*reference)
      end

      # Declares classes.
      def evaluate_classes(names, _scope = nil, _lazy = true) # rubocop:disable Style/OptionalBooleanParameter
        names = names.keys if names.is_a?(Hash)
        BUNRAKU.call.call_function('include', names)
        names
      end

      # Only manifests and `create_resources` declare resources.
      def add_resource(_scope, resource)
        parameters = resource.to_hash.transform_keys(&:to_s)
        BUNRAKU.call.call_function('create_resources', resource.type.to_s.downcase, { resource.title => parameters })
        resource
      end
    end
  end
end

# frozen_string_literal: true

module Bunraku
  class Registry
    # A registry whose functions run on Puppet's own classes, which are loaded. The files are evaluated in the
    # root as usual, so that the definitions of modules outside of `Puppet` stay in it; their definitions in
    # `Puppet` belong to Puppet, for all environments.
    #
    # Functions of the 3.x API become methods of a scope that belongs to the registry. That scope,
    # `call_function` and Puppet's log lead to the compilation that calls. Settings (`Puppet[:strict]`) are
    # Puppet's own.
    #
    # @api private
    module OnPuppet
      # Prepares Puppet for use without a compiler of its own.
      def self.extended(_registry)
        require 'puppet/parser/functions'
        require 'puppet/functions'
        Puppet.initialize_settings([], false) unless Puppet.settings.app_defaults_initialized?
        require_relative 'compilation_on_puppet'
        require_relative 'context_on_puppet'
        Puppet::ParseError.include(Placed)
        hear_log
      end

      # Forwards Puppet's messages to the log of the compilation whose function runs.
      def self.hear_log
        return if @log

        @log = Log.new
        Puppet::Util::Log.newdesttype(:bunraku) do
          match Log.name
          define_method(:initialize) { |_log| nil } # rubocop:disable Lint/UselessMethodDefinition
          define_method(:handle) { |entry| Call.current&.__send__(:native_log, entry.level.to_s, entry.message.to_s) }
        end
        Puppet::Util::Log.newdestination(@log)
      end
      private_class_method :hear_log

      # The log destination that represents the log of a compilation.
      class Log; end

      # The functions that functions can call, and the scope that they close over.
      module Calls
        include FunctionCalls
        include ScopedFunctionCalls

        def closure_scope
          registry = self.class.instance_variable_get(:@bunraku_registry)
          registry.top_scope(Call.current)
        end
      end

      # A scope for functions, over a call.
      module ScopeMethods
        include CallScope

        def findresource(type, title = nil)
          catalog.resource(type, title)
        end

        def catalog
          compiler.catalog
        end

        def resource
          type, title = @call.scope_name[/\AScope\((.*)\)\z/m, 1].to_s.match(/\A([^\[]+)\[(.*)\]\z/m)&.captures
          title = :main if type == 'Class' && title == 'main'
          type && Puppet::Resource.new(type, title)
        end

        # The class or the defined type whose body calls.
        def source
          of = resource
          is_class = of.nil? || of.class?
          Puppet::Resource::Type.new(is_class ? :hostclass : :definition, (of ? is_class ? of.title : of.type : '').to_s.downcase)
        end

        def compiler
          @call.memory[:compiler] ||= Compiler.new(@registry)
        end

        def environment
          @registry.puppet_environment
        end

        def known_resource_types
          Definitions.new
        end

        def loaders
          @registry.puppet_loaders
        end

        def find_global_scope
          @registry.top_scope(@call)
        end

        def inspect
          to_s
        end

        def default_parameter(name, value)
          Puppet::Parser::Resource::Param.new(name: name, value: value)
        end

        def variable_missing(name, reason = nil)
          variable_not_found(name, reason)
        end

        def respond_to_missing?(name, all = false)
          function = name.to_s[/\Afunction_(.+)\z/, 1]
          function ? @call.function?(function) || @registry.legacy_method?(name) : super
        end

        # Calls functions of the 3.x API of modules on this scope, and all others through the compilation,
        # including those of Puppet itself.
        def method_missing(name, *args, &block)
          real, function = name.to_s.match(/\A(real_)?function_(.+)\z/)&.captures
          return super unless function
          is_legacy = real || @registry.legacy_function(function) || @registry.legacy_method?(name)
          return @registry.legacy_method(name).bind_call(self, *args) if is_legacy

          call_function(function, args[0], &block)
        end
      end

      # The scope of a call's caller.
      def scope(call)
        scope_of(call, false)
      end

      # The top scope of a call's compilation.
      def top_scope(call)
        scope_of(call, true)
      end

      # @return [Puppet::Node::Environment] the environment as Puppet's object
      def puppet_environment
        @puppet_environment ||= Puppet::Node::Environment.create(name.to_sym, modulepath, '').tap do |environment|
          environment.define_singleton_method(:known_resource_types) { Definitions.new }
        end
      end

      # @return [Puppet::Resource] from the result of {Call#native_resource}
      def resource_of(parts)
        type, title, parameters, = parts
        Puppet::Resource.new(type, title, parameters: parameters.transform_keys(&:to_sym))
      end

      # @return [Puppet::Environments::Static] only this environment
      def puppet_environments
        @puppet_environments ||= Puppet::Environments::Static.new(puppet_environment)
      end

      # @return [Object] the object that functions call their loader
      def loader
        @loader ||= puppet_loaders.private_environment_loader || puppet_loaders.puppet_system_loader
      end

      # @return [Puppet::Pops::Loaders] Puppet's loaders; resource types come from the compilation
      def puppet_loaders
        @puppet_loaders ||= Puppet::Pops::Loaders.new(puppet_environment).tap do |loaders|
          loaders.define_singleton_method(:runtime3_type_loader) { Definitions.new }
        end
      end

      # @return [UnboundMethod] a loaded function of the 3.x API
      def legacy_method(name)
        Puppet::Parser::Functions.environment_module(puppet_environment).instance_method(name)
      end

      # @return [Boolean] whether a function of the 3.x API is loaded; a file can define others than its own
      def legacy_method?(name)
        Puppet::Parser::Functions.environment_module(puppet_environment).method_defined?(name)
      end

      # Evaluates with the environment as Puppet's current one, so that functions of the 3.x API belong to it,
      # and with the loader where `create_function` expects it.
      def evaluate(text, file)
        @inside ||= @root.module_eval('->(loader_injected_arg) { binding }', __FILE__, __LINE__)
        in_puppet { eval(Source.rewrite(text, keep_puppet: true), @inside.call(loader), file, 1) }
      end

      # Runs a block as Puppet runs functions.
      def in_puppet(&block)
        bindings = { current_environment: puppet_environment, loaders: puppet_loaders, environments: puppet_environments }
        Puppet.override(bindings, 'bunraku', &block)
      end

      def make_sensitive(value)
        Puppet::Pops::Types::PSensitiveType::Sensitive.new(value)
      end

      def make_type(of)
        in_puppet { Puppet::Pops::Types::TypeParser.singleton.parse(of.to_s, loader) }
      end

      def make_legacy_type(of)
        type = make_type(of)
        return type unless type.is_a?(Puppet::Pops::Types::PCatalogEntryType)

        name, title = Puppet::Pops::Evaluator::Runtime3Converter.instance.catalog_type_to_split_type_title(type)
        Puppet::Resource.new(name, title)
      end

      def make_binary(bytes)
        Puppet::Pops::Types::PBinaryType::Binary.from_binary_string(bytes)
      end

      def make_timestamp(seconds, nanoseconds)
        Puppet::Pops::Time::Timestamp.new((seconds * 1_000_000_000) + nanoseconds)
      end

      def make_timespan(seconds, nanoseconds)
        Puppet::Pops::Time::Timespan.new((seconds * 1_000_000_000) + nanoseconds)
      end

      def make_other(value, kind)
        case kind
        when 'SemVer' then SemanticPuppet::Version.parse(value.to_s)
        when 'SemVerRange' then SemanticPuppet::VersionRange.parse(value.to_s)
        when 'URI' then URI.parse(value.to_s)
        when 'LookupContext' then Context.new(value, @setup, @file_data)
        when 'Iterator' then Bunraku::Type.parse('Array').new(value)
        else value
        end
      end

      def meaning_of(object)
        case object
        when Context then object.bunraku_meaning
        when Puppet::Pops::Types::PSensitiveType::Sensitive then [object.unwrap]
        when Puppet::Pops::Types::PAnyType then type_of(object.to_s)
        when Puppet::Pops::Types::PBinaryType::Binary then Value.of(object.binary_buffer.b)
        when Puppet::Pops::Time::Timestamp then ::Time.at(*object.nsecs.divmod(1_000_000_000), :nsec)
        when Puppet::Pops::Time::Timespan
          sign = object.nsecs.negative? ? -1 : 1
          seconds, rest = object.nsecs.abs.divmod(1_000_000_000)
          Type.parse('Timespan').new(0, 0, 0, sign * seconds, 0, 0, sign * rest)
        when SemanticPuppet::Version then Type.parse('SemVer').new(object.to_s)
        when SemanticPuppet::VersionRange then Type.parse('SemVerRange').new(object.to_s)
        when Puppet::Resource then type_of(object.class? ? "Class['#{object.title}']" : "Resource['#{object.type}', '#{object.title}']")
        when Puppet::Pops::Types::Iterable then object.to_a
        else assert_same(object)
        end
      end

      # If the catalog must equal Puppet's own, no object can be converted differently than Puppet does.
      def assert_same(object)
        return unless @setup.drop_in? && (coerced?(object) || object.is_a?(String))

        name = object.class.name || 'object of a class without a name'
        @setup.refuse("a function's #{name}#{" in #{object.encoding}" if object.is_a?(String)}")
      end

      def own_call?(created)
        created.instance_method(:call).owner != Puppet::Pops::Functions::Function
      end

      def dispatches(created)
        created.dispatcher.dispatchers.map { |dispatch| Dispatch.new(dispatch) }
      end

      # The types that only the function's own loader knows; the compilation knows all others by their names.
      def local_types(created)
        aliases = Aliases.new
        created.dispatcher.dispatchers.each { |dispatch| dispatch.type.accept(aliases, nil) }
        local = aliases.found.reject { |one| in_puppet { loader.load(:type, one.name.downcase) } }
        local.map { |one| "#{one.name} = #{one.resolved_type}" }
      end

      # Objects that are converted: points in time, sets, and objects that become a Hash or an Array.
      def coerced?(object)
        object.is_a?(::Time) || (defined?(::Set) && object.is_a?(::Set)) || object.respond_to?(:to_hash) || object.respond_to?(:to_ary) ||
          (object.respond_to?(:to_h) && object.respond_to?(:each_pair))
      end

      # Finds the aliases in a type.
      class Aliases
        # @return [Array<Puppet::Pops::Types::PTypeAliasType>]
        attr_reader :found

        def initialize
          @found = []
        end

        def visit(type, _guard)
          return if !type.is_a?(Puppet::Pops::Types::PTypeAliasType) || @found.include?(type)

          @found << type
          type.resolved_type.accept(self, nil)
        end
      end

      def block(call)
        Lambda.of(call)
      end

      # A signature in Puppet's form.
      class Dispatch
        def initialize(dispatch)
          @dispatch = dispatch
        end

        # @return [Symbol]
        def method_name
          @dispatch.instance_variable_get(:@method_name)
        end

        def mismatch?
          @dispatch.argument_mismatch_handler?
        end

        def injects?
          !@dispatch.injections.empty?
        end

        def weave(scope, arguments)
          @dispatch.weave(scope, arguments)
        end

        # @return [String] as a Puppet function would declare it
        def signature
          callable = @dispatch.type
          types = callable.param_types.types
          least, = callable.param_types.size_range
          names = @dispatch.parameter_names
          parts = names.each_with_index.map do |name, index|
            is_last = index == names.size - 1
            modifier = if @dispatch.last_captures_rest? && is_last then index < least ? '+' : '*'
                       else index < least ? '' : '?'
                       end
            "#{written(types[index] || types.last)}#{modifier} $#{name}"
          end
          parts << "#{written(callable.block_type)} &#{@dispatch.block_name || 'block'}" if callable.block_type
          "#{parts.join(', ')}#{" >> #{written(callable.return_type)}" if callable.return_type}"
        end

        private

        # An alias by only its name.
        def written(type)
          type.is_a?(Puppet::Pops::Types::PTypeAliasType) ? type.name : type.to_s
        end
      end

      private

      def type_of(text)
        call = Call.current
        call ? call.parse_type(text) : Type.parse(text, allow_unresolved: true)
      end

      def scope_of(call, is_top)
        scope = scope_class.allocate
        scope.instance_variable_set(:@call, call)
        scope.instance_variable_set(:@registry, self)
        scope.instance_variable_set(:@is_top, is_top)
        scope
      end

      # Puppet's scopes over calls, with the functions of this environment.
      def scope_class
        @scope_class ||= Class.new(Puppet::Parser::Scope).include(@root, ScopeMethods)
      end

      def load_modern(name, file)
        super.tap do |function|
          function.instance.class.instance_variable_set(:@bunraku_registry, self)
          function.instance.singleton_class.prepend(Calls)
          function.extend(InPuppet)
        end
      end

      # Puppet itself can have loaded it, because other functions request it by name.
      def load_legacy(name, file)
        known = Puppet::Parser::Functions.environment_module(puppet_environment).get_function_info(name.to_sym)
        (known ? LegacyFunction.new(self, name, known) : super).extend(InPuppet)
      end

      # Calls functions with the environment as Puppet's current one, and with the place of the call on
      # Puppet's stack.
      module InPuppet
        def invoke(*arguments)
          body = -> { super(*arguments) }
          @registry.in_puppet { on_stack(arguments[2].stack, body) }
        end

        private

        # Calls between functions have no place in a manifest.
        def on_stack(places, body)
          stack = Puppet::Pops::PuppetStack
          known = stack.stacktrace
          return body.call if known.first == places.first

          places = places.first(1) unless known.empty?
          places.inject(body) { |inner, (file, line)| -> { stack.stack(file, line, inner, :call, []) } }.call
        end
      end
    end
  end
end

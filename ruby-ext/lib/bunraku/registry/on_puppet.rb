# frozen_string_literal: true

module Bunraku
  class Registry
    # A registry whose functions run on Puppet's own classes, which are loaded. The files are evaluated in the root as ever, so
    # that what modules define beside `Puppet` stays in it; what they define in `Puppet` is Puppet's, for all environments.
    #
    # Functions of the 3.x API become methods of a scope that belongs to the registry. That scope, `call_function` and what
    # Puppet logs lead to the compilation that calls. Settings (`Puppet[:strict]`) are Puppet's own.
    #
    # @api private
    module OnPuppet
      # Prepares Puppet for being used without a compiler of its own.
      def self.extended(registry)
        require 'puppet/parser/functions'
        require 'puppet/functions'
        Puppet.initialize_settings([], false) unless Puppet.settings.app_defaults_initialized?
        hear_log
      end

      # Has what Puppet logs while a function runs in the log of the compilation that called it.
      def self.hear_log
        return if @log

        @log = Log.new
        Puppet::Util::Log.newdesttype(:bunraku) do
          match Log.name
          define_method(:initialize) { |_log| nil } # rubocop:disable Lint/UselessMethodDefinition
          define_method(:handle) { |entry| Call.current&.native_log(entry.level.to_s, entry.message.to_s) }
        end
        Puppet::Util::Log.newdestination(@log)
      end
      private_class_method :hear_log

      # What stands for the log of a compilation.
      class Log; end

      # What functions call to call others, and the scope that they close over.
      module Calls
        def call_function(function_name, *args, &block)
          Call.current.call_from_top(function_name.to_s, args, block)
        end

        def call_function_with_scope(scope, function_name, *args, &block)
          scope.call_function(function_name, args, &block)
        end

        def closure_scope
          registry = self.class.instance_variable_get(:@bunraku_registry)
          registry.top_scope(Call.current)
        end
      end

      # A scope for functions, over a call.
      module ScopeMethods
        # @return [Call]
        attr_reader :call

        def lookupvar(name, _options = {})
          name = name.to_s
          name = "::#{name}" if @is_top && !name.start_with?('::')
          value = @call.variable(name)
          value.nil? && !@call.variable?(name) ? variable_not_found(name) : value
        end

        def [](name, options = {})
          lookupvar(name, options)
        end

        def []=(name, value, _ = nil)
          @call.set_variable(name.to_s, value)
        end

        def setvar(name, value, _options = {})
          self[name] = value
        end

        def include?(name)
          !@call.variable(name.to_s).nil?
        end

        def exist?(name)
          @call.variable?(name.to_s)
        end
        alias bound? exist?

        def to_hash(_recursive = true, _include_undef = false) # rubocop:disable Style/OptionalBooleanParameter
          @call.variables
        end

        def call_function(func_name, args, &block)
          return @call.call_from_top(func_name.to_s, Array(args), block) if @is_top

          @call.call_function(func_name.to_s, *args, &block)
        end

        def findresource(type, title = nil)
          type, title = Puppet::Resource.type_and_title(type.respond_to?(:name) ? type.name : type, title)
          parts = @call.native_resource(type.to_s, title.to_s)
          parts && @registry.resource_of(parts)
        end

        def catalog
          self
        end

        def resources
          @call.native_resources.map { |parts| @registry.resource_of(parts) }
        end

        def resource
          type, title = @call.scope_name[/\AScope\((.*)\)\z/m, 1].to_s.match(/\A([^\[]+)\[(.*)\]\z/m)&.captures
          type && Puppet::Resource.new(type, title)
        end

        def compiler
          self
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
        alias topscope find_global_scope

        def parent
          find_global_scope unless @is_top
        end

        def lookupdefaults(_type)
          {}
        end

        def to_s
          @is_top ? 'Scope(Class[main])' : @call.scope_name
        end
        alias inspect to_s

        def bunraku_scope?
          true
        end

        def respond_to_missing?(name, all = false)
          function = name.to_s[/\Afunction_(.+)\z/, 1]
          function ? @call.function?(function) : super
        end

        # Functions of the 3.x API that modules have are called on this scope; all others by the compilation, also those that Puppet
        # has itself.
        def method_missing(name, *args, &block)
          real, function = name.to_s.match(/\A(real_)?function_(.+)\z/)&.captures
          return super unless function
          return @registry.legacy_method(name).bind_call(self, *args) if real || @registry.legacy_function(function)

          call_function(function, args[0], &block)
        end
      end

      # The classes and resource types of the compilation whose function runs.
      class Definitions
        def find_hostclass(name)
          find('class', name)
        end
        alias hostclass find_hostclass

        def find_definition(name)
          find('define', name)
        end
        alias definition find_definition

        # As Puppet's loaders load resource types.
        def load(_kind, name)
          find('type', name)
        end

        # What Puppet's loaders keep is not kept here.
        def set_entry(_name, value, _origin = nil)
          value
        end

        # @return [Puppet::Resource::Type, nil]
        def find(kind, name)
          name = name.to_s.downcase.delete_prefix('::')
          Puppet::Resource::Type.new(kind == 'class' ? :hostclass : :definition, name) if Call.current&.definition?(kind, name)
        end
      end

      # The scope that a call comes from.
      def scope(call)
        scope_of(call, false)
      end

      # The top scope of a call's compilation.
      def top_scope(call)
        scope_of(call, true)
      end

      # @return [Puppet::Node::Environment] as Puppet has environments
      def puppet_environment
        @puppet_environment ||= Puppet::Node::Environment.create(name.to_sym, modulepath, '').tap do |environment|
          environment.define_singleton_method(:known_resource_types) { Definitions.new }
        end
      end

      # @return [Puppet::Resource] of what {Call#native_resource} gives
      def resource_of(parts)
        type, title, parameters, = parts
        Puppet::Resource.new(type, title, parameters: parameters.transform_keys(&:to_sym))
      end

      # @return [Puppet::Environments::Static] this environment alone
      def puppet_environments
        @puppet_environments ||= Puppet::Environments::Static.new(puppet_environment)
      end

      # @return [Object] what functions call their loader
      def loader
        @loader ||= puppet_loaders.private_environment_loader || puppet_loaders.puppet_system_loader
      end

      # @return [Puppet::Pops::Loaders] Puppet's loaders; resource types are those of the compilation
      def puppet_loaders
        @puppet_loaders ||= Puppet::Pops::Loaders.new(puppet_environment).tap do |loaders|
          loaders.define_singleton_method(:runtime3_type_loader) { Definitions.new }
        end
      end

      # @return [UnboundMethod] of a function of the 3.x API that was loaded
      def legacy_method(name)
        Puppet::Parser::Functions.environment_module(puppet_environment).instance_method(name)
      end

      # Evaluates with the environment as Puppet's current one, so that functions of the 3.x API are its.
      def evaluate(text, file)
        in_puppet { super }
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
        when 'Iterator' then Bunraku::Type.parse('Array').new(value)
        else value
        end
      end

      def meaning_of(object)
        case object
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
        end
      end

      def own_call?(created)
        created.instance_method(:call).owner != Puppet::Pops::Functions::Function
      end

      def dispatches(created)
        created.dispatcher.dispatchers.map { |dispatch| Dispatch.new(dispatch) }
      end

      # The types of signatures are read already, and written out.
      def local_types(_created)
        []
      end

      def block(call)
        Proc.new { |*arguments| call.yield(*arguments) }
      end

      # A signature of Puppet's.
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
            "#{(types[index] || types.last).to_alias_expanded_s}#{modifier} $#{name}"
          end
          parts << "#{callable.block_type.to_alias_expanded_s} &#{@dispatch.block_name || 'block'}" if callable.block_type
          "#{parts.join(', ')}#{" >> #{callable.return_type.to_alias_expanded_s}" if callable.return_type}"
        end
      end

      private

      def type_of(text)
        call = Call.current
        call ? call.parse_type(text) : Type.parse(text)
      end

      def scope_of(call, is_top)
        scope = scope_class.allocate
        scope.instance_variable_set(:@call, call)
        scope.instance_variable_set(:@registry, self)
        scope.instance_variable_set(:@is_top, is_top)
        scope
      end

      # Puppet's scopes, over calls, with the functions of this environment.
      def scope_class
        @scope_class ||= begin
          Class.new(Puppet::Parser::Scope) do
            # What Puppet's own scopes say of these is said here.
            (ScopeMethods.instance_methods(false) - [:respond_to_missing?]).each do |name|
              define_method(name, ScopeMethods.instance_method(name))
            end
          end
        end
      end

      def load_modern(name, file)
        super.tap do |function|
          function.instance.class.instance_variable_set(:@bunraku_registry, self)
          function.instance.singleton_class.prepend(Calls)
          function.extend(InPuppet)
        end
      end

      # Puppet itself may have loaded it, as other functions ask for it by name.
      def load_legacy(name, file)
        known = Puppet::Parser::Functions.environment_module(puppet_environment).get_function_info(name.to_sym)
        (known ? LegacyFunction.new(self, name, known) : super).extend(InPuppet)
      end

      # Calls functions with the environment as Puppet's current one.
      module InPuppet
        def invoke(*)
          @registry.in_puppet { super }
        end
      end
    end
  end
end

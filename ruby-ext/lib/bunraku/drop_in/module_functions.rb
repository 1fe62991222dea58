# frozen_string_literal: true

require_relative 'exported'
require_relative 'resource_types'

module Bunraku
  module DropIn
    # What only Ruby has, for compilations on the C library: templates of modules that the built-in Ruby does
    # not know, and functions that it has failed for, run on Puppet's own classes. They see the variables of
    # the caller's scope and can call functions. What needs more of the compilation, logs, changes its
    # arguments or returns objects of other classes has Puppet compile the catalog.
    #
    # @api private
    class ModuleFunctions < Exported
      # The running call of a thread, and the functions that an environment has loaded.
      CALL = :bunraku_call
      MEMBER = :@bunraku_functions

      # The member of environments for the names of functions that the built-in Ruby has failed for, and the
      # message with which it fails.
      FAILED = :@bunraku_unknown
      UNKNOWN = /The function '([^']+)' is written in Ruby: .*it needs a host with Ruby/.freeze

      # Words in files whose functions look at what a call does not tell.
      LOOKING = /PuppetStack|stacktrace|call_stack|caller/.freeze

      # Words in templates that can use any variable.
      ANY_VARIABLE = /instance_variable|\bbinding\b|\beval\b|\bsend\b|\bclasses\b|\btags\b|\bdefined\?/.freeze
      private_constant :ANY_VARIABLE, :CALL, :FAILED, :LOOKING, :MEMBER, :UNKNOWN

      class << self
        # @return [Bunraku::Call] the running call
        def call
          Thread.current.thread_variable_get(CALL)
        end

        # Runs Ruby of modules for a call.
        def during(call)
          before = Thread.current.thread_variable_get(CALL)
          Thread.current.thread_variable_set(CALL, call)
          yield
        ensure
          Thread.current.thread_variable_set(CALL, before)
        end

        # Has the next compilations run the function on Puppet's classes for which one has failed.
        #
        # @param environment [Puppet::Node::Environment]
        # @param message [String] of the failure
        def learn(environment, message)
          name = message[UNKNOWN, 1] or return

          (environment.instance_variable_get(FAILED) || environment.instance_variable_set(FAILED, {}))[name] = true
        end

        # @raise [Compiler::Unsuitable] always
        def refuse(what)
          Compiler.refuse("Ruby of a module #{what}")
        end

        # Calls a function of the compilation.
        def call_function(name, arguments, &block)
          refuse('passes a block to a function') if block
          json = call.call_function_json(name.to_s, JSON.generate(Data.of(arguments)))
          json && Data.to_ruby(json)
        end
      end

      # Refuses messages: their place in the log of the compilation is not known.
      module Silence
        def newmessage(message)
          ModuleFunctions.refuse('logs') if ModuleFunctions.call && message.level != :debug
          super
        end
      end

      # Values as rich data, by Puppet's own rules, of classes that Puppet has in catalogs.
      module Data
        # @param object [Object]
        # @return [Object] data of which JSON can be made
        def self.of(object)
          assert_known(object)
          ::Puppet::Pops::Serialization::ToDataConverter.convert(object, rich_data: true, symbol_as_string: false, type_by_reference: true,
                                                                         local_reference: false, message_prefix: 'a function')
        end

        # @param json [String]
        # @return [Object]
        def self.to_ruby(json)
          ::Puppet::Pops::Serialization::FromDataConverter.convert(JSON.parse("[#{json}]", max_nesting: false, create_additions: false)).first
        end

        def self.assert_known(object)
          case object
          when nil, true, false, Integer, Float, Regexp, ::Puppet::Pops::Types::PAnyType, ::Puppet::Pops::Time::TimeData,
               ::SemanticPuppet::Version, ::Puppet::Pops::Types::PBinaryType::Binary then return
          when :undef, :default then return
          when String then return if object.instance_of?(String) && known_encoding?(object)
          when Array then return object.each { |inner| assert_known(inner) } if object.instance_of?(Array)
          when Hash then return object.each { |pair| pair.each { |inner| assert_known(inner) } } if object.instance_of?(Hash)
          when ::Puppet::Pops::Types::PSensitiveType::Sensitive then return assert_known(object.unwrap)
          end
          ModuleFunctions.refuse("returns a #{object.class}")
        end
        private_class_method :assert_known

        def self.known_encoding?(text)
          text.valid_encoding? && (text.encoding == Encoding::UTF_8 || text.ascii_only?)
        end
        private_class_method :known_encoding?
      end

      # The scope of a call.
      class Scope < ::Puppet::Parser::Scope
        (::Puppet::Parser::Scope.instance_methods(false) - [:method_missing]).each do |name|
          define_method(name) { |*| ModuleFunctions.refuse("asks its scope for #{name}") }
        end

        def self.for_calls
          allocate
        end

        def lookupvar(name, _options = nil)
          json = ModuleFunctions.call.variable_json(name.to_s.delete_prefix('::')) || ModuleFunctions.refuse('reads a variable that does not exist')
          Data.to_ruby(json)
        end
        alias [] lookupvar

        def include?(name)
          json = ModuleFunctions.call.variable_json(name.to_s.delete_prefix('::'))
          !json.nil? && !Data.to_ruby(json).nil?
        end

        def call_function(name, arguments, &block)
          ModuleFunctions.call_function(name, arguments.is_a?(Array) ? arguments : [arguments], &block)
        end

        def method_missing(name, *arguments, &block)
          function = name.to_s[/\Afunction_(.+)\z/, 1]
          ModuleFunctions.refuse("asks its scope for #{name}") unless function && ::Puppet::Parser::Functions.function(function)
          ModuleFunctions.call_function(function, arguments.first, &block)
        end

        def respond_to_missing?(name, _all = false)
          name.to_s.start_with?('function_')
        end
      end

      # The scope of a template, with the variables that it names.
      class TemplateScope < Scope
        attr_writer :names

        def to_hash(*)
          @names.each_with_object({}) do |name, found|
            json = ModuleFunctions.call.variable_json(name)
            value = json && Data.to_ruby(json)
            found[name] = value unless value.nil?
          end
        end
      end

      # Functions of the 4.x API call others through the compilation.
      module Calls
        def closure_scope
          @bunraku_scope ||= Scope.for_calls
        end

        def internal_call_function(_scope, name, arguments, &block)
          ModuleFunctions.call_function(name, arguments, &block)
        end
      end

      # A function of the 4.x API.
      class Modern
        # @param environment [Puppet::Node::Environment]
        # @param function [Puppet::Pops::Functions::Function] as Puppet has loaded it
        def initialize(environment, function)
          @environment = environment
          @function = function.class.new(nil, function.loader).extend(Calls)
          return if own_call?

          # Wrong arguments are Puppet's to report.
          @dispatches = function.class.dispatcher.dispatchers.reject(&:argument_mismatch_handler?)
        end

        # @return [Array<String>]
        def signatures
          own_call? ? ['Callable'] : @dispatches.map { |dispatch| dispatch.type.to_s }
        end

        # Calls it.
        #
        # @param signature [Integer]
        # @param arguments [Array]
        # @param call [Bunraku::Call]
        def invoke(signature, arguments, call)
          block = ->(*given) { Data.to_ruby(call.yield_json(JSON.generate(Data.of(given)))) } if call.block?
          return @function.call(@function.closure_scope, *arguments, &block) if own_call?

          dispatch = @dispatches.fetch(signature)
          @function.__send__(dispatch.instance_variable_get(:@method_name), *dispatch.weave(@function.closure_scope, arguments), &block)
        end

        private

        # Whether its class chooses the signature itself.
        def own_call?
          @function.class.instance_method(:call).owner != ::Puppet::Pops::Functions::Function
        end
      end

      # A function of the 3.x API.
      class Legacy
        # @return [Array<String>] the arity, and the kind of function
        attr_reader :signatures

        def initialize(environment, name)
          loaded = ::Puppet::Parser::Functions.environment_module(environment)
          info = loaded.get_function_info(name.to_sym) || ModuleFunctions.refuse("does not define #{name}")
          @signatures = [info[:arity].to_s, info[:type].to_s]
          @method = :"real_function_#{name}"
          @scope = Scope.for_calls.extend(loaded)
        end

        # Calls it. See {Modern#invoke}.
        def invoke(_signature, arguments, _call)
          ModuleFunctions.refuse('has a type as an argument') if arguments.any?(::Puppet::Pops::Types::PAnyType)
          @scope.__send__(@method, arguments)
        end
      end

      # Loaded functions as {Natives::HostCallbacks} calls them.
      Function = Struct.new(:host, :environment, :function) do
        def signatures
          function.signatures
        end

        def call_json(signature, json, call)
          host.in_puppet(environment, call) do
            arguments = Data.to_ruby(json)
            before = Data.of(arguments)
            result = function.invoke(signature, arguments, call)
            ModuleFunctions.refuse('changes its arguments') unless Data.of(arguments) == before
            JSON.generate(Data.of(result))
          end
        end
      end

      # Finds a module's function that the built-in Ruby does not know.
      #
      # @param name [String]
      # @param path [String] its file
      # @param is_legacy [Boolean] whether it is of the 3.x API
      # @return [Function, nil] nil if the built-in Ruby has not failed for it
      def find_module_function(name, path, is_legacy)
        environment = Thread.current.thread_variable_get(NODE).environment
        return unless environment.instance_variable_get(FAILED)&.key?(name)

        known = environment.instance_variable_get(MEMBER) || environment.instance_variable_set(MEMBER, {})
        known[[name, is_legacy]] ||= in_puppet(environment, self) do
          ModuleFunctions.refuse('looks at its caller') if Files.read(path).match?(LOOKING)
          Function.new(self, environment, is_legacy ? legacy(environment, name) : modern(environment, name, path))
        end
      end

      # Renders a template that the built-in Ruby does not know.
      #
      # @param path [String]
      # @param text [String]
      # @param call [Bunraku::Call]
      # @return [String]
      def render_template(path, text, call)
        ModuleFunctions.refuse('uses any variable') if text.match?(ANY_VARIABLE)
        environment = Thread.current.thread_variable_get(NODE).environment
        in_puppet(environment, call) do
          scope = TemplateScope.for_calls
          scope.names = text.scan(/@([a-z_]\w*)/i).flatten.uniq
          wrapper = ::Puppet::Parser::TemplateWrapper.new(scope)
          wrapper.instance_variable_set(:@__file__, path) if path.start_with?('/')
          result = wrapper.result(text)
          assert_unchanged(wrapper, scope)
          Data.of(result)
        end
      end

      # Runs Ruby of modules as Puppet runs it.
      def in_puppet(environment, call, &block)
        silence
        ModuleFunctions.during(call) { ResourceTypes.within(environment, &block) }
      end

      private

      def silence
        @silence ||= ::Puppet::Util::Log.singleton_class.prepend(Silence)
      end

      def legacy(environment, name)
        ::Puppet::Parser::Functions.function(name, environment)
        Legacy.new(environment, name)
      end

      def modern(environment, name, path)
        loader = ::Puppet.lookup(:loaders).private_environment_loader
        entry = loader.load_typed(::Puppet::Pops::Loader::TypedName.new(:function, name))
        ModuleFunctions.refuse("does not define #{name}") unless entry && entry.origin.to_s.delete_prefix('file:') == path
        Modern.new(environment, entry.value)
      end

      # What a template changes in a variable is seen by others in Puppet.
      def assert_unchanged(wrapper, scope)
        scope.to_hash.each do |name, value|
          ModuleFunctions.refuse('changes a variable') unless Data.of(wrapper.instance_variable_get("@#{name}")) == Data.of(value)
        end
      end
    end
  end
end

# frozen_string_literal: true

# The two APIs of functions.
module Puppet
  module Pops
    module Functions
      # The superclass of all functions of the 4.x API.
      class Function
        include Bunraku::Registry::FunctionCalls

        # @return [Object] the loader of other functions
        attr_reader :loader

        def initialize(closure_scope, loader)
          @closure_scope = closure_scope
          @loader = loader
        end

        # Calls the function and selects the signature. The library only uses this method if a function
        # overrides it.
        def call(scope, *args, &block)
          self.class.dispatcher.dispatch(self, scope, args, &block)
        end

        # @return [Puppet::Parser::Scope] the top scope
        def closure_scope
          @closure_scope || Puppet::Parser::Scope.top
        end

        # @return [Dispatcher]
        def self.dispatcher
          @dispatcher ||= Dispatcher.new
        end

        # @return [Array<Dispatch>]
        def self.signatures
          dispatcher.signatures
        end

        protected

        def internal_call_function(scope, function_name, args, &block)
          scope.call_function(function_name, args, &block)
        end
      end

      # The signatures of a function.
      class Dispatcher
        # @return [Array<Dispatch>]
        attr_reader :dispatchers

        def initialize
          @dispatchers = []
        end

        def empty?
          @dispatchers.empty?
        end

        def add(dispatch)
          @dispatchers << dispatch
        end

        # @return [Array<Dispatch>] those that do not report wrong arguments
        def signatures
          @dispatchers.reject(&:mismatch?)
        end

        # Calls the method of the first matching signature.
        def dispatch(instance, scope, args, &block)
          dispatch = @dispatchers.find { |one| one.callable_with?(args, block) }
          unless dispatch
            raise ::ArgumentError, Puppet::Pops::Types::TypeMismatchDescriber.describe_signatures(instance.class.name, signatures, args)
          end
          if dispatch.mismatch?
            raise ::ArgumentError, "'#{instance.class.name}' #{instance.__send__(dispatch.method_name, *dispatch.weave(scope, args))}"
          end

          dispatch.invoke(instance, scope, args, &block)
        end
      end

      # A signature with its method.
      class Dispatch
        # @return [Symbol]
        attr_reader :method_name
        # @return [Array<String>]
        attr_reader :names
        # @return [String, nil]
        attr_reader :block_name

        alias parameter_names names
        alias param_names names

        # @param parameters [Array] each a type, a name, and `''`, `?`, `*` or `+`
        # @param block [Array, nil] type, name and `''` or `?` of the block
        # @param weaving [Array] for each argument of the method the index of a parameter, or the name of an
        #   injected object
        def initialize(method_name, parameters, block, returns, weaving, is_mismatch) # rubocop:disable Metrics/ParameterLists
          @method_name = method_name
          @parameters = parameters
          @names = parameters.map { |_, name| name.to_s }
          @block = block
          @block_name = block && block[1].to_s
          @returns = returns
          @weaving = weaving
          @injects = weaving.any?(Symbol)
          @mismatch = is_mismatch
          @least = parameters.count { |_, _, modifier| ['', '+'].include?(modifier) }
          @most = last_captures_rest? ? Float::INFINITY : parameters.size
        end

        # @return [Boolean] whether it reports wrong arguments
        def mismatch?
          @mismatch
        end
        alias argument_mismatch_handler? mismatch?

        # @return [Boolean]
        def last_captures_rest?
          !@parameters.empty? && ['*', '+'].include?(@parameters.last[2])
        end

        # @return [Boolean] whether the method receives injected arguments
        def injects?
          @injects
        end

        # @return [String] as a Puppet function would declare it
        def signature
          @signature ||= begin
            parts = @parameters.map { |type, name, modifier| "#{type}#{modifier} $#{name}" }
            parts << "#{@block[0]}#{@block[2]} &#{@block[1]}" if @block
            "#{parts.join(', ')}#{" >> #{@returns}" if @returns}"
          end
        end

        # @return [Boolean] whether arguments and a block match
        def callable_with?(args, block)
          return false unless args.size.between?(@least, @most)
          return false if block ? @block.nil? : @block && @block[2] != '?'

          args.each_with_index.all? { |argument, index| type(index).instance?(argument) }
        end

        # Calls the method.
        def invoke(instance, scope, args, &block)
          result = instance.__send__(@method_name, *weave(scope, args), &block)
          return result unless @returns

          @return_type ||= Puppet::Pops::Types.parse(@returns.to_s)
          Puppet::Pops::Types::TypeAsserter.assert_instance_of(nil, @return_type, result) do
            "value returned from function '#{@method_name}'"
          end
        end

        # @return [Array] the arguments of the method
        def weave(scope, args)
          return args unless @injects

          @weaving.flat_map do |knit|
            case knit
            when Symbol then [injected(knit, scope)]
            else
              _, _, modifier = @parameters[knit]
              next args.drop(knit) if ['*', '+'].include?(modifier)

              knit < args.size ? [args[knit]] : []
            end
          end
        end

        # @return [String]
        def to_s
          signature
        end

        private

        def type(index)
          @types ||= @parameters.map { |type, _| Puppet::Pops::Types.parse(type.to_s) }
          @types[index] || @types.last
        end

        def injected(name, scope)
          case name
          when :scope then scope
          when :cache then BUNRAKU.cache(BUNRAKU.call)
          when :pal_catalog_compiler, :pal_compiler, :pal_script_compiler then Puppet::Pops::CompilerAccess.new
          else raise ::ArgumentError, "Unknown injection #{name}"
          end
        end
      end
    end

    module Evaluator
      # The lambda that was passed to a function.
      class PuppetProc < Proc
        include Bunraku::Registry::LambdaOfCall

        # @param call [Bunraku::Call]
        # @return [PuppetProc]
        def self.of(call)
          new { |*arguments| call.yield(*arguments) }.tap { |block| block.instance_variable_set(:@call, call) }
        end
      end

      # The superclass of jumps out of blocks.
      class Jumper < StandardError; end

      # Puppet's `next`.
      class Next < Jumper; end

      # Puppet's `return`.
      class Return < Jumper; end

      # Puppet's `break`.
      class PuppetStopIteration < StopIteration; end

      # Converts values for functions of the 3.x API.
      class Runtime3FunctionArgumentConverter
        # @return [Array]
        def self.map_args(args, _scope, undef_value)
          args.map { |one| one.nil? || one == :undef ? undef_value : one }
        end

        # @return [Object] the result of a function of the 3.x API
        def self.convert_return(value)
          case value
          when :undef then nil
          when Array then value.map { |one| convert_return(one) }
          when Hash then value.to_h { |key, one| [convert_return(key), convert_return(one)] }
          else value
          end
        end
      end

      # Finds resource types.
      module Runtime3ResourceSupport
        module_function

        # @return [Puppet::Resource::Type, nil]
        def find_resource_type_or_class(scope, name)
          find_resource_type(scope, name) || find_hostclass(scope, name)
        end

        # @return [Puppet::Resource::Type, nil]
        def find_resource_type(_scope, name)
          name = name.to_s.downcase.delete_prefix('::')
          Puppet::Resource::Type.new(:definition, name) if BUNRAKU.call.definition?('type', name)
        end

        # @return [Puppet::Resource::Type, nil]
        def find_hostclass(_scope, name)
          name = name.to_s.downcase.delete_prefix('::')
          Puppet::Resource::Type.new(:hostclass, name) if BUNRAKU.call.definition?('class', name)
        end
      end
    end

    # The compiler, for functions that request one.
    class CompilerAccess
      # Calls a function.
      def call_function(name, *args, &block)
        BUNRAKU.call.call_from_top(name.to_s, args, block)
      end

      # @return [Boolean]
      def has_function?(name) # rubocop:disable Naming/PredicateName
        BUNRAKU.call.function?(name.to_s)
      end

      # @return [Puppet::Pops::Types::PAnyType]
      def type(text)
        Types.parse(text)
      end

      # Makes a value of a type.
      def create(type, *arguments)
        call_function('new', type.is_a?(String) ? self.type(type) : type, *arguments)
      end

      # @return [Object] the scope of a call
      def in_scope
        Puppet::Parser::Scope.top
      end
      alias top_scope in_scope
    end

    module Loader
      # Loads functions and types of the environment.
      class Loader
        def initialize(registry)
          @registry = registry
        end

        # @return [Object, nil] a function that can be called with a scope and arguments, or a type
        def load(kind, name)
          case kind
          when :function then LoadedFunction.new(name.to_s) if BUNRAKU.call.function?(name.to_s)
          when :type then Types.parse(name.to_s)
          end
        end

        # @return [Loader] itself: all modules see the same definitions
        def private_loader
          self
        end
        alias public_loader private_loader
        alias parent private_loader

        # @return [Puppet::Node::Environment]
        def environment
          Puppet::Node::Environment.current
        end

        # @return [String]
        def to_s
          "(Loader of #{@registry.name})"
        end
      end

      # A loaded function.
      class LoadedFunction
        def initialize(name)
          @name = name
        end

        # Calls it.
        def call(_scope, *args, &block)
          BUNRAKU.call.call_from_top(@name, args, block)
        end
      end

      # All loaders: only one.
      class Loaders
        %i[private_environment_loader public_environment_loader puppet_system_loader static_loader].each do |name|
          define_method(name) { BUNRAKU.loader }
        end

        # @return [Loader]
        def private_loader_for_module(_name)
          BUNRAKU.loader
        end
        alias public_loader_for_module private_loader_for_module
        alias loader_for_module private_loader_for_module

        # @return [Loader]
        def self.find_loader(_name = nil)
          BUNRAKU.loader
        end
      end
    end
  end

  # The 4.x API.
  module Functions
    # Defines a function.
    #
    # @param func_name [String, Symbol]
    # @param function_base [Class] {Function} or {InternalFunction}
    # @return [Class] the function's class
    def self.create_function(func_name, function_base = Function, &block)
      create_loaded_function(func_name, BUNRAKU.loader, function_base, &block)
    rescue StandardError => e
      raise ::ArgumentError, "Function Load Error for function '#{func_name}': #{e.message}"
    end

    # Defines a function with a loader.
    def self.create_loaded_function(func_name, loader, function_base = Function, &block)
      if !function_base.ancestors.include?(Puppet::Pops::Functions::Function)
        raise ::ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{function_base}"
      end

      func_name = func_name.to_s
      created = Class.new(function_base)
      created.define_singleton_method(:name) { func_name }
      created.define_singleton_method(:loader) { loader }
      created.class_eval(&block)
      created.dispatcher.add(default_dispatch(created, func_name.split('::').last)) if created.dispatcher.empty?
      created
    end

    # The signature that follows from a method's parameters.
    def self.default_dispatch(created, method_name)
      unless created.method_defined?(method_name)
        raise ::ArgumentError, 'Function Creation Error, cannot create a default dispatcher for function ' \
                             "'#{method_name}', no method with this name found"
      end

      modifiers = { req: '', opt: '?', rest: '*' }
      parameters = created.instance_method(method_name).parameters.filter_map do |kind, name|
        ['Any', name || :rest, modifiers[kind]] if modifiers[kind]
      end
      Puppet::Pops::Functions::Dispatch.new(method_name, parameters, nil, nil, [], false)
    end
    private_class_method :default_dispatch

    # The default superclass of functions of the 4.x API.
    class Function < Puppet::Pops::Functions::Function
      # Declares a signature and the method that it leads to.
      def self.dispatch(meth_name, &block)
        dispatcher.add(builder.build(meth_name, false, &block))
      end

      # Declares a signature of wrong arguments, with the method that returns the message about them.
      def self.argument_mismatch(meth_name, &block)
        dispatcher.add(builder.build(meth_name, true, &block))
      end

      # Declares types that only the signatures can use.
      def self.local_types(&block)
        local_type_texts.concat(LocalTypeAliasesBuilder.new.tap { |builder| builder.instance_eval(&block) }.texts)
      end

      # @return [Array<String>]
      def self.local_type_texts
        @local_type_texts ||= []
      end

      def self.builder
        DispatcherBuilder.new
      end
      private_class_method :builder
    end

    # A function that can request the scope of its caller, and more.
    class InternalFunction < Function
      include Bunraku::Registry::ScopedFunctionCalls

      def self.builder
        InternalDispatchBuilder.new
      end
      private_class_method :builder
    end

    # Evaluates the block of `local_types`.
    class LocalTypeAliasesBuilder
      # @return [Array<String>]
      attr_reader :texts

      def initialize
        @texts = []
      end

      # @param text [String] `Name = Type`
      def type(text)
        return @texts << text if text.match?(/\A\s*[A-Z]\w*\s*=/)

        place = caller_locations(1, 1).first
        raise ::ArgumentError, "Expected a type alias assignment on the form 'AliasType = T', got '#{text}'.\n" \
                             "Called from <#{place.path}:#{place.lineno}>"
      end
    end

    # Evaluates the block of `dispatch`.
    class DispatcherBuilder
      # @return [Puppet::Pops::Functions::Dispatch]
      def build(method_name, is_mismatch, &block)
        @parameters = []
        @weaving = []
        @block = nil
        @returns = nil
        instance_eval(&block)
        Puppet::Pops::Functions::Dispatch.new(method_name, @parameters, @block, @returns, @weaving, is_mismatch)
      end

      # A required parameter.
      def param(type, name)
        if @parameters.any? { |_, _, modifier| modifier == '?' }
          check_parameter(type, name)
          raise ::ArgumentError, 'A required parameter cannot be added after an optional parameter'
        end
        add_parameter(type, name, '')
      end
      alias required_param param

      # An optional parameter.
      def optional_param(type, name)
        add_parameter(type, name, '?')
      end

      # A parameter that accepts all remaining arguments.
      def repeated_param(type, name)
        add_parameter(type, name, '*')
      end
      alias optional_repeated_param repeated_param

      # A parameter that accepts all remaining arguments, at least one.
      def required_repeated_param(type, name)
        check_parameter(type, name)
        if @parameters.any? { |_, _, modifier| modifier == '?' }
          raise ::ArgumentError, 'A required repeated parameter cannot be added after an optional parameter'
        end

        add_parameter(type, name, '+')
      end

      # A required block.
      def block_param(*type_and_name)
        add_block(type_and_name, '')
      end
      alias required_block_param block_param

      # An optional block.
      def optional_block_param(*type_and_name)
        add_block(type_and_name, '?')
      end

      # The type of the result.
      def return_type(type)
        unless type?(type)
          raise ::ArgumentError, "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end

        @returns = type
      end

      private

      def add_parameter(type, name, modifier)
        check_parameter(type, name)
        @weaving << @parameters.size
        @parameters << [type, name, modifier]
      end

      def check_parameter(type, name)
        raise ::ArgumentError, 'Parameters cannot be added after a block parameter' if @block
        if @parameters.any? && ['*', '+'].include?(@parameters.last[2])
          raise ::ArgumentError, 'Parameters cannot be added after a repeated parameter'
        end
        raise ::ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)
        return if type?(type)

        raise ::ArgumentError, "Parameter 'type' must be a String reference to a Puppet Data Type. Got #{type.class}"
      end

      def add_block(type_and_name, modifier)
        type, name =
          case type_and_name.size
          when 0 then ['Callable', :block]
          when 1 then ['Callable', type_and_name.first]
          when 2 then type_and_name
          else raise ::ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.size}."
          end
        unless type.to_s.match?(/\A\s*(Callable|Variant|Optional|[A-Z]\w*::)/)
          raise ::ArgumentError, "Expected PCallableType or PVariantType thereof, got #{type.class}"
        end
        raise ::ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}" unless name.is_a?(Symbol)
        raise ::ArgumentError, 'Attempt to redefine block' if @block

        @block = [type, name, modifier]
      end

      def type?(type)
        type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
      end
    end

    # Evaluates the block of an internal function's `dispatch`.
    class InternalDispatchBuilder < DispatcherBuilder
      { scope_param: :scope, cache_param: :cache, compiler_param: :pal_catalog_compiler, pal_compiler_param: :pal_compiler,
        script_compiler_param: :pal_script_compiler }.each do |word, injected|
        define_method(word) { @weaving << injected }
      end
    end
  end

  module Parser
    # The 3.x API.
    module Functions
      # The functions as methods of scopes.
      module Methods; end

      # The loader of functions in the reference.
      class AutoloaderDelegate
        def loadall(_environment = nil)
          deprecated('#loadall', '#loadall')
          true
        end

        def load(name, _environment = nil)
          deprecated("#load('#{name}')", "#load(\"#{name}\")")
          Functions.function(name) ? true : false
        end

        def loaded?(name)
          deprecated(".loaded?('#{name}')", "#loaded?(\"#{name}\")")
          Functions.known?(name)
        end

        def deprecated(key, call)
          return if Puppet[:strict] == :off

          Puppet.warn_once('deprecations', "Puppet::Parser::Functions#{key}",
                           "The method 'Puppet::Parser::Functions.autoloader#{call}' is deprecated in favor of using " \
                           "'Scope#call_function'.")
        end
        private :deprecated

        # @return [AutoloaderDelegate]
        def delegatee
          self
        end
      end

      @known = {}

      class << self
        # Defines a function.
        #
        # @param name [Symbol, String]
        # @param options [Hash] `type`: `:rvalue` or `:statement`; `arity`; `doc`
        # @return [Hash] the description of the function
        def newfunction(name, options = {}, &block)
          type = options[:type] || :statement
          raise Puppet::DevError, "Invalid statement type #{type.inspect}" unless %i[statement rvalue].include?(type)

          info = { arity: options[:arity] || -1, type: type, name: "function_#{name}" }
          info[:doc] = options[:doc] if options[:doc]
          real = :"real_function_#{name}"
          Methods.send(:define_method, real, &block)
          Methods.send(:define_method, :"function_#{name}") do |*args|
            Functions.check(name, info[:arity], args)
            result = Puppet::Pops::Evaluator::Runtime3FunctionArgumentConverter.convert_return(__send__(real, args[0]))
            type == :rvalue ? result : nil
          end
          @known[name.to_sym] = info
        end

        # Loads a function.
        #
        # @return [String, false] the name of its method
        def function(name, _environment = nil)
          name = name.to_sym
          return @known[name][:name] if @known[name]

          BUNRAKU.legacy_function(name.to_s)
          return @known[name][:name] if @known[name]

          Bunraku::Call.current&.function?(name.to_s) ? "function_#{name}" : false
        end

        # @return [Boolean]
        def known?(name)
          @known.key?(name.to_sym)
        end

        # @return [Boolean]
        def rvalue?(name, _environment = nil)
          (@known[name.to_sym] || {})[:type] == :rvalue
        end

        # @return [Integer]
        def arity(name, _environment = nil)
          (@known[name.to_sym] || { arity: -1 })[:arity]
        end

        # @return [AutoloaderDelegate]
        def autoloader
          @autoloader ||= AutoloaderDelegate.new
        end

        # @return [Module]
        def environment_module(_environment = nil)
          Methods
        end

        # Rejects a wrong number of arguments.
        def check(name, arity, args)
          unless args[0].is_a?(Array)
            raise ::ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                                 'For example, function_example([1]) instead of function_example(1)'
          end
          count = args[0].size
          if arity >= 0 ? count != arity : count < -arity - 1
            wanted = arity >= 0 ? arity.to_s : "minimum #{-arity - 1}"
            raise ::ArgumentError, "#{name}(): Wrong number of arguments given (#{count} for #{wanted})"
          end
        end
      end
    end
  end
end

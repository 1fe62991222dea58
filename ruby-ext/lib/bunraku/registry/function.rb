# frozen_string_literal: true

module Bunraku
  class Registry
    # A function of the 4.x API. The library checks arguments against the {#signatures} before it calls the
    # function.
    #
    # @api private
    class ModernFunction
      # @return [Array<String>] in the notation of Puppet functions
      attr_reader :signatures
      # @return [Array<Integer>] the indices of the signatures for wrong arguments
      attr_reader :mismatches
      # @return [Array<String>] types that only the signatures can use
      attr_reader :local_types
      # @return [Array<String>] for each signature, the beginning of the message about a result of the wrong
      #   type
      attr_reader :subjects
      # @return [Object] the instance of the function's class
      attr_reader :instance

      # @param registry [Registry]
      # @param created [Class] the result of `create_function`
      # @param instance [Object] of that class
      def initialize(registry, created, instance)
        @registry = registry
        @instance = instance
        # A function with its own `call` selects the signature itself.
        @calls = registry.own_call?(created)
        @dispatches = @calls ? [] : registry.dispatches(created)
        @signatures = @calls ? ['Any* $args, Optional[Callable] &block'] : @dispatches.map(&:signature)
        @mismatches = @dispatches.each_index.select { |index| @dispatches[index].mismatch? }
        @subjects = @dispatches.map { |dispatch| "value returned from function '#{dispatch.method_name}' has wrong type," }
        @local_types = registry.local_types(created)
      end

      # @return [nil] this is not a function of the 3.x API
      def legacy; end

      # Calls it.
      #
      # @param index [Integer] the index of the matching signature
      # @param arguments [Array]
      # @param call [Call]
      # @param has_block [Boolean] whether the caller passed a lambda
      # @return [Object] the result
      def invoke(index, arguments, call, has_block)
        context = arguments[-1]
        return invoke_plainly(index, arguments, call, has_block) unless context.is_a?(LookupContext::Functions)

        catch(:no_such_key) { return invoke_plainly(index, arguments, call, has_block) }
        context.bunraku_not_found
      end

      private

      def invoke_plainly(index, arguments, call, has_block)
        if @calls
          scope = @registry.scope(call)
          return @instance.call(scope, *arguments) unless has_block

          return @instance.call(scope, *arguments, &@registry.block(call))
        end
        dispatch = @dispatches[index]
        arguments = dispatch.weave(@registry.scope(call), arguments) if dispatch.injects?
        return @instance.__send__(dispatch.method_name, *arguments) unless has_block

        @instance.__send__(dispatch.method_name, *arguments, &@registry.block(call))
      end
    end

    # A function of the 3.x API.
    #
    # @api private
    class LegacyFunction
      # @return [Array] the arity, and whether the function returns a value
      attr_reader :legacy

      # @param registry [Registry]
      # @param name [String]
      # @param info [Hash] the result of `newfunction`
      def initialize(registry, name, info)
        @registry = registry
        @method = :"real_function_#{name}"
        @legacy = [info[:arity], info[:type] == :rvalue]
      end

      # @return [Array] empty: functions of this API check their arguments themselves
      def signatures
        []
      end
      alias mismatches signatures
      alias local_types signatures
      alias subjects signatures

      # Calls it. See {ModernFunction#invoke}.
      def invoke(_index, arguments, call, _has_block)
        @registry.scope(call).__send__(@method, arguments)
      end
    end
  end
end

# frozen_string_literal: true

module Bunraku
  class Registry
    # A scope over a {Call}: variables, functions and resource defaults as they are visible where a function
    # was called. The scopes of the own API (`puppet_api/scope.rb`) and those on Puppet's classes ({OnPuppet})
    # share it.
    #
    # A class that includes it has the members `@call`, `@is_top` (whether it is the top scope) and these
    # methods:
    #
    # * `variable_missing(name, reason = nil)`: the result of looking up a variable that does not exist
    # * `default_parameter(name, value)`: a parameter among the defaults of a resource type
    # * `find_global_scope`: the top scope
    #
    # @api private
    module CallScope
      # @return [Call] of the function
      attr_reader :call

      # @param name [String] the name of a variable
      # @return [Object, nil] its value
      def lookupvar(name, _options = {})
        key = qualified_name(name)
        value = @call.variable(key)
        return value unless value.nil? && !@call.variable?(key)

        # A name without a namespace is reported as it was given.
        return variable_missing(name) unless name.delete_prefix('::').include?('::')

        variable_missing(*@call.missing_variable(key))
      end

      # See {#lookupvar}.
      def [](name, options = {})
        lookupvar(name, options)
      end

      # Sets a variable.
      def []=(name, value, _options = nil)
        @call.set_variable(name.to_s, value)
      end

      # See {#[]=}.
      def setvar(name, value, _options = {})
        self[name] = value
      end

      # @return [Boolean] whether a variable has a value other than undef
      def include?(name)
        !@call.variable(qualified_name(name.to_s)).nil?
      end

      # @return [Boolean] whether a variable exists
      def exist?(name)
        @call.variable?(qualified_name(name.to_s))
      end
      alias bound? exist?

      # @return [Hash{String => Object}] the visible variables
      def to_hash(_recursive = true, _include_undef = false) # rubocop:disable Style/OptionalBooleanParameter
        @call.variables
      end

      # Calls a function of any kind.
      #
      # @param func_name [String, Symbol]
      # @param args [Array]
      def call_function(func_name, args, &block)
        neighbour = :"function_#{func_name}"
        # The file of a function of the 3.x API can declare others, which only this scope knows.
        return __send__(neighbour, Array(args)) if !@call.function?(func_name.to_s) && respond_to?(neighbour)
        return @call.call_from_top(func_name.to_s, Array(args), block) if @is_top

        @call.call_function(func_name.to_s, *args, &block)
      end

      # @param type [String] of resources, as in `File`
      # @return [Hash{Symbol => Object}] the visible defaults
      def lookupdefaults(type)
        @call.resource_defaults(type.to_s).to_h { |name, value| [name.to_sym, default_parameter(name.to_sym, value)] }
      end

      # @return [Object] the top scope
      def topscope
        find_global_scope
      end

      # @return [Object, nil] the enclosing scope
      def parent
        find_global_scope unless @is_top
      end

      # @return [String] `Scope(Class[main])`
      def to_s
        @is_top ? 'Scope(Class[main])' : @call.scope_name
      end

      # Whether the library formats this object as a scope.
      def bunraku_scope?
        true
      end

      private

      def qualified_name(name)
        @is_top && !name.start_with?('::') ? "::#{name}" : name
      end
    end

    # The functions that functions of the 4.x API can call: those of the compilation, through the running
    # call.
    #
    # @api private
    module FunctionCalls
      # Calls another function.
      def call_function(function_name, *args, &block)
        Registry.running_call.call_from_top(function_name.to_s, args, block)
      rescue ::ArgumentError => e
        raise unless e.message == "Unknown function '#{function_name}'"

        raise ::ArgumentError, "Function #{self.class.name}(): Unknown function: '#{function_name}'"
      end
    end

    # The further abilities of internal functions.
    #
    # @api private
    module ScopedFunctionCalls
      # Calls another function from a scope.
      def call_function_with_scope(scope, function_name, *args, &block)
        scope.call_function(function_name, args, &block)
      end
    end
  end
end

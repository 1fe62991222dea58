# frozen_string_literal: true

module Bunraku
  class Registry
    # What a scope is over a {Call}: variables, functions and resource defaults as the place sees them from
    # which a function was called. It is the same for the scopes of the own API (`puppet_api/scope.rb`) and
    # for those on Puppet's classes ({OnPuppet}).
    #
    # Who includes it has the members `@call`, `@is_top` (whether it is the top scope) and these methods:
    #
    # * `variable_missing(name, reason = nil)`: what looking for a variable gives that does not exist
    # * `default_parameter(name, value)`: a parameter among the defaults of a resource type
    # * `find_global_scope`: the top scope
    #
    # @api private
    module CallScope
      # @return [Call] of the function
      attr_reader :call

      # @param name [String] of a variable
      # @return [Object, nil] its value
      def lookupvar(name, _options = {})
        key = qualified_name(name)
        value = @call.variable(key)
        return value unless value.nil? && !@call.variable?(key)

        # A name without a namespace is told as it was given.
        plain = name.delete_prefix('::')
        return variable_missing(name) unless plain.include?('::')

        variable_missing(plain, @call.missing_variable(key))
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

      # @return [Boolean] whether a variable has a value that is not undef
      def include?(name)
        !@call.variable(qualified_name(name.to_s)).nil?
      end

      # @return [Boolean] whether there is a variable
      def exist?(name)
        @call.variable?(qualified_name(name.to_s))
      end
      alias bound? exist?

      # @return [Hash{String => Object}] the variables that it sees
      def to_hash(_recursive = true, _include_undef = false) # rubocop:disable Style/OptionalBooleanParameter
        @call.variables
      end

      # Calls a function of any kind.
      #
      # @param func_name [String, Symbol]
      # @param args [Array]
      def call_function(func_name, args, &block)
        return @call.call_from_top(func_name.to_s, Array(args), block) if @is_top

        @call.call_function(func_name.to_s, *args, &block)
      end

      # @param type [String] of resources, as in `File`
      # @return [Hash{Symbol => Object}] the defaults that hold here
      def lookupdefaults(type)
        @call.resource_defaults(type.to_s).to_h { |name, value| [name.to_sym, default_parameter(name.to_sym, value)] }
      end

      # @return [Object] the top scope
      def topscope
        find_global_scope
      end

      # @return [Object, nil] the scope around it
      def parent
        find_global_scope unless @is_top
      end

      # @return [String] `Scope(Class[main])`
      def to_s
        @is_top ? 'Scope(Class[main])' : @call.scope_name
      end

      # What the library takes it for when it has to call it something.
      def bunraku_scope?
        true
      end

      private

      def qualified_name(name)
        @is_top && !name.start_with?('::') ? "::#{name}" : name
      end
    end

    # What functions of the 4.x API call to call others: a compilation's functions, by the call that runs.
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

    # What internal functions can do beyond {FunctionCalls}.
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

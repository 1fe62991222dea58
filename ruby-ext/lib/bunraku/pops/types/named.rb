# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # A type that nothing resolves.
      class PTypeReferenceType < PAnyType
        attributes :type_string

        # @return [PAnyType] the type that a loader knows by this name, or itself
        def resolve(loader)
          found = TypeParser.singleton.parse(type_string, loader)
          found.is_a?(PTypeReferenceType) ? self : found
        end
      end

      # A name for a type.
      class PTypeAliasType < PAnyType
        @attributes = %i[name type_expr]

        # @param name [String]
        # @param type_expr [PAnyType, Object, nil] the type, or an expression of it
        # @param resolved_type [PAnyType, nil]
        def initialize(name, type_expr, resolved_type = nil)
          @name = name
          @type_expr = type_expr
          target = resolved_type || (type_expr if type_expr.is_a?(PAnyType))
          self.native = native_of(target) if target
        end

        # @return [String]
        def name
          @name || @native.name
        end

        # @return [PAnyType, Object, nil]
        attr_reader :type_expr

        # Resolves the expression.
        #
        # @param loader [Object] knows the types that it names
        # @return [PTypeAliasType] itself
        def resolve(loader)
          return self if @native || @type_expr.nil?

          text = TypeParser.text_of(@type_expr)
          of = Bunraku::Pops.call(ArgumentError) do
            Bunraku::Type.__send__(:native_define, name, text, Bunraku::Pops::Loader.of(loader))
          end
          self.native = of
          self
        end

        # @return [PAnyType] the type that it stands for
        def resolved_type
          raise Puppet::Error, "Reference to unresolved type #{name}" unless @native

          Bunraku::Pops.type(@native.resolved)
        end

        # @return [Boolean] whether the type contains itself
        def self_recursion?
          resolved_type.to_s.match?(/\b#{Regexp.escape(name)}\b/)
        end

        # See {PAnyType#callable_args?}.
        def callable_args?(callable, guard)
          resolved_type.callable_args?(callable, guard)
        end

        # @return [String]
        def to_s
          @native ? super : name
        end

        # Other methods are those of the type that it stands for.
        def method_missing(method, *arguments, &block)
          target = @native && resolved_type
          target.respond_to?(method) ? target.public_send(method, *arguments, &block) : super
        end

        def respond_to_missing?(method, include_private = false)
          @native && method != :to_ary ? resolved_type.respond_to?(method, include_private) : false
        end

        private

        def native_of(target)
          Bunraku::Type.__send__(:native_of_attributes, 'TypeAlias', [name, nil, target], Bunraku::Pops)
        end
      end

      # `Runtime[runtime, name]`
      class PRuntimeType < PAnyType
        attributes :name_or_pattern

        # @return [Symbol, nil]
        def runtime
          native_attributes['runtime']&.to_sym
        end

        # @return [String, nil]
        def runtime_type_name
          name_or_pattern if name_or_pattern.is_a?(String)
        end

        # @param name [String] a name of the language
        # @return [PRuntimeType] the type that the pattern makes of it
        def from_puppet_name(name)
          pattern, replacement = name_or_pattern
          PRuntimeType.new(runtime, name.sub(pattern, replacement))
        end

        # @return [Module, nil] the class of Ruby with this name
        def class_or_module
          raise "Only ruby classes or modules can be produced by this runtime, got '#{runtime}" unless runtime == :ruby

          Object.const_get(runtime_type_name)
        rescue NameError
          nil
        end

        private

        def make(given)
          super([given[0]&.to_s, given[1]])
        end

        @attributes = %i[runtime name_or_pattern]
      end

      # `Init[type, arguments]`
      class PInitType < PAnyType
        attributes :type, :init_args

        private

        def make(given)
          super([given[0], given[1] || []])
        end
      end

      # `URI[parameters]`
      class PURIType < PAnyType
        attributes :parameters
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    # Types of the language.
    module Types
      # What describes itself by a type of the language.
      class TypedModelObject; end

      # A type. Immutable; `==` compares what it accepts.
      class PAnyType < TypedModelObject
        class << self
          # Declares the attributes of a class of types: readers, and the parameters of `new` in this order.
          #
          # @param names [Array<Symbol>]
          # @return [void]
          def attributes(*names)
            @attributes = names
            names.each { |name| define_method(name) { attribute(name) } }
          end

          # @return [Array<Symbol>]
          def attribute_names
            @attributes || superclass.attribute_names
          end

          # @return [String] such as `Integer`
          def simple_name
            name[/P(\w+)Type\z/, 1]
          end

          # @param of [Bunraku::Type]
          # @return [PAnyType]
          # @api private
          def wrap(of)
            type = allocate
            type.__send__(:native=, of)
            type
          end

          # @return [PAnyType] as {new}
          def create(*arguments)
            new(*arguments)
          end

          # @return [PAnyType] the type that describes types of this class
          def _pcore_type
            Bunraku::Pops.type(Bunraku::Type.parse("Pcore::#{simple_name}Type"))
          end
        end

        @attributes = []

        # @return [Bunraku::Type]
        attr_reader :native

        # @param given [Array<Object>] the values of the attributes
        def initialize(*given)
          names = self.class.attribute_names
          raise ArgumentError, "wrong number of arguments (given #{given.size}, expected 0..#{names.size})" if given.size > names.size

          self.native = make(given)
          @given = names.zip(given).to_h
        end

        # @return [Boolean] whether an object is an instance
        def instance?(object, _guard = nil)
          Bunraku::Pops.call { @native.instance?(Bunraku::Pops.value(object)) }
        end
        alias really_instance? instance?
        alias === instance?

        # @param type [PAnyType, Class] a Ruby class stands for its Runtime type
        # @return [Boolean] whether every instance of another type is one of this type
        def assignable?(type, _guard = nil)
          Bunraku::Pops.call { @native.assignable?(TypeFactory.type_of(type).native) }
        end

        # @param types [PAnyType] the types of arguments: a Tuple or an Array
        # @return [Boolean] whether this Callable can be called with such arguments
        def callable?(types, _guard = nil)
          types.callable_args?(self, nil)
        end

        # @param callable [PCallableType]
        # @return [Boolean] whether the Callable can be called with arguments of this type
        def callable_args?(_callable, _guard)
          false
        end

        # @param arguments [Array<Object>]
        # @param block [Proc, nil]
        # @return [Boolean] whether this Callable can be called with arguments
        def callable_with?(arguments, block = nil)
          of = block && Bunraku::Pops.native(TypeCalculator.infer(block))
          @native.__send__(:native_callable_with?, Bunraku::Pops.value(arguments), of)
        end

        # @return [Boolean] whether all instances are lambdas; or undef, if `optional`
        def kind_of_callable?(optional = true, _guard = nil) # rubocop:disable Style/OptionalBooleanParameter
          @native.__send__(:native_callable?, optional)
        end

        # @return [Boolean] whether instances can be iterated over
        def iterable?(_guard = nil)
          @native.__send__(:native_iterable?)
        end

        # @return [PAnyType, nil] the Iterable of what iteration yields
        def iterable_type(_guard = nil)
          of = @native.__send__(:native_iterable_type)
          of && Bunraku::Pops.type(of)
        end

        # @return [PAnyType] without bounds and values
        def generalize
          Bunraku::Pops.type(@native.generalize)
        end

        # @return [PAnyType] in its simplest form
        def normalize(_guard = nil)
          Bunraku::Pops.type(@native.normalize)
        end

        # @return [PAnyType] itself, with the names in it resolved
        def resolve(_loader)
          self
        end

        # @return [PAnyType] the target of an alias; any other type itself
        def resolved_type
          self
        end

        # Makes an instance, as `Type.new` does in the language.
        #
        # @return [Object]
        def create(*arguments)
          Bunraku::Pops.call(ArgumentError) { @native.__send__(:native_instantiate, arguments, Bunraku::Pops::Loader.of(nil), Bunraku::Pops) }
        end

        # @return [String] such as `Integer`
        def simple_name
          self.class.simple_name
        end

        # @return [String] the name of an alias or Object type, or that of its kind
        def name
          simple_name
        end

        # @return [String] the type as it is written
        def to_s
          @native.to_s
        end
        alias inspect to_s

        # @return [String] the type as it is written, with aliases replaced by what they stand for
        def to_alias_expanded_s
          TypeFormatter.new.alias_expanded_string(self)
        end

        # @return [Boolean]
        def ==(other)
          other.is_a?(PAnyType) && self.class == other.class && @native == other.native
        end
        alias eql? ==

        # @return [Integer]
        def hash
          @native.hash
        end

        # @return [Boolean] whether the text of each instance makes an equal instance
        def roundtrip_with_string?
          false
        end

        # @return [PAnyType] the type that describes this type
        def _pcore_type
          self.class._pcore_type
        end

        # @return [Hash{String => Object}] the attributes
        def _pcore_init_hash
          native_attributes.reject { |_, value| value.nil? }
        end

        private

        def native=(of)
          @native = of
        end

        def make(given)
          values = given.map { |one| one.is_a?(Class) ? TypeFactory.type_of(one) : one }
          kind = self.class.simple_name
          Bunraku::Pops.call(ArgumentError) { Bunraku::Type.__send__(:native_of_attributes, kind, values, Bunraku::Pops) }
        end

        # The value of an attribute: the very object that the type was made of, if it still says the same.
        def attribute(name)
          @read ||= {}
          @read.fetch(name) do
            found = native_attributes[name.to_s]
            given = @given && @given[name]
            @read[name] = given.is_a?(PAnyType) && given == found ? given : found
          end
        end

        def native_attributes
          @native_attributes ||= Bunraku::Pops.call { @native.__send__(:native_attributes, Bunraku::Pops) }
        end
      end
    end
  end
end

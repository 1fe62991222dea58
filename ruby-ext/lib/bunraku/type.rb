# frozen_string_literal: true

module Bunraku
  # A type of the Puppet language. Immutable: any number of threads can use it.
  #
  # @example
  #   type = Bunraku::Type.parse('Struct[{port => Integer[1, 65535], Optional[host] => String}]')
  #   type.instance?({ 'port' => 80 })                  # => true
  #   type.mismatch({ 'port' => 0 }, name: 'settings')
  #   # => "settings entry 'port' expects an Integer[1, 65535] value, ..."
  #   Bunraku::Type.parse('Integer').new('0x1f', 16)    # => 31
  #
  # Ruby objects are interpreted as values of the language: nil is `undef`, the Symbols `:undef` and
  # `:default` are those values and other Symbols values of Ruby's runtime, a Time is a Timestamp, a Set an
  # Array, a String of bytes (ASCII-8BIT) a Binary, an object with `to_hash` a Hash, with `to_ary` an Array.
  # All other objects (a Range, a Rational, a Struct, a Date) are instances of `Runtime[ruby, 'their class']`
  # and of those of its superclasses and modules, also inside collections. A Proc is a Callable. A class or
  # module is a type, `Runtime[ruby, 'its name']`. As data such an object becomes its text, which is a loss,
  # and returns as a {Value} with that text. On JRuby such objects raise a TypeError.
  class Type
    # @!method instance?(object)
    #   @param object [Object] a Ruby object, or a {Value}, which needs no conversion
    #   @return [Boolean] whether it is an instance of this type
    # @!method assignable?(type)
    #   @param type [Type]
    #   @return [Boolean] whether every instance of that type is an instance of this one
    # @!method to_s
    #   @return [String] the type in the notation of the language
    # @!method name
    #   @return [String, nil] the name of an alias, an Object type or a TypeSet, or the language's name of the
    #     type; nil for an Object type without a name
    # @!method kind
    #   @return [String] such as `Integer`, `Variant`, `TypeAlias`
    # @!method describe_mismatch(name, actual)
    #   @param name [String] the beginning of the text
    #   @param actual [Type] a type that cannot be assigned to this one
    #   @return [String] the reference's message
    # @!method generalize
    #   @return [Type] the type without its bounds and values
    # @!method normalize
    #   @return [Type] the type in its simplest form
    # @!method resolved
    #   @return [Type] the target of an alias; any other type itself

    # Parses a type.
    #
    # @param text [String] a type in the language, such as `Array[String, 1]`
    # @param environment [Environment, nil] resolves the names of modules' types. Several threads can use it
    #   at the same time
    # @param allow_unresolved [Boolean] whether, without an environment, an unknown name is a `TypeReference`,
    #   which has no instances
    # @return [Type]
    # @raise [Error] the text is not a type, or names a type that is unknown without an environment
    def self.parse(text, environment: nil, allow_unresolved: false)
      native_parse(text, environment, allow_unresolved)
    end

    # The type of a Ruby object.
    #
    # @param object [Object]
    # @param method [Symbol, String] `:detailed` (arrays are Tuples, hashes Structs), `:reduced`, or
    #   `:generalized`, as with the language's function `type`
    # @return [Type]
    def self.infer(object, method = :detailed)
      native_infer(object, method.to_s)
    end

    # Returns the most specific type that several types can be assigned to.
    #
    # @param types [Array<Type, nil>] nil is ignored
    # @return [Type, nil] nil if the arguments contain no type
    # @raise [ArgumentError] an argument is neither a type nor nil; {.infer} gives the type of an object
    def self.common(*types)
      types.each do |type|
        raise ArgumentError, "types expected, got a #{type.class}" unless type.nil? || type.is_a?(Type)
      end
      types.compact.reduce { |common, other| native_common(common, other) }
    end

    # Makes a value, as `Type.new(...)` does in the language.
    #
    # @param arguments [Array<Object>]
    # @param environment [Environment, nil] provides the clock for `Timestamp.new`; nil for the system's
    # @return [Object] the value as a Ruby object
    # @raise [Error] the arguments do not make a value of this type
    def new(*arguments, environment: nil)
      native_new(arguments, environment)
    end

    # Explains why an object is not an instance.
    #
    # @param object [Object]
    # @param name [String] the beginning of the text
    # @return [String, nil] the reference's message; nil if the object is an instance
    def mismatch(object, name: '')
      native_mismatch(object, name)
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{self}>"
    end
  end

  # A value of the language without a class in Ruby (Sensitive, SemVer, Timespan, URI, objects), or a value
  # that stays native so that it is converted only once. Immutable: any number of threads can use it.
  #
  # @!method self.of(object)
  #   @param object [Object] a Ruby object
  #   @return [Value] the object as a native value
  # @!method to_ruby
  #   @return [Object] the Ruby object; itself if Ruby has no class for it
  # @!method to_s
  #   @return [String] the text of interpolation
  # @!method format(format)
  #   @param format [String, Hash] the second argument of `String.new`
  #   @return [String]
  # @!method type
  #   @return [Type] the reduced type
  # @!method to_data
  #   @return [Object] rich data
  # @!method unwrap
  #   @return [Object] the content of a Sensitive
  #   @raise [TypeError] the value is not a Sensitive
  # @!method attributes
  #   @return [Hash{String => Object}] the attributes of an object; empty for other values
  class Value
    # @return [String]
    def inspect
      "#<#{self.class} #{Type.infer(self, :generalized)}>"
    end
  end
end

# frozen_string_literal: true

require 'uri'

module Bunraku
  # The classes of the specification's Ruby API for types and data (`require 'bunraku/pops'`): they have
  # Puppet's names and are thin over {Type}, {Value} and {Pcore}.
  #
  # @example
  #   require 'bunraku/pops'
  #   type = Puppet::Pops::Types::TypeParser.singleton.parse('Array[Integer, 1]')
  #   type.instance?([1, 2])                                              # => true
  #   Puppet::Pops::Serialization::ToDataConverter.convert(/a/, rich_data: true)
  #   # => {"__ptype"=>"Regexp", "__pvalue"=>"a"}
  module Pops
    # The messages that say that a value or a type is not the expected one.
    ASSERTION = / (?:has|had) wrong type, | is incorrect, /.freeze

    # The message that a text is not a version.
    VERSION = /as a semantic version identifier/.freeze

    @registered = {}
    @implementations = {}

    class << self
      # @return [Hash{String => Puppet::Pops::Types::PAnyType}] the types of `Puppet::DataTypes.create_type`,
      #   by their names in lower case
      attr_reader :registered

      # @return [#call, nil] receives the message about each value that `ToDataConverter` makes a text, as
      #   without `:rich_data`; nil: such a value is an error
      attr_accessor :on_loss

      # Makes a type known, with the class of its instances.
      #
      # @api private
      def register(type, owner)
        name = type.name.downcase
        @implementations[name] = owner
        @registered[name] = type
      end

      # @return [Class, nil] the class of a type's instances
      # @api private
      def implementation(type)
        name = type.name.downcase
        @implementations[name] if @registered[name] == type
      end

      # @param of [Type]
      # @return [Puppet::Pops::Types::PAnyType]
      def type(of)
        kind = of.kind == 'ObjectTypeExtension' ? 'PObjectTypeExtension' : "P#{of.kind}Type"
        types.const_get(kind, false).wrap(of)
      end

      # @param of [Puppet::Pops::Types::PAnyType, Type]
      # @return [Type]
      def native(of)
        of.is_a?(types::PAnyType) ? of.native : of
      end

      # @return [Value]
      def value(object)
        Value.__send__(:native_meant, object, self)
      end

      # @param value [Value]
      # @return [Object]
      def object(value)
        value.__send__(:native_written, self)
      end

      # Calls the native library, and translates what it raises.
      #
      # @param error [Class] the class of other errors
      def call(error = Puppet::Error)
        yield
      rescue Bunraku::Error => e
        raise types::TypeAssertionError, e.basic_message if ASSERTION.match?(e.basic_message)

        raise @versions::Version::ValidationFailure, e.basic_message if VERSION.match?(e.basic_message)

        raise error, e.basic_message
      end

      # The interface of a registry: objects for values.

      # @api private
      def make_sensitive(value)
        types::PSensitiveType::Sensitive.new(value)
      end

      # @api private
      def make_type(of)
        type(of)
      end

      # @api private
      def make_binary(bytes)
        types::PBinaryType::Binary.new(bytes)
      end

      # @api private
      def make_timestamp(seconds, nanoseconds)
        pops::Time::Timestamp.new((seconds * 1_000_000_000) + nanoseconds)
      end

      # @api private
      def make_timespan(seconds, nanoseconds)
        pops::Time::Timespan.new((seconds * 1_000_000_000) + nanoseconds)
      end

      # @api private
      def make_other(value, kind)
        case kind
        when 'SemVer' then @versions::Version.parse(value.to_s)
        when 'SemVerRange' then @versions::VersionRange.parse(value.to_s)
        when 'URI' then URI.parse(value.to_s)
        when 'Object' then types::PuppetObject.of_native(value)
        else value
        end
      end

      # @api private
      # @return [Value, Type, Array, nil] the value that an object represents; an Array hides its only element
      def meaning_of(object)
        case object
        when types::PAnyType then object.native
        when @versions::Version, @versions::VersionRange then version(object)
        else
          return object.bunraku_meaning if object.respond_to?(:bunraku_meaning)

          implemented(object)
        end
      end

      # @api private
      def assert_same(_object); end

      # @api private
      # @return [Module] `Puppet::Pops`, and that of these classes if Puppet was loaded since
      attr_reader :pops

      # @api private
      def types
        @pops::Types
      end

      # @api private
      def connect(pops, versions)
        @pops = pops
        @versions = versions
      end

      private

      def version(object)
        kind = object.is_a?(@versions::Version) ? 'SemVer' : 'SemVerRange'
        Type.parse(kind).new(object.to_s)
      end

      # The value of an object whose class describes itself by an Object type.
      def implemented(object)
        return unless object.class.respond_to?(:_pcore_type) || object.singleton_methods(false).include?(:_pcore_type)

        types::PuppetObject.meaning(object)
      end
    end
  end
end

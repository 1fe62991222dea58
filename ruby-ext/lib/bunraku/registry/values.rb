# frozen_string_literal: true

module Bunraku
  class Registry
    # The Ruby form of the language's values for which Ruby has no class: the classes in the root under
    # `Puppet` and `SemanticPuppet`. The library converts every such argument and result of a function here.
    #
    # @api private
    module Values
      # @return [Object] a Sensitive with this content
      def make_sensitive(value)
        types::PSensitiveType::Sensitive.new(value)
      end

      # @param of [Type]
      # @return [Object] a `PAnyType`
      def make_type(of)
        types.wrap(of)
      end

      # @param of [Type]
      # @return [Object] the form of a type for functions of the 3.x API: references to resources are
      #   resources
      def make_legacy_type(of)
        type = types.wrap(of)
        type.is_a?(types::PCatalogEntryType) ? type.to_resource : type
      end

      # @param bytes [String]
      def make_binary(bytes)
        types::PBinaryType::Binary.from_binary_string(bytes)
      end

      def make_timestamp(seconds, nanoseconds)
        puppet::Pops::Time::Timestamp.new((seconds * 1_000_000_000) + nanoseconds)
      end

      def make_timespan(seconds, nanoseconds)
        puppet::Pops::Time::Timespan.new((seconds * 1_000_000_000) + nanoseconds)
      end

      # @param value [Value]
      # @param kind [String] `SemVer`, `SemVerRange`, `URI`, `Object`, `LookupContext`, `Iterator`
      def make_other(value, kind)
        case kind
        when 'SemVer' then @root.const_get(:SemanticPuppet)::Version.parse(value.to_s)
        when 'SemVerRange' then @root.const_get(:SemanticPuppet)::VersionRange.parse(value.to_s)
        when 'URI' then URI.parse(value.to_s)
        when 'LookupContext' then LookupContext.new(value, types::Iterable, @file_data)
        when 'Iterator' then types::Iterable.of_native(value)
        else value
        end
      end

      # The value that an object of these classes represents.
      #
      # @return [Array, String, Value, Type, nil] an Array contains the content of a Sensitive; a String is
      #   always the bytes of a Binary; nil means that the object is none of these
      def meaning_of(object)
        object.bunraku_meaning if object.respond_to?(:bunraku_meaning)
      end

      # Receives a String of another class or encoding than the language has, before it is converted.
      #
      # @return [nil]
      def assert_same(_object); end

      # The exception for a function whose callback into the compilation has failed. It is of one of Puppet's
      # classes, so that functions can rescue it as they do in Puppet. The exception of another function is
      # passed on unchanged, unless something was added to it.
      #
      # @param kind [String] `preformatted`, `argument`, `puppet`, `lookup`, `other`
      # @param error [Error]
      # @return [Exception]
      def raised(kind, error)
        cause = error.cause
        return cause if cause && cause.message == error.message

        place = [error.file, error.line, error.column]
        case kind
        when 'argument' then ::ArgumentError.new(error.message)
        when 'preformatted' then puppet::PreformattedError.new(error.basic_message, *place, cause, error.issue_code&.to_sym)
        when 'puppet' then puppet::ParseError.new(error.basic_message, *place, cause)
        when 'lookup' then puppet::DataBinding::LookupError.new(error.message)
        else error
        end
      end

      # @return [Value] an object that stays native
      def native(object)
        Value.__send__(:native_of, object, self)
      end

      # @param of [Class] `Timestamp` or `Timespan` of the root
      # @param value [Time, Value]
      # @return [Object] of that class
      def make_time(of, value)
        return of.from_time(value) if value.is_a?(::Time)

        sign, days, hours, minutes, seconds, fraction = value.to_s.match(/\A(-?)(\d+)-(\d+):(\d+):(\d+)\.(\d+)\z/).captures
        of.from_fields(sign == '-', days.to_i, hours.to_i, minutes.to_i, seconds.to_i, 0, 0, fraction.ljust(9, '0').to_i)
      end

      # The replacement for an argument of which only the type is reported.
      #
      # @return [Object]
      def describable(object)
        object.respond_to?(:bunraku_scope?) ? Value.of(:'Puppet::Parser::Scope') : object
      end

      # @return [Boolean] whether a function's class overrides `call`
      def own_call?(created)
        created.instance_method(:call).owner != puppet::Pops::Functions::Function
      end

      # @return [Array] the dispatches of a function's class
      def dispatches(created)
        created.dispatcher.dispatchers
      end

      # @return [Array<String>] the types that a function's class defines for its signatures
      def local_types(created)
        created.local_type_texts
      end

      # @return [Proc] the lambda that was passed to a call
      def block(call)
        puppet::Pops::Evaluator::PuppetProc.of(call)
      end

      private

      def puppet
        @puppet_module ||= @root.const_get(:Puppet)
      end

      def types
        @types ||= puppet::Pops::Types
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Writes the items of a stream: plain values, and those of {Extension}. A text, the start of an object
      # and most values without parts are written as a number when they were written before.
      #
      # A subclass has the methods `pack_scalar(value)`, `pack_extension(number, payload, items)` and
      # `finish`, and `pack_binary(bytes)` if it has a form for bytes.
      class AbstractWriter
        # @param options [Hash{Symbol => Object}] `:tabulate`: whether repeated items are written as a number
        def initialize(options = {})
          @tabulates = options.fetch(:tabulate, true)
          @known = {}
        end

        # @param value [Object] an item
        # @return [void]
        # @raise [SerializationError] the value has no form in a stream
        def write(value) # rubocop:disable Metrics/MethodLength
          case value
          when Integer
            raise SerializationError, 'Integer out of bounds' unless value.between?(MIN_INTEGER, MAX_INTEGER)

            pack_scalar(value)
          when nil, true, false, Float then pack_scalar(value)
          when String then text(value)
          when Symbol then pack_extension(Extension::SYMBOL, [value.to_s], 0)
          when Extension::Tabulation then pack_extension(Extension::TABULATION, [value.index], 0)
          when Extension::ArrayStart then pack_extension(Extension::ARRAY_START, [value.size], value.size)
          when Extension::MapStart then pack_extension(Extension::MAP_START, [value.size], value.size * 2)
          when Extension::SensitiveStart then pack_extension(Extension::SENSITIVE_START, [], 0)
          when Extension::Default then pack_extension(Extension::DEFAULT, [], 0)
          when Extension::Comment then pack_extension(Extension::COMMENT, [value.comment], 0)
          when Extension::PcoreObjectStart then once(value) { pcore_object_start(value) }
          when Extension::ObjectStart then once(value) { pack_extension(Extension::OBJECT_START, [value.attribute_count], value.attribute_count) }
          else plain(value)
          end
        end

        # Ends the stream.
        #
        # @return [void]
        def finish
          raise NotImplementedError, "#{self.class} has no finish"
        end

        # @return [Boolean] whether there is a form for bytes
        def supports_binary?
          respond_to?(:pack_binary, true)
        end

        private

        def plain(value)
          case value
          when Regexp then once(value) { pack_extension(Extension::REGEXP, [Types::PRegexpType.regexp_to_s(value)], 0) }
          when Types::PTypeReferenceType then once(value) { pack_extension(Extension::TYPE_REFERENCE, [value.type_string], 0) }
          when Time::Timestamp then pack_extension(Extension::TIME, value.nsecs.divmod(Time::NSECS_PER_SEC), 0)
          when Time::Timespan then pack_extension(Extension::TIMESPAN, value.nsecs.divmod(Time::NSECS_PER_SEC), 0)
          when SemanticPuppet::Version then pack_extension(Extension::VERSION, [value.to_s], 0)
          when SemanticPuppet::VersionRange then once(value) { pack_extension(Extension::VERSION_RANGE, [value.to_s], 0) }
          when Types::PBinaryType::Binary then once(value) { binary(value) }
          when ::URI::Generic
            raise SerializationError, 'Unable to serialize a URI::Generic' if value.instance_of?(::URI::Generic)

            once(value) { pack_extension(Extension::URI, [value.to_s], 0) }
          else raise SerializationError, "Unable to serialize a #{value.class.name}"
          end
        end

        def text(value)
          return once(Types::PBinaryType::Binary.new(value)) { |bytes| binary(bytes) } if value.encoding == Encoding::ASCII_8BIT

          value = value.encode(Encoding::UTF_8)
          once(value) { pack_scalar(value) }
        end

        def binary(value)
          supports_binary? ? pack_binary(value.binary_buffer) : pack_extension(Extension::BASE64, [value.to_s], 0)
        end

        # The segments of the name are texts of their own.
        def pcore_object_start(start)
          segments = start.type_name.split('::').map do |segment|
            index = @tabulates ? @known[segment] : nil
            @known[segment] = @known.size if index.nil? && !@known.key?(segment)
            index || segment
          end
          payload = [segments.size, *segments, start.attribute_count]
          pack_extension(Extension::PCORE_OBJECT_START, payload, start.attribute_count)
        end

        # Writes an item, or its number if it was written before.
        def once(value)
          index = @tabulates ? @known[value] : nil
          return pack_extension(Extension::INNER_TABULATION, [index], 0) if index

          yield(value)
          @known[@tabulates ? value : Object.new] = @known.size
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Reads the items of a stream: plain values, and those of {Extension}.
      #
      # A subclass has the methods `next_piece`, which returns a plain value or {START} before the number and
      # the payload of an extension, and `next_bytes` if there is a form for bytes.
      class AbstractReader
        # What begins an extension.
        START = Object.new.freeze

        def initialize(_options = {})
          @known = []
        end

        # @return [Integer] the number of items that can be repeated so far
        def primitive_count
          @known.size
        end

        # @return [Object] the next item
        # @raise [SerializationError] the stream is damaged or at its end
        def read
          piece = next_piece
          return piece.is_a?(String) ? keep(piece) : piece unless piece.equal?(START)

          extension(next_piece)
        end

        private

        def extension(number) # rubocop:disable Metrics/MethodLength
          case number
          when Extension::INNER_TABULATION then @known[count]
          when Extension::TABULATION then Extension::Tabulation.new(count)
          when Extension::ARRAY_START then Extension::ArrayStart.new(count)
          when Extension::MAP_START then Extension::MapStart.new(count)
          when Extension::PCORE_OBJECT_START then pcore_object_start
          when Extension::OBJECT_START then keep(Extension::ObjectStart.new(count))
          when Extension::SENSITIVE_START then Extension::SensitiveStart
          when Extension::DEFAULT then Extension::Default
          when Extension::COMMENT then keep(Extension::Comment.new(text))
          when Extension::SYMBOL then text.to_sym
          when Extension::TIME then Time::Timestamp.new(nanoseconds)
          when Extension::TIMESPAN then Time::Timespan.new(nanoseconds)
          when Extension::VERSION then SemanticPuppet::Version.parse(text)
          else tabulated(number)
          end
        end

        def tabulated(number)
          case number
          when Extension::REGEXP then keep(Regexp.new(text))
          when Extension::TYPE_REFERENCE then keep(Types::PTypeReferenceType.new(text))
          when Extension::VERSION_RANGE then keep(SemanticPuppet::VersionRange.parse(text))
          when Extension::BINARY then keep(Types::PBinaryType::Binary.from_binary_string(next_bytes))
          when Extension::BASE64 then keep(Types::PBinaryType::Binary.from_base64_strict(text))
          when Extension::URI then keep(::URI.parse(text))
          else raise SerializationError, "Invalid input. #{number.inspect} is not a valid extension number"
          end
        end

        def pcore_object_start
          segments = Array.new(count) do
            piece = next_piece
            piece.is_a?(Integer) ? @known[piece] : keep(piece)
          end
          keep(Extension::PcoreObjectStart.new(segments.join('::'), count))
        end

        def nanoseconds
          (number * Time::NSECS_PER_SEC) + number
        end

        def number
          expected(next_piece, Integer)
        end

        def count
          number.tap { |count| raise SerializationError, 'a number of items is negative' if count.negative? }
        end

        def text
          expected(next_piece, String)
        end

        def expected(piece, kind)
          piece.is_a?(kind) ? piece : raise(SerializationError, "the stream is damaged: #{kind} expected")
        end

        def keep(item)
          @known << item
          item
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Binary`
      class PBinaryType < PAnyType
        # Bytes.
        class Binary
          class << self
            # @param text [String] base64, which may have line breaks
            # @return [Binary]
            # @raise [ArgumentError] the text is not base64
            def from_base64(text)
              new(text.gsub(/[\r\n]+/, '').unpack1('m0'))
            end

            # @param text [String] base64 without line breaks
            # @return [Binary]
            def from_base64_strict(text)
              new(text.unpack1('m0'))
            end

            # @param text [String] base64 for URLs
            # @return [Binary]
            def from_base64_urlsafe(text)
              new(text.tr('-_', '+/').unpack1('m'))
            end

            # @param text [String] in any encoding
            # @return [Binary] the bytes of the text in UTF-8
            def from_string(text)
              new(text.encode(Encoding::UTF_8))
            end

            # @param bytes [String]
            # @return [Binary]
            def from_binary_string(bytes)
              new(bytes)
            end
          end

          # @return [String] the bytes
          attr_reader :binary_buffer

          # @param bytes [String]
          def initialize(bytes)
            @binary_buffer = bytes.b.freeze
          end

          # @return [String] base64 without line breaks
          def to_s
            [@binary_buffer].pack('m0')
          end

          # @return [String] base64 with line breaks
          def relaxed_to_s
            [@binary_buffer].pack('m')
          end

          # @return [String] base64 for URLs
          def urlsafe_to_s
            to_s.tr('+/', '-_')
          end

          # @return [Integer] the number of bytes
          def length
            @binary_buffer.bytesize
          end

          # @return [Boolean]
          def ==(other)
            other.is_a?(Binary) && other.binary_buffer == binary_buffer
          end
          alias eql? ==

          # @return [Integer]
          def hash
            @binary_buffer.hash
          end

          # The value in the language.
          def bunraku_meaning
            Bunraku::Value.of(@binary_buffer)
          end
        end
      end
    end
  end
end

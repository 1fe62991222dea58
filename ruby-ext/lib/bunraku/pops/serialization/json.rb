# frozen_string_literal: true

require 'json'

module Puppet
  module Pops
    module Serialization
      # Streams in JSON: one list of all items. An extension is a list of its number, its payload, and the
      # items that it announces.
      module JSON
        # Writes a stream.
        class Writer < AbstractWriter
          # @param out [#<<] receives the text at the end
          # @param options [Hash{Symbol => Object}] those of {AbstractWriter}
          def initialize(out, options = {})
            super(options)
            @out = out
            @text = +'['
            @announced = []
          end

          # See {AbstractWriter#finish}.
          def finish
            @text.chomp!(',')
            @out << @text << ']'
            @text = +'['
            self
          end

          private

          def pack_scalar(value)
            @text << ::JSON.generate(value)
            delimit
          rescue ::JSON::GeneratorError => e
            raise SerializationError, e.message
          end

          def pack_extension(number, payload, items)
            @text << '[' << [number, *payload].map { |part| ::JSON.generate(part) }.join(',')
            return close if items.zero?

            @text << ','
            @announced << items
          end

          def close
            @text << ']'
            delimit
          end

          # Closes lists when all that was announced is written.
          def delimit
            while @announced.last == 1
              @announced.pop
              @text << ']'
            end
            @announced[-1] -= 1 if @announced.last
            @text << ','
          end
        end

        # Reads a stream.
        class Reader < AbstractReader
          # @param input [#read, String]
          # @param options [Hash{Symbol => Object}] those of {AbstractReader}
          def initialize(input, options = {})
            super(options)
            @input = input
          end

          private

          def next_piece
            @pieces ||= pieces
            raise SerializationError, 'Unexpected end of input' if @pieces.empty?

            @pieces.shift
          end

          def pieces
            text = @input.respond_to?(:read) ? @input.read : @input
            list = ::JSON.parse(text)
            raise SerializationError, "JSON stream is not an array. It is a #{list.class.name}" unless list.is_a?(Array)

            list.each_with_object([]) { |part, flat| add(part, flat) }
          rescue ::JSON::ParserError => e
            raise SerializationError, e.message
          end

          def add(part, flat)
            return flat << part unless part.is_a?(Array)

            flat << START
            part.each { |one| add(one, flat) }
          end
        end
      end
    end
  end
end

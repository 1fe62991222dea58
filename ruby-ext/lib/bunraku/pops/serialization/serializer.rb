# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Writes values to a stream that has each object once.
      class Serializer
        # @return [AbstractWriter]
        attr_reader :writer

        # @param writer [AbstractWriter]
        # @param options [Hash{Symbol => Object}] `:type_by_reference`: whether the types of objects are
        #   named; otherwise they are written out
        def initialize(writer, options = {})
          @writer = writer
          @names_types = options[:type_by_reference] || false
          @numbers = {}.compare_by_identity
        end

        # @param value [Object]
        # @return [void]
        # @raise [SerializationError] a part of the value has no form in a stream
        def write(value)
          case value
          when Integer, Float, String, true, false, nil then @writer.write(value)
          when :default then @writer.write(Extension::Default)
          else
            number = @numbers[value]
            number ? @writer.write(Extension::Tabulation.new(number)) : write_first(value)
          end
        end

        # Ends the stream.
        #
        # @return [void]
        def finish
          @writer.finish
        end

        private

        def write_first(value)
          return write_sensitive(value) if value.is_a?(Types::PSensitiveType::Sensitive)
          return write_object(value) if object?(value)

          remember(value)
          case value
          when Array
            @writer.write(Extension::ArrayStart.new(value.size))
            value.each { |element| write(element) }
          when Hash
            @writer.write(Extension::MapStart.new(value.size))
            value.each_pair { |key, element| [key, element].each { |one| write(one) } }
          else write_plain(value)
          end
        end

        def write_sensitive(value)
          @writer.write(Extension::SensitiveStart)
          write(value.unwrap)
        end

        def write_plain(value)
          @writer.write(value)
        rescue SerializationError => e
          raise e unless e.message.start_with?('Unable to serialize a ') && !value.is_a?(::URI::Generic)

          raise SerializationError, "No Puppet Type found for #{value.class.name}"
        end

        def object?(value)
          return false if value.is_a?(Types::PTypeReferenceType)

          value.is_a?(Types::TypedModelObject) || value.is_a?(Types::PuppetObject) || value.class.respond_to?(:_pcore_type)
        end

        def write_object(value)
          name, type, attributes = Bunraku::Pops.call(SerializationError) { Bunraku::Pops.value(value).__send__(:native_described, Bunraku::Pops) }
          if type && !@names_types
            @writer.write(Extension::ObjectStart.new(attributes.size + 1))
            write(type_of(type))
            remember(value)
          else
            remember(value)
            @writer.write(Extension::PcoreObjectStart.new(name, attributes.size))
          end
          attributes.each { |attribute| write(attribute) }
        end

        # The same object for equal types.
        def type_of(type)
          (@types ||= {})[type] ||= type
        end

        def remember(value)
          @numbers[value] = @numbers.size
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Reads the values of a stream.
      class Deserializer
        # @return [AbstractReader]
        attr_reader :reader

        # @param reader [AbstractReader]
        # @param loader [Object, nil] resolves the names of types, as with {Types::TypeParser#parse}
        def initialize(reader, loader = nil)
          @reader = reader
          @loader = Bunraku::Pops::Loader.of(loader)
          @values = []
          @types = {}
        end

        # @return [Object] the next value
        # @raise [SerializationError, Puppet::Error] the stream is damaged, or names unknown types
        def read
          item = @reader.read
          case item
          when Extension::Tabulation then @values[item.index]
          when Extension::Default then :default
          when Extension::ArrayStart
            list = remember([])
            item.size.times { list << read }
            list
          when Extension::MapStart
            map = remember({})
            item.size.times { map[read] = read }
            map
          when Extension::SensitiveStart then Types::PSensitiveType::Sensitive.new(read)
          when Extension::PcoreObjectStart then object(type_named(item.type_name), item.attribute_count)
          when Extension::ObjectStart then object(read, item.attribute_count - 1)
          when Extension::Comment then read
          when Integer, Float, String, true, false, nil then item
          else remember(item)
          end
        end

        private

        def remember(value)
          @values << value
          value
        end

        def type_named(name)
          @types[name] ||= begin
            type = Types::TypeParser.singleton.parse(name, @loader)
            raise Puppet::Error, "No implementation mapping found for Puppet Type #{name}" if type.is_a?(Types::PTypeReferenceType)

            type
          end
        end

        def object(type, count)
          index = @values.size
          remember(nil)
          arguments = Array.new(count) { read }
          type = type.base_type if type.is_a?(Types::PObjectTypeExtension)
          own = type.implementation_class if type.respond_to?(:implementation_class)
          @values[index] = own ? own.new(*arguments) : Bunraku::Pops.call { type.native.__send__(:native_create, arguments, Bunraku::Pops) }
        end
      end
    end
  end
end

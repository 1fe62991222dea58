# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # What classes include whose instances have an Object type, which `self._pcore_type` returns. The
      # attributes are methods.
      module PuppetObject
        # An object of a type without a class in Ruby. Its attributes are methods.
        class Instance
          include PuppetObject

          # @param native [Bunraku::Value]
          def initialize(native)
            @native = native
          end

          # The value in the language.
          def bunraku_meaning
            @native
          end

          # @return [PAnyType]
          def _pcore_type
            Bunraku::Pops.type(@native.type)
          end

          # @return [String]
          def to_s
            @native.to_s
          end

          # @return [Boolean]
          def ==(other)
            other.is_a?(Instance) && @native == other.bunraku_meaning
          end
          alias eql? ==

          # @return [Integer]
          def hash
            @native.hash
          end

          def method_missing(name, *arguments)
            key = name.to_s
            return super unless arguments.empty? && attributes.key?(key)

            @read ||= {}
            @read.fetch(key) { @read[key] = Bunraku::Pops.object(Bunraku::Value.of(attributes[key])) }
          end

          def respond_to_missing?(name, include_private = false)
            attributes.key?(name.to_s) || super
          end

          private

          def attributes
            @attributes ||= @native.attributes
          end
        end

        class << self
          # @param value [Bunraku::Value] an object of an Object type
          # @return [Object]
          # @api private
          def of_native(value)
            found = value.attributes
            type = value.type
            return PStructElement.new(*found.values.map { |of| Bunraku::Pops.type(of) }) if type.name == 'Pcore::StructElement'

            own = Bunraku::Pops.registered[type.name.to_s.downcase]
            own ? implemented(own, found) : Instance.new(value)
          end

          # @param object [Object] whose class has an Object type
          # @return [Bunraku::Value]
          # @api private
          def meaning(object)
            type = object._pcore_type
            attributes = type.attributes(true).reject { |_, one| %w[derived constant].include?(one.kind) }
            values = attributes.to_h { |name, _| [name, Bunraku::Pops.value(object.public_send(name))] }
            type.native.new(values)
          end

          private

          def implemented(type, attributes)
            given = type.attributes(true).reject { |_, one| %w[derived constant].include?(one.kind) }
            values = given.keys.map { |name| Bunraku::Pops.object(Bunraku::Value.of(attributes[name])) }
            type.implementation_class.new(*values)
          end
        end

        # @return [PObjectType]
        def _pcore_type
          self.class._pcore_type
        end

        # @return [Hash{String => Object}] the attributes without those that have their default
        def _pcore_init_hash
          values = _pcore_type.attributes(true).to_h { |name, _| [name, public_send(name)] }
          values.reject { |name, value| _pcore_type[name].default_value?(value) }
        end
      end
    end
  end
end

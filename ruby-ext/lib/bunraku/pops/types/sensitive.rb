# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Sensitive[of]`
      class PSensitiveType < PTypeWithContainedType
        # A value that must not be shown.
        class Sensitive
          # @param value [Object]
          def initialize(value)
            @value = value
          end

          # @return [Object] the content
          def unwrap
            @value
          end

          # @return [String]
          def to_s
            'Sensitive [value redacted]'
          end

          # @return [String]
          def inspect
            "#<#{self}>"
          end

          # @return [Boolean]
          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==

          # @return [Integer]
          def hash
            @value.hash
          end

          # The value in the language: a list hides its only element.
          def bunraku_meaning
            [@value]
          end
        end

        # @return [PAnyType]
        def type
          text = to_s[/\ASensitive\[(.*)\]\z/m, 1]
          text ? TypeParser.singleton.parse(text) : PAnyType::DEFAULT
        end

        private

        def make(given)
          TypeFactory.keyed('Sensitive', given.compact).native
        end
      end
    end
  end
end

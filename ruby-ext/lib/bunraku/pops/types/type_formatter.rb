# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Writes types.
      class TypeFormatter
        class << self
          # @return [TypeFormatter]
          def singleton
            @singleton ||= new
          end

          # @return [String]
          def string(type)
            singleton.string(type)
          end
        end

        # @return [String] a type or another value as the language writes it
        def string(type)
          case type
          when PAnyType then type.to_s
          when Module then TypeFactory.type_of(type).to_s
          else Bunraku::Pops.value(type).format('%p')
          end
        end

        # @return [String] a type with aliases replaced by what they stand for
        def alias_expanded_string(type)
          type.is_a?(PTypeAliasType) ? "#{type.name} = #{type.resolved_type}" : string(type)
        end

        # @return [String]
        def debug_string(type)
          return string(type) unless type.is_a?(PStringType) && type.value

          "String[#{string(type.value)}]"
        end

        # @return [String] `Foo::Bar` of `foo::bar`
        def capitalize_segments(name)
          name.split('::', -1).map { |part| part.empty? ? part : part[0].upcase + part[1..] }.join('::')
        end
      end
    end
  end
end

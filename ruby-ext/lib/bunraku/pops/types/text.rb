# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `String[size]`, or the type of one text
      class PStringType < PScalarDataType
        attributes :size_type_or_value

        # @return [String, nil] the only instance
        def value
          size_type_or_value if size_type_or_value.is_a?(String)
        end

        # @return [Array<String>]
        def values
          [*value]
        end

        # @return [PIntegerType, nil] the number of characters
        def size_type
          size_type_or_value if size_type_or_value.is_a?(PIntegerType)
        end

        private

        def make(given)
          given = [nil] if given.first.is_a?(PIntegerType) && given.first.from.to_i <= 0 && given.first.to.nil?
          super
        end
      end

      # `Enum[values]`
      class PEnumType < PScalarDataType
        include Enumerable

        attributes :values, :case_insensitive

        # @return [Boolean]
        def case_insensitive?
          case_insensitive
        end

        # Calls the block with each value.
        def each(&block)
          values.each(&block)
        end

        private

        def make(given)
          super([given[0].uniq.sort, *given[1..]])
        end
      end

      # `Pattern[patterns]`
      class PPatternType < PScalarDataType
        # @return [Array<PRegexpType>]
        def patterns
          @patterns ||= native_attributes['patterns'].map { |one| one.is_a?(PRegexpType) ? one : PRegexpType.new(one) }
        end

        private

        def make(given)
          TypeFactory.keyed('Pattern', given.fetch(0, [])).native
        end

        @attributes = [:patterns]
      end

      # `Regexp[pattern]`
      class PRegexpType < PScalarType
        attributes :pattern

        # @param regexp [Regexp]
        # @return [String] as it is written
        def self.regexp_to_s_with_delimiters(regexp)
          "/#{regexp_to_s(regexp).gsub(%r{(?<!\\)/}, '\\/')}/"
        end

        # @param regexp [Regexp]
        # @return [String] its source, with the options in it
        def self.regexp_to_s(regexp)
          (regexp.options & 7).zero? ? regexp.source : regexp.to_s
        end

        # @return [Regexp]
        def regexp
          @regexp ||= pattern.is_a?(Regexp) ? pattern : Regexp.new(pattern || '')
        end
      end
    end
  end
end

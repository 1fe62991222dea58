# frozen_string_literal: true

module Puppet
  module Pops
    module Time
      # A duration.
      class Timespan < TimeData
        # The units of a duration: nanoseconds, and how many there are in the next one.
        UNITS = { days: [NSECS_PER_DAY, nil], hours: [NSECS_PER_HOUR, 24], minutes: [NSECS_PER_MIN, 60], seconds: [NSECS_PER_SEC, 60],
                  milliseconds: [NSECS_PER_MSEC, 1000], microseconds: [NSECS_PER_USEC, 1000], nanoseconds: [1, 1000] }.freeze

        class << self
          # @return [Timespan]
          def from_fields(negative, days, hours, minutes, seconds, milliseconds = 0, microseconds = 0, nanoseconds = 0) # rubocop:disable Metrics/ParameterLists
            fields = [days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds]
            nsecs = UNITS.values.zip(fields).sum { |(length, _), count| length * (count || 0) }
            new(negative ? -nsecs : nsecs)
          end

          # @param hash [Hash{String => Object}] the fields, or `string` and `format`
          # @return [Timespan]
          def from_hash(hash)
            hash['string'] ? from_string_hash(hash) : from_fields_hash(hash)
          end

          # @return [Timespan]
          def from_string_hash(hash)
            parse(hash['string'], *hash['format'])
          end

          # @return [Timespan]
          def from_fields_hash(hash)
            from_fields(hash['negative'] || false, *UNITS.keys.map { |name| hash[name.to_s] || 0 })
          end

          # @param text [String]
          # @param formats [Array<String>] the first that fits is used
          # @return [Timespan]
          # @raise [ArgumentError] the text has none of the formats
          def parse(text, *formats)
            formats.flatten!
            # A single format that is wrong is told; of several, the others are tried.
            given = { 'string' => text, 'format' => formats.size == 1 ? formats.first : formats }
            given = text if formats.empty?
            value = Bunraku::Pops.call(ArgumentError) { Bunraku::Type.parse('Timespan').new(given) }
            Bunraku::Pops.object(value)
          end
        end

        # @return [Boolean]
        def negative?
          @nsecs.negative?
        end

        # @return [Timespan, Timestamp]
        def +(other)
          case other
          when Timestamp then other + self
          when Integer, Float, Timespan then Timespan.new(nsecs + nanoseconds(other))
          else not_an_operand('+', other)
          end
        end

        # @return [Timespan]
        def -(other)
          case other
          when Integer, Float, Timespan then Timespan.new(nsecs - nanoseconds(other))
          else not_an_operand('-', other)
          end
        end

        # @return [Timespan]
        def -@
          Timespan.new(-nsecs)
        end

        # @return [Timespan]
        def *(other)
          return Timespan.new((nsecs * other).to_i) if other.is_a?(Integer) || other.is_a?(Float)

          not_an_operand('*', other)
        end

        # @return [Array] the quotient, and the rest as a Timespan
        def divmod(other)
          case other
          when Timespan
            quotient, rest = nsecs.divmod(other.nsecs)
            [quotient, Timespan.new(rest)]
          when Integer, Float
            quotient, rest = nsecs.divmod(nanoseconds(other))
            [Timespan.new(quotient * NSECS_PER_SEC), Timespan.new(rest.to_i)]
          else not_an_operand('divmod', other)
          end
        end

        # @return [Object] the rest
        def modulo(other)
          divmod(other)[1]
        end
        alias % modulo

        # @return [Object] the whole quotient
        def div(other)
          case other
          when Timespan then nsecs.div(other.nsecs)
          when Integer, Float then Timespan.new(nsecs.div(other))
          else not_an_operand('div', other)
          end
        end

        # @return [Float, Timespan]
        def /(other)
          case other
          when Timespan then nsecs.fdiv(other.nsecs)
          when Integer, Float then Timespan.new(nsecs.div(other))
          else not_an_operand('/', other)
          end
        end

        UNITS.each do |name, (length, most)|
          define_method(name) do
            count = nsecs.abs / length
            most ? count % most : count
          end

          define_method("total_#{name}") { (negative? ? -1 : 1) * (nsecs.abs / length) }
        end

        # @param compact [Boolean] whether the fields are only seconds and nanoseconds
        # @return [Hash{String => Object}] the fields that are not zero
        def to_hash(compact = false) # rubocop:disable Style/OptionalBooleanParameter
          fields =
            if compact
              sign = negative? ? -1 : 1
              { 'seconds' => sign * (nsecs.abs / NSECS_PER_SEC), 'nanoseconds' => sign * (nsecs.abs % NSECS_PER_SEC) }
            else
              UNITS.keys.to_h { |name| [name.to_s, public_send(name)] }
            end
          fields.reject! { |_, count| count.zero? }
          fields['negative'] = true if negative? && !compact
          fields
        end

        # The value in the language.
        def bunraku_meaning
          native
        end

        private

        def native
          @native ||= begin
            sign = negative? ? -1 : 1
            seconds, rest = nsecs.abs.divmod(NSECS_PER_SEC)
            Bunraku::Type.parse('Timespan').new(0, 0, 0, sign * seconds, 0, 0, sign * rest)
          end
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Time
      # A point in time.
      class Timestamp < TimeData
        class << self
          # @return [Timestamp]
          def now
            from_time(::Time.now)
          end

          # @param time [::Time]
          # @return [Timestamp]
          def from_time(time)
            new((time.to_i * NSECS_PER_SEC) + time.nsec)
          end

          # @param hash [Hash{String => String}] `string`, `format`, `timezone`
          # @return [Timestamp]
          def from_hash(hash)
            parse(hash['string'], *hash.values_at('format', 'timezone').compact)
          end

          # @param text [String]
          # @param formats [String, Array<String>, Symbol] `:default` for those of the language
          # @param timezone [String, nil]
          # @return [Timestamp]
          # @raise [ArgumentError] the text has none of the formats
          def parse(text, formats = :default, timezone = nil)
            given = [text]
            given << formats if formats != :default || timezone
            given << timezone if timezone
            time = Bunraku::Pops.call(ArgumentError) { Bunraku::Type.parse('Timestamp').new(*given) }
            from_time(time)
          end
        end

        # @return [Timestamp]
        def +(other)
          case other
          when Integer, Float, Timespan then Timestamp.new(nsecs + nanoseconds(other))
          else not_an_operand('+', other)
          end
        end

        # @return [Timestamp, Timespan]
        def -(other)
          case other
          when Timestamp then Timespan.new(nsecs - other.nsecs)
          when Integer, Float, Timespan then Timestamp.new(nsecs - nanoseconds(other))
          else not_an_operand('-', other)
          end
        end

        # @param format [String] of `strftime`
        # @param timezone [String, nil]
        # @return [String]
        def format(format, timezone = nil)
          strftime(format, timezone == :default ? nil : timezone)
        end

        # @return [::Time]
        def to_time
          ::Time.at(nsecs.div(NSECS_PER_SEC), nsecs % NSECS_PER_SEC, :nsec).utc
        end

        # The value in the language.
        def bunraku_meaning
          to_time
        end

        private

        def native
          @native ||= Bunraku::Value.of(to_time)
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    # Points in time and durations.
    module Time
      # The number of units of a second, and of seconds of a unit.
      NSECS_PER_USEC = 1_000
      NSECS_PER_MSEC = 1_000_000
      NSECS_PER_SEC = 1_000_000_000
      NSECS_PER_MIN = NSECS_PER_SEC * 60
      NSECS_PER_HOUR = NSECS_PER_MIN * 60
      NSECS_PER_DAY = NSECS_PER_HOUR * 24

      # What points in time and durations have in common: a number of nanoseconds.
      class TimeData
        include Comparable

        # @return [Integer]
        attr_reader :nsecs

        # @param nsecs [Integer]
        def initialize(nsecs)
          @nsecs = nsecs
        end

        # @return [Integer] whole seconds
        def to_i
          @nsecs / NSECS_PER_SEC
        end
        alias to_int to_i

        # @return [Float] seconds
        def to_f
          @nsecs.fdiv(NSECS_PER_SEC)
        end

        # @return [Rational] seconds
        def to_r
          Rational(@nsecs, NSECS_PER_SEC)
        end

        # @return [Complex] seconds
        def to_c
          Complex(to_r)
        end

        # @return [String]
        def to_s
          native.to_s
        end

        # @param format [String]
        # @return [String]
        def format(format)
          strftime(format, nil)
        end

        # @return [Integer, nil]
        def <=>(other)
          case other
          when self.class then nsecs <=> other.nsecs
          when Integer, Float then to_r <=> other
          end
        end

        # @return [Boolean]
        def eql?(other)
          other.instance_of?(self.class) && nsecs == other.nsecs
        end

        # @return [Integer]
        def hash
          @nsecs.hash
        end

        # @return [String, Integer] the text for labels of nodes in a model
        def label(_object = nil)
          self.class.name
        end

        private

        def strftime(format, timezone)
          Bunraku::Pops.call(ArgumentError) { native.__send__(:native_strftime, format.to_s, timezone&.to_s) }
        end

        def nanoseconds(of)
          of.is_a?(TimeData) ? of.nsecs : (of * NSECS_PER_SEC).to_i
        end

        def not_an_operand(operator, other)
          raise ArgumentError, "#{other.class} cannot be used with #{operator} of #{self.class}"
        end
      end
    end
  end
end

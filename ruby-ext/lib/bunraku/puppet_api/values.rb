# frozen_string_literal: true

# Values without a class in Ruby.
module Puppet
  module Pops
    # An empty list.
    EMPTY_ARRAY = [].freeze
    # An empty map.
    EMPTY_HASH = {}.freeze
    # An empty text.
    EMPTY_STRING = ''

    # The smallest Integer.
    MIN_INTEGER = -0x8000000000000000
    # The largest Integer.
    MAX_INTEGER = 0x7FFFFFFFFFFFFFFF

    module Lookup
      # The configuration of Hiera.
      module HieraConfig
        # @return [Object] a value with the symbols that are keys of its hashes as texts
        def self.symkeys_to_string(struct)
          case struct
          when Hash then struct.to_h { |key, value| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(value)] }
          when Array then struct.map { |value| symkeys_to_string(value) }
          else struct
          end
        end
      end
    end

    module Types
      # The superclass of all types; see types.rb.
      class PAnyType; end

      # The type `Sensitive`.
      class PSensitiveType < PAnyType
        # A value that must not be shown.
        class Sensitive
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
            other.is_a?(Sensitive) && other.unwrap == unwrap
          end
          alias eql? ==

          # @return [Integer]
          def hash
            @value.hash
          end

          # The value in the language.
          def bunraku_meaning
            [@value]
          end
        end
      end

      # The type `Binary`.
      class PBinaryType < PAnyType
        # Bytes.
        class Binary
          # @return [String] the bytes
          attr_reader :binary_buffer

          # @return [Binary] of a text in base64, which may have line breaks
          def self.from_base64(text)
            new(text.unpack1('m'))
          end

          # @return [Binary] of a text in strict base64
          def self.from_base64_strict(text)
            new(text.unpack1('m0'))
          end

          # @return [Binary] of a text in base64 for URLs
          def self.from_base64_urlsafe(text)
            new(text.tr('-_', '+/').unpack1('m'))
          end

          # @return [Binary] of a text's bytes
          def self.from_string(text)
            new(text.dup.force_encoding(Encoding::ASCII_8BIT))
          end

          # @return [Binary] of bytes
          def self.from_binary_string(bytes)
            new(bytes)
          end

          def initialize(bytes)
            @binary_buffer = bytes.b.freeze
          end

          # @return [String] strict base64
          def to_s
            [@binary_buffer].pack('m0')
          end

          # @return [String] base64 with line breaks
          def relaxed_to_s
            [@binary_buffer].pack('m')
          end

          # @return [String] base64 for URLs
          def urlsafe_to_s
            to_s.tr('+/', '-_')
          end

          # @return [Integer] the number of bytes
          def length
            @binary_buffer.bytesize
          end

          # @return [Boolean]
          def ==(other)
            other.is_a?(Binary) && other.binary_buffer == binary_buffer
          end
          alias eql? ==

          # @return [Integer]
          def hash
            @binary_buffer.hash
          end

          # The value in the language.
          def bunraku_meaning
            Bunraku::Value.of(@binary_buffer)
          end
        end
      end
    end

    # Points in time and durations.
    module Time
      # Nanoseconds in a second.
      NSECS_PER_SEC = 1_000_000_000

      # The common superclass: a number of nanoseconds.
      class TimeData
        include Comparable

        # @return [Integer]
        attr_reader :nsecs

        def initialize(nsecs)
          @nsecs = nsecs
        end

        # Parses a text.
        def self.parse(text, *formats)
          BUNRAKU.make_time(self, bunraku_type.new(text, *formats))
        end

        # A point in time or duration from nanoseconds.
        def self.from_nsecs(nsecs)
          new(nsecs)
        end

        # @return [Integer] whole seconds
        def to_i
          @nsecs / NSECS_PER_SEC
        end

        # @return [Float] seconds
        def to_f
          @nsecs / NSECS_PER_SEC.to_f
        end

        # @return [String]
        def to_s
          native.to_s
        end

        # @return [String] in a format of `strftime`
        def format(format)
          Bunraku::Call.current ? BUNRAKU.call.call_function('strftime', self, format) : to_s
        end

        # @return [Integer, nil]
        def <=>(other)
          case other
          when self.class then nsecs <=> other.nsecs
          when Integer, Float then to_f <=> other
          end
        end

        # @return [Boolean]
        def ==(other)
          other.is_a?(self.class) ? nsecs == other.nsecs : super
        end

        # @return [Boolean]
        def eql?(other)
          other.instance_of?(self.class) && nsecs == other.nsecs
        end

        # @return [Integer]
        def hash
          @nsecs.hash
        end

        # The value in the language.
        def bunraku_meaning
          native
        end

        private

        def nanoseconds(of)
          of.is_a?(TimeData) ? of.nsecs : (of * NSECS_PER_SEC).to_i
        end
      end

      # A duration.
      class Timespan < TimeData
        # @return [Bunraku::Type]
        def self.bunraku_type
          @bunraku_type ||= Bunraku::Type.parse('Timespan')
        end

        # A duration from its fields.
        def self.from_fields(negative, days, hours, minutes, seconds, milliseconds = 0, microseconds = 0, nanoseconds = 0) # rubocop:disable Metrics/ParameterLists
          whole = (((((days * 24) + hours) * 60) + minutes) * 60) + seconds
          nsecs = (whole * NSECS_PER_SEC) + (milliseconds * 1_000_000) + (microseconds * 1000) + nanoseconds
          new(negative ? -nsecs : nsecs)
        end

        # A duration from a hash, as with `Timespan.new`.
        def self.from_hash(hash)
          BUNRAKU.make_time(self, bunraku_type.new(hash))
        end

        # @return [Boolean]
        def negative?
          nsecs.negative?
        end

        def +(other)
          other.is_a?(Timestamp) ? other + self : Timespan.new(nsecs + nanoseconds(other))
        end

        def -(other)
          Timespan.new(nsecs - nanoseconds(other))
        end

        def -@
          Timespan.new(-nsecs)
        end

        def *(other)
          Timespan.new((nsecs * other).to_i)
        end

        def /(other)
          other.is_a?(Timespan) ? nsecs.to_f / other.nsecs : Timespan.new((nsecs / other).to_i)
        end

        # @return [Float]
        def total_days
          to_f / 86_400
        end
        { days: 86_400, hours: 3600, minutes: 60, seconds: 1 }.each do |unit, length|
          define_method(unit) { (nsecs.abs / NSECS_PER_SEC / length) % { days: 1 << 62, hours: 24, minutes: 60, seconds: 60 }.fetch(unit) }
        end

        private

        def native
          @native ||= Bunraku::Type.parse('Timespan').new(*fields)
        end

        # Days, hours and so on, as the arguments of `Timespan.new`: exact where a Float is not.
        def fields
          sign = nsecs.negative? ? -1 : 1
          seconds, rest = nsecs.abs.divmod(NSECS_PER_SEC)
          [[0, 0, 0, sign * seconds, 0, 0, sign * rest]].first
        end
      end

      # A point in time.
      class Timestamp < TimeData
        # @return [Bunraku::Type]
        def self.bunraku_type
          @bunraku_type ||= Bunraku::Type.parse('Timestamp')
        end

        # @return [Timestamp]
        def self.now
          from_time(::Time.now)
        end

        # A point in time from a hash, as with `Timestamp.new`.
        def self.from_hash(hash)
          parse(hash['string'], *hash.values_at('format', 'timezone').compact)
        end

        # @return [Timestamp]
        def self.from_time(time)
          new((time.to_i * NSECS_PER_SEC) + time.nsec)
        end

        def +(other)
          Timestamp.new(nsecs + nanoseconds(other))
        end

        def -(other)
          other.is_a?(Timestamp) ? Timespan.new(nsecs - other.nsecs) : Timestamp.new(nsecs - nanoseconds(other))
        end

        # @return [::Time]
        def to_time
          ::Time.at(nsecs / NSECS_PER_SEC, nsecs % NSECS_PER_SEC, :nsec).utc
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

# Semantic versions.
module SemanticPuppet
  # A version.
  class Version
    include Comparable

    # A text that is not a version.
    class ValidationFailure < ::ArgumentError; end

    # The format of a version.
    FORMAT = /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z\-.]+))?(?:\+([0-9A-Za-z\-.]+))?\z/.freeze

    attr_reader :major, :minor, :patch

    # @param text [String]
    # @return [Version]
    # @raise [ValidationFailure] the text is not a version
    def self.parse(text)
      parts = FORMAT.match(text)
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless parts

      prerelease = identifiers(parts[4])
      new(parts[1].to_i, parts[2].to_i, parts[3].to_i, prerelease, parts[5]&.split('.'))
    end

    # @return [Boolean]
    def self.valid?(text)
      FORMAT.match?(text)
    end

    def self.identifiers(text)
      text&.split('.')&.map { |one| one.match?(/\A\d+\z/) ? one.to_i : one }
    end
    private_class_method :identifiers

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease
      @build = build
    end

    # @return [String, nil]
    def prerelease
      @prerelease&.join('.')
    end

    # @return [String, nil]
    def build
      @build&.join('.')
    end

    # @return [Boolean]
    def stable?
      @prerelease.nil?
    end

    # @return [Version] the first version with the next value of a part
    def next(part)
      case part
      when :major then self.class.new(major + 1, 0, 0)
      when :minor then self.class.new(major, minor + 1, 0)
      when :patch then self.class.new(major, minor, patch + 1)
      end
    end

    # @return [String]
    def to_s
      "#{major}.#{minor}.#{patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
    end
    alias inspect to_s

    # @return [Integer, nil]
    def <=>(other)
      return unless other.is_a?(Version)

      numbers = [major, minor, patch] <=> [other.major, other.minor, other.patch]
      numbers.zero? ? compare_prerelease(other) : numbers
    end

    # @return [Boolean]
    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    # @return [Integer]
    def hash
      to_s.hash
    end

    # The value in the language.
    def bunraku_meaning
      Bunraku::Type.parse('SemVer').new(to_s)
    end

    protected

    def identifiers
      @prerelease
    end

    private

    def compare_prerelease(other)
      mine, others = identifiers, other.identifiers
      return 0 if mine.nil? && others.nil?
      return 1 if mine.nil?
      return -1 if others.nil?

      mine.zip(others) do |one, two|
        return 1 if two.nil?
        next if one == two

        return one <=> two if one.class == two.class

        return one.is_a?(Integer) ? -1 : 1
      end
      mine.size <=> others.size
    end
  end

  # A range of versions.
  class VersionRange
    # @param text [String]
    # @return [VersionRange]
    def self.parse(text)
      new(text)
    rescue Bunraku::Error => e
      raise ::ArgumentError, e.basic_message
    end

    def initialize(text)
      @text = text.to_s
      @native = Bunraku::Type.parse('SemVerRange').new(@text)
    end

    # @return [Boolean]
    def include?(version)
      version = Version.parse(version) if version.is_a?(String)
      Bunraku::Type.parse("SemVer[#{@text.inspect.tr('"', "'")}]").instance?(version.bunraku_meaning)
    end
    alias member? include?
    alias cover? include?
    alias === include?

    # @return [String]
    def to_s
      @text
    end
    alias inspect to_s

    # @return [Boolean]
    def ==(other)
      other.is_a?(VersionRange) && @native == other.bunraku_meaning
    end
    alias eql? ==

    # @return [Integer]
    def hash
      @native.hash
    end

    # The value in the language.
    def bunraku_meaning
      @native
    end
  end
end

# frozen_string_literal: true

# Semantic versions. The gem semantic_puppet has the same classes; it is used if it is loaded already.
unless defined?(SemanticPuppet::Version)
  module SemanticPuppet
    # These classes are those of bunraku.
    BUNRAKU = true

    # A version.
    class Version
      include Comparable

      # A text that is not a version.
      class ValidationFailure < ArgumentError; end

      # The format of a version.
      REGEX_FULL = /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z\-.]+))?(?:\+([0-9A-Za-z\-.]+))?\z/.freeze

      # @return [Integer]
      attr_reader :major, :minor, :patch

      # @param text [String]
      # @return [Version]
      # @raise [ValidationFailure] the text is not a version
      def self.parse(text)
        parts = REGEX_FULL.match(text)
        raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless parts

        Bunraku::Type.parse('SemVer').new(text)
        new(*parts[1..3].map(&:to_i), identifiers(parts[4]), parts[5]&.split('.'))
      rescue Bunraku::Error => e
        raise ValidationFailure, e.basic_message
      end

      # @return [Boolean]
      def self.valid?(text)
        parse(text)
        true
      rescue ValidationFailure
        false
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

      # @return [Boolean] whether it is not a pre-release
      def stable?
        @prerelease.nil?
      end

      # @param part [Symbol] `:major`, `:minor`, `:patch`
      # @return [Version] the first one with the next value of the part
      def next(part)
        case part
        when :major then self.class.new(major + 1, 0, 0)
        when :minor then self.class.new(major, minor + 1, 0)
        when :patch then self.class.new(major, minor, patch + 1)
        end
      end

      # @return [Integer, nil]
      def <=>(other)
        return unless other.is_a?(Version)

        numbers = [major, minor, patch] <=> [other.major, other.minor, other.patch]
        numbers.zero? ? compare(identifiers, other.identifiers) : numbers
      end

      # @return [Boolean]
      def ==(other)
        other.is_a?(Version) && (self <=> other).zero? && build == other.build
      end

      # @return [Boolean]
      def eql?(other)
        other.is_a?(Version) && to_s == other.to_s
      end

      # @return [Integer]
      def hash
        to_s.hash
      end

      # @return [String]
      def to_s
        "#{major}.#{minor}.#{patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
      end
      alias inspect to_s

      protected

      def identifiers
        @prerelease
      end

      private

      def compare(mine, others)
        return (mine ? -1 : 0) - (others ? -1 : 0) unless mine && others

        mine.zip(others) do |one, two|
          return 1 if two.nil?
          next if one == two

          return one <=> two if one.class == two.class

          return one.is_a?(Integer) ? -1 : 1
        end
        mine.size <=> others.size
      end
    end
  end
end

# frozen_string_literal: true

unless defined?(SemanticPuppet::VersionRange)
  module SemanticPuppet
    # A range of versions.
    class VersionRange
      # @param text [String]
      # @return [VersionRange]
      # @raise [ArgumentError] the text is not a range
      def self.parse(text, _strict = false) # rubocop:disable Style/OptionalBooleanParameter
        new(text.to_s)
      end

      # @overload initialize(text)
      #   @param text [String] in the notation of ranges
      # @overload initialize(first, last, exclude_end = false)
      #   @param first [Version]
      #   @param last [Version]
      #   @param exclude_end [Boolean]
      def initialize(text, last = nil, exclude_end = false) # rubocop:disable Style/OptionalBooleanParameter
        text = last == text && !exclude_end ? text.to_s : ">=#{text} #{exclude_end ? '<' : '<='}#{last}" if last
        @native = Bunraku::Type.parse('SemVerRange').new(text)
        @text = @native.to_s
      rescue Bunraku::Error => e
        raise ArgumentError, e.basic_message
      end

      # @return [Boolean]
      def include?(version)
        type.instance?(Bunraku::Type.parse('SemVer').new(version.to_s))
      rescue Bunraku::Error
        false
      end
      alias member? include?
      alias cover? include?
      alias === include?

      # @return [Version] the first version of the range
      def begin
        bound(/(?:\A|\s)>?=?v?(\d+\.\d+\.\d+\S*)/) || Version.new(0, 0, 0)
      end

      # @return [Version, nil] the last version of the range, nil if it has none
      def end
        bound(/(?:<=?v?|\s-\s)(\d+\.\d+\.\d+\S*)/) || bound(/\A=?v?(\d+\.\d+\.\d+\S*)\z/)
      end

      # @return [String]
      def to_s
        @text
      end
      alias inspect to_s

      # @return [Boolean]
      def ==(other)
        other.is_a?(VersionRange) && @native == other.native
      end
      alias eql? ==

      # @return [Integer]
      def hash
        @native.hash
      end

      protected

      attr_reader :native

      private

      def type
        @type ||= Bunraku::Type.__send__(:native_of_attributes, 'SemVer', [[@native]], Bunraku::Pops)
      end

      def bound(pattern)
        found = pattern.match(@text)
        found && Version.parse(found[1])
      end
    end
  end
end

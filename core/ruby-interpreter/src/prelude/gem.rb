module Gem
  class Version
    include Comparable

    PATTERN = '[0-9]+(?>\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?'

    attr_reader :version
    alias to_s version

    def self.correct?(version)
      version.to_s =~ /\A\s*(#{PATTERN})?\s*\z/ ? true : false
    end

    def self.create(input)
      return input if input.is_a?(Gem::Version)

      input.nil? ? nil : new(input)
    end

    def initialize(version)
      unless self.class.correct?(version)
        raise ArgumentError, "Malformed version number string #{version}"
      end

      version = version.to_s
      version = '0' if version =~ /\A\s*\Z/
      @version = version.strip.gsub('-', '.pre.')
    end

    def segments
      @version.scan(/[0-9]+|[a-z]+/i).map { |part| part =~ /\A\d+\z/ ? part.to_i : part }
    end

    def canonical_segments
      parts = segments
      at = parts.index { |part| part.is_a?(String) } || parts.size
      [parts[0...at], parts[at..-1]].map { |list| list.reverse.drop_while { |part| part == 0 }.reverse }.flatten
    end

    def prerelease?
      @version =~ /[a-zA-Z]/ ? true : false
    end

    def release
      return self unless prerelease?

      parts = segments
      parts.pop while parts.any? { |part| part.is_a?(String) }
      self.class.new(parts.join('.'))
    end

    def bump
      parts = segments
      parts.pop while parts.any? { |part| part.is_a?(String) }
      parts.pop if parts.size > 1
      parts[-1] = parts[-1].succ
      self.class.new(parts.join('.'))
    end

    def <=>(other)
      return self <=> self.class.new(other) if other.is_a?(String) && self.class.correct?(other)
      return nil unless other.is_a?(Gem::Version)

      left = canonical_segments
      right = other.canonical_segments
      return 0 if left == right

      at = 0
      while at < [left.size, right.size].max
        one = left[at] || 0
        two = right[at] || 0
        at += 1
        next if one == two
        return -1 if one.is_a?(String) && two.is_a?(Numeric)
        return 1 if one.is_a?(Numeric) && two.is_a?(String)

        return one <=> two
      end
      0
    end

    def eql?(other)
      self.class === other && @version == other.version
    end

    def hash
      canonical_segments.hash
    end

    def inspect
      "#<Gem::Version #{@version.inspect}>"
    end
  end
end

module SemanticPuppet
  class Version
    include Comparable

    class ValidationFailure < ArgumentError
    end

    attr_reader :major, :minor, :patch

    def self.parse(text)
      parts = Puppet::Native.version(text)
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless parts

      new(*parts)
    end

    def self.valid?(text)
      !Puppet::Native.version(text).nil?
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease.is_a?(Array) ? prerelease.join('.') : prerelease
      @build = build.is_a?(Array) ? build.join('.') : build
    end

    def prerelease
      @prerelease unless @prerelease.nil? || @prerelease.empty?
    end

    def build
      @build unless @build.nil? || @build.empty?
    end

    def stable?
      prerelease.nil?
    end

    def next(part)
      case part
      when :major then self.class.new(@major.next, 0, 0)
      when :minor then self.class.new(@major, @minor.next, 0)
      when :patch then self.class.new(@major, @minor, @patch.next)
      end
    end

    def <=>(other)
      other.is_a?(Version) ? Puppet::Native.compare_versions(to_s, other.to_s) : nil
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    def hash
      to_s.hash
    end

    def to_s
      "#{@major}.#{@minor}.#{@patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
    end

    def inspect
      to_s
    end
  end

  class VersionRange
    def self.parse(text)
      unless Puppet::Native.version_range?(text)
        raise ArgumentError, "Unparsable version range: \"#{text}\""
      end

      new(text)
    end

    def initialize(text)
      @text = text
    end

    def include?(version)
      version.is_a?(Version) && Puppet::Native.version_within?(@text, version.to_s)
    end
    alias member? include?
    alias cover? include?
    alias === include?

    def ==(other)
      other.is_a?(VersionRange) && to_s == other.to_s
    end

    def to_s
      @text
    end

    def inspect
      to_s
    end
  end
end

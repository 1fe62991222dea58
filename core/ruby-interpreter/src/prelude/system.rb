# The system around a program, as far as the host of the compilation lets it be read.
class Dir
  class << self
    def exist?(path)
      File.directory?(path)
    end

    def glob(patterns, flags = 0, base: nil, sort: true)
      __refuse('Dir.glob with flags') unless flags == 0
      __refuse('Dir.glob with base') if base
      found = Array(patterns).flat_map { |pattern| __glob(pattern.to_s) }.select { |path| File.exist?(path) }
      return found unless block_given?

      found.each { |path| yield path }
      nil
    end

    def [](*patterns)
      glob(patterns.flatten)
    end

    def children(path)
      __list(path)
    end

    def each_child(path, &block)
      return children(path).each unless block

      children(path).each(&block)
      nil
    end

    def entries(path)
      ['.', '..'] + __list(path)
    end

    def empty?(path)
      exist?(path) && __list(path).empty?
    end

    def pwd
      __refuse('working directory')
    end
    alias getwd pwd

    def home(*)
      __refuse('directory of a user')
    end

    def tmpdir
      ENV.fetch('TMPDIR', '/tmp')
    end
  end
end

module Timeout
  class ExitException < Exception
  end

  class Error < RuntimeError
    def initialize(message = 'execution expired')
      super
    end
  end

  # The limits of the compilation end what takes long.
  def self.timeout(_seconds, _error = nil, _message = nil)
    yield(_seconds)
  end

  def timeout(seconds, error = nil, message = nil, &block)
    Timeout.timeout(seconds, error, message, &block)
  end
end

module Zlib
  def self.crc32(text = '', start = 0)
    sum = start ^ 0xffffffff
    text.to_s.each_byte do |byte|
      sum ^= byte
      8.times { sum = (sum & 1) == 1 ? (sum >> 1) ^ 0xedb88320 : sum >> 1 }
    end
    sum ^ 0xffffffff
  end

  def self.adler32(text = '', start = 1)
    one = start & 0xffff
    two = start >> 16
    text.to_s.each_byte do |byte|
      one = (one + byte) % 65_521
      two = (two + one) % 65_521
    end
    (two << 16) | one
  end
end

# The variables of the process, one by one.
ENV = Object.new
class << ENV
  def [](name)
    raise TypeError, "no implicit conversion of #{__kind(name)} into String" unless name.is_a?(String)

    __environment_variable(name)&.freeze
  end

  def fetch(name, *usual)
    value = self[name]
    return value unless value.nil?
    return yield(name) if block_given?
    return usual.first unless usual.empty?

    raise KeyError, "key not found: #{name.inspect}"
  end

  def key?(name)
    !self[name].nil?
  end
  alias has_key? key?
  alias include? key?
  alias member? key?

  def values_at(*names)
    names.map { |name| self[name] }
  end

  def dig(name)
    self[name]
  end

  def to_s
    'ENV'
  end

  def inspect
    __refuse('ENV.inspect')
  end

  def []=(_name, _value)
    __refuse('variable of the process that is set')
  end

  def method_missing(name, *)
    __refuse("ENV.#{name}")
  end

  def respond_to_missing?(_name, _private = false)
    true
  end
end

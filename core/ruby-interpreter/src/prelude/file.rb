class File
  def self.open(path, mode = 'r', *arguments, **options)
    if mode.to_s =~ /\Ar(b|t|:[\w:-]+)*\z/
      io = StringIO.new(read(path))
      return io unless block_given?

      return yield(io)
    end
    __refuse("File.open with the mode #{mode.inspect}") unless mode.to_s =~ /\A[wa](b|t|:[\w:-]+)*\z/ && block_given?

    io = StringIO.new(+'')
    io.write(read(path)) if mode.to_s.start_with?('a') && exist?(path)
    result = yield(io)
    Puppet::Native.write(path.to_s, io.string)
    result
  end

  def self.write(path, text, **)
    Puppet::Native.write(path.to_s, text.to_s)
  end

  def self.binwrite(path, text, **)
    Puppet::Native.write(path.to_s, text.to_s)
  end

  def self.binread(path)
    read(path)
  end

  # Written files belong to the user of the process, and only that user may read them.
  def self.chown(_user, _group, *list)
    list.size
  end

  def self.chmod(_mode, *list)
    list.size
  end

  def self.stat(path)
    raise Errno::ENOENT.new(path.to_s, 'rb_file_s_stat') unless exist?(path.to_s)

    Stat.new(path.to_s)
  end

  # The status of a file. The owner is not available.
  class Stat
    def initialize(path)
      @path = path
    end

    def uid
      nil
    end
    alias gid uid

    def file?
      File.file?(@path)
    end

    def directory?
      File.directory?(@path)
    end

    def size
      File.read(@path).bytesize
    end
  end

  def self.readlines(path, chomp: false)
    read(path).each_line(chomp: chomp).to_a
  end

  def self.foreach(path, chomp: false, &block)
    return readlines(path, chomp: chomp).each unless block

    readlines(path, chomp: chomp).each(&block)
    nil
  end

  def self.empty?(path)
    exist?(path) && read(path).empty?
  end

  def self.zero?(path)
    empty?(path)
  end
end

module Shellwords
  def self.split(line)
    words = []
    field = +''
    line.scan(/\G\s*(?>([^\0\s\\\'\"]+)|'([^\0\']*)'|"((?:[^\0\"\\]|\\[^\0])*)"|(\\[^\0]?)|(\S))(\s|\z)?/m) do |word, sq, dq, esc, garbage, sep|
      raise ArgumentError, "Unmatched quote: #{line.inspect}" if garbage

      field << (word || sq || (dq && dq.gsub(/\\([$`"\\\n])/, '\\1')) || esc.gsub(/\\(.)/, '\\1'))
      if sep
        words << field
        field = +''
      end
    end
    words
  end

  def self.shellsplit(line)
    split(line)
  end

  def self.shellwords(line)
    split(line)
  end
end

class String
  def shellsplit
    Shellwords.split(self)
  end

  def to_r
    found = /\A\s*([+-]?)(\d+(?:_\d+)*)(?:\.(\d+(?:_\d+)*))?(?:e([+-]?\d+))?(?:\/(\d+(?:_\d+)*))?/i.match(self)
    return Rational.__ratio(0, 1) unless found

    above, below = Rational.__send__(:__read, found)
    Rational.__ratio(above, below)
  end
end

class Array
  def shelljoin
    Shellwords.join(self)
  end
end

module FileTest
  def self.exist?(path)
    File.exist?(path)
  end

  def self.exists?(path)
    File.exist?(path)
  end

  def self.file?(path)
    File.file?(path)
  end

  def self.readable?(path)
    File.readable?(path)
  end

  def self.directory?(path)
    File.directory?(path)
  end

  def self.empty?(path)
    File.empty?(path)
  end

  def self.zero?(path)
    File.empty?(path)
  end
end

class File
  def self.open(path, mode = 'r', *arguments, **options)
    if mode.to_s =~ /\Ar(b|t|:[\w:-]+)*\z/
      io = StringIO.new(read(path))
      return io unless block_given?

      return yield(io)
    end
    io = __new(path, mode)
    return io unless block_given?

    begin
      yield(io)
    ensure
      io.close
    end
  end

  def self.__new(path, mode = 'r', *arguments, **options)
    path = path.to_s
    return open(path, mode) if mode.to_s =~ /\Ar(b|t|:[\w:-]+)*\z/

    found = /\A([wa])(?:b|t)?(\+)?(?:b|t|:[\w:-]+)*\z/.match(mode.to_s)
    __refuse("File.open with the mode #{mode.inspect}") unless found
    raise Errno::EISDIR, "#{path} @ rb_sysopen" if directory?(path)
    raise Errno::ENOENT.new(path, 'rb_sysopen') unless directory?(dirname(path))

    Handle.new(path, found[1] == 'a' && exist?(path) ? read(path) : nil, found[1] == 'a')
  end

  # An open file: what is written is in the file at once.
  class Handle < StringIO
    attr_reader :path
    alias to_path path

    def initialize(path, text, appends)
      super(+(text || ''))
      @path = path
      @appends = appends
      __save unless text
    end

    def class
      File
    end

    def write(*values)
      self.pos = string.length if @appends
      super.tap { __save }
    end

    def truncate(length)
      __refuse('truncate to more than nothing') unless length == 0
      string.replace('')
      __save
      0
    end

    def chmod(_mode)
      0
    end

    def chown(_user, _group)
      0
    end

    def stat
      File.stat(@path)
    end

    def flock(_how)
      0
    end

    private

    def __save
      Puppet::Native.write(@path, string)
    end
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

  # The status of a file. A file that can be written here belongs to Puppet's user, or to that of the process
  # where there is none, and only that user may read it; the owners of others are not available.
  class Stat
    def initialize(path)
      @path = path
    end

    def uid
      Etc.getpwnam(Puppet[:user]).uid if Puppet::Native.writable?(@path)
    rescue ArgumentError
      Process.uid
    end

    def gid
      Etc.getgrnam(Puppet[:group]).gid if Puppet::Native.writable?(@path)
    rescue ArgumentError
      Process.gid
    end

    def mode
      __refuse('mode of such a file') unless Puppet::Native.writable?(@path)
      directory? ? 0o40700 : 0o100600
    end

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
    read(path).lines(chomp: chomp)
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

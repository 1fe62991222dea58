class File
  def self.open(path, mode = 'r', *arguments, **options)
    __refuse('File.open to write') unless mode.to_s =~ /\Ar(b|t|:[\w:-]+)*\z/
    io = StringIO.new(read(path))
    return io unless block_given?

    yield io
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
end

class Array
  def shelljoin
    Shellwords.join(self)
  end
end

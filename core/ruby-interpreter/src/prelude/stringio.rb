class StringIO
  include Enumerable

  attr_reader :string
  attr_reader :lineno

  def string=(text)
    raise TypeError, "no implicit conversion of #{__kind(text)} into String" unless text.is_a?(String)

    @pos = 0
    @lineno = 0
    @string = text
  end

  def lineno=(number)
    @lineno = __number(number)
  end

  def pos=(number)
    number = __number(number)
    __refuse('a place before the beginning') if number < 0
    @pos = number
  end

  def __number(number)
    raise TypeError, 'no implicit conversion from nil to integer' if number.nil?

    __refuse('a place that is no number') unless number.is_a?(Integer)
    number
  end

  def self.open(*arguments)
    io = new(*arguments)
    block_given? ? yield(io) : io
  end

  def initialize(string = +'', mode = nil)
    __refuse('StringIO that appends') if mode.to_s.include?('a')
    @string = string
    @pos = 0
    @lineno = 0
    @closed = false
    string.replace('') if mode.to_s.start_with?('w')
  end

  def write(*values)
    values.sum do |value|
      text = value.to_s
      __refuse('StringIO written in the middle') if @pos != @string.length
      @string << text
      @pos += text.length
      text.bytesize
    end
  end

  def <<(value)
    write(value)
    self
  end

  def print(*values)
    values.each { |value| write(value) }
    nil
  end

  def puts(*values)
    write("\n") if values.empty?
    values.each do |value|
      if value.is_a?(Array)
        value.empty? ? nil : puts(*value)
      else
        text = value.to_s
        write(text.end_with?("\n") ? text : "#{text}\n")
      end
    end
    nil
  end

  def printf(*arguments)
    write(format(*arguments))
    nil
  end

  def pos
    __refuse('StringIO#pos') unless @string.ascii_only?
    @pos
  end
  alias tell pos

  def read(length = nil)
    rest = @string[@pos..-1] || ''
    if length.nil?
      @pos = [@string.length, @pos].max
      return rest
    end
    __refuse('StringIO#read of bytes') unless @string.ascii_only?
    return (length == 0 ? '' : nil) if rest.empty?

    part = rest[0, length]
    @pos += part.length
    part
  end

  def gets(separator = "\n", chomp: false)
    __refuse('StringIO#gets with a separator') unless separator == "\n"
    return nil if eof?

    rest = @string[@pos..-1]
    line = rest[/[^\n]*\n?/]
    @pos += line.length
    @lineno += 1
    chomp ? line.chomp : line
  end

  def readline(*arguments)
    gets(*arguments) || raise(EOFError, 'end of file reached')
  end

  def each_line(chomp: false)
    return to_enum(:each_line) unless block_given?

    while (line = gets(chomp: chomp))
      yield line
    end
    self
  end

  def each(chomp: false, &block)
    return to_enum(:each) unless block

    each_line(chomp: chomp, &block)
  end

  def readlines(chomp: false)
    lines = []
    while (line = gets(chomp: chomp))
      lines << line
    end
    lines
  end

  def getc
    return nil if eof?

    @pos += 1
    @string[@pos - 1]
  end

  def eof?
    @pos >= @string.length
  end
  alias eof eof?

  def rewind
    @lineno = 0
    @pos = 0
  end

  def size
    @string.bytesize
  end
  alias length size

  def close
    @closed = true
    nil
  end

  def closed?
    @closed
  end

  def sync=(value)
    value
  end

  def sync
    true
  end

  def flush
    self
  end

  def fsync
    0
  end

  def tty?
    false
  end
  alias isatty tty?

  def set_encoding(encoding, _options = nil, **)
    __refuse("StringIO in #{encoding}") unless encoding.to_s.match?(/\A(?:UTF-8)?\z/i)
    self
  end

  def binmode
    self
  end
end

class Pathname
  include Comparable

  def initialize(path)
    path = path.to_path if path.respond_to?(:to_path)
    raise TypeError, "no implicit conversion of #{__kind(path)} into String" unless path.is_a?(String)

    @path = path.dup
  end

  def to_s
    @path.dup
  end
  alias to_path to_s
  alias to_str to_s

  def inspect
    "#<Pathname:#{@path}>"
  end

  def ==(other)
    other.is_a?(Pathname) && other.to_s == @path
  end
  alias eql? ==
  alias === ==

  def hash
    @path.hash
  end

  def <=>(other)
    other.is_a?(Pathname) ? @path.tr('/', "\0") <=> other.to_s.tr('/', "\0") : nil
  end

  def +(other)
    other = Pathname.new(other).to_s
    return Pathname.new(other) if other.start_with?('/')

    prefix = @path
    parts = other.split('/')
    while parts.first == '..' || parts.first == '.'
      part = parts.shift
      next if part == '.'

      base = File.basename(prefix)
      if ['.', ''].include?(prefix)
        prefix = '..'
      elsif base == '..'
        prefix = "#{prefix}/.."
      elsif prefix == '/'
        prefix = '/'
      else
        up = prefix.include?('/') ? File.dirname(prefix) : '.'
        prefix = up
      end
    end
    return Pathname.new(prefix) if parts.empty?
    return Pathname.new(parts.join('/')) if prefix == '.' || prefix.empty?

    Pathname.new(prefix.end_with?('/') ? prefix + parts.join('/') : "#{prefix}/#{parts.join('/')}")
  end
  alias / +

  def join(*others)
    # From the last one to the first: those before an absolute one are not looked at.
    others.reverse_each.inject(nil) do |path, other|
      path = path ? Pathname.new(other) + path : Pathname.new(other)
      return path if path.absolute?

      path
    end.then { |path| path ? self + path : self }
  end

  def basename(*arguments)
    Pathname.new(File.basename(@path, *arguments))
  end

  def dirname
    Pathname.new(File.dirname(@path))
  end

  def parent
    self + '..'
  end

  def extname
    File.extname(@path)
  end

  def sub_ext(extension)
    Pathname.new(@path.chomp(extname) + extension)
  end

  def sub(*arguments, &block)
    Pathname.new(@path.sub(*arguments, &block))
  end

  def absolute?
    @path.start_with?('/')
  end

  def relative?
    !absolute?
  end

  def root?
    @path =~ /\A\/+\z/ ? true : false
  end

  def exist?
    File.exist?(@path)
  end

  def file?
    File.file?(@path)
  end

  def directory?
    File.directory?(@path)
  end

  def readable?
    File.readable?(@path)
  end

  def read(*arguments)
    File.read(@path, *arguments)
  end

  def readlines(**options)
    File.readlines(@path, **options)
  end

  def expand_path(*arguments)
    Pathname.new(File.expand_path(@path, *arguments))
  end

  def ascend
    return to_enum(:ascend) unless block_given?

    path = @path
    yield self
    until (base = File.basename(path)).empty? || base == '/'
      path = path[0, path.rindex(base)]
      break if path.empty?

      last = File.basename(path)
      yield Pathname.new(last == '/' ? '/' : path[0, path.rindex(last)] + last)
    end
    nil
  end

  def descend
    return to_enum(:descend) unless block_given?

    paths = []
    ascend { |path| paths.unshift(path) }
    paths.each { |path| yield path }
    nil
  end

  def each_filename(&block)
    return to_enum(:each_filename) unless block

    @path.split('/').reject(&:empty?).each(&block)
    nil
  end

  def cleanpath
    rooted = absolute?
    parts = []
    @path.split('/').each do |part|
      next if part.empty? || part == '.'

      if part == '..'
        parts.empty? || parts.last == '..' ? (parts << '..' unless rooted) : parts.pop
      else
        parts << part
      end
    end
    text = parts.join('/')
    Pathname.new(rooted ? "/#{text}" : (text.empty? ? '.' : text))
  end
end

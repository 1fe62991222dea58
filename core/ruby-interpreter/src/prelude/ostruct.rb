class OpenStruct
  def initialize(values = nil)
    @table = {}
    values.each_pair { |key, value| @table[key.to_sym] = value } if values
  end

  def [](name)
    @table[name.to_sym]
  end

  def []=(name, value)
    raise FrozenError, "can't modify frozen #{self.class}: #{inspect}" if frozen?

    @table[name.to_sym] = value
  end

  def to_h(&block)
    block ? @table.to_h(&block) : @table.dup
  end

  def each_pair(&block)
    return to_enum(:each_pair) unless block

    @table.each_pair(&block)
    self
  end

  def dig(name, *rest)
    @table.dig(name.to_sym, *rest)
  end

  def delete_field(name)
    name = name.to_sym
    unless @table.key?(name)
      return yield if block_given?

      raise NameError, "no field `#{name}' in #{inspect}"
    end
    @table.delete(name)
  end

  def respond_to_missing?(name, include_private = false)
    @table.key?(name.to_s.chomp('=').to_sym) || super
  end

  def method_missing(name, *arguments)
    text = name.to_s
    if text.end_with?('=')
      raise ArgumentError, "wrong number of arguments (given #{arguments.size}, expected 1)" if arguments.size != 1

      self[text.chomp('=')] = arguments[0]
    elsif text.end_with?('!', '?') || %w[table marshal_dump modifiable].include?(text)
      __refuse("OpenStruct##{text}")
    elsif arguments.empty?
      @table[name]
    else
      super
    end
  end

  def ==(other)
    other.is_a?(OpenStruct) && other.to_h == @table
  end

  def eql?(other)
    other.is_a?(OpenStruct) && other.to_h.eql?(@table)
  end

  def hash
    @table.hash
  end

  def inspect
    fields = @table.map { |name, value| " #{name}=#{value.inspect}" }.join(',')
    "#<#{self.class}#{fields}>"
  end
  alias to_s inspect

  private

  def initialize_copy(other)
    @table = other.to_h
  end
end

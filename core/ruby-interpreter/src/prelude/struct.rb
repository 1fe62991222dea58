class Struct
  include Enumerable

  class << self
    def new(*arguments, keyword_init: nil, **rest, &block)
      unless equal?(Struct)
        instance = allocate
        instance.__send__(:__fill, arguments, keyword_init.nil? ? rest : rest.merge(keyword_init: keyword_init))
        return instance
      end
      raise ArgumentError, "unknown keywords: #{rest.keys.join(', ')}" unless rest.empty?

      name = arguments.shift if arguments.first.is_a?(String)
      __define(name, arguments, keyword_init, block)
    end

    def members
      @__members.dup
    end

    def keyword_init?
      @__keywords
    end

    private

    def __define(name, members, keywords, block)
      members = members.map(&:to_sym)
      twice = members.find { |member| members.count(member) > 1 }
      raise ArgumentError, "duplicate member: #{twice}" if twice

      made = Class.new(self)
      made.instance_variable_set(:@__members, members)
      made.instance_variable_set(:@__keywords, keywords)
      made.singleton_class.class_eval do
        def new(*arguments, **keywords, &block)
          instance = allocate
          instance.__send__(:initialize, *arguments, **keywords, &block)
          instance
        end
        alias_method :[], :new
        def inherited(other)
          other.instance_variable_set(:@__members, @__members)
          other.instance_variable_set(:@__keywords, @__keywords)
        end
      end
      members.each do |member|
        made.define_method(member) { @__values[member] }
        made.define_method(:"#{member}=") do |value|
          raise FrozenError, "can't modify frozen #{self.class}: #{inspect}" if frozen?

          @__values[member] = value
        end
      end
      const_set(name, made) if name
      made.class_eval(&block) if block
      made
    end
  end

  def initialize(*arguments, **keywords)
    __fill(arguments, keywords)
  end

  def members
    self.class.members
  end

  def to_a
    @__values.values
  end
  alias deconstruct to_a
  alias values to_a

  def to_h(&block)
    block ? @__values.to_h(&block) : @__values.dup
  end

  def deconstruct_keys(keys, &block)
    return to_h(&block) if keys.nil?
    raise TypeError, "wrong argument type #{keys.class} (expected Array or nil)" unless keys.is_a?(Array)

    __refuse('deconstruct_keys with what are no names') unless keys.all?(Symbol)
    return {} if keys.size > size

    # It ends at the first that is no member.
    @__values.slice(*keys.take_while { |key| @__values.key?(key) })
  end

  def [](key)
    @__values[__member(key)]
  end

  def []=(key, value)
    raise FrozenError, "can't modify frozen #{self.class}: #{inspect}" if frozen?

    @__values[__member(key)] = value
  end

  def each(&block)
    return to_enum(:each) unless block

    @__values.each_value(&block)
    self
  end

  def each_pair(&block)
    return to_enum(:each_pair) unless block

    @__values.each_pair(&block)
    self
  end

  def dig(key, *rest)
    value = begin
      self[key]
    rescue NameError, IndexError
      nil
    end
    rest.empty? || value.nil? ? value : value.dig(*rest)
  end

  def size
    @__values.size
  end
  alias length size

  def values_at(*places)
    places.each do |place|
      next if place.is_a?(Range)

      __refuse('values_at of what is no place') unless place.is_a?(Integer)
      raise IndexError, "offset #{place} too large for struct(size:#{size})" if place >= size
      raise IndexError, "offset #{place} too small for struct(size:#{size})" if place < -size
    end
    __refuse('values_at with ranges of a Struct') if places.any?(Range)
    to_a.values_at(*places)
  end

  def ==(other)
    return true if equal?(other)

    other.class == self.class && other.to_a == to_a
  end

  def eql?(other)
    return true if equal?(other)

    other.class == self.class && other.to_a.eql?(to_a)
  end

  def hash
    [self.class.name, to_a].hash
  end

  def inspect
    name = self.class.name
    fields = @__values.map { |key, value| "#{key}=#{value.inspect}" }.join(', ')
    name ? "#<struct #{name} #{fields}>" : "#<struct #{fields}>"
  end
  alias to_s inspect

  private

  def initialize_copy(other)
    @__values = other.to_h
  end

  def __fill(arguments, keywords)
    members = self.class.members
    mode = self.class.keyword_init?
    if mode || (mode.nil? && arguments.empty? && !keywords.empty? && false)
      unless arguments.empty?
        raise ArgumentError, "wrong number of arguments (given #{arguments.size}, expected 0)"
      end

      unknown = keywords.keys - members
      raise ArgumentError, "unknown keywords: #{unknown.join(', ')}" unless unknown.empty?

      @__values = members.to_h { |member| [member, keywords[member]] }
    else
      arguments += [keywords] unless keywords.empty?
      raise ArgumentError, 'struct size differs' if arguments.size > members.size

      @__values = members.each_with_index.to_h { |member, at| [member, arguments[at]] }
    end
  end

  def __member(key)
    if key.is_a?(Symbol) || key.is_a?(String)
      member = key.to_sym
      raise NameError, "no member '#{key}' in struct" unless @__values.key?(member)

      return member
    end
    size = @__values.size
    at = key.to_int
    raise IndexError, "offset #{at} too small for struct(size:#{size})" if at < -size
    raise IndexError, "offset #{at} too large for struct(size:#{size})" if at >= size

    @__values.keys[at]
  end
end

# Numbers that follow from a seed, as Ruby's generator gives them; those of the class itself are chance.
class Random
  attr_reader :seed

  def self.rand(*limit)
    __random(*limit)
  end

  def self.random_number(*limit)
    __random(*limit)
  end

  def self.bytes(count)
    SecureRandom.bytes(count)
  end

  def self.new_seed
    __refuse('Random.new_seed')
  end

  def self.seed
    __refuse('Random.seed')
  end

  def self.srand(*)
    __refuse('Random.srand')
  end

  def self.urandom(count)
    SecureRandom.bytes(count)
  end

  def initialize(*seed)
    __refuse('Random.new without a seed') if seed.empty?
    raise ArgumentError, "wrong number of arguments (given #{seed.size}, expected 0..1)" if seed.size > 1

    seed = seed[0]
    __refuse('Random.new with such a seed') unless seed.is_a?(Integer) || seed.is_a?(Float)
    @seed = seed.to_i
    @generator = __generator(@seed)
  end

  def rand(*limit)
    raise ArgumentError, "wrong number of arguments (given #{limit.size}, expected 0..1)" if limit.size > 1
    return __generator_fraction(@generator) if limit.empty?

    limit = limit[0]
    case limit
    when Integer
      __wrong(limit) if limit <= 0
      __generator_up_to(@generator, limit - 1)
    when Float
      __wrong(limit) if limit < 0 || limit.nan? || limit.infinite?
      __refuse('random number below zero') if limit == 0.0
      __generator_fraction(@generator) * limit
    when Range
      __within(limit)
    when nil
      raise ArgumentError, 'invalid argument - '
    else
      __refuse('random number below what is no number')
    end
  end

  def random_number(*limit)
    limit = limit[0]
    __refuse('random number below what is no number') unless limit.nil? || limit.is_a?(Numeric)
    positive = (limit.is_a?(Integer) || limit.is_a?(Float)) && limit > 0
    __refuse('random number of such a range') if limit.is_a?(Range)
    positive ? rand(limit) : rand
  end

  def bytes(count)
    __generator_bytes(@generator, count)
  end

  def ==(other)
    __refuse('comparison of generators') if other.is_a?(Random) && !equal?(other)
    equal?(other)
  end

  def inspect
    __refuse('Random#inspect')
  end

  def initialize_copy(_other)
    __refuse('copy of a generator')
  end

  private

  def __within(range)
    first, last = range.begin, range.end
    __refuse('random number of such a range') unless first.is_a?(Integer) && last.is_a?(Integer)
    last -= 1 if range.exclude_end?
    __wrong(range) if last < first
    first + __generator_up_to(@generator, last - first)
  end

  def __wrong(limit)
    raise ArgumentError, "invalid argument - #{limit.inspect}"
  end
end

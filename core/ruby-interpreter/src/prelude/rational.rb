class Rational
  include Comparable

  attr_reader :numerator, :denominator

  class << self
    def superclass
      Numeric
    end

    def ancestors
      __refuse('ancestors of Rational')
    end

    def __of(above, below = 1, exception: true)
      a = __part(above)
      b = __part(below)
      __ratio(a[0] * b[1], a[1] * b[0])
    end

    def __ratio(above, below)
      raise ZeroDivisionError, 'divided by 0' if below == 0

      if below < 0
        above = -above
        below = -below
      end
      common = above.gcd(below)
      made = allocate
      made.__send__(:__fill, above / common, below / common)
      made
    end

    private

    def __part(value)
      case value
      when Integer then [value, 1]
      when Float
        raise FloatDomainError, value.to_s if value.nan? || value.infinite?

        __float_parts(value)
      when Rational then [value.numerator, value.denominator]
      when String
        found = /\A\s*([+-]?)(\d+(?:_\d+)*)(?:\.(\d+(?:_\d+)*))?(?:e([+-]?\d+))?(?:\/(\d+(?:_\d+)*))?\s*\z/i.match(value)
        raise ArgumentError, "invalid value for convert(): #{value.inspect}" unless found

        __read(found)
      when nil then raise TypeError, "can't convert nil into Rational"
      when true, false then raise TypeError, "can't convert #{value} into Rational"
      else
        raise TypeError, "can't convert #{value.class} into Rational" unless value.respond_to?(:to_r)

        made = value.to_r
        [made.numerator, made.denominator]
      end
    end

    def __read(found)
      fraction = (found[3] || '').delete('_')
      above = (found[2].delete('_') + fraction).to_i
      below = 10**fraction.size
      exponent = found[4].to_i
      __refuse('rational number with such an exponent') if exponent.abs > 1000
      above *= 10**exponent if exponent > 0
      below *= 10**-exponent if exponent < 0
      below *= found[5].delete('_').to_i if found[5]
      above = -above if found[1] == '-'
      [above, below]
    end
  end

  def +(other)
    case other
    when Integer then Rational.__ratio(@numerator + other * @denominator, @denominator)
    when Rational
      Rational.__ratio(@numerator * other.denominator + other.numerator * @denominator, @denominator * other.denominator)
    when Float then to_f + other
    else __coerced(:+, other)
    end
  end

  def -(other)
    case other
    when Integer then Rational.__ratio(@numerator - other * @denominator, @denominator)
    when Rational
      Rational.__ratio(@numerator * other.denominator - other.numerator * @denominator, @denominator * other.denominator)
    when Float then to_f - other
    else __coerced(:-, other)
    end
  end

  def *(other)
    case other
    when Integer then Rational.__ratio(@numerator * other, @denominator)
    when Rational then Rational.__ratio(@numerator * other.numerator, @denominator * other.denominator)
    when Float then to_f * other
    else __coerced(:*, other)
    end
  end

  def /(other)
    case other
    when Integer then Rational.__ratio(@numerator, @denominator * other)
    when Rational then Rational.__ratio(@numerator * other.denominator, @denominator * other.numerator)
    when Float then to_f / other
    else __coerced(:/, other)
    end
  end
  alias quo /

  def **(other)
    case other
    when Integer
      __refuse('power of such a rational number') if other.abs > 10_000
      return Rational.__ratio(@numerator**other, @denominator**other) if other >= 0

      Rational.__ratio(@denominator**-other, @numerator**-other)
    when Float
      __refuse('power of a negative rational number') if @numerator < 0
      to_f**other
    else __refuse('power of a rational number by such a value')
    end
  end

  def %(other)
    __refuse('rest of a rational number by a Float') if other.is_a?(Float)
    self - (self / other).floor * other
  end
  alias modulo %

  def div(other)
    __refuse('division of a rational number by a Float') if other.is_a?(Float)
    (self / other).floor
  end

  def divmod(other)
    [div(other), self % other]
  end

  def fdiv(other)
    to_f / other
  end

  def -@
    Rational.__ratio(-@numerator, @denominator)
  end

  def +@
    self
  end

  def abs
    Rational.__ratio(@numerator.abs, @denominator)
  end
  alias magnitude abs

  def <=>(other)
    case other
    when Integer then @numerator <=> other * @denominator
    when Rational then @numerator * other.denominator <=> other.numerator * @denominator
    when Float
      return if other.nan?
      return other > 0 ? -1 : 1 if other.infinite?

      to_f <=> other
    else __refuse('comparison of a Rational with what coerces') if other.respond_to?(:coerce)
    end
  end

  def ==(other)
    case other
    when Integer then @denominator == 1 && @numerator == other
    when Rational then @numerator == other.numerator && @denominator == other.denominator
    when Float then to_f == other
    else false
    end
  end
  alias === ==

  def eql?(other)
    other.is_a?(Rational) && self == other
  end

  def hash
    [Rational, @numerator, @denominator].hash
  end

  def coerce(other)
    case other
    when Integer then [Rational.__ratio(other, 1), self]
    when Float then [other, to_f]
    when Rational then [other, self]
    else raise TypeError, "#{other.class} can't be coerced into Rational"
    end
  end

  def zero?
    @numerator == 0
  end

  def nonzero?
    zero? ? nil : self
  end

  def positive?
    @numerator > 0
  end

  def negative?
    @numerator < 0
  end

  def integer?
    false
  end

  def finite?
    true
  end

  def infinite?
    nil
  end

  def real?
    true
  end

  def to_i
    @numerator < 0 ? -(-@numerator / @denominator) : @numerator / @denominator
  end
  alias to_int to_i

  def truncate(digits = 0)
    __at(digits) { |value| value.to_i }
  end

  def floor(digits = 0)
    __at(digits) { |value| value.numerator.div(value.denominator) }
  end

  def ceil(digits = 0)
    __at(digits) { |value| -(-value.numerator).div(value.denominator) }
  end

  def round(digits = 0, half: :up)
    __refuse('round of a rational number with half:') unless half.nil? || half.to_s == 'up'
    __at(digits) do |value|
      doubled = value.numerator.abs * 2 + value.denominator
      whole = doubled.div(value.denominator * 2)
      value.numerator < 0 ? -whole : whole
    end
  end

  def to_f
    @numerator.fdiv(@denominator)
  end

  def to_r
    self
  end

  def rationalize(*within)
    __refuse('rationalize within a bound') unless within.empty?
    self
  end

  def to_s
    "#{@numerator}/#{@denominator}"
  end

  def inspect
    "(#{@numerator}/#{@denominator})"
  end

  def dup
    self
  end
  alias clone dup

  def frozen?
    true
  end

  private

  def __fill(numerator, denominator)
    @numerator = numerator
    @denominator = denominator
  end

  def __at(digits)
    raise TypeError, 'not an integer' unless digits.is_a?(Integer)

    return yield(self) if digits == 0

    unit = 10**digits.abs
    return yield(self / unit) * unit if digits < 0

    Rational.__ratio(yield(self * unit), unit)
  end

  def __coerced(name, other)
    if other.respond_to?(:coerce)
      one, two = other.coerce(self)
      return one.__send__(name, two)
    end
    shown = other.nil? || other == true || other == false || other.is_a?(Symbol) ? other.inspect : other.class
    raise TypeError, "#{shown} can't be coerced into Rational"
  end
end

class Integer
  def to_r
    Rational.__ratio(self, 1)
  end

  def rationalize(_within = nil)
    to_r
  end

  def quo(other)
    return self / other if other.is_a?(Float)

    to_r / other
  end
end

class Float
  def to_r
    Rational.__of(self)
  end

  def quo(other)
    self / other
  end

  def rationalize(within = nil)
    __refuse('rationalize of a Float')
  end

  def numerator
    return self if nan? || infinite?

    to_r.numerator
  end

  def denominator
    return 1 if infinite?
    return self if nan?

    to_r.denominator
  end
end

class NilClass
  def to_r
    Rational.__ratio(0, 1)
  end

  def rationalize(_within = nil)
    to_r
  end
end

# frozen_string_literal: true

# The source of randomness for all generators: equal seeds give equal questions.
class Words
  TEXTS = ['', 'a', 'abc', 'A b', 'é', 'ß', 'ﬁx', 'ΑΣ', '日本', 'x::y', 'a_b', '1', '-1', '0x1F', '1.5', '1e3', '0e0', '1e400', '08', ' ', "a\nb", '%d', '/a/b',
           'true', 'undef', '1.2.3', '>=1.0.0 <2.0.0', '2020-02-03T04:05:06.789 UTC', '1-02:03:04', 'aGk=', 'http://a.b/c?d#e', 'K', 'ſ', "tab\there", 'a,b;c', '$x', 'c\\d', "q'r", 'Foo', 'file'].freeze
  INTEGERS = [0, 1, -1, 2, 3, 7, 10, 16, 42, 255, 1000, -300, 4_294_967_296, 9_223_372_036_854_775_807, -9_223_372_036_854_775_807].freeze
  FLOATS = ['0.0', '-0.0', '1.5', '-2.25', '3.14159', '1.0e10', '1.0e-7', '1.0e100', '123456789.123', '1.0e15', '1.0e16', '0.1'].freeze

  attr_reader :random

  def initialize(seed)
    @random = Random.new(seed)
  end

  def pick(list)
    list[@random.rand(list.size)]
  end

  # Whether something of this probability happens.
  def chance(probability)
    @random.rand < probability
  end

  def number(range)
    @random.rand(range)
  end

  def some(range, &block)
    Array.new(@random.rand(range), &block)
  end

  # A text between single quotes.
  def quoted(text)
    "'#{text.gsub(/['\\]/) { |c| "\\#{c}" }}'"
  end

  # One of several methods, by weight.
  def choose(weights)
    at = @random.rand(weights.sum { |_, weight| weight })
    weights.each do |name, weight|
      return name if at < weight

      at -= weight
    end
  end
end

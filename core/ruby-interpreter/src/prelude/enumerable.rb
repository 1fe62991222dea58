module Enumerable
  def to_a(*arguments)
    all = []
    each(*arguments) { |*values| all << __one(values) }
    all
  end
  alias entries to_a

  def each_entry(&block)
    return to_enum(:each_entry) unless block

    each { |*values| block.call(__one(values)) }
    self
  end

  def map(&block)
    return to_enum(:map) unless block

    all = []
    each { |*values| all << block.call(*values) }
    all
  end
  alias collect map

  def flat_map(&block)
    return to_enum(:flat_map) unless block

    all = []
    each do |*values|
      made = block.call(*values)
      made.is_a?(Array) ? all.concat(made) : all << made
    end
    all
  end
  alias collect_concat flat_map

  def select(&block)
    return to_enum(:select) unless block

    all = []
    each do |*values|
      value = __one(values)
      all << value if block.call(value)
    end
    all
  end
  alias filter select
  alias find_all select

  def reject(&block)
    return to_enum(:reject) unless block

    all = []
    each do |*values|
      value = __one(values)
      all << value unless block.call(value)
    end
    all
  end

  def filter_map(&block)
    return to_enum(:filter_map) unless block

    all = []
    each do |*values|
      made = block.call(*values)
      all << made if made
    end
    all
  end

  def find(&block)
    return to_enum(:find) unless block

    each do |*values|
      value = __one(values)
      return value if block.call(value)
    end
    nil
  end
  alias detect find

  def find_index(wanted = (blank = true), &block)
    return to_enum(:find_index) if blank && !block

    at = 0
    each do |*values|
      value = __one(values)
      return at if blank ? block.call(*values) : value == wanted

      at += 1
    end
    nil
  end

  def first(count = (blank = true))
    if blank
      each { |*values| return __one(values) }
      return nil
    end
    raise ArgumentError, 'attempt to take negative size' if count < 0

    all = []
    return all if count == 0

    each do |*values|
      all << __one(values)
      return all if all.size >= count
    end
    all
  end

  def take(count)
    first(count)
  end

  def take_while(&block)
    return to_enum(:take_while) unless block

    all = []
    each do |*values|
      value = __one(values)
      return all unless block.call(*values)

      all << value
    end
    all
  end

  def drop_while(&block)
    return to_enum(:drop_while) unless block

    to_a.drop_while(&block)
  end

  def drop(count)
    to_a.drop(count)
  end

  def include?(wanted)
    each { |*values| return true if __one(values) == wanted }
    false
  end
  alias member? include?

  def each_with_index(*arguments, &block)
    return to_enum(:each_with_index, *arguments) unless block

    at = -1
    each(*arguments) { |*values| block.call(__one(values), at += 1) }
    self
  end

  def each_with_object(memo, &block)
    return to_enum(:each_with_object, memo) unless block

    each { |*values| block.call(__one(values), memo) }
    memo
  end

  def reverse_each(&block)
    return to_enum(:reverse_each) unless block

    to_a.reverse.each(&block)
    self
  end

  def each_slice(size, &block)
    unless block
      [].each_slice(size)
      return to_enum(:each_slice, size)
    end

    to_a.each_slice(size, &block)
    self
  end

  def each_cons(size, &block)
    unless block
      [].each_cons(size)
      return to_enum(:each_cons, size)
    end

    to_a.each_cons(size, &block)
    self
  end

  def count(*wanted, &block)
    return to_a.count(*wanted) unless block && wanted.empty?

    count = 0
    each { |*values| count += 1 if block.call(*values) }
    count
  end

  def inject(*arguments, &block)
    to_a.inject(*arguments, &block)
  end
  alias reduce inject

  def sum(*initial, &block)
    # Arrays add whole numbers before what they begin with.
    to_a.each.sum(*initial, &block)
  end

  def sort(&block)
    to_a.sort(&block)
  end

  def sort_by(&block)
    block ? to_a.sort_by(&block) : to_enum(:sort_by)
  end

  def min(*count, &block)
    to_a.min(*count, &block)
  end

  def max(*count, &block)
    to_a.max(*count, &block)
  end

  def min_by(*count, &block)
    block ? to_a.min_by(*count, &block) : to_enum(:min_by)
  end

  def max_by(*count, &block)
    block ? to_a.max_by(*count, &block) : to_enum(:max_by)
  end

  def minmax(&block)
    to_a.minmax(&block)
  end

  def minmax_by(&block)
    block ? to_a.minmax_by(&block) : to_enum(:minmax_by)
  end

  def all?(*pattern, &block)
    return to_a.all?(*pattern) unless block && pattern.empty?

    __answers(block).all?
  end

  def any?(*pattern, &block)
    return to_a.any?(*pattern) unless block && pattern.empty?

    __answers(block).any?
  end

  def none?(*pattern, &block)
    return to_a.none?(*pattern) unless block && pattern.empty?

    __answers(block).none?
  end

  def one?(*pattern, &block)
    return to_a.one?(*pattern) unless block && pattern.empty?

    __answers(block).one?
  end

  def partition(&block)
    block ? to_a.partition(&block) : to_enum(:partition)
  end

  def group_by(&block)
    block ? to_a.group_by(&block) : to_enum(:group_by)
  end

  def tally
    to_a.tally
  end

  def uniq(&block)
    return to_a.uniq unless block

    seen = {}
    each do |*values|
      key = block.call(*values)
      seen[key] = __one(values) unless seen.key?(key)
    end
    seen.values
  end

  def to_h(*arguments, &block)
    return to_a(*arguments).to_h unless block

    all = []
    each(*arguments) { |*values| all << block.call(*values) }
    all.to_h
  end

  def to_set(&block)
    __refuse('to_set with a block') if block
    Set.new(to_a)
  end

  def zip(*others, &block)
    to_a.zip(*others, &block)
  end

  def cycle(times = (blank = true), &block)
    times = blank ? [] : [times]
    block ? to_a.cycle(*times, &block) : to_enum(:cycle, *times)
  end

  def compact
    to_a.compact
  end

  def grep(pattern, &block)
    to_a.grep(pattern, &block)
  end

  def grep_v(pattern, &block)
    to_a.grep_v(pattern, &block)
  end

  def slice_when(&block)
    __refuse('slice_when without a block') unless block
    __cut { |before, value| block.call(before, value) }
  end

  def chunk_while(&block)
    __refuse('chunk_while without a block') unless block
    __cut { |before, value| !block.call(before, value) }
  end

  def chunk(&block)
    return to_enum(:chunk) unless block

    all = self
    Enumerator.new do |out|
      last = nil
      all.__each_one do |value|
        key = block.call(value)
        if key.is_a?(Symbol) && key != :_alone && key != :_separator && key.to_s.start_with?('_')
          raise 'symbols beginning with an underscore are reserved'
        end

        if last && last[0] == key && key != :_alone
          last[1] << value
        else
          out.yield(last[0], last[1]) if last
          last = key.nil? || key == :_separator ? nil : [key, [value]]
        end
      end
      out.yield(last[0], last[1]) if last
    end
  end

  def slice_before(*pattern, &block)
    __check_slice(pattern, block)
    __cut { |_, value| pattern.empty? ? block.call(value) : pattern[0] === value }
  end

  def slice_after(*pattern, &block)
    __check_slice(pattern, block)
    __cut(true) { |value, _| pattern.empty? ? block.call(value) : pattern[0] === value }
  end

  def __each_one
    each { |*values| yield(values.size <= 1 ? values[0] : values) }
  end

  def lazy
    Enumerator::Lazy.new(self)
  end

  private

  # Parts between which a block is true; after the last value it is asked once more where that is wanted.
  def __cut(ends = false)
    all = self
    Enumerator.new do |out|
      part = nil
      all.__each_one do |value|
        if part && yield(part.last, value)
          out.yield(part)
          part = [value]
        else
          (part ||= []) << value
        end
      end
      yield(part.last, nil) if part && ends
      out.yield(part) if part
    end
  end

  def __check_slice(pattern, block)
    __refuse('slice at nil') if pattern == [nil]
    __refuse('slice at several patterns') if pattern.size > 1
    raise ArgumentError, 'wrong number of arguments (given 0, expected 1)' if pattern.empty? && !block
    __refuse('slice with a pattern and a block') if !pattern.empty? && block
  end

  def __answers(block)
    all = []
    each { |*values| all << block.call(*values) }
    all
  end

  def __one(values)
    values.size <= 1 ? values[0] : values
  end
end

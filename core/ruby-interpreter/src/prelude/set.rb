class Set
  def ^(other)
    other = Set.new(other)
    each { |value| other.include?(value) ? other.delete(value) : other.add(value) }
    other
  end

  def disjoint?(other)
    __enumerable(other)
    none? { |value| other.include?(value) }
  end

  def intersect?(other)
    __enumerable(other)
    any? { |value| other.include?(value) }
  end

  def proper_subset?(other)
    raise ArgumentError, 'value must be a set' unless other.is_a?(Set)

    size < other.size && subset?(other)
  end
  alias < proper_subset?

  def proper_superset?(other)
    raise ArgumentError, 'value must be a set' unless other.is_a?(Set)

    size > other.size && superset?(other)
  end
  alias > proper_superset?

  def delete?(value)
    include?(value) ? delete(value) : nil
  end

  def delete_if
    return to_enum(:delete_if) unless block_given?

    to_a.each { |value| delete(value) if yield(value) }
    self
  end

  def keep_if
    return to_enum(:keep_if) unless block_given?

    to_a.each { |value| delete(value) unless yield(value) }
    self
  end

  def reject!(&block)
    return to_enum(:reject!) unless block

    before = size
    delete_if(&block)
    size == before ? nil : self
  end

  def select!(&block)
    return to_enum(:select!) unless block

    before = size
    keep_if(&block)
    size == before ? nil : self
  end
  alias filter! select!

  def subtract(others)
    __enumerable(others)
    others.each { |value| delete(value) }
    self
  end

  def clear
    to_a.each { |value| delete(value) }
    self
  end

  def __enumerable(others)
    raise ArgumentError, 'value must be enumerable' unless others.respond_to?(:each_entry)
  end

  def replace(others)
    __enumerable(others)
    values = others.to_a
    clear
    merge(values)
  end

  def map!
    return to_enum(:collect!) unless block_given?

    values = map { |value| yield(value) }
    replace(values)
  end
  alias collect! map!

  def classify
    return to_enum(:classify) unless block_given?

    made = {}
    each { |value| (made[yield(value)] ||= Set.new).add(value) }
    made
  end

  def pretty_print(*)
    __refuse('pretty_print')
  end

  def pretty_print_cycle(*)
    __refuse('pretty_print_cycle')
  end

  def partition(&block)
    to_a.partition(&block)
  end

  def flatten
    Set.new(__flat(self))
  end

  def __flat(set)
    set.flat_map { |value| value.is_a?(Set) ? __flat(value) : [value] }
  end

  def join(separator = nil)
    to_a.join(separator)
  end

  def <=>(other)
    return nil unless other.is_a?(Set)
    return 0 if self == other
    return -1 if proper_subset?(other)

    proper_superset?(other) ? 1 : nil
  end

end

module Comparable
  def ==(other)
    return true if equal?(other)

    (self <=> other) == 0
  end

  def <(other)
    __order(other) < 0
  end

  def >(other)
    __order(other) > 0
  end

  def <=(other)
    __order(other) <= 0
  end

  def >=(other)
    __order(other) >= 0
  end

  def between?(least, most)
    self >= least && self <= most
  end

  def clamp(least, *rest)
    most = rest.first
    raise ArgumentError, "wrong number of arguments (given #{rest.size + 1}, expected 1..2)" if rest.size > 1

    if rest.empty? && !least.is_a?(Range)
      shown = least.nil? || least == true || least == false ? least.inspect : least.class
      raise TypeError, "wrong argument type #{shown} (expected Range)"
    end
    if rest.empty?
      raise ArgumentError, 'cannot clamp with an exclusive range' if least.exclude_end? && !least.end.nil?

      least, most = least.begin, least.end
    end
    if !least.nil? && !most.nil? && (least <=> most) > 0
      raise ArgumentError, 'min argument must be smaller than max argument'
    end
    return least if !least.nil? && (self <=> least) < 0
    return most if !most.nil? && (self <=> most) > 0

    self
  end

  private

  def __order(other)
    order = (self <=> other)
    return order unless order.nil?

    # Small numbers and the like are written, the class of all others.
    shown = case other
            when nil, true, false, Symbol, Float, -(2**62)...(2**62) then other.inspect
            else other.class
            end
    raise ArgumentError, "comparison of #{self.class} with #{shown} failed"
  end
end

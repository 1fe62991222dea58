class IPAddr
  include Comparable

  attr_reader :family

  def self.new_ntoh(address)
    __refuse('IPAddr.new_ntoh')
  end

  def self.ntop(address)
    __refuse('IPAddr.ntop')
  end

  def initialize(address = '::', family = 0)
    unless address.is_a?(String)
      raise IPAddr::AddressFamilyError, 'address family must be specified' if family == 0
      raise IPAddr::AddressFamilyError, "unsupported address family: #{family}" unless [2, 10].include?(family)
      __refuse('IPAddr of what is no number') unless address.is_a?(Integer)

      limit = family == 2 ? 32 : 128
      raise IPAddr::InvalidAddressError, "invalid address: #{address}" if address < 0 || address >= (1 << limit)

      __set(family, address, (1 << limit) - 1)
      return
    end
    text, length = address.split('/', 2)
    bare = text.to_s =~ /\A\[(.*)\]\z/i ? $1 : text.to_s
    __refuse('IPAddr with a zone') if bare.include?('%')
    found = __ip_parse(bare)
    # The library of Ruby 3.1 says no more.
    raise IPAddr::InvalidAddressError, 'zero-filled number in IPv4 address is ambiguous: ' if found.nil? && bare =~ /\A\d+\.\d+\.\d+\.\d+\z/ && bare =~ /(\A|\.)0\d/
    raise IPAddr::InvalidAddressError, 'invalid address: ' unless found

    bits = found[0] == 2 ? 32 : 128
    __set(found[0], found[1], (1 << bits) - 1)
    __mask(length) if length
  end

  def ipv4?
    @family == 2
  end

  def ipv6?
    @family == 10
  end

  def to_i
    @addr
  end

  def to_s
    __ip_text(@family, @addr)
  end

  def to_string
    ipv4? ? to_s : @addr.to_s(16).rjust(32, '0').scan(/.{4}/).join(':')
  end

  def prefix
    mask = @mask
    __bits - (mask ^ ((1 << __bits) - 1)).bit_length
  end

  def prefix=(length)
    raise IPAddr::InvalidPrefixError, "prefix must be an integer: #{@addr}" unless length.is_a?(Integer)

    __prefix(length)
  end

  def netmask
    __ip_text(@family, @mask)
  end

  def mask(length)
    __refuse('such a mask') unless length.is_a?(String) || length.is_a?(Integer)
    return clone.__send__(:__prefix, length) if length.is_a?(Integer)

    clone.__send__(:__mask, length)
  end

  def include?(other)
    other = __coerce(other)
    return false unless other.family == @family

    range = to_range
    low = other.to_range.first.to_i
    high = other.to_range.last.to_i
    range.first.to_i <= low && range.last.to_i >= high
  end
  alias === include?

  def to_range
    first = @addr & @mask
    last = @addr | (@mask ^ ((1 << __bits) - 1))
    whole = (1 << __bits) - 1
    from, to = [first, last].map { |address| self.class.allocate.__send__(:__set, @family, address, whole) }
    from..to
  end

  def &(other)
    __copy(@addr & __coerce(other).to_i)
  end

  def |(other)
    __copy(@addr | __coerce(other).to_i)
  end

  def ~
    __copy(@addr ^ ((1 << __bits) - 1))
  end

  def <<(count)
    __copy((@addr << count) & ((1 << __bits) - 1))
  end

  def >>(count)
    __copy(@addr >> count)
  end

  def succ
    __copy(@addr + 1)
  end

  def <=>(other)
    other = __coerce(other)
  rescue StandardError
    nil
  else
    other.family == @family ? @addr <=> other.to_i : nil
  end

  def ==(other)
    other = __coerce(other)
  rescue StandardError
    false
  else
    @family == other.family && @addr == other.to_i
  end

  def eql?(other)
    self.class == other.class && hash == other.hash && self == other
  end

  def hash
    [@addr, @mask].hash
  end

  def ipv4_mapped?
    ipv6? && (@addr >> 32) == 0xffff
  end

  def ipv4_mapped
    raise IPAddr::InvalidAddressError, "not an IPv4 address: #{self}" unless ipv4?

    __refuse('ipv4_mapped of a network') unless prefix == 32
    __copy(@addr | 0xffff00000000, 10)
  end

  def native
    ipv4_mapped? ? __copy(@addr & 0xffffffff, 2) : self
  end

  def loopback?
    case @family
    when 2 then @addr & 0xff000000 == 0x7f000000
    else @addr == 1
    end
  end

  def private?
    if ipv4?
      @addr & 0xff000000 == 0x0a000000 || @addr & 0xfff00000 == 0xac100000 || @addr & 0xffff0000 == 0xc0a80000
    else
      @addr & 0xfe00_0000_0000_0000_0000_0000_0000_0000 == 0xfc00_0000_0000_0000_0000_0000_0000_0000
    end
  end

  def link_local?
    if ipv4?
      @addr & 0xffff0000 == 0xa9fe0000
    else
      @addr & 0xffc0_0000_0000_0000_0000_0000_0000_0000 == 0xfe80_0000_0000_0000_0000_0000_0000_0000
    end
  end

  def reverse
    if ipv4?
      to_s.split('.').reverse.join('.') + '.in-addr.arpa'
    else
      ip6_arpa
    end
  end

  def ip6_arpa
    raise IPAddr::InvalidAddressError, "not an IPv6 address: #{@addr}" unless ipv6?

    @addr.to_s(16).rjust(32, '0').reverse.chars.join('.') + '.ip6.arpa'
  end

  def inspect
    name = ipv4? ? 'IPv4' : 'IPv6'
    shown = ->(number) { ipv4? ? __ip_text(2, number) : number.to_s(16).rjust(32, '0').scan(/.{4}/).join(':') }
    "#<IPAddr: #{name}:#{shown.call(@addr)}/#{shown.call(@mask)}>"
  end

  protected

  def __set(family, address, mask)
    @family = family
    @addr = address
    @mask = mask
    self
  end

  private

  def __bits
    ipv4? ? 32 : 128
  end

  def __copy(address, family = @family)
    bits = family == 2 ? 32 : 128
    raise IPAddr::InvalidAddressError, "invalid address: #{address}" if address < 0 || address >= (1 << bits)

    mask = family == @family ? @mask : (1 << bits) - 1
    self.class.allocate.__send__(:__set, family, address, mask)
  end

  def __coerce(other)
    case other
    when IPAddr then other
    when String then self.class.new(other)
    when Integer then other < 0 ? __refuse('a negative address') : self.class.new(other, @family)
    when Numeric, nil, true, false, Symbol, Array, Hash then self.class.new(other, @family)
    else __refuse('address that an object stands for')
    end
  end

  def __prefix(count)
    raise IPAddr::InvalidPrefixError, "invalid length: #{@addr}" if count < 0 || count > __bits

    @mask = ((1 << __bits) - 1) ^ ((1 << (__bits - count)) - 1)
    @addr &= @mask
    self
  end

  def __mask(length)
    if length =~ /\A\d+\z/
      raise IPAddr::InvalidPrefixError, 'leading zeros in prefix' if length =~ /\A0\d/

      return __prefix(length.to_i)
    end
    __refuse('mask with a mask') if length.include?('/')
    found = __ip_parse(length.sub(/\A\[(.*)\]\z/, '\1'))
    raise IPAddr::InvalidAddressError, 'invalid address: ' if found.nil?
    raise IPAddr::InvalidPrefixError, "address family is not same: #{@addr}" if found[0] != @family

    mask = found[1]
    host = mask ^ ((1 << __bits) - 1)
    raise IPAddr::InvalidPrefixError, "invalid mask #{length}: #{@addr}" unless (host & (host + 1)) == 0

    @mask = mask
    @addr &= @mask
    self
  end
end

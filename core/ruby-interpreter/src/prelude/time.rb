class Time
  MONTHS = %w[jan feb mar apr may jun jul aug sep oct nov dec].freeze
  private_constant :MONTHS

  class << self
    def __new(*arguments, **options)
      zone = __zone(arguments[6].nil? ? options[:in] : arguments[6])
      return (zone == :local ? now : now.localtime(zone)) if arguments.empty?

      __at_parts(arguments[0, 6], zone)
    end

    def utc(*arguments)
      __at_parts(__reordered(arguments), :utc)
    end
    alias gm utc

    def local(*arguments)
      __at_parts(__reordered(arguments), :local)
    end
    alias mktime local

    def at(time, fraction = nil, unit = :microsecond, **options)
      zone = __zone(options[:in])
      if time.is_a?(Time)
        raise ArgumentError, 'wrong argument' if fraction

        return zone == :local ? time + 0 : __made(time.to_r, zone == :utc ? :utc : zone)
      end
      raise TypeError, "can't convert #{time.class} into an exact number" if time.nil? || time.is_a?(String)

      if fraction
        scale = { microsecond: 1_000_000, usec: 1_000_000, millisecond: 1000, nsec: 1_000_000_000, nanosecond: 1_000_000_000 }[unit]
        raise ArgumentError, "unexpected unit: #{unit}" unless scale

        time = time.to_r + fraction.to_r / scale
      end
      __made(time, zone == :local ? nil : zone)
    end

    def parse(text, now = nil)
      __refuse('Time.parse beside a time') if now
      parts = Date.__parsed(text)
      raise ArgumentError, "no time information in #{text.inspect}" unless parts && (parts[:year] || parts[:hour])

      __refuse('Time.parse without a date') unless parts[:year] && parts[:mon]
      __of(parts, text)
    end

    def strptime(text, format, now = nil)
      __refuse('Time.strptime beside a time') if now
      return at(text.to_i) if format == '%s' && text.match?(/\A-?\d+\z/)

      parts = Date.__strptime_parts(text, format)
      raise ArgumentError, "invalid date or strptime format - `#{text}' `#{format}'" unless parts

      __refuse('Time.strptime without a year') unless parts[:year]
      __of(parts, text)
    end

    def iso8601(text)
      found = /\A\s*(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)?\s*\z/i.match(text)
      unless found
        raise ArgumentError, "invalid xmlschema format: #{text.inspect}"
      end

      second = found[6].to_i
      second += found[7].sub('.', '0.').to_r if found[7]
      parts = { year: found[1].to_i, mon: found[2].to_i, mday: found[3].to_i, hour: found[4].to_i, min: found[5].to_i, sec: second }
      if found[8]
        parts[:offset] = __zone_offset(found[8].upcase)
        parts[:zone] = found[8].upcase
      end
      __of(parts, text)
    end
    alias xmlschema iso8601

    def rfc2822(text)
      parse(text)
    end
    alias rfc822 rfc2822
    alias httpdate rfc2822

    def __of(parts, _text)
      zone = parts[:offset].nil? ? :local : parts[:offset]
      zone = :utc if parts[:zone].to_s.match?(/\A(?:-00:00|-0000|-00|UTC|Z|UT)\z/i)
      second = parts[:sec] || 0
      second += Rational(parts[:fraction], 1_000_000_000) if parts[:fraction] && parts[:fraction] > 0
      __at_parts([parts[:year], parts[:mon] || 1, parts[:mday] || 1, parts[:hour] || 0, parts[:min] || 0, second], zone)
    end

    def __at_parts(list, zone)
      year, month, day, hour, minute, second = list
      year = __number(year, 0)
      month = __month(month)
      day = __number(day, 1)
      hour = __number(hour, 0)
      minute = __number(minute, 0)
      second = second.nil? ? 0 : second
      second = __number(second, 0) if second.is_a?(String)
      is_possible = day.between?(0, 31) && hour.between?(0, 31) && minute.between?(0, 63) && second >= 0 && second < 64
      raise ArgumentError, 'argument out of range' unless is_possible
      raise ArgumentError, 'mon out of range' unless month.between?(1, 12)
      raise ArgumentError, 'mday out of range' if day == 0
      raise ArgumentError, 'hour out of range' unless hour.between?(0, 24)
      raise ArgumentError, 'min out of range' unless minute.between?(0, hour == 24 ? 0 : 59)
      raise ArgumentError, 'sec out of range' unless second >= 0 && (hour == 24 ? second == 0 : second < 61)

      seconds = __days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
      case zone
      when :utc then __made(seconds, :utc)
      when :local then __made(seconds, nil)
      else __made(seconds - zone, zone)
      end
    end

    private

    def __number(value, usual)
      return usual if value.nil?

      return value.to_i unless value.is_a?(String)
      raise ArgumentError, "invalid value for Integer(): #{value.inspect}" unless value.match?(/\A\s*[+-]?\d+\s*\z/)

      value.to_i
    end

    def __month(value)
      return 1 if value.nil?
      if value.is_a?(String)
        at = MONTHS.index(value.downcase)
        return at + 1 if at

        value = __number(value, 1)
      end
      month = value.to_i
      raise ArgumentError, 'argument out of range' unless month.between?(0, 15)
      month
    end

    def __reordered(arguments)
      __refuse('Time of ten parts') if arguments.size > 7
      list = arguments[0, 6]
      list[5] = (list[5] || 0) + Rational(arguments[6]) / 1_000_000 if arguments[6]
      list
    end
  end

  def self.__zone(zone)
    case zone
    when nil then :local
    when Integer
      raise ArgumentError, 'utc_offset out of range' if zone.abs >= 86_400

      __refuse('zone with seconds') unless zone % 60 == 0
      zone
    when 'UTC', 'Z', '-00:00' then :utc
    when /\A([+-])(\d\d):?([0-5]\d)(?::?([0-5]\d))?\z/
      seconds = $2.to_i * 3600 + $3.to_i * 60 + $4.to_i
      raise ArgumentError, 'utc_offset out of range' if $2.to_i > 23

      $1 == '-' ? -seconds : seconds
    when /\A[A-IK-Z]\z/
      __zone_offset(zone)
    when String
      raise ArgumentError, %("+HH:MM", "-HH:MM", "UTC" or "A".."I","K".."Z" expected for utc_offset: #{zone})
    else __refuse('zone of such a value')
    end
  end

  def localtime(zone = nil)
    zone = Time.__zone(zone)
    return utc if zone == :utc

    __localtime(zone == :local ? nil : zone)
  end
  alias getlocal localtime

  def to_f
    nsec == 0 ? to_i.to_f : (to_i * 1_000_000_000 + nsec).fdiv(1_000_000_000)
  end

  def to_r
    Rational(to_i * 1_000_000_000 + nsec, 1_000_000_000)
  end

  def subsec
    nsec == 0 ? 0 : Rational(nsec, 1_000_000_000)
  end

  def round(digits = 0)
    __to(digits) { |value| value.round }
  end

  def floor(digits = 0)
    __to(digits) { |value| value.floor }
  end

  def ceil(digits = 0)
    __to(digits) { |value| value.ceil }
  end

  def to_a
    [sec, min, hour, day, month, year, wday, yday, false, zone]
  end

  def dst?
    false
  end
  alias isdst dst?

  def iso8601(digits = 0)
    __refuse('iso8601 with what is no number of digits') unless digits.is_a?(Integer)
    text = strftime('%Y-%m-%dT%H:%M:%S')
    text << strftime(".%#{digits}N") if digits > 0
    text << (utc? ? 'Z' : strftime('%:z'))
  end
  alias xmlschema iso8601

  def rfc2822
    strftime('%a, %d %b %Y %T ') << (utc? ? '-0000' : strftime('%z'))
  end
  alias rfc822 rfc2822

  def httpdate
    getutc.strftime('%a, %d %b %Y %H:%M:%S GMT')
  end

  def ctime
    strftime('%a %b %e %T %Y')
  end
  alias asctime ctime

  def sunday?
    wday == 0
  end

  def monday?
    wday == 1
  end

  def tuesday?
    wday == 2
  end

  def wednesday?
    wday == 3
  end

  def thursday?
    wday == 4
  end

  def friday?
    wday == 5
  end

  def saturday?
    wday == 6
  end

  def to_time
    self
  end

  def to_date
    Date.new(year, month, day)
  end

  def to_datetime
    DateTime.__at(to_i + utc_offset, nsec, utc_offset)
  end

  private

  def __to(digits)
    __refuse('digits of such a value') unless digits.nil? || digits.is_a?(Numeric)
    digits = digits.to_i
    raise ArgumentError, 'negative ndigits given' if digits < 0

    unit = 10**digits
    kept = utc? ? :utc : (zone.nil? ? utc_offset : nil)
    Time.__made(Rational(yield(to_r * unit), unit), kept)
  end
end

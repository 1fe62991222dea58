class Date
  include Comparable

  class Error < ArgumentError
  end

  MONTHNAMES = [nil, 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
                'November', 'December'].freeze
  ABBR_MONTHNAMES = [nil, 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].freeze
  DAYNAMES = %w[Sunday Monday Tuesday Wednesday Thursday Friday Saturday].freeze
  ABBR_DAYNAMES = %w[Sun Mon Tue Wed Thu Fri Sat].freeze
  ITALY = 2_299_161
  # The day number of 1970-01-01.
  EPOCH = 2_440_588

  class << self
    def new(year = -4712, month = 1, day = 1, _start = ITALY)
      days = __valid_days(year, month, day)
      raise Date::Error, 'invalid date' unless days

      __on(days)
    end
    alias civil new

    def valid_civil?(year, month, day, _start = ITALY)
      return false unless [year, month, day].all? { |part| part.is_a?(Numeric) }

      !__valid_days(year, month, day).nil?
    end
    alias valid_date? valid_civil?

    def ordinal(year, day = 1)
      first = __days(year, 1, 1)
      day += (leap?(year) ? 366 : 365) + 1 if day < 0
      raise Date::Error, 'invalid date' unless day.between?(1, leap?(year) ? 366 : 365)

      __on(first + day - 1)
    end

    def commercial(year, week = 1, day = 1)
      __refuse('Date.commercial from the end') if week < 0 || day < 0
      # The week of January 4th is the first.
      fourth = __days(year, 1, 4)
      monday = fourth - (__civil(fourth)[3] - 1) % 7
      days = monday + (week - 1) * 7 + day - 1
      parts = __civil(days)
      raise Date::Error, 'invalid date' unless day.between?(1, 7) && parts[5] == year && parts[6] == week

      __on(days)
    end

    def jd(number = 0)
      __on(number - EPOCH)
    end

    def today
      now = Time.now
      new(now.year, now.month, now.day)
    end

    def leap?(year)
      (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
    end
    alias gregorian_leap? leap?

    def parse(text = '-4712-01-01', complete = true, limit: 128)
      raise TypeError, "no implicit conversion of #{__kind(text)} into String" unless text.respond_to?(:to_str)

      raise ArgumentError, "string length (#{text.size}) exceeds the limit #{limit}" if limit && text.size > limit

      __complete(__parsed(text))
    end

    def iso8601(text)
      found = /\A\s*(-?\d{4})-(\d\d)-(\d\d)\s*\z/.match(text)
      __refuse('Date.iso8601 of another form') unless found
      new(found[1].to_i, found[2].to_i, found[3].to_i)
    end
    alias xmlschema iso8601

    def strptime(text = '-4712-01-01', format = '%F')
      parts = __strptime_parts(text, format)
      raise Date::Error, 'invalid date' unless parts

      __complete(parts)
    end

    # The parts of a text that is read by a format.
    def __strptime_parts(text, format)
      odd = format.scan(/%[-_0^#]*[EO]?:*([A-Za-z+%])/).flatten - %w[Y m d e H k I l M S L N p P b B h y z Z F T D R X x v n t %] - %w[a A]
      __refuse("strptime with %#{odd.first}") unless odd.empty?

      values = __strptime(text, format)
      return if values.nil?

      names = %i[year mon mday hour min sec fraction offset zone]
      parts = names.zip(values).to_h.compact
      __refuse('strptime of the name of a day alone') if parts.empty? && format.match?(/%[aA]/)
      parts
    end

    # The parts of a text in one of the forms that are known; what may be another is refused.
    def __parsed(text)
      text = text.strip
      time = '(?:(?:[T\s]\s*)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?'
      if (found = /\A(\d{4})-(\d{1,2})-(\d{1,2})#{time}\z/i.match(text)) || (found = /\A(\d{4})\/(\d{1,2})\/(\d{1,2})#{time}\z/i.match(text))
        __with_time({ year: found[1].to_i, mon: found[2].to_i, mday: found[3].to_i }, found, 4)
      elsif (found = /\A(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d))?(Z)?\z/i.match(text))
        parts = { year: found[1].to_i, mon: found[2].to_i, mday: found[3].to_i }
        parts.update(hour: found[4].to_i, min: found[5].to_i, sec: found[6].to_i) if found[4]
        parts.update(zone: found[7], offset: 0) if found[7]
        parts
      elsif (found = /\A(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\s+)?(\d{1,2})(?:st|nd|rd|th)?[\s-]+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?[\s-]+(\d{4})#{time}\z/i.match(text))
        __with_time({ year: found[3].to_i, mon: __month_of(found[2]), mday: found[1].to_i }, found, 4)
      elsif (found = /\A(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})#{time}\z/i.match(text))
        __with_time({ year: found[3].to_i, mon: __month_of(found[1]), mday: found[2].to_i }, found, 4)
      elsif (found = /\A(?:(?:sun|mon|tue|wed|thu|fri|sat)\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+(\d{1,2})\s+(\d\d):(\d\d):(\d\d)\s+(?:(UTC|GMT|[+-]\d{4})\s+)?(\d{4})\z/i.match(text))
        parts = { year: found[7].to_i, mon: __month_of(found[1]), mday: found[2].to_i, hour: found[3].to_i, min: found[4].to_i, sec: found[5].to_i }
        parts.update(zone: found[6], offset: __zone_offset(found[6])) if found[6]
        parts
      elsif text.match?(/\d/) || text.match?(/sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i)
        __refuse("time in the form of #{text.inspect}")
      end
    end

    def __complete(parts)
      raise Date::Error, 'invalid date' unless parts && !parts.empty?

      __refuse('date without a year') unless parts[:year]
      __of_parts(parts)
    end

    def __of_parts(parts)
      new(parts[:year], parts[:mon] || 1, parts[:mday] || 1)
    end

    def __on(days)
      __refuse('date before 1582-10-15') if days < ITALY - EPOCH
      made = allocate
      made.__send__(:__fill, days)
      made
    end

    private

    def __month_of(name)
      ABBR_MONTHNAMES.index(name.capitalize)
    end

    def __with_time(parts, found, at)
      return parts unless found[at]

      parts.update(hour: found[at].to_i, min: found[at + 1].to_i)
      parts[:sec] = found[at + 2].to_i if found[at + 2]
      parts[:fraction] = found[at + 3].ljust(9, '0')[0, 9].to_i if found[at + 3]
      parts.update(zone: found[at + 4], offset: __zone_offset(found[at + 4])) if found[at + 4]
      parts
    end

    def __valid_days(year, month, day)
      raise TypeError, 'invalid year (not numeric)' unless year.is_a?(Numeric)
      raise TypeError, 'invalid month (not numeric)' unless month.is_a?(Numeric)
      raise TypeError, 'invalid day (not numeric)' unless day.is_a?(Numeric)
      __refuse('date with a fraction') unless [year, month, day].all? { |part| part.is_a?(Integer) }

      month += 13 if month < 0
      return unless month.between?(1, 12)

      last = month == 2 ? (leap?(year) ? 29 : 28) : [4, 6, 9, 11].include?(month) ? 30 : 31
      day += last + 1 if day < 0
      return unless day.between?(1, last)
      return if year == 1582 && month == 10 && day.between?(5, 14)

      __days(year, month, day)
    end
  end

  def year
    __parts[0]
  end

  def month
    __parts[1]
  end
  alias mon month

  def day
    __parts[2]
  end
  alias mday day

  def wday
    __parts[3]
  end

  def yday
    __parts[4]
  end

  def cwyear
    __parts[5]
  end

  def cweek
    __parts[6]
  end

  def cwday
    wday == 0 ? 7 : wday
  end

  def jd
    @days + EPOCH
  end

  def mjd
    @days + 40_587
  end

  def ld
    jd - 2_299_160
  end

  def leap?
    Date.leap?(year)
  end

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

  def +(other)
    raise TypeError, 'expected numeric' unless other.is_a?(Numeric)

    __refuse('date with a fraction') unless other.to_i == other
    self.class.__on(@days + other.to_i)
  end

  def -(other)
    case other
    when DateTime then __refuse('distance of a date from a time')
    when Date then Rational(@days - other.__days_since_epoch, 1)
    when Numeric then self + -other
    else raise TypeError, 'expected numeric'
    end
  end

  def >>(other)
    __refuse('months of what is no whole number') unless other.is_a?(Integer)

    months = year * 12 + month - 1 + other.to_i
    year, month = months.divmod(12)
    day = self.day
    day -= 1 until Date.valid_civil?(year, month + 1, day)
    __moved(__days(year, month + 1, day))
  end

  def <<(other)
    raise TypeError, 'expected numeric' unless other.is_a?(Numeric)

    __refuse('months of what is no whole number') unless other.is_a?(Integer)
    self >> -other
  end

  def next_day(count = 1)
    self + count
  end

  def prev_day(count = 1)
    self - count
  end

  def next_month(count = 1)
    self >> count
  end

  def prev_month(count = 1)
    self << count
  end

  def next_year(count = 1)
    self >> count * 12
  end

  def prev_year(count = 1)
    self << count * 12
  end

  def succ
    self + 1
  end
  alias next succ

  def <=>(other)
    case other
    when Date then __instant <=> other.__instant
    else other.respond_to?(:coerce) ? __refuse('order of a date and a number') : nil
    end
  end

  def ==(other)
    other.is_a?(Date) ? __instant == other.__instant : (other.is_a?(Numeric) ? __refuse('order of a date and a number') : false)
  end

  def ===(other)
    case other
    when Date then jd == other.jd
    when Integer then jd == other
    when Numeric then __refuse('a date and such a number')
    else nil
    end
  end

  def eql?(other)
    other.is_a?(Date) && self == other
  end

  def hash
    [Date, __instant].hash
  end

  def step(limit, by = (alone = true) && 1)
    return to_enum(:step, *(alone ? [limit] : [limit, by])) unless block_given?

    __refuse('steps to what is no date') unless limit.is_a?(Date)
    date = self
    if by > 0
      while date <= limit
        yield date
        date += by
      end
    elsif by < 0
      while date >= limit
        yield date
        date += by
      end
    else
      raise ArgumentError, "step can't be 0"
    end
    self
  end

  def upto(limit, &block)
    return to_enum(:upto, limit) unless block

    step(limit, 1, &block)
  end

  def downto(limit, &block)
    return to_enum(:downto, limit) unless block

    step(limit, -1, &block)
  end

  def strftime(format = '%F')
    __refuse('strftime with %Q or %+') if format.match?(/%[^%A-Za-z]*[Q+]/)
    __moment.strftime(format.gsub(/%%|%([-_0^#\d]*)Z/) { |found| found == '%%' ? found : "%#{$1}:z" })
  end

  def to_s
    strftime('%Y-%m-%d')
  end
  alias iso8601 to_s
  alias xmlschema to_s

  def inspect
    "#<Date: #{self} ((#{jd}j,0s,0n),+0s,2299161j)>"
  end

  def httpdate
    (is_a?(DateTime) ? new_offset(0) : self).strftime('%a, %d %b %Y %T GMT')
  end

  def rfc2822
    strftime('%a, %-d %b %Y %T %z')
  end

  def rfc3339
    strftime('%Y-%m-%dT%H:%M:%S%:z')
  end

  def ctime
    strftime('%a %b %e %T %Y')
  end
  alias asctime ctime

  def to_date
    self
  end

  def to_time
    Time.local(year, month, day)
  end

  def to_datetime
    DateTime.__at(@days * 86_400, 0, 0)
  end

  def dup
    self
  end
  alias clone dup

  def __days_since_epoch
    @days
  end

  # The order of dates and times: nanoseconds since 1970.
  def __instant
    @days * 86_400_000_000_000
  end

  private

  def __fill(days)
    @days = days
  end

  def __parts
    @parts ||= __civil(@days)
  end

  def __moved(days)
    self.class.__on(days)
  end

  def __moment
    Time.__made(@days * 86_400, 0)
  end
end

class DateTime < Date
  class << self
    def new(year = -4712, month = 1, day = 1, hour = 0, minute = 0, second = 0, offset = 0, _start = ITALY)
      days = __valid_days(year, month, day)
      hour += 24 if hour < 0
      minute += 60 if minute < 0
      second += 60 if second < 0
      valid = days && hour.between?(0, 24) && minute.between?(0, 59) && second >= 0 && second < 60
      raise Date::Error, 'invalid date' unless valid && !(hour == 24 && (minute > 0 || second > 0))

      nanoseconds = 0
      unless second.is_a?(Integer)
        parts = second.to_r * 1_000_000_000
        __refuse('time with a fraction that is no whole number of nanoseconds') unless parts.denominator == 1
        second, nanoseconds = parts.numerator.divmod(1_000_000_000)
      end
      __at(days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds, __offset(offset))
    end
    alias civil new

    def now
      Time.now.to_datetime
    end

    # From the seconds of the clock on the wall.
    def __at(seconds, nanoseconds, offset)
      __refuse('date before 1582-10-15') if seconds < (ITALY - EPOCH) * 86_400
      made = allocate
      made.__send__(:__set, seconds, nanoseconds, offset)
      made
    end

    def __of_parts(parts)
      made = new(parts[:year], parts[:mon] || 1, parts[:mday] || 1, parts[:hour] || 0, parts[:min] || 0,
                 parts[:sec] == 60 ? 59 : parts[:sec] || 0)
      __at(made.__wall, parts[:fraction] || 0, parts[:offset] || 0)
    end

    def iso8601(text)
      parse(text)
    end
    alias xmlschema iso8601
    alias rfc3339 iso8601

    private

    def __offset(offset)
      case offset
      when String then __zone_offset(offset) || __refuse('offset of such a name')
      when Numeric
        seconds = offset * 86_400
        __refuse('offset with a fraction of a second') unless seconds == seconds.to_i
        seconds.to_i
      else __refuse('such an offset')
      end
    end
  end

  def hour
    @wall % 86_400 / 3600
  end

  def minute
    @wall % 3600 / 60
  end
  alias min minute

  def second
    @wall % 60
  end
  alias sec second

  def sec_fraction
    Rational(@nanoseconds, 1_000_000_000)
  end
  alias second_fraction sec_fraction

  def offset
    Rational(@offset, 86_400)
  end

  def zone
    strftime('%:z')
  end

  def new_offset(offset = 0)
    seconds = DateTime.__send__(:__offset, offset)
    DateTime.__at(@wall - @offset + seconds, @nanoseconds, seconds)
  end

  def +(other)
    raise TypeError, 'expected numeric' unless other.is_a?(Numeric)

    __refuse('time moved by a Float') if other.is_a?(Float) && other != other.to_i
    all = (other.to_r * 86_400_000_000_000)
    __refuse('time with a fraction that is no whole number of nanoseconds') unless all.denominator == 1
    seconds, nanoseconds = (@wall * 1_000_000_000 + @nanoseconds + all.numerator).divmod(1_000_000_000)
    DateTime.__at(seconds, nanoseconds, @offset)
  end

  def -(other)
    case other
    when DateTime then Rational(__instant - other.__instant, 86_400_000_000_000)
    when Date then __refuse('distance of a date from a time')
    when Numeric then self + -other
    else raise TypeError, 'expected numeric'
    end
  end

  def to_s
    strftime('%Y-%m-%dT%H:%M:%S%:z')
  end

  def strftime(format = '%FT%T%:z')
    super(format)
  end

  def iso8601(digits = 0)
    # Converts as Ruby does, in its words.
    digits = [0].rotate(digits) && digits.to_i
    digits > 0 ? strftime("%Y-%m-%dT%H:%M:%S.%#{digits}N%:z") : to_s
  end
  alias xmlschema iso8601
  alias rfc3339 iso8601

  def inspect
    utc = @wall - @offset
    "#<DateTime: #{self} ((#{utc.div(86_400) + EPOCH}j,#{utc % 86_400}s,#{@nanoseconds}n),#{format('%+d', @offset)}s,2299161j)>"
  end

  def to_date
    Date.__on(@days)
  end

  def to_time
    Time.__made(Rational((@wall - @offset) * 1_000_000_000 + @nanoseconds, 1_000_000_000), @offset)
  end

  def to_datetime
    self
  end

  def __wall
    @wall
  end

  def __instant
    (@wall - @offset) * 1_000_000_000 + @nanoseconds
  end

  private

  def __set(wall, nanoseconds, offset)
    @wall = wall
    @nanoseconds = nanoseconds
    @offset = offset
    __fill(wall.div(86_400))
  end

  def __moved(days)
    DateTime.__at(days * 86_400 + @wall % 86_400, @nanoseconds, @offset)
  end

  def __moment
    Time.__made(Rational((@wall - @offset) * 1_000_000_000 + @nanoseconds, 1_000_000_000), @offset)
  end
end

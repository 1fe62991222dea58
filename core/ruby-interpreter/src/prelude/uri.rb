module URI
  # What the parts of a URI may contain by RFC 3986; a query may contain anything.
  SEGMENT = /(?:%\h\h|[!$&-.0-;=@-Z_a-z~])/
  IPV4 = /(?:(?:[1-9]\d|1\d{2}|2[0-4]\d|25[0-5]|\d)\.){3}(?:[1-9]\d|1\d{2}|2[0-4]\d|25[0-5]|\d)/
  LAST = /(?:\h{1,4}:\h{1,4}|#{IPV4})/
  IPV6 = Regexp.new(
    "(?:(?:\\h{1,4}:){6}#{LAST}|::(?:\\h{1,4}:){5}#{LAST}|\\h{1,4}::(?:\\h{1,4}:){4}#{LAST}|" +
    [3, 2, 1].map { |rest| "(?:(?:\\h{1,4}:){0,#{4 - rest}}\\h{1,4})?::(?:\\h{1,4}:){#{rest}}#{LAST}|" }.join +
    "(?:(?:\\h{1,4}:){0,4}\\h{1,4})?::#{LAST}|(?:(?:\\h{1,4}:){0,5}\\h{1,4})?::\\h{1,4}|(?:(?:\\h{1,4}:){0,6}\\h{1,4})?::)"
  )
  LITERAL = /\[(?:#{IPV6}|v\h+\.[!$&-.0-;=A-Z_a-z~]+)\]/
  NAME = /(?:%\h\h|[!$&-.0-9;=A-Z_a-z~])/
  USERINFO = /(?:%\h\h|[!$&-.0-;=A-Z_a-z~])*/
  AUTHORITY = /(?:(?<userinfo>#{USERINFO})@)?(?<host>#{LITERAL}|#{NAME}+)?(?::(?<port>\d*))?/
  ROOTED = /\/(?:#{SEGMENT}+(?:\/#{SEGMENT}*)*)?/
  ENDING = /(?:\?(?<query>[^#]*))?(?:#(?<fragment>(?:#{SEGMENT}|[\/?])*))?/
  WHOLE = /\A(?<scheme>[A-Za-z][A-Za-z0-9+\-.]*):(?:\/\/#{AUTHORITY}(?<hierarchical>(?:\/#{SEGMENT}*)*)|(?<absolute>#{ROOTED})|(?<rootless>#{SEGMENT}+(?:\/#{SEGMENT}*)*)|(?<plain>))#{ENDING}\z/
  RELATIVE = /\A(?:\/\/#{AUTHORITY}(?<hierarchical>(?:\/#{SEGMENT}*)*)|(?<absolute>#{ROOTED})|(?<plain>(?:(?:%\h\h|[!$&-.0-9;=@-Z_a-z~])+(?:\/#{SEGMENT}*)*)?))#{ENDING}(?<scheme>(?!))?(?<rootless>(?!))?\z/
  ABSOLUTE_PATH = /\A\/#{SEGMENT}*(?:\/#{SEGMENT}*)*\z/
  RELATIVE_PATH = /\A#{SEGMENT}+(?:\/#{SEGMENT}*)*\z/
  private_constant :SEGMENT, :IPV4, :LAST, :IPV6, :LITERAL, :NAME, :USERINFO, :AUTHORITY, :ROOTED, :ENDING, :WHOLE, :RELATIVE, :ABSOLUTE_PATH, :RELATIVE_PATH

  # What reads and escapes URIs as RFC 2396 has them.
  class RFC2396_Parser
    UNSAFE = /[^\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]/
    ESCAPED = /(?:%[a-fA-F\d]{2})+/

    one_of = ->(characters) { "(?:[#{characters}]|%[a-fA-F\\d]{2})" }
    mark = "\\-_.!~*'()a-zA-Z\\d"
    any = one_of.("#{mark};/?:@&=+$,\\[\\]")
    part = one_of.("#{mark}:@&=+$,")
    segment = "#{part}*(?:;#{part}*)*"
    group = '[a-fA-F\d]{1,4}'
    four = (['\d{1,3}'] * 4).join('\.')
    last = "(?:#{group}|#{four})"
    literal = "(?:(?:#{group}:)*#{last}|(?:(?:#{group}:)*#{group})?::(?:(?:#{group}:)*#{last})?)"
    host = "(?:(?:[a-zA-Z0-9\\-.]|%\\h\\h)+|#{four}|\\[#{literal}\\])"
    absolute = [
      '', '([a-zA-Z][\-+.a-zA-Z\d]*):                           (?# 1: scheme)', '(?:',
      "   (#{one_of.("#{mark};?:@&=+$,")}#{any}*)                    (?# 2: opaque)", '|', '   (?:(?:', '     //(?:',
      "         (?:(?:(#{one_of.("#{mark};:&=+$,")}*)@)?        (?# 3: userinfo)",
      "           (?:(#{host})(?::(\\d*))?))? (?# 4: host, 5: port)", '       |',
      "         (#{one_of.("#{mark}$,;:@&=+")}+)                 (?# 6: registry)", '       )', '     |',
      "     (?!//))                           (?# XXX: '//' is the mark for hostport)",
      "     (/#{segment}(?:/#{segment})*)?                    (?# 7: path)",
      "   )(?:\\?(#{any}*))?                 (?# 8: query)", ')', "(?:\\#(#{any}*))?                  (?# 9: fragment)"
    ]
    ABSOLUTE = Regexp.new("#{absolute.join("\n        ")}\n      ", Regexp::EXTENDED)
    private_constant :ABSOLUTE

    def parse(text)
      URI.parse(text)
    end

    def escape(text, unsafe = UNSAFE)
      unsafe = Regexp.new("[#{Regexp.quote(unsafe)}]") unless unsafe.is_a?(Regexp)
      text.gsub(unsafe) { |found| found.bytes.map { |byte| format('%%%02X', byte) }.join }
    end

    def unescape(text, escaped = ESCAPED)
      text.gsub(escaped) { |found| [found.delete('%')].pack('H*').force_encoding('UTF-8') }
    end

    def join(*parts)
      URI.join(*parts)
    end

    def split(text)
      URI.split(text)
    end

    def extract(text, schemes = nil, &block)
      found = []
      text.scan(make_regexp(schemes)) { found << $& }
      return found unless block

      found.each(&block)
      nil
    end

    # The pattern of absolute URIs, which documentation of types shows with its comments.
    def make_regexp(schemes = nil)
      return ABSOLUTE unless schemes

      Regexp.new("(?=#{Regexp.union(*schemes)}:)#{ABSOLUTE.source}", Regexp::EXTENDED)
    end
  end
  Parser = RFC2396_Parser
  DEFAULT_PARSER = RFC2396_Parser.new

  def self.parse(text)
    text = text.to_str if !text.is_a?(String) && text.respond_to?(:to_str)
    __check_conversion(text)
    raise URI::InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless text.is_a?(String)
    raise URI::InvalidURIError, 'URI must be ascii only ' + text.dump unless text.ascii_only?

    match = WHOLE.match(text) || RELATIVE.match(text)
    raise URI::InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless match

    scheme, query = match[:scheme], match[:query]
    opaque = match[:rootless]
    opaque += "?#{query}" if opaque && query
    path = match[:hierarchical] || match[:absolute] || match[:plain] || ''
    __build(scheme, match[:userinfo], match[:host], match[:port], path, opaque, opaque ? nil : query, match[:fragment])
  end

  def self.__build(scheme, userinfo, host, port, path, opaque, query, fragment)
    kinds = { 'http' => HTTP, 'https' => HTTPS, 'ftp' => FTP, 'ldap' => LDAP, 'ldaps' => LDAPS, 'file' => File, 'ws' => WS, 'wss' => WSS }
    __refuse("URI with the scheme #{scheme}") if scheme && %w[mailto ftp].include?(scheme.downcase)
    kind = scheme ? kinds[scheme.downcase] || Generic : Generic
    uri = kind.allocate
    uri.__send__(:__fill, scheme && scheme.downcase, userinfo, host, port, path, opaque, query, fragment)
    uri
  end

  def self.join(*parts)
    __refuse('URI.join')
  end

  def self.split(text)
    __refuse('URI.split')
  end

  def self.regexp(schemes = nil)
    DEFAULT_PARSER.make_regexp(schemes)
  end

  def self.extract(text, schemes = nil, &block)
    DEFAULT_PARSER.extract(text, schemes, &block)
  end

  def self.encode_www_form(pairs)
    pairs.map do |key, value|
      if value.nil?
        encode_www_form_component(key)
      elsif value.respond_to?(:to_ary)
        value.to_ary.map { |one| one.nil? ? encode_www_form_component(key) : "#{encode_www_form_component(key)}=#{encode_www_form_component(one)}" }.join('&')
      else
        "#{encode_www_form_component(key)}=#{encode_www_form_component(value)}"
      end
    end.join('&')
  end

  class Generic
    attr_reader :scheme, :user, :password, :userinfo, :host, :path, :opaque, :query, :fragment

    def __text(text)
      __refuse('such a part of a URI') unless text.nil? || (text.is_a?(String) && text.match?(/\A[\w.~:\/?@!$&'()*+,;=%-]*\z/))
      text
    end

    def scheme=(text)
      unless text.nil?
        __check_conversion(text)
        raise TypeError, "no implicit conversion of #{__kind(text)} into String" unless text.is_a?(String) || text.is_a?(Symbol)
        raise URI::InvalidComponentError, "bad component(expected scheme component): #{text}" unless text.match?(/\A[A-Za-z][A-Za-z0-9+\-.]*\z/)
      end

      @scheme = text.is_a?(Symbol) ? __refuse('such a scheme of a URI') : text&.downcase
    end

    def host=(text)
      __check_part(text, 'host', 'registry or opaque', /\A(?:#{LITERAL}|#{NAME}*)\z/) if text
      @host = text
    end

    def path=(text)
      raise URI::InvalidURIError, 'path conflicts with opaque' if text && @opaque

      __refuse('such a path of a URI') unless text.nil? || text.is_a?(String)
      if text && !text.empty? && !text.match?(ABSOLUTE_PATH)
        raise URI::InvalidComponentError, "bad component(expected absolute path component): #{text}" if @scheme && @scheme != 'ftp'
        raise URI::InvalidComponentError, "bad component(expected relative path component): #{text}" unless text.match?(RELATIVE_PATH)
      end

      @path = text
    end

    def query=(text)
      return @query = nil unless text
      raise URI::InvalidURIError, 'query conflicts with opaque' if @opaque

      text = __one_line(text)
      raise URI::InvalidURIError, "invalid percent escape: #{$1}" if /(%\H\H)/.match(text)

      @query = __escaped(text, /[!$-&(-;=?-_a-~]/)
    end

    def fragment=(text)
      @fragment = text ? __escaped(__one_line(text), /[!-~]/) : nil
    end

    def opaque=(text)
      if text
        raise URI::InvalidURIError, 'can not set opaque with host, port, userinfo or path' if @host || @port || @user || @path
        raise URI::InvalidComponentError, "bad component(expected opaque component): #{text}" unless text.match?(/\A(?:[^\/].*)?\z/)
      end
      @opaque = text
    end

    def port=(number)
      if number
        __check_part(number, 'port', 'registry or opaque', /\A[\t\n\f\r ]*\d*[\t\n\f\r ]*\z/) unless number.is_a?(Integer) && @opaque.nil?
      end
      @port = number.is_a?(String) ? (number.empty? ? nil : number.to_i) : number
    end

    DEFAULT_PORT = nil

    def self.default_port
      self::DEFAULT_PORT
    end

    def self.build(parts)
      __refuse('URI build of a list') unless parts.is_a?(Hash)
      known = %i[scheme userinfo host port path opaque query fragment]
      __refuse('URI build of other parts') unless (parts.keys - known).empty?
      parts = parts.merge(scheme: name.split('::').last.downcase) unless equal?(URI::Generic)
      allocate.tap { |made| made.__send__(:__build_of, parts) }
    end

    def default_port
      self.class.default_port
    end

    def port
      @port
    end

    def user=(name)
      __check_user(name)
      __set_userinfo(name, @password)
      name
    end

    def password=(text)
      __check_password(text, @user)
      @password = text
      __join_userinfo
      text
    end

    def userinfo=(text)
      return nil if text.nil?

      __refuse('userinfo of such a value') unless text.is_a?(String)
      name, password = text.split(':', 2)
      __check_user(name)
      __check_password(password, name)
      __set_userinfo(text, nil)
    end

    def hostname
      @host =~ /\A\[(.*)\]\z/ ? $1 : @host
    end

    def absolute?
      !@scheme.nil?
    end
    alias absolute absolute?

    def relative?
      !absolute?
    end

    def hierarchical?
      @opaque.nil?
    end

    def to_s
      text = +''
      text << @scheme << ':' if @scheme
      if @opaque
        text << @opaque
      else
        text << '//' if @host || %w[file postgres].include?(@scheme)
        text << @userinfo << '@' if @userinfo
        text << @host if @host
        text << ':' << @port.to_s if @port && @port != default_port
        text << @path
        text << '?' << @query if @query
      end
      text << '#' << @fragment if @fragment
      text
    end

    def ==(other)
      other.class == self.class && other.to_s == to_s
    end

    def hash
      to_s.hash
    end

    def inspect
      "#<#{self.class} #{self}>"
    end

    def coerce(other)
      other.is_a?(String) ? [URI.parse(other), self] : super
    end

    def merge(other)
      __refuse('URI merge')
    end
    alias + merge

    private

    def __check_part(text, name, others, pattern)
      raise URI::InvalidURIError, "can not set #{name} with #{others}" if @opaque

      __refuse("such a #{name} of a URI") unless text.is_a?(String)
      return if text.match?(pattern)

      raise URI::InvalidComponentError, "bad component(expected #{name} component): #{name == 'port' ? text.inspect : text}"
    end

    # Tabs and the ends of lines are left out.
    def __one_line(text)
      text = text.to_str.delete("\t\r\n")
      __refuse('percent signs beside letters that are not ASCII in a URI') if text.include?('%') && !text.ascii_only?
      text
    end

    # The text with the bytes escaped that `plain` does not match; escapes stay.
    def __escaped(text, plain)
      text.gsub(/%\h\h|./) do |one|
        one.size == 3 || (one.ascii_only? && one.match?(plain)) ? one : one.bytes.map { |byte| format('%%%02X', byte) }.join
      end
    end

    def __build_of(parts)
      port, path, opaque = parts.values_at(:port, :path, :opaque)
      __refuse('such a port of a URI') unless port.nil? || port.is_a?(Integer)
      __refuse('such a path of a URI') if parts[:host] && path && !path.empty? && !path.start_with?('/')
      __refuse('such parts of a URI') if opaque && (parts[:host] || path)
      rest = parts.values_at(:query, :fragment).map { |text| __text(text) }
      host = parts[:host]
      __refuse('such a host of a URI') unless host.nil? || (host.is_a?(String) && host.match?(/\A(?:\[[0-9A-Fa-f:.]+\]|[\w.-]*)\z/))
      __fill(__text(parts[:scheme])&.downcase, __text(parts[:userinfo]), host, port&.to_s, __text(path) || '', __text(opaque), *rest)
    end

    def __check_user(name)
      raise URI::InvalidURIError, 'can not set user with opaque' if @opaque
      return if name.nil? || name.match?(__userinfo_pattern)

      raise URI::InvalidComponentError, "bad component(expected userinfo component or user component): #{name}"
    end

    def __check_password(text, name)
      raise URI::InvalidURIError, 'can not set password with opaque' if @opaque
      return if text.nil?
      raise URI::InvalidURIError, 'password component depends user component' if name.nil?
      raise URI::InvalidComponentError, 'bad password component' unless text.match?(__userinfo_pattern)
    end

    def __userinfo_pattern
      /\A(?:[\-_.!~*'()a-zA-Z\d;:&=+$,]|%[a-fA-F\d]{2})*\z/
    end

    # Without a password, the name contains both; an absent password keeps the former one.
    def __set_userinfo(name, password)
      name, password = name.split(':', 2) if name && password.nil?
      @user = name
      @password = password if password
      __join_userinfo
      [@user, @password]
    end

    def __join_userinfo
      @userinfo = @user && @password ? "#{@user}:#{@password}" : @user
    end

    def __fill(scheme, userinfo, host, port, path, opaque, query, fragment)
      @scheme = scheme
      __set_userinfo(userinfo, nil)
      @host = host
      @port = port.nil? || port.empty? ? self.class.default_port : port.to_i
      @path = opaque ? nil : path
      self.query = query
      @opaque = opaque
      self.fragment = fragment
    end
  end

  class HTTP < Generic
    DEFAULT_PORT = 80

    def request_uri
      return nil unless @path

      text = @query ? "#{@path}?#{@query}" : @path.dup
      text.start_with?('/') ? text : "/#{text}"
    end
  end

  class HTTPS < HTTP
    DEFAULT_PORT = 443
  end

  class WS < Generic
    DEFAULT_PORT = 80
  end

  class WSS < WS
    DEFAULT_PORT = 443
  end

  class FTP < Generic
    DEFAULT_PORT = 21
  end

  class LDAP < Generic
    DEFAULT_PORT = 389
  end

  class LDAPS < LDAP
    DEFAULT_PORT = 636
  end

  class File < Generic
    def host=(text)
      super
      @host = '' if text.nil? || text == 'localhost'
    end

    def port=(_)
    end

    def userinfo=(_)
      raise URI::InvalidURIError, 'can not set userinfo for file URI'
    end

    def user=(_)
      raise URI::InvalidURIError, 'can not set user for file URI'
    end

    def password=(_)
      raise URI::InvalidURIError, 'can not set password for file URI'
    end

    private

    def __fill(*)
      super
      @host = '' if @host.nil? || @host == 'localhost'
      @port = nil
    end
  end
end

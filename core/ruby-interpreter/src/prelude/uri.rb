module URI
  # What reads and escapes URIs as RFC 2396 has them.
  class RFC2396_Parser
    UNSAFE = /[^\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]/
    ESCAPED = /(?:%[a-fA-F\d]{2})+/

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

    def extract(*arguments)
      URI.extract(*arguments)
    end

    def make_regexp(schemes = nil)
      URI.regexp(schemes)
    end
  end
  Parser = RFC2396_Parser
  DEFAULT_PARSER = RFC2396_Parser.new

  def self.parse(text)
    text = text.to_str if !text.is_a?(String) && text.respond_to?(:to_str)
    raise URI::InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless text.is_a?(String)
    raise URI::InvalidURIError, 'URI must be ascii only ' + text.dump unless text.ascii_only?

    match = /\A(?:([A-Za-z][A-Za-z0-9+\-.]*):)?(\/\/(?:([^@\/?#]*)@)?(\[[0-9A-Fa-f:.]+\]|[^:\/?#\[\]]*)(?::(\d*))?)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z/m.match(text)
    allowed = /\A(?:[A-Za-z0-9\-._~:\/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*\z/
    path = match && match[6]
    wrong = match.nil? || text !~ allowed || path =~ /[\[\]]/ || match[7] =~ /[\[\]]/ || match[8] =~ /[\[\]#]/
    wrong ||= match[2].nil? && match[1].nil? && path.split('/', 2).first.to_s.include?(':')
    wrong ||= match[2] && !path.empty? && !path.start_with?('/')
    raise URI::InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if wrong

    scheme = match[1]
    opaque = nil
    if scheme && match[2].nil? && !path.start_with?('/') && !path.empty?
      opaque = path + (match[7] ? "?#{match[7]}" : '')
    end
    __build(scheme, match[3], match[2] && match[4], match[5], path, opaque, opaque ? nil : match[7], match[8])
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
    __refuse('URI.regexp')
  end

  def self.extract(*arguments)
    __refuse('URI.extract')
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
        raise TypeError, "no implicit conversion of #{__kind(text)} into String" unless text.is_a?(String) || text.is_a?(Symbol)
        raise URI::InvalidComponentError, "bad component(expected scheme component): #{text}" unless text.match?(/\A[A-Za-z][A-Za-z0-9+\-.]*\z/)
      end

      @scheme = text
    end

    def host=(text)
      @host = __host(text)
    end

    def __host(text)
      text.is_a?(String) && text.match?(/\A\[[0-9A-Fa-f:.]+\]\z/) ? text : __plain(text, /[^\w.-]/)
    end

    def path=(text)
      @path = __plain(text, /\A[^\/]|[^\w\/.~%+-]/)
    end

    def query=(text)
      @query = __text(text)
    end

    def fragment=(text)
      @fragment = __text(text)
    end

    def port=(number)
      __refuse('such a port of a URI') unless number.nil? || number.is_a?(Integer)
      @port = number
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

    def __plain(text, wrong)
      __refuse('such a part of a URI') if text.is_a?(String) && text.match?(wrong)
      __text(text)
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
      __refuse('URI coerce')
    end

    def merge(other)
      __refuse('URI merge')
    end
    alias + merge

    private

    def __build_of(parts)
      port, path, opaque = parts.values_at(:port, :path, :opaque)
      __refuse('such a port of a URI') unless port.nil? || port.is_a?(Integer)
      __refuse('such a path of a URI') if parts[:host] && path && !path.empty? && !path.start_with?('/')
      __refuse('such parts of a URI') if opaque && (parts[:host] || path)
      rest = parts.values_at(:query, :fragment).map { |text| __text(text) }
      __fill(__text(parts[:scheme])&.downcase, __text(parts[:userinfo]), __host(parts[:host]), port&.to_s, __text(path) || '', __text(opaque), *rest)
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
      @opaque = opaque
      @query = query
      @fragment = fragment
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
    def userinfo=(_)
      raise URI::InvalidURIError, 'can not set userinfo for file URI'
    end

    def user=(_)
      raise URI::InvalidURIError, 'can not set user for file URI'
    end

    def password=(_)
      raise URI::InvalidURIError, 'can not set password for file URI'
    end
  end
end

module Digest
  # The common methods of digest instances.
  class Instance
    def initialize(name)
      @name = name
      @text = +''
    end

    def update(text)
      @text << text
      self
    end
    alias << update

    def reset
      @text = +''
      self
    end

    def hexdigest(text = nil)
      __digest(@name, text || @text)
    end
    alias to_s hexdigest

    def digest(text = nil)
      [hexdigest(text)].pack('H*')
    end

    def base64digest(text = nil)
      Base64.strict_encode64(digest(text))
    end

    def name
      @name
    end

    def digest_length
      hexdigest('').size / 2
    end
    alias length digest_length

    def ==(other)
      other.is_a?(String) ? hexdigest == other : other.is_a?(Instance) && hexdigest == other.hexdigest
    end
  end

  class MD5
    def self.new
      Instance.new('MD5')
    end
  end

  class SHA1
    def self.new
      Instance.new('SHA1')
    end
  end

  class SHA256
    def self.new
      Instance.new('SHA256')
    end
  end

  class SHA512
    def self.new
      Instance.new('SHA512')
    end
  end

  class SHA384
    def self.new
      Instance.new('SHA384')
    end

    def self.hexdigest(text)
      Instance.new('SHA384').hexdigest(text)
    end

    def self.digest(text)
      Instance.new('SHA384').digest(text)
    end
  end

  class SHA2
    def self.new(bits = 256)
      Instance.new("SHA#{bits}")
    end

    def self.hexdigest(text)
      Instance.new('SHA256').hexdigest(text)
    end
  end
end

module OpenSSL
  class OpenSSLError < StandardError
  end

  class Digest < ::Digest::Instance
    class DigestError < OpenSSLError
    end

    def self.hexdigest(name, text)
      new(name).hexdigest(text)
    end

    def self.digest(name, text)
      new(name).digest(text)
    end

    def self.base64digest(name, text)
      new(name).base64digest(text)
    end

    def initialize(name, text = nil)
      name = name.name if name.is_a?(::Digest::Instance)
      plain = name.to_s.upcase.delete('-')
      raise RuntimeError, "Unsupported digest algorithm (#{name})." unless %w[MD5 SHA1 SHA224 SHA256 SHA384 SHA512].include?(plain)

      super(plain)
      update(text) if text
    end

    class SHA1 < Digest
      def initialize(text = nil)
        super('SHA1', text)
      end
    end

    class SHA256 < Digest
      def initialize(text = nil)
        super('SHA256', text)
      end
    end

    class SHA512 < Digest
      def initialize(text = nil)
        super('SHA512', text)
      end
    end

    class MD5 < Digest
      def initialize(text = nil)
        super('MD5', text)
      end
    end
  end

  module KDF
    class KDFError < OpenSSLError
    end

    def self.pbkdf2_hmac(password, salt:, iterations:, length:, hash:)
      name = hash.is_a?(String) ? hash : hash.name
      [__pbkdf2(OpenSSL::Digest.new(name).name, password, salt, iterations, length)].pack('H*')
    end
  end

  class HMAC
    def initialize(key, digest)
      @key = key
      @digest = OpenSSL::Digest.new(digest).name
      @text = +''
    end

    def update(text)
      @text << text
      self
    end
    alias << update

    def reset
      @text = +''
      self
    end

    def hexdigest
      __hmac(@digest, @key, @text)
    end
    alias to_s hexdigest
    alias inspect hexdigest

    def digest
      [hexdigest].pack('H*')
    end

    def base64digest
      Base64.strict_encode64(digest)
    end

    def self.hexdigest(digest, key, text)
      __hmac(OpenSSL::Digest.new(digest).name, key, text)
    end

    def self.digest(digest, key, text)
      [hexdigest(digest, key, text)].pack('H*')
    end

    def self.base64digest(digest, key, text)
      Base64.strict_encode64(digest(digest, key, text))
    end
  end
end

# frozen_string_literal: true

require 'openssl'

require_relative '../../bunraku'

module Bunraku
  class Classifier
    # The classifier's interface as a Rack application. A request must contain a token (header
    # `X-Authentication`), or come with a client certificate that the server has verified and whose name is on
    # a list. `core/docs/classifier.md` lists the permissions. Any number of threads can call an application.
    #
    # @example config.ru
    #   require 'bunraku/classifier/app'
    #   classifier = Bunraku::Classifier.open(database: 'groups.db')
    #   run Bunraku::Classifier::App.new(classifier, token: ENV.fetch('TOKEN'))
    class App
      # Requests that read.
      READS = %w[GET HEAD].freeze
      # Paths of POST requests that change nothing.
      QUESTIONS = %r{/(?:v1/validate/group|v1/rules/translate|v[12]/classified/nodes/[^/]+|v1/classified/nodes/[^/]+/explanation)/*\z}.freeze
      # The maximum size of a request's body in bytes.
      MAXIMUM_BODY = 64 * 1024 * 1024

      # @param classifier [Classifier]
      # @param token [String, nil] grants reading and writing
      # @param read_token [String, nil] grants reading
      # @param certnames [Array<String>] the names of certificates that grant reading and writing
      # @param read_certnames [Array<String>] the names of certificates that grant reading
      # @param open_to_read [Boolean] whether everybody can read
      # @param open_to_write [Boolean] whether everybody can read and write: for tests on loopback
      # @raise [ArgumentError] a token is blank or not valid in a header, both tokens are equal, or nobody can
      #   read
      def initialize(classifier, token: nil, read_token: nil, certnames: [], read_certnames: [], open_to_read: false,
                     open_to_write: false)
        @classifier = classifier
        @token = digest_of(token, 'token')
        @read_token = digest_of(read_token, 'read_token')
        raise ArgumentError, 'token and read_token are the same: who may read could write' if @token && @token == @read_token

        @certnames = names_of(certnames, 'certnames')
        @read_certnames = names_of(read_certnames, 'read_certnames')
        @open = :read if open_to_read
        @open = :write if open_to_write
        return if @open || @token || @read_token || !@certnames.empty? || !@read_certnames.empty?

        raise ArgumentError, 'nobody may read: give token, read_token, certnames, read_certnames or open_to_read'
      end

      # @param env [Hash] the Rack environment of the request
      # @return [Array] the Rack response: status, headers, body
      def call(env)
        refusal = refusal(env)
        return refused(*refusal) if refusal

        body = read(env)
        return refused(413, 'request-too-large', 'The body of the request is too large.') unless body

        answer = @classifier.answer(env['REQUEST_METHOD'], env['PATH_INFO'], query: env['QUERY_STRING'].to_s, body: body)
        [answer.status, answer.headers, answer.body.empty? ? [] : [answer.body]]
      end

      private

      # Tokens are kept and compared as digests, so that the comparison takes the same time for every token.
      def digest_of(token, name)
        return if token.nil?

        token = token.strip
        raise ArgumentError, "#{name} is empty" if token.empty?
        raise ArgumentError, "#{name} is not one line of visible ASCII characters" unless token.match?(/\A[\x21-\x7e]+\z/)

        OpenSSL::Digest::SHA256.digest(token)
      end

      def names_of(names, option)
        names = Array(names)
        raise ArgumentError, "#{option} holds an empty name" if names.any? { |name| name.to_s.strip.empty? }

        names
      end

      def refusal(env)
        wanted = reads?(env) ? :read : :write
        given = env['HTTP_X_AUTHENTICATION']
        # A token identifies the client even if access is open: a wrong one is a mistake that must not go
        # unnoticed.
        known = given ? may_with_token(given) : may_with_certificate(certname(env))
        return unauthenticated if given && known == :nothing

        allowed = [known, @open]
        return if allowed.include?(:write) || (wanted == :read && allowed.include?(:read))
        return unauthenticated unless known

        [403, 'permission-denied', 'The token or certificate does not allow this.']
      end

      def unauthenticated
        [401, 'not-authenticated', 'This takes a token (X-Authentication) or a client certificate.']
      end

      def reads?(env)
        method = env['REQUEST_METHOD']
        READS.include?(method) || (method == 'POST' && QUESTIONS.match?(env['PATH_INFO']))
      end

      # The permissions of a token. Both tokens are always compared.
      def may_with_token(given)
        digest = OpenSSL::Digest::SHA256.digest(given)
        writes, reads = [@token, @read_token].map { |token| token && OpenSSL.fixed_length_secure_compare(token, digest) }
        if writes then :write
        elsif reads then :read
        else :nothing
        end
      end

      # The permissions of a certificate's name; nil without one.
      def may_with_certificate(name)
        if name.nil? then nil
        elsif @certnames.include?(name) then :write
        elsif @read_certnames.include?(name) then :read
        else :nothing
        end
      end

      # The name in the client's certificate. Servers set these variables for certificates that they have
      # verified. Clients cannot set them, because the names of headers begin with `HTTP_` here.
      def certname(env)
        given = env['puma.peercert'] || env['rack.peer_cert']
        given ||= env['SSL_CLIENT_CERT'] if env['SSL_CLIENT_VERIFY'] == 'SUCCESS'
        certificate = given.is_a?(String) ? OpenSSL::X509::Certificate.new(given) : given
        certificate&.subject&.to_a&.assoc('CN')&.at(1)
      rescue OpenSSL::X509::CertificateError
        nil
      end

      def read(env)
        input = env['rack.input']
        return '' unless input

        body = input.read(MAXIMUM_BODY + 1) || ''
        body if body.bytesize <= MAXIMUM_BODY
      end

      def refused(status, kind, message)
        body = JSON.generate(kind: kind, msg: message, details: nil)
        [status, { 'content-type' => 'application/json;charset=utf-8' }, [body]]
      end
    end
  end
end

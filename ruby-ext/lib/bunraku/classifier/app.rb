# frozen_string_literal: true

require 'openssl'

require_relative '../../bunraku'

module Bunraku
  class Classifier
    # The classifier's interface as a Rack application. Whoever reaches it may read; to write, a request must have the token
    # (header `X-Authentication`) or come with a client certificate that the server has verified.
    #
    # @example config.ru
    #   require 'bunraku/classifier/app'
    #   run Bunraku::Classifier::App.new(Bunraku::Classifier.open(database: 'groups.db'), token: ENV.fetch('TOKEN'))
    class App
      # Requests that change something. Others that are posted only ask.
      WRITES = %w[PUT DELETE PATCH].freeze
      # What is posted without changing anything.
      QUESTIONS = %r{/v1/(?:validate/|rules/|update-classes\z)|/v[12]/classified/}.freeze
      # The longest body that is read, in bytes.
      MAXIMUM_BODY = 64 * 1024 * 1024

      # @param classifier [Classifier]
      # @param token [String, nil] who knows it may write
      # @param read_token [Boolean] whether reading takes the token, too
      # @param certnames [Array<String>, nil] whose certificates may write; any verified one without it
      # @param open_to_write [Boolean] whether anybody may write: for tests on loopback
      def initialize(classifier, token: nil, read_token: false, certnames: nil, open_to_write: false)
        @classifier = classifier
        @token = token&.strip
        @read_token = read_token
        @certnames = certnames
        @open_to_write = open_to_write
      end

      # @param env [Hash] the request, as Rack has it
      # @return [Array] status, headers, body, as Rack has it
      def call(env)
        refusal = refusal(env)
        return refused(*refusal) if refusal

        body = read(env)
        return refused(413, 'request-too-large', 'The body of the request is too large.') unless body

        answer = @classifier.answer(env['REQUEST_METHOD'], env['PATH_INFO'], query: env['QUERY_STRING'].to_s, body: body)
        [answer.status, answer.headers, answer.body.empty? ? [] : [answer.body]]
      end

      private

      def refusal(env)
        return if !writes?(env) && !@read_token
        return if allowed?(env)

        if env['HTTP_X_AUTHENTICATION'] || certname(env)
          [403, 'permission-denied', 'The token or certificate does not allow this.']
        else
          [401, 'not-authenticated', 'This takes a token (X-Authentication) or a client certificate.']
        end
      end

      def writes?(env)
        case env['REQUEST_METHOD']
        when 'POST' then !QUESTIONS.match?(env['PATH_INFO'])
        else WRITES.include?(env['REQUEST_METHOD'])
        end
      end

      def allowed?(env)
        @open_to_write || token?(env['HTTP_X_AUTHENTICATION']) || certificate?(certname(env))
      end

      def token?(given)
        return false unless @token && given

        # As long for a wrong token as for the right one.
        OpenSSL.fixed_length_secure_compare(OpenSSL::Digest::SHA256.digest(@token),
                                            OpenSSL::Digest::SHA256.digest(given.strip))
      end

      def certificate?(name)
        name && (@certnames.nil? || @certnames.include?(name))
      end

      # The name in the client's certificate; servers set it only for certificates that they have verified.
      def certname(env)
        given = env['puma.peercert'] || env['rack.peer_cert']
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

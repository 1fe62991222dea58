# frozen_string_literal: true

require 'json'
require 'net/http'
require 'openssl'

# Nodes that ask a server for catalogs over and over, as agents do: each with a certificate of its own and a
# connection that stays open. They do nothing with what they get.
class Nodes
  # The median, the 99th percentile and the longest of the answers' seconds, and what went wrong.
  Result = Struct.new(:count, :rate, :median, :late, :longest, :failures) do
    def to_s
      format('%<count>d catalogs, %<rate>.2f a second, p50 %<median>.2f s, p99 %<late>.2f s, longest %<longest>.2f s, %<failed>d failed',
             **to_h, failed: failures.size)
    end
  end

  # @param server [PuppetServer] which signs all certificates
  # @param names [Array<String>]
  # @param facts [Hash] those of all nodes
  def initialize(server, names, facts)
    @server = server
    @names = names
    @facts = facts
    @key = OpenSSL::PKey::RSA.new(2048)
  end

  # Requests the certificates.
  def certify
    @certificates = @names.to_h { |name| [name, certificate(name)] }
  end

  # Asks for a while. A node begins anew as soon as it has its catalog.
  #
  # @param seconds [Numeric]
  # @return [Result]
  def ask_for(seconds)
    deadline = now + seconds
    begin_at = now
    answers = @names.map { |name| Thread.new { asked(name, deadline) } }.flat_map(&:value)
    times, failures = answers.partition { |answer| answer.is_a?(Float) }
    times.sort!
    at = ->(share) { times[[(times.size * share).floor, times.size - 1].min] || 0.0 }
    Result.new(times.size, times.size / (now - begin_at), at[0.5], at[0.99], at[1], failures)
  end

  private

  def asked(name, deadline)
    answers = []
    connection = connect(name)
    connection.start
    while now < deadline
      before = now
      answer = connection.request(request(name))
      answers << (answer.is_a?(Net::HTTPOK) ? now - before : "#{answer.code} #{answer.body[0, 200]}")
    end
    answers
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError, Timeout::Error => e
    answers << "#{e.class}: #{e.message}"
  ensure
    connection.finish if connection&.started?
  end

  def request(name)
    Net::HTTP::Post.new("/puppet/v3/catalog/#{name}?environment=production", 'Accept' => 'application/vnd.puppet.rich+json, application/json').tap do |made|
      made.set_form_data('environment' => 'production', 'facts_format' => 'application/json',
                         'facts' => URI.encode_www_form_component(JSON.generate(name: name, values: @facts)))
    end
  end

  def connect(name = nil)
    Net::HTTP.new('127.0.0.1', @server.port).tap do |connection|
      connection.use_ssl = true
      connection.verify_mode = OpenSSL::SSL::VERIFY_NONE
      connection.read_timeout = 600
      connection.key, connection.cert = @key, @certificates[name] if name
    end
  end

  def certificate(name)
    asking = OpenSSL::X509::Request.new
    asking.subject = OpenSSL::X509::Name.new([['CN', name]])
    asking.public_key = @key.public_key
    asking.sign(@key, OpenSSL::Digest.new('SHA256'))
    put = Net::HTTP::Put.new("/puppet-ca/v1/certificate_request/#{name}", 'Content-Type' => 'text/plain')
    put.body = asking.to_pem
    once(put)
    OpenSSL::X509::Certificate.new(once(Net::HTTP::Get.new("/puppet-ca/v1/certificate/#{name}")).body)
  end

  # The answer on a connection of its own: the server may leave one open for half a minute.
  def once(request)
    request['Connection'] = 'close'
    answer = connect.request(request)
    raise "#{request.path}: #{answer.code} #{answer.body}" unless answer.is_a?(Net::HTTPSuccess)

    answer
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

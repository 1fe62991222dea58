# frozen_string_literal: true

require 'json'
require 'net/http'
require 'openssl'
require 'uri'

require_relative 'errors'
require_relative 'host'

module Bunraku
  # A PuppetDB as the host of environments: its exported resources are collected, and manifests can call
  # `puppetdb_query`. The environment needs the setting `storeconfigs`.
  #
  # Any number of threads can use it at the same time; each request has its own connection.
  #
  # @example
  #   puppetdb = Bunraku::PuppetDB.new('http://localhost:8080')
  #   settings = { storeconfigs: true }
  #   environment = Bunraku::Environment.new(environmentpath: path, settings: settings, host: puppetdb)
  #   environment.compile(node: 'web01.example.net', facts: puppetdb.facts('web01.example.net'))
  class PuppetDB < Host
    # The seconds after which a request that gets no answer fails.
    TIMEOUT = 60
    # The beginning of the paths of queries.
    QUERIES = '/pdb/query/v4'
    private_constant :TIMEOUT, :QUERIES

    # @param url [String] such as `https://puppetdb.example.net:8081`
    # @param cert [String, nil] a file with the client's certificate
    # @param key [String, nil] a file with its private key
    # @param ca [String, nil] a file with the certificates of authorities; by default those of this machine
    # @raise [ArgumentError] this is no URL of HTTP
    # @raise [SystemCallError] a file cannot be read
    def initialize(url, cert: nil, key: nil, ca: nil)
      super()
      @url = url.to_s.chomp('/')
      @uri = parsed(@url)
      @certificate = cert && OpenSSL::X509::Certificate.new(File.read(cert))
      @key = (key || cert) && OpenSSL::PKey.read(File.read(key || cert))
      @authority = ca
      # Reads it now, so that a missing file is reported at once.
      File.read(ca) if ca
      function('puppetdb_query', 'Callable[Variant[String[1], Array[Data, 1]]]') { |_call, query| self.query(query) }
    end

    # @param node [String] a certname
    # @return [Hash{String => Object}] its facts
    # @raise [Error] PuppetDB has none, or does not answer
    def facts(node)
      found = query(['from', 'factsets', ['=', 'certname', node]]).first
      raise Error, "#{@url} has no facts of #{node}" unless found

      facts = found['facts']
      # PuppetDB sends an address instead of the facts where they are many.
      facts = facts['data'] || get(facts['href'].to_s.delete_prefix(QUERIES)) if facts.is_a?(Hash)
      facts.to_h { |fact| fact.values_at('name', 'value') }
    end

    # @param query [String, Array] in PuppetDB's query language or as a syntax tree
    # @return [Array<Hash>] the result
    # @raise [Error] PuppetDB does not take the query, or does not answer
    def query(query)
      text = query.is_a?(String) ? query : JSON.generate(query)
      get("?#{URI.encode_www_form(query: text)}")
    end

    # See {Host#exported_resources}.
    def exported_resources(node, type)
      wanted = ['and', ['=', 'type', type], ['=', 'exported', true], ['not', ['=', 'certname', node]]]
      query(['from', 'resources', wanted]).map do |found|
        { certname: found['certname'], type: found['type'], title: found['title'], tags: found['tags'],
          parameters: found['parameters'].reject { |name, _| name == 'alias' } }
      end
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@url}>"
    end

    private

    def parsed(url)
      URI.parse(url).tap { |uri| raise ArgumentError, "#{url} is no URL of a PuppetDB, such as http://localhost:8080" unless uri.is_a?(URI::HTTP) && uri.host }
    rescue URI::InvalidURIError
      raise ArgumentError, "#{url} is no URL of a PuppetDB, such as http://localhost:8080"
    end

    def get(path)
      response = connection.start { |http| http.get("#{@uri.path.chomp('/')}#{QUERIES}#{path}", 'Accept' => 'application/json') }
      raise Error, "#{@url} refuses a query: #{response.code} #{response.body.to_s[0, 500]}" unless response.is_a?(Net::HTTPOK)

      JSON.parse(response.body, create_additions: false, max_nesting: false)
    rescue SystemCallError, SocketError, Timeout::Error, IOError, OpenSSL::SSL::SSLError, JSON::ParserError => e
      raise Error, "#{@url} does not answer: #{e.message}"
    end

    def connection
      Net::HTTP.new(@uri.host, @uri.port).tap do |http|
        http.open_timeout = http.read_timeout = TIMEOUT
        next unless @uri.is_a?(URI::HTTPS)

        http.use_ssl = true
        http.ca_file = @authority
        http.cert = @certificate
        http.key = @key
      end
    end
  end
end

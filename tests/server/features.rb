# frozen_string_literal: true

# What a server offers besides catalogs of version 3: those of version 4, the version of the code, static
# catalogs with the content of their files, and figures about its compilations.
class Features
  # What differs from run to run.
  OWN = %w[catalog_uuid version].freeze

  # The number of catalogs that {#answers} has compiled.
  CATALOGS = 3

  # @param server [PuppetServer]
  # @param name [String] an agent that has a certificate
  # @param facts [Hash] its facts
  def initialize(server, name, facts)
    @server = server
    @name = name
    @facts = facts
  end

  # @return [Hash{Symbol => Object}] what the server answers, which does not depend on who compiles
  def answers
    before = counts
    static = static_catalog
    { static: static, content: contents(static), version4: version4, logs: version4(capture_logs: true, log_level: 'info'),
      failure: failure, counts: counts.to_h { |name, count| [name, count - before.fetch(name, 0)] } }
  end

  private

  # A catalog with the metadata of the files that its code brings.
  def static_catalog
    asked = @server.catalog(@name, @facts, 'static_catalog' => 'true', 'checksum_type' => 'sha256.md5')
    abort "no static catalog: #{asked.slice('code_id', 'metadata')}" unless asked['code_id'] == 'version-of-production' && asked['metadata'].any?

    asked.reject { |key, _| OWN.include?(key) }
  end

  # The files of a static catalog, as an agent gets them.
  def contents(catalog)
    uris = catalog['metadata'].values.map { |file| file['content_uri'] }.compact
    abort 'no file has a content' if uris.empty?

    uris.map do |uri|
      path = uri.delete_prefix('puppet:///')
      query = URI.encode_www_form('environment' => 'production', 'code_id' => catalog['code_id'])
      @server.answer_to(Net::HTTP::Get.new("/puppet/v3/static_file_content/#{path}?#{query}", 'Accept' => 'application/octet-stream'), @name)
    end
  end

  def version4(options = {})
    answer = JSON.parse(@server.answer_to(request4(@name, options)))
    answer['catalog'] = answer['catalog'].reject { |key, _| OWN.include?(key) }
    answer['logs']&.map! { |entry| entry.reject { |key, _| key == 'time' } }
    answer
  end

  def request4(name, options = {})
    asked = { certname: name, persistence: { facts: false, catalog: false }, environment: 'production', facts: { values: @facts },
              trusted_facts: { values: { authenticated: 'remote', certname: name, extensions: {} } }, options: options }
    Net::HTTP::Post.new('/puppet/v4/catalog', 'Content-Type' => 'application/json').tap { |request| request.body = JSON.generate(asked) }
  end

  # The status and the text of a failure, without the backtrace.
  def failure
    answer = @server.ask(request4('wrong.example.net'))
    [answer.code, answer.body[/no such node: [^()]*/]]
  end

  # How often the server has done what its profiler counts of catalogs and their files, by name.
  def counts
    told = @server.status('puppet-profiler')['experimental']
    told.slice('catalog-metrics', 'inline-metrics').values.flatten.to_h { |metric| metric.values_at('metric', 'count') }
  end
end

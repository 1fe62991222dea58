# frozen_string_literal: true

require_relative 'server'

# Environments of a server that are deployed: with and without a cache, and as versions to which links lead.
class Deployments
  # The number of catalogs that {#answers} has compiled.
  CATALOGS = 8
  # What differs from run to run.
  OWN = %w[catalog_uuid version].freeze
  # What the server has to be set to.
  SETTINGS = { 'versioned_environment_dirs' => 'true' }.freeze

  # @param server [PuppetServer]
  def initialize(server)
    @server = server
  end

  # @return [Hash{String => Array<Hash>}] the catalogs of each environment before and after it was deployed,
  #   and after its cache was cleared
  def answers
    kept = %w[0 unlimited].to_h { |timeout| ["environment_timeout #{timeout}", directory("deployed#{timeout}", timeout)] }
    kept.merge('versions' => versions)
  end

  private

  def directory(name, timeout)
    steps = [-> { write("environments/#{name}", 'first', timeout) }, -> { write("environments/#{name}", 'second one', timeout) }, -> { clear(name) }]
    steps.map do |step|
      step.call
      catalog(name)
    end
  end

  def versions
    link = @server.path('code/environments/linked')
    %w[first second].map do |name|
      write("versions/linked_#{name}", name, 'unlimited')
      FileUtils.rm_f(link)
      File.symlink(@server.path("code/versions/linked_#{name}"), link)
      clear('linked')
      catalog('linked')
    end
  end

  def write(place, name, timeout)
    { 'environment.conf' => "environment_timeout = #{timeout}\n",
      'manifests/site.pp' => "notify { 'site #{name}': message => $settings::manifest } include deployed",
      'modules/deployed/manifests/init.pp' => "class deployed { notify { 'class #{name}': message => file('deployed/text') } }",
      'modules/deployed/files/text' => "text #{name}" }.each do |path, text|
      path = @server.path('code', place, path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end
  end

  def clear(environment)
    answer = @server.ask(Net::HTTP::Delete.new("/puppet-admin-api/v1/environment-cache?environment=#{environment}"))
    raise "clearing the cache: #{answer.code}" unless answer.code == '204'
  end

  def catalog(environment)
    request = Net::HTTP::Post.new("/puppet/v3/catalog/#{PuppetServer::NAME}?environment=#{environment}", 'Accept' => 'application/json')
    facts = URI.encode_www_form_component(JSON.generate(name: PuppetServer::NAME, values: { fact: 'f' }))
    request.set_form_data('environment' => environment, 'facts_format' => 'application/json', 'facts' => facts)
    answer = @server.ask(request)
    raise "#{environment}: #{answer.code} #{answer.body}" unless answer.is_a?(Net::HTTPOK)

    JSON.parse(answer.body).reject { |name, _| OWN.include?(name) }
  end
end

# frozen_string_literal: true

# Runs agents against Debian's puppetserver, plain and with the gem of platform java, with PuppetDB as the
# store of catalogs, facts and exported resources: `make server-test`. Both must give the same catalogs.
#
# Usage: run.rb GEM

require_relative '../puppetdb/server'
require_relative 'deployments'
require_relative 'features'
require_relative 'server'

ENVIRONMENTS = File.expand_path('environments', __dir__)
AGENTS = { 'web1.example.net' => 'web', 'web2.example.net' => 'web', 'db1.example.net' => 'db', 'applied.example.net' => 'none',
           'last.example.net' => 'none' }.freeze
MODULES = %w[apache concat ntp stdlib].freeze
FAILS = 'wrong.example.net'
REPORTS = 'report.example.net'
SETTINGS = { 'storeconfigs' => 'true', 'storeconfigs_backend' => 'puppetdb', 'reports' => 'store', 'environment_timeout' => 'unlimited',
             **Deployments::SETTINGS }.freeze
# What differs from run to run.
OWN = %w[catalog_uuid version].freeze

def routes(terminus)
  { server: { facts: { terminus: 'puppetdb', cache: 'json' }, catalog: { terminus: terminus, cache: 'puppetdb' } } }
end

# Waits until PuppetDB has what web servers export, which it stores in the background.
def await_exports(puppetdb)
  query = JSON.generate(['and', ['=', 'exported', true], ['=', 'type', 'Site::Host']])
  120.times do
    return if puppetdb.query('/resources', query).size == AGENTS.values.count('web')

    sleep 1
  end
  abort 'nothing is exported'
end

# Runs agents and returns their catalogs, and what PuppetDB has of them.
def served(server, puppetdb, agents = AGENTS)
  agents.each do |name, role|
    await_exports(puppetdb) if role == 'db'
    said, status = server.agent(name, facts: { role: role, place: server.path('applied') })
    abort "#{name}: exit status #{status}\n#{said}\n#{server.log.lines.last(40).join}" unless [0, 2].include?(status)
  end
  said, status = server.agent(FAILS, facts: { place: '/' })
  abort "#{FAILS} got a catalog: #{said}" unless status == 1 && said.include?("no such node: #{FAILS}")
  agents.to_h do |name, _|
    # An agent that changes nothing keeps no catalog.
    catalog = server.catalog(name, facts_of(puppetdb, name))
    [name, [catalog.reject { |key, _| OWN.include?(key) }, stored(puppetdb, name, catalog['catalog_uuid'])]]
  end
end

def known(puppetdb, name)
  puppetdb.query("/catalogs/#{name}")
rescue RuntimeError
  {}
end

# The facts that an agent has sent.
def facts_of(puppetdb, name)
  puppetdb.query("/nodes/#{name}/facts").to_h { |fact| fact.values_at('name', 'value') }
end

# The catalog in PuppetDB, which stores in the background.
def stored(puppetdb, name, uuid)
  catalog = nil
  120.times do
    catalog = known(puppetdb, name)
    break if catalog['catalog_uuid'] == uuid

    sleep 1
  end
  abort "PuppetDB has not the last catalog of #{name}" unless catalog['catalog_uuid'] == uuid
  resources = catalog['resources']['data'].map { |one| one.slice('type', 'title', 'exported', 'file', 'line', 'parameters').merge('tags' => one['tags'].sort) }
  [resources.sort_by(&:to_s), catalog['edges']['data'].map { |edge| edge.reject { |key, _| key == 'certname' } }.sort_by(&:to_s)]
end

def seconds
  before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  result = yield
  [result, (Process.clock_gettime(Process::CLOCK_MONOTONIC) - before).round(1)]
end

# The seconds that the server's log tells of its compilations.
def compiled(server)
  server.log.scan(/Compiled (?:static )?catalog for \S+ in environment \S+ in ([\d.]+) seconds/).flatten.map(&:to_f)
end

def assert_equal(name, plain, own)
  return if plain == own

  plain.zip(own).each do |one, other|
    next if one == other

    parts = one.is_a?(Hash) ? one.keys.reject { |key| one[key] == other[key] }.map { |key| [one[key], other[key]] } : one.zip(other).reject { |a, b| a == b }
    parts.each { |a, b| warn "#{name}: plain #{JSON.generate(Array(a) - Array(b))[0, 1500]}\n#{name}: own   #{JSON.generate(Array(b) - Array(a))[0, 1500]}" }
  end
  abort "#{name}: the answers differ"
end

# What the server's only interpreter has compiled natively and what not, as it tells in a catalog.
def report(server, facts)
  said, status = server.agent(REPORTS, facts: facts.slice('place'))
  abort "#{REPORTS}: exit status #{status}\n#{said}" unless [0, 2].include?(status)
  resources = server.catalog(REPORTS, facts)['resources']
  JSON.parse(resources.find { |one| one['title'] == 'report' }['parameters']['message'])['compiler']
end

# What the server offers besides catalogs for agents, asked for one of them.
def features(server, puppetdb)
  name = AGENTS.keys.last
  seconds { Features.new(server, name, facts_of(puppetdb, name)).answers }
end

# The environments, with the few of Debian's modules that they use: agents get the plug-ins of all modules.
def code_in(directory)
  FileUtils.cp_r(ENVIRONMENTS, directory)
  FileUtils.mkdir("#{directory}/modules")
  MODULES.each { |name| File.symlink("/usr/share/puppet/modules/#{name}", "#{directory}/modules/#{name}") }
end

gem = File.expand_path(ARGV.fetch(0))
server = PuppetServer.new(instances: 1, versioned: true)
begin
  $stdout.sync = true
  code_in(server.path('code'))
  PuppetDBServer.run(certificates: server.authorize) do |puppetdb|
    server.use_puppetdb(puppetdb.secure_port)
    server.start(SETTINGS, routes: routes('compiler'))
    plain, time = seconds { served(server, puppetdb) }
    puts "plain: #{AGENTS.size} agents in #{time} s, compilations #{compiled(server).last(AGENTS.size)}"
    deployed = Deployments.new(server).answers
    offered, = features(server, puppetdb)
    server.stop

    server.install(gem)
    server.start(SETTINGS, routes: routes('bunraku'))
    own, time = seconds { served(server, puppetdb) }
    puts "bunraku: #{AGENTS.size} agents in #{time} s, compilations #{compiled(server).last(AGENTS.size)}"
    AGENTS.each_key { |name| assert_equal(name, plain[name], own[name]) }
    Deployments.new(server).answers.each { |name, catalogs| assert_equal(name, deployed[name], catalogs) }
    puts "deployed as before: #{deployed.keys.join(', ')}"
    answers, time = features(server, puppetdb)
    offered.each { |what, answer| assert_equal(what, [answer], [answers[what]]) }
    puts "#{offered.keys.join(', ')}: equal, in #{time} s"
    collected = own['db1.example.net'].first['resources'].map { |one| one['title'] }.grep(/\Ahost web/)
    abort "db1.example.net collected #{collected}" unless collected.size == 2

    answer = server.ask(Net::HTTP::Delete.new('/puppet-admin-api/v1/environment-cache'))
    abort "clearing the cache: #{answer.code}" unless answer.code == '204'
    again = AGENTS.slice('db1.example.net', 'last.example.net')
    served(server, puppetdb, again).each { |name, catalogs| assert_equal(name, own[name], catalogs) }
    FileUtils.mkdir(server.path('applied'))
    said, status = server.agent('applied.example.net', facts: { role: 'none', place: server.path('applied') }, noop: false)
    abort said unless status == 2 && File.read(server.path('applied/concat')) == "first\n"
    puts "applied: #{Dir.children(server.path('applied')).size} files"
    counts = report(server, facts_of(puppetdb, 'applied.example.net'))
    native = counts['native']
    left = [*counts['left'], *counts['aside']]
    puts "compiler: #{native} native, left: #{left}"
    wanted = (2 * (AGENTS.size + again.size)) + Deployments::CATALOGS + Features::CATALOGS + 1
    abort 'compilations were left to Puppet' unless native >= wanted && left.all? { |reason, _| reason.match?(/no such node|Bunraku/) }
  end
  puts "#{AGENTS.size} agents: catalogs and PuppetDB's records are equal"
ensure
  server.remove
end

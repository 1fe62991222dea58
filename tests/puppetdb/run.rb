# frozen_string_literal: true

# Stores our catalogs in a real PuppetDB, reads them back, and collects exported resources from it: `make
# puppetdb-test`.

require 'securerandom'
require 'bunraku'
require_relative 'server'

EXAMPLE = File.expand_path('../example/environments', __dir__)

# Exported resources of other nodes, as PuppetDB knows them.
class PuppetDBHost < Bunraku::Host
  def initialize(server)
    super()
    @server = server
  end

  def exported_resources(node, type)
    query = ['and', ['=', 'exported', true], ['=', 'type', type], ['not', ['=', 'certname', node]]]
    @server.query('/resources', JSON.generate(query)).map do |found|
      { certname: found['certname'], type: found['type'], title: found['title'], tags: found['tags'],
        parameters: found['parameters'].except('alias') }
    end
  end
end

# Returns PuppetDB's answer about a catalog, in the terms of the payload.
def stored(server, certname)
  catalog = server.query("/catalogs/#{certname}")
  resources = catalog['resources']['data'].map do |found|
    found.slice('type', 'title', 'exported', 'file', 'line', 'parameters').compact.merge('tags' => found['tags'].sort)
  end
  edges = catalog['edges']['data'].map do |found|
    { 'source' => { 'type' => found['source_type'], 'title' => found['source_title'] },
      'target' => { 'type' => found['target_type'], 'title' => found['target_title'] }, 'relationship' => found['relationship'] }
  end
  catalog.slice('certname', 'version', 'environment', 'transaction_uuid', 'catalog_uuid', 'code_id', 'producer')
         .merge('resources' => resources.sort_by(&:to_s), 'edges' => edges.sort_by(&:to_s))
end

# The same of a payload of version 9.
def sent(payload)
  resources = payload['resources'].map do |resource|
    resource.except('kind').merge('tags' => resource['tags'].sort)
            .then { |members| members.slice('type', 'title', 'exported', 'file', 'line', 'parameters', 'tags') }
  end
  payload.slice('certname', 'version', 'environment', 'transaction_uuid', 'catalog_uuid', 'code_id', 'producer')
         .merge('resources' => resources.sort_by(&:to_s), 'edges' => payload['edges'].sort_by(&:to_s))
end

def expect_equal(what, left, right)
  left.each_key do |key|
    next if left[key] == right[key]

    pairs = left[key].is_a?(Array) ? [left[key] - right[key], right[key] - left[key]] : [left[key], right[key]]
    abort "#{what}: #{key} differs\n  sent:   #{JSON.generate(pairs.first)[0, 2000]}\n  stored: #{JSON.generate(pairs.last)[0, 2000]}"
  end
end

# Returns edges in the form of the query language.
def queried_edges(server, certname)
  found = server.query('/edges', JSON.generate(['=', 'certname', certname]))
  found.map { |edge| edge.values_at('source_type', 'source_title', 'target_type', 'target_title', 'relationship') }.sort
end

def submit_facts(server, node, facts, timestamp)
  payload = { certname: node, environment: 'production', producer_timestamp: timestamp, producer: 'server.example.net', values: facts }
  server.submit('replace facts', 5, node, JSON.generate(payload), timestamp)
end

def submit_catalog(server, catalog, version)
  time = Time.now.utc
  document = catalog.to_puppetdb(version: version, producer: 'server.example.net', producer_timestamp: time,
                                transaction_uuid: SecureRandom.uuid)
  timestamp = time.strftime('%FT%T.%LZ')
  server.submit('replace catalog', version, catalog.name, document, timestamp)
  document
end

# The payload in an older version, for a node of its own: PuppetDB cannot always store a catalog over one of
# another version.
def submit_older(server, payload, version)
  certname = "version#{version}.#{payload['certname']}"
  document = Bunraku::Catalog.convert(JSON.generate(payload.merge('certname' => certname)),
                                      from: 'puppetdb:9', to: "puppetdb:#{version}")
  server.submit('replace catalog', version, certname, document, payload['producer_timestamp'])
  count = server.query("/catalogs/#{certname}")['resources']['data'].size
  abort "#{certname}: #{count} resources stored" unless count == payload['resources'].size
end

PuppetDBServer.run do |server|
  puts "PuppetDB #{server.query('', 'nodes[count()] {}').inspect} answers"
  environment = Bunraku::Environment.new('production', environmentpath: EXAMPLE)
  Dir[File.join(EXAMPLE, 'production/spec/facts/*.json')].sort.each do |path|
    node = File.basename(path, '.json')
    facts = JSON.parse(File.read(path))
    submit_facts(server, node, facts, Time.now.utc.strftime('%FT%T.%LZ'))
    catalog = environment.compile(node: node, facts: facts)
    payload = JSON.parse(submit_catalog(server, catalog, 9))
    expect_equal(node, sent(payload), stored(server, node))
    edges = payload['edges'].map { |edge| [*edge['source'].values_at('type', 'title'), *edge['target'].values_at('type', 'title'), edge['relationship']] }
    expect_equal(node, { 'edges' => edges.sort }, { 'edges' => queried_edges(server, node) })
    found = server.query('/resources', JSON.generate(['=', 'certname', node]))
    abort "#{node}: #{found.size} resources stored" unless found.size == catalog.size
    abort "#{node}: its facts are not stored" unless server.query("/nodes/#{node}/facts").size == facts.size
    puts "#{node}: #{catalog.size} resources, #{edges.size} edges, #{facts.size} facts stored and read back"

    [6, 7, 8].each { |version| submit_older(server, payload, version) }
    puts "#{node}: versions 6, 7 and 8 taken"
  end

  code = <<~PUPPET
    node 'exporter' { @@notify { 'from the exporter': message => 'hello', tag => 'greeting' } }
    node 'collector' { Notify <<| tag == 'greeting' |>> }
  PUPPET
  environment = Bunraku::Environment.new(code: code, settings: { storeconfigs: true }, host: PuppetDBHost.new(server))
  submit_catalog(server, environment.compile(node: 'exporter'), 9)
  collected = environment.compile(node: 'collector')['Notify[from the exporter]']
  abort 'the exported resource was not collected' unless collected && collected.parameters['message'] == 'hello'
  puts 'collector: Notify[from the exporter] collected'
end

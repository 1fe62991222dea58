# frozen_string_literal: true

require_relative 'spec_helper'
require 'bunraku/command_line'
require 'tempfile'
require 'time'

RSpec.describe 'Catalogs as documents' do
  let(:environment) { Bunraku::Environment.new('production', environmentpath: EXAMPLE) }
  let(:catalog) { environment.compile(node: 'web01.example.net', facts: Example.facts('web01.example.net')) }
  let(:submission) { { producer_timestamp: Time.utc(2024, 2, 29, 12), transaction_uuid: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' } }

  # Exit status, output and messages of the command.
  def bunraku(*arguments)
    out = StringIO.new
    err = StringIO.new
    status = Bunraku::CommandLine.new(out, err).run(arguments)
    [status, out.string, err.string]
  end

  it 'are read as they were written' do
    read = Bunraku::Catalog.read(catalog.to_json)
    expect(read.to_json).to eq(catalog.to_json)
    expect(read['Class[main]'].title).to eq('main')
    packed = catalog.to_msgpack
    expect(packed.encoding).to eq(Encoding::BINARY)
    expect(Bunraku::Catalog.read(packed, form: 'agent:msgpack').to_h).to eq(catalog.to_h)
  end

  it 'are written for PuppetDB in every version' do
    [1, '1-api', 4, 5, 6, 7, 8, 9].each do |version|
      document = catalog.to_puppetdb(version: version, **submission)
      expect(Bunraku::Catalog.validate(document, form: "puppetdb:#{version}")).to eq([])
    end
    newest = JSON.parse(catalog.to_puppetdb(producer: 'server', **submission))
    expect(newest).to include('certname' => catalog.name, 'producer' => 'server', 'catalog_uuid' => catalog.catalog_uuid,
                              'transaction_uuid' => submission[:transaction_uuid], 'producer_timestamp' => '2024-02-29T12:00:00.000Z')
  end

  describe 'have an identity:' do
    let(:identity) do
      { catalog_uuid: '6f1d8f1c-2a3b-4c5d-8e9f-001122334455', code_id: 'r7', job_id: '42', producer: 'server.example.net',
        transaction_uuid: '0c44b1a6-7b3c-4a64-8a7b-0f1e2d3c4b5a', producer_timestamp: Time.utc(2024, 2, 29, 12) }
    end

    def compiled(**rest)
      environment.compile(node: 'web01.example.net', facts: Example.facts('web01.example.net'), **rest)
    end

    it 'a new UUID each time, the same in every form' do
      uuid = catalog.catalog_uuid
      expect(uuid).to match(/\A\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}\z/)
      expect(compiled.catalog_uuid).not_to eq(uuid)
      payload = JSON.parse(catalog.to_puppetdb)
      expect([catalog.to_h, JSON.parse(catalog.to_json), payload].map { |form| form['catalog_uuid'] }).to eq([uuid] * 3)
      expect(payload.values_at('transaction_uuid', 'code_id', 'job_id', 'producer')).to eq([nil] * 4)
      expect(Time.parse(payload['producer_timestamp'])).to be_within(60).of(Time.now)
      expect { catalog.to_puppetdb(version: 8) }.to raise_error(Bunraku::Error, /needs "transaction_uuid"/)
    end

    it 'what the request says' do
      known = compiled(**identity)
      said = identity.transform_keys(&:to_s).merge('producer_timestamp' => '2024-02-29T12:00:00.000Z')
      expect(JSON.parse(known.to_puppetdb)).to include(said)
      expect(known.to_h).to include(said.slice('catalog_uuid', 'code_id'))
      expect(said.keys.to_h { |key| [key, known.public_send(key)] }).to eq(said)
      expect(JSON.parse(known.to_puppetdb(producer: 'other'))['producer']).to eq('other')
      expect { known.to_puppetdb(code_id: 'r8') }.to raise_error(Bunraku::Error, 'the catalog\'s code_id is "r7", not "r8"')
      expect { compiled(catalog_uuid: 'x') }.to raise_error(StandardError, "the request's 'catalog_uuid' must be a UUID")
      expect { compiled(code: 'x') }.to raise_error(ArgumentError, /unknown keyword: :code/)
    end

    it 'that reading and converting keep' do
      read = Bunraku::Catalog.read(compiled(**identity).to_json)
      expect([read.catalog_uuid, read.code_id]).to eq(identity.values_at(:catalog_uuid, :code_id))
      converted = Bunraku::Catalog.convert(read.to_msgpack, from: 'agent:msgpack', to: 'puppetdb:8', **submission)
      converted = Bunraku::Catalog.convert(converted, from: 'puppetdb:8', to: 'puppetdb:9')
      expect(JSON.parse(converted)).to include('catalog_uuid' => identity[:catalog_uuid], 'code_id' => 'r7')
    end

    it 'that a seed makes again, byte for byte' do
      forms = ->(one) { [one.to_json, one.to_msgpack, one.to_puppetdb] }
      expect(forms.call(compiled(seed: 7))).to eq(forms.call(compiled(seed: '7')))
      expect(compiled(seed: 7).catalog_uuid).not_to eq(compiled(seed: 8).catalog_uuid)
      expect(compiled(seed: 7).version).to eq(0)
      expect(compiled(time: Time.at(1_700_000_000)).version).to eq(1_700_000_000)
      expect(compiled(time: '2024-02-29T12:00:00.5+01:00').producer_timestamp).to eq('2024-02-29T11:00:00.500Z')
      expect { compiled(time: 'now') }.to raise_error(StandardError, /'time' must be seconds since 1970/)
    end

    it 'on the command line, too', :command do
      arguments = ['compile', '--environmentpath', EXAMPLE, '--node', 'web01.example.net', '--facts',
                   File.join(EXAMPLE, 'production/spec/facts/web01.example.net.json'), '--format', 'puppetdb:9']
      first, second = Array.new(2) { bunraku(*arguments, '--seed', 'a')[1] }
      expect(first).to eq(second)
      expect(JSON.parse(first)['transaction_uuid']).to match(/\A\h{8}-\h{4}-4\h{3}-8\h{3}-\h{12}\z/)
      expect(JSON.parse(first)['transaction_uuid']).not_to eq(JSON.parse(first)['catalog_uuid'])
      options = identity.flat_map { |key, value| ["--#{key.to_s.tr('_', '-')}", value.is_a?(Time) ? value.strftime('%FT%T.%LZ') : value] }
      expect(JSON.parse(bunraku(*arguments, *options)[1])).to include('code_id' => 'r7', 'job_id' => '42',
                                                                    'catalog_uuid' => identity[:catalog_uuid])
    end
  end

  it 'are converted, with what is said beside them' do
    converted = Bunraku::Catalog.convert(catalog.to_json, from: 'agent', to: 'puppetdb:6', **submission)
    expect(JSON.parse(converted)['transaction_uuid']).to eq(submission[:transaction_uuid])
    expect { Bunraku::Catalog.convert(catalog.to_json, from: 'agent', to: 'puppetdb:6') }
      .to raise_error(Bunraku::Error, /needs "transaction_uuid"/)
    expect { Bunraku::Catalog.convert(converted, from: 'puppetdb:6', to: 'puppetdb:1') }
      .to raise_error(Bunraku::Error, /needs "classes"/)
  end

  it 'have no other forms', :extension do
    expect { Bunraku::Catalog.convert('{}', from: 'xml', to: 'agent') }.to raise_error(ArgumentError, /no form "xml"/)
  end

  it 'are refused with every violation' do
    document = { name: 'a', resources: [{ type: 'File', title: '/x', line: 0 }], edges: [{ source: 'File[/x]', target: 'File[/y]' }] }
    violations = Bunraku::Catalog.validate(JSON.generate(document))
    expect(violations.map(&:to_s)).to eq(['$.resources[0].line: expected a positive integer, got an integer',
                                          '$.edges[0].target: File[/y] is not in the catalog'])
    expect { Bunraku::Catalog.read('[') }.to raise_error(Bunraku::InvalidDocument) { |error|
      expect(error.violations.first.path).to eq('$')
    }
  end

  it 'compiles into the forms of agents and of PuppetDB, and converts between them', :command, :extension do
    facts = File.join(EXAMPLE, 'production/spec/facts/web01.example.net.json')
    node = ['--environmentpath', EXAMPLE, '--node', 'web01.example.net', '--facts', facts]
    status, agent, = bunraku('compile', *node, '--format', 'agent')
    expect([status, JSON.parse(agent)['name']]).to eq([0, 'web01.example.net'])
    status, payload, = bunraku('compile', *node, '--format', 'puppetdb:8')
    expect([status, JSON.parse(payload)['certname']]).to eq([0, 'web01.example.net'])
    Tempfile.create('catalog') do |file|
      File.write(file, payload)
      expect(bunraku('convert', file.path, '--from', 'puppetdb:8')).to eq([0, '', ''])
      status, newest, = bunraku('convert', file.path, '--from', 'puppetdb:8', '--to', 'puppetdb:9', '--producer', 'p')
      expect([status, JSON.parse(newest)['producer']]).to eq([0, 'p'])
      status, found, = bunraku('convert', file.path, '--from', 'puppetdb:9')
      expect(status).to eq(1)
      expect(found).to include('$.resources[0].aliases: the key is unknown in this format')
      expect(bunraku('convert', file.path, '--from', 'xml').first).to eq(2)
    end
  end
end

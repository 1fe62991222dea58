# frozen_string_literal: true

require_relative 'spec_helper'
require 'bunraku/command_line'
require 'tempfile'

RSpec.describe 'Catalogs as documents' do
  let(:environment) { Bunraku::Environment.new('production', environmentpath: EXAMPLE) }
  let(:catalog) { environment.compile(node: 'web01.example.net', facts: Example.facts('web01.example.net')) }
  let(:submission) { { producer_timestamp: Time.utc(2024, 2, 29, 12), transaction_uuid: 'u' } }

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
    expect(newest).to include('certname' => catalog.name, 'producer' => 'server', 'catalog_uuid' => 'u',
                              'producer_timestamp' => '2024-02-29T12:00:00.000Z')
  end

  it 'are converted, with what is said beside them' do
    converted = Bunraku::Catalog.convert(catalog.to_json, from: 'agent', to: 'puppetdb:6', **submission)
    expect(JSON.parse(converted)['transaction_uuid']).to eq('u')
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

  it 'compiles into the forms of agents and of PuppetDB, and converts between them', :extension do
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

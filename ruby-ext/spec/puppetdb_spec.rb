# frozen_string_literal: true

require 'bunraku'
require 'bunraku/command_line'
require 'json'
require 'socket'
require 'stringio'
require 'tmpdir'
require 'uri'

RSpec.describe Bunraku::PuppetDB do
  # Answers queries as PuppetDB does, from a list.
  let!(:server) { TCPServer.new('127.0.0.1', 0) }
  let(:url) { "http://127.0.0.1:#{server.addr[1]}" }
  let(:asked) { [] }
  let(:answers) do
    { ['from', 'factsets', ['=', 'certname', 'n']] => [{ 'certname' => 'n', 'facts' => { 'data' => [{ 'name' => 'role', 'value' => { 'a' => [1, nil] } }] } }],
      ['from', 'factsets', ['=', 'certname', 'far']] => [{ 'certname' => 'far', 'facts' => { 'href' => '/pdb/query/v4/factsets/far/facts' } }],
      '/factsets/far/facts' => [{ 'name' => 'role', 'value' => 'far' }],
      'nodes {}' => [{ 'certname' => 'n' }],
      ['from', 'factsets', %w[extract certname]] => [{ 'certname' => 'n' }, { 'certname' => 'far' }],
      ['from', 'resources', ['and', %w[= type Notify], ['=', 'exported', true], ['not', %w[= certname n]]]] =>
        [{ 'certname' => 'o', 'type' => 'Notify', 'title' => 'theirs', 'tags' => ['t'], 'parameters' => { 'message' => 'm', 'alias' => ['x'] } },
         { 'certname' => 'o', 'type' => 'Notify', 'title' => 'unwanted', 'tags' => [], 'parameters' => {} }] }
  end

  before do
    @thread = Thread.new do
      loop do
        client = server.accept
        path, query = client.gets.split[1].split('?')
        nil until client.gets.strip.empty?
        query &&= URI.decode_www_form(query).to_h['query']
        query = JSON.parse(query) if query&.start_with?('[')
        asked << (query || path)
        answer = answers[query || path.delete_prefix('/pdb/query/v4')]
        body = answer ? JSON.generate(answer) : 'no such thing'
        client.write("HTTP/1.1 #{answer || query.is_a?(Array) ? 200 : 400} X\r\nContent-Length: #{(body = answer ? body : query.is_a?(Array) ? '[]' : body).bytesize}\r\nConnection: close\r\n\r\n#{body}")
        client.close
      end
    end
  end

  after do
    @thread.kill
    server.close
  end

  it 'has facts, exported resources and answers to queries' do
    puppetdb = described_class.new("#{url}/")
    expect(puppetdb.facts('n')).to eq('role' => { 'a' => [1, nil] })
    expect(puppetdb.facts('far')).to eq('role' => 'far')
    code = 'Notify <<| tag == t |>> notify { "nodes": message => puppetdb_query("nodes {}")[0]["certname"] }'
    environment = Bunraku::Environment.new(code: code, modulepath: [], settings: { storeconfigs: true }, host: puppetdb)
    catalog = environment.compile(node: 'n')
    expect(catalog['Notify[theirs]'].parameters).to eq('message' => 'm')
    expect(catalog['Notify[unwanted]']).to be_nil
    expect(catalog['Notify[nodes]'].parameters['message']).to eq('n')
  end

  it 'knows the nodes of a site' do
    require 'bunraku/shadow'
    nodes = Bunraku::Shadow.nodes_of(described_class.new(url))
    expect(nodes.keys).to eq(%w[far n])
    expect(asked).to eq([['from', 'factsets', %w[extract certname]]])
    expect(nodes['far'].call).to eq('role' => 'far')
    answers.delete(['from', 'factsets', %w[extract certname]])
    expect { Bunraku::Shadow.nodes_of(described_class.new(url)) }.to raise_error(ArgumentError, /there are no facts in .*#{url}/)
  end

  it 'says what is wrong' do
    puppetdb = described_class.new(url)
    expect { puppetdb.facts('missing') }.to raise_error(Bunraku::Error, "#{url} has no facts of missing")
    expect { puppetdb.query('nonsense') }.to raise_error(Bunraku::Error, "#{url} refuses a query: 400 no such thing")
    expect { described_class.new('localhost') }.to raise_error(ArgumentError, /\Alocalhost is no URL of a PuppetDB/)
    expect { described_class.new(url, ca: '/missing') }.to raise_error(Errno::ENOENT)
    expect { described_class.new('http://127.0.0.1:1').query('x') }.to raise_error(Bunraku::Error, %r{\Ahttp://127.0.0.1:1 does not answer})
  end

  it 'serves the command' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/production/manifests")
      File.write("#{path}/production/manifests/site.pp", 'Notify <<| title == theirs |>> notify { "role ${facts[role]}": }')
      out, err = StringIO.new, StringIO.new
      run = ->(*more) { Bunraku::CommandLine.new(out, err).run(['compile', '--environmentpath', path, '--puppetdb', url, *more]) }
      expect(run.('--node', 'n')).to eq(0), err.string
      expect(out.string).to match(/^Notify +theirs\b/).and match(/^Notify +role \{a => \[1, \]\}/)
      expect(run.('--node', 'missing')).not_to eq(0)
      expect(err.string).to include('has no facts of missing')
      expect(run.()).to eq(2)
      expect(err.string).to include('--node is missing')
    end
  end
end

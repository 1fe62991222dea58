# frozen_string_literal: true

require 'bunraku/classifier/app'
require 'net/http'
require 'stringio'
require 'tmpdir'

RSpec.describe Bunraku::Classifier do
  let(:root) { '00000000-0000-4000-8000-000000000000' }
  let(:classifier) { Bunraku::Classifier.open }
  let(:web) do
    { 'name' => 'Web', 'parent' => root, 'rule' => ['~', 'name', '^www'], 'classes' => { 'motd' => { 'text' => 'hello' } },
      'variables' => { 'tier' => 1 }, 'config_data' => { 'motd' => { 'owner' => 'web' } } }
  end

  it 'classifies nodes' do
    id = classifier.put(web)
    answer = classifier.classify('www1', facts: { 'cpus' => 4 })
    expect(answer).to include('groups' => [root, id], 'environment' => 'production', 'parameters' => { 'tier' => 1 })
    expect(classifier.classify('db/1')['groups']).to eq([root])
    expect(classifier.explain('www1')['match_explanations'][id]['value']).to be(true)
  end

  it 'raises what the groups do not agree on' do
    classifier.put(web)
    classifier.put(web.merge('name' => 'Other', 'variables' => { 'tier' => 2 }))
    expect { classifier.classify('www1') }.to raise_error(Bunraku::Classifier::RequestError) { |error|
      expect(error).to have_attributes(status: 500, kind: 'classification-conflict')
      expect(error.details['variables']['tier'].map { |claim| claim['value'] }).to eq([1, 2])
    }
  end

  it 'refuses classes that no environment has' do
    Dir.mktmpdir do |path|
      FileUtils.mkdir_p("#{path}/production/manifests")
      File.write("#{path}/production/environment.conf", '')
      classifier = described_class.open(environmentpath: path)
      expect { classifier.put(web) }.to raise_error(Bunraku::Classifier::RequestError, /class motd/)
    end
  end

  it 'keeps groups in a database' do
    Dir.mktmpdir do |path|
      described_class.open(database: "#{path}/groups.db").put(web)
      expect(described_class.open(database: "#{path}/groups.db").groups.map { |group| group['name'] }).to eq(['All Nodes', 'Web'])
      File.write("#{path}/other", 'no database, but a text that is long enough to be one' * 20)
      expect { described_class.open(database: "#{path}/other") }.to raise_error(Bunraku::Error, /not a database/)
    end
  end

  it 'goes straight into a compilation' do
    classifier.put(web)
    classification = classifier.classify('www1')
    code = 'class motd($text, $owner) { notice("$text $owner $tier") }'
    environment = Bunraku::Environment.new(code: code, modulepath: [])
    catalog = environment.compile(node: 'www1', classification: classification)
    expect(catalog.logs).to include(a_hash_including(message: 'hello web 1'))
    data = classification.slice('config_data')
    expect(environment.lookup('motd::owner', node: 'www1', classification: data)).to eq('web')
    expect(environment.explain('motd::owner', node: 'www1', classification: data))
      .to include('Classifier Configuration Data')
    elsewhere = classification.merge('environment' => 'staging')
    expect { environment.compile(node: 'www1', classification: elsewhere) }.to raise_error(ArgumentError, /staging/)
  end

  describe Bunraku::Classifier::App do
    subject(:app) { described_class.new(classifier, token: "secret\n") }

    def call(method, path, body: '', **headers)
      path, query = path.split('?')
      env = { 'REQUEST_METHOD' => method, 'PATH_INFO' => path, 'QUERY_STRING' => query.to_s, 'rack.input' => StringIO.new(body) }
      app.call(env.merge(headers.transform_keys(&:to_s)))
    end

    it 'lets all read and those with the token write' do
      expect(call('GET', '/classifier-api/v1/groups').first).to eq(200)
      document = JSON.generate(web)
      expect(call('POST', '/classifier-api/v1/groups', body: document).first).to eq(401)
      expect(call('POST', '/classifier-api/v1/groups', body: document, HTTP_X_AUTHENTICATION: 'wrong').first).to eq(403)
      status, headers, = call('POST', '/classifier-api/v1/groups', body: document, HTTP_X_AUTHENTICATION: 'secret')
      expect([status, headers['location']]).to match([303, %r{\A/classifier-api/v1/groups/}])
      expect(call('POST', '/classifier-api/v1/classified/nodes/www1').first).to eq(200)
      expect(call('DELETE', headers['location']).first).to eq(401)
    end

    it 'refuses bodies that are too large' do
      stub_const("#{described_class}::MAXIMUM_BODY", 4)
      status, _, body = call('POST', '/v1/groups', body: '{"a":1}', HTTP_X_AUTHENTICATION: 'secret')
      expect([status, JSON.parse(body.first)['kind']]).to eq([413, 'request-too-large'])
    end

    it 'knows certificates that the server has verified' do
      key = OpenSSL::PKey::EC.generate('prime256v1')
      certificate = OpenSSL::X509::Certificate.new
      certificate.subject = OpenSSL::X509::Name.parse('/CN=admin')
      certificate.public_key = key
      certificate.sign(key, OpenSSL::Digest.new('SHA256'))
      only = described_class.new(classifier, certnames: ['admin'])
      env = { 'REQUEST_METHOD' => 'PUT', 'PATH_INFO' => '/v1/environments/new', 'QUERY_STRING' => '' }
      expect(only.call(env.merge('puma.peercert' => certificate)).first).to eq(201)
      other = described_class.new(classifier, certnames: ['root'])
      expect(other.call(env.merge('puma.peercert' => certificate)).first).to eq(403)
    end
  end
end

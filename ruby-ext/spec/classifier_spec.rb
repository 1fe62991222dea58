# frozen_string_literal: true

require 'bunraku/classifier/app'
require 'bunraku/command_line'
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
      described_class.open(database: "#{path}/groups.db", create: true).put(web)
      expect(described_class.open(database: "#{path}/groups.db").groups.map { |group| group['name'] }).to eq(['All Nodes', 'Web'])
      File.write("#{path}/other", 'no database, but a text that is long enough to be one' * 20)
      expect { described_class.open(database: "#{path}/other") }.to raise_error(Bunraku::Error, /not a database/)
    end
  end

  it 'opens databases that are there, and makes them when told' do
    Dir.mktmpdir do |path|
      database = "#{path}/typo.db"
      expect { described_class.open(database: database) }.to raise_error(Bunraku::Error, /typo\.db: .*there is no such database/)
      expect(File).not_to exist(database)
      described_class.open(database: database, create: true)
      expect(described_class.open(database: database).groups.size).to eq(1)
    end
  end

  it 'says on the command line which environment a node is compiled in, whatever was asked for', :command do
    Dir.mktmpdir do |path|
      %w[production staging].each do |name|
        FileUtils.mkdir_p("#{path}/#{name}/manifests")
        File.write("#{path}/#{name}/manifests/site.pp", "notify { \"in ${environment}\": }")
      end
      groups = described_class.open(database: "#{path}/groups.db", create: true)
      { 'a' => 'staging', 'b' => 'agent-specified', 'c' => 'nowhere' }.each do |node, environment|
        groups.put('name' => node, 'parent' => root, 'rule' => ['=', 'name', node], 'classes' => {}, 'environment' => environment,
                   'environment_trumps' => true)
      end
      bunraku = lambda do |node, *options|
        out, err = [StringIO.new, StringIO.new]
        status = Bunraku::CommandLine.new(out, err).run(['compile', '--node', node, '--classifier', "#{path}/groups.db",
                                                         '--environmentpath', path, *options])
        [status, out.string + err.string]
      end
      expect(bunraku.call('a', '--environment', 'production')).to match([0, /in staging/])
      expect(bunraku.call('a')).to match([0, /in staging/])
      expect(bunraku.call('b', '--environment', 'staging')).to match([0, /in staging/])
      expect(bunraku.call('b')).to match([0, /in production/])
      expect(bunraku.call('c', '--environment', 'production'))
        .to match([1, /^error: Could not find a directory environment named 'nowhere' anywhere in the path: /])
      expect(bunraku.call('b', '--transaction-uuid', 'x'))
        .to match([2, /^bunraku: the request's 'transaction_uuid' must be a UUID$/])
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
    subject(:app) { described_class.new(classifier, token: "secret\n", read_token: 'curious') }

    let(:document) { JSON.generate(web) }

    def call(method, path, app: self.app, body: '', **headers)
      path, query = path.split('?')
      env = { 'REQUEST_METHOD' => method, 'PATH_INFO' => path, 'QUERY_STRING' => query.to_s, 'rack.input' => StringIO.new(body) }
      app.call(env.merge(headers.transform_keys(&:to_s)))
    end

    def certificate(name)
      key = OpenSSL::PKey::EC.generate('prime256v1')
      certificate = OpenSSL::X509::Certificate.new
      certificate.subject = OpenSSL::X509::Name.parse("/CN=#{name}")
      certificate.issuer = certificate.subject
      certificate.serial = 1
      certificate.not_before = certificate.not_after = Time.now
      certificate.public_key = key
      certificate.sign(key, OpenSSL::Digest.new('SHA256'))
    end

    # Statuses of a read, a question that is posted, a write and an update of classes.
    def statuses(**options)
      requests = [['GET', '/v1/groups'], ['HEAD', '/v1/groups'], ['POST', '/v1/classified/nodes/www1'],
                  ['PUT', '/v1/environments/new'], ['POST', '/v1/update-classes'], ['POST', '/v1/nothing']]
      requests.map { |method, path| call(method, path, **options).first }
    end

    it 'asks for a token' do
      expect(statuses).to all(eq(401))
      expect(statuses(HTTP_X_AUTHENTICATION: 'curious')).to eq([200, 200, 200, 403, 403, 403])
      expect(statuses(HTTP_X_AUTHENTICATION: 'secret')).to eq([200, 200, 200, 201, 201, 404])
      ['wrong', '', ' ', 'secre', 'secret1', "secret\0"].each do |wrong|
        expect(statuses(HTTP_X_AUTHENTICATION: wrong)).to all(eq(401)), wrong.inspect
      end
    end

    it 'writes for those who may' do
      status, headers, = call('POST', '/classifier-api/v1/groups', body: document, HTTP_X_AUTHENTICATION: 'secret')
      expect([status, headers['location']]).to match([303, %r{\A/classifier-api/v1/groups/}])
      expect(call('DELETE', headers['location']).first).to eq(401)
      status, headers, body = call('HEAD', headers['location'], HTTP_X_AUTHENTICATION: 'secret')
      expect([status, headers['content-length'].to_i > 100, body]).to eq([200, true, []])
    end

    it 'does not start when a token is no token or nobody may read' do
      ['', " \n", "two\nlines", "caf\u00e9"].each do |token|
        expect { described_class.new(classifier, token: token) }.to raise_error(ArgumentError, /\Atoken is/), token.inspect
        expect { described_class.new(classifier, read_token: token) }.to raise_error(ArgumentError, /\Aread_token is/)
      end
      expect { described_class.new(classifier) }.to raise_error(ArgumentError, /nobody may read/)
      expect { described_class.new(classifier, certnames: []) }.to raise_error(ArgumentError, /nobody may read/)
      expect { described_class.new(classifier, certnames: ['']) }.to raise_error(ArgumentError, /empty name/)
      expect { described_class.new(classifier, token: 'a', read_token: "a\n") }.to raise_error(ArgumentError, /are the same/)
    end

    it 'is open when that is asked for' do
      open = described_class.new(classifier, open_to_read: true, token: 'secret')
      expect(statuses(app: open)).to eq([200, 200, 200, 401, 401, 401])
      expect(statuses(app: open, HTTP_X_AUTHENTICATION: 'wrong')).to all(eq(401))
      expect(statuses(app: open, HTTP_X_AUTHENTICATION: '')).to all(eq(401))
      all = described_class.new(classifier, open_to_write: true)
      expect(statuses(app: all)).to eq([200, 200, 200, 201, 201, 404])
    end

    it 'refuses bodies that are too large' do
      stub_const("#{described_class}::MAXIMUM_BODY", 4)
      status, _, body = call('POST', '/v1/groups', body: '{"a":1}', HTTP_X_AUTHENTICATION: 'secret')
      expect([status, JSON.parse(body.first)['kind']]).to eq([413, 'request-too-large'])
    end

    it 'knows certificates that the server has verified' do
      listed = described_class.new(classifier, certnames: ['admin'], read_certnames: ['reader'])
      by = ->(name, key = 'puma.peercert') { statuses(app: listed, **{ key => certificate(name) }) }
      expect(by.call('reader')).to eq([200, 200, 200, 403, 403, 403])
      expect(by.call('admin')).to eq([200, 200, 200, 201, 201, 404])
      expect(by.call('reader', 'rack.peer_cert')).to eq([200, 200, 200, 403, 403, 403])
      expect(by.call('other')).to all(eq(403))
      expect(statuses(app: listed)).to all(eq(401))
    end

    it 'believes the server about certificates, not the request' do
      listed = described_class.new(classifier, certnames: ['admin'])
      pem = certificate('admin').to_pem
      expect(statuses(app: listed, SSL_CLIENT_CERT: pem, SSL_CLIENT_VERIFY: 'SUCCESS').first).to eq(200)
      expect(statuses(app: listed, SSL_CLIENT_CERT: pem, SSL_CLIENT_VERIFY: 'FAILED')).to all(eq(401))
      expect(statuses(app: listed, HTTP_SSL_CLIENT_CERT: pem, HTTP_SSL_CLIENT_VERIFY: 'SUCCESS')).to all(eq(401))
    end
  end

  describe 'the command', :command do
    def run(*arguments)
      err = StringIO.new
      [Bunraku::CommandLine.new(StringIO.new, err).run(arguments), err.string]
    end

    it 'starts only when somebody may read' do
      Dir.mktmpdir do |path|
        File.write("#{path}/empty", " \n")
        expect(run('classifier')).to match([2, /nobody may read/])
        expect(run('classifier', '--token-file', "#{path}/empty")).to match([2, /empty: there is no token in it/])
        expect(run('classifier', '--read-token-file', "#{path}/empty")).to match([2, /there is no token in it/])
        expect(run('classifier', '--certname', 'a')).to match([2, /need --ssl-ca/])
        expect(run('classifier', '--ssl-ca', 'x', '--ssl-cert', 'x', '--ssl-key', 'x')).to match([2, /who it signs is not who may ask/])
      end
    end

    it 'does not make databases that are misspelt', :in_process do
      Dir.mktmpdir do |path|
        typo = "#{path}/typo.db"
        expect(run('compile', '--classifier', typo, '--node', 'a')).to match([1, /there is no such database/])
        expect(run('classifier', '--db', typo, '--open-to-read')).to match([1, /there is no such database/])
        expect(File).not_to exist(typo)
      end
    end
  end
end

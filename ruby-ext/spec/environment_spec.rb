# frozen_string_literal: true

require 'fileutils'
require 'timeout'
require 'tmpdir'

RSpec.describe Bunraku::Environment do
  let(:environment) { described_class.new('production', environmentpath: EXAMPLE) }
  let(:node) { 'web01.example.net' }
  let(:facts) { Example.facts(node) }
  let(:catalog) { environment.compile(node: node, facts: facts) }

  it 'knows its name, directory and modules' do
    expect(environment.name).to eq('production')
    expect(environment.directory).to eq(File.join(EXAMPLE, 'production'))
    expect(environment.modulepath).to eq([File.join(EXAMPLE, 'production/site'), File.join(EXAMPLE, 'production/modules')])
  end

  it 'is read anew when its files change, if that is wanted' do
    Dir.mktmpdir do |directory|
      manifests = File.join(directory, 'production/manifests')
      FileUtils.mkdir_p(manifests)
      site = File.join(manifests, 'site.pp')
      File.write(site, "notify { 'first': }")
      kept = described_class.new('production', environmentpath: directory)
      watched = described_class.new('production', environmentpath: directory, reload: :changed)
      titles = ->(of) { of.compile(node: node).resources.last.title }
      expect([kept, watched].map(&titles)).to eq(%w[first first])
      File.write(site, "notify { 'second time': }")
      expect([kept, watched].map(&titles)).to eq(['first', 'second time'])
      kept.clear
      expect(titles.call(kept)).to eq('second time')
    end
  end

  it 'has fresh data, if that is wanted' do
    Dir.mktmpdir do |directory|
      write = ->(name, text) { File.write(File.join(directory, 'production', name), text) }
      FileUtils.mkdir_p(File.join(directory, 'production/data'))
      write['hiera.yaml', "version: 5\nhierarchy: [{ name: common, path: common.yaml }]\n"]
      write['data/common.yaml', "title: first\n"]
      options = { environmentpath: directory, code: "notify { lookup('title'): }" }
      kept, fresh = [false, true].map { |wanted| described_class.new('production', fresh_data: wanted, **options) }
      titles = ->(of) { of.compile(node: node).resources.last.title }
      expect([kept, fresh].map(&titles)).to eq(%w[first first])
      write['data/common.yaml', "title: second time\n"]
      expect([kept, fresh].map(&titles)).to eq(['first', 'second time'])
    end
  end

  it 'has facts about the server where it is told of them' do
    said = lambda do |**options|
      code = 'notice("${server_facts}")'
      described_class.new('production', modulepath: [], code: code).compile(node: 'n', **options).logs.last[:message]
    end
    expect(said.call(server_facts: { 'servername' => 's.example.com' })).to eq('{servername => s.example.com, environment => production}')
    expect(said.call(server_facts: {})).to eq('{environment => production}')
  end

  it 'takes facts, and results and arguments of functions, that nest 120 levels deep' do
    nested = 120.times.inject('x') { |value, _| [value] }
    code = 'notice([$facts["deep"].flatten, f().flatten, g()])'
    deep = described_class.new('production', modulepath: [], code: code) do |host|
      host.function('f') { nested }
      host.function('g') { |call| call.call_function('flatten', nested) }
    end
    expect(deep.compile(node: 'n', facts: { 'deep' => nested }).logs.last[:message]).to eq('[[x], [x], [x]]')
    expect(Bunraku::Value.of(nested).to_ruby).to eq(nested)
  end

  it 'tells of a catalog whether its compilation read settings' do
    read = ->(code) { described_class.new('production', modulepath: [], code: code).compile(node: 'n').reads_settings? }
    expect(['$a = 1', '$a = $settings::vardir'].map(&read)).to eq([false, true])
  end

  it 'refuses to be read anew at no time that it knows' do
    expect { described_class.new('production', environmentpath: EXAMPLE, reload: :sometimes) }.to raise_error(Bunraku::Error)
  end

  it 'refuses misspelt settings, limits and what it is told of a node' do
    load = ->(**options) { described_class.new('production', environmentpath: nil, modulepath: [], code: '', **options) }
    expect { load.call(settings: { strcit: 'off' }) }.to raise_error(Bunraku::Error, "there is no setting 'strcit' (did you mean 'strict'?)")
    expect { load.call(settings: { vardir: '/v', environment_timeout: 1, certname: 'c' }) }.not_to raise_error
    compile = ->(**options) { load.call.compile(node: 'n', **options) }
    { { limits: { secnods: 1 } } => "there is no limit 'secnods' (did you mean 'seconds'?)",
      { trusted: { 'extension' => {} } } => "there is no 'extension' in 'trusted' (did you mean 'extensions'?)",
      { classification: { 'clases' => {} } } => "there is no 'clases' in 'classification' (did you mean 'classes'?)" }.each do |options, message|
      expect { compile.call(**options) }.to raise_error(StandardError, message)
    end
    expect { compile.call(facts: { 'limts' => 1 }, parameters: { 'clases' => 1 }, trusted: { 'extensions' => { 'x' => 1 } }) }.not_to raise_error
    expect { compile.call(trusted_data: { 'extension' => {} }) }.not_to raise_error
    ask = ->(**options) { load.call.lookup('k', node: 'n', default: 1, **options) }
    expect(ask.call(limits: { seconds: 10 })).to eq(1)
    expect { ask.call(limts: { seconds: 1 }) }.to raise_error(Bunraku::Error, "there is no 'limts' in the request (did you mean 'limits'?)")
    expect { ask.call(limits: { secnods: 1 }) }.to raise_error(Bunraku::Error, /no limit 'secnods'/)
    document = JSON.generate(name: 'n', version: 1, environment: 'e', resources: [], edges: [], classes: [])
    convert = ->(**options) { Bunraku::Catalog.convert(document, from: 'agent', to: 'puppetdb:9', **options) }
    expect { convert.call(producr: 'p') }.to raise_error(StandardError, "there is no 'producr' in the submission (did you mean 'producer'?)")
  end

  it 'runs commands where that is wanted, and knows all settings' do
    load = lambda do |commands|
      code = "notify { generate('/bin/echo', $settings::confdir): }"
      described_class.new('production', environmentpath: nil, modulepath: [], code: code, commands: commands).compile(node: node)
    end
    expect(load.call(true).resources.last.title).to eq("/etc/puppetlabs/puppet\n")
    expect { load.call(false) }.to raise_error(Bunraku::Error, /running commands is not allowed/)
  end

  it 'has the version that config_version prints' do
    Dir.mktmpdir do |directory|
      FileUtils.mkdir_p(File.join(directory, 'production'))
      File.write(File.join(directory, 'production/environment.conf'), "config_version = /bin/echo r$environment | tr r v\n")
      version = ->(**options) { described_class.new('production', environmentpath: directory, **options).compile(node: node).version }
      expect(version.call(commands: true)).to eq('vpvoduction')
      expect(version.call).to be_an(Integer)
    end
  end

  it 'compiles the catalog that the reference compiles' do
    same = %w[name environment edges classes]
    got = JSON.parse(catalog.to_json.gsub(environment.directory, '<env>'))
    want = Example.golden(node)
    expect(got['resources']).to eq(want['resources'])
    expect(got.slice(*same)).to eq(want.slice(*same))
    expect(got['tags']).to match_array(want['tags'])
  end

  it 'gives resources by reference, with their parameters' do
    motd = catalog['File[/etc/motd]']
    expect(motd).to have_attributes(type: 'File', title: '/etc/motd', line: 13, kind: :compilable_type)
    expect(motd[:mode]).to eq('0644')
    expect(motd['content']).to start_with('This is web01.example.net, a web server.')
    expect(catalog['File[/nowhere]']).to be_nil
  end

  it 'is enumerable, and has edges and classes' do
    expect(catalog.map(&:type).tally).to include('Profile::Site' => 2)
    expect(catalog.edges.map(&:to_s)).to include('Class[Profile::Web] => Service[nginx]')
    expect(catalog.classes).to include('role::web')
    expect(catalog.to_h['resources'].size).to eq(catalog.size)
  end

  it 'keeps secrets apart' do
    database = environment.compile(node: 'db01.example.net', facts: Example.facts('db01.example.net'))
    resource = database['Class[Profile::Database]']
    expect(resource.sensitive_parameters).to eq(['password'])
    shown = [resource.inspect, resource.to_h.inspect, resource[:password], resource.parameters, JSON.generate(resource.parameters)]
    expect(shown.join).not_to include('correct horse')
    expect(resource['password'].to_s).to eq('Sensitive [value redacted]')
    expect(resource['password'].unwrap).to eq('correct horse')
    expect(resource.unwrapped_parameters).to include('password' => 'correct horse', 'version' => '16')
    expect(resource.parameters).to include('version' => '16')
  end

  it 'shows no secrets in what it says of relationships and values' do
    ["notify { 'a': require => Sensitive('p4ss') }", "notify { 'a': require => Sensitive('File[p4ss]') }",
     "notify { 'a': message => [Sensitive('p4ss')] } notify { 'a': }", "function f(Sensitive[Enum['x']] $x) {} f(Sensitive('p4ss'))",
     "class c(Integer $p) {} class { 'c': p => Sensitive('p4ss') }", "fail(Sensitive('p4ss'))"].each do |code|
      expect { Bunraku::Environment.new(code: code, modulepath: []).compile(node: 'n') }.to raise_error(Bunraku::Error) { |error|
        expect([error.message, error.full_message, error.logs].join.gsub(code, '')).not_to include('p4ss'), code
      }
    end
    secret = Bunraku::Environment.new(code: "$s = Sensitive('p4ss') notify { 'a': message => [$s, { 'k' => $s }] }", modulepath: [])
    catalog = secret.compile(node: 'n', provenance: true)
    other = Bunraku::Environment.new(code: "notify { 'a': message => 'm' }", modulepath: []).compile(node: 'n')
    shown = [catalog.explain('Notify[a]'), catalog.diff(other).to_s, catalog.diff(other).inspect, catalog.graph, catalog['Notify[a]'].inspect,
             catalog['Notify[a]'].parameters.to_s]
    expect(shown.join).not_to include('p4ss')
  end

  it 'takes values of every kind as facts and parameters' do
    code = "notice($facts['at'], $facts['odd'], $secret, $secret.unwrap.size) class c(Sensitive $p) { notice($p) } "
    secret = Bunraku::Value.of(Bunraku::Type.parse('Sensitive').new('p4ss'))
    odd = { '__ptype' => 'Sensitive', '__pvalue' => 'x' }
    catalog = Bunraku::Environment.new(code: code, modulepath: [])
                                  .compile(node: 'n', facts: { 'at' => Time.utc(2024, 2, 29), 'odd' => odd },
                                           parameters: { 'secret' => secret }, classes: { 'c' => { 'p' => secret } })
    expect(catalog.logs.map { |entry| entry[:message] })
      .to eq(['2024-02-29T00:00:00.000000000 UTC {__ptype => Sensitive, __pvalue => x} Sensitive [value redacted] 4',
              'Sensitive [value redacted]'])
  end

  it 'takes classes and parameters of a classifier' do
    plain = environment.compile(node: 'plain.example.net', facts: facts, classes: { 'profile::web' => { 'port' => 81 } },
                                parameters: { 'colour' => 'blue' })
    expect(plain['Class[Profile::Web]'][:port]).to eq(81)
  end

  it 'looks up data, and explains it' do
    expect(environment.lookup('profile::base::packages', node: node, facts: facts, merge: 'unique'))
      .to eq(%w[apt-listchanges vim tmux])
    expect(environment.lookup('nothing', node: node, default: 1)).to eq(1)
    expect { environment.lookup('nothing', node: node) }.to raise_error(Bunraku::LookupError, /nothing/)
    expect { environment.lookup('nothing', node: node, limits: { steps: 1 }) }.to raise_error(Bunraku::LimitError, /1 steps/)
    role = { 'role' => 'web' }
    expect(environment.explain('profile::base::message', node: node, facts: facts, parameters: role)).to include('common.yaml')
    tree = environment.explain('profile::base::message', node: node, facts: facts, parameters: role, format: :data)
    expect(tree['branches'].map { |branch| branch['key'] }).to eq(%w[lookup_options profile::base::message])
    expect(catalog.data_keys).to include('profile::base::packages')
    expect { environment.explain('profile::base::message', node: node, facts: facts) }
      .to raise_error(Bunraku::LookupError, /Undefined variable 'role'/)
  end

  it 'raises with place, issue code and log when a compilation fails' do
    broken = described_class.new('production', code: "notice('before')\n$a = $nothing", modulepath: [])
    expect { broken.compile(node: 'n') }.to raise_error(Bunraku::EvaluationError) { |error|
      expect(error).to have_attributes(line: 2, column: 6, issue_code: 'UNKNOWN_VARIABLE')
      expect(error.logs.map { |entry| entry[:message] }).to eq(['before'])
    }
  end

  it 'raises for an environment that is not there' do
    expect { described_class.new('nowhere', environmentpath: EXAMPLE) }.to raise_error(Bunraku::Error, /nowhere/)
  end

  it 'compiles in many threads at the same time, and gives the same bytes' do
    texts = Array.new(8) { Thread.new { Array.new(10) { environment.compile(node: node, facts: facts).to_h['resources'] } } }
    expect(texts.flat_map(&:value).uniq.size).to eq(1)
  end

  it 'works in threads that come after an interrupted compilation' do
    busy = described_class.new(code: 'Integer[1, 1000000000].each |$number| { }')
    expect { Timeout.timeout(0.2) { busy.compile(node: node) } }.to raise_error(Timeout::Error)
    catalogs = Array.new(4) { Thread.new { described_class.new(code: '').compile(node: node).size } }
    expect(catalogs.map(&:value).uniq.size).to eq(1)
  end

  it 'refuses facts that are no data' do
    expect { environment.compile(node: node, facts: { 'a' => Object }) }.to raise_error(TypeError)
  end

  it 'collects what other nodes export', :extension do
    code = <<~PUPPET
      node 'a' { @@notify { 'from a': message => 'hello', tag => 'greeting' } }
      node 'b' { Notify <<| tag == 'greeting' |>> }
    PUPPET
    host = Bunraku::Host.new
    environment = described_class.new(code: code, settings: { storeconfigs: true }, host: host)
    expect(environment.compile(node: 'b').map(&:to_s)).not_to include('Notify[from a]')
    host.export(environment.compile(node: 'a'))
    expect(environment.compile(node: 'b')['Notify[from a]'].parameters['message']).to eq('hello')
    host.define_singleton_method(:exported_resources) { |*| raise 'the database is away' }
    expect { environment.compile(node: 'b') }.to raise_error(Bunraku::Error, /the database is away/)
  end
end

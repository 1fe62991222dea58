# frozen_string_literal: true

require 'fileutils'
require 'open3'
require 'tmpdir'

RSpec.describe 'bunraku shadow', :puppet do
  around do |example|
    Dir.mktmpdir do |directory|
      @directory = directory
      example.run
    end
  end

  def write(path, text)
    path = File.join(@directory, path)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end

  def shadow(*options, puppet: [])
    library = File.expand_path('../lib', __dir__)
    command = [RbConfig.ruby, '-W0', '-I', library, File.expand_path('../exe/bunraku', __dir__), 'shadow', '--all-nodes', "#{@directory}/facts", *options, '--',
               '--confdir', "#{@directory}/conf", '--vardir', "#{@directory}/var", '--environmentpath', "#{@directory}/environments", '--certname', 's.example.net',
               *puppet]
    @out, @err, status = Open3.capture3(*command)
    status.exitstatus
  end

  # A site whose code can ask which side compiles it.
  def site(manifest, **nodes)
    write('environments/production/modules/m/lib/puppet/functions/m/who.rb', <<~'RUBY')
      Puppet::Functions.create_function(:'m::who') { define_method(:who) { Object.const_defined?('Bunraku::ShadowWorker') ? 'puppet' : 'bunraku' } }
    RUBY
    write('environments/production/manifests/site.pp', manifest)
    nodes.each { |name, facts| write("facts/#{name}.example.net.json", JSON.generate(name: "#{name}.example.net", values: facts)) }
  end

  it 'is content where both compile the same' do
    site('notify { "${facts[os][family]} ${trusted[certname]} ${serverversion}": } notice(1)', a: { os: { family: 'Debian' } }, b: { os: { family: 'RedHat' } })
    write('facts/c.example.net.yaml', "--- !ruby/object:Puppet::Node::Facts\nname: c.example.net\nvalues:\n  os: {family: Suse}\n")
    expect([shadow('--html', "#{@directory}/page.html"), @err]).to eq([0, @err])
    expect(@out).to match(/\APuppet \d+\.\d+\.\d+, bunraku .*: 3 nodes, 3 the same, 0 differ, 0 fail on both sides\nPuppet took .* times as fast\n\z/)
    expect(@err.lines.map { |line| line[%r{\A\d/3}] }).to eq(%w[1/3 2/3 3/3])
    expect(File.read("#{@directory}/page.html")).to include('All catalogs are the same.')
  end

  it 'groups what differs by its cause' do
    site(<<~'MANIFEST', a: { n: 1 }, b: { n: 1 }, c: { n: 2 }, d: { n: 3 }, e: { n: 4 })
      if $facts[n] == 1 { notify { 'n': message => m::who() } }
      if $facts[n] == 2 { warning("${trusted[certname]} ${m::who()}") }
      if $facts[n] == 3 and m::who() == 'bunraku' { fail('not here') }
      if $facts[n] == 4 { fail('nowhere') }
    MANIFEST
    expect(shadow('--json', "#{@directory}/report.json", '--html', "#{@directory}/page.html")).to eq(1)
    expect(@out).to include('5 nodes, 0 the same, 4 differ, 1 fail on both sides').and match(/1 node: d\.example\.net\n  Puppet:  compiles\n  bunraku: .*not here/)
      .and include('only Puppet says warning: NODE puppet').and include('only bunraku says warning: NODE bunraku').and include('Notify[n]')
    report = JSON.parse(File.read("#{@directory}/report.json"))
    expect(report['different']).to eq(%w[a b c d].map { |name| "#{name}.example.net" })
    expect(report['catalogs']['groups'].map { |group| group['nodes'] }).to eq([%w[a.example.net b.example.net]])
    expect(report['errors'].map { |cause| cause['nodes'] }).to eq([['d.example.net']])
    expect(report['seconds']['ratio']).to be_positive
    expect(File.read("#{@directory}/page.html")).to include('not here', 'NODE puppet')
    rules = write('accepted', "# expected\nNotify[n]/message\nerror:not here\nlog:\\bNODE\\b\n")
    expect(shadow('--accept', rules)).to eq(0)
  end

  it 'goes on where it ended, and takes a sample' do
    site('notify { m::who(): }', **('a'..'j').to_h { |name| [name.to_sym, {}] })
    state = "#{@directory}/state"
    expect(shadow('--sample', '30%', '--state', state)).to eq(1)
    expect(@err.lines.size).to eq(3), @err
    File.write(state, '{"name":"half', mode: 'a')
    expect(shadow('--state', state)).to eq(1)
    expect(@err.lines.size).to eq(7)
    expect(@out).to include('10 nodes, 0 the same, 10 differ')
    shadow('--sample', '3')
    expect(@err.lines.size).to eq(3)
  end

  it 'gives both sides what the classifier of nodes says' do
    site('', a: {})
    write('environments/staging/modules/c/manifests/init.pp', 'class c($x) { notify { "${x} ${role} ${environment}": } }')
    script = write('enc', "#!/bin/sh\necho '{classes: {c: {x: 1}}, parameters: {role: web}, environment: staging}'\n")
    File.chmod(0o755, script)
    expect([shadow(puppet: ['--node_terminus', 'exec', '--external_nodes', script]), @out.lines.size]).to eq([0, 2])
  end

  it 'tells what is wrong' do
    write('facts/none', '')
    expect([shadow, @err]).to match([2, /there are no facts in/])
    site('', a: {})
    expect([shadow('--sample', 'x'), @err]).to match([2, /a sample is a number of nodes, or a part such as 10%, not x/])
    expect([shadow('--ruby', 'ruby --disable=gems -e exit'), @err]).to match([2, /Puppet has ended/])
    expect([shadow(puppet: ['--no_such_option']), @err]).to match([2, /Puppet has ended.*no_such_option/m])
    write('facts/b.json', '{')
    expect([shadow, @err]).to match([2, /b\.json/])
  end
end

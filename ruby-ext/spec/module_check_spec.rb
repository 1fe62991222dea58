# frozen_string_literal: true

require 'bunraku/command_line'
require 'fileutils'
require 'stringio'
require 'tmpdir'

RSpec.describe Bunraku::ModuleCheck do
  around do |example|
    Dir.mktmpdir do |path|
      @path = "#{path}/app"
      %w[README.md LICENSE CHANGELOG.md].each { |name| write(name) }
      write('LICENSE', 'Apache License, Version 2.0')
      write('metadata.json', metadata)
      write('manifests/init.pp', 'class app { class inner { } }')
      example.run
    end
  end

  def metadata(**more)
    JSON.generate({ name: 'a-app', version: '1.0.0', author: 'a', license: 'Apache-2.0', summary: 's', source: 'x',
                    dependencies: [] }.merge(more))
  end

  def write(name, content = '')
    file = "#{@path}/#{name}"
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, content)
  end

  def found(**options)
    described_class.of(@path, **options).map(&:to_s)
  end

  it 'has nothing to say of a module that is as it should be' do
    write('functions/one.pp', 'function app::one() { 1 }')
    write('types/port.pp', 'type App::Port = Integer')
    write('lib/puppet/functions/app/two.rb', "Puppet::Functions.create_function(:'app::two') { }")
    write('lib/puppet/type/thing.rb', 'Puppet::Type.newtype(:thing) { }')
    write('lib/puppet/provider/thing/one.rb', 'Puppet::Type.type(:thing).provide(:one) { }')
    write('tasks/run.sh')
    write('tasks/run.json', '{"description": "d"}')
    expect(found).to eq([])
  end

  it 'tells what does not belong and what is missing' do
    FileUtils.rm("#{@path}/README.md")
    write('Modulefile')
    write('spec/a_spec.rb')
    write('lib/other/a.rb')
    write('LICENSE', 'MIT')
    expect(found.map { |text| text[/\A[^:]+: \w+/] })
      .to eq(['LICENSE: error', 'Modulefile: error', 'README: error', 'lib/other/: warning', 'spec/: warning'])
  end

  it 'holds the licence against its text' do
    texts = { 'Apache-2.0' => "Apache\n   License\nVersion 2.0", 'GPL-2.0-only' => 'GNU General Public License, version 2',
              'GPL-3.0+' => "GNU GENERAL PUBLIC\nLICENSE Version 3", 'BSD-3-Clause' => 'Redistribution and use in source and binary forms' }
    texts.each_key do |told|
      write('metadata.json', metadata(license: told))
      texts.each do |name, text|
        write('LICENSE', text)
        expect(found.grep(/LICENSE: error/).empty?).to eq(name == told), "#{told} #{name}"
      end
    end
    write('metadata.json', metadata(license: '(MIT OR Apache-2.0)'))
    write('LICENSE', texts['Apache-2.0'])
    expect(found.grep(/LICENSE/)).to eq([])
    write('metadata.json', metadata(license: 'proprietary'))
    expect(found.grep(/LICENSE/)).to eq([])
  end

  it 'wants data where the schema has it' do
    write('hiera.yaml', "version: 5\ndefaults:\n  datadir: data\nhierarchy:\n  - {name: a, datadir: hieradata}\n  - {name: b, datadir: data/b}\n  - {name: c, datadir: data/../c}\n")
    expect(found).to contain_exactly(/hiera.yaml:.*: error.*not in 'hieradata'/, %r{hiera.yaml:.*: error.*not in 'data/../c'})
  end

  it 'tells what is wrong with metadata, with the path' do
    write('metadata.json', metadata(name: 'app', version: '1', license: 'Mine', summary: 's' * 145, tags: [1],
                                    requirements: [{ name: 'puppet', version_requirement: 'x y' }],
                                    dependencies: [{ name: 'b/c' }, { name: 'b-c' }, {}, 1],
                                    operatingsystem_support: [{ operatingsystemrelease: [8] }]))
    paths = described_class.of(@path).map { |finding| [finding.path, finding.severity] }
    expect(paths).to contain_exactly(
      ['$.name', :error], ['$.version', :error], ['$.license', :warning], ['$.summary', :error], ['$.tags[0]', :error],
      ['$.requirements[0].version_requirement', :error], ['$.dependencies[1].name', :warning], ['$.dependencies[2]', :error],
      ['$.dependencies[3]', :error], ['$.operatingsystem_support[0]', :error],
      ['$.operatingsystem_support[0].operatingsystemrelease[0]', :error]
    )
    write('metadata.json', '{')
    expect(found.first).to start_with('metadata.json:1: error: it is not JSON')
  end

  it 'looks for what a module depends on' do
    write('metadata.json', metadata(dependencies: [{ name: 'b/c', version_requirement: '>= 2.0.0' }, { name: 'b/d' }]))
    write('../c/metadata.json', '{"name": "b-c", "version": "1.9.0"}')
    expect(found).to eq([])
    expect(found(modulepath: [File.dirname(@path)])).to eq(
      ["metadata.json:$.dependencies[0]: error: 'b/c' (>= 2.0.0) is there in version 1.9.0, which will not do",
       "metadata.json:$.dependencies[1]: error: 'b/d' (>= 0.0.0) is not on the modulepath"]
    )
  end

  it 'tells what stands in files where it is not found' do
    write('manifests/a.pp', "class app::b { }\nclass other { }\nfunction app::f() { }")
    write('manifests/broken.pp', 'class {')
    write('functions/f.pp', 'function app::g() { }')
    write('types/a.pp', 'type App::B = String')
    write('lib/puppet/functions/h.rb', 'Puppet::Functions.create_function(:i) { }')
    write('lib/puppet/type/a.rb', 'Puppet::Type.newtype(:b) { }')
    write('lib/puppet/provider/a/x.rb', 'Puppet::Type.type(:b).provide(:x) { }')
    write('tasks/Bad.sh')
    write('tasks/gone.json', '{"parameters": []}')
    places = described_class.of(@path).map { |finding| "#{finding.file}:#{finding.line || finding.path}" }
    expect(places).to eq(
      ['functions/f.pp:1', 'lib/puppet/functions/h.rb:1', 'lib/puppet/provider/a/x.rb:1', 'lib/puppet/type/a.rb:1',
       'manifests/a.pp:1', 'manifests/a.pp:2', 'manifests/a.pp:3', 'manifests/broken.pp:', 'tasks/Bad.sh:', 'tasks/gone.json:$.parameters',
       'tasks/gone.json:', 'types/a.pp:1']
    )
  end

  it 'is a command', :command do
    out = StringIO.new
    run = ->(*arguments) { Bunraku::CommandLine.new(out, StringIO.new).run(arguments) }
    expect(run.call('module', 'check', @path)).to eq(0)
    write('Modulefile')
    expect(run.call('module', 'check', @path, '--format', 'json')).to eq(1)
    expect(JSON.parse(out.string)).to match(@path => [include('file' => 'Modulefile', 'severity' => 'error')])
    expect(run.call('module', 'check', 'nowhere')).to eq(2)
    expect(run.call('module', 'build')).to eq(2)
  end
end

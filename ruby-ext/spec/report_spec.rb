# frozen_string_literal: true

require 'bunraku/command_line'
require 'fileutils'
require 'stringio'
require 'timeout'
require 'tmpdir'

# The sources of values, differences between catalogs, and drawings: in Ruby, and by the command.
RSpec.describe 'reports' do # rubocop:disable RSpec/DescribeClass
  around { |example| Dir.mktmpdir { |directory| @directory = directory and example.run } }

  let(:out) { StringIO.new }
  let(:err) { StringIO.new }

  def run(*arguments)
    Bunraku::CommandLine.new(out, err).run(arguments)
  end

  # An environment with a class whose parameter comes from data.
  def tree(name, data, manifest = "class motd (String $text) {\n  file { '/etc/motd': content => \"Hello ${text}\" }\n}\n")
    root = File.join(@directory, name)
    files = { 'manifests/site.pp' => "node default {\n  include motd\n}\n", 'modules/motd/manifests/init.pp' => manifest,
              'hiera.yaml' => "---\nversion: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n", 'data/common.yaml' => data }
    files.each do |path, text|
      FileUtils.mkdir_p(File.dirname(File.join(root, path)))
      File.write(File.join(root, path), text)
    end
    root
  end

  def environment(root)
    Bunraku::Environment.new(File.basename(root), environmentpath: File.dirname(root))
  end

  let(:old) { tree('old', "---\nmotd::text: world\n") }
  let(:new) { tree('new', "---\nmotd::text: \"<b>moon</b>\"\n") }

  it 'tells where a value comes from, and why a resource is there' do
    catalog = environment(old).compile(node: 'n', provenance: true)
    content = catalog.provenance('File[/etc/motd]')['content']
    expect(content).to include(kind: 'expression', file: "#{old}/modules/motd/manifests/init.pp", line: 2, column: 23)
    expect(content[:sources].first).to include(name: '$text', kind: 'hiera', key: 'motd::text', layer: 'environment',
                                               level: 'common', file: "#{old}/data/common.yaml", line: 2)
    chain = catalog.why('File[/etc/motd]').map { |link| link.values_at(:resource, :how, :line) }
    expect(chain).to eq([['File[/etc/motd]', 'declaration', 2], ['Class[Motd]', 'include', 2], ['Node[default]', 'node', 1]])
  end

  it 'records nothing unless it is asked to' do
    catalog = environment(old).compile(node: 'n')
    expect(catalog.provenance('File[/etc/motd]')).to be_nil
    expect(catalog.why('File[/etc/motd]')).to be_nil
  end

  it 'fails on cycles of dependencies when it is asked to' do
    code = "notify { 'a': before => Notify['b'] }\nnotify { 'b': before => Notify['a'] }\n"
    environment = Bunraku::Environment.new('production', code: code, modulepath: [])
    expect(environment.compile(node: 'n').resources.size).to be > 2
    expect { environment.compile(node: 'n', check_cycles: true) }.to raise_error(Bunraku::Error) { |error|
      expect(error.message).to include("Found 1 dependency cycle:\n(Notify[a] => Notify[b] => Notify[a])")
      expect(error.message).to include("(line: 1) on node n")
    }
  end

  it 'explains a resource on the command line', :command do
    status = run('compile', '--environmentpath', @directory, '--environment', File.basename(old), '--node', 'n',
                 '--explain', 'File[/etc/motd]')
    expect(status).to eq(0)
    expect(out.string).to include('$text: Hiera key motd::text, environment layer, level "common"  data/common.yaml:2:1')
      .and include("Class[Motd]: include in Node[default]  manifests/site.pp:2:3\n")
  end

  it 'compares catalogs' do
    diff = environment(old).compile(node: 'n').diff(environment(new).compile(node: 'n'))
    expect(diff).not_to be_empty
    expect(diff.changed.map { |change| change['resource'] }).to eq(['Class[Motd]', 'File[/etc/motd]'])
    expect(diff.to_s).to include("content: 'Hello world' -> 'Hello <b>moon</b>'")
    expect(diff.added + diff.removed).to be_empty
    expect(Bunraku::Diff.of(diff_document(old), diff_document(new)).to_h).to eq(diff.to_h)
  end

  it 'tells that the order alone differs' do
    catalogs = %w[ab ba].map do |order|
      environment = Bunraku::Environment.new(File.basename(old), environmentpath: @directory, code: order.each_char.map { |title| "notify { #{title}: }" }.join("\n"))
      environment.compile(node: 'n')
    end
    diff = catalogs.first.diff(catalogs.last)
    expect([diff.empty?, diff.reordered?, diff.only_reordered?]).to eq([true, true, true])
    expect(diff.to_s).to eq("  the order of resources alone\n")
    expect(catalogs.first.diff(catalogs.first)).not_to be_reordered
  end

  def diff_document(root)
    environment(root).compile(node: 'n').to_json
  end

  it 'compares a fleet, with an exit status as diff has', :command do
    facts = File.join(@directory, 'facts')
    FileUtils.mkdir_p(facts)
    File.write(File.join(facts, 'a.example.net.json'), '{"os": 1}')
    File.write(File.join(facts, 'b.example.net.yaml'),
               "--- !ruby/object:Puppet::Node::Facts\nname: b.example.net\nvalues:\n  os: 1\n")
    page = File.join(@directory, 'page.html')
    expect(run('diff', '--from', old, '--to', new, '--all-nodes', facts, '--html', page)).to eq(1)
    expect(out.string).to include("2 nodes, 2 differ, 0 the same\n\n2 nodes: a.example.net, b.example.net\n  ~ Class[Motd]\n")
    expect(File.read(page)).to include('Hello &lt;b&gt;moon&lt;/b&gt;').and(satisfy { |html| !html.include?('<b>moon') })
    expect(run('diff', '--from', old, '--to', old, '--all-nodes', facts)).to eq(0)
    expect(run('diff', '--from', old, '--to', File.join(@directory, 'nowhere'), '--node', 'n')).to eq(2)
    expect(run('diff', '--from', old)).to eq(2)
  end

  it 'tells of compilations that fail on one side', :command do
    broken = tree('broken', "---\n{}\n")
    expect(run('diff', '--from', old, '--to', broken, '--node', 'n')).to eq(1)
    expect(out.string).to include("! fails now: Evaluation Error: Error while evaluating a Function Call, Class[Motd]: expects a value for parameter 'text'")
  end

  it 'compares files, and finds no difference in one', :command do
    files = [old, new].map { |root| "#{root}.json".tap { |path| File.write(path, diff_document(root)) } }
    expect(run('diff', *files)).to eq(1)
    expect(out.string).to include('~ File[/etc/motd]')
    expect(run('diff', files.first, files.first)).to eq(0)
  end

  it 'draws catalogs, cycles in red', :command do
    ring = "class motd (String $text) {\n  notify { 'a': require => Notify['b'] }\n  notify { 'b': require => Notify['a'] }\n}\n"
    catalog = environment(tree('ring', "---\nmotd::text: x\n", ring)).compile(node: 'n')
    expect(catalog.graph).to start_with('<svg ').and include('class="line cycle"')
    expect(catalog.graph(format: :html, focus: 'Class[Motd]', depth: 1)).to start_with('<!DOCTYPE html>').and include('<svg ')
    expect(catalog.graph(format: :dot, focus: ['Class[main]'], depth: 0)).not_to include('File[/etc/motd]')
    expect { catalog.graph(focus: 'Class[Mot]') }.to raise_error(Bunraku::Error, /did you mean 'Class\[Motd\]'/)
    expect { catalog.graph(depth: 1) }.to raise_error(Bunraku::Error, "'depth' needs 'focus'")
    expect(catalog.graph(by: :class, format: :dot)).to include('label="Class[Motd]\n2 resources"', 'color=red')
    expect(run('graph', '--environmentpath', @directory, '--environment', File.basename(old), '--node', 'n',
               '--format', 'dot')).to eq(0)
    expect(out.string).to start_with('digraph "n" {').and include('File[/etc/motd]')
  end

  it 'ends with Timeout and Thread#kill' do
    list = ->(step) { Array.new(2000) { |index| (index * step) % 2003 } }
    document = lambda do |step|
      parameters = Array.new(200) { |index| ["p#{index}", list.(step)] }.to_h
      JSON.generate('resources' => [{ 'type' => 'A', 'title' => 'a', 'parameters' => parameters }])
    end
    from, to = document.(7), document.(11)
    expect { Timeout.timeout(0.5) { Bunraku::Diff.of(from, to) } }.to raise_error(Timeout::Error)
    thread = Thread.new { Bunraku::Diff.of(from, to) }
    sleep(0.2)
    thread.kill
    expect(thread.join(10)).to be(thread)
    expect(thread.value).to be_nil
  end
end

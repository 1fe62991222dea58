# frozen_string_literal: true

require 'tmpdir'

RSpec.describe 'checks of environments' do
  around do |example|
    Dir.mktmpdir do |directory|
      @directory = directory
      example.run
    end
  end

  def write(path, text)
    path = File.join(@directory, 'production', path)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end

  def environment
    Bunraku::Environment.new('production', environmentpath: [@directory])
  end

  it 'tells what is wrong, where, and what was meant' do
    path = write('manifests/site.pp', "include a\nfile { '/x': ensrue => file }\n")
    write('modules/a/manifests/init.pp', "class a {}\n")
    found = Bunraku.check(environment)
    expect(found.size).to eq(1)
    expect(found.first).to have_attributes(code: 'unknown-parameter', severity: :error, file: path, line: 2, column: 14, end_column: 20)
    expect(found.first.fix).to include('text' => 'ensure', 'line' => 2)
    expect(found.first.to_s).to end_with("did you mean 'ensure'? (unknown-parameter)")
    expect(environment.check(ignore: ['unknown'])).to be_empty
    expect(environment.check(paths: [File.join(@directory, 'production/modules')])).to be_empty
  end

  it 'refuses what no request has' do
    write('manifests/site.pp', '')
    expect { environment.check(select: 'unknown') }.to raise_error(Bunraku::OptionError, /'select' is no list/)
  end

  it 'gives what is defined new names' do
    write('manifests/site.pp', "include a::b # a::b\n")
    write('modules/a/manifests/b.pp', "class a::b { }\n")
    index = environment.index
    renamed = index.rename(:class, 'a::b', 'a::c')
    expect(renamed.files.transform_keys { |path| File.basename(path) }).to eq('site.pp' => "include a::c # a::b\n", 'b.pp' => "class a::c { }\n")
    expect(renamed.moves.map { |pair| pair.map { |path| File.basename(path) } }).to eq([%w[b.pp c.pp]])
    expect { index.rename(:class, 'x', 'y') }.to raise_error(Bunraku::Error, "there is no class 'x'")
    expect { index.rename(:class, 'a::b', 'X') }.to raise_error(Bunraku::Error, /not a valid name/)
  end

  it 'knows what is defined, and who refers to it' do
    write('manifests/site.pp', "include a\n")
    write('modules/a/manifests/init.pp', "# What it is for\nclass a(Integer \$n = 1, \$m) { a::f(\$n) a::d { 'x': } }\n")
    write('modules/a/manifests/d.pp', "define a::d() {}\n")
    write('modules/a/manifests/lonely.pp', "class a::lonely {}\n")
    write('modules/a/functions/f.pp', "function a::f(\$x) { \$x }\n")
    index = environment.index
    defined = index.find(:class, 'a')
    expect(defined).to have_attributes(module: 'a', documentation: 'What it is for', line: 2, column: 7)
    expect(defined.parameters).to eq([{ 'name' => 'n', 'type' => 'Integer', 'default' => '1', 'required' => false },
                                      { 'name' => 'm', 'type' => nil, 'default' => nil, 'required' => true }])
    expect(index.callers(:function, 'a::f')).to eq(['a'])
    expect(index.references_to(:class, 'a').map(&:usage)).to eq([:include])
    expect(index.references_to(:defined_type, 'a::d').map(&:title)).to eq(['x'])
    expect(index.callees('a').map(&:name)).to include('a::f', 'a::d', 'n')
    expect(index.unused.map(&:name)).to eq(['a::lonely'])
  end

  it 'reads single files of an index again' do
    write('manifests/site.pp', "include a\n")
    write('modules/a/manifests/init.pp', "class a {}\n")
    index = environment.index
    expect(index.unused).to be_empty
    path = write('modules/a/manifests/b.pp', "class a::b(Integer \$x) { include a }\n")
    expect(index.find(:class, 'a::b')).to be_nil
    index.renew(path)
    expect(index.find(:class, 'a::b')).to have_attributes(file: path, module: 'a')
    expect(index.callers(:class, 'a')).to eq(['a::b'])
    expect(index.in_file(path).map(&:name)).to eq(['a::b'])
    expect(index.unused.map(&:name)).to eq(['a::b'])
    File.delete(path)
    expect(index.renew(path).find(:class, 'a::b')).to be_nil
    expect(index.definitions.map(&:name)).to eq(['a'])
  end

  it 'checks single files of an index again' do
    write('hiera.yaml', "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n")
    data = write('data/c.yaml', "a::port: 1\n")
    site = write('manifests/site.pp', "include a\n")
    path = write('modules/a/manifests/init.pp', "class a (Integer $port) { notice($port) }\n")
    present = environment
    index = present.index
    expect(index.check(path, site, data)).to be_empty
    write('modules/a/manifests/init.pp', "class a (Integer $port) { notice($prt) }\n")
    expect(index.check(path)).to be_empty
    expect(index.renew(path).check(path)).to contain_exactly(have_attributes(code: 'unknown-variable', file: path, line: 1))
    expect(index.check(path, ignore: ['unknown'])).to be_empty
    expect(index.check(site)).to be_empty
    write('data/c.yaml', "a::port: x\n")
    index.renew(data)
    present.clear
    expect(index.check(data).map(&:severity)).to eq([:error])
    File.delete(path)
    expect(index.renew(path).check(site).map(&:code)).to eq(['unknown-class'])
    expect { index.check(site, select: 1) }.to raise_error(Bunraku::OptionError)
  end

  it 'takes files from an object' do
    files = { '/e/manifests/site.pp' => 'include a', '/e/modules/a/manifests/init.pp' => 'class a { notify { "x": } }' }
    object = Class.new do
      define_method(:read) { |path| files[path] }
      define_method(:list) do |path|
        names = files.keys.filter_map { |file| file.delete_prefix("#{path}/").split('/').first if file.start_with?("#{path}/") }
        names.uniq unless names.empty?
      end
      define_method(:stat) do |path|
        content = files[path]
        Bunraku::GitTree::Stat.new(content.to_s.bytesize, nil, content.nil?) if content || list(path)
      end
    end.new
    environment = Bunraku::Environment.new('e', directory: '/e', files: object)
    expect(environment.compile(node: 'n').resources.map(&:to_s)).to include('Notify[x]')
    index = environment.index
    files['/e/modules/a/manifests/b.pp'] = 'class a::b {}'
    expect(index.renew('/e/modules/a/manifests/b.pp').find(:class, 'a::b')).to have_attributes(line: 1)
    expect { Bunraku::Environment.new('e', directory: '/e', files: object, templates: :ruby) }.to raise_error(ArgumentError, /templates: :ruby/)
  end

  it 'raises what an object with files raises', :extension do
    object = Object.new
    %i[read list stat].each { |name| object.define_singleton_method(name) { |_| raise IOError, 'broken' } }
    expect { Bunraku::Environment.new('e', directory: '/e', files: object) }.to raise_error(IOError, 'broken')
  end

  it 'takes files from a revision of a git repository' do
    path = write('modules/a/manifests/init.pp', "class a { notify { 'old': } }\n")
    write('manifests/site.pp', "include a\n")
    directory = File.join(@directory, 'production')
    File.symlink('a', File.join(directory, 'modules/b'))
    identity = %w[-c user.name=n -c user.email=n@example.com]
    [%w[init -q], %w[add .], [*identity, 'commit', '-q', '-m', 'one']].each { |words| system('git', '-C', directory, *words, exception: true) }
    File.write(path, "class a { notify { 'new': } }\n")
    tree = Bunraku::GitTree.new(directory)
    expect(tree.list(directory)).to contain_exactly('manifests', 'modules')
    expect(tree.stat(path)).to have_attributes(size: 30, directory?: false, mtime: be_a(Time))
    expect([tree.read("#{directory}/modules/b/manifests/init.pp"), tree.read('/etc/passwd')]).to eq(["class a { notify { 'old': } }\n", nil])
    environment = Bunraku::Environment.new('production', directory: directory, files: tree)
    expect(environment.compile(node: 'n').resources.map(&:to_s)).to include('Notify[old]')
    expect { Bunraku::GitTree.new(directory, 'other') }.to raise_error(ArgumentError, /revision/)
    tree.close
  end
end

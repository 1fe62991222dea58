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
end

# frozen_string_literal: true

require 'English'
require 'open3'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'bunraku/puppet and compilers that their callers keep', :puppet do
  def ruby(code)
    said, status = Open3.capture2e(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), '-e', code)
    raise said unless status.success?

    said
  end

  let(:compiler) { <<~'RUBY' }
    require 'puppet'
    require 'puppet_pal'
    Puppet.initialize_settings
    Puppet[:certname] = 'n.example.net'
    Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| puts [entry.level, entry.to_s, entry.line].inspect } }
    Puppet::Util::Log.newdestination('List')
    CODE = <<~'MANIFEST'
      $top = 'value'
      class a($x = 1) { notify { "a${x}": tag => 't' } $inner = 2 }
      include a
      @notify { 'virtual': }
      @@notify { 'exported': }
      define d { file { "/tmp/${title}": ensure => file } }
      d { 'one': require => Notify['a1'] }
      notice("says ${1 + 1}")
    MANIFEST
    def compiler
      Puppet[:code] = CODE
      environment = Puppet::Node::Environment.create(:production, [])
      Puppet::Parser::Compiler.new(Puppet::Node.new('n.example.net', environment: environment, classes: { 'a' => {} }, parameters: { 'clientversion' => '8' }))
    end
    def show(all)
      resources = all.resources.map { |one| [one.class, one.ref, one.to_hash.inspect.gsub(/0x\h+/, ''), one.tags.to_a] }
      [all.class, resources, all.edges.map(&:to_s), all.classes, all.tags.to_a, all.client_version]
    end
    def counts = defined?(Bunraku::DropIn) ? Bunraku::DropIn::Compiler.compiled.values : [0, 0]
    def check(native)
      Bunraku::DropIn::Kept.callers.clear if defined?(Bunraku::DropIn::Kept)
      before = counts
      p((yield compiler))
      $stderr.puts "#{counts.zip(before).map { |now, then_| now - then_ }} for #{native}" if defined?(Bunraku::DropIn) && counts[0] - before[0] != native
    end
  RUBY

  def same(code)
    code = compiler + code
    own, other = ["require 'bunraku/puppet'\n", ''].map { |start| ruby(start + code) }
    expect(own).to eq(other)
  end

  it 'compiles natively what is used as a whole' do
    same <<~'RUBY'
      check(1) { |one| show(one.compile.to_resource) }
      check(1) { |one| one.compile(&:to_resource).to_data_hash.reject { |name,| name.match?(/version|uuid/) } }
      check(1) { |one| show(one.compile.filter(&:virtual?)) }
      check(1) { |one| one.compile.classes }
      check(1) { |one| one.compile && [one.classlist, one.catalog.name, one.catalog.client_version, one.node.name] }
      check(1) { |one| one.compile.to_ral.resources.map { |resource| [resource.class, resource.ref, resource.to_hash.inspect.gsub(/0x\h+/, '')] } }
    RUBY
  end

  it 'has Puppet compile where its objects are used' do
    same <<~'RUBY'
      check(0) { |one| show(one.compile) }
      check(0) { |one| one.compile && show(one.catalog) }
      check(0) { |one| one.compile.to_data_hash.reject { |name,| name.match?(/version|uuid/) } }
      check(0) { |one| one.compile && [one.topscope['top'], one.topscope['a::inner'], one.classlist] }
      check(0) { |one| scope = one.topscope; one.compile && scope['top'] }
      check(0) { |one| one.compile { Puppet.lookup(:global_scope)['top'] } }
      check(0) { |one| one.compile && one.findresource('Notify[a1]')[:message] }
      check(0) { |one| one.compile && one.add_class('b') && one.catalog.classes }
      check(0) { |one| one.compile && one.newscope(nil)['top'] }
      check(0) { |one| one.compile && one.topscope.call_function('notice', ['x']) }
      check(0) { |one| one.compile && one.instance_variable_get(:@resources).map(&:ref) }
      check(0) { |one| one.compile.vertices.map(&:ref) }
      check(0) { |one| one.compile && one.evaluate_classes(['a'], one.topscope).map(&:ref) }
      check(0) { |one| one.compile && (one.compile rescue $!.class) }
      check(0) { |one| (one.topscope['top'] = 1) && (one.compile rescue $!.message) }
      check(0) { |one| one.add_class('b') && one.compile.classes }
      check(0) { |one| one.compile { |catalog| catalog.resource('Notify[none]') } }
    RUBY
  end

  it 'leaves callers to Puppet that need its objects' do
    said = ruby("require 'bunraku/puppet'\n#{compiler}" + <<~'RUBY')
      3.times { compiler.compile.resources }
      3.times { compiler.compile.to_resource }
      puts Bunraku::DropIn.report[:compiler].inspect
    RUBY
    expect(said.lines.last).to eq(%({:native=>3, :left=>{"the caller keeps the compiler and its scopes"=>3}, :aside=>{}}\n))
  end

  it 'leaves to Puppet what its caller has changed, and what has nothing to compile' do
    said = ruby("require 'bunraku/puppet'\n#{compiler}" + <<~'RUBY')
      compiler.tap { |one| one.loaders.runtime3_type_loader.define_singleton_method(:find) { |name| super(name) } }.compile
      Puppet::Pal.in_tmp_environment('pal', modulepath: [], facts: {}) { |pal| pal.with_catalog_compiler { |one| one.evaluate_string('1') } }
      Puppet::Pal.in_tmp_environment('pal', modulepath: [], facts: {}) { |pal| pal.with_script_compiler { |one| one.evaluate_string('1') } }
      puts Bunraku::DropIn.report[:compiler].inspect
    RUBY
    left = { 'the compiler is in use' => 1, 'there is nothing to compile' => 1, 'a script has no catalog' => 1 }
    expect(said.lines.last).to eq("#{{ native: 0, left: left, aside: {} }.inspect}\n")
  end

  it 'reads no manifest of an environment that is made without one' do
    same <<~'RUBY'
      require 'tmpdir'
      Dir.mktmpdir do |directory|
        FileUtils.mkdir_p("#{directory}/own/manifests")
        File.write("#{directory}/own/manifests/site.pp", 'notify { site: }')
        check(1) do
          Puppet[:code] = ''
          Puppet::Pal.in_environment('own', env_dir: "#{directory}/own", facts: {}) do |pal|
            pal.with_catalog_compiler(configured_by_env: true) do |one|
              one.with_json_encoding { |encoder| JSON.parse(encoder.encode)['resources'].map { |resource| resource['title'] } }
            end
          end
        end
      end
    RUBY
  end

  it "serves the compiler of catalogs of Puppet's library" do
    same <<~'RUBY'
      def pal(variables = {}, code = CODE)
        Puppet::Pal.in_tmp_environment('pal', modulepath: [], facts: { 'a' => 'fact' }) do |pal|
          pal.with_catalog_compiler(code_string: code, variables: variables) { |one| yield one }
        end
      end
      def document(text) = JSON.parse(text).reject { |name,| name.match?(/version|uuid/) }
      check(1) { pal { |one| one.with_json_encoding { |encoder| document(encoder.encode) } } }
      check(1) { pal { |one| one.with_json_encoding(pretty: false) { |encoder| document(encoder.encode_resource('Notify', 'a1') || '{}') } } }
      check(0) { pal { |one| one.with_json_encoding(exclude_virtual: false) { |encoder| document(encoder.encode) } } }
      check(0) { pal { |one| one.evaluate_string('$top') } }
      check(1) { pal { |one| one.call_function('upcase', 'a') } }
      check(0) { pal('v' => 2) { |one| one.evaluate_string('$v + $a') rescue $!.message } }
      check(0) { pal { |one| one.evaluate_string('notify { late: }') && one.compile_additions && one.catalog_data_hash['resources'].size } }
      check(0) { pal({}, 'fail("no")') { |one| one } rescue $!.message }
    RUBY
  end
end

# frozen_string_literal: true

require 'open3'
require 'tmpdir'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'catalogs of bunraku/puppet', :puppet do
  def ruby(code, environment = {})
    options = ['-W0', '-I', File.expand_path('../lib', __dir__)]
    out, said, status = Open3.capture3(environment, RbConfig.ruby, *options, '-e', prelude + code)
    raise out + said unless status.success?

    @said = said
    out
  end

  let(:directory) { Dir.mktmpdir }
  after { FileUtils.rm_rf(directory) }

  before do
    write('m/manifests/init.pp', "class m { m::d { 'x': } file { '/tmp/m/': ensure => file, content => \"1.5 \\u{e4}\" } }")
    write('m/manifests/d.pp', "define m::d($n = 1.0e20) { notify { \"d-${title}\": message => { 'a' => [undef, $n, true] }, alias => 'other' } }")
    write('m/manifests/unused.pp', 'class m::unused { }')
  end

  def write(path, text)
    FileUtils.mkdir_p(File.dirname("#{directory}/#{path}"))
    File.write("#{directory}/#{path}", text)
  end

  let(:prelude) { <<~RUBY }
    require 'puppet'
    require 'bunraku/puppet'
    Puppet.initialize_settings
    Puppet[:certname] = 'n.example.net'
    Puppet[:strict_variables] = false
    CODE = <<~'MANIFEST'
      include m
      @@notify { 'exported': message => 'e' }
      @notify { 'virtual': }
      notify { 'secret': message => Sensitive('s'), tag => 'b', before => [Class['m'], M::D['x']] }
      node default { }
    MANIFEST
    Puppet[:code] = CODE
    ENVIRONMENT = Puppet::Node::Environment.create(:production, ['#{directory}'])
    # Puppet's own, and of the library.
    def both
      [-> { Bunraku::DropIn.disable }, -> { Bunraku::DropIn.enable }].map do |set|
        set.call
        environment = Puppet::Node::Environment.create(:production, ['#{directory}'])
        Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
          catalog = Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: environment), 'code')
          catalog.version = 1
          catalog.catalog_uuid = 'u'
          yield catalog, environment
        end
      end
    end
    # Prints the differences.
    def same(what, &block)
      own, other = both(&block)
      puts "\#{what}:", own.inspect, other.inspect unless own == other
    end
    def lazy?(catalog) = Kernel.instance_method(:instance_variable_defined?).bind_call(catalog, :@bunraku)
  RUBY

  it 'are written as Puppet writes them, whether they were touched or not' do
    expect(ruby(<<~'RUBY')).to eq('')
      ways = { json: :to_json.to_proc, data: :to_data_hash.to_proc, yaml: :to_yaml.to_proc, rendered: ->(one) { one.render('json') },
               inside: ->(one) { JSON.generate([one]) }, pretty: ->(one) { Puppet::Util::Json.dump(one, pretty: true) },
               poor: ->(one) { Puppet.override(rich_data: false) { one.to_json } }, strings: ->(one) { Puppet.override(stringify_rich: true) { one.to_json } },
               changed: ->(one) { one.tag('new'); one.add_class('c::d'); one.name = 'other'; one.environment = 'e'; one.to_json } }
      ways[:msgpack] = :to_msgpack.to_proc if Puppet.features.msgpack?
      ways.each do |name, way|
        same(name) { |catalog,| way[catalog] }
        same("#{name}, filtered") { |catalog,| way[catalog.filter(&:virtual?)] }
        same("#{name}, filtered otherwise") { |catalog,| way[catalog.filter { |one| one.type == 'Notify' }] }
        same("#{name}, copied") { |catalog,| way[catalog.to_resource] }
        same("#{name}, touched") { |catalog,| catalog.resource('Notify[secret]')[:message] = 'other'; way[catalog] }
        same("#{name}, touched and filtered") { |catalog,| catalog.resource('Notify[secret]').virtual = true; way[catalog.filter(&:virtual?)] }
      end
      raise 'not native' unless Bunraku::DropIn.report[:compiler][:left].empty?
    RUBY
  end

  it 'are made of resources when they are touched, and only then' do
    expect(ruby(<<~'RUBY')).to eq('')
      touches = { resources: ->(one) { one.resources.map(&:ref) }, size: :size.to_proc, variables: ->(one) { one.instance_variables.sort }, edges: ->(one) { one.edges.map(&:to_s) },
                  dup: ->(one) { one.dup.resources.map(&:ref) }, ral: ->(one) { one.to_ral.resources.map(&:ref) }, each: ->(one) { one.vertices.map(&:ref) },
                  add: ->(one) { one.add_resource(Puppet::Resource.new('Notify', 'added')); one.to_json },
                  twice: ->(one) { one.add_resource(Puppet::Resource.new('Notify', 'secret')) rescue [$!.class, $!.message] },
                  container: ->(one) { one.container_of(one.resource('Notify[d-x]')).ref }, dot: :to_dot.to_proc,
                  catalogs: ->(one) { one.resources.all? { |resource| resource.catalog.equal?(one) } },
                  types: ->(one) { one.resources.map { |resource| [resource.ref, resource.resource_type.class, resource.resource_type && resource.resource_type.name, resource.kind] } },
                  alias: ->(one) { one.resource('Notify', 'other').ref }, path: ->(one) { one.resource('File', '/tmp/m/').ref } }
      touches.each do |name, touch|
        same(name) { |catalog,| touch[catalog] }
        same("#{name}, filtered") { |catalog,| touch[catalog.filter(&:virtual?)] }
      end
      both { |catalog,| catalog.to_json; catalog.classes; catalog.tags; catalog.filter(&:virtual?).to_data_hash; lazy?(catalog) }.then { |lazy| raise 'touched' unless lazy == [false, true] }
      both { |catalog,| catalog.resources; lazy?(catalog) }.then { |lazy| raise 'untouched' unless lazy == [false, false] }
    RUBY
  end

  it 'leave the classes and defined types that they used in their environment' do
    expect(ruby(<<~'RUBY')).to eq('')
      known = ->(environment) { environment.known_resource_types.then { |all| [all.hostclasses.keys.sort, all.definitions.keys, all.nodes.keys, all.hostclass('m').arguments] } }
      same(:known) { |_, environment| known[environment] }
      same(:touched) { |catalog, environment| [catalog.resource('Class[M]').resource_type.name, catalog.resource('M::D[x]').resource_type.arguments.keys, known[environment]] }
    RUBY
  end

  it 'hold what functions in Ruby return, whatever that is', :extension do
    { time: 'Time.at(0).utc', set: 'Set.new([1])', struct: 'Struct.new(:a).new(1)', text: 'Class.new(String).new("x")', latin: '"\u00e4".encode("ISO-8859-1")',
      like_hash: 'Class.new { def to_hash = { "a" => 1 } }.new', rescued: '(begin; call_function("m::time"); rescue StandardError; 1; end; 2)',
      nested: '[{ "a" => Set.new([2]) }]', symbol: ':sym', plain: '"y"', bytes: '"\xff".b', uri: 'URI("http://a/b")' }.each do |name, code|
      write("m/lib/puppet/functions/m/#{name}.rb", "Puppet::Functions.create_function(:'m::#{name}') { define_method(:#{name}) { #{code} } }")
    end
    # What Ruby makes of objects of no class of Puppet's is never twice the same.
    reasons = ["a function's Set, 2", "a function's String in ISO-8859-1, 1", "a function's Time, 2",
               "a function's object of a class without a name, 2", "a function's object of a class without a name in UTF-8, 1"]
    expect(ruby(<<~'RUBY').lines(chomp: true)).to match_array(reasons)
      Puppet::Util::Log.level = :crit
      names = %w[time set struct text latin like_hash rescued nested symbol plain uri]
      names.each do |name|
        Puppet[:code] = "$x = m::#{name}() notify { \"${x}\": message => $x }"
        same(name) do |catalog,|
          catalog.to_json.gsub(/0x\h+/, '')
        rescue StandardError => e
          [e.class, e.message.gsub(/0x\h+/, '')]
        end
      end
      counts = Bunraku::DropIn.report[:compiler]
      raise counts.inspect unless counts[:native] + counts[:left].sum(&:last) == names.size
      counts[:left].each { |reason, times| puts "#{reason}, #{times}" }
    RUBY
  end

  it 'are compiled anew when the code has changed' do
    expect(ruby(<<~'RUBY')).to eq("[\"Notify[new]\"]\n")
      compile = lambda do |code|
        Puppet[:code] = code
        Puppet.override(current_environment: ENVIRONMENT, environments: Puppet::Environments::Static.new(ENVIRONMENT)) do
          Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: ENVIRONMENT))
        end
      end
      compile['class a { } include a']
      catalog = compile["class a { notify { 'new': } } include a"]
      p catalog.resources.map(&:ref).grep(/Notify/)
    RUBY
  end

  describe 'Bunraku::DropIn.report' do
    let(:compile) { <<~'RUBY' }
      def compile(code)
        Puppet[:code] = code
        environment = Puppet::Node::Environment.create(:production, [])
        Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: environment)) }
      rescue Puppet::Error
        nil
      end
      Puppet::Util::Log.level = :crit
    RUBY

    it 'tells what was native and what was left, with reasons' do
      expect(ruby("#{compile}compile('notice(1)'); compile('fail(2)'); compile('fail(2)'); p Bunraku::DropIn.report[:compiler]", 'BUNRAKU_PUPPET_REPORT' => '1'))
        .to match(/\A\{:native=>1, :left=>\{"it fails: .*2.*"=>2\}, :aside=>\{\}\}\n\z/)
      expect(@said.lines.last).to match(%r{\Abunraku/puppet: .*compiler 1 native, left 2: it fails})
      ruby("#{compile}compile('notice(1)')", 'BUNRAKU_PUPPET_REPORT' => "#{directory}/report")
      expect(JSON.parse(File.read("#{directory}/report"))['compiler']).to eq('native' => 1, 'left' => {}, 'aside' => {})
      expect(@said).to eq('')
    end

    it 'tells which compilers their callers keep, whose scopes only Puppet has' do
      kept = "environment = Puppet::Node::Environment.create(:production, [])\nPuppet[:code] = '$a = 5'\n" \
             "compiler = Puppet::Parser::Compiler.new(Puppet::Node.new('n', environment: environment))\n" \
             "Puppet.override(current_environment: environment) { compiler.compile }\n"
      expect(ruby("#{kept}p compiler.topscope['a'], Bunraku::DropIn.report[:compiler]"))
        .to eq(%(5\n{:native=>0, :left=>{"the caller keeps the compiler and its scopes"=>1}, :aside=>{}}\n))
    end

    it 'tells what fails in the library only' do
      fails = "Bunraku::DropIn::Compiler.singleton_class.prepend(Module.new { private def in_native(*) = raise('made up') })\n"
      expect(ruby("#{compile}#{fails}compile('notice(1)'); compile('fail(2)'); p Bunraku::DropIn.report[:compiler][:left]"))
        .to eq(%({"it fails here only: made up"=>1, "it fails: made up"=>1}\n))
    end

    it 'tells which method is in the way, and once that the part stands aside' do
      expect(ruby(<<~RUBY)).to match(/\A\{:native=>1, :left=>\{\}, :aside=>\{"Puppet::Parser::Compiler#evaluate_main was replaced at .*"=>2\}\}\n\z/)
        #{compile}
        $VERBOSE = false
        original = Puppet::Parser::Compiler.instance_method(:evaluate_main)
        Puppet::Parser::Compiler.define_method(:evaluate_main) { original.bind_call(self) }
        2.times { compile('notice(1)') }
        Puppet::Parser::Compiler.define_method(:evaluate_main, original)
        compile('notice(1)')
        p Bunraku::DropIn.report[:compiler]
      RUBY
      expect(@said.lines.grep(/the part compiler stands aside/).size).to eq(1)
    end

    it 'has a part on again when a stub is gone, whenever it came' do
      expect(ruby(<<~RUBY)).to eq("{:native=>2, :puppet=>2}\n")
        #{compile}
        require 'rspec/mocks'
        include RSpec::Mocks::ExampleMethods
        stub = lambda do |code|
          RSpec::Mocks.setup
          allow_any_instance_of(Puppet::Resource::Catalog).to receive(:add_edge)
          allow(Puppet::Parser::Compiler).to receive(:new).and_call_original
          compile(code)
          RSpec::Mocks.teardown
        end
        stub['notice(1)']
        compile('notice(2)')
        stub['notice(3)']
        compile('notice(4)')
        p Bunraku::DropIn::Compiler.compiled
      RUBY
      expect(@said).to eq('')
    end

    it 'has a part on again when a stub is gone that was there first, with the copy of its method' do
      expect(ruby(<<~RUBY)).to eq("{:native=>1, :puppet=>1}\n")
        #{compile}
        require 'rspec/mocks'
        include RSpec::Mocks::ExampleMethods
        RSpec::Mocks.setup
        allow_any_instance_of(Puppet::Parser::Compiler).to receive(:add_class)
        compile('notice(1)')
        RSpec::Mocks.teardown
        compile('notice(2)')
        p Bunraku::DropIn::Compiler.compiled
      RUBY
    end
  end
end

# frozen_string_literal: true

require 'English'
require 'open3'
require 'tmpdir'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'bunraku/puppet', :puppet do
  def ruby(code, environment = {})
    options = ['-W0', '-I', File.expand_path('../lib', __dir__)]
    said, status = Open3.capture2e(environment, RbConfig.ruby, *options, '-e', code)
    raise said unless status.success?

    said
  end

  let(:prelude) { <<~RUBY }
    require 'puppet'
    require 'bunraku/puppet'
    Puppet.initialize_settings
    PARSER = Puppet::Pops::Parser
    def native?(model) = !Bunraku::DropIn::Parser.tree_of(model).nil?
  RUBY

  it 'makes the objects that Puppet makes' do
    expect(ruby(prelude + <<~'RUBY')).to eq('')
      def same(own, other, at)
        raise "#{at}: #{own.class} for #{other.class}" unless own.class == other.class
        case own
        when Array then own.zip(other).each_with_index { |(a, b), index| same(a, b, "#{at}[#{index}]") }
        when Puppet::Pops::Model::PopsObject
          raise "#{at}: other variables" unless own.instance_variables == other.instance_variables
          (own.instance_variables - [:@locator]).each do |name|
            same(own.instance_variable_get(name), other.instance_variable_get(name), "#{at} #{name}")
          end
        else raise "#{at}: #{own.inspect} for #{other.inspect}" unless own.eql?(other)
        end
      end
      texts = [<<~'MANIFEST', '', "# nothing\n", 'node a, /b\/c/, default inherits d { }', 'type A = Variant[String, Integer[0, 0x1F, 017]]', '99999999999999999999']
        # Documentation.
        class a::b(Integer[1] $n = 1.5e3, Optional[String] *$rest) inherits c {
          $x = "text ${n} ${facts['os']['name'].map |$y| { "<${y}>" }} more" + 'plain' + word
          file { ['/a', "/b"]: ensure => present; default: * => $hash, mode +> undef }
          @@user { x: } -> Package <| title == 'x' and y != /z[\/]/ |> { ensure => 3 } ~> Class['d']
          $h = { key => [1, -2, *$z], true => default }
          if $n in $h { } elsif !$x { notice 1, 2 } else { fail('ä') }
          unless $a =~ /^x/ { } else { $b.c |$d| >> Integer { $d } }
          case $n { 1, 2: { } default: { $m ? { x => 1, default => undef } } }
          $t = @("END"/t)
            heredoc ${n}	\t
            | END
          function f(String $s, Integer *$i) >> String { $s[1, 2] }
          File { mode => '0644' }
          File['/a'] { owner => root }
        }
      MANIFEST
      texts.each do |text|
        Bunraku::DropIn.enable
        own = PARSER::Parser.new.parse_string(text.dup, 'a.pp').model
        raise "not native: #{text}" unless native?(own)
        Bunraku::DropIn.disable
        other = PARSER::Parser.new.parse_string(text.dup, 'a.pp').model
        raise 'not Puppet itself' if native?(other)
        same(own, other, 'program')
        raise 'not equal' unless own == other && own.hash == other.hash && own.locator.line_index == other.locator.line_index
        raise 'other definitions' unless own.definitions.zip(other.definitions).all? { |a, b| a == b && a.offset == b.offset }
      end
      template = "<%- | Integer $n = 3 | -%>\ntext <%= $n %>\n<% if $n { -%>\nmore\n<% } %>"
      Bunraku::DropIn.enable
      own = PARSER::EppParser.new.parse_string(template.dup, 'a.epp').model
      Bunraku::DropIn.disable
      other = PARSER::EppParser.new.parse_string(template.dup, 'a.epp').model
      raise 'not native' unless native?(own)
      same(own, other, 'template')
    RUBY
  end

  it 'raises and logs what Puppet does' do
    code = <<~'RUBY'
      require 'puppet'
      Puppet.initialize_settings
      logs = []
      Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| logs << [entry.level, entry.to_s, entry.line, entry.pos] } }
      Puppet::Util::Log.newdestination('List')
      ['class {', "$a = 'b", 'notice 1, 2 3', '$A = 1', "{ a => 1,\n a => 2 }", '"x" -> "\q"', 'class a { node b { } }', "$x = 1\n$x += 2",
       'type A = B[', "\xEF\xBB\xBF$a", "notice('a', 1, 'b'", '1 = 2', "@(END)\n\\q\n"].each do |text|
        parser = Puppet::Pops::Parser::EvaluatingParser.new
        begin
          puts parser.parse_string(text.dup, '/m/a.pp').class
        rescue StandardError => e
          puts [e.class, e.message, e.try(:file), e.try(:line), e.try(:pos), e.try(:issue_code)].inspect
        end
      end
      puts logs.inspect
    RUBY
    code = "class Object; def try(name) = respond_to?(name) ? send(name) : nil; end\n#{code}"
    expect(ruby("require 'bunraku/puppet'\n#{code}")).to eq(ruby(code))
  end

  it 'takes over when Puppet is loaded, by RUBYOPT too' do
    code = 'require "puppet"; p Bunraku::DropIn.enabled'
    expect(ruby(code, 'RUBYOPT' => '-rbunraku/puppet')).to eq("[:parser, :validation, :types, :compiler]\n")
    expect(ruby(code, 'RUBYOPT' => '-rbunraku/puppet', 'BUNRAKU_PUPPET' => 'types')).to eq("[:types]\n")
    expect(ruby(code, 'RUBYOPT' => '-rbunraku/puppet', 'BUNRAKU_PUPPET' => 'none')).to eq("[]\n")
    expect(ruby('p defined?(Puppet)', 'RUBYOPT' => '-rbunraku/puppet')).to eq("nil\n")
  end

  it 'leaves parsers alone that a tool has changed' do
    expect(ruby(prelude + <<~'RUBY').lines(chomp: true)).to eq(%w[true false false false true])
      puts native?(PARSER::Parser.new.parse_string('$a = 1', nil).model)
      puts native?(Class.new(PARSER::Parser).new.parse_string('$a = 1', nil).model)
      parser = PARSER::Parser.new
      parser.lexer = Class.new(PARSER::Lexer2).new
      puts native?(parser.parse_string('$a = 1', nil).model)
      original = PARSER::Lexer2.instance_method(:emit)
      PARSER::Lexer2.define_method(:emit) { |*arguments| original.bind_call(self, *arguments) }
      puts native?(PARSER::Parser.new.parse_string('$a = 1', nil).model)
      PARSER::Lexer2.define_method(:emit, original)
      puts native?(PARSER::Parser.new.parse_string('$a = 1', nil).model)
    RUBY
  end

  it 'keeps the trees of files that are parsed again, up to a size' do
    expect(ruby(prelude + <<~'RUBY').lines(chomp: true)).to eq(%w[true false false true])
      one, two = Array.new(2) { PARSER::Parser.new.parse_string('$a = 1', 'a.pp').model }
      puts one.body.equal?(two.body)
      puts one.body.equal?(PARSER::Parser.new.parse_string('$a = 1', 'b.pp').model.body)
      puts one.body.equal?(PARSER::Parser.new.parse_string('$a = 2', 'a.pp').model.body)
      cache = Bunraku::DropIn::Cache.new(100)
      50.times { |number| cache.fetch(["#{number}#{'x' * 20}"]) { number } }
      puts cache.size.between?(1, 100)
    RUBY
  end

  it 'reads types once that mean the same everywhere' do
    expect(ruby(prelude + <<~'RUBY').lines(chomp: true)).to eq(%w[true true false true])
      parser = Puppet::Pops::Types::TypeParser.singleton
      text = "Struct[{a => Array[Integer[1, 2]], Optional[b] => Enum['x', 'y']}]"
      puts parser.parse(text).equal?(parser.parse(text.dup))
      puts parser.parse(text).to_s == "Struct[{'a' => Array[Integer[1, 2]], Optional['b'] => Enum['x', 'y']}]"
      puts parser.parse('Array[Foo::Bar]').equal?(parser.parse('Array[Foo::Bar]'))
      begin
        parser.parse('Array[1, 2, 3, 4]')
      rescue Puppet::ParseError, ArgumentError
        puts true
      end
    RUBY
  end

  describe 'puppet parser validate' do
    let(:validate) { <<~'RUBY' }
      require 'puppet'
      require 'puppet/face'
      Puppet.initialize_settings
      LOGS = []
      Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| LOGS << [entry.level, entry.to_s, entry.file, entry.line] } }
      Puppet::Util::Log.newdestination('List')
      # The manifests that Puppet itself imports.
      IMPORTED = []
      TracePoint.new(:call) { |call| IMPORTED << call.self.manifest if call.method_id == :perform_initial_import }.enable
      def validate(*files)
        environment = Puppet::Node::Environment.create(:test, [])
        Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
          errors = Puppet::Face[:parser, :current].validate(*files)
          puts(errors.map { |file, error| [file, error.class, error.message, error.line, error.pos].inspect })
        rescue StandardError => e
          puts [e.class, e.message].inspect
        ensure
          entries = environment.loaders ? environment.loaders.runtime3_type_loader.instance_variable_get(:@named_values).values : []
          puts(entries.map { |entry| [entry.typed_name.to_s, entry.value.to_s, entry.origin.to_s].inspect })
        end
      end
    RUBY

    def manifests(texts)
      Dir.mktmpdir do |directory|
        files = texts.map { |name, text| File.join(directory, name).tap { |file| File.write(file, text) } }
        yield files, files.to_h { |file| [File.basename(file), file] }
      end
    end

    it 'says what Puppet says, and leaves what Puppet leaves' do
      texts = { 'class.pp' => "class a(Integer $x = 1, Array $y = []) inherits b { if $x =~ /[^a]b/ { } }\nclass b { class b::c { } }", 'define.pp' => "\n  define ü::d { }\n",
                'defines.pp' => "define d::e(Integer $x) { }\n/* ä */ define d::F { }", 'empty.pp' => '', 'metaparameter.pp' => 'class c($noop = true) { }', 'error.pp' => 'class {',
                'metaparameter_error.pp' => 'define e($tag) { }', 'twice.pp' => "class d { }\nclass d { }", 'both.pp' => "class d::x { }\ndefine d::x { }",
                'node.pp' => 'node a, /b/ { }', 'function.pp' => 'function f() { 1 }', 'type.pp' => 'type T = Integer', 'warning.pp' => '$a = "\\q"',
                'invalid.pp' => '1 = 2', 'regexp.pp' => '$a =~ /[/', 'text' => '$a = 1', 'case.pp' => 'class Aa { }', 'bytes.pp' => "\xFF" }
      manifests(texts) do |files,|
        code = validate + files.map { |file| "validate(#{file.dump})\n" }.join + "validate(*#{files.first(5)}, '/no/such.pp')\nputs LOGS.inspect"
        expect(ruby("require 'bunraku/puppet'\n#{code}")).to eq(ruby(code))
      end
    end

    it 'fails as Puppet does when a type is defined again' do
      manifests('one.pp' => 'define d { }', 'two.pp' => 'define d { }') do |files,|
        code = "#{validate}validate(*#{files})\n"
        expect(ruby("require 'bunraku/puppet'\n#{code}")).to eq(ruby(code)).and include('Attempt to redefine entity')
      end
    end

    it 'imports nothing where there is nothing to say' do
      manifests('class.pp' => 'class a(Integer $x) { }', 'define.pp' => 'define d { }', 'warning.pp' => 'class c($noop = true) { }') do |files, named|
        imported = lambda do |setup = '', environment = {}|
          code = "require 'bunraku/puppet'\n#{validate}#{setup}\nvalidate(*#{files})\nputs '', IMPORTED"
          ruby(code, environment).lines(chomp: true).drop_while { |line| !line.empty? }.drop(1)
        end
        expect(imported.call).to eq([named['warning.pp']])
        expect(imported.call('', 'BUNRAKU_PUPPET' => 'parser,validation')).to eq(files)
        expect(imported.call('Puppet::Util::Log.level = :debug')).to eq(files)
        expect(imported.call('class Puppet::Resource::Type; def set_arguments(all) = super; end')).to eq(files.first(1))
        expect(imported.call('Puppet::Face[:parser, :current].define_singleton_method(:validate_manifest) { |manifest| nil }')).to eq([])
      end
    end
  end

  it 'says once in a process what Puppet says once' do
    code = <<~'RUBY'
      require 'puppet'
      Puppet.initialize_settings
      Puppet[:strict] = :warning
      Puppet[:certname] = 'n.example.net'
      Puppet[:code] = "class c($noop = true) { } include c\nnotice(abs('-1'))"
      Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| puts [entry.level, entry.to_s, entry.line].inspect } }
      Puppet::Util::Log.newdestination('List')
      2.times { Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: Puppet::Node::Environment.create(:test, []))) }
    RUBY
    expect(ruby("require 'bunraku/puppet'\n#{code}")).to eq(ruby(code)).and include('auto conversion')
  end

  it 'compiles the catalogs that Puppet compiles' do
    expect(ruby(prelude + <<~'RUBY')).to eq("{:native=>1, :puppet=>2}\n")
      Puppet[:strict_variables] = false
      Puppet[:strict] = :off
      Puppet[:code] = <<~'MANIFEST'
        class a::b(Integer $x = 1) { file { "/tmp/a${x}/": ensure => file, require => Notify['n'], noop => true } }
        class { 'a::b': x => 2 }
        notify { 'n': message => Sensitive('s'), tag => ['b'] }
        @notify { 'virtual': }
        define d($p) { notify { "d-${title}": before => [Notify['n'], File['/tmp/a2']], alias => 'other' } }
        d { 'q': p => /rx/ }
        notify { 'rich': message => [Timestamp('2020-01-01T00:00:00 UTC'), Integer[1, 2], default, Deferred('f', [1])], loglevel => debug }
        user { 'u': uid => $facts['number'], home => $parameter }
        notify { "it's": require => Class['a::b'] } notify { 'j': before => Notify["it's"] } notify { "x\\y": }
        create_resources(notify, { made => {}, second => {} })
        notice($unknown)
        notice(inline_template('<%= @parameter %>'), $trusted['certname'], $server_facts, $settings::certname, $environment)
      MANIFEST
      logs = []
      Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| logs << [entry.level, entry.to_s, entry.file, entry.line, entry.pos, entry.issue_code] } }
      Puppet::Util::Log.newdestination('List')
      show = lambda do |catalog|
        resources = catalog.resources.map do |one|
          [one.ref, one.parameters.inspect.gsub(/0x\h+|@hash=-?\d+/, ''), one.tags.to_a, one.kind, one.exported, one.virtual, one.file, one.line,
           one.sensitive_parameters, one.catalog.equal?(catalog)]
        end
        data = catalog.to_data_hash
        # Both are new in every compilation, and have their form.
        form = { 'version' => /\A\d{10}\z/, 'catalog_uuid' => /\A\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}\z/ }
        form.each { |key, pattern| data[key] = pattern if data[key].to_s.match?(pattern) }
        [resources, catalog.edges.map(&:to_s), catalog.classes, catalog.tags.to_a, catalog.instance_variables.sort, data.inspect]
      end
      compile = lambda do
        logs.clear
        environment = Puppet::Node::Environment.create(:production, [])
        node = Puppet::Node.new('n.example.net', environment: environment, facts: Puppet::Node::Facts.new('n.example.net', 'number' => 3))
        node.merge('number' => 3, 'parameter' => 'text')
        node.trusted_data = { 'authenticated' => 'local', 'certname' => 'n', 'extensions' => {}, 'hostname' => 'n', 'domain' => nil, 'external' => {} }
        node.add_server_facts('serverversion' => '8')
        Puppet.override(current_environment: environment) { show[Puppet::Parser::Compiler.compile(node)] + [logs.dup] }
      rescue Puppet::Error => e
        [e.class, e.message, logs.dup]
      end
      codes = [Puppet[:code], 'notice(1) fail("no")', 'type Boolean = Integer']
      own = codes.map { |code| Puppet[:code] = code; compile.call }
      puts Bunraku::DropIn::Compiler.compiled.inspect
      Bunraku::DropIn.disable
      other = codes.map { |code| Puppet[:code] = code; compile.call }
      own.flatten(1).zip(other.flatten(1)).each { |a, b| puts "got #{a}", "for #{b}" unless a == b }
    RUBY
  end

  it 'compiles for nodes with any trusted data, and for patterns of the word default' do
    expect(ruby(prelude + <<~'RUBY')).to eq(%({data => value} fa\n{:native=>1, :left=>{}, :aside=>{}}\n))
      Puppet[:code] = 'node /e(fa)/ { notify { "n": message => "${trusted} ${1}" } }'
      environment = Puppet::Node::Environment.create(:production, [])
      node = Puppet::Node.new('n.example.net', environment: environment)
      node.trusted_data = { 'data' => 'value' }
      catalog = Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(node) }
      puts catalog.resource('Notify[n]')[:message]
      p Bunraku::DropIn.report[:compiler]
    RUBY
  end

  it 'renders templates that pass blocks to functions', :extension do
    expect(ruby(prelude + <<~'RUBY')).to eq(%(yes\n{:native=>1, :left=>{}, :aside=>{}}\n))
      Puppet[:code] = <<~'MANIFEST'
        notify { "n": message => inline_template('<%= scope.call_function("with", ["yes"]) { |x| x } %>') }
      MANIFEST
      environment = Puppet::Node::Environment.create(:production, [])
      node = Puppet::Node.new('n.example.net', environment: environment)
      catalog = Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(node) }
      puts catalog.resource('Notify[n]')[:message]
      p Bunraku::DropIn.report[:compiler]
    RUBY
  end

  it 'asks Facter for settings only where manifests read settings' do
    expect(ruby(prelude + <<~'RUBY')).to eq("[[], []]\n[[:domain], [\"in penguins.example\"]]\n{:native=>2, :left=>{}, :aside=>{}}\n")
      Puppet[:certname] = 'n.example.net'
      ASKED = []
      Facter.define_singleton_method(:value) { |name| (ASKED << name.to_sym) && { domain: 'penguins.example', kernel: 'Linux' }[name.to_sym] }
      ['notice(1)', 'notify { "in ${settings::srv_domain}": }'].each do |code|
        Puppet[:code] = code
        environment = Puppet::Node::Environment.create(:production, [])
        catalog = Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: environment)) }
        titles = catalog.resources.select { |one| one.type == 'Notify' }.map(&:title)
        p [ASKED.uniq & [:domain, 'networking.domain'.to_sym], titles]
      end
      p Bunraku::DropIn.report[:compiler]
    RUBY
  end
end

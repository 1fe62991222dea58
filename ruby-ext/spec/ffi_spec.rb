# frozen_string_literal: true

require 'English'
require 'fileutils'
require 'json'
require 'open3'
require 'tmpdir'

# The C library is loaded in processes of its own: the extension is in use in this one.
RSpec.describe 'bunraku/ffi' do
  root = File.expand_path('../..', __dir__)
  library = [ENV['BUNRAKU_LIBRARY'], *%w[release debug].map { |profile| "#{root}/target/#{profile}/libbunraku.so" }].compact.find { |file| File.exist?(file) }

  define_method(:ruby) do |*arguments, input: ''|
    environment = { 'RUBYOPT' => "-W0 -I#{root}/ruby-ext/lib -rbunraku/ffi", 'BUNRAKU_LIBRARY' => library }
    Open3.capture2e(environment, RbConfig.ruby, *arguments, stdin_data: input, chdir: "#{root}/ruby-ext").first
  end

  before do
    skip 'the gem ffi is not installed' unless Gem::Specification.any? { |gem| gem.name == 'ffi' }
    skip 'the C library is not built' unless library
  end

  it 'passes the examples of the extension, but those that need it' do
    files = %w[program query tokens environment check document listening report task trusted type drop_in drop_in_catalog drop_in_store].map { |name| "spec/#{name}_spec.rb" }
    said = ruby('-S', 'rspec', '--tag', '~extension', *files)
    expect(said[/^\d+ examples, .*$/]).to match(/\A(?:[5-9]\d|\d{3}) examples, 0 failures\z/), said
  end

  # Puppet compiles at first; from then on what the built-in Ruby has failed for runs on Puppet's classes.
  it "runs functions and templates that only Ruby knows on Puppet's classes", :puppet do
    Dir.mktmpdir do |directory|
      { 'manifests/init.pp' => <<~'MANIFEST',
          class m {
            $x = 'x'
            $list = ['one', Sensitive('two')]
            notify { m::odd('a'): message => m::odd('b') |$y| { "${y}!" } }
            notify { "old ${old_odd('c')}": message => template('m/odd.erb') }
            if $facts['kind'] { notify { 'kind': message => m::odd_kind($facts['kind'], $list) } }
          }
        MANIFEST
        'templates/odd.erb' => '<%= ObjectSpace.count_objects.class %> <%= @x %> <%= scope["color"] %>',
        'lib/puppet/functions/m/odd.rb' => <<~'RUBY',
          Puppet::Functions.create_function(:'m::odd') do
            dispatch(:odd) { param 'String', :text; optional_block_param }
            def odd(text)
              text = "#{text} #{ObjectSpace.count_objects.class} #{call_function('m::other', text)} #{closure_scope['color']}"
              block_given? ? yield(text) : text
            end
          end
        RUBY
        'lib/puppet/functions/m/other.rb' => "Puppet::Functions.create_function(:'m::other') { def other(text) = text.upcase }",
        'lib/puppet/functions/m/odd_kind.rb' => <<~'RUBY',
          Puppet::Functions.create_function(:'m::odd_kind') do
            def odd_kind(kind, list)
              ObjectSpace.count_objects
              case kind
              when 'changes' then list << 3
              when 'logs' then Puppet.warning('a message').to_s
              when 'time' then Time.at(0).utc
              when 'catalog' then closure_scope.catalog.name
              when 'secret' then list[1]
              else { 'list' => [nil, 1.5, :default] }
              end
            end
          end
        RUBY
        'lib/puppet/parser/functions/old_odd.rb' => <<~'RUBY' }.each do |name, text|
          Puppet::Parser::Functions.newfunction(:old_odd, type: :rvalue, arity: 1) do |args|
            "#{args[0]} #{ObjectSpace.count_objects.class} #{lookupvar('::color')} #{function_sprintf(['%s', args[0]])} #{call_function('upcase', args)}"
          end
        RUBY
        path = File.join(directory, 'm', name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
      end
      code = <<~'RUBY'
        require 'puppet'
        Puppet.initialize_settings
        Puppet[:code] = 'include m'
        Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| puts [entry.level, entry.to_s].inspect } }
        Puppet::Util::Log.newdestination('List')
        environment = Puppet::Node::Environment.create(:production, ARGV)
        [nil, nil, nil, nil, 'plain', 'plain', 'secret', 'changes', 'logs', 'time', 'catalog'].each do |kind|
          facts = { 'color' => 'red', 'kind' => kind }.compact
          node = Puppet::Node.new('n', environment: environment, facts: Puppet::Node::Facts.new('n', facts), parameters: facts.dup)
          Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(node).resources.each { |one| puts [kind, one.ref, one.to_hash.transform_values(&:to_s)].inspect } }
        rescue Puppet::Error => e
          puts e.message.lines.first
        end
      RUBY
      theirs, = Open3.capture2e(RbConfig.ruby, '-W0', '-e', code, directory)
      expect(theirs).to include('old c Hash red c C', 'Hash x red', 'a message')
      *own, last = ruby('-e', "require 'bunraku/puppet'\n#{code}\nputs Bunraku::DropIn.report[:compiler].to_json", directory).lines
      expect(own.join).to eq(theirs)
      counts = JSON.parse(last)
      expect(counts['native']).to eq(4), last
      expect(counts['left'].keys.join("\n")).to include('needs a host with Ruby', 'Ruby of a module changes its arguments', 'Ruby of a module logs',
                                                        'Ruby of a module asks its scope for catalog')
    end
  end

  it 'makes the nodes that the extension makes' do
    texts = Dir["#{root}/{tests,ffi}/**/*.{pp,epp}"].first(400).map { |path| [path, File.read(path, encoding: 'UTF-8')] }
    texts << ['odd.pp', "$a = [99999999999999999999, 0xFFFFFFFFFFFFFFFFFF, 1.5e-3, -017, 'ä', \"\\u{1F600}\\t${x}\", undef, default, /a\\/b/, @(E/L)]\n  x\\\n  y\n  | E"]
    trees = lambda do |binding|
      texts.map do |path, text|
        program = binding.parse(text, path: path, epp: path.end_with?('.epp'), recover: true)
        [program.to_h, program.definitions.map(&:id), program.comments, program.node_count, program.__send__(:native_outline)].inspect.gsub(/:source=>#<.*?>/, '')
      end
    end
    own = "texts = JSON.parse($stdin.read); trees = #{<<~RUBY}; puts JSON.generate(trees)"
      texts.map do |path, text|
        program = Bunraku.parse(text, path: path, epp: path.end_with?('.epp'), recover: true)
        [program.to_h, program.definitions.map(&:id), program.comments, program.node_count, program.__send__(:native_outline)].inspect
      end
    RUBY
    expect(JSON.parse(ruby('-e', own, input: JSON.generate(texts)))).to eq(trees[Bunraku])
  end

  it 'calls functions as the header declares them' do
    header = File.read("#{root}/include/bunraku.h").gsub(%r{/\*.*?\*/}m, '').gsub(%r{//.*}, '')
    declared = header.scan(/^(\w[\w *]*?)bunraku_(\w+)\(([^;]*)\);/).to_h { |result, name, arguments| [name, [result, arguments]] }
    of_c = lambda do |text|
      case text
      when /\*/ then 'pointer'
      when /\A(const )?bunraku_(node|text|token)\b/ then text[/\bbunraku_\K\w+/]
      else text[/\w+/].sub(/_t\z/, '')
      end
    end
    attached = JSON.parse(ruby('-e', <<~RUBY))
      library = Bunraku::Library
      kinds = { size_t: 'size', string: 'pointer' }
      name = ->(kind) { kinds[kind] || (kind.is_a?(Symbol) ? kind.to_s : kind.struct_class.name.split('::').last.downcase) }
      all = library::FAILING.to_h { |function, kinds_of| [function, [*kinds_of, :pointer, :pointer].map(&name)] }
      all.update(library::TEXTS.to_h { |function| [function, %w[pointer text]] })
      all.update(library::OTHERS.to_h { |function, (kinds_of, result)| [function, [*kinds_of, result].map(&name)] })
      puts JSON.generate(all)
    RUBY
    expect(attached.size).to be > 50
    attached.each do |name, kinds|
      result, arguments = declared.fetch(name)
      expected = [*arguments.split(',').reject { |one| one.strip == 'void' }.map { |one| of_c[one.strip] }, of_c[result]]
      expect([name, kinds]).to eq([name, expected])
    end
  end

  it 'lays out callbacks as the header declares them' do
    callbacks = File.read("#{root}/include/bunraku.h").gsub(%r{//.*}, '')[/typedef struct(?: \w+)? \{([^{}]*)\} bunraku_host;/m, 1]
    declared = callbacks.split(';').filter_map { |one| one[/\(\*(\w+)\)/, 1] || one[/[ *](\w+)\s*\z/, 1] }
    said = ruby('-e', 'puts Bunraku::Natives::HostCallbacks::Callbacks.members.join(" ")')
    expect(said.split).to eq(declared)
  end

  it 'has functions of a host, whose secrets stay secrets' do
    said = ruby('-e', <<~'RUBY')
      code = "notice(site::double(21)) notice(same([undef, 'a', {'k' => [1]}, default, /a/, SemVer('1.2.3'), Integer[1, 2]]))
              $s = secret() notice($s, $s.unwrap.size, shown($s)) notify { 'n': message => $s } Notify <<| |>> if $facts['fails'] { fails() }"
      environment = Bunraku::Environment.new('production', code: code, modulepath: [], settings: { storeconfigs: true }) do |host|
        host.function('site::double', 'Callable[Integer]') { |_call, number| number * 2 }
        host.function('same') { |_call, value| value }
        host.function('secret') { Bunraku::Type.parse('Sensitive').new('p4ss') }
        host.function('shown', 'Callable[Sensitive]') { |_call, secret| [secret.class, secret.unwrap.size].join(' ') }
        host.function('fails') { raise 'out of order' }
        def host.exported_resources(_node, _type) = [{ certname: 'other', type: 'Notify', title: 'theirs', parameters: {}, tags: [] }]
      end
      catalogs = Array.new(4) { |n| Thread.new { environment.compile(node: "n#{n}") } }.map(&:value)
      puts catalogs.map { |catalog| catalog.logs.map { |entry| entry[:message] }.join('; ') }.uniq
      puts catalogs.first['Notify[n]'].inspect[/message.*?\]>/], catalogs.first['Notify[theirs]']
      begin
        environment.compile(node: 'n', facts: { 'fails' => true })
      rescue Bunraku::EvaluationError => e
        puts e.message
      end
    RUBY
    expect(said.lines.map(&:chomp)).to eq(
      ['42; [, a, {k => [1]}, default, /a/, 1.2.3, Integer[1, 2]]; Sensitive [value redacted] 4 Bunraku::Value 4',
       'message"=>#<Bunraku::Value Sensitive[String]>', 'Notify[theirs]',
       'Evaluation Error: Error while evaluating a Function Call, out of order (line: 2, column: 127)']
    ), said
  end

  it 'has functions of a host that call lambdas and other functions' do
    said = ruby('-e', <<~'RUBY')
      code = "$x = 3 notice(twice(20) |$n| { if $n > 40 { fail('no') } $n * 2 + $x }) notice(without()) twice(21) |$n| { fail('no') }"
      environment = Bunraku::Environment.new('production', code: code, modulepath: []) do |host|
        host.function('twice', 'Callable[Integer, Callable[Integer]]') do |call, number|
          [call.yield(number), call.block.call(number + 1), call.call_function('join', [1, 2], '-'), call.variable('x'), call.variable?('y')]
        end
        host.function('without') { |call| [call.block?, call.block] }
      end
      begin
        environment.compile(node: 'n')
      rescue Bunraku::EvaluationError => e
        puts e.logs.map { |entry| entry[:message] }, e.message
      end
    RUBY
    expect(said.lines.map(&:chomp)).to eq(
      ['[43, 45, 1-2, 3, false]', '[false, ]', 'Evaluation Error: Error while evaluating a Function Call, no (line: 1, column: 108)']
    ), said
  end

  it 'refuses bytes that are no program of this version' do
    said = ruby('-e', <<~'RUBY')
      bytes = Bunraku.parse('$a = 1').to_binary
      [bytes[0..-2], bytes.sub('bunraku', 'bunrakv'), bytes.dup.tap { |one| one.setbyte(8, 99) }, ''].each do |damaged|
        puts(begin Bunraku::Program.from_binary(damaged).class; rescue Bunraku::Error => e; e.message; end)
      end
    RUBY
    expect(said.lines.uniq.size).to eq(1)
  end
end

# frozen_string_literal: true

require 'fileutils'
require 'tmpdir'

# Modules in a directory of their own, from texts by path.
module WrittenModules
  def modules(files)
    Dir.mktmpdir.tap do |directory|
      (@written ||= []) << directory
      files.each do |path, text|
        file = File.join(directory, path)
        FileUtils.mkdir_p(File.dirname(file))
        File.write(file, text)
      end
    end
  end

  def remove_modules
    (@written || []).each { |directory| FileUtils.rm_rf(directory) }
  end
end

RSpec.describe 'functions that modules have in Ruby' do
  include WrittenModules

  after { remove_modules }

  # The file of a function of the 4.x API.
  def modern(name, body, base = nil)
    base = ", Puppet::Functions::#{base}" if base
    { "m/lib/puppet/functions/m/#{name}.rb" => "Puppet::Functions.create_function(:'m::#{name}'#{base}) do\n#{body}\nend\n" }
  end

  # The file of a function of the 3.x API.
  def legacy(name, body, **options)
    { "m/lib/puppet/parser/functions/#{name}.rb" => "module Puppet::Parser::Functions\n  newfunction(:#{name}, **#{options}) do |args|\n#{body}\n  end\nend\n" }
  end

  def environment(files, code, **options)
    options = { ruby_functions: :own }.merge(options)
    Bunraku::Environment.new('production', modulepath: [files.is_a?(String) ? files : modules(files)], code: code, **options)
  end

  def said(files, code, facts: {}, limits: nil, **options)
    environment(files, code, **options).compile(node: 'n.example.com', facts: facts, limits: limits).logs.map { |entry| entry[:message] }
  end

  def failure(files, code, **options)
    said(files, code, **options)
  rescue Bunraku::Error => e
    e
  end

  describe 'of the 4.x API' do
    it 'choose the method of the signature that fits' do
      body = <<~RUBY
        dispatch(:number) { param 'Numeric', :a; optional_param 'Integer', :b }
        dispatch(:texts) { required_repeated_param 'String', :texts; return_type 'String' }
        dispatch(:pairs) { param 'Array', :a; repeated_param 'Any', :rest; block_param 'Callable[2, 2]', :block }
        def number(a, b = 10) = a + b
        def texts(*texts) = texts.join('+')
        def pairs(a, *rest) = a.zip(rest).map { |one, two| yield(one, two) }
      RUBY
      code = "notice(m::f(1)) notice(m::f(1, 2)) notice(m::f('a', 'b')) notice(m::f([1, 2], 3, 4) |$a, $b| { $a * $b })"
      expect(said(modern('f', body), code)).to eq(%w[11 3 a+b] + ['[3, 8]'])
    end

    it 'say what they expect with the names of their parameters' do
      body = "dispatch(:f) { param 'Integer', :count; optional_param 'String', :unit }\ndef f(*) = 1"
      expect(failure(modern('f', body), "m::f('x')").message)
        .to include("'m::f' parameter 'count' expects an Integer value, got String")
      expect(failure(modern('f', body), 'm::f()').message).to include("'m::f' expects between 1 and 2 arguments, got none")
    end

    it 'check what they call themselves with' do
      body = "dispatch(:f) { param 'Integer', :count }\ndef f(count) = count == 1 ? 'one' : call(closure_scope, [1, 'x'][count - 2])"
      expect(said(modern('f', body), 'notice(m::f(2))')).to eq(['one'])
      expect(failure(modern('f', body), 'm::f(3)').message).to include("'m::f' parameter 'count' expects an Integer value, got String")
    end

    it 'are told why a variable does not exist' do
      files = { **modern('f', "def f(name) = closure_scope[name]"), 'm/manifests/init.pp' => 'class m { $a = 1 }' }
      said = ->(name) { failure(files, "m::f('#{name}')", settings: { strict: 'error' }).message }
      expect(said['x::a']).to include("Undefined variable 'x::a'; class x could not be found")
      expect(said['m::a']).to include("Undefined variable 'm::a'; class m has not been evaluated")
    end

    it 'take what their method takes when they declare nothing' do
      files = modern('f', 'def f(a, b = 2, *rest) = [a, b, rest]')
      expect(said(files, 'notice(m::f(1)) notice(m::f(1, 3, 4, 5))')).to eq(['[1, 2, []]', '[1, 3, [4, 5]]'])
      expect(failure(files, 'm::f()').message).to include('expects at least 1 argument, got none')
    end

    it 'have types of their own, results that are checked, and messages for wrong arguments' do
      body = <<~RUBY
        local_types { type 'Colour = Enum[red, green]'; type 'Colours = Array[Colour, 1]' }
        dispatch(:f) { param 'Colours', :colours; return_type 'Integer' }
        argument_mismatch(:wrong) { repeated_param 'Any', :all }
        def f(colours) = colours.size == 1 ? 1 : 'many'
        def wrong(*all) = "wants colours, not \#{all.inspect}"
      RUBY
      files = modern('f', body)
      expect(said(files, "notice(m::f(['red']))")).to eq(['1'])
      expect(failure(files, "m::f(['red', 'green'])").message)
        .to include("value returned from function 'f' has wrong type, expects an Integer value, got String")
      expect(failure(files, "m::f(['blue'])").message).to include("'m::f' wants colours, not [[\"blue\"]]")
    end

    it 'get scope, cache and compiler where they ask for them' do
      body = <<~RUBY
        dispatch(:f) { scope_param; param 'String', :name; cache_param; compiler_param }
        def f(scope, name, cache, compiler)
          kept = cache.retrieve(self)
          kept[:calls] = kept.fetch(:calls, 0) + 1
          [scope[name], scope.include?('no'), kept[:calls], compiler.call_function('upcase', name), scope.compiler.environment.to_s]
        end
      RUBY
      code = "class c { $here = 'in c' notice(m::f('here')) } include c $x = m::f('here')"
      expect(said(modern('f', body, 'InternalFunction'), "$here = 'top' #{code} notice($x)"))
        .to eq(['[in c, false, 1, HERE, production]', '[top, false, 2, HERE, production]'])
    end

    it 'call other functions, with lambdas of either language' do
      body = <<~RUBY
        dispatch(:f) { param 'Array', :list; block_param }
        def f(list, &block)
          mine = call_function('map', list) { |x| x * 10 }
          [mine, call_function('map', list, &block), call_function('filter', list) { |x| x > 1 }, call_function('m::g'), block.arity]
        end
      RUBY
      files = modern('f', body).merge(modern('g', "def g = closure_scope['facts']['os']"))
      expect(said(files, 'notice(m::f([1, 2]) |$x| { $x + 1 })', facts: { 'os' => 'x' })).to eq(['[[10, 20], [2, 3], [2], x, 1]'])
    end

    it 'know the values of the language by the classes of Puppet' do
      body = <<~RUBY
        dispatch(:f) { repeated_param 'Any', :all }
        def f(*all)
          all.map { |one| one.class.name.split('::').last } + all.map { |one| one.respond_to?(:unwrap) ? one.unwrap : one }
        end
      RUBY
      code = "notice(m::f(Sensitive('s'), SemVer('1.2.3'), Timespan(5), Binary('YQ=='), Timestamp('2020-01-02'), Integer[1, 2], File['/x'], undef))"
      expect(said(modern('f', body), code).first)
        .to eq('[Sensitive, Version, Timespan, Binary, Timestamp, PIntegerType, PResourceType, NilClass, ' \
               "s, 1.2.3, 0-00:00:05.0, YQ==, 2020-01-02T00:00:00.000000000 UTC, Integer[1, 2], File['/x'], ]")
      pass = "dispatch(:g) { param 'Any', :x }\ndef g(x) = x"
      same = "[Sensitive('s'), SemVer('1.2.3-rc1'), SemVerRange('>=1.0.0'), Timespan('1-02:03:04.5'), Binary('YQ=='), " \
             "Timestamp('2020-01-02T03:04:05.6'), Array[String], File['/x'], /a/, default, {'a' => undef}]"
      expect(said(modern('g', pass), "$v = #{same} notice(m::g($v) == $v and m::g($v)[0].unwrap == 's')")).to eq(['true'])
    end
  end

  describe 'of the 3.x API' do
    it 'get and give values as that API does' do
      files = legacy('three', 'args.map { |one| one.class.to_s }', type: :rvalue)
      code = "notice(three(undef, 'a', [undef], Sensitive('x'), /a/, default)) notice(three(File['/x'])[0])"
      expect(said(files, code)).to eq(['[String, String, Array, Puppet::Pops::Types::PSensitiveType::Sensitive, String, Symbol]', 'Puppet::Resource'])
      expect(said(legacy('statement', '1'), '$x = [statement()] notice($x)')).to eq(['[]'])
      expect(said(legacy('un', ':undef', type: :rvalue), 'notice(un() =~ Undef)')).to eq(['true'])
    end

    it 'check how many arguments there are' do
      files = legacy('two', '1', type: :rvalue, arity: 2).merge(legacy('some', '1', type: :rvalue, arity: -2))
      expect(failure(files, 'two(1)').message).to include('two(): Wrong number of arguments given (1 for 2)')
      expect(failure(files, 'some()').message).to include('some(): Wrong number of arguments given (0 for minimum 1)')
    end

    it 'are methods of the scope: variables, functions of both kinds, resources' do
      body = <<~RUBY
        Puppet::Parser::Functions.function(:helper)
        notice('from Ruby')
        catch(:undefined_variable) { lookupvar('nothing') }
        function_create_resources(['notify', { 'made' => { 'message' => 'm' } }])
        [lookupvar('::fact'), self['local'], function_helper(['x']), function_sprintf(['%d', 3]),
         call_function('m::modern', ['y']), findresource('Notify[made]')[:message], catalog.resource('Notify', 'made').to_s,
         compiler.node.name, environment.to_s, resource.to_s, respond_to?(:function_helper), respond_to?(:function_nothing)]
      RUBY
      files = legacy('f', body, type: :rvalue).merge(legacy('helper', 'args.first * 2', type: :rvalue)).merge(modern('modern', 'def modern(x) = x * 3'))
      code = "class c { $local = 'l' notice(f()) } include c"
      expect(said(files, code, facts: { 'fact' => 'F' }))
        .to eq(['from Ruby', '[F, l, xx, 3, yyy, m, Notify[made], n.example.com, production, Class[C], true, false]'])
    end

    it 'may define no methods, as in the reference' do
      files = { 'm/lib/puppet/parser/functions/f.rb' => "module Puppet::Parser::Functions\n  newfunction(:f) { |a| }\n  def x; end\nend" }
      expect(failure(files, 'f()').message).to include("Illegal method definition of method 'x'")
    end
  end

  describe 'isolation' do
    def version(number)
      modern('f', "require 'puppet_x/m/thing'\nrequire_relative '../../../puppet_x/m/other'\ndef f = [PuppetX::M::Thing::VERSION, ::PuppetX::M.other, Puppet::Util::Mine.to_s]")
        .merge('m/lib/puppet_x/m/thing.rb' => "require 'puppet/util/mine'\nmodule PuppetX\n  module M\n    class Thing\n      VERSION = #{number}\n    end\n  end\nend",
               'm/lib/puppet_x/m/other.rb' => "module PuppetX::M\n  def self.other = 'other #{number}'\nend",
               'm/lib/puppet/util/mine.rb' => "module Puppet::Util\n  module Mine\n    def self.to_s = 'mine #{number}'\n  end\nend")
    end

    it 'keeps two versions of a module apart, and both out of Ruby' do
      one = environment(version(1), 'notice(m::f())')
      two = environment(version(2), 'notice(m::f())')
      results = Array.new(4) { |index| Thread.new { (index.even? ? one : two).compile(node: 'n').logs.first[:message] } }.map(&:value)
      expect(results).to eq(['[1, other 1, mine 1]', '[2, other 2, mine 2]'] * 2)
      expect([Object.const_defined?(:PuppetX), Object.const_defined?(:SemanticPuppet)]).to eq([false, false])
    end

    it 'begins anew when an environment is read anew' do
      path = modules(version(1))
      changing = environment(path, 'notice(m::f()[0])', reload: :always)
      expect(changing.compile(node: 'n').logs.first[:message]).to eq('1')
      thing = File.join(path, 'm/lib/puppet_x/m/thing.rb')
      File.write(thing, File.read(thing).sub('VERSION = 1', 'VERSION = 7'))
      expect(changing.compile(node: 'n').logs.first[:message]).to eq('7')
    end
  end

  describe 'failures' do
    it 'are evaluation errors with both backtraces' do
      files = modern('f', "def f\n  g\nend\ndef g\n  raise Puppet::ParseError, 'no way'\nend")
      error = failure(files, "class c {\n  m::f()\n}\ninclude c")
      expect(error).to be_a(Bunraku::EvaluationError)
      expect(error).to have_attributes(message: /Error while evaluating a Function Call, no way/, line: 2, issue_code: 'RUNTIME_ERROR')
      expect(error.stack.first).to include(name: 'm::f', line: 2)
      expect(error.cause.backtrace.first(2)).to match([%r{m/f.rb:6:in .*g}, %r{m/f.rb:3:in .*f}])
    end

    it 'keep the place that the function gives' do
      files = modern('f', "def f = raise(Puppet::ParseError.new('bad', '/some/file.pp', 7))")
      expect(failure(files, 'm::f()')).to have_attributes(basic_message: /bad/, file: '/some/file.pp', line: 7)
    end

    it 'of files name the file' do
      path = modules('m/lib/puppet/functions/m/f.rb' => 'Puppet::Functions.create_function(:other) { def other; end }',
                     'm/lib/puppet/functions/m/g.rb' => '1', 'm/lib/puppet/functions/m/h.rb' => "Puppet::Functions.create_function(:'m::h') { def")
      expect(failure(path, 'm::f()').message).to match(%r{m/f.rb produced mis-matched name, expected 'm::f', got other})
      expect(failure(path, 'm::g()').message).to match(%r{m/g.rb does not seem to be a Puppet 4x API function})
      expect(failure(path, 'm::h()').message).to match(%r{m/h.rb:1: syntax error})
    end
  end

  describe 'safety' do
    it 'cuts what never returns when the time of the compilation is up', :unstressed do
      files = modern('f', "def f\n  loop { begin; sleep(0.01); rescue StandardError; end }\nend").merge(modern('g', "def g\n  loop { 1 }\nend"))
      %w[m::f m::g].each do |name|
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        expect(failure(files, "\n#{name}()", limits: { seconds: 1 })).to be_a(Bunraku::LimitError).and have_attributes(message: /longer than 1 seconds/)
        expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).to be < 5
      end
      # Nothing of it is left for the thread.
      expect { sleep(0.5) }.not_to raise_error
    end

    it 'does not lose objects while the garbage is collected and moved' do
      body = <<~RUBY
        dispatch(:f) { param 'Hash', :h; block_param }
        def f(h)
          h.map { |k, v| [k, disturbed { yield(v) }, Puppet::Pops::Types::PSensitiveType::Sensitive.new(v)] }
        end
        def disturbed
          GC.stress = true
          yield
        ensure
          GC.stress = false
          GC.respond_to?(:compact) ? GC.compact : GC.start
        end
      RUBY
      files = modern('f', body).merge(legacy('g', 'args.map(&:to_s)', type: :rvalue))
      code = "$warm = g('x') notice(m::f({'a' => 'x', 'b' => 'y'}) |$v| { g($v, [1])[0] })"
      expect(said(files, code)).to eq(['[[a, x, Sensitive [value redacted]], [b, y, Sensitive [value redacted]]]'])
    end

    it 'refuses what another thread asks of a call' do
      files = modern('f', "def f = Thread.new { call_function('upcase', 'a') }.tap { |t| t.report_on_exception = false }.value")
      expect(failure(files, 'm::f()').message).to include('while a function runs')
    end

    it 'runs in the main Ractor; Ruby refuses calls from others', :unstressed do
      shared = Ractor.make_shareable(environment(modern('f', 'def f = 1'), 'notice(m::f())'))
      other = Ractor.new(shared) do |one|
        one.compile(node: 'n')
      rescue Ractor::UnsafeError => e
        e.message
      end
      expect(other.take).to include('not main ractor')
      expect(shared.compile(node: 'n').logs.size).to eq(1)
    end
  end

  it 'find the libraries that Puppet loads' do
    files = modern('f', 'def f = [Find.name, StringScanner.new("ab").scan(/a/), Etc.respond_to?(:getpwnam)]')
    expect(said(files, 'notice(m::f())')).to eq(['[Find, a, true]'])
  end

  describe 'templates' do
    it 'have the methods that others have defined' do
      files = { 'm/templates/a.erb' => "<% def helper(x) \"<\#{x}>\" end -%>", 'm/templates/b.erb' => "<% scope.function_template(['m/a.erb']) -%><%= helper(@x) %>" }
      code = "$x = 7 notice(template('m/b.erb')) notice(inline_template('<%= helper 1 %>'))"
      [%i[off native], %i[own native], %i[own ruby]].each do |functions, templates|
        expect(said(modules(files), code, ruby_functions: functions, templates: templates)).to eq(['<7>', '<1>'])
      end
    end
  end

  describe 'choices' do
    it 'put functions of modules before native ones without Ruby, too' do
      # The file contains nothing known, but shows that the module has the function.
      files = modules('stdlib/lib/puppet/functions/merge.rb' => '# nothing')
      expect(said(files, 'notice(merge({a => 1}, {b => 2}))', ruby_functions: :off)).to eq(['{a => 1, b => 2}'])
      [true, ['stdlib']].each do |prefer_ruby|
        preferring = environment(files, 'merge({})', ruby_functions: :off, prefer_ruby: prefer_ruby)
        expect { preferring.compile(node: 'n') }.to raise_error(Bunraku::EvaluationError, /merge/)
      end
    end

    it 'are made by options' do
      # The library has a function of this name, which replaces other files.
      files = { 'stdlib/lib/puppet/functions/merge.rb' => "Puppet::Functions.create_function(:merge) { def merge(*all) = 'from Ruby' }" }
      [false, true, ['other']].each do |prefer_ruby|
        expect(said(modules(files), 'notice(merge({a => 1}))', prefer_ruby: prefer_ruby)).to eq(['from Ruby'])
      end
      expect(said(legacy('g', 'ObjectSpace.name', type: :rvalue), 'notice(g())')).to eq(['ObjectSpace'])
      without = environment(legacy('g', 'ObjectSpace.name', type: :rvalue), 'notice(g())', ruby_functions: :off)
      expect { without.compile(node: 'n') }.to raise_error(Bunraku::EvaluationError, /ObjectSpace/)
      expect { environment({}, '', ruby_functions: :puppet) }.to raise_error(ArgumentError, /Puppet is not loaded/)
      expect { environment({}, '', ruby_functions: :some) }.to raise_error(ArgumentError, /one of/)
    end
  end
end

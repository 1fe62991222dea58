# frozen_string_literal: true

require 'timeout'

RSpec.describe Bunraku::Host do
  def environment(code, host = nil, &block)
    Bunraku::Environment.new('production', code: code, modulepath: [], host: host, &block)
  end

  def said(code, host = nil, &block)
    environment(code, host, &block).compile(node: 'n').logs.map { |entry| entry[:message] }
  end

  let(:endless) { 'Integer[1, 9999999].each |$i| { Integer[1, 9999999].each |$j| { $i + $j } }' }

  it 'gives functions to manifests' do
    expect(said('notice(site::double(21))') { |host|
      host.function('site::double', 'Callable[Integer]') { |_call, number| number * 2 }
    }).to eq(['42'])
  end

  it 'checks arguments against the signatures' do
    broken = environment("\n  site::double('x')") { |host| host.function('site::double', 'Callable[Integer]') { 1 } }
    expect { broken.compile(node: 'n') }.to raise_error(Bunraku::EvaluationError) { |error|
      expect(error.message).to include("'site::double' parameter 'p1' expects an Integer value, got String")
      expect(error).to have_attributes(line: 2, column: 3)
    }
  end

  it 'tells which signature matched' do
    host = Object.new
    function = Object.new
    def host.find_function(name, _path) = (@function if name == 'which')
    host.instance_variable_set(:@function, function)
    def function.signatures = ['Callable[Integer]', 'Callable[String, 1, 2]']
    def function.call(signature, arguments, _call) = [signature, arguments]
    expect(said("notice(which('a', 'b'))", host)).to eq(['[1, [a, b]]'])
  end

  it 'passes values of all kinds there and back' do
    code = "$v = [undef, true, 1, 1.5, 'a', {'k' => [1]}, default, Integer[1, 2], Sensitive('x'), SemVer('1.2.3'), /a/]
            notice(same($v) == $v)"
    expect(said(code) { |host| host.function('same', 'Callable[Any]') { |_call, value| value } }).to eq(['true'])
  end

  it 'takes lambdas and calls them back' do
    code = 'notice([1, 2, 3].site::twice |$n| { if $n == 2 { next(0) } $n * 10 })'
    expect(said(code) { |host|
      host.function('site::twice', 'Callable[Array, Callable[Integer]]') { |call, list| list.map(&call.block) }
    }).to eq(['[10, 0, 30]'])
  end

  it 'lets break and return of a lambda leave the function' do
    code = 'function f() { g() |$n| { return($n) } } notice(f())
            notice([1, 2].each |$n| { g() |$m| { break() } })'
    expect(said(code) { |host| host.function('g', 'Callable[Callable[Integer]]') { |call| call.yield(7) } })
      .to eq(['7', '[1, 2]'])
  end

  it 'calls Puppet functions and reads variables' do
    code = '$a = 1
            function triple($n) { $n * 3 }
            notice(f())'
    expect(said(code) { |host|
      host.function('f') { |call| [call.variable('a'), call.call_function('triple', 2), call.variables['a'], call.variable('no')] }
    }).to eq(['[1, 6, 1, ]'])
  end

  it 'leaves no watchdog behind' do
    watchdogs = nil
    code = environment('f()') do |host|
      host.function('f') do
        watchdogs = Thread.list.select { |thread| thread.name == 'bunraku watchdog' }
        nil
      end
    end
    code.compile(node: 'n', limits: { seconds: 1000 })
    expect(watchdogs).not_to be_empty
    expect(watchdogs.map { |thread| thread.join(10) }).to eq(watchdogs)
  end

  it 'nests: Ruby calls Puppet calls Ruby' do
    code = 'notice(down(10))'
    host = described_class.new
    host.function('down', 'Callable[Integer]') { |call, n| n.zero? ? 'ground' : call.call_function('down', n - 1) }
    expect(said(code, host)).to eq(['ground'])
    expect { said('down(100000)', host) }.to raise_error(Bunraku::LimitError, /nest deeper than 64 .*line: 1/)
  end

  it 'makes an evaluation error of what a function raises' do
    broken = environment("$a = 1\n$b = fails()") { |host| host.function('fails') { raise KeyError, 'no such key' } }
    expect { broken.compile(node: 'n') }.to raise_error(Bunraku::EvaluationError) { |error|
      expect(error.message).to include('Error while evaluating a Function Call, no such key')
      expect(error).to have_attributes(line: 2, column: 6, issue_code: 'RUNTIME_ERROR')
      expect(error.cause).to be_a(KeyError)
      expect(error.stack.first).to include(name: 'fails', line: 2)
    }
  end

  it 'tells the calls of functions, classes and defined types that led to an error' do
    code = "define d() {\n  fails()\n}\nclass a {\n  d { 'x': }\n}\ninclude a"
    broken = environment(code) { |host| host.function('fails') { raise 'no' } }
    expect { broken.compile(node: 'n') }.to raise_error(Bunraku::Error) { |error|
      expect(error.stack.map { |frame| [frame[:name], frame[:line]] }).to eq([['fails', 2], ['D[x]', 5], ['Class[A]', 4]])
      expect(error.trace.lines.last(3).map(&:strip)).to match([/\Afrom fails \(.*2\)/, /\Afrom D\[x\] \(.*5\)/, /\Afrom Class\[A\] \(.*4\)/])
    }
  end

  it 'passes the failure of a lambda on, or rescues it' do
    host = described_class.new
    host.function('pass', 'Callable[Callable]') { |call| call.yield }
    host.function('rescue', 'Callable[Callable]') do |call|
      call.yield
    rescue Bunraku::Error => e
      e.line
    end
    host.function('change', 'Callable[Callable]') do |call|
      call.yield
    rescue Bunraku::Error
      raise 'changed'
    end
    expect(said("notice(rescue() || {\n $nothing })", host)).to eq(['2'])
    expect { said("pass() || {\n $nothing }", host) }.to raise_error(Bunraku::EvaluationError) { |error|
      expect(error).to have_attributes(line: 2, issue_code: 'UNKNOWN_VARIABLE', cause: nil)
    }
    expect { said("change() || {\n $nothing }", host) }.to raise_error(Bunraku::EvaluationError, /changed \(.*line: 1/)
  end

  it 'refuses a call that is over, and one of another thread' do
    kept = nil
    said('keep()') { |host| host.function('keep') { |call| (kept = call) && nil } }
    expect { kept.variable('a') }.to raise_error(RuntimeError, /over/)
    expect {
      said('f()') { |host| host.function('f') { |call| Thread.new { call.variable('a') }.tap { |t| t.report_on_exception = false }.value } }
    }.to raise_error(Bunraku::EvaluationError) { |error| expect(error.cause).to be_a(ThreadError) }
  end

  it 'refuses what is no signature' do
    expect { said('f()') { |host| host.function('f', 'Integer') { 1 } } }.to raise_error(Bunraku::Error, /function 'f': the signature 'Integer' is no Callable/)
  end

  it 'runs in many threads at the same time, while the garbage is collected' do
    host = described_class.new
    host.function('twice', 'Callable[String, Callable[String]]') { |call, text| GC.start if rand < 0.01; call.yield(text) * 2 }
    shared = environment('notice(Integer[1, 50].map |$n| { twice("x${n}") |$t| { "${t}-" } })', host)
    results = Array.new(6) { Thread.new { Array.new(5) { shared.compile(node: 'n').logs.first[:message] } } }.flat_map(&:value)
    expect(results.uniq.size).to eq(1)
    expect(results.first).to start_with('[x1-x1-, x2-x2-')
  end

  it 'compiles from within a function' do
    inner = environment("notice('inner')")
    host = described_class.new
    host.function('compile') { inner.compile(node: 'n').logs.first[:message] }
    expect(said('notice(compile())', host)).to eq(['inner'])
  end

  it 'goes back into an outer compilation from within a function of an inner one' do
    host = described_class.new
    inner = environment("notice(borrow())", host)
    outer = nil
    host.function('nest', 'Callable[0, 0, Callable]') do |call|
      outer = call
      call.memory[:of] = 'outer'
      [inner.compile(node: 'n').logs.map { |entry| entry[:message] }, call.memory[:of], call.yield(2)]
    end
    host.function('borrow') { |call| [call.memory[:of], outer.yield(20), outer.memory[:of]] }
    host.function('tenfold', 'Callable[Integer, Callable]') { |call, number| call.yield(number) * 10 }
    expect(said('notice(nest() |$x| { tenfold($x) |$y| { $y + 1 } })', host)).to eq ['[[[, 210, outer]], outer, 30]']
  end

  it 'forgets the call of a fiber that is given up' do
    host = described_class.new
    host.function('wait') { Fiber.yield(Bunraku::Call.current.class) }
    code = environment('wait()', host)
    expect(Fiber.new { code.compile(node: 'n') }.resume).to eq Bunraku::Call
    GC.start
    expect(Bunraku::Call.current).to be_nil
    expect(said('notice(1)')).to eq ['1']
  end

  it 'lets throw, exit and kill through' do
    host = described_class.new
    host.function('jump') { throw(:there, 5) }
    host.function('leave') { exit(3) }
    expect(catch(:there) { said('jump()', host) }).to eq(5)
    expect { said('leave()', host) }.to raise_error(SystemExit)
  end

  describe 'interruption' do
    def seconds
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    end

    it 'ends a compilation at a timeout', :unstressed do
      taken = seconds do
        expect { Timeout.timeout(0.2) { said(endless) } }.to raise_error(Timeout::Error)
        expect { Timeout.timeout(0.2, ArgumentError) { said(endless) } }.to raise_error(ArgumentError)
      end
      expect(taken).to be < 5
    end

    {
      'a search that goes back' => "notice(sprintf('%060d', 0) =~ /(0|00)+\\Zx/)",
      'a search of a type' => "notice(sprintf('%060d', 0) =~ Pattern[/(0|00)+\\Zx/])",
      'a regular search in a long text' => "notice(sprintf('%02000000d', 0) =~ /(0*0*0*){99}1/)",
      'a replacement' => "notice(regsubst(sprintf('%060d', 0), '(0|00)+\\Zx', 'y'))"
    }.each do |what, code|
      it "ends #{what} at a timeout and by an exception", :unstressed do
        taken = seconds do
          expect { Timeout.timeout(0.2) { said(code) } }.to raise_error(Timeout::Error)
          thread = Thread.new { said(code) }.tap { |one| one.report_on_exception = false }
          sleep(0.1)
          thread.raise(IOError, 'enough')
          expect { thread.join }.to raise_error(IOError, 'enough')
        end
        expect(taken).to be < 10
      end
    end

    it 'ends a compilation with its thread' do
      thread = Thread.new { said(endless) }
      sleep(0.1)
      expect(seconds { thread.kill.join }).to be < 5
      expect(thread).not_to be_alive
    end

    it 'ends a compilation by an exception of another thread' do
      thread = Thread.new { said(endless) }.tap { |one| one.report_on_exception = false }
      sleep(0.1)
      thread.raise(IOError, 'enough')
      expect { thread.join }.to raise_error(IOError, 'enough')
    end

    it 'ends a lambda that a function calls, past what the function rescues', unstressed: true do
      host = described_class.new
      rescued = false
      host.function('f', 'Callable[Callable]') do |call|
        call.yield
      ensure
        rescued = true
      end
      expect { Timeout.timeout(0.2) { said("f() || { #{endless} }", host) } }.to raise_error(Timeout::Error)
      expect { Timeout.timeout(0.2, IOError) { said("f() || { #{endless} }", host) } }.to raise_error(IOError)
      expect(rescued).to be(true)
    end

    it 'lets handlers of signals run, and goes on' do
      handled = 0
      previous = trap('USR1') { handled += 1 }
      sender = Thread.new { 3.times { sleep(0.05) && Process.kill('USR1', Process.pid) } }
      expect(said('Integer[1, 300000].each |$i| { $i + 1 } notice(1)')).to eq(['1'])
      sender.join
      expect(handled).to be >= 1
    ensure
      trap('USR1', previous)
    end
  end

  describe 'limits' do
    def failure(code, **limits)
      environment(code).compile(node: 'n', limits: limits)
    rescue Bunraku::LimitError => e
      e
    end

    it 'are kept, each with a place' do
      expect(failure('Integer[1, 100000].each |$i| { $i }', steps: 1000)).to have_attributes(message: /1000 steps.*line: 1/)
      expect(failure("function f($n) { f($n + 1) }\n\nf(1)", depth: 50)).to have_attributes(line: 1, message: /deeper than 50/)
      expect(failure("$a = [1, 2]\n$b = [$a, $a, $a]", value_size: 100)).to have_attributes(line: 2, message: /greater/)
      expect(failure('notice("abcdefghij")', output_size: 50)).to have_attributes(line: 1, message: /put out/)
      expect(failure('notify { ["a", "b", "c"]: }', resources: 4)).to have_attributes(message: /More than 4 resources/)
      texts = '$a = Integer[1, 20].reduce("x") |$m, $i| { "${m}${m}" }'
      held = "#{texts}\nfunction f($a, $n) { $s = \"${a}${n}\"; if $n > 0 { f($a, $n - 1) }; $s.size }\nf($a, 50)"
      expect(failure(held, memory: 16 << 20)).to have_attributes(line: 2, message: /16777216 bytes of memory/)
      expect(environment(held).compile(node: 'n', limits: { memory: nil })).to be_a(Bunraku::Catalog)
      expect(failure('Integer[1, 999999999].each |$i| { $i }', seconds: 1, steps: nil)).to have_attributes(message: /1 seconds/)
    end

    it 'are known by name' do
      expect { environment('').compile(node: 'n', limits: { sleep: 1 }) }.to raise_error(ArgumentError, /sleep/)
    end
  end
end

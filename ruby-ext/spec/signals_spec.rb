# frozen_string_literal: true

require 'spec_helper'
require 'fileutils'
require 'rbconfig'
require 'timeout'
require 'tmpdir'

# All work ends when it is interrupted.
RSpec.describe 'signals and interruptions', :unstressed do
  around { |example| Dir.mktmpdir { |directory| @directory = directory and example.run } }

  # The suite may run under nohup, and a process inherits which signals are ignored.
  around do |example|
    before = Signal.trap(:HUP, 'DEFAULT')
    example.run
  ensure
    Signal.trap(:HUP, before)
  end

  # How long the end may take on a busy machine, in seconds.
  patience = 10

  def write(path, text)
    file = File.join(@directory, path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
    file
  end

  def marker
    File.join(@directory, 'begun')
  end

  # An environment whose compilations report that they have begun and then run this code forever.
  def environment(name, endless)
    write("#{name}/modules/m/lib/puppet/functions/m/begin.rb", <<~RUBY)
      Puppet::Functions.create_function(:'m::begin') do
        def begin
          File.write('#{marker}', 'x')
        end
      end
    RUBY
    write("#{name}/modules/m/lib/puppet/functions/m/stubborn.rb", <<~RUBY)
      Puppet::Functions.create_function(:'m::stubborn') do
        def stubborn
          sleep(0.01)
        rescue Exception
          retry
        else
          stubborn_again
        end

        def stubborn_again
          loop { begin; sleep(1); rescue Exception; end }
        end
      end
    RUBY
    write("#{name}/modules/m/lib/puppet/functions/m/sleep.rb", <<~RUBY)
      Puppet::Functions.create_function(:'m::sleep') do
        def sleep
          Kernel.sleep
        end
      end
    RUBY
    write("#{name}/modules/m/lib/puppet/functions/m/backend.rb", <<~RUBY)
      Puppet::Functions.create_function(:'m::backend') do
        dispatch(:backend) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }
        def backend(_key, _options, context)
          context.not_found if _key == 'lookup_options'
          call_function('m::begin')
          sleep
        end
      end
    RUBY
    write("#{name}/hiera.yaml", "version: 5\nhierarchy:\n  - { name: m, lookup_key: 'm::backend' }\n")
    write("#{name}/manifests/site.pp", "m::begin()\n#{endless}")
    File.join(@directory, name)
  end

  endless = {
    'evaluates' => 'Integer[1, 1000000].each |$x| { Integer[1, 1000000].each |$y| { $x + $y } }', 'calls Ruby' => 'm::sleep()',
    'calls Ruby that rescues everything' => 'm::stubborn()', 'runs a command' => "generate('/bin/sleep', '1000')"
  }.freeze
  unlimited = %w[--limit steps=1000000000000 --limit seconds=1000].freeze

  def start(*arguments, **options)
    program = ENV.fetch('BUNRAKU_COMMAND', nil)
    command = program ? [program] : [RbConfig.ruby, '--disable=gems', File.expand_path('../exe/bunraku', __dir__)]
    Process.spawn(*command, *arguments, out: File::NULL, err: File::NULL, chdir: @directory, **options)
  end

  def wait_for(pid = nil)
    Timeout.timeout(60) { sleep(0.01) until yield || (pid && Process.wait(pid, Process::WNOHANG)) }
  end

  # Sends the signal and returns the status.
  define_method(:ended) do |pid, signal|
    Process.kill(signal, pid)
    Timeout.timeout(patience) { Process.wait2(pid).last }
  rescue Timeout::Error
    Process.kill(:KILL, pid)
    Process.wait(pid)
    raise "#{signal} did not end it"
  end

  # Returns whether the process sleeps, or has worked for a while, according to the kernel.
  def busy?(pid)
    fields = File.read("/proc/#{pid}/stat").split(') ').last.split
    Integer(fields[11]) + Integer(fields[12]) > 30
  end

  describe 'end the command', :command do
    endless.each do |what, code|
      it "compile while it #{what}", :module_ruby do
        %w[INT TERM HUP].each do |signal|
          FileUtils.rm_f(marker)
          environment('production', code)
          pid = start('compile', '--node', 'n', *unlimited)
          wait_for { File.exist?(marker) }
          expect(ended(pid, signal).termsig).to eq Signal.list[signal]
        end
      end
    end

    it 'diff while it compiles on several threads', :module_ruby do
      a, b = %w[a b].map { |name| environment(name, endless.values.first(3).each_with_index.map { |code, index| "if $facts[n] == #{index} { #{code} }" }.join("\n")) }
      6.times { |index| write("facts/n#{index}.json", JSON.generate(n: index % 3)) }
      %w[INT TERM HUP].each do |signal|
        FileUtils.rm_f(marker)
        pid = start('diff', '--from', a, '--to', b, '--all-nodes', 'facts', '--threads', '8', *unlimited)
        wait_for { File.exist?(marker) }
        expect(ended(pid, signal).termsig).to eq Signal.list[signal]
      end
    end

    it 'lookup while a backend sleeps', :module_ruby do
      environment('production', '')
      pid = start('lookup', 'key', '--node', 'n', *unlimited)
      wait_for { File.exist?(marker) }
      expect(ended(pid, 'TERM').termsig).to eq Signal.list['TERM']
    end

    it 'compile and diff that work and wait without Ruby of modules' do
      code = "if $facts[n] { #{endless.fetch('evaluates')} } generate('/bin/sh', '-c', 'touch #{marker}; exec sleep 1000')"
      write('production/manifests/site.pp', code)
      2.times { |index| write("facts/n#{index}.json", index.zero? ? '{}' : '{"n": 1}') }
      sides = %w[--from production --to production --all-nodes facts --threads 4]
      [['compile', '--node', 'n', *unlimited], ['diff', *sides, *unlimited]].each do |command|
        FileUtils.rm_f(marker)
        pid = start(*command)
        wait_for { File.exist?(marker) && (command.first == 'compile' || busy?(pid)) }
        expect(ended(pid, 'TERM').termsig).to eq(Signal.list['TERM']), command.join(' ')
      end
    end

    it 'doc and validate while they read many files' do
      text = Array.new(500) { |index| "# @summary s\n# @param a the first\nclass m::c%d_#{index}(Integer $a = 1) { notify { \"${a}\": } }\n" }.join
      200.times { |index| write("m/manifests/c#{index}.pp", text.gsub('%d', index.to_s)) }
      [%w[doc m], ['validate', *['m'] * 100]].each do |command|
        pid = start(*command)
        wait_for { busy?(pid) }
        expect(ended(pid, 'TERM').termsig).to eq Signal.list['TERM']
      end
    end

    it 'that waits for its input' do
      [%w[validate -], %w[parse -], %w[convert --from agent --to agent -], %w[graph -], %w[diff - -]].each do |command|
        reader, writer = IO.pipe
        pid = start(*command, in: reader)
        sleep(0.3)
        expect(ended(pid, 'TERM').termsig).to eq(Signal.list['TERM']), command.join(' ')
        [reader, writer].each(&:close)
      end
    end

    it 'but where they are ignored from the start', :module_ruby do
      environment('production', 'm::sleep()')
      before = trap('HUP', 'IGNORE')
      pid = start('compile', '--node', 'n')
      trap('HUP', before || 'DEFAULT')
      wait_for { File.exist?(marker) }
      Process.kill('HUP', pid)
      sleep(0.2)
      expect(Process.wait(pid, Process::WNOHANG)).to be_nil
      expect(ended(pid, 'TERM').termsig).to eq Signal.list['TERM']
    end
  end

  describe 'of threads and Timeout end' do
    # So many resources that reading them takes seconds.
    long = Array.new(100_000) { |index| "notify { 'n#{index}': message => \"a ${facts['a']} b\", tag => ['a', 'b'] }\n" }.join * 4

    {
      'the parsing of a text' => -> { Bunraku.parse(long) },
      'the parsing of files on several threads' => -> { Bunraku.parse_files(Array.new(8) { 'long.pp' }, threads: 4) },
      'the validation of a text' => -> { Bunraku.validate(long * 2) },
      'the loading of an environment' => -> { Bunraku::Environment.new('production', modulepath: [], code: long) }
    }.each do |what, work|
      it what do
        Dir.chdir(@directory) do
          File.write('long.pp', long)
          begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          expect { Timeout.timeout(0.2) { work.call } }.to raise_error(Timeout::Error)
          expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun).to be < 2
        end
      end
    end

    define_method(:loaded) do |code|
      environment('production', code)
      Bunraku::Environment.new('production', environmentpath: @directory, commands: true)
    end
    limits = { steps: nil, seconds: nil }

    endless.except('calls Ruby that rescues everything').each do |what, code|
      it "a compilation that #{what}" do
        one = loaded(code)
        stop = Class.new(StandardError)
        { kill: ->(thread) { thread.kill }, raise: ->(thread) { thread.raise(stop) } }.each_value do |interrupt|
          FileUtils.rm_f(marker)
          thread = Thread.new { one.compile(node: 'n', limits: limits) }
          thread.report_on_exception = false
          wait_for { File.exist?(marker) }
          interrupt[thread]
          expect(Timeout.timeout(patience) { thread.join rescue stop }).to be_truthy
        end
        expect { Timeout.timeout(0.5) { one.compile(node: 'n', limits: limits) } }.to raise_error(Timeout::Error)
        # The environment can be used as before.
        expect(one.compile(node: 'n', limits: limits.merge(steps: 1))).to be_nil
      rescue Bunraku::LimitError => e
        expect(e.message).to include('steps')
      end
    end

    it 'leave nothing of a command: it can be run again' do
      one = loaded("notice(generate('/bin/sh', '-c', 'sleep 0.4; echo done'))")
      expect { Timeout.timeout(0.1) { one.compile(node: 'n') } }.to raise_error(Timeout::Error)
      expect(one.compile(node: 'n').logs.last[:message]).to eq "done\n"
      write('production/environment.conf', "config_version = /bin/sleep 0.4; echo 7\n")
      one = Bunraku::Environment.new('production', environmentpath: @directory, commands: true)
      expect { Timeout.timeout(0.1) { one.compile(node: 'n') } }.to raise_error(Timeout::Error)
      expect(one.compile(node: 'n').version).to eq '7'
    end

    it 'commands that take longer than the compilation may, or print without end' do
      [["generate('/bin/sleep', '1000')", /took longer than 1 seconds/], ["generate('/usr/bin/yes')", /printed more than|took longer/]].each do |code, message|
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        expect { loaded(code).compile(node: 'n', limits: { seconds: 1 }) }.to raise_error(Bunraku::Error, message)
        expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - began).to be < patience
      end
    end

    it 'a comparison, with all its threads' do
      one = loaded('m::sleep()')
      before = Thread.list
      nodes = Array.new(8) { |index| ["n#{index}", {}] }.to_h
      expect { Timeout.timeout(0.5) { Bunraku::Fleet.compare(one, one, nodes, threads: 8) } }.to raise_error(Timeout::Error)
      100.times { (Thread.list - before).empty? ? break : sleep(0.1) }
      expect(Thread.list - before).to eq []
    end
  end
end

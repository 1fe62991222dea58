# frozen_string_literal: true

# Starts processes in which several threads begin to compile at the same time, in two environments whose
# modules contain Ruby, and reports the processes that hang, die or return other answers than a single thread.
# Each process is forked from one that has loaded the gem without using it, so that all lazily created state
# is new in each process.
#
#   ruby tests/ruby_functions/threads.rb [--starts 1000] [--threads 8] [--at-once N] [--seconds 60]

$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'etc'
require 'optparse'

options = { starts: 1000, threads: 8, 'at-once': Etc.nprocessors, seconds: 60 }
OptionParser.new do |parser|
  parser.on('--starts N', Integer)
  parser.on('--threads N', Integer, 'how many compile in each process')
  parser.on('--at-once N', Integer, 'how many processes there are at the same time')
  parser.on('--seconds N', Integer, 'when a process is taken to hang')
end.parse!(into: options)

STATE = File.expand_path('../../ruby-ext/spec/fixtures/state', __dir__)
CODE = <<~PUPPET
  notice(dumper::to_plain({a => 1}), keys::rings(), words_old('x'), edition::name(), lookup('store::x'))
  include words
  key_ring { 'a': bits => 1, pairs => 2 }
PUPPET
SAID = %w[one two].to_h { |name| [name, ["a = 1 /etc/rings /root/rings old x #{name} stored store::x", 'old words a = 1 01']] }.freeze

# The work of one process.
def compile(threads)
  environments = SAID.keys.map { |name| Bunraku::Environment.new(name, environmentpath: STATE, code: CODE, ruby_functions: :own) }
  gate = Queue.new
  working = Array.new(threads) do |index|
    Thread.new do
      gate.pop
      environments.rotate(index).each do |environment|
        said = environment.compile(node: "n#{index}").logs.map { |entry| entry[:message] }
        raise "#{environment.name}: #{said}" unless said == SAID[environment.name]
      end
    end
  end
  threads.times { gate << true }
  working.each(&:join)
end

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def start(threads)
  pid = fork do
    Thread.report_on_exception = false
    compile(threads)
    exit!(0)
  rescue Exception => e # rubocop:disable Lint/RescueException
    warn("#{e.class}: #{e.message}")
    exit!(1)
  end
  [pid, now]
end

running = {}
ended = Hash.new(0)
left = options[:starts]
until left.zero? && running.empty?
  while left.positive? && running.size < options[:'at-once']
    running.store(*start(options[:threads]))
    left -= 1
  end
  running.each_key do |pid|
    _, status = Process.wait2(pid, Process::WNOHANG)
    next unless status

    running.delete(pid)
    ended[status.success? ? :well : :badly] += 1
  end
  running.select { |_, began| now - began > options[:seconds] }.each_key do |late|
    Process.kill(:KILL, late)
    Process.wait(late)
    running.delete(late)
    ended[:hanging] += 1
  end
  sleep(0.01)
end
puts "#{options[:starts]} starts with #{options[:threads]} threads: #{%i[well badly hanging].map { |how| "#{ended[how]} #{how}" }.join(', ')}"
exit(ended[:well] == options[:starts] ? 0 : 1)

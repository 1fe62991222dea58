# frozen_string_literal: true

# Times warm compilations of golden cases with the Puppet on Ruby's load path: reads paths of cases, a line
# each, and answers each with a line of JSON: the medians of seconds and of the processor's seconds, or
# nothing where it does not compile. Each compilation is for a node of another name, so that nothing that is
# kept for a node answers.
#
# How a case is compiled is told by the program that recorded the goldens. Each has a process of its own: what
# one has loaded is not there for the next.
require 'json'

ENV['ORACLE_DEBIAN'] ||= '1' unless ENV['OPENVOX_LIB']
# Behind all others: PuppetDB's own terminus goes first where there is one.
$LOAD_PATH.push(File.expand_path('no_terminus', __dir__))
load File.expand_path('../tests/data/environments/compile.rb', __dir__)

# How often a case is timed; seconds after which it is not timed again.
ROUNDS = 3
ENOUGH = 0.3

# Facts are read once, as a server has them at hand.
class WarmCase < Case
  attr_accessor :round

  def facts
    @facts ||= super
  end

  # The names of other nodes have the same length, and match the same patterns.
  def certname
    super.sub(/\Anode0\./, "node#{round.to_i % 10}.")
  end
end

def cpu
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end

def warm(path)
  kase = WarmCase.new(path)
  kase.setup
  kase.compile
  times = []
  of_processor = []
  while times.size < ROUNDS && times.sum < ENOUGH
    kase.round = times.size + 1
    start = clock
    start_of_processor = cpu
    kase.compile
    of_processor << cpu - start_of_processor
    times << clock - start
  end
  { 'seconds' => median(times), 'cpu' => median(of_processor) }
rescue StandardError, ScriptError, SystemStackError
  {}
end

Puppet::Util::Log.level = :err
$stdout.sync = true
$stdin.each_line(chomp: true) { |path| puts JSON.generate(forked { warm(path) }) }

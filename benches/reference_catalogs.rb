# frozen_string_literal: true

# Times warm compilations of golden cases with the Puppet on Ruby's load path: reads paths of cases, one a
# line, and answers each with a line of JSON: the medians of seconds and of processor seconds, or nothing if
# it does not compile. Each compilation is for a node with another name, so that no cached result of a node is
# used.
#
# The program that recorded the goldens compiles the cases. Each has its own process: definitions that one has
# loaded are not available to the next.
require 'json'

ENV['ORACLE_DEBIAN'] ||= '1' unless ENV['OPENVOX_LIB']
# After all others: PuppetDB's own terminus takes precedence if it exists.
$LOAD_PATH.push(File.expand_path('no_terminus', __dir__))
load File.expand_path('../tests/data/environments/compile.rb', __dir__)

# The number of rounds of a case; the seconds after which it is not repeated.
ROUNDS = 3
ENOUGH = 0.3

# Facts are read once, as on a server.
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

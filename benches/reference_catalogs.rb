# frozen_string_literal: true

# Times warm compilations of golden cases with the Puppet on Ruby's load path: reads paths of cases, a line each, and answers
# each with a line of JSON: the median of seconds, or nothing where it does not compile.
#
# How a case is compiled is told by the program that recorded the goldens. Each has a process of its own: what one has
# loaded is not there for the next.
require 'json'

ENV['ORACLE_DEBIAN'] ||= '1' unless ENV['OPENVOX_LIB']
load File.expand_path('../tests/data/environments/compile.rb', __dir__)

# How often a case is timed; seconds after which it is not timed again.
ROUNDS = 3
ENOUGH = 0.3

# Facts are read once, as a server has them at hand.
class WarmCase < Case
  def facts
    @facts ||= super
  end
end

def warm(path)
  kase = WarmCase.new(path)
  kase.setup
  kase.compile
  times = []
  while times.size < ROUNDS && times.sum < ENOUGH
    start = clock
    kase.compile
    times << clock - start
  end
  { 'seconds' => median(times) }
rescue StandardError, ScriptError, SystemStackError
  {}
end

Puppet::Util::Log.level = :err
$stdout.sync = true
$stdin.each_line(chomp: true) { |path| puts JSON.generate(forked { warm(path) }) }

# frozen_string_literal: true

# Compiles a whole OpenStack cloud (cloud.pp) of Debian's modules through the gem and with the reference, and
# compares the catalogs: each resource with all its parameters, the classes, the edges. Exits with 1 when they
# differ.
#
#   [OPENVOX_LIB=…/lib] ruby tests/real/cloud.rb [--native]
#
# With --native nothing of the modules' Ruby runs: functions and templates are the library's own.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require_relative 'comparison'

abort 'Debian\'s modules (puppet-module-*) are not installed' unless File.directory?(File.join(RealComparison::MODULES, 'nova'))

def seconds
  start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  [yield, Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start]
end

code = File.read(File.expand_path('cloud.pp', __dir__))
comparison = RealComparison.new(native: ARGV.include?('--native'))
environment = comparison.environment(code)
catalog, cold = seconds { comparison.compile(environment) }
_, warm = seconds { comparison.compile(environment) }
ours = catalog.to_h
puts format('bunraku: %d resources, %d classes, %d edges; %.2f s cold, %.2f s warm (CPU time)', ours['resources'].size, ours['classes'].size, ours['edges'].size, cold, warm)

result = comparison.compare(code, rounds: 1)
puts format('reference: %.2f s warm; bunraku is %.1f times as fast', result.seconds, result.seconds / warm) if result.seconds
puts result.differences.empty? ? 'the catalogs are the same' : "#{result.differences.size} differences"
result.differences.first(20).each { |line| puts "  #{line}" }
exit(result.differences.empty? ? 0 : 1)

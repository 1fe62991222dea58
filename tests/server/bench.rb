# frozen_string_literal: true

# How many catalogs Debian's puppetserver compiles for simulated nodes, plain and with the gem of platform
# java, with its CPU time and memory: `make bench-server`. With DEPLOY the code changes while nodes ask.
#
# Usage: bench.rb GEM
#
# Variables: NODES (200), SECONDS of each measurement (300), INSTANCES of JRuby (4), SIDES (plain,bunraku),
# DEPLOY (seconds between deployments; none by default), HEAP (2g), FACTS (a JSON file).
require_relative 'nodes'
require_relative 'server'

CODE = File.expand_path('bench/environments', __dir__)
MODULES = %w[apache concat ntp stdlib].freeze
NODES = ENV.fetch('NODES', '200').to_i
SECONDS = ENV.fetch('SECONDS', '300').to_i
INSTANCES = ENV.fetch('INSTANCES', '4').to_i
SIDES = ENV.fetch('SIDES', 'plain,bunraku').split(',')
DEPLOY = ENV['DEPLOY']&.to_f
FACTS = ENV.fetch('FACTS', File.expand_path('../data/environments/real/spec/facts/debian12-legacy.json', __dir__))
SETTINGS = { 'environment_timeout' => 'unlimited' }.freeze

def code_in(directory)
  FileUtils.cp_r(CODE, directory)
  FileUtils.mkdir("#{directory}/modules")
  MODULES.each { |name| File.symlink("/usr/share/puppet/modules/#{name}", "#{directory}/modules/#{name}") }
end

# Changes the main manifest and clears the cache, as a deployment does.
def deploy(server, number)
  manifest = server.path('code/environments/production/manifests/site.pp')
  text = File.read(manifest).sub(/\n?notify \{ 'deployment \d+': \}\n\z/, '')
  File.write("#{manifest}.new", "#{text}\nnotify { 'deployment #{number}': }\n")
  File.rename("#{manifest}.new", manifest)
  answer = server.ask(Net::HTTP::Delete.new('/puppet-admin-api/v1/environment-cache'))
  abort "clearing the cache: #{answer.code}" unless answer.code == '204'
end

# Calls the block again and again in a thread while the work of this block is done.
def meanwhile(every, repeat)
  return yield unless every

  number = 0
  thread = Thread.new do
    loop do
      sleep every
      repeat.call(number += 1)
    end
  end
  yield.tap { puts "  #{number} times meanwhile" }
ensure
  thread&.kill
end

def measure(side, server, nodes)
  server.start(side == 'plain' ? SETTINGS : SETTINGS.merge('catalog_terminus' => 'bunraku'))
  idle = server.resident
  nodes.certify unless @certified
  @certified = true
  # Each interpreter compiles before, and most of Java's code is compiled.
  warm = nodes.ask_for([SECONDS / 2, 10].max)
  busy, resident = server.cpu, server.resident
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  memory = ["#{resident}/#{server.heap}"]
  curve = Thread.new { loop { sleep((SECONDS / 10.0).clamp(5, 60)) && (memory << "#{server.resident}/#{server.heap}") } }
  result = meanwhile(DEPLOY, ->(number) { deploy(server, number) }) { nodes.ask_for(SECONDS) }
  curve.kill
  elapsed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
  puts "#{side}: #{result}"
  puts format('  %<cpu>.2f CPUs, memory idle %<idle>d MB, resident/heap %<memory>s MB, p50 while warming up %<warm>.2f s',
              cpu: (server.cpu - busy) / elapsed, idle: idle, memory: memory.join(' '), warm: warm.median)
  result.failures.tally.first(5).each { |failure, times| puts "  #{times} times: #{failure}" }
  server.stop
  result
end

gem = File.expand_path(ARGV.fetch(0))
facts = JSON.parse(File.read(FACTS))
$stdout.sync = true
server = PuppetServer.new(instances: INSTANCES, heap: ENV.fetch('HEAP', '2g'))
begin
  code_in(server.path('code'))
  server.authorize
  server.install(gem) if SIDES.include?('bunraku')
  nodes = Nodes.new(server, Array.new(NODES) { |number| "node#{number}.example.net" }, facts)
  puts "#{NODES} nodes, #{SECONDS} s, #{INSTANCES} JRuby instances"
  results = SIDES.to_h { |side| [side, measure(side, server, nodes)] }
  failed = results.values.sum { |result| result.failures.size }
  abort "#{failed} requests failed" if failed.positive?
  plain, own = results.values_at('plain', 'bunraku')
  if plain && own
    puts format('bunraku: %<rate>.1f times the catalogs a second, p99 %<late>.3f times as long',
                rate: own.rate / plain.rate, late: own.late / plain.late)
  end
ensure
  server.remove
end

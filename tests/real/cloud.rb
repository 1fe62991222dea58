# frozen_string_literal: true

# Compiles a whole OpenStack cloud (cloud.pp) of Debian's modules through the gem and with the reference, and compares the catalogs:
# each resource with all its parameters, the classes, the edges. Exits with 1 when they differ.
#
#   [OPENVOX_LIB=…/lib] ruby tests/real/cloud.rb [--native]
#
# With --native nothing of the modules' Ruby runs: functions and templates are the library's own.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'json'
require 'open3'
require 'zlib'

MODULES = '/usr/share/puppet/modules'
abort 'Debian\'s modules (puppet-module-*) are not installed' unless File.directory?(File.join(MODULES, 'nova'))

def facts
  file = File.expand_path('../data/environments/real/spec/facts/debian12-legacy.json', __dir__)
  text = File.exist?(file) ? File.read(file) : Zlib::GzipReader.open("#{file}.gz", &:read)
  JSON.parse(text).then { |all| all['values'] || all }
end

def seconds
  start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  [yield, Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start]
end

def resources(catalog)
  catalog['resources'].to_h do |resource|
    parameters = (resource['parameters'] || {}).merge(resource['sensitive_parameters'] ? { 'sensitive' => resource['sensitive_parameters'].sort } : {})
    ["#{resource['type']}[#{resource['title']}]", [parameters, resource['tags']&.sort, resource['file'], resource['line']]]
  end
end

code = File.read(File.expand_path('cloud.pp', __dir__))
how = ARGV.include?('--native') ? { ruby_functions: :off, templates: :native } : {}
environment = Bunraku::Environment.new('production', modulepath: [MODULES], code: code, settings: { strict: 'warning' }, **how)
compile = -> { environment.compile(node: 'testnode.example.com', facts: facts, limits: { seconds: nil, steps: nil }) }
catalog, cold = seconds(&compile)
_, warm = seconds(&compile)
ours = JSON.parse(catalog.to_json)
own = resources(ours)
puts format('bunraku: %d resources, %d classes, %d edges; %.2f s cold, %.2f s warm (CPU time)', own.size, ours['classes'].size, ours['edges'].size, cold, warm)

question = JSON.generate(code: code, modulepath: [MODULES], facts: facts, catalog: true, rounds: 1)
output, status = Open3.capture2('ruby', '-W0', File.expand_path('../ruby_functions/reference.rb', __dir__), stdin_data: "#{question}\n")
abort 'the reference is not installed' unless status.success?
answer = JSON.parse(output)
abort "the reference: #{answer['error']}" if answer['error']
other = resources(answer['catalog'])
puts format('reference: %d resources, %.2f s warm; bunraku is %.1f times as fast', other.size, answer['seconds'], answer['seconds'] / warm)

differing = (own.keys | other.keys).reject { |name| own[name] == other[name] }
puts "#{(own.keys & other.keys).size - (differing & own.keys & other.keys).size} resources are the same, #{differing.size} are not"
differing.first(20).each do |name|
  next puts("  #{name}: only in #{own[name] ? 'ours' : 'the reference'}") unless own[name] && other[name]

  mine, theirs = own[name], other[name]
  keys = (mine[0].keys | theirs[0].keys).reject { |key| mine[0][key] == theirs[0][key] }
  puts "  #{name}: #{keys.first(3).map { |key| "#{key}: #{mine[0][key].inspect[0, 150]}, not #{theirs[0][key].inspect[0, 150]}" }.join('; ')}", "    #{mine[1..].inspect[0, 200]}, not #{theirs[1..].inspect[0, 200]}" 
end
sets = %w[classes edges].reject { |part| (ours[part] || []).map(&:to_s).sort == (answer['catalog'][part] || []).map(&:to_s).sort }
puts "different: #{sets.join(', ')}" unless sets.empty?
exit(differing.empty? && sets.empty? ? 0 : 1)

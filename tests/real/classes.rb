# frozen_string_literal: true

# Declares every class and defined type of Debian's modules, with generated values for the required
# parameters, and compares with the reference. For each module, all declarations that compile together are one
# manifest, whose catalogs are compared: resources with all parameters, tags and places, classes, edges, logs.
# Each declaration that does not compile is asked alone, and the errors are compared.
#
#   [OPENVOX_LIB=…/lib] ruby tests/real/classes.rb [--only MODULE,…] [--facts NAME] [--native] [--errors N]
#   [--together] [--show N]
#
# --facts is a file of data/environments/real/spec/facts; --native runs no Ruby of modules; --errors N limits
# the failures that are asked for each module; --together also compares one manifest of all modules.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'optparse'
require_relative 'comparison'

options = { facts: 'debian12-legacy', errors: 3, show: 20 }
OptionParser.new do |parser|
  parser.on('--only LIST', Array)
  parser.on('--facts NAME')
  parser.on('--native')
  parser.on('--errors N', Integer)
  parser.on('--together')
  parser.on('--show N', Integer)
  parser.on('--keep DIR', 'write the manifests there')
end.parse!(into: options)
$stdout.sync = true
abort "Debian's modules (puppet-module-*) are not installed" unless File.directory?(RealComparison::MODULES)
comparison = RealComparison.new(facts: options[:facts], native: options[:native])

# A value for a parameter that has to be given, by its type and its name.
def made_up(name, type)
  case type
  when /\AEnum\[['"]?([^'",\]]+)/ then "'#{Regexp.last_match(1)}'"
  when /\ABoolean/, /Openstacklib::.*Bool/ then 'true'
  when /\AInteger\[(\d+)/ then Regexp.last_match(1)
  when /\A(Integer|Numeric|Stdlib::Port)/ then '42'
  when /\AFloat/ then '4.5'
  when /\AArray\[Hash/ then "[{ 'path' => '/x' }]"
  when /\AArray|\AVariant\[Array/ then "['a', 'b']"
  when /\A(Hash|Struct)/ then "{ 'a' => 'b' }"
  when /(Absolutepath|Unixpath)/ then "'/opt/#{name}'"
  when /\AStdlib::(HTTP|Httpurl)/i then "'http://192.0.2.1:5000/v3'"
  when /IP::Address/ then "'192.0.2.1'"
  when /\ASensitive/ then "Sensitive('secret')"
  else
    case name
    when /connection/ then "'mysql+pymysql://user:pw@192.0.2.2/db'"
    when /transport_url/ then "'rabbit://user:pw@192.0.2.3:5672/'"
    when /uri|url|endpoint/ then "'http://192.0.2.1:5000/v3'"
    when /ip|address|host|server/ then "'192.0.2.1'"
    when /port/ then "'8080'"
    when /path|dir|file|root/ then "'/opt/#{name}'"
    when /key\z|secret/ then "'0123456789abcdef0123456789abcdef'"
    else "'#{name}x'"
    end
  end
end

# The declarations of a module: those with parameters that have to be given first, as a class is declared so
# only once.
def declarations(directory)
  documentation = Bunraku.doc(directory).to_h
  needs = lambda do |definition|
    given = definition['defaults'] || {}
    tags = (definition.dig('docstring', 'tags') || []).select { |tag| tag['tag_name'] == 'param' }
    tags.reject { |tag| given.key?(tag['name']) }.to_h { |tag| [tag['name'], made_up(tag['name'], Array(tag['types']).first.to_s)] }
  end
  listed = ->(values) { values.map { |name, value| " #{name} => #{value}" }.join(',') }
  classes = documentation['puppet_classes'].map { |one| [one['name'], needs.call(one)] }
  defines = documentation['defined_types'].map { |one| [one['name'], needs.call(one)] }
  main, rest = classes.partition { |name, _| name == File.basename(directory) }
  required, free = rest.partition { |_, values| values.any? }
  (main + required).map { |name, values| values.empty? ? "include #{name}" : "class { '#{name}':#{listed.call(values)} }" } +
    free.map { |name, _| "include #{name}" } +
    defines.flat_map { |name, values| ["#{name} { 'one':#{listed.call(values)} }", "#{name} { '/srv/two':#{listed.call(values)} }"] }
end

modules = (options[:only] || Dir.children(RealComparison::MODULES)).sort.select { |name| File.directory?(File.join(RealComparison::MODULES, name, 'manifests')) }
totals = Hash.new(0)
together = []
modules.each do |name|
  kept, failing = [], []
  declarations(File.join(RealComparison::MODULES, name)).each do |declaration|
    (comparison.compiles?((kept + [declaration]).join("\n")) ? kept : failing) << declaration
  end
  together << [name, kept]
  File.write(File.join(options[:keep], "#{name}.pp"), kept.join("\n")) if options[:keep]
  result = comparison.compare(kept.join("\n"))
  alone = failing.first(options[:errors]).map { |declaration| [declaration, comparison.compare(declaration)] }
  totals[:declarations] += kept.size + failing.size
  totals[:together] += kept.size
  totals[:resources] += result.resources
  totals[:asked_alone] += alone.size
  totals[:differing] += 1 if result.differences.any?
  totals[:differing_alone] += alone.count { |_, one| one.differences.any? }
  puts format('%-18s %3d of %3d declarations together, %4d resources: %s; alone: %d of %d equal', name, kept.size, kept.size + failing.size,
              result.resources, result.differences.empty? ? 'equal' : 'DIFFERENT', alone.count { |_, one| one.differences.empty? }, alone.size)
  result.differences.first(options[:show]).each { |line| puts "  #{line}" }
  alone.each { |declaration, one| one.differences.first(3).each { |line| puts "  #{declaration}", "    #{line}" } }
end
if options[:together]
  # A module's declarations that do not go with those of the modules before are left out.
  manifest = together.each_with_object([]) { |(_, lines), all| all.concat(lines) if comparison.compiles?((all + lines).join("\n")) }
  result = comparison.compare(manifest.join("\n"))
  File.write(File.join(options[:keep], 'together.pp'), manifest.join("\n")) if options[:keep]
  puts "all together: #{manifest.size} declarations, #{result.resources} resources: #{result.differences.empty? ? 'equal' : 'DIFFERENT'}"
  result.differences.first(options[:show]).each { |line| puts "  #{line}" }
  totals[:differing] += 1 if result.differences.any?
end
puts totals.map { |what, count| "#{what.to_s.tr('_', ' ')}: #{count}" }.join(', ')
exit(totals[:differing] + totals[:differing_alone] == 0 ? 0 : 1)

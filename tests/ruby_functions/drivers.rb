# frozen_string_literal: true

# Calls the Ruby functions of modules through the gem, as in `drivers/*.pp` (each line is a manifest), asks
# the reference the same, and compares logs and errors. `drivers/probe.pp` is for the functions of `probe/`,
# which use the whole API of functions. With --stdlib, its functions are also called with generated arguments.
#
#   [OPENVOX_LIB=…/lib] ruby tests/ruby_functions/drivers.rb [--modules DIR] [--only MODULE] [--puppet]
#   [--show N]

$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'open3'
require 'optparse'

options = { modules: '/usr/share/puppet/modules', show: 100 }
OptionParser.new do |parser|
  parser.on('--modules DIR')
  parser.on('--only MODULE')
  parser.on('--puppet', 'run functions on the classes of the Puppet that is installed')
  parser.on('--show N', Integer)
end.parse!(into: options)

FACTS = { 'interfaces' => 'lo,eth0,eth1', 'ipaddress_lo' => '127.0.0.1', 'ipaddress_eth0' => '10.0.0.1', 'ipaddress6_eth1' => 'fd00::1',
          'memorysize' => '3.84 GiB', 'os' => { 'name' => 'Debian', 'family' => 'Debian', 'release' => { 'major' => '12', 'full' => '12.5' } } }.freeze
modulepath = [File.expand_path('modules', __dir__), options[:modules]].select { |path| File.directory?(path) }
files = Dir.glob(File.expand_path("drivers/#{options[:only] || '*'}.pp", __dir__))
installed = files.select { |file| modulepath.any? { |path| File.directory?(File.join(path, File.basename(file, '.pp'))) } }
questions = installed.to_h { |file| [File.basename(file, '.pp'), File.readlines(file, chomp: true)] }
abort("none of the modules is in #{options[:modules]}") if questions.empty?

# Returns the comparable part of both results. The reference also logs an error; places and Ruby's own part of
# an error, which differs between its versions, are removed.
def outcome(logs, error)
  logs = logs.map { |level, message| [level, message] }.reject { |level, _| %w[debug info err].include?(level) }
  error = error&.delete_prefix('Evaluation Error: ')&.sub(/ on node \S+\z/, '')&.sub(/ \((file|line): [^)]*\)\z/, '')
  error = error&.gsub(/undefined (local variable or )?method [`'](\w+[?!]?)'.*/m, 'undefined method \2')
  # The reference reports nothing more about a missing file.
  error = error&.sub(/\A.*(?=cannot load such file)/m, '')
  [logs, error]
end

def through_gem(modulepath, code, mode)
  Puppet.clear_deprecation_warnings if mode == :puppet
  environment = Bunraku::Environment.new('production', modulepath: modulepath, code: code, settings: { strict: 'warning' }, ruby_functions: mode, prefer_ruby: true)
  catalog = environment.compile(node: 'testnode.example.com', facts: FACTS)
  outcome(catalog.logs.map { |log| [log[:level].to_s, log[:message]] }, nil)
rescue Bunraku::Error => e
  outcome(e.logs.map { |log| [log[:level].to_s, log[:message]] }, e.message)
end

if options[:puppet]
  require 'puppet'
  Puppet.initialize_settings(%w[--certname testnode.example.com --strict warning])
end
mode = options[:puppet] ? :puppet : :own
asked = questions.flat_map { |name, lines| lines.map { |code| [name, code] } }
input = asked.map { |_, code| JSON.generate(code: code, modulepath: modulepath, facts: FACTS) }
output, status = Open3.capture2('ruby', '-W0', '--disable=error_highlight', '--disable=did_you_mean', File.join(__dir__, 'reference.rb'), stdin_data: "#{input.join("\n")}\n")
abort('the reference is not installed') unless status.success?
expected = output.lines.map { |line| JSON.parse(line) }.map { |answer| outcome(answer['logs'], answer['error']) }

differing = asked.zip(expected).filter_map do |(name, code), wanted|
  got = through_gem(modulepath, code, mode)
  [name, code, wanted, got] if got != wanted
end
questions.each { |name, lines| puts format('%-18s %3d of %3d equal', name, lines.size - differing.count { |one,| one == name }, lines.size) }
puts "#{asked.size - differing.size} of #{asked.size} manifests equal the reference's answers"
differing.first(options[:show]).each { |name, code, wanted, got| puts "  #{name}: #{code}", "    reference: #{wanted.inspect}", "    bunraku:   #{got.inspect}" }
exit(differing.empty? ? 0 : 1)

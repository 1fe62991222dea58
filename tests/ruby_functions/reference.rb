# frozen_string_literal: true

# Compiles manifests with Puppet from Ruby's load path, or with OpenVox from OPENVOX_LIB. Reads a JSON line
# for each, `{"code": …, "modulepath": […], "facts": {…}, "rounds": N, "catalog": true}`, and prints a JSON
# line: `logs` (level and message), `error`, with `catalog` the catalog in the form for agents, and with
# `rounds` the minimal `seconds` (CPU time) of that many compilations. An environment is created once for each
# modulepath.
require 'json'
require 'set'
require 'tmpdir'

require_relative 'installed_puppet'

scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |name| ["--#{name}", File.join(scratch, name)] } +
                           %w[--strict warning --certname testnode.example.com --log_level debug])
Puppet::Util::Log.level = :notice

# Collects log entries.
class Kept
  ENTRIES = [] # rubocop:disable Style/MutableConstant
end
Puppet::Util::Log.newdesttype(:kept) do
  match 'Kept'
  define_method(:initialize) { |_| nil }
  define_method(:handle) { |entry| Kept::ENTRIES << [entry.level.to_s, entry.message.to_s] }
end
Puppet::Util::Log.newdestination(Kept.new)

def compile(environment, question)
  Puppet[:code] = question['code']
  facts = question['facts'] || {}
  node = Puppet::Node.new('testnode.example.com', environment: environment, facts: Puppet::Node::Facts.new('testnode.example.com', facts))
  node.merge(facts)
  node.add_server_facts({}) if node.respond_to?(:add_server_facts)
  known = Puppet::Environments::Static.new(environment)
  Puppet.override(current_environment: environment, environments: known, loaders: Puppet::Pops::Loaders.new(environment)) do
    Puppet::Parser::Compiler.compile(node)
  end
end

def least(rounds)
  Array.new(rounds) do
    GC.start
    start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    yield
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start
  end.min
end

STDOUT.sync = true
STDIN.each_line do |line|
  question = JSON.parse(line)
  answer = {}
  begin
    Kept::ENTRIES.clear
    # Messages that Puppet reports once per process are reported in each compilation.
    Puppet.clear_deprecation_warnings
    question['modulepath'].each { |path| Dir.glob("#{path}/*/lib").each { |lib| $LOAD_PATH << lib unless $LOAD_PATH.include?(lib) } }
    environment = Puppet::Node::Environment.create(:production, question['modulepath'])
    catalog = compile(environment, question)
    answer['catalog'] = catalog.to_resource.filter(&:virtual?).to_data_hash if question['catalog']
    # The environment owns the files that a compilation has loaded.
    answer['seconds'] = least(question['rounds']) { compile(environment, question) } if question['rounds']
  rescue StandardError, ScriptError, SystemStackError => e
    answer['error'] = e.message
  end
  answer['logs'] = Kept::ENTRIES.dup unless question['rounds']
  puts JSON.generate(answer)
end

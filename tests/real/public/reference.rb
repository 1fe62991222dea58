# frozen_string_literal: true

# Compiles cases with the installed Puppet, or with OpenVox's from OPENVOX_LIB. Reads a JSON line with the
# environment (`modulepath`, or `environmentpath` and `name` with `basemodulepath` and optionally
# `hiera_config`), then one for each case (`code` or `classes`, `node`, `facts`). Prints a JSON line for each
# case: `catalog` or `error`, `logs`, and `random`, the parameters that have other values in a second
# compilation. The environment is kept, as on a server. If a case has `rounds`, the answer is its time
# instead: `cpu`, the median CPU seconds of that many warm compilations, `first`, the CPU seconds of the
# compilation before them, and `resources`.
require 'json'
require 'securerandom'
require 'set'
require_relative '../../ruby_functions/installed_puppet'
require_relative 'kept_files'

setup = JSON.parse(STDIN.gets)
# The directories are those of a server; only manifests see them.
DIRECTORIES = { confdir: '/etc/puppetlabs/puppet', vardir: KeptFiles::DIRECTORY, codedir: '/etc/puppetlabs/code',
                rundir: '/var/run/puppetlabs', logdir: '/var/log/puppetlabs/puppet', publicdir: '/opt/puppetlabs/puppet/public' }.freeze
Puppet.initialize_settings(DIRECTORIES.flat_map { |name, path| ["--#{name}", path] } +
                           ['--certname', 'puppet.example.net', '--log_level', 'notice'] +
                           (setup['environmentpath'] ? ['--environmentpath', setup['environmentpath']] : []) +
                           (setup['hiera_config'] ? ['--hiera_config', setup['hiera_config']] : []) +
                           (setup['basemodulepath'] ? ['--basemodulepath', setup['basemodulepath'].join(':')] : []))
Puppet::Util::Log.level = :notice
ENTRIES = [] # rubocop:disable Style/MutableConstant
class Kept; end
Puppet::Util::Log.newdesttype(:kept) do
  match 'Kept'
  define_method(:initialize) { |_| nil }
  define_method(:handle) { |entry| ENTRIES << [entry.level.to_s, entry.message.to_s] }
end
Puppet::Util::Log.newdestination(Kept.new)

SETUP = setup
Puppet.push_context(Puppet.base_context(Puppet.settings), 'public')

# An environment, and what knows it.
def fresh
  if SETUP['modulepath']
    made = Puppet::Node::Environment.create(:production, SETUP['modulepath'])
    [made, Puppet::Environments::Static.new(made)]
  else
    Puppet.lookup(:environments).clear_all
    [Puppet.lookup(:environments).get!(SETUP['name']), Puppet.lookup(:environments)]
  end
end

# The modules' libraries can be required, as pluginsync has it on a server.
fresh.first.modules.each { |one| $LOAD_PATH << one.plugin_directory if File.directory?(one.plugin_directory) }

# Counts what chance and the clock are asked for.
module Chance
  class << self
    attr_accessor :asked
  end
  self.asked = 0
  %i[rand bytes gen_random random_number now srand new_seed].each do |name|
    define_method(name) do |*arguments, **options, &block|
      Chance.asked += 1
      super(*arguments, **options, &block)
    end
  end
end
[SecureRandom.singleton_class, Random.singleton_class, Kernel, Puppet::Pops::Time::Timestamp.singleton_class].each do |one|
  one.prepend(Chance)
end

# The main manifest is another for each case.
def renew_main(environment, code)
  Puppet[:code] = code
  types = environment.known_resource_types
  types.instance_variable_get(:@hostclasses).delete('')
  types.import_ast(environment.send(:perform_initial_import), '')
end

# Imports the definitions of the main manifest. A collection whose import failed contains only a part of them,
# and is not used again.
def import(environment)
  environment.known_resource_types
rescue StandardError
  environment.instance_variable_set(:@known_resource_types, nil)
  raise
end

def compile(question, environment, known)
  Puppet.clear_deprecation_warnings
  # Messages about data files are reported in each compilation.
  Puppet::Pops::Lookup::EnvironmentContext.clear(environment)
  KeptFiles.forget
  in_context(question, environment, known) do |node|
    question['code'] ? renew_main(environment, question['code']) : import(environment)
    Puppet::Parser::Compiler.compile(node).to_resource.filter(&:virtual?).to_data_hash
  end
end

# Calls the block with a node.
def in_context(question, environment, known)
  certname = question['node']
  facts = Puppet::Node::Facts.new(certname, JSON.parse(JSON.generate(question['facts'])))
  trusted = Puppet::Context::TrustedInformation.new('remote', certname, question['extensions'] || {}, {})
  Puppet.override(current_environment: environment, environments: known, trusted_information: trusted, rich_data: true) do
    node = Puppet::Node.new(certname, environment: environment, classes: question['classes'] || [])
    node.fact_merge(facts)
    node.add_server_facts(question['server_facts'])
    node.trusted_data = trusted.to_h
    yield node
  end
end

def cpu
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end

# Measures a compilation up to the catalog, with all files loaded. The nodes differ if the name allows it.
def timed(question, environment, known)
  start = cpu
  compile(question, environment, known)
  first = cpu - start
  catalog = nil
  times = Array.new(question['rounds']) do |round|
    in_context(question.merge('node' => question['node'].sub(/\Anode1\./, "node#{round + 2}.")), environment, known) do |node|
      start = cpu
      catalog = Puppet::Parser::Compiler.compile(node)
      cpu - start
    end
  end
  { 'cpu' => times.sort[times.size / 2], 'first' => first, 'resources' => catalog.resources.size }
rescue StandardError, ScriptError, SystemStackError => e
  { 'error' => e.message }
end

def parameters(catalog)
  catalog['resources'].to_h { |one| [[one['type'], one['title']], one['parameters'] || {}] }
end

# Nil where even the resources are others.
def random(first, second)
  first, second = parameters(first), parameters(second)
  return unless first.keys == second.keys

  first.flat_map { |key, values| values.keys.reject { |name| values[name] == second[key][name] }.map { |name| [*key, name] } }
end

# Puppet does not try again to load what it could not load, and then the error differs.
FORGOTTEN = /\AEvaluation Error: Resource type not found|Unknown resource type|Could not find (?:declared )?class|not found|Attempt to redefine entity/

def answer_to(question, kept)
  ENTRIES.clear
  Chance.asked = 0
  catalog = compile(question, *kept)
  logs = ENTRIES.dup
  random = Chance.asked == USUAL ? [] : random(catalog, compile(question, *kept)) || 'all'
  { 'random' => random, 'catalog' => catalog, 'logs' => logs }
rescue StandardError, ScriptError, SystemStackError => e
  { 'error' => e.message, 'logs' => ENTRIES.dup }
end

STDOUT.sync = true
kept = fresh
Chance.asked = 0
Puppet::Node::Environment.create(:usual, []).then do |empty|
  compile({ 'node' => 'none.example.net', 'code' => '', 'facts' => {}, 'server_facts' => {} }, empty, Puppet::Environments::Static.new(empty))
end
# How often a compilation without code asks for a random value.
USUAL = Chance.asked
STDIN.each_line do |line|
  question = JSON.parse(line)
  next puts(JSON.generate(timed(question, *kept))) if question['rounds']

  answer = answer_to(question, kept)
  answer = answer_to(question, kept = fresh) if answer['error']&.match?(FORGOTTEN)
  # A file that failed over a type is not loaded again, and then what is around it has another answer.
  kept = fresh if answer['error']&.include?('Resource type not found')
  puts KeptFiles.told(JSON.generate(answer))
end

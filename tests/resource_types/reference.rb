# frozen_string_literal: true

# The output of Puppet's `generate types` and `describe` for the types of the modules in the first directory
# of a module path: `reference.rb MODULEPATH`, with the OpenVox library from OPENVOX_LIB. Prints a JSON
# object: the names of types, each with `generated`, `described` and `unloaded`, the files of providers that
# cannot be loaded, or with `error`.
require 'json'
require 'stringio'
require_relative '../ruby_functions/installed_puppet'
require 'puppet/application/describe'
require 'puppet/generate/type'
require 'puppet/generate/models/type/type'

modulepath = ARGV.fetch(0).split(':')
scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |name| ["--#{name}", File.join(scratch, name)] })
Puppet::Util::Log.level = :crit
modulepath.flat_map { |directory| Dir.glob("#{directory}/*/lib").sort }.each { |lib| $LOAD_PATH << lib }
Puppet.push_context(current_environment: Puppet::Node::Environment.create(:production, modulepath))

def printed
  before, $stdout = $stdout, StringIO.new
  yield
  $stdout.string
ensure
  $stdout = before
end

def provider_files(type, modulepath)
  modulepath.flat_map { |directory| Dir.glob("#{directory}/*/lib/puppet/provider/#{type}/*.rb") }
end

def loadable?(file)
  load file
rescue StandardError, ScriptError
  false
end

template = Puppet::Util.create_erb(File.read(File.join(File.dirname($LOADED_FEATURES.grep(%r{puppet/generate/type\.rb\z}).first), 'templates/type/pcore.erb')))
# Loads all types, which ends at each one whose libraries are not installed.
documentation = begin
  TypeDoc.new
rescue StandardError, ScriptError
  (tries = (tries || 0) + 1) < 500 ? retry : raise
end
answers = Dir.glob("#{modulepath.first}/*/lib/puppet/type/*.rb").sort.to_h do |file|
  name = File.basename(file, '.rb')
  answer = begin
    type = Puppet::Type.type(name.to_sym) or raise "there is no type #{name}"
    { generated: Puppet::Generate::Models::Type::Type.new(type).render(template),
      described: printed { documentation.format_type(name, { providers: true, parameters: true, meta: false }) },
      unloaded: provider_files(name, modulepath).reject { |one| loadable?(one) } }
  rescue StandardError, ScriptError => e
    { error: "#{e.class}: #{e.message}" }
  end
  [file, answer]
end
STDOUT.puts JSON.generate(answers)

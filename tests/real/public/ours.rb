# frozen_string_literal: true

# Compiles cases with the gem: reads and prints the same as reference.rb; `mode` selects how the Ruby of
# modules runs.
require 'json'
require_relative 'kept_files'

# `ruby`: on the gem's own Puppet; `puppet`: on the installed Puppet, or OpenVox's from OPENVOX_LIB; `native`:
# on the built-in Ruby; `interpreted`: the same, but no native function replaces one of a module; `c`: as
# `native`, through the C library.
MODES = { 'native' => { ruby_functions: :off, templates: :native }, 'ruby' => { ruby_functions: :own },
          'interpreted' => { ruby_functions: :off, templates: :native, prefer_ruby: true },
          'puppet' => { ruby_functions: :puppet }, 'c' => {} }.freeze
setup = JSON.parse(STDIN.gets)
how = MODES.fetch(setup['mode'])
case setup['mode']
when 'puppet'
  require_relative '../../ruby_functions/installed_puppet'
  Puppet.initialize_settings(['--vardir', KeptFiles::DIRECTORY, '--log_level', 'notice'])
  require 'bunraku'
when 'c' then require 'bunraku/ffi'
else require 'bunraku'
end
common = { settings: { vardir: KeptFiles::DIRECTORY }, writable: [KeptFiles::DIRECTORY], commands: true }
environment = lambda do |code|
  if setup['modulepath']
    Bunraku::Environment.new('production', modulepath: setup['modulepath'], code:, **common, **how)
  else
    Bunraku::Environment.new(setup['name'], environmentpath: setup['environmentpath'], basemodulepath: setup['basemodulepath'],
                                           global_hiera: setup['hiera_config'], **{ code: }.compact, **common, **how)
  end
end
control = nil
STDOUT.sync = true
# The contents of the certificate, if they are more than its name.
def trusted(node, extensions)
  return unless extensions

  short, domain = node.split('.', 2)
  { 'authenticated' => 'remote', 'certname' => node, 'extensions' => extensions, 'hostname' => short, 'domain' => domain, 'external' => {} }
end
STDIN.each_line do |line|
  question = JSON.parse(line)
  answer = {}
  KeptFiles.forget
  # As in reference.rb: Puppet reports each deprecation only once per process.
  Puppet.clear_deprecation_warnings if setup['mode'] == 'puppet'
  begin
    used = question['code'] ? environment.call(question['code']) : (control ||= environment.call(nil))
    compiled = used.compile(node: question['node'], facts: question['facts'], classes: question['classes'] || [],
                            trusted: trusted(question['node'], question['extensions']),
                            server_facts: question['server_facts'], limits: { seconds: 60, steps: nil })
    answer['catalog'] = JSON.parse(compiled.to_json)
    answer['logs'] = compiled.logs.map { |log| [log[:level].to_s, log[:message]] }
  rescue Bunraku::Error => e
    answer['error'] = e.message
    answer['logs'] = (e.respond_to?(:logs) ? e.logs || [] : []).map { |log| [log[:level].to_s, log[:message]] }
  end
  puts KeptFiles.told(JSON.generate(answer))
end

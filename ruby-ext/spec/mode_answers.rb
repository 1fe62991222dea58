# frozen_string_literal: true

# Compiles manifests in one of the modes in which the Ruby of modules can run: `mode_answers.rb MODE
# MODULEPATH` reads JSON lines of manifest and facts, and writes for each the catalog's resources and edges or
# the error, and the log.
require 'json'
require 'tmpdir'

$LOAD_PATH.unshift(File.expand_path('../lib', __dir__))
mode, modulepath = ARGV
if mode == 'puppet'
  require 'puppet'
  Puppet.initialize_settings(['--vardir', Dir.mktmpdir, '--certname', 'n.example.com', '--strict', 'warning'])
end
require mode == 'c' ? 'bunraku/ffi' : 'bunraku'

how = { 'ruby' => { ruby_functions: :own }, 'native' => { ruby_functions: :off, templates: :native },
        'puppet' => { ruby_functions: :puppet }, 'c' => {} }.fetch(mode)
told = ->(logs) { logs.map { |log| [log[:level].to_s, log[:message]] } }
$stdin.each_line do |line|
  code, facts = JSON.parse(line)
  Puppet.clear_deprecation_warnings if mode == 'puppet'
  answer = begin
    environment = Bunraku::Environment.new('production', modulepath: [modulepath], code:, settings: { strict: 'warning' }, **how)
    catalog = environment.compile(node: 'n.example.com', facts:)
    JSON.parse(catalog.to_json).slice('resources', 'edges').merge('logs' => told.(catalog.logs))
  rescue Bunraku::Error => e
    { 'error' => e.message, 'logs' => told.(e.logs) }
  end
  puts JSON.generate(answer)
end

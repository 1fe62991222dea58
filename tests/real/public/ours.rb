# frozen_string_literal: true

# Compiles cases with the gem: reads and prints what reference.rb does; `mode` tells how modules' Ruby runs.
require 'bunraku'
require 'json'

MODES = { 'native' => { ruby_functions: :off, templates: :native }, 'ruby' => {} }.freeze
setup = JSON.parse(STDIN.gets)
how = MODES.fetch(setup['mode'])
environment = lambda do |code|
  if setup['modulepath']
    Bunraku::Environment.new('production', modulepath: setup['modulepath'], code:, **how)
  else
    Bunraku::Environment.new(setup['name'], environmentpath: setup['environmentpath'], basemodulepath: setup['basemodulepath'], **how)
  end
end
control = nil
STDOUT.sync = true
STDIN.each_line do |line|
  question = JSON.parse(line)
  answer = {}
  begin
    used = question['code'] ? environment.call(question['code']) : (control ||= environment.call(nil))
    compiled = used.compile(node: question['node'], facts: question['facts'], classes: question['classes'] || [],
                            server_facts: question['server_facts'], limits: { seconds: 60, steps: nil })
    answer['catalog'] = JSON.parse(compiled.to_json)
    answer['logs'] = compiled.logs.map { |log| [log[:level].to_s, log[:message]] }
  rescue Bunraku::Error => e
    answer['error'] = e.message
    answer['logs'] = (e.respond_to?(:logs) ? e.logs || [] : []).map { |log| [log[:level].to_s, log[:message]] }
  end
  puts JSON.generate(answer)
end

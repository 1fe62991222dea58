# frozen_string_literal: true

# Asks puppet-lint about the texts in tests/texts, and writes what it answers to tests/answers.jsonl.
#
# Usage: ruby ask.rb DIRECTORY-OF-PUPPET-LINT

$LOAD_PATH.unshift("#{ARGV.fetch(0)}/lib")
require 'json'
require 'puppet-lint'

if PuppetLint.configuration.checks.empty?
  Dir["#{ARGV.fetch(0)}/lib/puppet-lint/plugins/**/*.rb"].sort.each { |file| load file }
end
off = %i[class_inherits_from_params_class code_on_top_scope quoted_booleans 80chars]

# What it says of a text: all checks, or those that are on, which mend.
def ask(path, fix)
  PuppetLint.configuration.fix = fix
  lint = PuppetLint.new
  lint.file = path
  lint.instance_variable_set(:@path, "/code/modules/case/manifests/#{File.basename(path)}")
  lint.run
  found = lint.problems.map { |one| one.values_at(:check, :kind, :line, :column, :message) }
  { found: found, text: lint.manifest }
end

File.open("#{__dir__}/answers.jsonl", 'w') do |out|
  Dir["#{__dir__}/texts/*.pp"].sort.each do |path|
    off.each { |check| PuppetLint.configuration.send("enable_#{check}") }
    found = ask(path, false)[:found]
    off.each { |check| PuppetLint.configuration.send("disable_#{check}") }
    fixed = ask(path, true)
    out.puts JSON.generate(text: File.basename(path), found: found, fixed: fixed[:text], after: fixed[:found])
  end
end

# frozen_string_literal: true

# Asks puppet-lint and its plug-ins about the texts in tests/texts, and writes what they answer to
# tests/answers.jsonl.
#
# Usage: ruby ask.rb DIRECTORY-OF-PUPPET-LINT DIRECTORY-OF-PLUG-IN...

$LOAD_PATH.unshift("#{ARGV.fetch(0)}/lib")
require 'json'
require 'puppet-lint'

if PuppetLint.configuration.checks.empty?
  Dir["#{ARGV.fetch(0)}/lib/puppet-lint/plugins/**/*.rb"].sort.each { |file| load file }
end
own = PuppetLint.configuration.checks
ARGV.drop(1).each { |plugin| Dir["#{plugin}/lib/puppet-lint/plugins/*.rb"].sort.each { |file| load file } }
of_plugins = PuppetLint.configuration.checks - own
of_plugins.each { |check| PuppetLint.configuration.send("disable_#{check}") }
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

# What each check of a plug-in says alone, each finding once, and the mended text. Some fail for some texts.
def ask_plugins(path, checks)
  checks.filter_map do |check|
    PuppetLint.configuration.send("enable_#{check}")
    answers = [false, true].map do |fix|
      ask(path, fix)
    rescue SystemExit
      nil
    end
    found, fixed = answers
    next if found && found[:found].empty?

    [check, found && found[:found].uniq, fixed && fixed[:text]]
  ensure
    PuppetLint.configuration.send("disable_#{check}")
  end
end

File.open("#{__dir__}/answers.jsonl", 'w') do |out|
  Dir["#{__dir__}/texts/*.pp"].sort.each do |path|
    off.each { |check| PuppetLint.configuration.send("enable_#{check}") }
    found = ask(path, false)[:found]
    off.each { |check| PuppetLint.configuration.send("disable_#{check}") }
    fixed = ask(path, true)
    own.each { |check| PuppetLint.configuration.send("disable_#{check}") }
    plugins = ask_plugins(path, of_plugins)
    (own - off).each { |check| PuppetLint.configuration.send("enable_#{check}") }
    out.puts JSON.generate(text: File.basename(path), found: found, fixed: fixed[:text], after: fixed[:found],
                           plugins: plugins)
  end
end

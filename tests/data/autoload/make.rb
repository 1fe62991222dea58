#!/usr/bin/env ruby
# frozen_string_literal: true

# Where types, providers and functions of the 3.x API come from, and what does not come from there: writes the
# directories and the questions, and asks the reference.
#
#   OPENVOX_LIB=<openvox checkout>/lib ruby --disable-did_you_mean -rset make.rb
#
# Writes `files.json` (paths below a root, with their texts) and `answers.jsonl`: `id`, `code`, `settings`
# (`<root>` stands for the root), and either `resources` (references of the catalog) or `error` (the message
# without its place).

require 'fileutils'
require 'json'
require 'tmpdir'

# A directory that holds another Puppet beside other libraries is taken without it.
SHADOW = Dir.mktmpdir
at_exit { FileUtils.rm_rf(SHADOW) }
$LOAD_PATH.map! do |path|
  next path unless File.file?(File.join(path, 'puppet/defaults.rb'))

  Dir.each_child(path) { |name| File.symlink(File.join(path, name), File.join(SHADOW, name)) unless name.match?(/\Apuppet(\.rb|_x|_pal\.rb)?\z/) }
  SHADOW
end
$LOAD_PATH.unshift(ENV.fetch('OPENVOX_LIB'))

# Where the directory `lib` of each place is.
PLACES = { 'gem' => 'gems/gems/fixture-1.0/lib', 'module' => 'modules/m/lib', 'twin' => 'more/m/lib', 'odd' => 'modules/Odd-One/lib',
           'libdir' => 'libdir', 'ruby' => 'ruby', 'vendored' => 'vendored/vend/lib' }.freeze
# Unknown wherever they are.
HIDDEN = { 'hidden' => 'modules/.hidden/lib', 'hiddenvendored' => 'vendored/.hidden/lib', 'nolib' => 'vendored/vend' }.freeze

def type(name, parameter, more = '')
  "Puppet::Type.newtype(:#{name}) do\n  newparam(:name, namevar: true)\n  newparam(:#{parameter})\n#{more}end\n"
end

def function(name, answer)
  "module Puppet::Parser::Functions\n  newfunction(:#{name}, type: :rvalue, arity: 1) do |args|\n    \"#{answer} \#{args[0]}\"\n  end\nend\n"
end

FILES = {}.tap do |files|
  PLACES.merge(HIDDEN).each do |place, lib|
    files["#{lib}/puppet/type/in_#{place}.rb"] = type("in_#{place}", "of_#{place}")
    files["#{lib}/puppet/parser/functions/from_#{place}.rb"] = function("from_#{place}", place)
    files["#{lib}/puppet/functions/modern_#{place}.rb"] = "Puppet::Functions.create_function(:modern_#{place}) do\n  def modern_#{place}\n    '#{place}'\n  end\nend\n"
    files["#{lib}/puppet/datatypes/data_#{place}.rb"] = "Puppet::DataTypes.create_type('Data_#{place}') do\n  interface \"attributes => { a => Integer }\"\nend\n"
    files["#{lib}/puppet/provider/provided_by_#{place}/only.rb"] = "Puppet::Type.type(:provided_by_#{place}).provide(:only) do\nend\n"
    files["modules/m/lib/puppet/type/provided_by_#{place}.rb"] = type("provided_by_#{place}", 'other')
  end
  PLACES.keys.combination(2) do |first, second|
    [first, second].each do |place|
      files["#{PLACES[place]}/puppet/type/both_#{first}_#{second}.rb"] = type("both_#{first}_#{second}", "of_#{place}")
      files["#{PLACES[place]}/puppet/parser/functions/both_#{first}_#{second}.rb"] = function("both_#{first}_#{second}", place)
    end
  end
  files['modules/m/manifests/init.pp'] = "class m { }\n"
  files['vendored/vend/manifests/init.pp'] = "class vend { }\n"
  files['vendored/vend/manifests/thing.pp'] = "define vend::thing { }\n"
  files['vendored/vend/functions/f.pp'] = "function vend::f() { 1 }\n"
  files['vendored/vend/types/alias.pp'] = "type Vend::Alias = Integer\n"
  files['vendored/vend/lib/puppet/functions/vend/g.rb'] = "Puppet::Functions.create_function(:'vend::g') do\n  def g\n    1\n  end\nend\n"
  files['vendored/vend/lib/puppet_x/vend/patterns.rb'] = "module PuppetX\n  module Vend\n    PATTERNS = [[/\\A(.*)-(.*)\\z/m, [[:name], [:side]]]].freeze\n  end\nend\n"
  files['vendored/vend/lib/puppet/type/helped.rb'] = <<~'RUBY'
    require 'puppet_x/vend/patterns'
    Puppet::Type.newtype(:helped) do
      newparam(:name, namevar: true)
      newparam(:side, namevar: true)
      def self.title_patterns
        PuppetX::Vend::PATTERNS
      end
    end
  RUBY
  files['gems/specifications/fixture-1.0.gemspec'] =
    "# -*- encoding: utf-8 -*-\n# stub: fixture 1.0 ruby lib\n\nGem::Specification.new { |s| s.name = 'fixture'; s.version = '1.0'; s.summary = 's'; s.authors = ['a'] }\n"
end.freeze

SETTINGS = { 'libdir' => '<root>/libdir', 'vendormoduledir' => '<root>/vendored' }.freeze

QUESTIONS = [].tap do |all|
  ask = ->(id, code, settings = SETTINGS) { all << { 'id' => id, 'code' => code, 'settings' => settings } }
  PLACES.merge(HIDDEN).each_key do |place|
    ask["type-#{place}", "in_#{place} { 'x': of_#{place} => 1 }"]
    ask["parameter-#{place}", "in_#{place} { 'x': other => 1 }"]
    ask["defined-#{place}", "notify { String(defined('in_#{place}')): }"]
    ask["provider-#{place}", "provided_by_#{place} { 'x': provider => 'only' }"]
    ask["function-#{place}", "notify { from_#{place}('x'): }"]
    ask["arity-#{place}", "notify { from_#{place}('x', 'y'): }"]
    ask["call-#{place}", "notify { call('from_#{place}', 'x'): }"]
    ask["template-#{place}", "notify { inline_template(\"<%= scope.function_from_#{place}(['x']) %>\"): }"]
    ask["defined-function-#{place}", "notify { String(defined('from_#{place}')): }"]
    ask["modern-#{place}", "notify { modern_#{place}(): }"]
    # Those of modules are known, and no matter of this.
    ask["datatype-#{place}", "notify { String(Data_#{place}({ a => 1 })): }"] unless place == 'module'
  end
  PLACES.keys.combination(2) do |first, second|
    [first, second].each { |place| ask["type-#{first}-#{second}-#{place}", "both_#{first}_#{second} { 'x': of_#{place} => 1 }"] }
    ask["function-#{first}-#{second}", "notify { both_#{first}_#{second}('x'): }"]
  end
  ['include vend', 'vend::thing { "x": }', 'notify { String(vend::f()): }', 'notify { String(vend::g()): }',
   'notify { String(1 =~ Vend::Alias): }', "notify { String(defined('vend', 'vend::thing')): }",
   "helped { 'a-b': }", "helped { 'a-b': } helped { 'b': name => 'a', side => 'b' }"].each { |code| ask[code, code] }
  off = { 'libdir' => '<root>/nowhere', 'vendormoduledir' => '' }
  missing = { 'libdir' => '<root>/nowhere', 'vendormoduledir' => '<root>/nowhere' }
  { 'off' => off, 'missing' => missing }.each do |name, settings|
    %w[gem ruby libdir vendored].each do |place|
      ask["#{name}-type-#{place}", "in_#{place} { 'x': of_#{place} => 1 }", settings]
      ask["#{name}-function-#{place}", "notify { from_#{place}('x'): }", settings]
    end
  end
end.freeze

def answer(question, root)
  settings = question['settings'].map { |name, value| "--#{name}=#{value.sub('<root>', root)}" }
  scratch = File.join(root, 'scratch')
  directories = %w[confdir codedir vardir rundir logdir publicdir].map { |name| "--#{name}=#{scratch}/#{name}" }
  Puppet.initialize_settings(directories + settings, false)
  Puppet::Util::Log.level = :crit
  environment = Puppet::Node::Environment.create(:production, ["#{root}/modules", "#{root}/more"], Puppet::Node::Environment::NO_MANIFEST)
  Puppet[:code] = question['code']
  Puppet.override(environments: Puppet::Environments::Static.new(environment), current_environment: environment) do
    node = Puppet::Node.new('n', environment: environment, facts: Puppet::Node::Facts.new('n', {}))
    catalog = Puppet::Parser::Compiler.compile(node).to_data_hash
    { 'resources' => catalog['resources'].drop(3).map { |one| "#{one['type']}[#{one['title']}]" } }
  end
rescue StandardError => e
  text = (e.respond_to?(:basic_message) ? e.basic_message : e.message).gsub(root, '<root>')
  { 'error' => text.sub(/ \((?:file|line): [^()]*\)(?: on node \w+)?\z/, '').sub(/ on node \w+\z/, '') }
end

Dir.mktmpdir do |root|
  root = File.realpath(root)
  FILES.each do |path, text|
    FileUtils.mkdir_p(File.dirname("#{root}/#{path}"))
    File.write("#{root}/#{path}", text)
  end
  ENV['GEM_PATH'] = [*Gem.path, "#{root}/gems"].join(':')
  Gem.clear_paths
  $LOAD_PATH.push("#{root}/ruby")
  require 'puppet'
  require 'puppet/parser/compiler'
  answers = QUESTIONS.map do |question|
    reader, writer = IO.pipe
    fork do
      reader.close
      writer.write(JSON.generate(answer(question, root)))
      writer.close
      exit!(0)
    end
    writer.close
    JSON.generate(question.merge(JSON.parse(reader.read))).tap { Process.wait }
  end
  File.write(File.join(__dir__, 'answers.jsonl'), "#{answers.join("\n")}\n")
end
File.write(File.join(__dir__, 'files.json'), "#{JSON.pretty_generate(FILES.sort.to_h)}\n")

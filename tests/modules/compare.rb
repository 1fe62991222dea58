# frozen_string_literal: true

# Compares `bunraku module check` with other tools, on Debian's modules and on generated metadata:
# unmet dependencies with `puppet module list`, valid metadata with metadata-json-lint.
#
#   [OPENVOX_LIB=…/lib] ruby tests/modules/compare.rb [--generated N] [--show N]
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'fileutils'
require 'json'
require 'optparse'
require 'stringio'
require_relative '../ruby_functions/installed_puppet'
require 'metadata_json_lint'

options = { modules: '/usr/share/puppet/modules', generated: 400, show: 10 }
OptionParser.new do |parser|
  parser.on('--modules DIR')
  parser.on('--generated N', Integer)
  parser.on('--show N', Integer)
end.parse!(into: options)

# Metadata, sound and damaged.
class Made
  VERSIONS = ['1.2.3', '0.1.0', '1.0.0-rc1', '2.0', 'x', '1.2.3.4', 'v1.0.0', 7, ''].freeze
  RANGES = ['>= 1.0.0', '>= 1.0.0 < 2.0.0', '1.x', '~1.2', '< 5.0.0', '1.2.3', '>= 9.0.0', 'abc', '>=1.0.0 <8.0.0', '^4.1', '>= 1.0.0 <3.x', '', '1.0.0 - 9.0.0'].freeze
  NAMES = %w[puppetlabs/stdlib puppetlabs-stdlib puppetlabs/concat other/stdlib puppetlabs/nowhere puppetlabs-apt stdlib].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def one(list)
    list[@random.rand(list.size)]
  end

  def maybe(chance)
    @random.rand < chance
  end

  def metadata
    own = { 'name' => "me-made", 'version' => '1.0.0', 'author' => 'me', 'summary' => 'What it is', 'license' => 'Apache-2.0', 'source' => 'https://example.com/made',
            'dependencies' => Array.new(@random.rand(4)) { dependency } }
    own['requirements'] = Array.new(@random.rand(3)) { { 'name' => one(%w[puppet pe openvox Puppet]), 'version_requirement' => one(RANGES) } } if maybe(0.4)
    own['operatingsystem_support'] = Array.new(@random.rand(3)) { { 'operatingsystem' => one(['Debian', 'RedHat', 1]), 'operatingsystemrelease' => one([['11'], '11', [11], []]) } } if maybe(0.3)
    own['tags'] = one([%w[a b], [], 'a', ['with space'], [1]]) if maybe(0.2)
    (1 + @random.rand(2)).times { damage(own) } if maybe(0.6)
    own
  end

  def dependency
    own = { 'name' => one(NAMES) }
    own['version_requirement'] = one(RANGES) if maybe(0.8)
    own['version_range'] = '1.x' if maybe(0.1)
    own
  end

  def damage(own)
    case @random.rand(10)
    when 0 then own.delete(one(own.keys))
    when 1 then own['version'] = one(VERSIONS)
    when 2 then own['name'] = one(['made', 'me/made', 'me-ma de', 'Me-made', 'me-1made', 1, nil, 'me-made-it', ''])
    when 3 then own['license'] = one(['proprietary', 'Apache 2', 'MIT', 1, ''])
    when 4 then own['summary'] = one(['x' * 145, 'x' * 144, '', 1])
    when 5 then own['dependencies'] = one([{}, 'x', [{}], [{ 'name' => 1 }], ['x']])
    when 6 then own[one(%w[types checksum])] = {}
    when 7 then own[one(%w[project_page issues_url source])] = one(['https://example.com', 'x', '', 1, 'UNKNOWN'])
    when 8 then own['author'] = one(['', 1, nil])
    else own['extra'] = 1
    end
  end
end

def lint(path)
  out, $stdout = $stdout, StringIO.new
  err, $stderr = $stderr, StringIO.new
  MetadataJsonLint.parse(path)
  found = $stdout.string.lines
  [found.grep(/\A\(ERROR\)/), found.grep(/\A\(WARN\)/)].map { |lines| lines.map { |line| line.sub(/\A\(\w+\) /, '').chomp } }
rescue SystemExit, StandardError => e
  [["#{e.class}: #{e.message}"], []]
ensure
  $stdout, $stderr = out, err
end

scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |name| ["--#{name}", File.join(scratch, name)] })
Puppet::Util::Log.level = :crit
MetadataJsonLint.options.tap { |own| own.fail_on_warnings = false }

shown = Hash.new(0)
counts = Hash.new { |hash, kind| hash[kind] = Hash.new(0) }
differ = lambda do |kind, what, path, theirs, ours|
  counts[kind]["#{what} differ"] += 1
  puts "#{File.basename(path)}: #{what}", "  theirs: #{theirs.inspect}", "  ours:   #{ours.inspect}" if (shown[what] += 1) <= options[:show]
end

compare = lambda do |kind, path, modulepath, environment|
  counts[kind][:modules] += 1
  found = Bunraku::ModuleCheck.of(path, modulepath: modulepath)
  # Dependencies.
  begin
    own = Puppet::Module.new(File.basename(path), path, environment)
    theirs = own.unmet_dependencies.map { |one| [one[:name].tr('-', '/'), one[:reason]] }
    reasons = { /is not on the modulepath\z/ => :missing, /which will not do\z/ => :version_mismatch,
                /not a semantic one\z|what is wanted is no range\z/ => :non_semantic_version }
    ours = found.select { |one| one.rule == 'dependency' }.map do |one|
      [one.message[/\A'([^']*)'/, 1], reasons.find { |pattern, _| one.message.match?(pattern) }.last]
    end
    counts[kind]['dependencies that are not met'] += theirs.size
    differ.call(kind, :dependencies, path, theirs - ours, ours - theirs) unless theirs.sort == ours.sort
  rescue StandardError => e
    counts[kind]['that Puppet cannot read'] += 1
    differ.call(kind, :readings, path, e.message, []) if found.none? { |one| one.severity == :error }
  end
  # Metadata.
  errors, warnings = lint(File.join(path, 'metadata.json'))
  mine = found.select { |one| one.rule == 'metadata' }
  counts[kind]['metadata with errors'] += 1 if errors.any?
  counts[kind]['metadata with warnings alone'] += 1 if errors.empty? && warnings.any?
  if errors.any? != mine.any? { |one| one.severity == :error }
    differ.call(kind, :verdicts, path, errors, mine.select { |one| one.severity == :error }.map(&:to_s))
  elsif errors.empty? && warnings.any? && mine.none? { |one| one.severity == :warning }
    differ.call(kind, :warnings, path, warnings, mine.map(&:to_s))
  end
end

environment = Puppet::Node::Environment.create(:production, [options[:modules]])
Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
  Dir.glob("#{options[:modules]}/*/metadata.json").sort.each { |file| compare.call(:installed, File.dirname(file), [options[:modules]], environment) }
  (1..options[:generated]).each do |seed|
    path = File.join(scratch, "made#{seed}", 'made')
    FileUtils.mkdir_p(path)
    File.write(File.join(path, 'metadata.json'), JSON.generate(Made.new(seed).metadata))
    compare.call(:generated, path, [options[:modules]], environment)
  end
end
counts.each { |kind, of| puts "#{kind}: #{of.map { |what, count| "#{what}: #{count}" }.join(', ')}" }
exit(counts.values.flat_map(&:keys).none? { |what| what.to_s.end_with?(' differ') } ? 0 : 1)

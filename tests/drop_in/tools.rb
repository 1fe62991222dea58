# frozen_string_literal: true

# Runs unchanged tools from Debian packages with and without `bunraku/puppet`, and compares what they print
# and write:
#
#   ruby tests/drop_in/tools.rb [--modules GLOB] [--only NAME] [--puppet TREE] [--strings TREE] [SOURCE...]
#
# A SOURCE is the source tree of a module, whose rspec-puppet examples are run; its version should be that of
# the installed module. `--puppet` uses Puppet or OpenVox from a source tree, `--strings` puppet-strings.
# Seconds are CPU time. The status is 1 if anything differs.
require 'English'
require 'fileutils'
require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'

LIBRARY = File.expand_path('../../ruby-ext/lib', __dir__)
MODULES = '/usr/share/puppet/modules'
# The parts of the output that differ from run to run.
CHANGING = [[/in \d+(\.\d+)? (seconds|s)\b/, 'in N s'], [/^(Finished in|Randomized with).*/, ''], [%r{^ *# /.*/bunraku/drop_in.*\n}, ''], [/took [\d.]+ \w+/, 'took N'],
            [/\h{8}-\h{4}-\h{4}-\h{4}-\h{12}/, 'UUID'], [/"version": ?\d{10}/, '"version":N'], [/^[\d:TZ. +-]{19,} /, ''],
            [/0x\h+/, '0xN'], [/^([IW]), \[.*?\]/, '\1, []'], [/ocd-builddir-[\w-]+/, 'ocd-builddir'], [/configuration version '\d+'/, "configuration version 'N'"]].freeze

# A document with its keys in order: Puppet's depends on which function declared a resource.
def sorted(value)
  case value
  when Hash then value.sort.to_h { |key, inner| [key, sorted(inner)] }
  when Array then value.map { |inner| sorted(inner) }
  else value
  end
end

# Returns the comparable part of a tool's output: nothing that changes from run to run, and JSON without the
# order of keys.
def comparable(said)
  lines = said.dup.force_encoding('UTF-8').scrub.lines.map { |line| line.start_with?('{"') ? "#{JSON.generate(sorted(JSON.parse(line)))}\n" : line }
  CHANGING.reduce(lines.join) { |text, (from, to)| text.gsub(from, to) }
rescue JSON::ParserError
  said
end

# A tool's run.
Run = Struct.new(:status, :said, :seconds, :native)

# Reports at the end of a process what was done natively.
WITNESS = <<~RUBY
  at_exit do
    drop_in = defined?(Bunraku::DropIn) && Bunraku::DropIn
    next unless drop_in && drop_in.enabled.any?
    trees = drop_in::Parser.cache.size if drop_in.enabled.include?(:parser)
    compiled = drop_in::Compiler.compiled if drop_in.enabled.include?(:compiler)
    File.write(ENV.fetch('BUNRAKU_WITNESS'), [trees || 0, compiled ? compiled[:native] : 0, compiled ? compiled[:puppet] : 0].join(' ') + "\\n", mode: 'a')
  end
RUBY

# Runs commands in a directory of their own.
class Bench
  # @param trees [Array<String>] source trees that precede the installed files
  def initialize(directory, trees)
    @directory = directory
    @libraries = trees.map { |tree| File.join(File.expand_path(tree), 'lib') }
    File.write(File.join(directory, 'witness.rb'), WITNESS)
  end

  # @yield [Array<String>] further output to compare
  # @return [Run]
  def run(command, native, chdir)
    seen = File.join(@directory, 'seen')
    FileUtils.rm_rf([seen, File.join(@directory, 'conf'), File.join(@directory, 'var')])
    environment = { 'RUBYOPT' => native ? "-W0 -I#{LIBRARY} -rbunraku/puppet -r#{@directory}/witness.rb" : '-W0', 'BUNRAKU_WITNESS' => seen,
                    'HOME' => @directory, 'LC_ALL' => 'C.UTF-8', 'RUBYLIB' => @libraries.join(':') }
    before = Process.times
    said, status = Open3.capture2e(environment, *command, chdir: chdir)
    after = Process.times
    seconds = after.cutime + after.cstime - before.cutime - before.cstime
    Run.new(status.exitstatus, said, seconds, File.exist?(seen) ? File.readlines(seen).map { |line| line.split.map(&:to_i) } : [])
  end
end

options = { modules: '*', only: nil, puppet: nil, strings: nil }
OptionParser.new do |parser|
  parser.on('--modules GLOB') { |glob| options[:modules] = glob }
  parser.on('--only NAME') { |name| options[:only] = name }
  parser.on('--puppet TREE') { |tree| options[:puppet] = tree }
  parser.on('--strings TREE') { |tree| options[:strings] = tree }
end.parse!

SITE = <<~PUPPET
  class site(Integer $port = 80, Array[String] $names = ['a', 'b']) {
    include apache
    $names.each |$name| {
      file { "/tmp/bunraku-${name}": content => epp('site/conf.epp', { 'name' => $name, 'port' => $port }), notify => Service['apache2'] }
    }
    notify { inline_template('<%= @port %>'): message => lookup('site::port', Integer, 'first', 81) }
  }
  node default { include site }
PUPPET

# An environment with the installed modules, and a second one that differs a little.
def environments(directory)
  %w[from to].each do |name|
    root = File.join(directory, name)
    %w[manifests data modules/site/manifests modules/site/templates].each { |path| FileUtils.mkdir_p(File.join(root, path)) }
    File.write("#{root}/manifests/site.pp", "node default { class { 'site': #{'port => 8080' if name == 'to'} } }\n")
    File.write("#{root}/modules/site/manifests/init.pp", SITE[/\A.*?^}\n/m])
    File.write("#{root}/modules/site/templates/conf.epp", "<%- | String $name, Integer $port | -%>\n<%= $name %>:<%= $port %>\n")
    File.write("#{root}/hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n")
    File.write("#{root}/data/common.yaml", "site::names: [one, two, three]\nsite::port: #{name == 'to' ? 8081 : 8080}\n")
    File.write("#{root}/environment.conf", "modulepath = modules:#{MODULES}\n")
  end
end

def facts
  { 'os' => { 'family' => 'Debian', 'name' => 'Debian', 'release' => { 'full' => '12.5', 'major' => '12' } }, 'osfamily' => 'Debian',
    'operatingsystem' => 'Debian', 'operatingsystemrelease' => '12.5', 'processors' => { 'count' => 2 }, 'kernel' => 'Linux',
    'networking' => { 'fqdn' => 'n.example.net', 'hostname' => 'n' }, 'fqdn' => 'n.example.net', 'hostname' => 'n', 'domain' => 'example.net',
    'clientcert' => 'n.example.net', 'clientversion' => '7.23.0', 'clientnoop' => false, 'path' => '/usr/bin' }
end

Dir.mktmpdir('bunraku-tools') do |directory|
  environments(directory)
  File.write("#{directory}/facts.json", JSON.generate(facts))
  File.write("#{directory}/facts.yaml", { 'name' => 'n.example.net', 'values' => facts }.to_json)
  manifests = Dir["#{MODULES}/#{options[:modules]}/{manifests,functions,types}/**/*.pp"].reject { |path| path.include?('/types/') }.sort
  templates = Dir["#{MODULES}/#{options[:modules]}/templates/**/*.epp"].sort
  puppet = [options[:puppet] ? File.join(File.expand_path(options[:puppet]), 'bin/puppet') : '/usr/bin/puppet']
  here = ['--confdir', "#{directory}/conf", '--vardir', "#{directory}/var", '--environmentpath', directory, '--environment', 'from']
  tools = [
    ['puppet parser validate', [*puppet, 'parser', 'validate', *manifests]],
    ['puppet parser dump', [*puppet, 'parser', 'dump', *manifests]],
    ['puppet epp validate', [*puppet, 'epp', 'validate', *templates]],
    ['puppet epp dump', [*puppet, 'epp', 'dump', *templates]],
    *%w[stdlib apache].map do |name|
      ["puppet strings, #{name}", [*puppet, 'strings', 'generate', '--format', 'json', '--out', "#{directory}/strings.json"], "#{MODULES}/#{name}",
       "#{directory}/strings.json"]
    end,
    ['puppet apply --noop', [*puppet, 'apply', '--noop', '--test', *here, "#{directory}/from/manifests/site.pp"]],
    ['puppet catalog compile', [*puppet, 'catalog', 'compile', 'n.example.net', *here, '--facts_terminus', 'facter', '--render-as', 'json']],
    ['puppet lookup --explain', [*puppet, 'lookup', 'site::port', '--explain', '--facts', "#{directory}/facts.json", '--node', 'n.example.net', *here]],
    ['puppet lookup --compile', [*puppet, 'lookup', 'site::names', '--compile', '--facts', "#{directory}/facts.json", '--node', 'n.example.net', *here]],
    ['octocatalog-diff', ['octocatalog-diff', '-n', 'n.example.net', '--bootstrapped-from-dir', "#{directory}/from", '--bootstrapped-to-dir', "#{directory}/to",
                          '--fact-file', "#{directory}/facts.yaml", '--puppet-binary', *puppet, '--hiera-config', 'hiera.yaml', '--no-enc',
                          '--no-parallel', '--output-format', 'json', '--pass-env-vars', 'RUBYOPT,RUBYLIB,BUNRAKU_WITNESS,HOME,LC_ALL'], "#{directory}/from"],
    *ARGV.map do |source|
      name = JSON.parse(File.read(File.join(source, 'metadata.json')))['name'][/\w+\z/]
      fixtures = File.join(source, 'spec/fixtures')
      FileUtils.mkdir_p(["#{fixtures}/modules", "#{fixtures}/manifests"])
      FileUtils.touch("#{fixtures}/manifests/site.pp")
      Dir["#{MODULES}/*"].each { |path| FileUtils.ln_sf(path, "#{fixtures}/modules/") unless File.basename(path) == name || File.exist?("#{fixtures}/modules/#{File.basename(path)}") }
      FileUtils.ln_s(File.expand_path(source), "#{fixtures}/modules/#{name}") unless File.exist?("#{fixtures}/modules/#{name}")
      folders = %w[classes defines hosts functions].map { |folder| "spec/#{folder}" }.select { |folder| File.directory?(File.join(source, folder)) }
      ["rspec-puppet, #{name}", ['ruby', '-S', 'rspec', '--order', 'defined', '--format', 'documentation', *folders], source]
    end
  ].select { |name, _| options[:only].nil? || name.include?(options[:only]) }

  puts format('%-28s %-9s %9s %9s %7s %10s %9s %9s', '', 'same', 'without', 'with', 'ratio', 'kB parsed', 'compiled', 'by Puppet')
  bench = Bench.new(directory, options.values_at(:puppet, :strings).compact)
  differing = tools.reject do |name, command, chdir, file|
    without, with = [false, true].map do |native|
      # The written files are compared; the statistics of YARD have no fixed order.
      bench.run(command, native, chdir || directory).tap { |run| run.said = File.read(file) if file && File.exist?(file) }
    end
    said = [without, with].map { |run| comparable(run.said) }
    same = said[0] == said[1] && without.status == with.status
    size, compiled, left = with.native.transpose.map(&:sum)
    puts format('%-28s %-9s %7.2f s %7.2f s %6.2fx %10d %9d %9d', name, same ? "yes (#{with.status})" : 'NO', without.seconds, with.seconds, without.seconds / with.seconds,
                (size || 0) / 1000, compiled || 0, left || 0)
    $stdout.flush
    unless same
      %w[without with].zip(said) { |how, text| File.write("#{Dir.tmpdir}/bunraku-#{how}.txt", text) }
      puts `diff --text #{Dir.tmpdir}/bunraku-without.txt #{Dir.tmpdir}/bunraku-with.txt | head -20`
    end
    same
  end
  exit differing.empty? ? 0 : 1
end

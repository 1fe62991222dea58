# frozen_string_literal: true

# Times the parts of `bunraku/puppet` and Puppet itself: `make bench-drop-in`. All but the last are CPU
# seconds in this process, after Puppet has started, the median of some rounds; rspec-puppet is timed as a
# whole process, by the wall clock, too. Arguments: directories with manifests and templates; by default those
# of Debian's modules.
require 'puppet'
require 'puppet/face'
require 'stringio'
require 'tmpdir'
require 'bunraku/puppet'
require_relative 'timing'
require_relative 'drop_in/fixtures'

Puppet.initialize_settings
Puppet[:log_level] = 'crit'
ROUNDS = 5
# The number of resources in the compiled catalog.
RESOURCES = 5000

def median(rounds = ROUNDS)
  Timing.median(rounds) do
    Bunraku::DropIn::Parser.cache.clear
    yield
  end
end

def parse(files, parser_of)
  files.each do |path, text|
    parser_of[path].parse_string(text.dup, path)
  rescue Puppet::ParseError
    nil
  end
end

# As `puppet parser validate` does, which is a process of its own.
def validate(paths)
  environment = Puppet::Node::Environment.create(:bench, [], Puppet::Node::Environment::NO_MANIFEST)
  Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
    Puppet::Face[:parser, :current].validate(*paths)
  end
rescue SystemExit
  nil
end

# A compilation in an environment that is loaded, the second of two.
def compile(directory)
  environment = Puppet::Node::Environment.create(:bench, [File.join(directory, 'modules')], File.join(directory, 'manifests/site.pp'))
  Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
    work = lambda do
      node = Puppet::Node.new('bench.example.net', environment: environment)
      node.fact_merge(Puppet::Node::Facts.new('bench.example.net', 'os' => { 'family' => 'Debian' }))
      catalog = Puppet::Parser::Compiler.compile(node)
      abort "the catalog has #{catalog.resources.size} resources" unless catalog.resources.size > RESOURCES
    end
    work.call
    median(3, &work)
  end
end

# Puts a line of the table out.
def compare(name, unit: 1e3)
  Bunraku::DropIn.disable
  theirs = yield
  Bunraku::DropIn.enable
  own = yield
  puts format('%-34s %10.1f ms %10.1f ms %7.1fx', name, theirs * unit, own * unit, theirs / own)
end

directories = ARGV.empty? ? Dir['/usr/share/puppet/modules/*'] : ARGV
paths = directories.flat_map { |directory| Dir["#{directory}/{manifests,types,functions,templates}/**/*.{pp,epp}"] }.sort.first(1000)
FILES = paths.map { |path| [path, File.read(path, encoding: 'UTF-8')] }
MANIFESTS = paths.select { |path| path.end_with?('.pp') }.first(500)
TYPES = FILES.flat_map { |_, text| text.scan(/^\s+((?:Optional|Array|Variant|Enum|Hash|Integer|String)\[[^$\n]*\])\s+\$/).flatten }
             .select { |type| type.count('[') == type.count(']') }.first(2000)

pops = Puppet::Pops::Parser
evaluating = pops::EvaluatingParser
parsers = { '.pp' => pops::Parser.new, '.epp' => pops::EppParser.new }
validators = { '.pp' => evaluating.new, '.epp' => evaluating::EvaluatingEppParser.new }
type_parser = Puppet::Pops::Types::TypeParser.singleton

puts format('%<files>d files, %<size>.2f MB; %<types>d types', files: FILES.size, size: FILES.sum { |_, text| text.bytesize } / 1e6,
                                                               types: TYPES.size)
puts format('%-34s %13s %13s %8s', '', 'Puppet', 'bunraku', 'ratio')
compare('parse to model objects') { median { parse(FILES, ->(path) { parsers[File.extname(path)] }) } }
compare('parse and validate') { median { parse(FILES, ->(path) { validators[File.extname(path)] }) } }
compare('puppet parser validate, 500 files') { median { validate(MANIFESTS) } }
compare('parse types') { median { TYPES.each { |type| type_parser.parse(type) } } }
Dir.mktmpdir do |directory|
  Fixtures.environment(directory, RESOURCES)
  compare("compile #{RESOURCES} resources") { compile(directory) }
end

if Gem::Specification.any? { |gem| gem.name == 'rspec-puppet' }
  Dir.mktmpdir do |directory|
    Fixtures.tested_module(directory)
    library = File.expand_path('../ruby-ext/lib', __dir__)
    native = { 'RUBYOPT' => "-W0 -I#{library} -rbunraku/puppet" }
    times = [{ 'RUBYOPT' => '-W0' }, native].map do |environment|
      before = Process.times
      wall = Timing.seconds(:wall) do
        system(environment, 'ruby', '-S', 'rspec', '--format', 'progress', '--out', 'said', chdir: directory) || abort(File.read("#{directory}/said")[0, 2000])
      end
      after = Process.times
      [wall, after.cutime + after.cstime - before.cutime - before.cstime]
    end
    %w[wall CPU].zip(*times) do |clock, theirs, own|
      puts format('%-34s %10.1f ms %10.1f ms %7.1fx', "rspec-puppet, #{clock}", theirs * 1e3, own * 1e3, theirs / own)
    end
  end
else
  puts 'rspec-puppet is not installed'
end

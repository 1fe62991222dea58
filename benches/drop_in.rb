# frozen_string_literal: true

# Times what `bunraku/puppet` takes over beside Puppet itself, in one process: `make bench-drop-in`. Arguments: directories with
# manifests and templates; those of Debian's modules if there are none.
require 'puppet'
require 'bunraku/puppet'
require_relative 'timing'

Puppet.initialize_settings
Puppet[:log_level] = :crit
ROUNDS = 5

def median
  Timing.median(ROUNDS) do
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

directories = ARGV.empty? ? Dir['/usr/share/puppet/modules/*'] : ARGV
paths = directories.flat_map { |directory| Dir["#{directory}/{manifests,types,functions,templates}/**/*.{pp,epp}"] }.sort.first(1000)
FILES = paths.map { |path| [path, File.read(path, encoding: 'UTF-8')] }
TYPES = FILES.flat_map { |_, text| text.scan(/^\s+((?:Optional|Array|Variant|Enum|Hash|Integer|String)\[[^$\n]*\])\s+\$/).flatten }
             .select { |type| type.count('[') == type.count(']') }.first(2000)

pops = Puppet::Pops::Parser
evaluating = pops::EvaluatingParser
parsers = { '.pp' => pops::Parser.new, '.epp' => pops::EppParser.new }
validators = { '.pp' => evaluating.new, '.epp' => evaluating::EvaluatingEppParser.new }
type_parser = Puppet::Pops::Types::TypeParser.singleton
jobs = {
  'parse to model objects' => -> { parse(FILES, ->(path) { parsers[File.extname(path)] }) },
  'parse and validate' => -> { parse(FILES, ->(path) { validators[File.extname(path)] }) },
  'parse types' => -> { TYPES.each { |type| type_parser.parse(type) } }
}

puts format('%<files>d files, %<size>.2f MB; %<types>d types', files: FILES.size, size: FILES.sum { |_, text| text.bytesize } / 1e6,
                                                               types: TYPES.size)
puts format('%-26s %12s %12s %8s', '', 'Puppet', 'bunraku', 'ratio')
jobs.each do |name, job|
  Bunraku::DropIn.disable
  theirs = median(&job)
  Bunraku::DropIn.enable
  own = median(&job)
  puts format('%-26s %9.1f ms %9.1f ms %7.1fx', name, theirs * 1e3, own * 1e3, theirs / own)
end

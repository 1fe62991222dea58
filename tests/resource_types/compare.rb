# frozen_string_literal: true

# Compares bunraku's descriptions of the types in Debian's modules with the installed Puppet: `generate types`
# (the header names the program) and `describe --providers`.
#
#   [OPENVOX_LIB=…/lib] ruby tests/resource_types/compare.rb [--modules DIR[:DIR]] [--show N] [MODULE…]
#
# The types of the first directory are compared, and the modules of the others are dependencies; or the types
# of the modules whose directories are given. A type with a provider that the reference cannot load
# here, because a library is missing, is counted apart.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'

options = { modules: '/usr/share/puppet/modules', show: 10 }
OptionParser.new do |parser|
  parser.on('--modules DIR')
  parser.on('--show N', Integer)
end.parse!(into: options)

# A directory with links to modules, by their names.
def linked(modules)
  directory = Dir.mktmpdir
  at_exit { FileUtils.rm_rf(directory) }
  modules.each do |path|
    metadata = File.join(path, 'metadata.json')
    name = File.exist?(metadata) ? JSON.parse(File.read(metadata))['name'].split(%r{[-/]}).last : File.basename(path)
    link = File.join(directory, name)
    File.symlink(File.realpath(path), link) unless File.symlink?(link)
  end
  directory
end
options[:modules] = linked(ARGV) if ARGV.any?

output, status = Open3.capture2('ruby', '-W0', File.join(__dir__, 'reference.rb'), options[:modules])
abort 'the reference is not installed' unless status.success?
expected, failed = JSON.parse(output).partition { |_, answer| !answer['error'] }.map(&:to_h)
modulepath = options[:modules].split(':')
own = Bunraku::ResourceTypes.generate(modulepath:).to_h { |one| [one['file'], one['text']] }

names = expected.keys.map { |file| File.basename(file, '.rb') }
own_descriptions = names.zip(Bunraku::ResourceTypes.describe(*names, modulepath:, providers: true)).to_h
descriptions = expected.keys.to_h { |file| [file, own_descriptions[File.basename(file, '.rb')].to_s] }

without_header = ->(text) { text&.lines&.drop(2)&.join }
without_comments = ->(text) { text&.lines&.reject { |line| line.match?(/\A *#/) }&.join }
# The same words: lines may be broken elsewhere.
squeezed = ->(text) { text&.gsub(/\s+/, ' ')&.strip }

generated = expected.to_h do |file, answer|
  mine, theirs = own[file], answer['generated']
  kind = if answer['unloaded'].any? then :not_comparable
         elsif without_header[mine] == without_header[theirs] then :equal
         elsif without_comments[mine] == without_comments[theirs] then :other_comments
         else :other
         end
  [file, kind]
end
described = expected.to_h do |file, answer|
  mine, theirs = descriptions[file], answer['described']
  [file, if answer['unloaded'].any? then :not_comparable elsif mine == theirs then :equal elsif squeezed[mine] == squeezed[theirs] then :other_lines else :other end]
end
puts "generate types: #{generated.values.tally.map { |kind, count| "#{kind.to_s.tr('_', ' ')} #{count}" }.join(', ')} of #{expected.size}"
puts "not loaded by the reference: #{failed.size}" if failed.any?
puts "describe --providers: #{described.values.tally.map { |kind, count| "#{kind.to_s.tr('_', ' ')} #{count}" }.join(', ')} of #{expected.size}"

def first_difference(mine, theirs)
  mine, theirs = [mine, theirs].map { |text| text.to_s.lines }
  at = (0..[mine.size, theirs.size].max).find { |index| mine[index] != theirs[index] }
  ["    ours:   #{mine[at].inspect}", "    theirs: #{theirs[at].inspect}"]
end
{ generated => [own.transform_values(&without_header), ->(answer) { without_header[answer['generated']] }],
  described => [descriptions, ->(answer) { answer['described'] }] }
  .each do |kinds, (mine, theirs)|
  kinds.reject { |_, kind| %i[equal not_comparable].include?(kind) }.keys.first(options[:show]).each do |file|
    puts "  #{file}", first_difference(mine[file], theirs[expected[file]])
  end
end
exit((generated.values + described.values - %i[equal not_comparable]).empty? ? 0 : 1)

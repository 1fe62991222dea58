# frozen_string_literal: true

# Runs the rspec suites of a Puppet or OpenVox source tree with and without parts of `bunraku/puppet`, and
# prints the differences:
#
#   ruby tests/drop_in/suites.rb [--known DIRECTORY] TREE [PARTS] [SUITE...]
#
# PARTS is the value of `BUNRAKU_PUPPET` (default: `all`). A suite is a path below `spec`. `--known` stores
# the results without the parts, and reuses them in the next run. The status is 1 if an example passes without
# the parts and fails with them.
require 'fileutils'
require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'

# The suites that concern the parts.
SUITES = %w[
  unit/pops unit/functions* unit/parser integration/parser unit/resource* unit/face unit/application unit/hiera*
  unit/puppet_pal* unit/indirector/catalog/compiler_spec.rb
].freeze

LIBRARY = File.expand_path('../../ruby-ext/lib', __dir__)

# The results of some files: the examples by id, and the duration in seconds.
def examples(tree, files, parts)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  Dir.mktmpdir do |directory|
    result = File.join(directory, 'result.json')
    options = parts ? ['-I', LIBRARY, '-r', 'bunraku/puppet'] : []
    command = ['ruby', '-W0', '-S', 'rspec', '-I', 'lib', '-I', 'spec', *options, '--format', 'json', '--out', result, *files]
    said, = Open3.capture2e({ 'BUNRAKU_PUPPET' => parts.to_s, 'RUBYOPT' => nil }, *command, chdir: tree)
    abort "rspec gave no result:\n#{said.lines.last(20).join}" unless File.exist?(result)
    found = JSON.parse(File.read(result))['examples'].to_h { |example| [example['id'], example] }
    [found, Process.clock_gettime(Process::CLOCK_MONOTONIC) - start]
  end
end

# Returns the content of a file, or creates the file with the result of the block.
def kept(file)
  return yield unless file
  return JSON.parse(File.read(file)) if File.exist?(file)

  yield.tap { |result| File.write(file, JSON.generate(result)) }
end

known = nil
OptionParser.new { |parser| parser.on('--known DIRECTORY') { |directory| known = FileUtils.mkdir_p(directory).first } }.parse!
tree = ARGV.shift or abort 'usage: suites.rb [--known DIRECTORY] TREE [PARTS] [SUITE...]'
parts = ARGV.shift || 'all'
suites = ARGV.empty? ? SUITES : ARGV
worse = []
total = Hash.new(0)
puts format('%-42s %9s %9s %9s %9s %7s', 'suite', 'examples', 'failed', 'with us', 'worse', 'time')
suites.each do |suite|
  files = Dir.chdir(tree) { Dir["spec/#{suite}"].flat_map { |path| File.directory?(path) ? Dir["#{path}/**/*_spec.rb"] : path }.sort }
  next if files.empty?

  without, before = kept(known && File.join(known, "#{suite.gsub(/\W/, '_')}.json")) { examples(tree, files, nil) }
  with, after = examples(tree, files, parts)
  changed = without.select { |id, example| example['status'] == 'passed' && with.dig(id, 'status') != 'passed' }
  worse.concat(changed.keys.map { |id| [id, with[id]] })
  row = [without.size, *[without, with].map { |all| all.count { |_, example| example['status'] == 'failed' } }, changed.size]
  %i[examples failed with worse].zip(row) { |name, number| total[name] += number }
  puts format('%-42s %9d %9d %9d %9d %5.2fx', suite, *row, after / before)
  $stdout.flush
end
puts format('%-42s %9d %9d %9d %9d', 'all', *total.values_at(:examples, :failed, :with, :worse))
worse.each do |id, example|
  message = example ? example.dig('exception', 'message').to_s.lines.first(4).join.strip : 'not run'
  puts "\n#{id}\n  #{example && example['full_description']}\n  #{message}"
end
exit worse.empty? ? 0 : 1

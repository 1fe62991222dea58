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

# The results of some files: the examples by id, the duration in seconds, and what was native.
def examples(tree, files, parts)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  Dir.mktmpdir do |directory|
    result = File.join(directory, 'result.json')
    options = parts ? ['-I', LIBRARY, '-r', 'bunraku/puppet'] : []
    command = ['ruby', '-W0', '-S', 'rspec', '-I', 'lib', '-I', 'spec', *options, '--format', 'json', '--out', result, *files]
    report = File.join(directory, 'report.json')
    variables = { 'BUNRAKU_PUPPET' => parts.to_s, 'BUNRAKU_PUPPET_REPORT' => report, 'RUBYOPT' => nil }
    said, = Open3.capture2e(variables, *command, chdir: tree)
    abort "rspec gave no result:\n#{said.lines.last(20).join}" unless File.exist?(result)
    found = JSON.parse(File.read(result))['examples'].to_h { |example| [example['id'], example] }
    reports = File.exist?(report) ? File.readlines(report).map { |line| JSON.parse(line) } : []
    [found, Process.clock_gettime(Process::CLOCK_MONOTONIC) - start, reports]
  end
end

# The compilations that were native, and those that only Puppet can do, by reason: not those that fail there,
# too.
def compilations(reports)
  compiled = reports.map { |report| report['compiler'] }.compact
  left = compiled.flat_map { |counts| [*counts['left'], *counts['aside']] }.reject { |reason, _| reason.start_with?('it fails:') }
  [compiled.sum { |counts| counts['native'] }, left.group_by(&:first).transform_values { |all| all.sum(&:last) }]
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
reasons = Hash.new(0)
puts format('%-42s %9s %9s %9s %9s %7s %9s %9s', 'suite', 'examples', 'failed', 'with us', 'worse', 'time', 'native', "Puppet's")
suites.each do |suite|
  files = Dir.chdir(tree) { Dir["spec/#{suite}"].flat_map { |path| File.directory?(path) ? Dir["#{path}/**/*_spec.rb"] : path }.sort }
  next if files.empty?

  without, before = kept(known && File.join(known, "#{suite.gsub(/\W/, '_')}.json")) { examples(tree, files, nil) }
  with, after, reports = examples(tree, files, parts)
  native, left = compilations(reports)
  left.each { |reason, times| reasons[reason] += times }
  changed = without.select { |id, example| example['status'] == 'passed' && with.dig(id, 'status') != 'passed' }
  worse.concat(changed.keys.map { |id| [id, with[id]] })
  row = [without.size, *[without, with].map { |all| all.count { |_, example| example['status'] == 'failed' } }, changed.size]
  row.push(native, left.values.sum)
  %i[examples failed with worse native left].zip(row) { |name, number| total[name] += number }
  puts format('%-42s %9d %9d %9d %9d %6.2fx %9d %9d', suite, *row[0..3], after / before, *row[4..])
  $stdout.flush
end
puts format('%-42s %9d %9d %9d %9d %7s %9d %9d', 'all', *total.values_at(:examples, :failed, :with, :worse), '', *total.values_at(:native, :left))
reasons.sort_by(&:last).reverse.first(20).each { |reason, times| puts "#{times} compilations left to Puppet: #{reason}" }
worse.each do |id, example|
  message = example ? example.dig('exception', 'message').to_s.lines.first(4).join.strip : 'not run'
  puts "\n#{id}\n  #{example && example['full_description']}\n  #{message}"
end
exit worse.empty? ? 0 : 1

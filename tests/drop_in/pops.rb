# frozen_string_literal: true

# Runs OpenVox's own specs of types, values and serialization on `bunraku/pops`, without Puppet:
#
#   ruby tests/drop_in/pops.rb TREE [FILE...]
#
# TREE is OpenVox's source tree, FILE one of SPECS. In the place of Puppet's spec_helper, and of the few
# classes around these that the specs name, are those below `tests/drop_in/pops`. Prints the examples and the
# passed ones of each file; with FILEs also what fails. The status is 1 if less than 90 % pass.
require 'json'
require 'open3'
require 'tempfile'

HERE = File.join(__dir__, 'pops')
LIBRARY = File.expand_path('../../ruby-ext/lib', __dir__)
SPECS = %w[
  pops/types/type_factory_spec.rb pops/types/type_parser_spec.rb pops/types/type_calculator_spec.rb pops/types/types_spec.rb
  pops/types/type_formatter_spec.rb pops/types/type_asserter_spec.rb pops/types/p_binary_type_spec.rb
  pops/types/p_init_type_spec.rb pops/types/p_object_type_spec.rb pops/types/p_sem_ver_type_spec.rb
  pops/types/p_sensitive_type_spec.rb pops/types/p_timespan_type_spec.rb pops/types/p_timestamp_type_spec.rb
  pops/types/p_type_set_type_spec.rb pops/types/p_uri_type_spec.rb pops/time/timespan_spec.rb pops/time/timestamp_spec.rb
  pops/serialization/packer_spec.rb pops/serialization/serialization_spec.rb pops/serialization/to_from_hr_spec.rb
  pops/serialization/to_stringified_spec.rb datatypes_spec.rb
].freeze

def examples(tree, spec)
  Tempfile.create('result') do |result|
    load_path = [LIBRARY, HERE, File.join(tree, 'spec/lib'), File.join(tree, 'spec')].flat_map { |path| ['-I', path] }
    command = ['ruby', '-W0', *load_path, '-S', 'rspec', '--options', File::NULL, '--format', 'json', '--out', result.path, File.join(tree, 'spec/unit', spec)]
    said, = Open3.capture2e({ 'RUBYOPT' => nil }, *command, chdir: HERE)
    found = JSON.parse(File.read(result.path))
    [found['examples'], found.dig('summary', 'errors_outside_of_examples_count').zero? ? nil : said]
  rescue JSON::ParserError
    [[], said]
  end
end

tree = ARGV.shift or abort 'usage: pops.rb TREE [FILE...]'
chosen = ARGV.empty? ? SPECS : SPECS.select { |spec| ARGV.any? { |part| spec.include?(part) } }
totals = [0, 0]
chosen.each do |spec|
  all, broken = examples(File.expand_path(tree), spec)
  failed = all.select { |example| example['status'] == 'failed' }
  passed = all.count { |example| example['status'] == 'passed' }
  totals = totals.zip([passed, passed + failed.size]).map(&:sum)
  puts format('%-45s %5d of %5d pass%s', spec, passed, passed + failed.size, broken ? ', and it does not load' : '')
  puts broken.lines.first(20) if broken
  next if ARGV.empty?

  failed.each { |one| puts "  #{one['line_number']} #{one['full_description']}\n      #{one.dig('exception', 'class')}: #{one.dig('exception', 'message').strip.lines.first(3).map(&:strip).join(' ')}" }
end
share = totals[1].zero? ? 0 : 100.0 * totals[0] / totals[1]
puts format('%-45s %5d of %5d pass (%.1f %%)', 'all', *totals, share)
exit share >= 90

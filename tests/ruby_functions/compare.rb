# frozen_string_literal: true

# Calls the functions that stdlib has in Ruby with generated arguments, through the gem: as Ruby runs them,
# and as the library's native ones do, and compares. With a reference (a command that speaks the protocol of
# questions), it is asked the same.
#
#   ruby tests/ruby_functions/compare.rb [--each N] [--modules DIR] [--reference COMMAND] [--show N]

$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'open3'
require 'optparse'
require 'tmpdir'

options = { each: 8, modules: '/usr/share/puppet/modules', show: 10 }
OptionParser.new do |parser|
  parser.on('--each N', Integer)
  parser.on('--modules DIR')
  parser.on('--reference COMMAND')
  parser.on('--show N', Integer)
end.parse!(into: options)
stdlib = File.join(options[:modules], 'stdlib')
abort("there is no stdlib in #{options[:modules]}") unless Dir.exist?(stdlib)

# Arguments that functions are called with; each function gets some of them, and always the same.
POOL = ["''", "'a'", "'abc'", "'1'", "'-3.5'", "'true'", "'no'", "'/etc/motd'", "'C:/x'", "'10.0.0.1'", "'10.0.0.0/8'", "'::1'",
        "'www.example.com'", "'a@example.com'", "'a,b,c'", "'^a'", "'1 MB'", "'%d'", '0', '1', '-7', '3.75', 'true', 'false', 'undef',
        '[]', '[1, 2, 3]', "['a', 'b', 'c']", "['b', 'a', 'b']", "['x', undef, '']", '[[1, 2], [3, [4]]]', '{}', "{'a' => 1}",
        "{'a' => 1, 'b' => {'c' => [2]}}", "{'k' => undef}", 'Integer', "'Integer'", 'default', "Sensitive('s')", "'9.10.1'", "'12:00'"].freeze
# Functions whose result differs each time, or that wait or read the machine.
LEFT_OUT = %w[shuffle time pw_hash fqdn_uuid load_module_metadata loadjson loadyaml loadmetadata validate_cmd stdlib::start_with file_exists
              deprecation private assert_private strftime stdlib::crc32 sprintf_hash os_version_gte str2saltedsha512].freeze
# Results that cannot be equal without Ruby, and why.
EXPLAINED = {
  'pry' => 'an interactive Ruby',
  'validate_augeas' => 'needs the library of Augeas',
  'validate_legacy' => 'its hidden first parameter is counted in messages',
  'validate_x509_rsa_key_pair' => 'needs OpenSSL'
}.freeze

directories = { 'lib/puppet/functions' => false, 'lib/puppet/parser/functions' => true }
names = directories.keys.flat_map do |directory|
  Dir.glob(File.join(stdlib, directory, '**', '*.rb')).map { |file| file[%r{#{directory}/(.+)\.rb\z}, 1].gsub('/', '::') }
end.uniq.sort - LEFT_OUT

random = Random.new(7)
calls = names.flat_map do |name|
  Array.new(options[:each]) { "#{name}(#{Array.new([1, 1, 2, 2, 3].sample(random: random)) { POOL.sample(random: random) }.join(', ')})" }.uniq
end
sources = calls.map { |call| "$x = #{call}\nnotice($x)\nnotice(type($x))\n" }

def outcome(logs, error)
  logs = logs.map { |level, message| [level, message.gsub(%r{(<ENV>/modules|/tmp/d[-\w]+)/stdlib}, '<STDLIB>')] }
  logs = logs.reject { |level, _| %w[debug info].include?(level) }
  # Ruby's own part of an error differs between versions of Ruby.
  error = error.gsub(/ for (an instance of|#<|nil:|".*":|\d).*/m, '').gsub(/undefined (local variable or )?method [`'](\w+[?!]?)'.*/m, 'undefined method \2') if error
  [logs, error]
end

def through_gem(modulepath, source, **how)
  environment = Bunraku::Environment.new('production', modulepath: [modulepath], code: source, settings: { strict: 'warning' }, **how)
  catalog = environment.compile(node: 'testnode.example.com')
  outcome(catalog.logs.map { |log| [log[:level].to_s, log[:message]] }, nil)
rescue Bunraku::Error => e
  outcome(e.logs.map { |log| [log[:level].to_s, log[:message]] }, e.basic_message.delete_prefix('Evaluation Error: '))
end

answers = { ruby: [], native: [] }
Dir.mktmpdir do |directory|
  File.symlink(stdlib, File.join(directory, 'stdlib'))
  sources.each do |source|
    answers[:ruby] << through_gem(directory, source, ruby_functions: :own, prefer_ruby: true)
    answers[:native] << through_gem(directory, source, ruby_functions: :off)
  end
end

if options[:reference]
  files = Dir.glob('{lib/puppet/{functions,parser/functions},lib/puppet_x,types}/**/*.{rb,pp}', base: stdlib)
             .to_h { |file| ["modules/stdlib/#{file}", File.read(File.join(stdlib, file))] }
  Dir.mktmpdir do |directory|
    # The files that a function needs: its own, and those of the functions that deprecated functions call.
    questions = calls.zip(sources).map do |call, source|
      name = call[/\A[\w:]+/]
      own = files.select do |file, _|
        file.end_with?("/functions/#{name.gsub('::', '/')}.rb") || file.match?(%r{puppet_x|/deprecation\.rb|/types/|/(is|validate)_\w+\.rb|/(has_interface_with|num2bool|str2bool|get_module_path|defined_with_params)\.rb})
      end
      JSON.generate(id: call, op: 'eval', source: source, files: own, settings: { strict: 'warning' })
    end
    output, = Open3.capture2(options[:reference], stdin_data: "#{questions.join("\n")}\n", chdir: directory)
    answers[:reference] = output.lines.map do |line|
      answer = JSON.parse(line)
      outcome((answer['logs'] || []).map { |log| log.values_at('level', 'message') },
              answer['error'] && answer['error']['message'].delete_prefix('Evaluation Error: '))
    end
  end
end

def same?(one, other)
  return true if one == other

  # These words of the reference match any text.
  texts = [one, other].map(&:to_s)
  pattern = Regexp.escape(texts.last).gsub(/<(ruby|opaque)>/, '[^"]*')
  return true if texts.last.match?(/<(ruby|opaque)>/) && texts.first.match?(/\A#{pattern}\z/m)

  # Only that both fail is worth anything where the reference fails within Ruby.
  one && other && one[1] && other[1] && [one[1], other[1]].all? { |text| text.match?(/undefined method|<opaque>|<ruby>|can't convert|no implicit|comparison of/) }
end

puts "#{calls.size} calls of #{names.size} functions"
status = 0
[%i[ruby reference], %i[ruby native], %i[native reference]].each do |one, other|
  next unless answers[one] && answers[other]

  asked = calls.each_index.reject { |index| [one, other].any? { |side| answers[side][index][1].to_s.start_with?('Unknown function') } }
  differing = asked.reject { |index| same?(answers[one][index], answers[other][index]) }
  explained = %i[ruby native].include?(one) && [one, other].include?(:native) ? EXPLAINED : {}
  status = 1 if one == :ruby && differing.any? { |index| !explained.key?(calls[index][/\A[\w:]+/]) }
  puts "#{one} and #{other}: #{asked.size - differing.size} equal, #{differing.size} differ " \
       "(in #{differing.map { |index| calls[index][/\A[\w:]+/] }.tally.map { |name, count| "#{name} #{count}#{": #{explained[name]}" if explained[name]}" }.join(', ')})"
  differing.first(options[:show]).each do |index|
    puts "  #{calls[index]}", "    #{one}: #{answers[one][index].inspect}", "    #{other}: #{answers[other][index].inspect}"
  end
end
exit(status)

# frozen_string_literal: true

# What a call from a manifest to a function in Ruby costs over the function's body, and which share of a compilation's time is
# Ruby's. With Puppet installed, the same manifests are timed in it.
#
#   ruby benches/ruby_functions.rb [CALLS]

$LOAD_PATH.unshift(File.expand_path('../ruby-ext/lib', __dir__))
require 'bunraku'
require 'fileutils'
require 'open3'
require 'tmpdir'

CALLS = Integer(ARGV.fetch(0, 200_000))

FUNCTIONS = {
  'nothing' => "dispatch(:nothing) { param 'Any', :x }\ndef nothing(x) = nil",
  'text' => "dispatch(:text) { param 'String', :a; param 'String', :b; return_type 'String' }\ndef text(a, b) = \"\#{a}-\#{b}\"",
  'sum' => "dispatch(:sum) { param 'Array[Integer]', :list }\ndef sum(list) = list.sum",
  'block' => "dispatch(:block) { param 'Integer', :x; block_param }\ndef block(x) = yield(x)",
  'busy' => "dispatch(:busy) { param 'Integer', :x }\ndef busy(x)\n  (1..50).inject { |a, b| (a * b) % 9973 }\nend"
}.freeze

# Each with what the function's body alone is in Ruby.
MANIFESTS = {
  'nothing' => ['m::nothing($i)', ->(i) { i && nil }],
  'text' => ["m::text('a', 'b')", ->(_) { "#{'a'}-#{'b'}" }], # rubocop:disable Style/RedundantInterpolation
  'sum' => ['m::sum([1, 2, 3, 4, 5])', ->(_) { [1, 2, 3, 4, 5].sum }],
  'block' => ['m::block($i) |$x| { $x }', ->(i) { [i].each { |x| x } }],
  'busy' => ['m::busy($i)', ->(_) { (1..50).inject { |a, b| (a * b) % 9973 } }]
}.freeze

def seconds
  GC.start
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
end

def manifest(call, count)
  "Integer[1, #{count}].each |$i| { #{call} }"
end

def compile(directory, code)
  environment = Bunraku::Environment.new('production', modulepath: [directory], code: code, ruby_functions: :own)
  environment.compile(node: 'n')
  Array.new(3) { seconds { environment.compile(node: 'n') } }.min
end

Dir.mktmpdir do |directory|
  FUNCTIONS.each do |name, body|
    file = File.join(directory, 'm/lib/puppet/functions/m', "#{name}.rb")
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, "Puppet::Functions.create_function(:'m::#{name}') do\n#{body}\nend\n")
  end

  empty = compile(directory, manifest('$i', CALLS))
  puts format('%-10s %12s %12s %10s %10s', 'function', 'a call, us', 'its body, us', 'cost, us', 'Ruby, %')
  MANIFESTS.each do |name, (call, body)|
    total = compile(directory, manifest(call, CALLS))
    inside = Array.new(3) { seconds { CALLS.times(&body) } }.min
    each = (total - empty) / CALLS * 1e6
    alone = inside / CALLS * 1e6
    puts format('%-10s %12.2f %12.2f %10.2f %10.0f', name, each, alone, each - alone, inside / total * 100)
  end

  # The reference in a process of its own: one compilation with few calls is taken off one with many.
  reference = "require 'puppet'; Puppet.initialize_settings(['--modulepath', ARGV[0]]); " \
              'timed = ->(code) { environment = Puppet::Node::Environment.create(:bench, [ARGV[0]]); ' \
              'Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) { ' \
              "Puppet[:code] = code; node = Puppet::Node.new('n', environment: environment); node.merge({}); " \
              't = Process.clock_gettime(Process::CLOCK_MONOTONIC); Puppet::Parser::Compiler.compile(node); ' \
              'Process.clock_gettime(Process::CLOCK_MONOTONIC) - t } }; ' \
              "STDIN.each_line(chomp: true) { |code| timed.(code % 10); puts [(timed.(code % 20_000) - timed.(code % 10)) / 20_000 * 1e6].join }"
  codes = ['$i', *MANIFESTS.values.map(&:first)].map { |call| "Integer[1, %d].each |$i| { #{call} }" }
  output, status = Open3.capture2('ruby', '-W0', '-e', reference, directory, stdin_data: codes.join("\n"), err: File::NULL)
  times = output.lines.map(&:to_f)
  if status.success? && times.size == codes.size
    puts 'In the reference, a call with its body, us:', MANIFESTS.keys.each_with_index.map { |name, index| format('  %-8s %8.2f', name, times[index + 1] - times[0]) }
  else
    puts 'The reference is not installed.'
  end
end

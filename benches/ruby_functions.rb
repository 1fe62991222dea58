# frozen_string_literal: true

# Times the overhead of a call from a manifest to a Ruby function; and driver manifests, which call the Ruby
# functions of Debian's modules (tests/ruby_functions/drivers), compared with the installed Puppet (or
# OpenVox: OPENVOX_LIB), with the share of Ruby's time. All times are CPU time, the minimum of some rounds, of
# warm compilations.
#
#   ruby benches/ruby_functions.rb [CALLS]

$LOAD_PATH.unshift(File.expand_path('../ruby-ext/lib', __dir__))
require 'bunraku'
require 'bunraku/registry'
require 'fileutils'
require 'open3'
require 'tmpdir'
require_relative 'timing'

CALLS = Integer(ARGV.fetch(0, 100_000))
# The number of calls of a driver in one compilation, and the number of compilations.
REPEATS = 50
ROUNDS = 3
HERE = File.expand_path('../tests/ruby_functions', __dir__)
MODULES = '/usr/share/puppet/modules'
# Those that run other programs, or fail.
LEFT_OUT = %w[archive augeas_core openssl probe dns datacat ssh inifile].freeze

FUNCTIONS = {
  'nothing' => "dispatch(:nothing) { param 'Any', :x }\ndef nothing(x) = nil",
  'text' => "dispatch(:text) { param 'String', :a; param 'String', :b; return_type 'String' }\ndef text(a, b) = \"\#{a}-\#{b}\"",
  'sum' => "dispatch(:sum) { param 'Array[Integer]', :list }\ndef sum(list) = list.sum",
  'block' => "dispatch(:block) { param 'Integer', :x; block_param }\ndef block(x) = yield(x)",
  'busy' => "dispatch(:busy) { param 'Integer', :x }\ndef busy(x)\n  (1..50).inject { |a, b| (a * b) % 9973 }\nend"
}.freeze

# Each with the function's body in plain Ruby.
MANIFESTS = {
  'nothing' => ['m::nothing($i)', ->(i) { i && nil }],
  'text' => ["m::text('a', 'b')", ->(_) { "#{'a'}-#{'b'}" }], # rubocop:disable Style/RedundantInterpolation
  'sum' => ['m::sum([1, 2, 3, 4, 5])', ->(_) { [1, 2, 3, 4, 5].sum }],
  'block' => ['m::block($i) |$x| { $x }', ->(i) { [i].each { |x| x } }],
  'busy' => ['m::busy($i)', ->(_) { (1..50).inject { |a, b| (a * b) % 9973 } }]
}.freeze

FACTS = { 'interfaces' => 'lo,eth0', 'ipaddress_eth0' => '10.0.0.1', 'memorysize' => '3.84 GiB' }.freeze

# Counts the time within functions of modules, less what the compilation does meanwhile.
module Share
  @inside = 0.0

  class << self
    attr_accessor :inside

    def counting(sign)
      start = Timing.cpu
      yield
    ensure
      @inside += sign * (Timing.cpu - start)
    end

    def start
      body = Module.new { define_method(:invoke) { |*arguments| Share.counting(1) { super(*arguments) } } }
      [Bunraku::Registry::ModernFunction, Bunraku::Registry::LegacyFunction].each { |function| function.prepend(body) }
      back = Module.new do
        %i[yield call_function call_from_top].each { |name| define_method(name) { |*arguments, &block| Share.counting(-1) { super(*arguments, &block) } } }
      end
      Bunraku::Call.prepend(back)
    end
  end
end

def least(rounds = ROUNDS)
  Array.new(rounds) do
    GC.start
    Timing.seconds { yield }
  end.min
end

def environment(modulepath, code)
  Bunraku::Environment.new('production', modulepath: modulepath, code: code, ruby_functions: :own, prefer_ruby: true, settings: { strict: 'warning' })
                      .tap { |loaded| loaded.compile(node: 'n', facts: FACTS) }
end

def seconds(modulepath, code)
  loaded = environment(modulepath, code)
  least { loaded.compile(node: 'n', facts: FACTS) }
end

# The reference's times, in its own process; nil if it is not installed.
def reference(questions)
  lines = questions.map { |modulepath, code| JSON.generate(modulepath: modulepath, code: code, facts: FACTS, rounds: ROUNDS) }
  output, status = Open3.capture2('ruby', '-W0', File.join(HERE, 'reference.rb'), stdin_data: "#{lines.join("\n")}\n", err: File::NULL)
  status.success? ? output.lines.map { |line| JSON.parse(line)['seconds'] } : []
end

def loop_of(call, count)
  "Integer[1, #{count}].each |$i| { #{call} }"
end

def drivers
  return {} unless File.directory?(MODULES)

  (Dir.children(File.join(HERE, 'drivers')).map { |file| File.basename(file, '.pp') }.sort - LEFT_OUT).filter_map do |name|
    line = File.foreach(File.join(HERE, "drivers/#{name}.pp"), chomp: true).find { |one| one.match?(/\Anotice\(.*\)\z/) }
    [name, loop_of("[#{line[/\Anotice\((.*)\)\z/, 1]}]", REPEATS)] if line && File.directory?(File.join(MODULES, name))
  end.to_h
end

Dir.mktmpdir do |directory|
  FUNCTIONS.each do |name, body|
    file = File.join(directory, 'm/lib/puppet/functions/m', "#{name}.rb")
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, "Puppet::Functions.create_function(:'m::#{name}') do\n#{body}\nend\n")
  end

  few = CALLS / 20
  asked = ['$i', *MANIFESTS.values.map(&:first)].map { |call| [[directory], loop_of(call, few)] }
  theirs = reference(asked + drivers.values.map { |code| [[MODULES], code] })
  empty, *calls = theirs.first(asked.size)
  puts 'One call, in microseconds of CPU time:'
  puts format('  %-10s %10s %10s %12s %12s %8s', 'function', 'a call', 'its body', 'over it', 'reference', 'ratio')
  nothing = seconds([directory], loop_of('$i', CALLS))
  MANIFESTS.each_with_index do |(name, (call, body)), index|
    each = (seconds([directory], loop_of(call, CALLS)) - nothing) / CALLS * 1e6
    alone = least { CALLS.times(&body) } / CALLS * 1e6
    other = calls[index] && ((calls[index] - empty) / few * 1e6)
    puts format('  %-10s %10.2f %10.2f %12.2f %12s %8s', name, each, alone, each - alone, other ? format('%.2f', other) : '-', other ? format('%.1fx', other / each) : '-')
  end

  puts "Driver manifests (each #{REPEATS} times a line of calls), in milliseconds of CPU time:"
  puts format('  %-18s %10s %12s %8s %10s', 'module', 'bunraku', 'reference', 'ratio', 'Ruby, %')
  ours = drivers.to_h { |name, code| [name, seconds([MODULES], code)] }
  Share.start
  ratios = drivers.each_with_index.filter_map do |(name, code), index|
    loaded = environment([MODULES], code)
    Share.inside = 0.0
    total = Share.counting(0) { Timing.seconds { loaded.compile(node: 'n', facts: FACTS) } }
    other = theirs[asked.size + index]
    share = Share.inside / total * 100
    puts format('  %-18s %10.2f %12s %8s %10.0f', name, ours[name] * 1e3, other ? format('%.2f', other * 1e3) : '-', other ? format('%.1fx', other / ours[name]) : '-', share)
    other && (other / ours[name])
  end
  puts "  median #{format('%.1fx', ratios.sort[ratios.size / 2])}" unless ratios.empty?
end

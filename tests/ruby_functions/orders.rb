# frozen_string_literal: true

# Asks for classes, types and functions of modules in random orders, all in one environment, and compares each
# answer with that of a separate environment: no compilation may see the state that another one left behind.
#
#   ruby tests/ruby_functions/orders.rb [--modules DIR,…] [--only MODULE,…] [--pick N] [--orders N] [--seed N]
#   [--threads N] [--native] [--environments N] [--pairs]
#
# --native uses the built-in Ruby. --environments alternates between that many environments; every second one
# has the directories of modules in another order. --pairs takes every pair of an order's questions, each pair
# in a separate environment.
#
# Each order takes N questions about the modules: every class without required parameters, every type of
# lib/puppet/type with only a title, and every function called without arguments, with a string and with a
# hash. Failures are compared as answers, too.
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'json'
require 'optparse'

options = { modules: ['/usr/share/puppet/modules'], pick: 60, orders: 5, seed: 1, threads: 1, environments: 1 }
OptionParser.new do |parser|
  parser.on('--modules LIST', Array, 'directories of modules, the first one goes before the others')
  parser.on('--only LIST', Array, 'questions of these modules alone')
  parser.on('--pick N', Integer, 'how many questions an order has')
  parser.on('--orders N', Integer)
  parser.on('--seed N', Integer)
  parser.on('--threads N', Integer, 'compile on so many at the same time')
  parser.on('--native', 'without Ruby')
  parser.on('--environments N', Integer, 'ask in so many environments in turn')
  parser.on('--pairs', 'each question after each other one')
end.parse!(into: options)

FACTS = JSON.parse(File.read(File.expand_path('../data/environments/real/spec/facts/debian12-legacy.json', __dir__)))

# Returns the questions about a module, as manifests.
def questions(directory, name)
  named = ->(pattern, base) { Dir.glob(pattern, base: File.join(directory, base)).sort.map { |file| file.delete_suffix(File.extname(file)) } }
  classes = named.call('**/*.pp', 'manifests').map { |file| "include #{file == 'init' ? name : "#{name}::#{file.gsub('/', '::')}"}" }
  types = named.call('*.rb', 'lib/puppet/type').map { |one| "#{one} { 'a': }" }
  functions = named.call('**/*.{rb,pp}', 'lib/puppet/functions') + named.call('*.rb', 'lib/puppet/parser/functions') +
              named.call('**/*.pp', 'functions').map { |one| "#{name}/#{one}" }
  calls = functions.uniq.flat_map do |one|
    function = one.gsub('/', '::')
    ['', "'/etc/a'", "{ 'a' => [1, 'x'] }", "['b', 'a'], 'a'"].map { |arguments| "notice(#{function}(#{arguments}))" }
  end
  # Names that no manifest can write are left out.
  (classes + types + calls).select { |one| Bunraku.validate(one).none? { |found| found.severity == :error } }
end

HOW = options[:native] ? { ruby_functions: :off, templates: :native } : { ruby_functions: :own }

def environment(modulepath, code)
  Bunraku::Environment.new('production', modulepath: modulepath, code: code, **HOW)
end

def answer(environment, name)
  catalog = environment.compile(node: 'n', facts: FACTS, classes: [name], seed: 'orders')
  [catalog.logs.map { |entry| entry.values_at(:level, :message) }, catalog.to_h['resources'].map { |one| one.slice('type', 'title', 'parameters') }]
rescue Bunraku::Error => e
  # Ruby shows where objects are in memory.
  [e.class, e.message.gsub(/0x\h{16}/, '0x'), e.logs.map { |entry| entry.values_at(:level, :message) }]
end

asked = options[:modules].each_with_object({}) do |path, all|
  Dir.children(path).sort.each { |name| all[name] ||= questions(File.join(path, name), name) if File.directory?(File.join(path, name)) }
end
asked = asked.slice(*options[:only]) if options[:only]
asked = asked.values.flatten
abort 'there are no questions: no modules are installed' if asked.empty?

code = asked.each_with_index.map { |body, number| "class ask::q#{number} { #{body} }" }.join("\n")
paths = Array.new(options[:environments]) { |number| options[:modules].rotate(number.odd? ? 1 : 0) }
alone = Hash.new do |known, (number, path)|
  known[[number, path]] = answer(environment(paths[path], code), "ask::q#{number}")
end
wrong = 0
compared = 0
fine = Hash.new(0)
# The questions of each environment, in order.
runs = Array.new(options[:orders]) do |order|
  random = Random.new(options[:seed] + order)
  picked = asked.each_index.to_a.sample(options[:pick], random: random)
  steps = options[:pairs] ? picked.product(picked) : [picked.product(paths.each_index.to_a).shuffle(random: random)]
  steps.map { |step| [options[:seed] + order, options[:pairs] ? step.map { |number| [number, 0] } : step] }
end
runs.flatten(1).each do |seed, steps|
  steps.each { |step| alone[step] }
  together = paths.map { |path| environment(path, code) }
  work = Queue.new
  steps.each { |step| work << step }
  told = Array.new(options[:threads]) do
    Thread.new do
      answers = []
      while (step = (work.pop(true) rescue nil)) # rubocop:disable Style/RescueModifier
        answers << [step, answer(together[step.last], "ask::q#{step.first}")]
      end
      answers
    end
  end
  told.flat_map(&:value).each_with_index do |(step, answered), at|
    compared += 1
    fine[answered.first.is_a?(Array)] += 1
    next if answered == alone[step]

    wrong += 1
    before = steps.take(at).last(5).map { |number, path| "#{asked[number]} (#{path})" }
    puts "seed #{seed}, number #{at}: #{asked[step.first]} (#{step.last})", "  alone:    #{alone[step].inspect[0, 500]}",
         "  in turn:  #{answered.inspect[0, 500]}", "  after:    #{before.join('; ')}"
  end
end
puts "#{asked.size} questions, #{compared} asked in #{options[:orders]} orders (#{fine[true]} compile, #{fine[false]} fail), #{wrong} answered otherwise than alone"
exit wrong.zero?

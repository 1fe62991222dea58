# frozen_string_literal: true

# Puts generated questions to bunraku and to the reference, and reports where the answers differ.
#
#   ruby tests/differential/run.rb [--seed N] [--count N] [--kinds A,B] [--jobs N] [--openvox DIR]
#       [--program FILE] [--seconds N] [--keep FILE] [--show N] [--reduce N] [--prove]
#
# Each kind of question has a generator; equal seeds give equal questions. Both sides are processes that run
# as long as they answer (`conform serve` and `../data/conformance/oracle.rb`). Differences are grouped by
# where the answers differ, and one of each group is reduced to a small question. `known.json` contains the
# causes in the reference, each with patterns for the excused differences and with questions that prove it;
# `--prove` asks these. The run fails if a difference is not excused. A question over which the reference runs
# out of time or memory has no answer to compare: these are counted and shown.
#
# A reference is an OpenVox tree (`--openvox`, or `OPENVOX`) or the installed Puppet.

require 'json'
require 'optparse'
require_relative '../data/conformance/agreement'
require_relative 'side'
require_relative 'reduction'
require_relative 'known'
require_relative 'programs'
require_relative 'catalogs'
require_relative 'hiera_data'
require_relative 'templates'
require_relative 'manifests'
require_relative 'serialization'
require_relative 'functions'
require_relative 'patterns'
require_relative 'heredocs'
require_relative 'definitions'
require_relative 'inheritance'
require_relative 'hierarchies'

# One run.
class Differential
  KINDS = { 'programs' => Programs, 'catalogs' => Catalogs, 'data' => HieraData, 'templates' => Templates, 'manifests' => Manifests, 'serialization' => Serialization,
            'functions' => Functions, 'patterns' => Patterns, 'heredocs' => Heredocs, 'definitions' => Definitions,
            'inheritance' => Inheritance, 'hierarchies' => Hierarchies }.freeze
  # The number of questions in a batch.
  BATCH = 50
  ORACLE = File.expand_path('../data/conformance/oracle.rb', __dir__)
  # The messages of the built-in Ruby about code that it does not support.
  REFUSED = /(?:is not|does not) (?:known|know)|the Ruby that is built in|built-in Ruby/.freeze

  Difference = Struct.new(:kind, :question, :wanted, :got, :where)

  def initialize(options)
    @options = options
    @known = Known.new(File.join(__dir__, 'known.json'))
    @lock = Mutex.new
    @asked = Hash.new(0)
    @excused = Hash.new(0)
    @refused = 0
    @unanswered = []
    @differences = []
  end

  def run
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    @until = @options[:seconds] && (start + @options[:seconds])
    Array.new(@options[:jobs]) { |job| Thread.new { work(job) } }.each(&:value)
    @took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    report
  end

  # Asks the questions that prove the known causes.
  def prove
    # A proof can be that the reference uses up its stack, which takes it a while.
    reference, ours = sides(patience: 60)
    wrong = @known.causes.reject do |cause|
      cause['proof'].all? do |proof|
        wanted, got = [reference, ours].map { |side| side.ask([proof['question']]).first }
        Agreement.told(proof['reference'], wanted) && !Agreement.agree(wanted, got) && @known.excuse(proof['question'], wanted, got) == cause['id']
      end
    end
    [reference, ours].each(&:stop)
    wrong.each { |cause| puts "#{cause['id']}: the proof does not hold" }
    puts "#{@known.causes.size} known causes, #{wrong.size} without proof"
    wrong.empty?
  end

  private

  def sides(patience: Side::PATIENCE)
    tree = @options[:openvox] ? ["-I#{@options[:openvox]}/lib"] : []
    [Side.new('ruby', '-W0', '--disable=error_highlight', '--disable=did_you_mean', '-rset', *tree, ORACLE, patience: patience), Side.new(@options[:program], 'serve', patience: patience)]
  end

  # Each job has generators of its own, with seeds that depend on it.
  def work(job)
    reference, ours = sides
    share = (@options[:count].to_f / @options[:jobs]).ceil
    generators = @options[:kinds].to_h { |kind| [kind, KINDS.fetch(kind).new(@options[:seed] * 1000 + job)] }
    asked = 0
    generators.keys.cycle do |kind|
      break if asked >= share || (@until && Process.clock_gettime(Process::CLOCK_MONOTONIC) > @until)

      asked += BATCH
      batch(kind, Array.new(BATCH) { generators[kind].question }, reference, ours)
    end
  ensure
    [reference, ours].compact.each(&:stop)
  end

  def batch(kind, questions, reference, ours)
    found = differences(questions, reference, ours)
    @lock.synchronize { @asked[kind] += questions.size }
    found.each do |question, wanted, got, where|
      if (cause = @known.excuse(question, wanted, got))
        @lock.synchronize { @excused[cause] += 1 }
      elsif wanted['ended'] || wanted.dig('error', 'message').to_s.start_with?('oracle: NoMemoryError', 'oracle: Timeout::Error')
        @lock.synchronize { @unanswered << question }
      elsif kind == 'templates' && got.dig('error', 'message').to_s.match?(REFUSED)
        @lock.synchronize { @refused += 1 }
      else
        add(Difference.new(kind, question, wanted, got, where), reference, ours)
      end
    end
  end

  # The questions whose answers differ, with these and where.
  def differences(questions, reference, ours)
    wanted = Thread.new { reference.ask(questions) }
    got = ours.ask(questions).map { |answer| plain(answer) }
    questions.zip(wanted.value.map { |answer| plain(answer) }, got).filter_map do |question, want, have|
      [question, want, have, where(want, have)] unless Agreement.agree(want, have)
    end
  end

  # The driver's JSON has Floats for integers beyond 64 bits; `string` and `type` contain all their digits.
  def plain(answer)
    case answer
    when Hash then answer.transform_values { |value| plain(value) }
    when Array then answer.map { |value| plain(value) }
    when Integer then answer.abs >= 2**63 ? answer.to_f : answer
    else answer
    end
  end

  # Returns the members in which the answers differ; errors are compared by how they begin.
  def where(wanted, got)
    (wanted.keys | got.keys).sort.reject { |key| Agreement.same(wanted[key], got[key], key) }.map do |key|
      next key unless key == 'error'

      [wanted, got].map { |answer| answer.dig('error', 'message').to_s[/\A(?:Evaluation Error: )?(?:Error while evaluating [^,]*, )?\W*(\w+(?:\W+\w+){0,2})/, 1] || '-' }.join(' / ')
    end
  end

  def add(difference, reference, ours)
    is_new = @lock.synchronize { @differences.none? { |other| [other.kind, other.where] == [difference.kind, difference.where] } && reduced_so_far < @options[:reduce] }
    if is_new
      smallest = Reduction.new(difference.question, difference.where) do |questions|
        found = differences(questions, reference, ours).to_h { |question, *, where| [question, where] }
        questions.map { |question| found[question] }
      end.smallest
      _, want, have, = differences([smallest], reference, ours).first
      difference = Difference.new(difference.kind, smallest, want, have, difference.where) if want
      @lock.synchronize { show(difference.kind, difference.where, [difference]) }
    end
    @lock.synchronize { @differences << difference }
  end

  def reduced_so_far
    @differences.map { |other| [other.kind, other.where] }.uniq.size
  end

  def report
    groups = @differences.group_by { |difference| [difference.kind, difference.where] }.sort_by { |_, group| -group.size }
    puts '', 'All differences, the most frequent first:', '' if groups.any?
    groups.first(@options[:show]).each { |(kind, where), group| show(kind, where, group) }
    File.write(@options[:keep], @differences.map { |d| "#{JSON.generate(d.question.merge('expect' => d.wanted, 'got' => d.got), max_nesting: false)}\n" }.join) if @options[:keep]
    @asked.sort.each { |kind, count| puts "#{kind}: #{count} questions, #{@differences.count { |d| d.kind == kind }} differ" }
    @excused.sort.each { |cause, count| puts "known: #{cause}: #{count}" }
    @unanswered.first(@options[:show]).each { |question| puts "without an answer of the reference: #{JSON.generate(question, max_nesting: false)[0, 600]}" }
    puts "#{@unanswered.size} questions without an answer of the reference (#{Side::PATIENCE} s, #{Side::MEMORY >> 30} GB)" if @unanswered.any?
    puts "templates: #{@refused} refused by the Ruby that is built in" if @refused.positive?
    puts format('%d questions in %d s (%d in a second), %d differ in %d ways', @asked.values.sum, @took, @asked.values.sum / @took, @differences.size, groups.size)
    @differences.empty?
  end

  def show(kind, where, group)
    first = group.min_by { |difference| JSON.generate(difference.question, max_nesting: false).size }
    puts "#{kind}: #{where.join(', ')} (#{group.size} times)"
    puts first.question['source'].to_s.gsub(/^/, '    ') if first.question['source']
    rest = first.question.except('source')
    puts "    #{JSON.generate(rest, max_nesting: false)[0, 1500]}"
    puts "  reference: #{JSON.generate(first.wanted, max_nesting: false)[0, 700]}", "  bunraku:   #{JSON.generate(first.got, max_nesting: false)[0, 700]}", ''
  end
end

options = { seed: 1, count: 10_000, kinds: Differential::KINDS.keys, jobs: 2, openvox: ENV['OPENVOX'], program: File.expand_path('../../target/release/conform', __dir__), show: 20, reduce: 20 }
OptionParser.new do |parser|
  parser.on('--seed N', Integer) { |n| options[:seed] = n }
  parser.on('--count N', Integer) { |n| options[:count] = n }
  parser.on('--kinds LIST', Array) { |list| options[:kinds] = list }
  parser.on('--jobs N', Integer) { |n| options[:jobs] = n }
  parser.on('--openvox DIR') { |directory| options[:openvox] = directory }
  parser.on('--program FILE') { |file| options[:program] = file }
  parser.on('--seconds N', Integer) { |n| options[:seconds] = n }
  parser.on('--keep FILE') { |file| options[:keep] = file }
  parser.on('--show N', Integer) { |n| options[:show] = n }
  parser.on('--reduce N', Integer) { |n| options[:reduce] = n }
  parser.on('--prove') { options[:prove] = true }
end.parse!
# Differences are told as they are found.
$stdout.sync = true
differential = Differential.new(options)
exit(options[:prove] ? differential.prove : differential.run)

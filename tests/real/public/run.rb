# frozen_string_literal: true

# Compiles the cases of public modules and control repositories (repositories.tsv) and compares with the
# reference:
#
#   ruby run.rb --mirror DIR [--out DIR] [--ask] [--modes native,interpreted,ruby,puppet,c] [--groups LIST]
#               [--every N] [--jobs N] [--show N]
#   ruby run.rb --mirror DIR [--out DIR] --alone
#   ruby run.rb --mirror DIR [--out DIR] --bench PROGRAM [--take N] [--groups LIST] [--match TEXT]
#
# --mirror contains the clones; --out keeps the generated layout and complete answers. --ask asks the
# reference (OPENVOX_LIB) for missing answers and writes `answers/`, which contains the digest of the catalog
# or the error of each case. What the reference answers can depend on what it has compiled before: a class
# whose file failed to load is there the next time, a warning of a file comes once. --alone asks it again,
# with a process for each case, for the cases that the last comparison found otherwise, and keeps the answers.
# --every compares each Nth case. Prints for each mode the number of equal cases, and the causes of the other
# cases by count; then the cases whose answers differ between modes. `c` needs the gem ffi and the C library
# (BUNRAKU_LIBRARY).
$LOAD_PATH.unshift(ENV['BUNRAKU_LIB'] || File.expand_path('../../../ruby-ext/lib', __dir__))
require 'optparse'
require 'tmpdir'
require 'zlib'
require_relative 'canonical'
require_relative 'cases'
require_relative 'controls'
require_relative 'facts'
require_relative 'kept_files'
require_relative 'layout'
require_relative 'worker'

# The whole run.
class PublicRun
  ANSWERS = File.join(__dir__, 'answers')
  RUBY = %w[ruby -W0 --disable=error_highlight --disable=did_you_mean].freeze
  SERVER = { 'serverimplementation' => 'openvox', 'serverversion' => '8.28.1', 'servername' => 'puppet.example.net',
             'serverip' => '192.0.2.10', 'serverip6' => '2001:db8::10' }.freeze

  def initialize(options)
    @options = options
    @out = File.expand_path(options[:out])
    @layout = Layout.new(options[:mirror], @out).run
    @canonical = Canonical.new(@out)
    warn "not laid out: #{@layout.missing.join(', ')}" if @layout.missing.any?
  end

  def run
    return bench if @options[:bench]
    return alone if @options[:alone]

    chosen.each { |group| ask(group) } if @options[:ask]
    @answers = Hash.new { |known, id| known[id] = {} }
    wrong = @options[:modes].sum { |mode| compare(mode) }
    matrix if @options[:modes].size > 1
    exit(wrong.zero? ? 0 : 1)
  end

  private

  def chosen
    all = @layout.groups + @layout.controls.map(&:name)
    @options[:groups] ? @options[:groups] & all : all
  end

  def control(group)
    @layout.controls.find { |one| one.name == group }
  end

  def cases(group)
    systems = PublicFacts.all.keys
    kept = File.join(@out, 'cases', "#{group}.json")
    unless File.exist?(kept)
      found = (one = control(group)) ? PublicCases.of_control(@layout.place(one), group, systems) : PublicCases.of_group(@layout, group, systems)
      FileUtils.mkdir_p(File.dirname(kept))
      File.write(kept, JSON.generate(found.map(&:to_h)))
    end
    JSON.parse(File.read(kept), symbolize_names: true).map { |one| PublicCases::Case.new(**one) }
  end

  def setup(group)
    if control(group)
      { environmentpath: File.join(@out, 'control'), name: group, basemodulepath: @layout.modulepath('common'),
        hiera_config: PublicControls.hiera_config(group, @layout.place(control(group)), @out) }.compact
    else
      { modulepath: @layout.modulepath(group) }
    end
  end

  def question(one)
    node = one.node || PublicCases::NODE
    own = control(one.group)
    facts = PublicFacts.of(node, one.os, one.group, control: own)
    facts = facts.merge(PublicControls.facts(own.name, @layout.place(own))) if own
    code = one.code&.start_with?('/') ? File.read(@layout.place_of(one.group) + one.code) : one.code
    code ||= own && PublicControls.main(own.name)
    { node:, facts:, code:, classes: one.classes, server_facts: SERVER, extensions: own && PublicControls.extensions(one) }.compact
  end

  # Answers of the reference, whole, by case.
  def whole(group)
    path = File.join(@out, 'answers', "#{group}.jsonl")
    return {} unless File.exist?(path)

    File.foreach(path).to_h { |line| JSON.parse(line).then { |one| [one['id'], one] } }
  end

  def ask(group)
    known = whole(group)
    all = cases(group)
    # In no order of theirs, so that those that are answered first are a sample of all.
    left = all.reject { |one| known.key?(one.id) }.sort_by { |one| Digest::SHA256.hexdigest(one.id) }
    left = left.select { |one| one.id.include?(@options[:match]) } if @options[:match]
    FileUtils.mkdir_p(File.join(@out, 'answers'))
    File.open(File.join(@out, 'answers', "#{group}.jsonl"), 'a') do |file|
      parallel(left, [*RUBY, File.join(__dir__, 'reference.rb')], setup(group)) do |one, answer|
        next if answer['died']

        file.puts(JSON.generate(whole_answer(one, answer)))
      end
    end
    keep(group, all, whole(group))
  end

  # Cases for which the reference lacks a gem are answered the same alone.
  LACKS = /cannot load such file|library is present/

  # Asks the reference for cases that the last comparisons found otherwise, each in a process of its own.
  def alone
    ids = Dir[File.join(@out, 'failed', '*.jsonl')].flat_map { |path| File.foreach(path).map { |line| JSON.parse(line)['id'] } }.uniq
    ids.group_by { |id| id.split(' | ').first }.each do |group, wanted|
      known = kept(group)
      left = cases(group).select { |one| wanted.include?(one.id) && known.key?(one.id) && !known[one.id]['error'].to_s.match?(LACKS) }
      full = left.to_h { |one| [one.id, answer_alone(one)] }.compact
      remember(group, full.values)
      answers = full.transform_values { |answer| brief(answer) }
      changed = answers.reject { |id, answer| known[id] == answer }
      puts format('%-32s %d of %d answers depended on others', group, changed.size, answers.size)
      write(group, cases(group).filter_map { |one| answers[one.id] || known[one.id] })
    end
  end

  def answer_alone(one)
    worker = Worker.new([*RUBY, File.join(__dir__, 'reference.rb')], setup(one.group))
    answer = worker.ask(question(one))
    worker.stop
    answer['died'] ? nil : whole_answer(one, answer)
  end

  def whole_answer(one, answer)
    random = answer['random'] || []
    made = random == 'all' ? { 'unstable' => true } : @canonical.of(answer, random)
    made.merge('id' => one.id, 'random' => random)
  end

  # Puts answers behind the complete ones, where these are there: the last answer to a case holds.
  def remember(group, answers)
    path = File.join(@out, 'answers', "#{group}.jsonl")
    File.write(path, answers.map { |one| "#{JSON.generate(one)}\n" }.join, mode: 'a') if File.exist?(path)
  end

  def keep(group, all, known)
    write(group, all.filter_map { |one| brief(known[one.id]) if known[one.id] })
  end

  def write(group, answers)
    FileUtils.mkdir_p(ANSWERS)
    Zlib::GzipWriter.open(File.join(ANSWERS, "#{group}.jsonl.gz"), Zlib::BEST_COMPRESSION) do |file|
      file.mtime = 1
      answers.each { |one| file.puts(JSON.generate(one)) }
    end
  end

  # Returns the stored part of an answer, with digests of catalogs and logs.
  def brief(answer)
    kept = answer.slice('id', 'error', 'unstable')
    kept['random'] = answer['random'] if answer['random'].is_a?(Array) && answer['random'].any?
    kept['catalog'] = @canonical.digest(answer['catalog']) if answer['catalog']
    kept['logs'] = @canonical.digest(answer['logs']) if answer['logs']&.any?
    kept
  end

  def kept(group)
    path = File.join(ANSWERS, "#{group}.jsonl.gz")
    return {} unless File.exist?(path)

    Zlib::GzipReader.open(path) { |file| file.each_line.to_h { |line| JSON.parse(line).then { |one| [one['id'], one] } } }
  end

  # Times cases with equal answers, alternating between both sides: `--bench PROGRAM`, with `--take` cases of
  # each group.
  def bench
    ours, ratios = Worker.new([@options[:bench]], nil), []
    puts format('%-70s %9s %10s %13s %6s %8s', 'case', 'resources', 'bunraku ms', 'reference ms', 'ratio', 'first')
    chosen.each do |group|
      reference = Worker.new([*RUBY, File.join(__dir__, 'reference.rb')], setup(group))
      sample(group).each { |one| ratios << bench_row(one, ours, reference) }
      reference.stop
    end
    ratios = ratios.compact.sort
    puts format('%d cases: median %.0fx, least %.0fx', ratios.size, ratios[ratios.size / 2], ratios.first) if ratios.any?
  end

  # Cases of a group that compile, in no order of theirs; nodes of control repositories first.
  def sample(group)
    digests = kept(group)
    all = cases(group).select { |one| digests.dig(one.id, 'catalog') && (!@options[:match] || one.id.include?(@options[:match])) }
    all.sort_by { |one| [one.code || one.classes.any? ? 1 : 0, Digest::SHA256.hexdigest(one.id)] }.first(@options[:take])
  end

  def bench_row(one, ours, reference)
    asked = question(one)
    mine = ours.ask('environment' => request(one.group).merge({ code: asked[:code] }.compact), 'node' => of_node(asked))
    theirs = reference.ask(asked.merge(rounds: 3))
    name = one.id.tr("\n", ' ')[0, 70]
    failed = { 'bunraku' => mine, 'the reference' => theirs }.find { |_, answer| answer['error'] }
    return puts(format('%-70s %s: %s', name, failed.first, failed.last['error'].tr("\n", ' ')[0, 110])) if failed

    ratio = theirs['cpu'] / mine['cpu']
    puts format('%-70s %9d %10.2f %13.1f %6.0f %8.0f', name, mine['resources'], mine['cpu'] * 1e3, theirs['cpu'] * 1e3, ratio, theirs['first'] / mine['first'])
    ratio
  end

  # The environment of a group, as requests name it.
  def request(group)
    asked = setup(group)
    asked = { environment: asked[:name], environmentpath: [asked[:environmentpath]], basemodulepath: asked[:basemodulepath], global_hiera: asked[:hiera_config] } if asked[:name]
    asked.compact.merge(settings: { vardir: KeptFiles::DIRECTORY }, writable: [KeptFiles::DIRECTORY])
  end

  # The node of a question, as requests describe it.
  def of_node(asked)
    trusted = asked[:extensions] && { extensions: asked[:extensions] }
    { node: asked[:node], facts: asked[:facts], classes: asked[:classes], trusted:, server_facts: asked[:server_facts] }.compact
  end

  # Runs cases in parallel processes, each with its share.
  def parallel(all, command, setup)
    queue = all.each_slice([[all.size / (@options[:jobs] * 4), 25].max, 400].min).each_with_object(Queue.new) { |part, parts| parts << part }.tap(&:close)
    lock = Mutex.new
    Array.new(@options[:jobs]) do
      Thread.new do
        worker = Worker.new(command, setup)
        while (part = queue.pop)
          part.each do |one|
            answer = worker.ask(question(one))
            lock.synchronize { yield one, answer }
          end
        end
        worker.stop
      end
    end.each(&:join)
  end

  def compare(mode)
    count, causes, failed = Hash.new(0), Hash.new { |found, cause| found[cause] = [] }, []
    chosen.each do |group|
      full = whole(group)
      digests = full.empty? ? kept(group) : full.transform_values { |one| brief(one) }
      asked = cases(group).select { |one| digests.key?(one.id) && !digests[one.id]['unstable'] }
      asked = asked.each_slice(@options[:every]).map(&:first)
      asked = asked.select { |one| one.id.include?(@options[:match]) } if @options[:match]
      command = [*RUBY, '-I', $LOAD_PATH.first, File.join(__dir__, 'ours.rb')]
      here = Hash.new(0)
      parallel(asked, command, setup(group).merge(mode:)) do |one, answer|
        wanted = digests[one.id]
        ours = @canonical.of(answer, wanted['random'] || [])
        outcome = outcome(ours, wanted, answer)
        @answers[one.id][mode] = [outcome, ours['error'] || @canonical.digest(ours['catalog']), @canonical.digest(ours['logs'])]
        here[outcome] += 1
        next if %i[equal equal_error].include?(outcome)

        told = full[one.id] ? @canonical.difference(ours, full[one.id]) : ours['error'] || 'another catalog or other logs'
        causes[[outcome, cause(told || 'digest')]] << one.id
        failed << { id: one.id, outcome:, told: }
      end
      puts format('%-8s %-32s %s', mode, group, here.sort.map { |name, number| "#{name} #{number}" }.join(', '))
      here.each { |name, number| count[name] += number }
    end
    report(mode, count, causes, failed)
    count.sum { |name, number| %i[equal equal_error].include?(name) ? 0 : number }
  end

  def outcome(ours, wanted, answer)
    return :died if answer['died']
    if wanted['error']
      return :compiles if ours['catalog']
      return :other_error if ours['error'] != wanted['error']

      return logs?(ours, wanted) ? :equal_error : :error_logs
    end
    return :fails if ours['error']
    return :differs if @canonical.digest(ours['catalog']) != wanted['catalog']

    logs?(ours, wanted) ? :equal : :logs
  end

  def logs?(ours, wanted)
    (ours['logs'].any? ? @canonical.digest(ours['logs']) : nil) == wanted['logs']
  end

  def cause(text)
    text.gsub(%r{<out>/\S+}, '…').gsub(/\(file: [^)]*\)/, '').gsub(/\d+/, '0')
        .gsub(/Evaluation Error: Error while evaluating a (Function Call|Resource Statement|Method Call), /, '')[0, 170]
  end

  # The cases whose answers differ from one mode to another.
  def matrix
    differing = @answers.reject { |_, by| by.values.uniq.size == 1 }
    puts format('%s: %d of %d cases answer the same', @options[:modes].join(', '), @answers.size - differing.size, @answers.size)
    differing.group_by { |_, by| by.transform_values(&:first) }.sort_by { |_, found| -found.size }.each do |outcomes, found|
      puts format('%5d %s', found.size, outcomes.map { |mode, outcome| "#{mode} #{outcome}" }.join(', ')), "      #{found.first.first}"
    end
  end

  def report(mode, count, causes, failed)
    FileUtils.mkdir_p(File.join(@out, 'failed'))
    File.write(File.join(@out, 'failed', "#{mode}.jsonl"), failed.map { |one| "#{JSON.generate(one)}\n" }.join)
    compiled = %i[equal fails differs logs].sum { |name| count[name] }
    puts "#{mode}: #{count.sort.map { |name, number| "#{name} #{number}" }.join(', ')}",
         format('%s: %d of %d catalogs equal (%.2f %%)', mode, count[:equal], compiled, 100.0 * count[:equal] / [compiled, 1].max)
    causes.sort_by { |_, ids| -ids.size }.first(@options[:show]).each do |(outcome, cause), ids|
      puts format('%5d %-11s %s', ids.size, outcome, cause.tr("\n", ' ')), "      #{ids.first}"
    end
  end
end

options = { out: File.join(Dir.tmpdir, 'bunraku-public'), modes: %w[native ruby], every: 1, jobs: 2, show: 40, take: 6 }
OptionParser.new do |parser|
  parser.on('--mirror DIR')
  parser.on('--out DIR')
  parser.on('--ask')
  parser.on('--alone')
  parser.on('--modes LIST', Array)
  parser.on('--groups LIST', Array)
  parser.on('--match TEXT')
  parser.on('--every N', Integer)
  parser.on('--jobs N', Integer)
  parser.on('--show N', Integer)
  parser.on('--bench PROGRAM')
  parser.on('--take N', Integer)
end.parse!(into: options)
abort 'run.rb --mirror DIR: the clones of repositories.tsv' unless options[:mirror]
$stdout.sync = true
PublicRun.new(options).run

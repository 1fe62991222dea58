# frozen_string_literal: true

# Shows planted faults to other tools and counts what each of them finds:
#
#   SEEDED_DUMP=DIR cargo test -p conform --test checks planted_faults_are_counted -- --ignored
#   ruby fault_tools.rb DIR
#
# DIR contains proven faults. Each file is written as it was and with its fault; a tool finds the fault if it
# reports something within the lines of the fault that it does not report without it. The tools are
# puppet-lint, `puppet parser validate` and shadowplay, as far as they are installed. Prints a table of the
# shares by kind.
require 'fileutils'
require 'json'
require 'open3'
require 'tmpdir'

# The tools: each takes paths and returns what it reports, [path, line, message].
module Tools
  # So many files are shown to a process.
  AT_ONCE = 200

  module_function

  def installed
    { 'puppet-lint' => :puppet_lint, 'puppet' => :validate, 'shadowplay' => :shadowplay }
      .select { |name,| ENV['PATH'].split(':').any? { |directory| File.executable?(File.join(directory, name)) } }
      .values
  end

  def puppet_lint(paths)
    # Advice may follow the list.
    list = capture('puppet-lint', '--json', *only(paths, '.pp'))[/^\[$.*?^\]$/m]
    JSON.parse(list || '[]').flatten.map { |one| [one['path'], one['line'], one['message']] }
  end

  def validate(paths)
    place = /(.*?) \(file: ([^,)]*), line: (\d+)/
    capture('puppet', 'parser', 'validate', '--color=false', *only(paths, '.pp', '.epp'))
      .scan(place).map { |message, path, line| [path, line.to_i, message] }
  end

  def shadowplay(paths)
    { 'pp' => only(paths, '.pp'), 'yaml' => only(paths, '.yaml') }.reject { |_, some| some.empty? }.flat_map do |sort, some|
      capture('shadowplay', 'check', '-f', 'json', sort, *some).lines.grep(/\A\{/).map do |line|
        said = JSON.parse(line)
        [said.dig('range', 'path'), said.dig('range', 'start', 'line'), said['message']]
      end
    end
  end

  def only(paths, *ends)
    paths.select { |path| path.end_with?(*ends) }
  end

  def capture(*command)
    output, = Open3.capture2e(*command)
    output.scrub
  end
end

# The faults and what the tools report of them.
class Faults
  def initialize(directory)
    @faults = Dir[File.join(directory, '*.json')].sort.map { |file| JSON.parse(File.read(file)) }
  end

  def run
    Dir.mktmpdir do |work|
      Dir.chdir(work) do
        write
        @counts = Tools.installed.to_h { |tool| [tool, found(tool)] }
      end
    end
    report
  end

  private

  def place(number, state)
    File.join(number.to_s, state, @faults[number]['relative'].delete_prefix('/'))
  end

  def write
    @faults.each_with_index do |fault, number|
      { 'before' => fault['before'], 'after' => fault['text'] }.each do |state, text|
        path = place(number, state)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
      end
    end
  end

  # The numbers of the faults that a tool finds.
  def found(tool)
    (0...@faults.size).each_slice(Tools::AT_ONCE).flat_map do |numbers|
      paths = numbers.flat_map { |number| [place(number, 'before'), place(number, 'after')] }
      told = Tools.public_send(tool, paths).group_by { |path,| path.delete_prefix("#{Dir.pwd}/") }
      numbers.select { |number| finds?(number, told) }
    end
  end

  # Whether a message is new within the lines of a fault. Messages may name the file.
  def finds?(number, told)
    before, after = %w[before after].map do |state|
      (told[place(number, state)] || []).map { |_, line, message| [line.to_i, message.gsub("#{number}/#{state}", '')] }
    end
    first, last = @faults[number]['lines']
    known = before.map(&:last).tally
    count = after.map(&:last).tally
    after.any? { |line, message| count[message] > known.fetch(message, 0) && line.between?(first, last) }
  end

  def report
    kinds = @faults.each_index.group_by { |number| @faults[number]['kind'] }
    ours = @faults.each_index.select { |number| @faults[number]['found'] }
    columns = { 'bunraku' => ours }.merge(@counts.transform_keys(&:to_s))
    puts format('%-26s %6s', 'kind', 'faults') + columns.keys.map { |name| format(' %12s', name) }.join
    kinds.merge('all' => @faults.each_index.to_a).each do |kind, numbers|
      shares = columns.values.map { |found| format(' %10.1f %%', 100.0 * (found & numbers).size / numbers.size) }
      puts format('%-26s %6d', kind, numbers.size) + shares.join
    end
  end
end

Faults.new(ARGV.fetch(0)).run

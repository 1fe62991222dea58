# Holds the Ruby that is built in against the Ruby that runs this: random expressions and programs, each asked
# of both.
#
#   ruby tests/ruby/differential.rb [--count N] [--seed N] [--program target/debug/conform] [--keep FILE]
#   [--show N]
#                                   [--list FILE]
#
# Answers, and the classes and messages of exceptions, must be the same; what the built-in one refuses is
# counted. `--keep` writes every twenty-fifth row as JSON (all of a list), for
# tests/data/ruby/programs.jsonl.gz. Ruby 3.1, whose words the reference has.
require 'io/wait'
require 'json'
require 'open3'
require 'optparse'
require 'set'
require 'shellwords'
require 'singleton'
require 'stringio'
require 'ostruct'
require 'uri'
require 'ipaddr'
require 'forwardable'
require 'timeout'
require 'pathname'
require 'digest'
require 'base64'
require 'date'
require 'time'
require 'logger'
require 'zlib'
require 'yaml'
require 'erb'
require 'cgi'

require_relative 'generator'

# The reference runs without suggestions in messages.
DidYouMean.formatter = Module.new { def self.message_for(_suggestions) = '' } if defined?(DidYouMean)

# Returns Ruby's result of a program.
def ask(program)
  answer = Timeout.timeout(2) { eval("(\n#{program}\n).inspect", TOPLEVEL_BINDING.dup, 'template') }
  { 'answer' => answer }
rescue SyntaxError
  { 'error' => 'SyntaxError' }
rescue Timeout::Error
  nil
rescue Exception => e
  { 'error' => "#{e.class}: #{e.message}" }
end

# Ruby in a process of its own, which is ended when a method that no timeout interrupts takes too long.
class Reference
  PATIENCE = 10

  # Returns Ruby's results of programs; nil where it takes too long.
  def ask_all(programs)
    programs.map do |program|
      start unless @process
      Marshal.dump(program, @questions)
      next Marshal.load(@answers) if @answers.wait_readable(PATIENCE)

      stop
    end
  end

  # Ends the process; returns nil.
  def stop
    return unless @process

    Process.kill('KILL', @process)
    Process.wait(@process)
    @process = nil
  end

  private

  def start
    questions, @questions = IO.pipe
    @answers, answers = IO.pipe
    [@questions, answers].each { |pipe| pipe.sync = true }
    @process = fork do
      [@questions, @answers].each(&:close)
      $stdout = StringIO.new
      loop { Marshal.dump(ask(Marshal.load(questions)), answers) }
    end
    [questions, answers].each(&:close)
  end
end

# Removes addresses, and the name of the main object.
def plain(reply)
  reply.transform_values do |text|
    text.to_s.gsub(/0x[0-9a-f]+/, '0x').gsub(/#<(\w+(?:::\w+)*|#<Class:0x>):0x/, '#<\1')
        .gsub(/for main:Object|for #<Puppet::Parser::TemplateWrapper[^>]*>/, 'for main').gsub(/#<Class:0x\w*>/, '#<Class>').gsub(/#<Module:0x\w*>/, '#<Module>')
        .gsub(/\(&:[^)]*\) ?|\(lambda\)|template:\d+/, '').gsub(/#<Proc[^>]*>/, '#<Proc>').sub(/\nDid you mean\?.*|\n\n    .*/m, '')
  end
end

if $PROGRAM_NAME == __FILE__
  options = { count: 20_000, seed: 1, program: 'target/debug/conform', show: 40 }
  OptionParser.new do |parser|
    parser.on('--count N', Integer) { |count| options[:count] = count }
    parser.on('--seed N', Integer) { |seed| options[:seed] = seed }
    parser.on('--only KIND', 'expression, format_call, any_method or program') { |kind| options[:only] = kind }
    parser.on('--list FILE', 'one program a line') { |file| options[:list] = File.readlines(file, chomp: true).reject { |line| line.empty? || line.start_with?('# ') } }
    parser.on('--program FILE') { |file| options[:program] = file }
    parser.on('--keep FILE') { |file| options[:keep] = file }
    parser.on('--brief', 'one of each kind') { options[:brief] = true }
    parser.on('--show N', Integer) { |number| options[:show] = number }
  end.parse!
  $VERBOSE = nil
  ENV['TZ'] = 'UTC'
  $stdout.sync = true
  generator = Generator.new(options[:seed])
  reference = Reference.new
  figures = Hash.new(0)
  refusals = Hash.new(0)
  kept = []
  shown = 0
  seen = {}
  options[:count] = options[:list].size if options[:list]
  (0...options[:count]).each_slice(2_000) do |slice|
    programs = slice.map { |at| options[:list] ? options[:list][at] : generator.__send__(options[:only] || :question) }
    out, = Open3.capture2(options[:program], 'ruby', stdin_data: programs.map { |program| JSON.generate(program) }.join("\n"))
    rubys = reference.ask_all(programs)
    programs.zip(out.lines.map { |line| JSON.parse(line) }, rubys).each_with_index do |(program, ours, rubys), at|
      next figures['too long for Ruby'] += 1 if rubys.nil?

      if ours.nil? || ours['refused']
        figures['refused'] += 1
        refusals[ours && ours['refused'].sub(/ is not known to.*/, '')] += 1
      elsif plain(rubys) == plain(ours)
        figures['same'] += 1
        kept << { 'program' => program }.merge(rubys) if (options[:list] || (at % 25).zero?) && rubys == ours
      else
        figures['wrong'] += 1
        shown += 1
        key = plain(rubys).values.first.gsub(/\d+|"[^"]*"/, '') + plain(ours).values.first.gsub(/\d+|"[^"]*"/, '')
        next if options[:brief] && seen.key?(key)

        seen[key] = true
        puts "== #{program}", "ruby: #{plain(rubys)}", "ours: #{plain(ours)}" if shown <= options[:show]
      end
    end
  end
  reference.stop
  puts figures.sort.map { |name, number| "#{name} #{number}" }.join(', ')
  refusals.sort_by { |_, number| -number }.first(25).each { |what, number| puts "#{number}  #{what}" }
  File.write(options[:keep], kept.map { |row| "#{JSON.generate(row)}\n" }.join) if options[:keep]
  exit figures['wrong'].zero? ? 0 : 1
end

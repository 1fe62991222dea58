# frozen_string_literal: true

require 'etc'
require 'fileutils'
require 'io/wait'
require 'json'
require 'timeout'
require 'tmpdir'

# A process that answers questions, one JSON object per line. A process that ends or hangs is restarted, and
# this becomes the answer to its question.
class Side
  # Seconds of the processor that an answer may take, seconds in which a process that waits for other things
  # must answer, and bytes that it may use. What else a machine does changes nothing about the first.
  PATIENCE = 8
  WAITING = 300
  MEMORY = 4 << 30
  TICKS = Etc.sysconf(Etc::SC_CLK_TCK)
  # The reference makes and forgets an environment for each question; with Ruby's own limits a fifth of its
  # time is the garbage collector's.
  COLLECTOR = { 'RUBY_GC_HEAP_INIT_SLOTS' => '1000000', 'RUBY_GC_MALLOC_LIMIT' => '200000000', 'RUBY_GC_MALLOC_LIMIT_MAX' => '400000000',
                'RUBY_GC_OLDMALLOC_LIMIT' => '400000000' }.freeze
  # Where the files of questions are written: in memory if there is such a place.
  FILES = File.writable?('/dev/shm') ? '/dev/shm' : Dir.tmpdir

  def initialize(*command, patience: PATIENCE)
    @command = command
    @patience = patience
    start
  end

  # Answers in the order of the questions. A thread writes while this one reads, so that neither side waits.
  def ask(questions)
    answers = []
    while answers.size < questions.size
      rest = questions.drop(answers.size)
      writer = Thread.new(@input) { |input| write(rest, input) }
      begin
        rest.size.times { answers << answer }
      rescue EOFError, Timeout::Error => e
        answers << { 'ended' => e.class.name }
        stop
        start
      ensure
        writer.kill.join
      end
    end
    answers
  end

  def stop
    Process.kill(:KILL, @process.pid)
    [@input, @output].each(&:close)
    Process.wait(@process.pid)
  rescue SystemCallError, IOError
    nil
  ensure
    FileUtils.rm_rf(@files)
  end

  private

  def start
    @files = Dir.mktmpdir('differential', FILES)
    @process = IO.popen([COLLECTOR.merge('TMPDIR' => @files), *@command, { err: File::NULL, rlimit_as: MEMORY }], 'r+')
    @input = @output = @process
  end

  def write(questions, input)
    questions.each { |question| input.puts(JSON.generate(question, max_nesting: false)) }
    input.flush
  rescue SystemCallError, IOError
    nil
  end

  def answer
    wait
    line = Timeout.timeout(WAITING) { @output.gets } or raise EOFError
    JSON.parse(line, max_nesting: false).reject { |key, _| key == 'id' }
  rescue JSON::ParserError
    { 'unreadable' => line }
  end

  # Returns when there is something to read.
  def wait
    used = since = nil
    until @output.wait_readable(0.5)
      used ||= processor_time
      since ||= clock
      raise Timeout::Error if processor_time - used > @patience || clock - since > WAITING
    end
  end

  def clock
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # The seconds that the process has used the processor; where the system does not tell, those that have
  # passed.
  def processor_time
    fields = File.read("/proc/#{@process.pid}/stat").rpartition(')').last.split
    fields.values_at(11, 12).sum(&:to_i) / TICKS.to_f
  rescue SystemCallError
    clock
  end
end

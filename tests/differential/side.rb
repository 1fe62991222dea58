# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'timeout'
require 'tmpdir'

# A process that answers questions, one JSON object per line. A process that ends or hangs is restarted, and
# this becomes the answer to its question.
class Side
  # Seconds that an answer may take, and bytes that a process may use for it.
  PATIENCE = 8
  MEMORY = 4 << 30
  # The reference makes and forgets an environment for each question; with Ruby's own limits a fifth of its
  # time is the garbage collector's.
  COLLECTOR = { 'RUBY_GC_HEAP_INIT_SLOTS' => '1000000', 'RUBY_GC_MALLOC_LIMIT' => '200000000', 'RUBY_GC_MALLOC_LIMIT_MAX' => '400000000',
                'RUBY_GC_OLDMALLOC_LIMIT' => '400000000' }.freeze
  # Where the files of questions are written: in memory if there is such a place.
  FILES = File.writable?('/dev/shm') ? '/dev/shm' : Dir.tmpdir

  def initialize(*command)
    @command = command
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
    line = Timeout.timeout(PATIENCE) { @output.gets } or raise EOFError
    JSON.parse(line, max_nesting: false).reject { |key, _| key == 'id' }
  rescue JSON::ParserError
    { 'unreadable' => line }
  end
end

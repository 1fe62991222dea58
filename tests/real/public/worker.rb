# frozen_string_literal: true

require 'json'
require 'open3'
require 'timeout'

# A process that answers cases one after the other; it is restarted if it dies or takes too long.
class Worker
  SECONDS = 180

  # @param command [Array] a program and its arguments
  # @param setup [Hash, nil] the first line that it reads
  def initialize(command, setup)
    @command, @setup = command, setup
  end

  def ask(question)
    start unless @thread&.alive?
    @input.puts(JSON.generate(question))
    line = Timeout.timeout(SECONDS) { @output.gets } or raise EOFError
    JSON.parse(line)
  rescue Timeout::Error, EOFError, Errno::EPIPE => e
    stop
    { 'error' => "the process failed (#{e.class})", 'logs' => [], 'died' => true }
  end

  def stop
    return unless @thread

    begin
      Process.kill(:KILL, @thread.pid)
    rescue Errno::ESRCH
      nil # it has ended
    end
    [@input, @output].each(&:close)
    @thread = nil
  end

  private

  def start
    @input, @output, @thread = Open3.popen2(*@command, err: ENV['WORKER_ERRORS'] || File::NULL)
    @input.sync = true
    @input.puts(JSON.generate(@setup)) if @setup
  end
end

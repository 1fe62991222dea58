# frozen_string_literal: true

# How the benches in Ruby take time.
module Timing
  module_function

  # @return [Float] seconds of this process' CPU time so far
  def cpu
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  end

  # @return [Float] seconds on the wall's clock
  def wall
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # @param clock [Symbol] `:cpu` or `:wall`
  # @return [Float] the seconds that the block takes
  def seconds(clock = :cpu)
    start = public_send(clock)
    yield
    public_send(clock) - start
  end

  # @param rounds [Integer] how often the block is timed
  # @param clock [Symbol] `:cpu` or `:wall`
  # @param enough [Float] the seconds after which it is not timed again
  # @return [Float] the middle of the seconds that the block takes
  def median(rounds, clock: :cpu, enough: Float::INFINITY, &work)
    times = []
    while times.size < rounds && times.sum < enough
      GC.start
      times << seconds(clock, &work)
    end
    times.sort[times.size / 2]
  end
end

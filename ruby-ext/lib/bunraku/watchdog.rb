# frozen_string_literal: true

module Bunraku
  # Raised in Ruby code that still runs when the time of its compilation is over. It is not a StandardError,
  # so that a plain `rescue` does not catch it.
  class TimeUp < Exception; end # rubocop:disable Lint/InheritException

  # Interrupts the thread that created it when a compilation has taken too long, repeatedly until it is
  # stopped, so that code that rescues everything cannot continue for long.
  #
  # @api private
  class Watchdog
    # The seconds between two interruptions.
    AGAIN = 0.2

    # @param seconds [Float] the remaining time
    def initialize(seconds)
      @lock = Mutex.new
      @over = ConditionVariable.new
      @is_over = false
      watched = Thread.current
      @thread = Thread.new { watch(watched, seconds) }
      @thread.name = 'bunraku watchdog'
    end

    # Stops the watchdog. No further interruption begins afterwards.
    def end
      # A pending interruption is delivered only after the watchdog has stopped.
      Thread.handle_interrupt(TimeUp => :never) do
        @lock.synchronize do
          @is_over = true
          @over.signal
        end
      end
      nil
    end

    private

    def watch(watched, seconds)
      deadline = now + seconds
      @lock.synchronize do
        until @is_over
          left = deadline - now
          if left.positive?
            @over.wait(@lock, left)
          else
            watched.raise(TimeUp, 'the compilation took too long')
            deadline = now + AGAIN
          end
        end
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end

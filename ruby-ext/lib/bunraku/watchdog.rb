# frozen_string_literal: true

module Bunraku
  # Raised in Ruby code that still runs when the time of its compilation is up. No StandardError, so that a
  # plain `rescue` lets it through.
  class TimeUp < Exception; end # rubocop:disable Lint/InheritException

  # Interrupts the thread that made it when a compilation has taken too long, again and again until it is sent
  # away: code that rescues everything does not go on for long.
  #
  # @api private
  class Watchdog
    # How long it waits before it interrupts again, in seconds.
    AGAIN = 0.2

    # @param seconds [Float] the time that is left
    def initialize(seconds)
      @lock = Mutex.new
      @over = ConditionVariable.new
      @is_over = false
      watched = Thread.current
      @thread = Thread.new { watch(watched, seconds) }
      @thread.name = 'bunraku watchdog'
    end

    # Sends it away. Nothing interrupts the thread afterwards that has not done so already.
    def end
      # What it has done waits until it is sent away.
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

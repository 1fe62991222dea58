# frozen_string_literal: true

module Bunraku
  module DropIn
    # The statistics of the parts in this process: see {DropIn.report}.
    #
    # @api private
    module Report
      # The maximum number of different reasons.
      REASONS = 200

      @parts = {}
      @warned = {}
      @lock = Mutex.new

      class << self
        # Records a native run.
        def native(part)
          count(part) { |counts| counts[:native] += 1 }
        end

        # Records a run that was left to Puppet.
        #
        # @return [nil]
        def left(part, reason)
          count(part) { |counts| add(counts[:left], reason) }
        end

        # Counts one native run as left to Puppet, which has repeated it.
        #
        # @return [nil]
        def undone(part, reason)
          count(part) do |counts|
            counts[:native] -= 1
            add(counts[:left], reason)
          end
        end

        # Counts one run that was left to Puppet for another reason.
        #
        # @return [nil]
        def reword(part, reason, better)
          count(part) do |counts|
            left = counts[:left]
            next unless left.key?(reason)

            left[reason] -= 1
            left.delete(reason) if left[reason].zero?
            add(left, better)
          end
        end

        # Records that a part was inactive because a method that it takes over has been replaced. A permanent
        # replacement is reported once; the stub of a test is not.
        #
        # @param method [UnboundMethod] the current method
        # @return [nil]
        def aside(part, method)
          reason = Untouched.describe(method)
          count(part) { |counts| add(counts[:aside], reason) }
          warn_once(part, reason) unless Untouched.stub?(method)
        end

        # @return [Hash{Symbol => Hash}]
        def to_h
          @lock.synchronize do
            @parts.transform_values { |counts| counts.transform_values(&:dup) }
          end
        end

        # @return [String] one line of text
        def line
          parts = to_h.map do |part, counts|
            others = %i[left aside].flat_map { |kind| counts[kind].map { |reason, times| "#{kind} #{times}: #{reason}" } }
            ["#{part} #{counts[:native]} native", *others].join(', ')
          end
          "bunraku/puppet: #{parts.empty? ? 'nothing to do' : parts.join('; ')}"
        end

        # Writes {line} on standard error when the process ends, or appends the statistics to a file as JSON.
        #
        # @param where [String] `1`, or a path
        def tell_at_exit(where)
          process = Process.pid
          at_exit do
            next unless Process.pid == process

            where == '1' ? $stderr.puts(line) : File.write(where, "#{JSON.generate(to_h)}\n", mode: 'a')
          end
        end

        private

        def count(part)
          @lock.synchronize do
            yield @parts[part] ||= { native: 0, left: {}, aside: {} }
          end
          nil
        end

        def add(counts, reason)
          reason = 'other reasons' unless counts.key?(reason) || counts.size < REASONS
          counts[reason] = counts.fetch(reason, 0) + 1
        end

        def warn_once(part, reason)
          return if @warned[part]

          @warned[part] = true
          Kernel.warn("bunraku/puppet: the part #{part} stands aside, Puppet itself does its work: #{reason}")
        end
      end
    end
  end
end

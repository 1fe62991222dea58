# frozen_string_literal: true

module Bunraku
  # Reads, parses and validates files on several threads.
  #
  # @api private
  class Reading
    # Yields each file as it is ready.
    #
    # @param paths [Array<#to_s>]
    # @param strict [String, nil] the strictness of the validation; nil for no validation
    # @param progress [#call, nil]
    # @yieldparam path [String]
    # @yieldparam result [Object] the result for the file
    # @return [Array, nil] the results in the order of the paths, without a block
    def self.all(paths, threads, tasks, recover, strict, progress)
      paths = paths.map { |path| String.try_convert(path) || path.to_path }
      raise ArgumentError, 'threads: a number from 1 on' unless threads.nil? || (threads.is_a?(Integer) && threads.positive?)

      results = Array.new(paths.size) unless block_given?
      done = 0
      new_reading(paths, threads, tasks, recover, strict) do |index, result|
        block_given? ? yield(paths[index], result) : results[index] = result
        progress&.call(done += 1, paths.size)
      end
      results
    end

    def self.new_reading(paths, threads, tasks, recover, strict, &block)
      reading = native_open(paths, [threads, tasks, recover, strict])
      begin
        reading.__send__(:each_result, &block)
      ensure
        reading.__send__(:native_close)
      end
    end
    private_class_method :new_reading

    private

    def each_result
      while (ready = native_next)
        ready.each { |index, result| yield(index, result) }
      end
    end
  end
end

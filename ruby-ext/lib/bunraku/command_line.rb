# frozen_string_literal: true

require_relative 'errors'
require_relative 'native'

module Bunraku
  # The command `bunraku`. Its work is done by the native part, as in the program of that name; what it needs
  # of Ruby is loaded when it needs it.
  class CommandLine
    # @param out [IO] results
    # @param err [IO] messages
    def initialize(out, err)
      @out = out
      @err = err
    end

    # @param arguments [Array<String>] the command and its options
    # @return [Integer] the exit status: 0 all is well, 1 the program or the data is at fault, 2 the command
    #   was used wrongly, 70 the library itself is at fault
    def run(arguments)
      native_run(arguments, *[@out, @err].map { |stream| stream unless of_process?(stream) })
    rescue Interrupt
      130
    rescue Error => e
      @err.puts("bunraku: #{e.message}")
      2
    end

    # What an environment is loaded with.
    #
    # @api private
    # @return [Array(Registry::Setup, Array<String>, Array<String>)] what makes the Ruby of its modules, and
    #   directories with Ruby that are searched before and behind modules
    def surroundings(ruby_functions)
      require 'bunraku'
      paths = [Libraries.gems, Libraries.load_path].map { |list| list.map { |path| File.expand_path(path) } }
      [Registry.setup(ruby_functions), *paths]
    end

    # Calls each of the works on a thread of its own, and waits for all of them.
    #
    # @api private
    # @param works [Array<Proc>]
    def in_parallel(works)
      threads = works.map do |work|
        Thread.new do
          # Whoever waits for the thread has its failure.
          Thread.current.report_on_exception = false
          work.call
        end
      end
      threads.each(&:join)
    ensure
      # Whoever waits was interrupted, or one of them has failed.
      threads&.each(&:kill)
    end

    # Serves a node classifier until somebody ends that.
    #
    # @api private
    # @param options [Hash{Symbol => Object}]
    def serve(options)
      require_relative 'command_line/server'
      Server.new(options, @err).run
    end

    private

    # Whether the native part writes to a stream by itself.
    def of_process?(stream)
      return false unless stream.equal?(STDOUT) || stream.equal?(STDERR)

      stream.flush
      true
    end
  end
end

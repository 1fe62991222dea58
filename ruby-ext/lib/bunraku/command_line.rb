# frozen_string_literal: true

require_relative 'errors'
require_relative 'native'

module Bunraku
  # The command `bunraku`. The native part does the work, as in the program of that name; Ruby code is loaded
  # when it is needed.
  class CommandLine
    # @param out [IO] results
    # @param err [IO] messages
    def initialize(out, err)
      @out = out
      @err = err
    end

    # @param arguments [Array<String>] the command and its options
    # @return [Integer] the exit status: 0 for success, 1 for errors in the program or the data, 2 for wrong
    #   usage, 70 if the library itself is at fault
    def run(arguments)
      native_run(arguments, *[@out, @err].map { |stream| stream unless of_process?(stream) })
    rescue Interrupt
      130
    rescue Error => e
      @err.puts("bunraku: #{e.message}")
      2
    end

    # Returns the surroundings that an environment is loaded with.
    #
    # @api private
    # @param puppetdb [Hash{Symbol => String, nil}] `:url`, `:cert`, `:key`, `:ca`
    # @return [Array(Registry::Setup, Array<String>, Array<String>, PuppetDB)] the setup of the modules' Ruby,
    #   the directories with Ruby that are searched before and after modules, and the host, which may be nil
    def surroundings(ruby_functions, puppetdb)
      require 'bunraku'
      paths = [Libraries.gems, Libraries.load_path].map { |list| list.map { |path| File.expand_path(path) } }
      [Registry.setup(ruby_functions), *paths, (puppetdb_at(puppetdb) if puppetdb[:url])]
    end

    # Returns the facts of a node in a PuppetDB.
    #
    # @api private
    # @param puppetdb [Hash{Symbol => String, nil}] as for {#surroundings}
    # @return [String] JSON
    def stored_facts(puppetdb, node)
      JSON.generate(puppetdb_at(puppetdb).facts(node))
    end

    # Calls each work on a thread of its own, and waits for all of them.
    #
    # @api private
    # @param works [Array<Proc>]
    def in_parallel(works)
      threads = works.map do |work|
        Thread.new do
          # The thread that waits reports the failure.
          Thread.current.report_on_exception = false
          work.call
        end
      end
      threads.each(&:join)
    ensure
      # The waiting thread was interrupted, or a work has failed.
      threads&.each(&:kill)
    end

    # Serves a node classifier until it is stopped.
    #
    # @api private
    # @param options [Hash{Symbol => Object}]
    def serve(options)
      require_relative 'command_line/server'
      Server.new(options, @err).run
    end

    # Compares the results of the installed Puppet with those of this library.
    #
    # @api private
    # @param options [Hash{Symbol => Object}]
    # @return [Array(Boolean, String, String, String)] whether anything differs, and the report as text,
    #   JSON and HTML
    def shadow(options)
      require_relative 'shadow'
      puppetdb = puppetdb_at(options[:puppetdb]) if options[:puppetdb][:url]
      nodes = options[:facts] ? Shadow.nodes_in(options[:facts]) : Shadow.nodes_of(puppetdb)
      nodes = nodes.slice(*Shadow.sample(nodes.keys, options[:sample])) if options[:sample]
      ruby = options[:ruby] ? { ruby: options[:ruby].split } : {}
      workers = options[:workers] ? { workers: options[:workers] } : {}
      shadow = Shadow.new(arguments: options[:puppet], environment: options[:environment], accept: options[:accept], host: puppetdb, **ruby, **workers)
      report = shadow.run(nodes, state: options[:state]) { |done, result| @err.puts("#{done}/#{nodes.size} #{result.name}") }
      [!report.empty?, "#{report}\n", report.to_json, report.to_html]
    end

    private

    def puppetdb_at(options)
      require 'bunraku'
      url, *files = options.values_at(:url, :cert, :key, :ca)
      PuppetDB.new(url, **%i[cert key ca].zip(files).to_h)
    end

    # Whether the native part writes to a stream directly.
    def of_process?(stream)
      return false unless stream.equal?(STDOUT) || stream.equal?(STDERR)

      stream.flush
      true
    end
  end
end

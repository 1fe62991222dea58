# frozen_string_literal: true

require 'digest'
require 'etc'
require 'json'
require 'open3'
require 'rbconfig'

require_relative '../bunraku'
require_relative 'shadow/report'

module Bunraku
  # Compiles the nodes of a site with this library and with the installed Puppet, which runs in separate
  # processes, and compares catalogs, errors and logs. The differences are what would change with a migration
  # to this library.
  #
  # Both sides use the classes, parameters and environment that Puppet's node terminus returns for a node, and
  # Puppet's settings.
  #
  # @example
  #   nodes = Bunraku::Shadow.nodes_in('/opt/puppetlabs/server/data/puppetserver/yaml/facts')
  #   report = Bunraku::Shadow.new(arguments: ['--confdir', '/etc/puppetlabs/puppet']).run(nodes)
  #   puts report
  #   File.write('shadow.html', report.to_html)
  #   exit report.empty?
  class Shadow
    # The file extensions of facts.
    ENDS = /\.(json|ya?ml)\z/.freeze

    # Our message for a node that Puppet did not return.
    NOT_ASKED = 'not asked'
    private_constant :NOT_ASKED

    # The result for a node.
    #
    # @!attribute name [r] @return [String]
    # @!attribute diff [r] @return [Hash] the differences between the catalogs, as {Diff#to_h}
    # @!attribute errors [r] @return [Array(String, String)] the messages of both sides, if only one side
    #   fails or both fail differently
    # @!attribute logs [r] @return [Array(Array<String>, Array<String>)] the messages that only Puppet logged,
    #   and those that only this library logged
    # @!attribute seconds [r] @return [Array(Float, Float)] the durations of both compilations
    # @!attribute failed [r] @return [Boolean] whether both fail with the same message
    Result = Struct.new(:name, :diff, :errors, :logs, :seconds, :failed, keyword_init: true)

    # Returns the nodes whose facts a directory contains, in the form of Puppet's server or another one.
    #
    # @param directory [String] contains `NAME.json` or `NAME.yaml`: the facts, or Puppet's document of facts
    # @return [Hash{String => Hash}] the facts by certname
    # @raise [ArgumentError] the directory contains no facts, or a file is invalid
    def self.nodes_in(directory)
      files = Dir.children(directory).grep(ENDS).sort
      raise ArgumentError, "there are no facts in #{directory}: no NAME.json, no NAME.yaml" if files.empty?

      files.to_h { |file| facts_of(File.join(directory, file)) }
    end

    # Returns the active nodes of a PuppetDB, each with a method that asks for its facts.
    #
    # @param puppetdb [PuppetDB]
    # @return [Hash{String => Proc}] by certname
    # @raise [ArgumentError] it knows no nodes
    # @raise [Error] it does not answer
    def self.nodes_of(puppetdb)
      names = puppetdb.query(['from', 'factsets', %w[extract certname]]).map { |found| found['certname'] }.sort
      raise ArgumentError, "there are no facts in #{puppetdb.inspect}" if names.empty?

      names.to_h { |name| [name, -> { puppetdb.facts(name) }] }
    end

    def self.facts_of(path)
      text = File.read(path, encoding: 'UTF-8')
      facts = path.end_with?('.json') ? JSON.parse(text) : yaml(text)
      raise ArgumentError, "#{path} holds no facts" unless facts.is_a?(Hash)

      name = File.basename(path).sub(ENDS, '')
      facts['values'].is_a?(Hash) ? [facts['name'] || name, facts['values']] : [name, facts]
    rescue JSON::ParserError => e
      raise ArgumentError, "#{path}: #{e.message}"
    end

    # Puppet's documents name its own classes.
    def self.yaml(text)
      require 'date'
      require 'yaml'
      YAML.safe_load(text.sub(/\A---.*$/, '---'), permitted_classes: [Symbol, Time, Date], aliases: true)
    rescue Psych::Exception => e
      raise ArgumentError, e.message
    end
    private_class_method :facts_of, :yaml

    # Selects a sample of the nodes; equal arguments give an equal sample.
    #
    # @param names [Array<String>]
    # @param size [String, Integer] a number of nodes, or a share: `'10%'`
    # @return [Array<String>] the selected names, in their order
    # @raise [ArgumentError] the size is neither
    def self.sample(names, size)
      number = Integer(size.to_s.delete_suffix('%'), 10, exception: false)
      raise ArgumentError, "a sample is a number of nodes, or a part such as 10%, not #{size}" unless number&.positive?

      number = (names.size * number / 100.0).ceil if size.to_s.end_with?('%')
      chosen = names.sort_by { |name| Digest::SHA256.hexdigest(name) }.first(number).to_h { |name| [name, true] }
      names.select { |name| chosen[name] }
    end

    # @param arguments [Array<String>] Puppet's options, such as `--confdir`, `/etc/puppetlabs/puppet`,
    #   `--node_terminus`, `exec`
    # @param environment [String, nil] the environment of nodes without one; by default Puppet's setting
    # @param ruby [Array<String>] the Ruby that runs Puppet, with its options, such as `-I` and the `lib` of a
    #   source tree
    # @param workers [Integer] the number of Puppet processes
    # @param accept [Array<String>] expected differences: rules of `bunraku diff --ignore`, and patterns of
    #   messages after `error:` and `log:`
    # @param host [Host, nil] what has the exported resources of other nodes for this library, such as a
    #   {PuppetDB}; Puppet has its own settings for that
    def initialize(arguments: [], environment: nil, ruby: [RbConfig.ruby], workers: Etc.nprocessors, accept: [], host: nil)
      @first = JSON.generate(arguments: arguments, environment: environment)
      @ruby = ruby
      @workers = workers
      @host = host
      messages, @rules = accept.partition { |rule| rule.start_with?('error:', 'log:') }
      @messages = messages.map { |rule| rule.split(':', 2).then { |kind, pattern| [kind, Regexp.new(pattern.strip)] } }
      @environments = {}
      @lock = Mutex.new
    end

    # @return [String, nil] Puppet's version, known as soon as a process has started
    attr_reader :version

    # Compiles the nodes and compares the results.
    #
    # @param nodes [Hash{String => Hash, Proc}] facts by certname, or what returns them
    # @param state [String, nil] a file that stores the results: the nodes in it are not compiled again
    # @yieldparam done [Integer] the number of finished nodes
    # @yieldparam result [Result] the result of the last one
    # @return [Report]
    # @raise [ArgumentError] Puppet cannot be started
    def run(nodes, state: nil)
      results = state && File.exist?(state) ? known(state, nodes) : {}
      # Text after an unfinished line must begin a new line.
      File.write(state, "\n", mode: 'a') if results.any?
      waiting = nodes.reject { |name, _| results[name] }
      queue = waiting.each_with_object(Queue.new) { |node, all| all << node }.close
      threads = Array.new([@workers, waiting.size].min) do
        Thread.new do
          Thread.current.report_on_exception = false
          work(queue) do |result|
            @lock.synchronize do
              results[result.name] = result
              File.write(state, "#{JSON.generate(result.to_h)}\n", mode: 'a') if state
              yield results.size, result if block_given?
            end
          end
        end
      end
      threads.each(&:join)
      Report.new(nodes.keys.map { |name| results[name] }.compact, @version)
    ensure
      # The wait was interrupted, or a thread failed.
      threads&.each(&:kill)
    end

    private

    # Returns the stored results of these nodes. An unfinished line is ignored.
    def known(state, nodes)
      File.foreach(state, encoding: 'UTF-8').with_object({}) do |line, found|
        next if line.strip.empty?

        members = JSON.parse(line).transform_keys(&:to_sym)
        found[members[:name]] = Result.new(**members) if nodes.key?(members[:name])
      rescue JSON::ParserError
        next
      end
    end

    # Runs a Puppet process until the queue is empty.
    def work(queue)
      script = File.expand_path('shadow/worker.rb', __dir__)
      Open3.popen3(*@ruby, script) do |input, output, errors, process|
        said = Thread.new do
          Thread.current.report_on_exception = false
          errors.each_line.to_a.last(20).join
        end
        answer = lambda do |line|
          input.puts(line)
          text = output.gets or raise ArgumentError, "Puppet has ended: #{said.value.strip}"
          JSON.parse(text)
        rescue Errno::EPIPE
          raise ArgumentError, "Puppet has ended: #{said.value.strip}"
        end
        hello = answer.call(@first)
        @lock.synchronize { @version = hello['version'] }
        while (name, facts = queue.pop)
          facts = facts.call if facts.is_a?(Proc)
          yield compared(name, answer.call(JSON.generate(name: name, facts: facts)), hello)
        end
        input.close
        process.value
      ensure
        end_process(process) unless input.closed?
      end
    end

    # Ends a process, which may just have ended by itself.
    def end_process(process)
      Process.kill('TERM', process.pid) if process.alive?
    rescue Errno::ESRCH
      nil
    end

    def compared(name, theirs, hello)
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      own = theirs['node'] ? compile(name, theirs['node'], hello) : nil
      seconds = [theirs['seconds'], Process.clock_gettime(Process::CLOCK_MONOTONIC) - began]
      messages = [theirs['error'], own.is_a?(Exception) ? own.message : (NOT_ASKED unless own)].map { |message| message && plain(message, name) }
      logs = [theirs['logs'], own.nil? ? [] : own.logs].map { |entries| entries.map { |entry| logged(entry, name) }.compact }
      Result.new(name: name, diff: difference(theirs, own), errors: errors(messages), logs: theirs['error'] ? [[], []] : only_of(*logs), seconds: seconds,
                 failed: !messages.first.nil? && messages.uniq.size == 1)
    end

    def difference(theirs, own)
      return unless theirs['catalog'] && own.is_a?(Catalog)

      diff = Diff.of(theirs['catalog'], own.to_json)
      JSON.parse(@rules.empty? ? diff.to_json : Bunraku.__send__(:native_diff_without, diff.to_json, @rules))
    end

    # Returns the messages if both sides differ in their errors.
    def errors(messages)
      messages unless messages.uniq.size == 1 || messages.compact.any? { |message| accepted?('error', message) }
    end

    def only_of(theirs, own)
      [subtract(theirs, own), subtract(own, theirs)].map { |messages| messages.reject { |message| accepted?('log', message) } }
    end

    def subtract(list, other)
      rest = other.tally
      list.reject { |entry| rest[entry]&.positive? && (rest[entry] -= 1) }
    end

    def accepted?(kind, message)
      @messages.any? { |of, pattern| of == kind && pattern.match?(message) }
    end

    # Returns a message without the parts that differ from node to node.
    def plain(message, node)
      message.sub(/\AEvaluation Error: /, '').delete_suffix(" on node #{node}").gsub(node, 'NODE').strip
    end

    def logged(entry, node)
      entry = entry.transform_keys(&:to_sym)
      return if %w[debug info].include?(entry[:level].to_s)

      place = entry[:file] && " (#{[entry[:file], entry[:line]].compact.join(':')})"
      "#{entry[:level]}: #{plain(entry[:message], node)}#{place}"
    end

    # @return [Catalog, Error]
    def compile(name, node, hello)
      environment_of(node['environment'], hello).compile(
        node: name, facts: node['facts'], parameters: node['parameters'], classes: node['classes'], trusted: trusted_of(node['trusted']),
        server_facts: node['server_facts'], server_facts_merged: true
      )
    rescue Error => e
      e
    end

    def trusted_of(trusted)
      trusted.reject { |key, _| %w[hostname domain].include?(key) }
    end

    def environment_of(name, hello)
      places = hello['places']
      @lock.synchronize do
        @environments[name] ||= Environment.new(
          name, environmentpath: places['environmentpath'], basemodulepath: places['basemodulepath'].split(File::PATH_SEPARATOR),
                global_hiera: (places['hiera_config'] if File.exist?(places['hiera_config'])), settings: hello['settings'], commands: true, host: @host
        )
      end
    end
  end
end

# frozen_string_literal: true

require 'etc'
require 'json'

module Bunraku
  # The differences between two catalogs that matter to an agent. Files and lines of declarations, tags, and
  # the order of resources and of references in relationships are ignored. Secrets are compared, but not
  # shown.
  class Diff
    # @return [Hash{String => Object}] all differences, under the names of the methods below
    attr_reader :to_h

    # @param from [Catalog, Hash, String, Error] a catalog, one as an agent or PuppetDB receives it (a Hash or
    #   JSON text), or the error of a failed compilation
    # @param to [Catalog, Hash, String, Error] the other one
    # @raise [Error] one of the two is not a catalog
    def self.of(from, to)
      both_live = from.is_a?(Catalog) && to.is_a?(Catalog)
      new(both_live ? from.__send__(:native_diff, to) : Bunraku.__send__(:native_diff, document(from), document(to)))
    end

    def self.document(catalog)
      case catalog
      when String then catalog
      when Error then JSON.generate(error: catalog.message)
      else catalog.to_json
      end
    end
    private_class_method :document

    # @param json [String] the result of {#to_json}
    def initialize(json)
      @json = json.dup.freeze
      @to_h = JSON.parse(json)
    end

    # @return [Array<Hash>] resources that only the second has: `resource`, `parameters`
    def added
      to_h['added']
    end

    # @return [Array<Hash>] resources that only the first has: `resource`, `parameters`
    def removed
      to_h['removed']
    end

    # @return [Array<Hash>] resources with parameters that differ: `resource`, `parameters` (a list of `name`,
    #   `from`, `to`, `paths`), `exported`
    def changed
      to_h['changed']
    end

    # @return [Hash] `added` and `removed`: containment and relationships, each `source`, `target`,
    #   `relationship`
    def edges
      to_h['edges']
    end

    # @return [Hash] `added` and `removed`: names of classes
    def classes
      to_h['classes']
    end

    # @return [Hash, nil] `from` and `to`: messages of compilations that failed
    def failure
      to_h['failure']
    end

    # @return [Boolean] whether the order of the common resources differs, in which an agent with
    #   `ordering=manifest` applies them
    def reordered?
      to_h.fetch('reordered', false)
    end

    # @return [Boolean] whether only the order of resources differs
    def only_reordered?
      empty? && reordered?
    end

    # @return [Boolean] whether nothing differs except the order of resources
    def empty?
      [added, removed, changed, *edges.values, *classes.values].all?(&:empty?) && failure.nil?
    end

    # @return [String] the differences as text; empty if there are none. If only the order of resources
    #   differs, the text is a line about it
    def to_s
      Bunraku.__send__(:native_diff_text, @json)
    end

    # @return [String] {#to_h} as JSON
    def to_json(*)
      @json
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{added.size} added, #{removed.size} removed, #{changed.size} changed>"
    end
  end

  # The differences between the catalogs of many nodes: each change once, with the nodes that have it.
  #
  # @example What a branch changes on a fleet
  #   names = %w[production feature]
  #   from, to = names.map { |name| Bunraku::Environment.new(name, environmentpath: '/code') }
  #   nodes = Dir['facts/*.json'].to_h do |file|
  #     [File.basename(file, '.json'), { facts: JSON.parse(File.read(file)) }]
  #   end
  #   fleet = Bunraku::Fleet.compare(from, to, nodes) { |done, node| warn "#{done}/#{nodes.size} #{node}" }
  #   puts fleet
  #   File.write('fleet.html', fleet.to_html)
  #   exit fleet.empty?
  #
  # {Fleet.compare} compiles the catalogs; {Fleet#initialize} accepts existing differences. Any number of
  # threads can read a fleet.
  class Fleet
    # @return [Hash{String => Diff}] the differences by node
    attr_reader :diffs
    # @return [String] the names of the sides
    attr_reader :from, :to

    # Compiles nodes in two environments, in parallel, and compares their catalogs. A compilation that fails
    # is a difference unless it fails in the same way on both sides.
    #
    # @param from [Environment]
    # @param to [Environment]
    # @param nodes [Hash{String => Hash}] the arguments of {Environment#compile} by the names of the nodes: `{
    #   facts: … }`
    # @param threads [Integer] how many threads compile
    # @param names [Array<String>] the names of the sides
    # @yieldparam done [Integer] the number of finished nodes
    # @yieldparam node [String] the node that finished last
    # @yieldparam results [Array<Catalog, Error>] the results of its compilations
    # @return [Fleet]
    # @raise [Error] an environment cannot be loaded, or the block raises. The other compilations are
    #   cancelled
    def self.compare(from, to, nodes, threads: Etc.nprocessors, names: [from.directory || from.name, to.directory || to.name])
      queue = nodes.to_a.each_with_object(Queue.new) { |node, waiting| waiting << node }.close
      lock = Mutex.new
      diffs = {}
      work = lambda do
        # The thread that waits reports the failure.
        Thread.current.report_on_exception = false
        while (name, options = queue.pop)
          results = [from, to].map { |environment| compile(environment, name, options) }
          diff = Diff.of(*results)
          lock.synchronize do
            diffs[name] = diff
            yield diffs.size, name, results if block_given?
          end
        end
      end
      workers = Array.new([threads, nodes.size].min) { Thread.new(&work) }
      workers.each(&:join)
      new(nodes.keys.to_h { |name| [name, diffs.fetch(name)] }, from: names.first, to: names.last)
    ensure
      # The waiting thread was interrupted, or a worker has failed.
      workers&.each(&:kill)
    end

    def self.compile(environment, name, options)
      environment.compile(node: name, **options)
    rescue Error => e
      e
    end
    private_class_method :compile

    # @param diffs [Hash{String => Diff}] the differences by node
    # @param from [String] the name of the first side
    # @param to [String] the name of the second side
    def initialize(diffs, from: 'from', to: 'to')
      @diffs = diffs
      @from = from
      @to = to
    end

    # @return [Boolean] whether nothing differs on any node
    def empty?
      diffs.each_value.all?(&:empty?)
    end

    # @return [Array<Hash>] `nodes` and `diff` of each group of changes, largest group first
    def groups
      to_h['groups']
    end

    # @return [Hash] `from`, `to`, `same` and `different` (names of nodes), `groups`
    def to_h
      @to_h ||= JSON.parse(report('json'))
    end

    # @return [String] the differences as text
    def to_s
      report('text')
    end

    # @return [String] a self-contained page that needs no other file and no network
    def to_html
      report('html')
    end

    # @return [String] {#to_h} as JSON
    def to_json(*)
      report('json')
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{diffs.size} nodes>"
    end

    private

    def report(format)
      nodes = diffs.map { |name, diff| "{\"node\":#{JSON.generate(name)},\"diff\":#{diff.to_json}}" }
      head = JSON.generate(from: from, to: to, format: format)
      Bunraku.__send__(:native_fleet, "#{head.chomp('}')},\"nodes\":[#{nodes.join(',')}]}")
    end
  end
end

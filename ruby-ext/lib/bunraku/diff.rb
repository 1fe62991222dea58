# frozen_string_literal: true

require 'etc'
require 'json'

module Bunraku
  # What differs between two catalogs as far as it matters to an agent. Files and lines of declarations, tags,
  # and the order of resources and of references in relationships do not count. Secrets are compared, and not
  # shown.
  class Diff
    # @return [Hash{String => Object}] all of it, with the names below
    attr_reader :to_h

    # @param from [Catalog, Hash, String, Error] a catalog, one as an agent or PuppetDB receives it (a Hash or
    #   JSON text), or why there is none
    # @param to [Catalog, Hash, String, Error] the other one
    # @raise [Error] one of both is no catalog
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

    # @param json [String] what {#to_json} gave
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

    # @return [Boolean] whether the resources that both have come in another order, in which an agent with
    #   `ordering=manifest` applies them
    def reordered?
      to_h.fetch('reordered', false)
    end

    # @return [Boolean] whether the order of resources differs, and nothing else
    def only_reordered?
      empty? && reordered?
    end

    # @return [Boolean] whether nothing differs, but for the order of resources
    def empty?
      [added, removed, changed, *edges.values, *classes.values].all?(&:empty?) && failure.nil?
    end

    # @return [String] the differences to read; empty when there are none. Where the order of resources
    #   differs alone, a line says so
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

  # What differs between the catalogs of many nodes: each change once, with the nodes that have it.
  #
  # @example What a branch changes on a fleet
  #   from, to = %w[production feature].map { |name| Bunraku::Environment.new(name, environmentpath: '/code') }
  #   nodes = Dir['facts/*.json'].to_h do |file|
  #     [File.basename(file, '.json'), { facts: JSON.parse(File.read(file)) }]
  #   end
  #   fleet = Bunraku::Fleet.compare(from, to, nodes) { |done, node| warn "#{done}/#{nodes.size} #{node}" }
  #   puts fleet
  #   File.write('fleet.html', fleet.to_html)
  #   exit fleet.empty?
  #
  # {Fleet.compare} compiles; who has differences of his own gives them to {Fleet#initialize}. A fleet may be
  # read by any number of threads.
  class Fleet
    # @return [Hash{String => Diff}] the differences by node
    attr_reader :diffs
    # @return [String] what the sides are called
    attr_reader :from, :to

    # Compiles nodes in two environments, in parallel, and compares their catalogs. A compilation that fails
    # is a difference unless it fails in the same way on both sides.
    #
    # @param from [Environment]
    # @param to [Environment]
    # @param nodes [Hash{String => Hash}] what {Environment#compile} takes beside the name, by name:
    #   `{ facts: … }`
    # @param threads [Integer] how many threads compile
    # @param names [Array<String>] what the sides are called
    # @yieldparam done [Integer] how many nodes are done
    # @yieldparam node [String] the node that was done last
    # @yieldparam results [Array<Catalog, Error>] what the compilations gave
    # @return [Fleet]
    # @raise [Error] an environment cannot be loaded; what the block raises. The other compilations are ended
    def self.compare(from, to, nodes, threads: Etc.nprocessors, names: [from.directory || from.name, to.directory || to.name])
      queue = nodes.to_a.each_with_object(Queue.new) { |node, waiting| waiting << node }.close
      lock = Mutex.new
      diffs = {}
      work = lambda do
        # Whoever waits for the thread has its failure.
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
      # Whoever waits was interrupted, or one of them has failed.
      workers&.each(&:kill)
    end

    def self.compile(environment, name, options)
      environment.compile(node: name, **options)
    rescue Error => e
      e
    end
    private_class_method :compile

    # @param diffs [Hash{String => Diff}] the differences by node
    # @param from [String] what the first side is called
    # @param to [String] what the second side is called
    def initialize(diffs, from: 'from', to: 'to')
      @diffs = diffs
      @from = from
      @to = to
    end

    # @return [Boolean] whether nothing differs on any node
    def empty?
      diffs.each_value.all?(&:empty?)
    end

    # @return [Array<Hash>] `nodes` and `diff` of each group of changes, those of most nodes first
    def groups
      to_h['groups']
    end

    # @return [Hash] `from`, `to`, `same` and `different` (names of nodes), `groups`
    def to_h
      @to_h ||= JSON.parse(report('json'))
    end

    # @return [String] the differences to read
    def to_s
      report('text')
    end

    # @return [String] one page to look through: it needs no other file and no network
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

# frozen_string_literal: true

require 'cgi/util'

module Bunraku
  class Shadow
    # The result of {Shadow#run}.
    class Report
      # @return [Array<Result>] the results of all nodes
      attr_reader :results
      # @return [String, nil] Puppet's version
      attr_reader :version

      # @param results [Array<Result>]
      # @param version [String, nil] the version of Puppet
      def initialize(results, version)
        @results = results
        @version = version
      end

      # @return [Boolean] whether nothing differs
      def empty?
        results.all? { |result| same?(result) }
      end

      # @return [Fleet] the differences between the catalogs, each change once, with its nodes
      def fleet
        @fleet ||= begin
          compiled = results.select(&:diff)
          Fleet.new(compiled.to_h { |result| [result.name, Diff.new(JSON.generate(result.diff))] }, from: side, to: "bunraku #{VERSION}")
        end
      end

      # @return [Hash{String => Object}] `puppet`, `bunraku` (versions), `nodes`, `same`, `different`,
      #   `failing` (names), `errors` and `logs` (causes, each with its nodes), `catalogs` (as
      #   {Fleet#to_h}), `seconds`
      def to_h
        { 'puppet' => version, 'bunraku' => VERSION, 'nodes' => results.size, 'same' => names { |result| same?(result) && !result.failed },
          'different' => names { |result| !same?(result) }, 'failing' => names(&:failed), 'errors' => errors, 'logs' => logs,
          'catalogs' => fleet.to_h, 'seconds' => seconds }
      end

      # @return [String] {#to_h} as JSON
      def to_json(*)
        JSON.generate(to_h)
      end

      # @return [String] the report as text
      def to_s
        [summary, *errors.map { |cause| "#{nodes(cause)}\n  Puppet:  #{cause['puppet'] || 'compiles'}\n  bunraku: #{cause['bunraku'] || 'compiles'}" },
         *logs.map { |cause| "#{nodes(cause)}\n  only #{cause['side']} says #{cause['message']}" }, fleet.empty? ? nil : fleet.to_s].compact.join("\n\n")
      end

      # @return [String] the report as a single page, which needs no other file and no network
      def to_html
        sections = [section('Errors', errors) { |cause| "Puppet: #{cause['puppet'] || 'compiles'}\nbunraku: #{cause['bunraku'] || 'compiles'}" },
                    section('Messages', logs) { |cause| "only #{cause['side']}: #{cause['message']}" }]
        fleet.to_html.sub('<main>') { "<main>\n<section><h2>Summary</h2><pre>#{CGI.escapeHTML(summary)}</pre></section>\n#{sections.join}" }
      end

      private

      def side
        "Puppet #{version}"
      end

      def same?(result)
        result.errors.nil? && result.logs.all?(&:empty?) && (result.diff.nil? || Diff.new(JSON.generate(result.diff)).empty?)
      end

      def names(&block)
        results.select(&block).map(&:name)
      end

      # Returns each pair of messages once, with its nodes; pairs with most nodes come first.
      def errors
        grouped(results.select(&:errors).map { |result| [result.errors, result.name] }) { |puppet, own| { 'puppet' => puppet, 'bunraku' => own } }
      end

      def logs
        said = results.flat_map { |result| %w[Puppet bunraku].zip(result.logs).flat_map { |who, messages| messages.uniq.map { |message| [[who, message], result.name] } } }
        grouped(said) { |who, message| { 'side' => who, 'message' => message } }
      end

      def grouped(pairs)
        groups = pairs.group_by(&:first).map { |cause, found| yield(*cause).merge('nodes' => found.map(&:last)) }
        groups.sort_by { |group| [-group['nodes'].size, group['nodes'].first] }
      end

      # The durations of both sides, for the nodes that compile on both.
      def seconds
        times = results.select(&:diff).map(&:seconds)
        both = times.transpose.map { |side| { 'sum' => side.sum.round(3), 'median' => side.sort[side.size / 2].round(4) } }
        { 'puppet' => both[0], 'bunraku' => both[1], 'ratio' => (times.map { |puppet, own| puppet / own }.sort[times.size / 2].round(1) unless times.empty?) }
      end

      def summary
        told = to_h
        lines = ["#{side}, bunraku #{VERSION}: #{results.size} nodes, #{told['same'].size} the same, #{told['different'].size} differ, " \
                 "#{told['failing'].size} fail on both sides"]
        took = told['seconds']
        if took['ratio']
          lines << format('Puppet took %.2f s, bunraku %.2f s; the median node is compiled %.1f times as fast', took['puppet']['sum'], took['bunraku']['sum'], took['ratio'])
        end
        lines.join("\n")
      end

      def nodes(cause)
        names = cause['nodes']
        "#{names.size} #{names.one? ? 'node' : 'nodes'}: #{names.first(5).join(', ')}#{', …' if names.size > 5}"
      end

      def section(title, causes)
        return '' if causes.empty?

        rows = causes.map { |cause| "<h3>#{CGI.escapeHTML(nodes(cause))}</h3><pre>#{CGI.escapeHTML(yield(cause))}</pre>" }
        "<section><h2>#{title}</h2>#{rows.join}</section>\n"
      end
    end
  end
end

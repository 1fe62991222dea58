# frozen_string_literal: true

require 'etc'

module Bunraku
  class CommandLine
    # The commands `diff` and `graph`, and `compile --explain`.
    module Reports
      BAR = 30
      private_constant :BAR

      private

      # Shows where the values of resources come from.
      def explain_resources(catalog, references, environment)
        references.each_with_index do |reference, index|
          explained = catalog.explain(reference, directory: environment.directory)
          raise Misuse, "#{reference} is not in the catalog" unless explained

          @out.puts if index.positive?
          @out.puts(explained)
        end
        0
      end

      # Compares two catalogs. Exit status as that of diff: 0 the same, 1 differences, 2 trouble.
      def diff(arguments)
        options = { facts: {}, settings: {}, format: 'text', threads: Etc.nprocessors }
        files = diff_parser(options).permute(arguments)
        fleet = files.empty? ? diff_of_environments(options) : diff_of_files(files)
        File.write(options[:html], fleet.to_html) if options[:html]
        show_fleet(fleet, options, files)
        fleet.empty? ? 0 : 1
      rescue Error => e
        show_error(e)
        2
      end

      def diff_parser(options)
        OptionParser.new("Usage: bunraku diff --from DIR --to DIR --node NAME | --all-nodes FACTS_DIR [OPTIONS]\n" \
                         '       bunraku diff A.json B.json [OPTIONS]') do |o|
          o.separator('')
          o.separator('Compares the catalogs of nodes compiled in two environments, or two written catalogs (of agents or of')
          o.separator('PuppetDB). Exit status: 0 no differences, 1 differences, 2 trouble.')
          o.separator('')
          o.on('--from DIR', 'the environment to compare') { |v| options[:from] = v }
          o.on('--to DIR', 'the environment to compare it with') { |v| options[:to] = v }
          o.on('--all-nodes FACTS_DIR', 'compile every node that has a file of facts there (NAME.json or NAME.yaml)') { |v| options[:all_nodes] = v }
          o.on('--html FILE', 'write one page to look through') { |v| options[:html] = v }
          o.on('--threads NUMBER', Integer, "how many nodes to compile at once (#{options[:threads]})") { |v| options[:threads] = v }
          node_options(o, options, environments: false)
          o.on('--environment NAME', 'the environment in both directories, when these hold several') { |v| options[:environment] = v }
          format_option(o, options, %w[text json])
        end
      end

      def diff_of_files(files)
        raise Misuse, 'diff compares two files' unless files.size == 2

        documents = files.map { |file| read(file) }
        name = JSON.parse(documents.last)['name'] || files.last
        Fleet.new({ name => Diff.of(*documents) }, from: files.first, to: files.last)
      end

      def diff_of_environments(options)
        raise Misuse, '--from and --to are missing, or two files' unless options[:from] && options[:to]

        read_certificate(options)
        raise Misuse, '--node or --all-nodes is missing' unless options[:node] || options[:all_nodes]

        environments = [options[:from], options[:to]].map { |directory| environment_in(directory, options) }
        nodes = nodes_of(options)
        fleet = as_misuse do
          Fleet.compare(*environments, nodes, threads: [options[:threads], 1].max,
                                              names: [options[:from], options[:to]]) do |done, name, results|
            progress(done, nodes.size, name)
            failed_twice(name, results)
          end
        end
        progress_done
        fleet
      end

      def environment_in(directory, options)
        directory = File.expand_path(directory)
        directory, name = options[:environment] ? [directory, options[:environment]] : File.split(directory)
        Environment.new(name, environmentpath: directory, settings: options[:settings],
                              basemodulepath: options[:basemodulepath] || [], global_hiera: options[:global_hiera],
                              commands: true, file_size: @file_size)
      end

      # What to compile nodes with, by their names.
      def nodes_of(options)
        given = node_of(options).reject { |name, _| name == :node }
        return { options[:node] => given } unless options[:all_nodes]

        files = Dir.glob(File.join(options[:all_nodes], '*.{json,yaml,yml}'))
        raise Misuse, "there are no facts in #{options[:all_nodes]}" if files.empty?

        nodes = files.to_h { |file| node_of_file(file) }
        nodes = nodes.slice(options[:node]) if options[:node]
        raise Misuse, "there are no facts of #{options[:node]}" if nodes.empty?

        nodes.sort.to_h.transform_values { |facts| given.merge(facts: facts) }
      end

      # The name of a node and its facts: those alone, or with `name` and `values`, as Puppet stores them.
      def node_of_file(file)
        # Loaded late: other commands start faster without it.
        require 'psych'
        text = read_found(file)
        facts = file.end_with?('.json') ? JSON.parse(text) : Psych.safe_load(text.sub(/\A---.*$/, '---'), permitted_classes: [Time, Symbol], aliases: true)
        raise Misuse, "#{file} holds no facts" unless facts.is_a?(Hash)

        name = File.basename(file, '.*')
        stored = facts['values']
        stored.is_a?(Hash) ? [facts['name'] || name, stored] : [name, facts]
      rescue Psych::Exception => e
        raise Misuse, "#{file}: #{e.message}"
      end

      def show_fleet(fleet, options, files)
        return say_data(fleet.to_json, json: true) if options[:format] == 'json'
        return say(fleet.to_s) if fleet.diffs.size > 1

        name, diff = fleet.diffs.first
        return if diff.empty?

        say("#{name}: #{files.empty? ? "#{fleet.from} -> #{fleet.to}" : files.join(' -> ')}")
        say(diff.to_s)
      end

      def failed_twice(name, results)
        return unless results.all?(Error) && results.map(&:message).uniq.size == 1

        progress_done
        @err.puts("#{name}: fails on both sides: #{results.first.message}")
      end

      def progress(done, count, name)
        return unless @err.tty? && count > 1

        filled = BAR * done / count
        @err.io.print("\r\e[K[#{'#' * filled}#{'.' * (BAR - filled)}] #{done}/#{count} ")
        @err.print(name)
      end

      def progress_done
        @err.io.print("\r\e[K") if @err.tty?
      end

      # Draws a catalog.
      def graph(arguments)
        options = { facts: {}, settings: {}, submission: {}, draw: { by: 'containment', format: 'svg' } }
        files = graph_parser(options).permute(arguments)
        raise Misuse, 'graph draws one catalog' if files.size > 1

        drawn = if files.empty?
                  compile_node(load_environment(options), options).graph(**options[:draw].transform_values(&:to_sym))
                else
                  Bunraku.native_graph(read(files.first), JSON.generate(options[:draw]))
                end
        options[:output] ? File.write(options[:output], drawn) : @out.data(drawn)
        0
      end

      def graph_parser(options)
        OptionParser.new("Usage: bunraku graph --node NAME [OPTIONS]\n       bunraku graph CATALOG.json [OPTIONS]") do |o|
          o.separator('')
          o.separator('Draws the resources of a catalog and their edges. What depends on itself is red.')
          o.separator('')
          node_options(o, options)
          o.on('--by WHAT', %w[containment class resource], 'containment (frames, the default), class, or resource') { |v| options[:draw][:by] = v }
          o.on('--format FORMAT', %w[svg dot], 'svg (the default) or dot, for Graphviz') { |v| options[:draw][:format] = v }
          o.on('--output FILE', 'write the drawing there') { |v| options[:output] = v }
          help_option(o)
        end
      end
    end
  end
end

# frozen_string_literal: true

require 'json'

require_relative 'libraries'

module Bunraku
  # A directory environment: manifests, modules, data. Loaded once, immutable from then on; any number of
  # threads may compile in it at the same time.
  class Environment
    # @!method name
    #   @return [String] such as `production`
    # @!method directory
    #   @return [String, nil] the environment's directory
    # @!method modulepath
    #   @return [Array<String>] the directories of modules that exist

    # @!method clear
    #   Has it read anew when it is used next, whatever `reload:` says.
    #   @return [nil]

    # Loads an environment.
    #
    # @param name [String] such as `production`
    # @param environmentpath [String, Array<String>, nil] directories that hold environments (a text may
    #   separate them by `:`)
    # @param directory [String, nil] the environment's own directory, whatever it is called; then the
    #   environment path is not searched, and its `config_version` is asked where the directory has its name
    # @param modulepath [Array<String>, nil] makes an environment of these modules alone, without a directory
    # @param manifest [String, nil] the main manifest, instead of what `environment.conf` says
    # @param code [String, nil] the text of the main manifest
    # @param basemodulepath [Array<String>] directories of modules that all environments share
    # @param global_hiera [String, nil] `hiera.yaml` of the global layer
    # @param global_hiera_text [String, nil] what stands in it; then it is not read
    # @param settings [Hash] `strict`, `strict_variables`, `rich_data`, `storeconfigs`, `tasks`, and those
    #   that manifests read as `$settings::name`; others than Puppet has are refused. Resource types,
    #   providers and functions of the 3.x API are also looked for in the directory `libdir` and in the
    #   modules of `vendormoduledir`, behind the modules; an empty text is none, and where nothing is said,
    #   Puppet's own directories count
    # @param gems [Array<String>, nil] directories (`lib` of gems) in which these are looked for before the
    #   modules; without it those of this process ({Libraries.gems})
    # @param load_path [Array<String>, nil] directories in which these are looked for between `libdir` and the
    #   vendored modules; without it those of `$LOAD_PATH` ({Libraries.load_path})
    # @param commands [Boolean] whether `config_version`, `generate()` and functions of modules that Ruby does
    #   not run (`ruby_functions: :off`) run commands, with the rights of this process
    # @param writable [Array<String>] directories below which functions of modules may write files that Ruby
    #   does not run; what Ruby runs writes with the rights of this process
    # @param reload [Symbol, String] when it is read anew: `:never`, `:always` (by each call), `:changed`
    #   (when size or time of a file or directory that was read has changed), `:configured` (as
    #   `environment_timeout` in its `environment.conf` says), or a time such as `'5m'`
    # @param file_size [Integer, nil] how many bytes a file may have that is read; 64 MiB without it
    # @param host [Host, nil] has functions that are written in Ruby
    # @param ruby_functions [Symbol] on what functions run that modules have in Ruby: `:own` (this gem's own
    #   classes of Puppet's names), `:puppet` (Puppet's, which must be loaded), `:auto` (Puppet's when it is
    #   loaded), `:off` (without Ruby: only what the library itself can run of the 4.x API)
    # @param prefer_ruby [Boolean, Array<String>] modules, or all, whose own functions run even where the
    #   library has native ones that stand in for them, as it has for stdlib
    # @param templates [Symbol] what renders templates in ERB: `:auto` (the Ruby that is built into the
    #   library, and Ruby itself those that it does not know), `:ruby` (Ruby all of them), `:native` (never
    #   Ruby)
    # @yield [host] the host, to add functions to it
    # @return [Environment]
    # @raise [Error] there is no such environment or setting, or its `environment.conf` cannot be read
    def self.new(name = 'production', environmentpath: nil, directory: nil, modulepath: nil, manifest: nil, code: nil, basemodulepath: [],
                 global_hiera: nil, global_hiera_text: nil, settings: {}, gems: nil, load_path: nil, commands: false,
                 writable: [], reload: :never, file_size: nil, host: nil,
                 ruby_functions: :auto, prefer_ruby: false, templates: :auto)
      yield(host ||= Host.new) if block_given?
      setup = Registry.setup(ruby_functions, templates)
      paths = Array(environmentpath).flat_map { |path| path.to_s.split(':') }.map { |path| File.expand_path(path) }
      request = { environment: name.to_s, environmentpath: paths, directory: directory && File.expand_path(directory),
                  modulepath: modulepath&.map { |path| File.expand_path(path) },
                  manifest: manifest && File.expand_path(manifest), code: code,
                  basemodulepath: basemodulepath.map { |path| File.expand_path(path) },
                  global_hiera: global_hiera && File.expand_path(global_hiera), global_hiera_text: global_hiera_text,
                  settings: settings, commands: commands ? true : nil,
                  writable: writable.map { |path| File.expand_path(path) },
                  prefer_ruby: prefer_ruby == true ? ['*'] : Array(prefer_ruby || []).map(&:to_s),
                  gems: (gems || Libraries.gems).map { |path| File.expand_path(path) },
                  load_path: (load_path || Libraries.load_path).map { |path| File.expand_path(path) },
                  reload: reload.to_s, file_size: file_size }
      native_load(JSON.generate(request.compact), host, setup)
    end

    # Compiles the catalog of a node, without Ruby's global lock.
    #
    # @param node [String] the certname
    # @param facts [Hash] the facts by name
    # @param trusted [Hash, nil] `$trusted`; what the reference makes up for the node otherwise
    # @param classes [Array<String>, Hash{String => Hash, nil}] classes from a classifier
    # @param parameters [Hash] variables of the top scope from a classifier
    # @param classification [Hash, nil] how a {Classifier} classified the node: more classes and variables,
    #   and data for parameters of classes
    # @param server_facts [Hash, true, nil] what the server says of itself; true for what OpenVox's does: its
    #   version, and the name and the addresses of this machine, which are looked up once
    # @param server_facts_merged [Boolean] whether `parameters` hold that already
    # @param provenance [Boolean] whether the catalog tells where its values come from ({Catalog#provenance},
    #   {Catalog#why})
    # @param check_cycles [Boolean] whether a cycle of dependencies is an error, which tells its path;
    #   relationships that types make by themselves (`autorequire` and the like) are not known here
    # @param identity [Hash{Symbol => Object}] what the catalog is known by, and where chance comes from:
    #   `catalog_uuid` (a new one without it), `code_id`, `transaction_uuid`, `job_id`, `producer`,
    #   `producer_timestamp` (the time of the compilation without it); `seed` (String, Integer: what is random
    #   follows from it, so that the same call gives the same bytes), `time` (Time, String, Integer: where the
    #   clock stands still; with a `seed` only, the beginning of 1970). Module functions that Ruby itself runs
    #   have Ruby's clock and randomness
    # @param limits [Hash{Symbol => Integer, nil}, nil] what the compilation may use up, where the defaults
    #   are not wanted: `depth` of expressions and calls, `steps` (one more for each kilobyte that an
    #   operation reads or makes), `seconds`, `cpu_seconds` of the thread's processor (300; looked at where
    #   `seconds` sets nothing, and not while Ruby code runs), `value_size` (about in bytes), `value_depth`,
    #   `output_size` (of the log and of what is declared), number of `resources`, bytes of `memory` at one
    #   time (1 GiB; what Ruby's own objects take does not count); `steps`, `seconds`, `cpu_seconds` and
    #   `memory` may be nil for none
    # @return [Catalog]
    # @raise [Error] the compilation failed; {Error#logs} has what was said before
    # @raise [LimitError] a limit was run over
    # @raise [BugError] the library is at fault
    # @raise [ArgumentError] the node was classified into another environment; `limits`, `trusted` or
    #   `classification` has a key that it does not have
    def compile(node:, facts: {}, trusted: nil, classes: [], parameters: {}, classification: nil, server_facts: nil,
                server_facts_merged: false, provenance: false, check_cycles: false, limits: nil, **identity)
      assert_environment(classification) if classification
      classes = classes.to_h { |name| [name, nil] } if classes.is_a?(Array)
      native_compile(node, facts, { trusted: trusted, classes: classes, parameters: parameters,
                                    classification: classification && JSON.generate(classification),
                                    server_facts: server_facts, server_facts_merged: server_facts_merged, provenance: provenance ? true : nil,
                                    check_cycles: check_cycles ? true : nil, limits: limits && JSON.generate(limits),
                                    identity: identity_json(identity) }.compact)
    end

    # Looks up data as `puppet lookup` does.
    #
    # @param key [String] what is looked up; dots dig into it
    # @param node [String] the certname
    # @param facts [Hash] the facts by name
    # @param type [String, nil] the type that the value must be of
    # @param merge [String, Hash, nil] `first`, `unique`, `hash`, `deep`, or a hash of options
    # @param options `default:`, `trusted:`, `classes:`, `parameters:`, `classification:`, `server_facts:`,
    #   `compile:`, `limits:`
    # @return [Object] the value; a Sensitive is a hash with `__ptype` and, in clear, `__pvalue`
    # @raise [LookupError] nothing was found and there is no default
    # @raise [LimitError] the lookup has run over a limit
    def lookup(key, node:, facts: {}, type: nil, merge: nil, **options)
      answer = ask(key: key, node: node, facts: facts, type: type, merge: merge, **options)
      raise failure(answer) if answer['error']

      answer['value']
    end

    # Explains how data is looked up, as `puppet lookup --explain` does. Takes what {#lookup} takes. Data that
    # `convert_to` makes Sensitive, or that was encrypted, is redacted.
    #
    # @param format [Symbol] `:text`, or `:data` for the tree that `puppet lookup --explain --render-as json`
    #   writes
    # @param show_secrets [Boolean] whether secrets are shown, as Puppet shows them
    # @return [String, Hash{String => Object}] the text or the tree; that nothing was found is told in it
    # @raise [LookupError] the data is at fault
    def explain(key, node:, facts: {}, type: nil, merge: nil, format: :text, show_secrets: false, **options)
      raise ArgumentError, "unknown format #{format.inspect}: :text or :data" unless %i[text data].include?(format)

      answer = ask(key: key, node: node, facts: facts, type: type, merge: merge, explain: true,
                   show_secrets: show_secrets, **options)
      answer["explain_#{format}"] || raise(failure(answer))
    end

    # @!method ruby_report
    #   Tells which files in Ruby of the modules the Ruby that is built in knows: what runs with
    #   `ruby_functions: :off`, `templates: :native`, and in programs without Ruby. Nothing is called, so what
    #   a function meets only when it runs is not told.
    #
    #   @return [Hash] `files`, each with `file`, `module`, `kind` (`function`, `legacy_function`,
    #     `resource_type`, `library`, `template`), `known`, `native` (whether the library's own function does
    #     what this version of the file does) and `unknown` (a list of `construct` and `line`), and how many
    #     are `known` and `unknown`

    # @!method tasks
    #   Lists the tasks of the modules.
    #
    #   @return [Array<Hash>] `name`, `module`, `description`, `private`, `metadata`, `metadata_file`,
    #     `executables`, `files`, `violations` (what the metadata break of the schema), or `name` and `error`

    # @!method self.task_outcome(output, exit_code)
    #   Reads the output of a task.
    #
    #   @param output [String] what it wrote to its standard output, whatever bytes
    #   @param exit_code [Integer]
    #   @return [Hash] `status` (`success` or `failure`), `value`, with `_output` for text and `_error` when
    #     it failed, and `sensitive`: the names of the members of the value that are secret, which is
    #     `_sensitive` or none. It is a {Value} that shows nothing until it is unwrapped.

    # Checks the environment: what is wrong with its manifests, modules, templates and data, told without
    # compiling a node.
    #
    # @example
    #   environment.check.each { |finding| puts finding }
    # @param select [Array<String>] codes, or beginnings of codes, that alone are told; empty for all
    # @param ignore [Array<String>] codes, or beginnings of codes, that are not told
    # @param notes [Boolean] whether notes are told
    # @param paths [Array<String>] files and directories whose findings are told; empty for all
    # @return [Array<Finding>]
    def check(select: [], ignore: [], notes: false, paths: [])
      request = { select: select, ignore: ignore, notes: notes, paths: paths.map { |path| File.expand_path(path) } }
      native_check(JSON.generate(request)).map { |found| Finding.of(found) }
    end

    # What the environment defines (classes, defined types, functions, types, plans, tasks, nodes, facts, keys
    # of data), and who refers to it.
    #
    # @return [Index]
    def index
      Index.new(native_index)
    end

    # Says what to run for a task, and with which input. Running it is the caller's.
    #
    # @param task [String] the name
    # @param parameters [Hash] its parameters
    # @param features [Array<String>] what the target can do, such as `shell`, `powershell`, `puppet-agent`
    # @param noop [Boolean] whether nothing is to be changed
    # @param remote [Hash, nil] how a remote target is connected to; the task then runs on a proxy
    # @param installdir [String, nil] where the task's files will be on the target
    # @return [Hash] `executable`, `files`, `input_method`, `parameters`, `sensitive`, and what the method
    #   takes: `stdin`, `environment`, `powershell`
    # @raise [TaskError] there is no such task, it cannot run there, or the parameters are not those that it
    #   takes
    def task_invocation(task, parameters: {}, features: [], noop: false, remote: nil, installdir: nil)
      request = { task: task, parameters: parameters, features: features, noop: noop, remote: remote, installdir: installdir }
      answer = native_task_invocation(JSON.generate(request))
      raise TaskError.new(answer['error']) if answer['error']

      answer
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{name}#{" in #{directory}" if directory}>"
    end

    private

    IDENTITY = %i[catalog_uuid code_id transaction_uuid job_id producer producer_timestamp seed time].freeze
    private_constant :IDENTITY

    def identity_json(identity)
      unknown = identity.keys - IDENTITY
      raise ArgumentError, "unknown keyword#{'s' if unknown.size > 1}: #{unknown.map(&:inspect).join(', ')}" unless unknown.empty?

      given = identity.compact.transform_values { |value| value.is_a?(Time) ? value.getutc.strftime('%FT%T.%LZ') : value }
      given.empty? ? nil : JSON.generate(given)
    end

    def assert_environment(classification)
      wanted = classification['environment']
      return if [nil, 'agent-specified', name].include?(wanted)

      raise ArgumentError, "the node was classified into the environment #{wanted}, and this is #{name}"
    end

    def failure(answer)
      error = answer['error']
      LookupError.new(error['message'], error.transform_keys(&:to_sym))
    end

    def ask(default: (no_default = true), **request)
      request = request.compact
      request[:default] = default unless no_default
      native_lookup(JSON.generate(request))
    end
  end
end

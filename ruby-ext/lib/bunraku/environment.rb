# frozen_string_literal: true

require 'json'

require_relative 'libraries'

module Bunraku
  autoload :GitTree, File.join(__dir__, 'git_tree')

  # A directory environment: manifests, modules, data. It is immutable after loading; any number of threads
  # can compile in it at the same time.
  class Environment
    # @!method name
    #   @return [String] such as `production`
    # @!method directory
    #   @return [String, nil] the environment's directory
    # @!method modulepath
    #   @return [Array<String>] the existing directories of modules

    # @!method clear
    #   Makes the environment load again at its next use, whatever `reload:` says.
    #   @return [nil]

    # Loads an environment.
    #
    # @param name [String] such as `production`
    # @param environmentpath [String, Array<String>, nil] directories that contain environments (a String can
    #   separate them by `:`)
    # @param directory [String, nil] the environment's own directory, whatever its name. The environment path
    #   is then not searched, and `config_version` runs if the directory has the environment's name
    # @param modulepath [Array<String>, nil] makes an environment of only these modules, without a directory
    # @param manifest [String, nil] the main manifest, which overrides `environment.conf`
    # @param code [String, nil] the text of the main manifest
    # @param basemodulepath [Array<String>] directories of modules that all environments share
    # @param global_hiera [String, nil] `hiera.yaml` of the global layer
    # @param global_hiera_text [String, nil] the content of that file, which is then not read
    # @param settings [Hash] `strict`, `strict_variables`, `rich_data`, `storeconfigs`, `tasks`, and those
    #   that manifests read as `$settings::name`; settings that Puppet does not have are rejected. The
    #   directory `libdir` and the modules of `vendormoduledir` are searched for resource types, providers and
    #   functions of the 3.x API after the modules; an empty String means none, and the default is Puppet's
    #   own directories
    # @param gems [Array<String>, nil] directories (`lib` of gems) that are searched for these before the
    #   modules; by default those of this process ({Libraries.gems})
    # @param load_path [Array<String>, nil] directories that are searched for these between `libdir` and the
    #   vendored modules; by default those of `$LOAD_PATH` ({Libraries.load_path})
    # @param commands [Boolean] whether `config_version`, `generate()` and functions of modules that Ruby does
    #   not run (`ruby_functions: :off`) can run commands, with the rights of this process
    # @param writable [Array<String>] directories below which functions of modules that Ruby does not run can
    #   write files; functions that Ruby runs write with the rights of this process
    # @param reload [Symbol, String] when the environment is loaded again: `:never`, `:always` (by each call),
    #   `:changed` (when the size or time of a file or directory that was read has changed), `:configured` (as
    #   `environment_timeout` in its `environment.conf` says), or a time such as `'5m'`
    # @param fresh_data [Boolean] whether each compilation sees changes of data files and of every
    #   `hiera.yaml`, while all else stays as it was read
    # @param file_size [Integer, nil] the maximum size of a file in bytes; 64 MiB by default
    # @param host [Host, nil] provides functions that are written in Ruby
    # @param files [#read, #list, #stat, nil] has the files of the environment, in place of the disk, such as
    #   a {GitTree}: `read(path)` returns the content of a file, `list(path)` the names in a directory, and
    #   `stat(path)` an object with `directory?`, `size` and `mtime` (a Time, or nil), and `ino` if it has
    #   one (a number that another file at the path does not have); each returns nil if the path does not
    #   exist. They are called on the working thread, and their exceptions end the work. Ruby
    #   loads files from the disk only, so the built-in Ruby then runs the Ruby of modules
    # @param ruby_functions [Symbol] what runs the Ruby functions of modules: `:own` (this gem's own classes
    #   with Puppet's names), `:puppet` (Puppet's classes, which must be loaded), `:auto` (Puppet's classes if
    #   they are loaded), `:off` (without Ruby: only functions of the 4.x API that the library itself can run)
    # @param prefer_ruby [Boolean, Array<String>] modules, or true for all, whose own functions run even where
    #   the library has native replacements for them, as it has for stdlib
    # @param templates [Symbol] what renders templates in ERB: `:auto` (the built-in Ruby, and Ruby itself for
    #   templates that it does not support), `:ruby` (Ruby for all of them), `:native` (never Ruby)
    # @yield [host] the host, to add functions to it
    # @return [Environment]
    # @raise [Error] the environment or a setting does not exist, or `environment.conf` cannot be read
    def self.new(name = 'production', environmentpath: nil, directory: nil, modulepath: nil, manifest: nil, code: nil, basemodulepath: [],
                 global_hiera: nil, global_hiera_text: nil, settings: {}, gems: nil, load_path: nil, commands: false,
                 writable: [], reload: :never, fresh_data: false, file_size: nil, host: nil, files: nil,
                 ruby_functions: :auto, prefer_ruby: false, templates: :auto)
      yield(host ||= Host.new) if block_given?
      ruby_functions, templates = without_ruby(ruby_functions, templates) if files
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
                  reload: reload.to_s, fresh_data: fresh_data ? true : nil, file_size: file_size }
      native_load(JSON.generate(request.compact), host, setup, files)
    end

    # What runs the Ruby of modules whose files are not on the disk.
    private_class_method def self.without_ruby(ruby_functions, templates)
      given = { ruby_functions: ruby_functions, templates: templates }.find { |_, value| %i[own puppet ruby].include?(value.to_sym) }
      raise ArgumentError, "#{given.first}: #{given.last.inspect} needs files on the disk" if given

      %i[off native]
    end

    # Compiles the catalog of a node. Releases Ruby's global lock.
    #
    # @param node [String] the certname
    # @param facts [Hash] the facts by name
    # @param trusted [Hash, nil] `$trusted`; by default the value that the reference uses without a
    #   certificate
    # @param trusted_data [Hash, nil] the whole of `$trusted` instead, whatever its members
    # @param classes [Array<String>, Hash{String => Hash, nil}] classes from a classifier
    # @param parameters [Hash] variables of the top scope from a classifier
    # @param classification [Hash, nil] the result of a {Classifier} for the node: more classes and variables,
    #   and data for parameters of classes
    # @param server_facts [Hash, true, nil] facts about the server; true for those of OpenVox: its version,
    #   and the name and the addresses of this machine, which are looked up once
    # @param server_facts_merged [Boolean] whether `parameters` already contain them
    # @param provenance [Boolean] whether the catalog records where its values come from
    #   ({Catalog#provenance}, {Catalog#why})
    # @param check_cycles [Boolean] whether a dependency cycle is an error, which shows its path;
    #   relationships that types add themselves (`autorequire` and the like) are not considered
    # @param identity [Hash{Symbol => Object}] the identity of the catalog and the source of randomness:
    #   `catalog_uuid` (a new one by default), `code_id`, `transaction_uuid`, `job_id`, `producer`,
    #   `producer_timestamp` (by default the time of the compilation); `seed` (a String or Integer that
    #   determines everything random, so that the same call gives the same bytes), `time` (a Time, String or
    #   Integer: the fixed time of the clock; with a `seed` the default is the beginning of 1970). Module
    #   functions that Ruby itself runs use Ruby's clock and randomness
    # @param limits [Hash{Symbol => Integer, nil}, nil] limits that differ from the defaults: `depth` of
    #   expressions and calls, `steps` (which include one for each kilobyte that an operation reads or makes),
    #   `seconds`, `cpu_seconds` of the thread's processor (300; applies if `seconds` is not set, but not
    #   while Ruby code runs), `value_size` (approximately in bytes), `value_depth`, `output_size` (of the log
    #   and of declarations), number of `resources`, bytes of `memory` at one time (1 GiB; Ruby's own objects
    #   are not counted); `steps`, `seconds`, `cpu_seconds` and `memory` can be nil for none
    # @return [Catalog]
    # @raise [Error] the compilation failed; {Error#logs} contains the preceding log
    # @raise [LimitError] a limit was exceeded
    # @raise [BugError] the library is at fault
    # @raise [ArgumentError] the node was classified into another environment, or `limits`, `trusted` or
    #   `classification` has an unknown key
    def compile(node:, facts: {}, trusted: nil, trusted_data: nil, classes: [], parameters: {}, classification: nil,
                server_facts: nil, server_facts_merged: false, provenance: false, check_cycles: false, limits: nil, **identity)
      assert_environment(classification) if classification
      classes = classes.to_h { |name| [name, nil] } if classes.is_a?(Array)
      native_compile(node, facts, { trusted: trusted, trusted_data: trusted_data, classes: classes, parameters: parameters,
                                    classification: classification && JSON.generate(classification),
                                    server_facts: server_facts, server_facts_merged: server_facts_merged, provenance: provenance ? true : nil,
                                    check_cycles: check_cycles ? true : nil, limits: limits && JSON.generate(limits),
                                    identity: identity_json(identity) }.compact)
    end

    # Looks up data as `puppet lookup` does.
    #
    # @param key [String] the key; dots select parts of its value
    # @param node [String] the certname
    # @param facts [Hash] the facts by name
    # @param type [String, nil] the required type of the value
    # @param merge [String, Hash, nil] `first`, `unique`, `hash`, `deep`, or a hash of options
    # @param options `default:`, `trusted:`, `trusted_data:`, `classes:`, `parameters:`, `classification:`,
    #   `server_facts:`, `compile:`, `limits:`
    # @return [Object] the value; a Sensitive is a hash with `__ptype` and, in clear, `__pvalue`
    # @raise [LookupError] nothing was found and there is no default
    # @raise [LimitError] the lookup exceeded a limit
    def lookup(key, node:, facts: {}, type: nil, merge: nil, **options)
      answer = ask(key: key, node: node, facts: facts, type: type, merge: merge, **options)
      raise failure(answer) if answer['error']

      answer['value']
    end

    # Explains how data is looked up, as `puppet lookup --explain` does. Takes the arguments of {#lookup}.
    # Data that `convert_to` makes Sensitive, or that was encrypted, is redacted.
    #
    # @param format [Symbol] `:text`, or `:data` for the tree that `puppet lookup --explain --render-as json`
    #   writes
    # @param show_secrets [Boolean] whether secrets are shown, as Puppet shows them
    # @return [String, Hash{String => Object}] the text or the tree, also if nothing was found
    # @raise [LookupError] the data is invalid
    def explain(key, node:, facts: {}, type: nil, merge: nil, format: :text, show_secrets: false, **options)
      raise ArgumentError, "unknown format #{format.inspect}: :text or :data" unless %i[text data].include?(format)

      answer = ask(key: key, node: node, facts: facts, type: type, merge: merge, explain: true,
                   show_secrets: show_secrets, **options)
      answer["explain_#{format}"] || raise(failure(answer))
    end

    # @!method ruby_report
    #   Reports which Ruby files of the modules the built-in Ruby supports: what runs with `ruby_functions:
    #   :off`, `templates: :native`, and in programs without Ruby. The files are only read, so what a function
    #   uses at run time is not reported.
    #
    #   @return [Hash] `files`, each with `file`, `module`, `kind` (`function`, `legacy_function`,
    #     `resource_type`, `library`, `template`), `known`, `native` (whether the library's own function does
    #     what this version of the file does) and `unknown` (a list of `construct` and `line`), and the
    #     numbers
    #     of `known` and `unknown` files

    # @!method tasks
    #   Lists the tasks of the modules.
    #
    #   @return [Array<Hash>] `name`, `module`, `description`, `private`, `metadata`, `metadata_file`,
    #     `executables`, `files`, `violations` (of the schema by the metadata), or `name` and `error`

    # @!method self.task_outcome(output, exit_code)
    #   Reads the output of a task.
    #
    #   @param output [String] the bytes that the task wrote to its standard output
    #   @param exit_code [Integer]
    #   @return [Hash] `status` (`success` or `failure`), `value`, with `_output` for text and `_error` after
    #     a failure, and `sensitive`: the names of the secret members of the value, which is `_sensitive` or
    #     none. A secret is a {Value}, which must be unwrapped to show its content.

    # Checks the environment for mistakes in its manifests, modules, templates and data, without compiling a
    # node.
    #
    # @example
    #   environment.check.each { |finding| puts finding }
    # @param select [Array<String>] the codes, or prefixes of codes, to report; empty for all
    # @param ignore [Array<String>] codes, or prefixes of codes, to leave out
    # @param notes [Boolean] whether notes are reported
    # @param paths [Array<String>] files and directories whose findings are reported; empty for all
    # @return [Array<Finding>]
    def check(select: [], ignore: [], notes: false, paths: [])
      request = { select: select, ignore: ignore, notes: notes, paths: paths.map { |path| File.expand_path(path) } }
      native_check(JSON.generate(request)).map { |found| Finding.of(found) }
    end

    # Returns the definitions of the environment (classes, defined types, functions, types, plans, tasks,
    # nodes, facts, keys of data) and the references to them. {Index#renew} reads single files again.
    #
    # @return [Index]
    def index
      Index.new(native_index)
    end

    # Resolves what to run for a task, and with which input. The caller runs it.
    #
    # @param task [String] the name
    # @param parameters [Hash] its parameters
    # @param features [Array<String>] the capabilities of the target, such as `shell`, `powershell`,
    #   `puppet-agent`
    # @param noop [Boolean] whether the task must not change anything
    # @param remote [Hash, nil] the connection to a remote target; the task then runs on a proxy
    # @param installdir [String, nil] the directory of the task's files on the target
    # @return [Hash] `executable`, `files`, `input_method`, `parameters`, `sensitive`, and the input for the
    #   method: `stdin`, `environment`, `powershell`
    # @raise [TaskError] the task does not exist, it cannot run there, or its parameters are invalid
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

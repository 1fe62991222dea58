# frozen_string_literal: true

require_relative '../../bunraku'
require_relative 'environments'
require_relative 'exported'
require_relative 'kept'
require_relative 'lazy_catalog'
require_relative 'logs'
require_relative 'lookups'
require_relative 'rendering'
require_relative 'resources'
require_relative 'resource_types'
require_relative 'server_facts'
require_relative 'store'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Parser::Compiler.compile`: compiles catalogs natively, with functions and templates in Ruby on
    # Puppet's own classes. If a compilation fails or needs something that the library does not support here,
    # Puppet compiles the catalog, so that errors and logs are exactly Puppet's. A compilation that is given
    # up logs nothing.
    module Compiler
      # Raised when a compilation must be left to Puppet.
      class Unsuitable < StandardError; end

      # The settings whose default values Facter tells, which takes half a second in a process.
      OF_FACTER = %i[srv_domain diff_args].freeze

      # What Puppet asks a module for that compilations read from its files.
      OF_MODULES = %i[has_metadata? metadata_file].freeze

      # The key of the failure after which Puppet compiles in a thread.
      FAILED = :bunraku_failed

      # The key of whether Puppet compiles in a thread because this part does not.
      BY_PUPPET = :bunraku_by_puppet

      # The key of the reason for which the compilation of a thread was refused.
      REFUSED = :bunraku_refused

      # A text without any statement: an empty one stands for no text, and the main manifest is read.
      EMPTY = "\n"

      # The member of Puppet's environments whose manifests read settings.
      WHOLE_SETTINGS = :@bunraku_whole_settings
      private_constant :BY_PUPPET, :EMPTY, :FAILED, :OF_FACTER, :OF_MODULES, :REFUSED, :WHOLE_SETTINGS

      class << self
        # @return [Hash{Symbol => Integer}] the number of compilations that were `:native`, and that were left
        #   to `:puppet`
        def compiled
          counts = Report.to_h.fetch(:compiler, { native: 0, left: {}, aside: {} })
          { native: counts[:native], puppet: counts[:left].sum(&:last) + counts[:aside].sum(&:last) }
        end

        # Installs itself before Puppet's method.
        #
        # @api private
        def install
          compiler = ::Puppet::Parser::Compiler
          @environments = Environments.of_binding
          @said = {}
          ResourceTypes.install
          Rendering.install
          Untouched.replace(:compiler, compiler.singleton_class, :compile) do |original|
            lambda do |asked, node, code_id = nil|
              Compiler.compile(asked, node, code_id) || Compiler.by_puppet { original.bind(asked).call(node, code_id) }
            end
          end
          Untouched.replace(:compiler, compiler, :compile) do |original|
            ->(asked, &block) { Lookups.compiled(asked, block, original) }
          end
          count_scripts
        end

        # @param compiler [Class]
        # @return [Boolean] whether compilations of this compiler can be native
        # @api private
        def native?(compiler)
          DropIn.enabled?(:compiler) && !!puppets?(compiler)
        end

        # @param asked [Class] the compiler
        # @param node [Puppet::Node]
        # @param code_id [String, nil]
        # @return [Puppet::Resource::Catalog, nil] nil if Puppet has to compile
        # @api private
        def compile(asked, node, code_id)
          return unless native?(asked)

          node.environment.check_for_reparse
          compile_with(node) { |_, resources| LazyCatalog.of(resources, code_id) }
        rescue StandardError => e
          leave_after(e, node)
        end

        # Has Puppet compile. The report distinguishes what fails in the library only.
        #
        # @return [Puppet::Resource::Catalog] the result of the block
        # @api private
        def by_puppet
          failure = Thread.current.thread_variable_get(FAILED)
          Thread.current.thread_variable_set(FAILED, nil)
          outer = Thread.current.thread_variable_get(BY_PUPPET)
          Thread.current.thread_variable_set(BY_PUPPET, true)
          catalog = yield
          Report.reword(:compiler, failure, failure.sub('it fails:', 'it fails here only:')) if failure
          catalog
        ensure
          Thread.current.thread_variable_set(BY_PUPPET, outer)
        end

        # @return [Boolean] whether Puppet compiles in this thread because this part does not
        # @api private
        def by_puppet?
          !!Thread.current.thread_variable_get(BY_PUPPET)
        end

        # Compiles for a compiler that its caller keeps.
        #
        # @param node [Puppet::Node]
        # @return [(Bunraku::Catalog, Resources), nil] nil if Puppet has to compile
        # @api private
        def kept(node)
          compile_with(node) { |catalog, resources| [catalog, resources] }
        rescue StandardError => e
          leave_after(e, node)
        end

        # Evaluates code in place of the main manifest.
        #
        # @param node [Puppet::Node]
        # @param code [String]
        # @yieldparam catalog [Bunraku::Catalog]
        # @return [Object, nil] the result of the block; nil if Puppet has to evaluate
        # @api private
        def evaluate(node, code)
          assert_suitable(node)
          assert_not_refused do
            Exported.for_node(node) do
              @environments.use(node.environment, request_of(node.environment).merge(code: code, manifest: nil)) do |native|
                catalog = native.compile(**facts_of(node))
                unsuitable('it reads settings') if catalog.reads_settings?
                # Messages name another scope than in Puppet.
                unsuitable('it logs') unless catalog.logs.empty?
                yield(catalog).tap { Report.native(:compiler) }
              end
            end
          end
        rescue StandardError => e
          leave_after(e, node)
        end

        # Looks up data as `puppet lookup --compile` does.
        #
        # @param node [Puppet::Node]
        # @param question [Hash{Symbol => Object}] the arguments of {Environment#lookup}
        # @yieldparam answer [Hash{String => Object}]
        # @yieldreturn [Object] what the caller takes from it
        # @return [(Hash{String => Object}, Object), nil] the answer, and the result of the block; nil if
        #   Puppet has to look up
        # @api private
        def look_up(node, question)
          answer = natively(node, ->(found) { found['reads_settings'] }) do |native|
            native.__send__(:ask, compile: true, logs: true, **question, **facts_of(node))
          end
          logs = Logs.of(Logs.entries(answer['logs']), node.environment)
          taken = yield(answer)
          Logs.put(logs)
          Report.native(:compiler)
          [answer, taken]
        rescue StandardError => e
          leave_after(e, node)
        end

        # Whether an environment is one of several versions: a link leads to a directory of another name.
        #
        # @param environment [Puppet::Node::Environment]
        # @api private
        def version?(environment, directory = directory_of(environment))
          !directory.nil? && File.basename(directory) != environment.name.to_s
        end

        # Ends the compilation of this thread, so that Puppet compiles. The compilation stays refused even if
        # code rescues the exception.
        #
        # @raise [Unsuitable]
        # @api private
        def refuse(reason)
          Thread.current.thread_variable_set(REFUSED, reason)
          raise Unsuitable, reason
        end

        private

        # Has the report tell of scripts, whose values and scopes are Puppet's objects and all that they have.
        def count_scripts
          require 'puppet/parser/script_compiler'
          Untouched.replace(:compiler, ::Puppet::Parser::ScriptCompiler, :compile) do |original|
            lambda do |asked, &block|
              Report.left(:compiler, 'a script has no catalog') if DropIn.enabled?(:compiler)
              original.bind(asked).call(&block)
            end
          end
        end

        # Compiles, logs, and calls the block with the native catalog and what makes Puppet's resources of it.
        def compile_with(node)
          Store.install
          ServerFacts.install
          catalog = natively(node, :reads_settings?.to_proc) { |native| native.compile(**facts_of(node)) }
          logs = Logs.of(catalog.logs, node.environment)
          import(node.environment)
          resources = Resources.new(catalog, node.environment)
          # Resources that cannot be created are found now, while Puppet can still compile.
          ResourceTypes.within(node.environment) { resources.check }
          result = yield(catalog, resources)
          ResourceTypes.used(node.environment, catalog)
          Logs.put(logs)
          record_keys(catalog)
          Report.native(:compiler)
          result
        end

        # Whether a compiler is Puppet's, without any changes.
        def puppets?(compiler)
          return Report.left(:compiler, "a compiler of the class #{compiler}") unless compiler.equal?(::Puppet::Parser::Compiler)

          maker = compiler.method(:new)
          return Report.aside(:compiler, maker.unbind) unless maker.owner.equal?(Class)

          own.untouched?(:compiler)
        end

        # The methods that must be Puppet's own; determined when Puppet is loaded.
        def own
          @own ||= begin
            classes = [::Puppet::Parser::Compiler, ::Puppet::Parser::Resource, ::Puppet::Resource::Catalog,
                       ::Puppet::Pops::Evaluator::EvaluatorImpl, ::Puppet::Pops::PuppetStack.singleton_class]
            Untouched.new(classes.to_h { |one| [one, Untouched.methods_of(one)] }.merge(::Puppet::Module => OF_MODULES))
          end
        end

        def assert_suitable(node)
          settings = ::Puppet.settings
          unsuitable('its environment is of an unknown kind') unless node.environment.instance_of?(::Puppet::Node::Environment)
          unsuitable('its environment is invalid') unless node.environment.validation_errors.empty?
          unsuitable('data comes from elsewhere') unless %w[hiera none].include?(settings[:data_binding_terminus].to_s)
          unsuitable('plans are known') if settings[:tasks]
          unsuitable('variables that look like facts') unless facts?(node)
          unsuitable('with debug, Puppet logs how it finds data') if ::Puppet[:debug]
        end

        def assert_not_refused
          Thread.current.thread_variable_set(REFUSED, nil)
          yield
        ensure
          reason = Thread.current.thread_variable_get(REFUSED)
          unsuitable(reason) if reason
        end

        def unsuitable(reason)
          raise Unsuitable, reason
        end

        # Facts are variables of the top scope only if the node says so.
        def facts?(node)
          facts = node.facts&.values || {}
          facts.all? { |name, value| node.parameters[name] == value || node.parameters[name.to_s] == value }
        end

        # The facts of a node. Its parameters contain the server facts.
        def facts_of(node)
          facts = plain(node.facts&.values || {})
          parameters = plain(node.parameters).reject { |name, value| name == 'environment' || facts[name] == value }
          { node: node.name, facts: facts, parameters: parameters, classes: node.classes, trusted_data: node.trusted_data,
            server_facts: node.server_facts, server_facts_merged: true }
        end

        def plain(value)
          case value
          when Hash then value.to_h { |name, inner| [name.to_s, plain(inner)] }
          when Array then value.map { |inner| plain(inner) }
          when Symbol then value.to_s
          when nil, true, false, Numeric, String then value
          else unsuitable("a #{value.class} among what is known of the node")
          end
        end

        # Calls the block with the native environment of a node: again, with all settings, if the result has
        # read settings.
        #
        # @param read [Proc] whether a result has read settings
        def natively(node, read, &block)
          assert_suitable(node)
          node.sanitize
          environment = node.environment
          assert_not_refused do
            Exported.for_node(node) do
              result = in_native(environment, &block)
              next result if whole_settings?(environment) || !read.call(result)

              environment.instance_variable_set(WHOLE_SETTINGS, true)
              in_native(environment, &block)
            end
          end
        end

        def in_native(environment)
          @environments.use(environment, request_of(environment)) do |native|
            unsuitable('it has other modules') unless native.modulepath == environment.modulepath
            yield native
          end
        end

        # Whether all settings are known to the native environment.
        def whole_settings?(environment)
          environment.instance_variable_defined?(WHOLE_SETTINGS)
        end

        def request_of(environment)
          code = ::Puppet[:code]
          manifest = environment.manifest
          code = (EMPTY if manifest == :no_manifest) if code.empty?
          hiera = ::Puppet[:hiera_config]
          { code: code, manifest: (manifest unless code), global_hiera: (hiera if File.exist?(hiera)), settings: settings_of(environment),
            **place_of(environment) }
        end

        # The directory of an environment, or only its modules if it has none.
        def place_of(environment)
          directory = directory_of(environment)
          return { modulepath: environment.modulepath } unless directory && File.directory?(directory)

          place = version?(environment, directory) ? { directory: directory } : { environmentpath: File.dirname(directory) }
          { commands: true, basemodulepath: base_modules(environment, directory), **place }
        end

        # Puppet itself has told already what it finds.
        def directory_of(environment)
          ResourceTypes.silently { ::Puppet.lookup(:environments) { nil }&.get_conf(environment.name)&.path_to_env }
        end

        # The directories of modules that follow the environment's own. With `Puppet::Pal` the caller chooses
        # them.
        def base_modules(environment, directory)
          first, *others = environment.full_modulepath
          first == File.join(directory, 'modules') ? others : ::Puppet[:basemodulepath].split(File::PATH_SEPARATOR)
        end

        # The settings; rebuilt when one has changed.
        def settings_of(environment)
          names = ::Puppet.settings.each.map(&:first) - [:name]
          names -= OF_FACTER unless whole_settings?(environment)
          values = names.map { |name| ::Puppet.settings.value(name, environment.name) }
          known = [environment.name, names, values]
          return @settings if @known_settings == known

          @known_settings = known
          @settings = settings_as_data(names, values)
        end

        def settings_as_data(names, values)
          values = names.zip(values).to_h { |name, value| [name.to_s, setting(value)] }
          # A request cannot express an unlimited value; Puppet compiles a manifest that needs one.
          values.reject { |_, value| value.is_a?(Float) && !value.finite? }
        end

        def setting(value)
          case value
          when nil, true, false, Integer, Float, String then value
          when Array then value.map { |inner| setting(inner) }
          when Hash then value.to_h { |name, inner| [name.to_s, setting(inner)] }
          else value.to_s
          end
        end

        # The definitions of the main manifest must also be known later: Puppet imports it once for an
        # environment during a compilation. If the import fails here, Puppet finds the environment unchanged
        # and fails again. What has been imported is not asked for: that would load what compilations used.
        def import(environment)
          return if environment.instance_variable_get(:@known_resource_types)

          names = %i[@known_resource_types @parsed_code @loaders]
          before = names.map { |name| environment.instance_variable_get(name) }
          ::Puppet.override({ current_environment: environment, loaders: ::Puppet::Pops::Loaders.new(environment) }, 'bunraku') do
            environment.known_resource_types
          end
        rescue StandardError
          names.zip(before) { |name, value| environment.instance_variable_set(name, value) }
          raise
        end

        # Reports the looked-up keys of data to listeners such as PuppetDB.
        def record_keys(native)
          recorder = ::Puppet.lookup(:lookup_key_recorder) { nil }
          native.data_keys.each { |key| recorder.record(key) } if recorder
        end

        # @return [nil]
        def leave_after(error, node)
          return leave(error.message) if error.is_a?(Unsuitable)

          ModuleFunctions.learn(node.environment, error.message) if defined?(ModuleFunctions)
          reason = "it fails: #{error.message.lines.first.to_s.chomp.delete_suffix(" on node #{node.name}")}"
          Thread.current.thread_variable_set(FAILED, reason)
          leave(reason)
        end

        # @return [nil]
        def leave(reason)
          Report.left(:compiler, reason)
          return if @said[reason] || @said.size > 1000

          @said[reason] = true
          ::Puppet.debug { "bunraku leaves the compilation to Puppet: #{reason}" }
          nil
        end
      end
    end
  end
end

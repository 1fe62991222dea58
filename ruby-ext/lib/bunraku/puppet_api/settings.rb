# frozen_string_literal: true

# `Puppet` itself: settings, context, features.
module Puppet
  # The settings of the environment, and the defaults of all others.
  class Settings
    DEFAULTS = {
      strict: :error, strict_variables: true, rich_data: true, tasks: false, noop: false, storeconfigs: false,
      vardir: '/opt/puppetlabs/server/data/puppetserver', confdir: '/etc/puppetlabs/puppet',
      codedir: '/etc/puppetlabs/code', environmentpath: '/etc/puppetlabs/code/environments', rundir: '/var/run/puppetlabs',
      logdir: '/var/log/puppetlabs/puppet', default_file_terminus: :file_server, hiera_config: '/etc/puppetlabs/puppet/hiera.yaml',
      digest_algorithm: 'sha256', binder_config: nil, parser: 'current', trusted_oid_mapping_file: nil, ordering: 'manifest',
      disable_warnings: [], trace: false, certname: nil, server: 'puppet', modulepath: '', basemodulepath: '', environment: nil
    }.freeze

    # @return [Object]
    # @raise [ArgumentError] the setting does not exist
    def [](name)
      name = name.to_sym
      case name
      when :environment then BUNRAKU.name
      when :modulepath then BUNRAKU.modulepath.join(File::PATH_SEPARATOR)
      when :certname, :node_name_value then own(name) || Bunraku::Call.current&.node_name
      when :strict then own(name).to_s.then { |value| value.empty? ? DEFAULTS[:strict] : value.to_sym }
      when :libdir then File.join(self[:vardir], 'lib')
      when :statedir then File.join(self[:vardir], 'state')
      when :ssldir then File.join(self[:confdir], 'ssl')
      else plain(name)
      end
    end
    alias value []

    # @return [Boolean]
    def include?(name)
      BUNRAKU.settings.key?(name.to_s) || DEFAULTS.key?(name.to_sym)
    end
    alias valid? include?

    # @return [Object, nil]
    def fetch(name, default = nil)
      include?(name) ? self[name] : default
    end

    # Settings cannot be changed during a compilation.
    def []=(name, _value)
      raise Puppet::DevError, "The setting '#{name}' cannot be changed while catalogs are compiled"
    end

    private

    def own(name)
      BUNRAKU.settings[name.to_s]
    end

    def plain(name)
      return own(name) if BUNRAKU.settings.key?(name.to_s)

      default = DEFAULTS[name]
      return default unless default.nil? || default.is_a?(String)

      # The variable that manifests see for the setting.
      variable = "settings::#{name}"
      call = Bunraku::Call.current
      return call.variable(variable) if call&.variable?(variable)

      DEFAULTS.fetch(name) { raise ::ArgumentError, "Attempt to access undefined setting #{name.inspect}" }
    end
  end

  # The features of the machine. A feature that is a Ruby library exists if the library does.
  class Features
    # The features that are named after their libraries.
    LIBRARIES = %i[augeas selinux shadow libuser hiera_eyaml hocon puppetserver_ca].freeze

    def method_missing(name, *_arguments)
      return super unless name.end_with?('?')

      case name
      when :posix? then true
      when :root? then Process.uid.zero?
      else LIBRARIES.include?(feature = name[0...-1].to_sym) && library?(feature)
      end
    end

    # @return [Boolean] whether a library can be loaded
    def library?(name)
      @libraries ||= {}
      @libraries.fetch(name) { @libraries[name] = BUNRAKU.require(name.to_s).nil? || true }
    rescue ::LoadError
      @libraries[name] = false
    end

    def respond_to_missing?(name, _all = false)
      name.end_with?('?')
    end
  end

  # The run mode: always compiling.
  class RunMode
    def server?
      true
    end
    alias master? server?

    def agent?
      false
    end

    def user?
      false
    end

    def name
      :server
    end
  end

  SETTINGS = Settings.new
  FEATURES = Features.new
  RUN_MODE = RunMode.new
  private_constant :SETTINGS, :FEATURES, :RUN_MODE

  class << self
    # @return [String]
    def version
      PUPPETVERSION
    end

    # @return [Object] a setting
    def [](name)
      SETTINGS[name]
    end

    # Rejected: see {Settings#[]=}.
    def []=(name, value)
      SETTINGS[name] = value
    end

    # @return [Settings]
    def settings
      SETTINGS
    end

    # @return [Features]
    def features
      FEATURES
    end

    # @return [RunMode]
    def run_mode
      RUN_MODE
    end

    # Returns the object that the compilation has under a name.
    #
    # @yield returns the default
    def lookup(name)
      case name
      when :current_environment, :root_environment then Node::Environment.current
      when :environments then Environments.new
      when :global_scope then Parser::Scope.top
      when :trusted_information then Parser::Scope.top['trusted']
      when :loaders then Pops::Loader::Loaders.new
      when :pal_catalog_compiler, :pal_compiler, :pal_script_compiler then Pops::CompilerAccess.new
      when :settings then SETTINGS
      else
        return yield if block_given?

        raise Puppet::Error, "no '#{name}' in nothing"
      end
    end

    # Runs a block; the bindings are ignored.
    def override(_bindings, _description = '')
      yield
    end
  end
end

# frozen_string_literal: true

require 'monitor'
require 'rbconfig'

require_relative 'registry/setup'
require_relative 'registry/source'
require_relative 'registry/call_scope'
require_relative 'registry/lambda_of_call'
require_relative 'registry/function'
require_relative 'registry/values'
require_relative 'registry/templates'
require_relative 'registry/lookup_context'
require_relative 'registry/resource_types'

module Bunraku
  # The Ruby of one environment's modules: functions of both APIs, and the helper files that they require.
  #
  # Every load of an environment has a registry of its own, made when the environment first needs one, and
  # dropped with it. What its files define (constants, functions, what they patch in `Puppet`) is nowhere
  # else: the files are evaluated in an anonymous module, the {#root}. A constant such as `PuppetX::Stdlib` is
  # found there first, then among Ruby's own. `require`, `require_relative` and `load` in these files look
  # into the environment's modules first, each file once in each registry ({Source} says how they are told
  # apart from Ruby's). Only what files do to Ruby's own classes is seen by all.
  #
  # Where Puppet is not loaded, or not wanted, the root has a module `Puppet` of its own, made by the files in
  # `puppet_api/`: the part of Puppet's Ruby API that functions of modules use, over {Call}. In these files
  # the constant `BUNRAKU` is the registry. With Puppet, `Puppet` is Puppet's.
  #
  # A registry gives {#function}, and what values are in Ruby ({Values}). Several threads may use it at the
  # same time; files are loaded by one at a time. Whatever else runs Ruby of modules (templates, types,
  # backends) builds on {#evaluate}, {#root}, {#scope} and {#require}.
  #
  # @api private
  class Registry
    include Values
    include Templates
    include ResourceTypes

    # The files of the own API, in the order in which they are evaluated.
    API = %w[errors logging util symbolic_file_mode values types functions resources scope environment settings].freeze

    # What the root of a registry for Puppet's own classes shares with Ruby.
    SHARED = %i[Puppet Facter Hiera SemanticPuppet PSON].freeze

    # Modules of Ruby that stand for features of Puppet's: requiring them is done with.
    PROVIDED = %r{\A(?:puppet_x(?:\.rb)?\z|(?:puppet|facter|hiera|semantic_puppet|puppet_pal)(?:\z|/))}.freeze

    # Where Ruby has its own libraries.
    LIBRARIES = RbConfig::CONFIG.values_at('rubylibdir', 'rubyarchdir', 'sitedir', 'vendordir').compact.freeze

    # Constants of libraries that are there once Puppet is loaded, and what has them: modules use them without
    # requiring them.
    LOADED_BY_PUPPET = {
      Base64: 'base64', Benchmark: 'benchmark', CGI: 'cgi', Date: 'date', DateTime: 'date', Delegator: 'delegate', Digest: 'digest',
      ERB: 'erb', Etc: 'etc', FileUtils: 'fileutils', Find: 'find', Forwardable: 'forwardable', GetoptLong: 'getoptlong',
      IPAddr: 'ipaddr', JSON: 'json', Logger: 'logger', Net: 'net/http', OpenSSL: 'openssl', OpenStruct: 'ostruct',
      OptionParser: 'optparse', Pathname: 'pathname', Psych: 'psych', Resolv: 'resolv', SecureRandom: 'securerandom', Set: 'set',
      SimpleDelegator: 'delegate', Singleton: 'singleton', Socket: 'socket', StringIO: 'stringio', StringScanner: 'strscan',
      Timeout: 'timeout', URI: 'uri', YAML: 'yaml', Zlib: 'zlib'
    }.freeze

    # What gems and libraries of Ruby have for Puppet; the rest of them is Ruby's to load.
    FOR_PUPPET = %r{\Apuppet(?:_x)?/}.freeze

    # Held while {name_module} has a name of its own.
    NAMING = Mutex.new

    # As programs have it: RubyGems looks into the gems that are installed.
    RUBYS_REQUIRE = ::Kernel.instance_method(:require)
    private_constant :FOR_PUPPET, :LIBRARIES, :LOADED_BY_PUPPET, :NAMING, :RUBYS_REQUIRE

    # @return [Module] in which the files are evaluated
    attr_reader :root
    # @return [String] the environment's name
    attr_reader :name
    # @return [String, nil] the environment's directory
    attr_reader :directory
    # @return [Array<String>] the directories of modules
    attr_reader :modulepath
    # @return [Hash{String => String}] the directories of the modules by their names, in the order in which
    #   they are searched
    attr_reader :modules
    # @return [Hash{String => Object}] the settings that the language sees
    attr_reader :settings

    def initialize(name, directory, modulepath, modules, libraries, settings, setup)
      # Files of modules may require gems.
      ::Kernel.require('rubygems') unless defined?(::Gem)
      @name = name
      @directory = directory
      @modulepath = modulepath
      @modules = modules
      @libraries = libraries
      @settings = settings
      @setup = setup
      @lock = Monitor.new
      @loaded = {}
      @required = {}
      @functions = {}
      @puppet = setup.puppet?
      @root = make_root
      @puppet ? require_relative('registry/on_puppet').then { extend(OnPuppet) } : load_api
    end

    # @return [Boolean] whether functions run on Puppet's own classes
    def puppet?
      @puppet
    end

    # The function that a file defines; loaded once.
    #
    # @param name [String] its Puppet name
    # @param file [String]
    # @param is_legacy [Boolean] whether the file is written for the 3.x API
    # @return [ModernFunction, LegacyFunction]
    def function(name, file, is_legacy)
      @lock.synchronize do
        @functions[[name, is_legacy]] ||= is_legacy ? load_legacy(name, file) : load_modern(name, file)
      end
    end

    # The function of the 3.x API that a module of this environment has, or another library.
    #
    # @param name [String]
    # @return [LegacyFunction, nil]
    def legacy_function(name)
      known = @functions[[name, true]]
      return known if known

      file = find_feature("puppet/parser/functions/#{name}")
      file && function(name, file, true)
    end

    # Evaluates Ruby as a file of a module's.
    #
    # @param text [String]
    # @param file [String] what errors and `__FILE__` call it
    # @return [Object] the value of the last expression
    def evaluate(text, file)
      @root.module_eval(Source.rewrite(text, keep_puppet: @puppet), file, 1)
    end

    # `require` in files of modules: files of the environment's modules first, each once.
    def require(feature)
      feature = feature.respond_to?(:to_path) ? feature.to_path : feature.to_str
      # Functions may require something in each call.
      return false if @required[feature]

      file = feature.start_with?('/') ? own_file(feature) : find_feature(feature)
      return load_once(file) if file
      return false if !@puppet && feature.match?(PROVIDED)

      RUBYS_REQUIRE.bind_call(self, feature).tap { @required[feature] = true }
    end

    # `require_relative` in files of modules.
    def require_relative(feature)
      from = caller_locations(1, 1).first.path
      path = File.expand_path(feature, File.dirname(from))
      file = own_file(path)
      file ? load_once(file) : RUBYS_REQUIRE.bind_call(self, path)
    end

    # `load` in files of modules.
    def load(file, wrap = false) # rubocop:disable Style/OptionalBooleanParameter
      found = own_file(File.expand_path(file)) || find_feature(file)
      return Kernel.load(file, wrap) unless found

      evaluate(read(found), found)
      true
    end

    # `_` and `n_` in files of modules: texts are not translated.
    #
    # @param text [String]
    # @return [String]
    def translate(text)
      text
    end

    # See {#translate}.
    #
    # @return [String] the text for so many
    def translate_count(one, many, count)
      count == 1 ? one : many
    end

    # The call that runs on this thread.
    #
    # @return [Call]
    # @raise [Error] none does
    def call
      Registry.running_call
    end

    # See {#call}.
    def self.running_call
      Call.current || raise(Error, 'this can be done only while a function runs that a compilation has called')
    end

    # The scope that a call comes from, for functions and templates.
    #
    # @param call [Call]
    # @return [Object] a `Puppet::Parser::Scope`
    def scope(call)
      scope_class.new(call)
    end

    # Whether a key is new to the compilation.
    #
    # @param call [Call]
    # @param key [Object]
    # @return [Boolean]
    def first_time?(call, key)
      said = (call.memory[:said] ||= {})
      said.key?(key) ? false : said[key] = true
    end

    # What functions keep while a compilation lasts (`cache_param`).
    #
    # @param call [Call]
    # @return [Cache]
    def cache(call)
      call.memory[:cache] ||= Cache.new
    end

    # See {#cache}.
    class Cache
      def initialize
        @kept = {}.compare_by_identity
      end

      # @return [Hash] what is kept for an object: what the function that asks puts there
      def retrieve(object)
        @kept[object] ||= {}
      end
    end

    # What functions call their loader.
    #
    # @return [Object]
    def loader
      @loader ||= @root.const_get(:Puppet)::Pops::Loader::Loader.new(self)
    end

    # A file of the environment's modules, of the environment itself, or of another library, by its path
    # behind `lib`.
    #
    # @param feature [String] with or without `.rb`
    # @return [String, nil] its path
    def find_feature(feature)
      feature = "#{feature}.rb" unless feature.end_with?('.rb')
      search_path(feature.match?(FOR_PUPPET)).each do |directory|
        file = File.join(directory, feature)
        return file if File.file?(file)
      end
      nil
    end

    # Where a class or module is that a file of a module's defines: where it stands, but for Ruby's own and
    # those of gems. A file can only say more of them: one of the same name in the root would hide them from
    # all files.
    #
    # @param within [Module] the innermost one around the definition
    # @param name [Symbol]
    # @return [Module]
    def home(within, name)
      return within unless within.equal?(@root) && !@root.const_defined?(name, false)

      rubys?(name) ? Object : @root
    end

    # @return [String]
    def inspect
      "#<#{self.class} of #{name}>"
    end

    private

    # Where files are looked for: what is for Puppet in gems and libraries of Ruby, too.
    def search_path(for_puppet)
      @search_path ||= {}
      @search_path[for_puppet] ||= begin
        own = [@directory, *@modules.values].compact.map { |root| File.join(root, 'lib') }
        found = own + @libraries.libdir
        for_puppet ? @libraries.gems + found + @libraries.load_path + @libraries.vendored : found + @libraries.vendored
      end
    end

    # The names of the classes in it begin with that of the environment.
    def make_root
      root = Module.new
      label = name.gsub(/\W/, '_').sub(/\A\P{Alpha}*/, 'E')
      self.class.name_module(label.sub(/\AE(.)/) { $1.upcase }, root)
      root.const_set(:BUNRAKU, self)
      root.const_set(:PuppetX, make_extensions)
      SHARED.each { |shared| root.const_set(shared, Object.const_get(shared)) if @puppet && Object.const_defined?(shared) }
      root.define_singleton_method(:const_missing) { |constant| Object.const_get(constant) }
      root
    end

    # The namespace of what modules add to Puppet. It is there before a file says so, as Ruby's would take
    # what belongs to the root; what Ruby's has is seen in it.
    def make_extensions
      Module.new do
        def self.const_missing(name)
          defined?(::PuppetX) ? ::PuppetX.const_get(name) : super
        end
      end
    end

    # Whether Ruby, one of its libraries or a gem has a constant of this name. Puppet's are the registry's
    # own, or Puppet's.
    def rubys?(name)
      return false unless Object.const_defined?(name, false)
      return @puppet && SHARED.include?(name) if name.match?(Source::OWN)

      Object.const_get(name) if Object.autoload?(name)
      file, = Object.const_source_location(name)
      # What Ruby is born with has no file; nor has what was to be loaded when it is used, and is required
      # before.
      !file.is_a?(String) || file == 'ruby' || file.start_with?('<internal:', *LIBRARIES, *Gem.path)
    end

    # Gives a module a name that stays, without keeping the module.
    def self.name_module(label, of)
      NAMING.synchronize do
        const_set(label, of)
        remove_const(label)
      end
    end

    def load_api
      LOADED_BY_PUPPET.each { |name, library| Object.autoload(name, library) unless Object.const_defined?(name) }
      API.each do |part|
        file = File.join(__dir__, 'puppet_api', "#{part}.rb")
        @root.module_eval(File.read(file, encoding: 'UTF-8'), file, 1)
      end
      %i[Puppet SemanticPuppet].each { |name| name_as_puppet(@root.const_get(name)) }
    end

    # Names of modules and classes as Puppet has them, for messages that tell a class.
    module Named
      # @return [String]
      def name
        super&.sub(/\ABunraku::Registry::[^:]+::/, '')
      end

      # @return [String]
      def to_s
        name || super
      end
      alias inspect to_s
    end

    def name_as_puppet(of, named = {}.compare_by_identity)
      return if named[of]

      named[of] = true
      of.extend(Named)
      inner = of.constants(false).map { |constant| of.const_get(constant, false) }
      own = inner.select { |one| one.is_a?(Module) && Module.instance_method(:name).bind_call(one)&.start_with?('Bunraku::Registry::') }
      own.each { |one| name_as_puppet(one, named) }
    end

    def scope_class
      @scope_class ||= @root.const_get(:Puppet)::Parser::Scope
    end

    def load_once(file)
      @lock.synchronize do
        return false if @loaded[file]

        @loaded[file] = true
        begin
          evaluate(read(file), file)
        rescue Exception # rubocop:disable Lint/RescueException
          @loaded.delete(file)
          raise
        end
        true
      end
    end

    # The file of the environment at a path, with or without `.rb`.
    def own_file(path)
      path = "#{path}.rb" unless path.end_with?('.rb')
      path = File.expand_path(path)
      roots = [@directory, *@modules.values].compact + @libraries.to_a.flatten
      return unless roots.any? { |root| path.start_with?("#{root}/") } || @loaded.key?(path)

      path if File.file?(path)
    end

    def read(file)
      Files.read(file)
    end

    def load_modern(name, file)
      text = read(file)
      unless text.include?('Puppet::Functions.create_function')
        raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 4x API function - no create_function call."
      end

      created = evaluate(text, file)
      unless created.is_a?(Class)
        raise ArgumentError,
              "The code loaded from #{file} did not produce a Function class when evaluated. Got '#{created.class}'"
      end
      unless created.name.to_s == name
        raise ArgumentError,
              "The code loaded from #{file} produced mis-matched name, expected '#{name}', got #{created.name}"
      end
      ModernFunction.new(self, created, created.new(nil, loader))
    end

    def load_legacy(name, file)
      text = read(file)
      Source.assert_legacy(text, file)
      info = evaluate(text, file)
      unless info.is_a?(Hash)
        raise ArgumentError, 'Illegal legacy function definition! The code loaded from ' \
                             "#{file} did not return the result of calling 'newfunction'. Got '#{info.class}'"
      end
      unless info[:name] == "function_#{name}"
        raise ArgumentError,
              "The code loaded from #{file} produced mis-matched name, expected 'function_#{name}', got '#{info[:name]}'"
      end
      LegacyFunction.new(self, name, info)
    end
  end
end

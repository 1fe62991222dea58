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
require_relative 'registry/patches'
require_relative 'registry/resource_types'

module Bunraku
  # The Ruby of one environment's modules: functions of both APIs, and the helper files that they require.
  #
  # Each loaded environment has its own registry, which is created when the environment first needs one and
  # dropped with it. The definitions of its files (constants, functions, their patches of `Puppet`) exist
  # nowhere else: the files are evaluated in an anonymous module, the {#root}. A constant such as
  # `PuppetX::Stdlib` is searched for there first, then among Ruby's own. `require`, `require_relative` and
  # `load` in these files search the environment's modules first, and load each file once in each registry
  # ({Source} explains how these words are distinguished from Ruby's). Only changes of Ruby's own classes are
  # visible everywhere.
  #
  # If Puppet is not loaded, or not wanted, the root has its own module `Puppet`, which the files in
  # `puppet_api/` define: the part of Puppet's Ruby API that functions of modules use, over {Call}. In these
  # files the constant `BUNRAKU` is the registry. With Puppet, `Puppet` is Puppet's.
  #
  # A registry provides {#function}, and the Ruby form of values ({Values}). Several threads can use it at the
  # same time; one thread at a time loads files. Everything else that runs Ruby of modules (templates, types,
  # backends) builds on {#evaluate}, {#root}, {#scope} and {#require}.
  #
  # @api private
  class Registry
    include Values
    include Templates
    include ResourceTypes

    # The files of the own API, in the order in which they are evaluated.
    API = %w[errors logging util symbolic_file_mode values types functions resources scope environment settings].freeze

    # The constants that the root of a registry for Puppet's own classes shares with Ruby.
    SHARED = %i[Puppet Facter Hiera SemanticPuppet PSON].freeze

    # Ruby files that are part of Puppet: requiring them has no effect.
    PROVIDED = %r{\A(?:puppet_x(?:\.rb)?\z|(?:puppet|facter|hiera|semantic_puppet|puppet_pal)(?:\z|/))}.freeze

    # The directories of Ruby's own libraries.
    LIBRARIES = RbConfig::CONFIG.values_at('rubylibdir', 'rubyarchdir', 'sitedir', 'vendordir').compact.freeze

    # Constants of libraries that are available once Puppet is loaded, with the library of each: modules use
    # them without requiring them.
    LOADED_BY_PUPPET = {
      Base64: 'base64', Benchmark: 'benchmark', CGI: 'cgi', Date: 'date', DateTime: 'date', Delegator: 'delegate', Digest: 'digest',
      ERB: 'erb', Etc: 'etc', FileUtils: 'fileutils', Find: 'find', Forwardable: 'forwardable', GetoptLong: 'getoptlong',
      IPAddr: 'ipaddr', JSON: 'json', Logger: 'logger', Net: 'net/http', OpenSSL: 'openssl', OpenStruct: 'ostruct',
      OptionParser: 'optparse', Pathname: 'pathname', Psych: 'psych', Resolv: 'resolv', SecureRandom: 'securerandom', Set: 'set',
      SimpleDelegator: 'delegate', Singleton: 'singleton', Socket: 'socket', StringIO: 'stringio', StringScanner: 'strscan',
      Timeout: 'timeout', URI: 'uri', YAML: 'yaml', Zlib: 'zlib'
    }.freeze

    # The files in gems and libraries that are for Puppet; Ruby loads all others.
    FOR_PUPPET = %r{\Apuppet(?:_x)?/}.freeze

    # Held while {name_module} has its temporary name.
    NAMING = Mutex.new

    # The `require` of programs: RubyGems also searches the installed gems.
    RUBYS_REQUIRE = ::Kernel.instance_method(:require)
    private_constant :FOR_PUPPET, :LIBRARIES, :LOADED_BY_PUPPET, :NAMING, :RUBYS_REQUIRE

    # @return [Module] the module in which the files are evaluated
    attr_reader :root
    # @return [String] the environment's name
    attr_reader :name
    # @return [String, nil] the environment's directory
    attr_reader :directory
    # @return [Array<String>] the directories of modules
    attr_reader :modulepath
    # @return [Hash{String => String}] the directories of the modules by their names, in search order
    attr_reader :modules
    # @return [Hash{String => Object}] the settings that the language sees
    attr_reader :settings

    def initialize(name, directory, modulepath, modules, libraries, settings, setup)
      # Files of modules can require gems.
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
      @file_data = {}
      @puppet = setup.puppet?
      @root = make_root
      @puppet ? ::Kernel.require_relative('registry/on_puppet').then { extend(OnPuppet) } : load_api
    end

    # @return [Boolean] whether functions run on Puppet's own classes
    def puppet?
      @puppet
    end

    # Returns the function that a file defines. The file is loaded once.
    #
    # @param name [String] the Puppet name of the function
    # @param file [String]
    # @param is_legacy [Boolean] whether the file is written for the 3.x API
    # @return [ModernFunction, LegacyFunction]
    def function(name, file, is_legacy)
      @lock.synchronize do
        @functions[[name, is_legacy]] ||= is_legacy ? load_legacy(name, file) : load_modern(name, file)
      end
    end

    # Returns the function of the 3.x API that a module of this environment or another library defines.
    #
    # @param name [String]
    # @return [LegacyFunction, nil]
    def legacy_function(name)
      known = @functions[[name, true]]
      return known if known

      file = find_feature("puppet/parser/functions/#{name}")
      file && function(name, file, true)
    end

    # Evaluates a text as a file of a module.
    #
    # @param text [String]
    # @param file [String] the name of the file in errors and `__FILE__`
    # @return [Object] the value of the last expression
    def evaluate(text, file)
      @root.module_eval(Source.rewrite(text, keep_puppet: @puppet), file, 1)
    end

    # `require` in files of modules: searches the environment's modules first, and loads each file once.
    def require(feature)
      feature = feature.respond_to?(:to_path) ? feature.to_path : feature.to_str
      # Functions can call this in each call.
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

      evaluate_library(found)
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
    # @return [String] the text for this count
    def translate_count(one, many, count)
      count == 1 ? one : many
    end

    # Returns the running call of this thread.
    #
    # @return [Call]
    # @raise [Error] no call runs
    def call
      Registry.running_call
    end

    # See {#call}.
    def self.running_call
      Call.current || raise(Error, 'this can be done only while a function runs that a compilation has called')
    end

    # Returns the scope of a call's caller, for functions and templates.
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

    # Returns the cache of functions for the duration of the compilation (`cache_param`).
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

      # @return [Hash] the cached data for an object, which the calling function fills
      def retrieve(object)
        @kept[object] ||= {}
      end
    end

    # Returns the object that functions call their loader.
    #
    # @return [Object]
    def loader
      @loader ||= @root.const_get(:Puppet)::Pops::Loader::Loader.new(self)
    end

    # Finds a file of the environment's modules, of the environment itself, or of another library, by its path
    # below `lib`.
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

    # Returns the module of a class or module that a file of a module defines: the enclosing module, except
    # for the constants of Ruby and of gems. A file can only reopen those: a new one of the same name in the
    # root would hide them from all files.
    #
    # @param within [Module] the innermost module around the definition
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

    # The directories that are searched for a file: a file for Puppet is also searched for in gems and Ruby's
    # libraries.
    def search_path(for_puppet)
      @search_path ||= {}
      @search_path[for_puppet] ||= begin
        own = [@directory, *@modules.values].compact.map { |root| File.join(root, 'lib') }
        found = own + @libraries.libdir
        for_puppet ? @libraries.gems + found + @libraries.load_path + @libraries.vendored : found + @libraries.vendored
      end
    end

    # The names of its classes begin with that of the environment.
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

    # The namespace of the modules' additions to Puppet. It exists before a file defines it, because Ruby's
    # would otherwise receive what belongs to the root; the content of Ruby's is visible in it.
    def make_extensions
      Module.new do
        def self.const_missing(name)
          defined?(::PuppetX) ? ::PuppetX.const_get(name) : super
        end
      end
    end

    # Whether Ruby, one of its libraries or a gem defines a constant of this name. Puppet's constants belong
    # to the registry, or to Puppet.
    def rubys?(name)
      return false unless Object.const_defined?(name, false)
      return @puppet && SHARED.include?(name) if name.match?(Source::OWN)

      Object.const_get(name) if Object.autoload?(name)
      file, = Object.const_source_location(name)
      # Ruby's core classes have no file. A constant that is autoloaded has none either before it is required.
      !file.is_a?(String) || file == 'ruby' || file.start_with?('<internal:', *LIBRARIES, *Gem.path)
    end

    # Gives a module a permanent name without keeping the module alive.
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

    # The names of modules and classes as Puppet has them, for messages that contain a class.
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
      @scope_class ||= @root.const_get(:Puppet)::Parser::Scope.include(@root)
    end

    def load_once(file)
      @lock.synchronize do
        return false if @loaded[file]

        @loaded[file] = true
        begin
          evaluate_library(file)
        rescue Exception # rubocop:disable Lint/RescueException
          @loaded.delete(file)
          raise
        end
        true
      end
    end

    # Evaluates a file that others require. The methods that it defines outside of classes and modules are
    # private methods of all objects in Ruby, and here of functions, scopes and templates: their classes
    # include the root.
    def evaluate_library(file)
      text = read(file)
      Patches.once(text, method(:rubys?)) { evaluate(text, file) }
      @root.instance_methods(false).each { |name| @root.__send__(:private, name) }
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
      created.include(@root)
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

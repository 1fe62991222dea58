# frozen_string_literal: true

# The environment and its modules.
module Puppet
  # A node: its certname, facts and environment.
  class Node
    # @return [String]
    def name
      BUNRAKU.call.node_name
    end
    alias certname name

    # @return [Node::Facts]
    def facts
      Facts.new(name, BUNRAKU.call.facts)
    end

    # @return [Hash]
    def parameters
      BUNRAKU.call.facts
    end

    # @return [Node::Environment]
    def environment
      Environment.current
    end

    # @return [Array<String>]
    def classes
      BUNRAKU.call.classes
    end

    # @return [Hash]
    def trusted_data
      Parser::Scope.top['trusted']
    end

    # The facts of a node.
    Facts = Struct.new(:name, :values)

    # An environment.
    class Environment
      # @return [Environment] the one that is compiled in
      def self.current
        @current ||= new
      end

      # @return [Symbol]
      def name
        BUNRAKU.name.to_sym
      end

      # @return [String]
      def to_s
        BUNRAKU.name
      end

      # @return [Array<String>]
      def modulepath
        BUNRAKU.modulepath
      end
      alias full_modulepath modulepath

      # @return [Array<Puppet::Module>]
      def modules
        BUNRAKU.modules.keys.map { |name| self.module(name) }
      end

      # @return [Hash{String => Puppet::Module}]
      def modules_by_path
        modules.group_by { |one| File.dirname(one.path) }
      end

      # @return [Puppet::Module, nil]
      def module(name)
        path = BUNRAKU.modules[name.to_s]
        path && Puppet::Module.new(name.to_s, path, self)
      end

      # @return [Puppet::Module, nil] a module by its `author/name`
      def module_by_forge_name(name)
        modules.find { |one| one.forge_name == name.to_s.tr('-', '/') }
      end

      # @return [String, nil]
      def configuration_path
        BUNRAKU.directory
      end
      alias path configuration_path

      # @return [Object]
      def loaders
        Pops::Loader::Loaders.new
      end

      # @return [Parser::ResourceTypes]
      def known_resource_types
        Parser::ResourceTypes.new
      end

      # @return [Boolean]
      def ==(other)
        other.is_a?(Environment)
      end
      alias eql? ==

      # @return [Integer]
      def hash
        name.hash
      end
    end
  end

  # The known environments: only this one.
  class Environments
    def get(name)
      Node::Environment.current if name.to_s == BUNRAKU.name
    end

    def get!(name)
      get(name) || raise(Puppet::Error, "Could not find a directory environment named '#{name}'")
    end

    def list
      [Node::Environment.current]
    end
  end

  # A module of the environment.
  class Module
    attr_reader :name, :path, :environment

    # @return [Puppet::Module, nil]
    def self.find(name, _environment = nil)
      Node::Environment.current.module(name)
    end

    def initialize(name, path, environment)
      @name = name
      @path = path
      @environment = environment
    end

    # @return [Hash] the content of `metadata.json`
    def metadata
      @metadata ||= File.file?(metadata_file) ? ::JSON.parse(::Bunraku::Files.read(metadata_file)) : {}
    end

    # @return [String]
    def metadata_file
      File.join(path, 'metadata.json')
    end

    # @return [Boolean]
    def has_metadata? # rubocop:disable Naming/PredicateName
      !metadata.empty?
    end

    %w[version author license summary source project_page dependencies].each do |key|
      define_method(key) { metadata[key] }
    end

    # @return [String, nil]
    def forge_name
      metadata['name']&.tr('-', '/')
    end

    # @return [String]
    def plugin_directory
      File.join(path, 'lib')
    end

    { file: 'files', template: 'templates', manifest: 'manifests', plugin: 'lib' }.each do |kind, directory|
      define_method(:"#{kind}s") { Dir.exist?(File.join(path, directory)) ? File.join(path, directory) : nil }
      define_method(:"#{kind}s?") { Dir.exist?(File.join(path, directory)) }
      define_method(kind) do |file = nil|
        found = file ? File.join(path, directory, file) : File.join(path, directory)
        File.exist?(found) ? found : nil
      end
    end

    # @return [String]
    def to_s
      "Module #{name}(#{path})"
    end
  end

  module Parser
    # Files of modules.
    module Files
      module_function

      # @return [String, nil] the path of a template: absolute, or `module/file`
      def find_template(template, _environment = nil)
        find_in(template, 'templates')
      end

      # @return [String, nil] the path of a file: absolute, or `module/file`
      def find_file(file, _environment = nil)
        find_in(file, 'files')
      end

      # @return [Array(String, String), nil] the module's name, and the path in it
      def split_file_path(path)
        path.split(File::SEPARATOR, 2) unless path.empty? || Puppet::Util.absolute_path?(path)
      end

      def find_in(path, directory)
        return (File.exist?(path) ? path : nil) if Puppet::Util.absolute_path?(path)

        name, file = split_file_path(path)
        root = file && BUNRAKU.modules[name]
        found = root && File.join(root, directory, file)
        found if found && File.exist?(found)
      end
      private_class_method :find_in
    end

    # The classes and defined types of the environment.
    class ResourceTypes
      def hostclass(name)
        find('class', name)
      end
      alias find_hostclass hostclass

      def definition(name)
        find('define', name)
      end
      alias find_definition definition

      # @return [Node::Environment]
      def environment
        Node::Environment.current
      end

      private

      def find(kind, name)
        name = name.to_s.downcase.delete_prefix('::')
        Resource::Type.new(kind == 'class' ? :hostclass : :definition, name) if BUNRAKU.call.definition?(kind, name)
      end
    end
  end

  class Resource
    # A class, a defined type or a native type, by name.
    class Type
      attr_reader :type, :name

      def initialize(type, name)
        @type = type
        @name = name
      end

      # @return [String]
      def to_s
        name.to_s
      end

      # @return [Boolean]
      def ==(other)
        other.is_a?(Type) && type == other.type && name == other.name
      end
    end
  end

  # Files that agents fetch from servers: only files of modules.
  module FileServing
    # The content of a file.
    class Content
      attr_reader :path

      # @return [Class]
      def self.indirection
        self
      end

      # @param uri [String] `puppet:///modules/name/file`
      # @return [Content, nil]
      def self.find(uri, _options = {})
        path = uri.to_s[%r{\Apuppet:///modules/(.+)\z}, 1]
        found = path && Puppet::Parser::Files.find_file(path)
        new(found) if found
      end

      def initialize(path)
        @path = path
      end

      # @return [String]
      def content
        ::Bunraku::Files.read(path, encoding: Encoding::BINARY)
      end
    end

    # The metadata of a file.
    class Metadata < Content
      # @return [String]
      def checksum
        "{sha256}#{Digest::SHA256.file(path).hexdigest}"
      end
    end
  end
end

# The facts of the node whose catalog is compiled.
module Facter
  class << self
    # @return [Object, nil]
    def value(name)
      call = Bunraku::Call.current
      raise 'Facter is known only while a catalog is compiled' unless call

      name.to_s.split('.').reduce(call.facts) do |found, key|
        case found
        when Hash then found[key]
        when Array then key.match?(/\A\d+\z/) ? found[key.to_i] : nil
        end
      end
    end
    alias [] value

    # @return [Object, nil] an object with the fact's `value`
    def fact(name)
      found = value(name)
      found.nil? ? nil : Struct.new(:name, :value).new(name.to_s, found)
    end

    # @return [Hash]
    def to_hash
      BUNRAKU.call.facts
    end

    # @return [String]
    def version
      value('facterversion').to_s
    end

    %i[debug info warn].each do |level|
      define_method(level) { |message| Puppet.send_log(level == :warn ? :warning : level, message) }
    end

    # Facts cannot be added here.
    def add(name, *_rest)
      raise Puppet::DevError, "The fact '#{name}' cannot be added while catalogs are compiled"
    end
  end
end

# frozen_string_literal: true

# Resources of the current catalog, as functions see them.
module Puppet
  # The superclass of providers, of which files that functions require can define some. None is ever created.
  class Provider
    class << self
      # @return [Symbol, nil]
      attr_accessor :name
    end
  end

  # A resource, or a reference to one.
  class Resource
    include Enumerable

    attr_accessor :file, :line, :exported, :virtual, :strict
    attr_reader :type, :title, :tags

    class << self
      # @return [Array(String, String)] the type and the title of a reference
      # @raise [ArgumentError] the text is not a reference
      def type_and_title(type, title)
        type, title = split_reference(type, title)
        type = munge_type_name(type)
        title = title == '' ? :main : munge_type_name(title) if type == 'Class'
        [type, title]
      end

      private

      def split_reference(type, title)
        reference = /\A([^\[\]]+)\[(.+)\]\z/m
        if (type.nil? || %i[component whit].include?(type)) && (parts = reference.match(title.to_s))
          [parts[1], parts[2]]
        elsif title.nil? && type.is_a?(String) && (parts = reference.match(type))
          [parts[1], parts[2]]
        elsif title
          [type, title]
        else
          raise ::ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference"
        end
      end

      def munge_type_name(name)
        return :main if name == :main
        return 'Class' if name.nil? || name == '' || name.to_s.casecmp?('component')

        Puppet::Pops::Types::TypeFormatter.singleton.capitalize_segments(name.to_s)
      end
    end

    # @param type [String, Symbol, Resource::Type, nil]
    # @param title [String, nil]
    # @param attributes [Hash] `:parameters`, `:tags`, …
    def initialize(type, title = nil, attributes = {})
      @type, @title = Resource.type_and_title(type.is_a?(Type) ? type.name : type, title)
      @parameters = {}
      @tags = attributes[:tags] || []
      @exported = attributes[:exported] || false
      @virtual = attributes[:virtual] || false
      @file = attributes[:file]
      @line = attributes[:line]
      (attributes[:parameters] || {}).each { |name, value| self[name] = value }
    end

    # @return [Object] a parameter
    def [](name)
      return title if name.to_s == 'title'

      @parameters[name.to_s.downcase.to_sym]
    end

    # Sets a parameter. A resource of the catalog stays unchanged.
    def []=(name, value)
      @parameters[name.to_s.downcase.to_sym] = value
    end

    # @return [Hash{Symbol => Object}]
    def to_hash
      @parameters.dup
    end
    alias to_h to_hash

    # Iterates over the parameters.
    def each(&block)
      @parameters.each(&block)
    end

    # @return [Boolean]
    def include?(name)
      has_key?(name.to_s.downcase.to_sym)
    end

    # @param name [Symbol]
    # @return [Boolean]
    def has_key?(name)
      @parameters.key?(name)
    end

    # @return [Array<Symbol>]
    def keys
      @parameters.keys
    end

    # @return [Integer] the number of parameters
    def length
      @parameters.length
    end

    # @return [Boolean]
    def empty?
      @parameters.empty?
    end

    # @return [Boolean]
    def class?
      type == 'Class'
    end

    # @return [Boolean]
    def stage?
      type == 'Stage'
    end

    alias exported? exported
    alias virtual? virtual

    # @return [Boolean]
    def tagged?(*names)
      names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
    end

    # @return [String] `File[/etc/motd]`
    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref
    alias to_ref ref

    # @return [String]
    def name
      (self[:name] || title).to_s
    end

    # @return [Resource::Type, nil]
    def resource_type
      Resource::Type.new(class? ? :hostclass : :definition, (class? ? title : type).to_s.downcase)
    end

    # @return [Resource, nil] the resource of the catalog that this refers to
    def resolve
      Puppet::Parser::Scope.top.catalog.resource(ref)
    end

    # @return [Boolean]
    def ==(other)
      other.is_a?(Resource) && ref == other.ref && to_hash == other.to_hash
    end

    # The value in the language: a reference.
    def bunraku_meaning
      title = self.title.to_s.gsub(/['\\]/) { |character| "\\#{character}" }
      Bunraku::Type.parse(class? ? "Class['#{title}']" : "Resource['#{type}', '#{title}']")
    end
  end

  module Parser
    # A resource of the current catalog.
    class Resource < Puppet::Resource
      # @param parts [Array] the result of {Bunraku::Call#native_resource}
      def self.of(parts)
        type, title, parameters, tags, exported, virtual, file, line = parts
        new(type, title, parameters: parameters, tags: tags, exported: exported, virtual: virtual, file: file, line: line)
      end

      # @return [Array(String, String)] type and title, without parsing them
      def initialize(type, title, attributes = {})
        super
        @type = type
        @title = title
      end

      # @return [Scope] the scope in which functions run, with the catalog and the compiler
      def scope
        Scope.top
      end

      # @return [Hash{Symbol => Param}]
      def parameters
        to_hash.to_h { |name, value| [name, Param.new(name, value)] }
      end

      # Iterates over the parameters.
      def eachparam
        each { |name, value| yield Param.new(name, value) }
      end

      # @return [nil] only the compilation changes the catalog
      def set_parameter(name, _value = nil)
        raise Puppet::DevError, "The parameter '#{name}' of #{ref} cannot be set by a function; use an override in a manifest"
      end

      # A parameter.
      Param = Struct.new(:name, :value)
    end

    # The current catalog.
    class Catalog
      # @return [Catalog] the only one of the compilation: functions can keep objects on it
      def self.current
        BUNRAKU.call.memory[:catalog] ||= new
      end

      # @return [Array<Parser::Resource>]
      def resources
        BUNRAKU.call.__send__(:native_resources).map { |parts| Parser::Resource.of(parts) }
      end

      # @return [Parser::Resource, nil]
      def resource(type, title = nil)
        type, title = Puppet::Resource.type_and_title(type.is_a?(Puppet::Resource::Type) ? type.name : type, title)
        parts = BUNRAKU.call.__send__(:native_resource, type.to_s, title.to_s)
        parts && Parser::Resource.of(parts)
      end

      # @return [Array<String>]
      def resource_refs
        resources.map(&:ref)
      end
      alias resource_keys resource_refs

      # @return [Array<String>]
      def classes
        BUNRAKU.call.classes
      end

      # @return [Array<String>]
      def tags
        BUNRAKU.call.catalog_tags
      end

      # @return [String]
      def name
        BUNRAKU.call.node_name
      end
      alias to_s name

      # @return [Symbol]
      def environment
        BUNRAKU.name.to_sym
      end

      # @return [Puppet::Node::Environment]
      def environment_instance
        Puppet::Node::Environment.current
      end
    end
  end
end

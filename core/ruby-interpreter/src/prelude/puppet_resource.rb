module Puppet
  module Parser
    class Resource
      # A parameter with its name.
      class Param
        attr_reader :name, :value, :file, :line

        def initialize(name: nil, value: nil, file: nil, line: nil)
          @name = name
          @value = value
          @file = file
          @line = line
        end

        def to_s
          "#{@name} => #{@value}"
        end
      end
    end
  end

  class Resource
    attr_reader :type, :title, :tags, :file, :line

    class << self
      def type_and_title(type, title)
        type, title = split_reference(type, title)
        type = munge_type_name(type)
        title = title == '' ? :main : munge_type_name(title) if type == 'Class'
        [type, title]
      end

      # A resource of the catalog.
      def __of(type, title, parameters, tags, file, line, virtual, exported)
        attributes = { file: file, line: line, virtual: virtual, exported: exported }
        new(type, title, attributes).__have(title, parameters, tags)
      end

      private

      def split_reference(type, title)
        reference = /\A([^\[\]]+)\[(.+)\]\z/m
        if (type.nil? || %i[component whit].include?(type)) && (found = reference.match(title.to_s))
          found.captures
        elsif title.nil? && type.is_a?(String) && (found = reference.match(type))
          found.captures
        elsif title
          [type, title]
        else
          raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference"
        end
      end

      def munge_type_name(name)
        return :main if name == :main
        return 'Class' if name.nil? || name == '' || name.to_s.casecmp('component') == 0

        name = name.to_s
        name.match?(/^[A-Z]/) ? name : name.split('::').map(&:capitalize).join('::')
      end
    end

    def initialize(type, title = nil, attributes = {})
      type = type.name if type.is_a?(Type)
      @type, @title = Puppet::Resource.type_and_title(type, title)
      known = %i[parameters file line virtual exported]
      __refuse('Puppet::Resource.new of such a resource') if type.is_a?(Hash) || !(attributes.keys - known).empty?
      @parameters = {}
      (attributes[:parameters] || {}).each { |name, value| @parameters[name.to_s.downcase.to_sym] = value }
      @tags = []
      @file = attributes[:file]
      @line = attributes[:line]
      @virtual = attributes[:virtual] || false
      @exported = attributes[:exported] || false
    end

    def __have(title, parameters, tags)
      @title = title
      @parameters = parameters
      @tags = tags
      self
    end

    def [](name)
      return @title if name.to_sym == :title

      @parameters[name.to_sym]
    end

    def name
      self[:name] || @title
    end

    def has_key?(name)
      @parameters.key?(name)
    end

    def keys
      @parameters.keys
    end

    def length
      @parameters.length
    end

    def empty?
      @parameters.empty?
    end

    def include?(name)
      has_key?(name.to_s.downcase.to_sym)
    end

    def each(&block)
      @parameters.each(&block)
    end

    def to_hash
      @parameters.dup
    end

    def ==(other)
      return false unless other.respond_to?(:title) && @type == other.type && @title == other.title

      to_hash == other.to_hash
    end

    def inspect
      "#{@type}[#{@title}]#{to_hash.inspect}"
    end

    def parameters
      @parameters.to_h { |name, value| [name, Puppet::Parser::Resource::Param.new(name: name, value: value)] }
    end

    def catalog
      Puppet::Native.catalog
    end

    def environment
      Puppet::Native.environment
    end

    def scope
      Surroundings.new
    end

    # The scope of a resource, as far as all scopes have it in common.
    class Surroundings
      def catalog
        Puppet::Native.catalog
      end

      def environment
        Puppet::Native.environment
      end

      def find_global_scope
        Puppet::Native.top_scope
      end
      alias topscope find_global_scope

      def method_missing(name, *)
        Puppet::Native.unknown("#{name} of the scope of a resource")
      end
    end

    def class?
      @type == 'Class'
    end

    def virtual?
      @virtual
    end

    def exported?
      @exported
    end

    def ref
      "#{@type}[#{@title}]"
    end
    alias to_s ref

    # The definition of a class or defined type, as its body sees it.
    class Type
      attr_reader :type, :name

      def initialize(type, name)
        @type = type
        @name = name
      end

      def module_name
        @name.split('::').first.to_s
      end
    end
  end
end

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

    def self.type_and_title(type, title)
      return [type, title] unless title.nil?

      found = /\A([^\[\]]+)\[(.+)\]\z/m.match(type.to_s)
      raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference" unless found

      [found[1], found[2]]
    end

    def initialize(type, title = nil, parameters = {}, tags = [], file = nil, line = nil, virtual = false, exported = false)
      @type = type
      @title = title
      @parameters = parameters
      @tags = tags
      @file = file
      @line = line
      @virtual = virtual
      @exported = exported
    end

    def [](name)
      return @title if name.to_sym == :title

      @parameters[name.to_sym]
    end

    def name
      self[:name] || @title
    end

    def key?(name)
      @parameters.key?(name.to_sym)
    end

    def each(&block)
      @parameters.each(&block)
    end

    def to_hash
      @parameters.dup
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

    def has_key?(name)
      key?(name)
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

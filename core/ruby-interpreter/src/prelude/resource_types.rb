# Resource types: the part of their language that says what a type has. What a type does is never run.
module Puppet
  # Words that make no difference to what a type has.
  module Declarative
    def bunraku_word(*_arguments)
      nil
    end
    alias desc bunraku_word
    alias doc bunraku_word
    alias defaultto bunraku_word
    alias defaultvalues bunraku_word
    alias nodefault bunraku_word
    alias newvalue bunraku_word
    alias newvalues bunraku_word
    alias aliasvalue bunraku_word
    alias munge bunraku_word
    alias unmunge bunraku_word
    alias validate bunraku_word
    alias isrequired bunraku_word
    alias required_features bunraku_word
    alias required_features= bunraku_word
    alias sensitive bunraku_word
    alias is_to_s bunraku_word
    alias should_to_s bunraku_word
    alias array_matching bunraku_word
    alias array_matching= bunraku_word
    alias proxymethods bunraku_word
    alias autorequire bunraku_word
    alias autobefore bunraku_word
    alias autosubscribe bunraku_word
    alias autonotify bunraku_word
    alias feature bunraku_word
    alias apply_to bunraku_word
    alias apply_to_device bunraku_word
    alias apply_to_host bunraku_word
    alias apply_to_all bunraku_word
    alias newmetaparam bunraku_word
  end

  class Parameter
    extend Puppet::Declarative

    class << self
      attr_accessor :name

      def isnamevar
        @is_namevar = true
      end

      def isnamevar?
        @is_namevar ? true : false
      end
    end

    class Boolean < Puppet::Parameter
    end

    class Path < Puppet::Parameter
    end

    class PackageOptions < Puppet::Parameter
    end
  end

  class Property < Puppet::Parameter
    class Boolean < Puppet::Property
    end

    class List < Puppet::Property
    end

    class OrderedList < Puppet::Property::List
    end

    class KeyValue < Puppet::Property
    end

    class Ensure < Puppet::Property
    end
  end

  # What providers are made of; none is ever made.
  class Provider
    extend Puppet::Declarative

    def self.method_missing(*_arguments)
      nil
    end

    def self.respond_to_missing?(*_arguments)
      true
    end

    def self.const_missing(_name)
      ::Class.new(Puppet::Provider)
    end
  end

  class Type
    extend Puppet::Declarative

    @loaded = {}

    class << self
      attr_reader :name

      def bunraku_loaded
        @loaded
      end

      def newtype(name, options = {}, &block)
        Puppet::Native.unknown('type with a parent') if options[:parent]
        type = Class.new(Puppet::Type)
        type.bunraku_begin(name.to_sym)
        Puppet::Type.bunraku_loaded[name.to_s.downcase] = type
        bunraku_name(Puppet::Type, name.to_s.capitalize, type)
        type.class_eval(&block) if block
        type
      end

      def type(name)
        known = Puppet::Type.bunraku_loaded[name.to_s.downcase]
        return known if known

        begin
          require "puppet/type/#{name}"
        rescue LoadError
          nil
        end
        Puppet::Type.bunraku_loaded[name.to_s.downcase] || Puppet::Native.unknown("type #{name}")
      end

      def newparam(name, options = {}, &block)
        attribute = bunraku_add(name, options, @parameters, options[:parent] || Puppet::Parameter, &block)
        attribute.isnamevar if options[:namevar]
        attribute
      end

      # The option `namevar` is only for parameters.
      def newproperty(name, options = {}, &block)
        bunraku_add(name, options, @properties, options[:parent] || Puppet::Property, &block)
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Puppet::Property::Ensure, &block)
      end

      def provide(name, _options = {})
        @has_providers = true
        provider = Class.new(Puppet::Provider)
        bunraku_name(self, "Provider#{name.to_s.capitalize}", provider)
        provider
      end

      def attrclass(name)
        @parameters[name.to_sym] || @properties[name.to_sym]
      end
      alias paramclass attrclass
      alias propertybyname attrclass

      def parameters
        @parameters.keys
      end

      def properties
        @properties.values
      end

      def allattrs
        key_attributes | @properties.keys | @parameters.keys
      end

      def validattr?(name)
        allattrs.include?(name.to_sym)
      end
      alias validparameter? validattr?

      def validproperty?(name)
        @properties.key?(name.to_sym)
      end

      def key_attributes
        @parameters.values.select { |attribute| attribute.isnamevar? || attribute.name == :name }.map(&:name)
      end

      # The keys, the attributes with whether each is a property, whether resources of one name are one, and
      # the patterns of titles.
      def bunraku_declared
        keys = key_attributes
        keys = [:name] if keys.empty?
        patterns = respond_to?(:title_patterns) ? title_patterns : []
        attributes = allattrs.map { |name| [name.to_s, @properties.key?(name)] }
        attributes << ['provider', false] if @has_providers
        [keys.map(&:to_s), attributes, @isomorphic.nil? || @isomorphic ? true : false, patterns]
      end

      # Classes of types, attributes and providers have constants, which other files can name.
      def bunraku_name(within, name, of)
        within.const_set(name, of) if name.match?(/\A[A-Z]\w*\z/)
      end

      def bunraku_name_attribute(attribute, all)
        name = attribute.name.to_s.capitalize
        bunraku_name(self, all.equal?(@parameters) ? "Parameter#{name}" : name, attribute)
      end

      def bunraku_begin(name)
        @name = name
        @parameters = {}
        @properties = {}
      end

      def bunraku_add(name, options, all, parent, &block)
        attribute = Class.new(parent)
        attribute.name = name.to_sym
        all[attribute.name] = attribute
        bunraku_name_attribute(attribute, all)
        attribute.class_eval(&block) if block
        attribute.postinit if attribute.respond_to?(:postinit)
        attribute
      end
    end
  end

  module Util
    CLASSES = %i[Autoload Feature FileType FileWatcher JsonLockfile Lockfile Log Metric NetworkDevice Pidlock Reference
                 ResourceTemplate TagSet WatchedFile].freeze

    # What a type includes of these says nothing of what it has. The constants of such a module are classes.
    def self.const_missing(name)
      return const_set(name, ::Class.new) if CLASSES.include?(name)

      missing = ::Module.new
      missing.define_singleton_method(:const_missing) { |_name| ::Class.new }
      const_set(name, missing)
    end
  end
end

module Racc
  class Parser
  end
end

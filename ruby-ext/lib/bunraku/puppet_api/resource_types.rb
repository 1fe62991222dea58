# frozen_string_literal: true

# Resource types: the part of their DSL that says what a type has. What a type does (validation, munging,
# providers) is kept nowhere and never run.
module Puppet
  # What classes of the DSL have in common: words that say nothing of a type's make are taken and left alone.
  module Declarative
    # Words that make no difference to what a type has.
    WORDS = %i[
      desc doc defaultto defaultvalues nodefault newvalue newvalues aliasvalue munge unmunge validate isrequired required_features
      sensitive is_to_s should_to_s insync? array_matching proxymethods autorequire autobefore autosubscribe autonotify feature
      features apply_to apply_to_device apply_to_host apply_to_all provide commands confine defaultfor has_feature has_features
      mk_resource_methods options initvars attr_checker instrument_class
    ].freeze

    WORDS.each { |word| define_method(word) { |*_arguments, &_block| nil } }
  end

  # An attribute of a type that says how its resources are managed.
  class Parameter
    extend Declarative
    include Puppet::Util

    class << self
      # @return [Symbol]
      attr_accessor :name

      # Says that the parameter identifies resources.
      def isnamevar
        @is_namevar = true
      end

      # @return [Boolean]
      def isnamevar?
        @is_namevar ? true : false
      end

      # @return [Boolean] whether it has a default; types that ask get no for an answer
      def method_defined_by_dsl?
        false
      end

      # What stands for a class of Puppet's that only running resources need.
      def const_missing(name)
        Puppet::Type.placeholder(name)
      end
    end

    # `Puppet::Parameter::Boolean` and its like.
    %i[Boolean Path PackageOptions Value ValueCollection].each { |kind| const_set(kind, Class.new(self)) }
  end

  # An attribute of a type that is managed.
  class Property < Parameter
    %i[Boolean List OrderedList KeyValue Ensure].each { |kind| const_set(kind, Class.new(self)) }
  end

  # What providers are made of; none is ever made.
  class Provider
    extend Declarative
  end

  # A resource type.
  class Type
    extend Declarative
    include Puppet::Util
    include Puppet::Util::Errors
    include Puppet::Util::Logging

    @loaded = {}

    class << self
      # @return [Symbol]
      attr_reader :name

      # @return [Class, nil] the type of this name that a file has declared
      def loaded(name)
        Type.instance_variable_get(:@loaded)[name.to_s.downcase]
      end

      # Declares a type.
      #
      # @yield the body, evaluated in the type's class
      def newtype(name, _options = {}, &block)
        type = Class.new(self)
        type.send(:begin_type, name.to_sym)
        constant = name.to_s.capitalize
        Type.const_set(constant, type) if constant.match?(/\A[A-Z]\w*\z/) && !Type.const_defined?(constant, false)
        Type.instance_variable_get(:@loaded)[name.to_s.downcase] = type
        begin
          type.class_eval(&block) if block
        rescue ::Exception
          # Half a type is none: whoever asks next shall be told the same.
          Type.instance_variable_get(:@loaded).delete(name.to_s.downcase)
          Type.send(:remove_const, constant) if constant.match?(/\A[A-Z]\w*\z/) && Type.const_get(constant, false).equal?(type)
          raise
        end
        type
      end

      # @return [Class] the type of a name, which a module has; one without attributes when none has it
      def type(name)
        loaded(name) || BUNRAKU.load_type(name) || Class.new(self) { begin_type(name.to_sym) }
      end

      # Declares a parameter.
      def newparam(name, options = {}, &block)
        add(name, options, @parameters, options[:parent] || Parameter, &block)
      end

      # Declares a property.
      def newproperty(name, options = {}, &block)
        add(name, options, @properties, options[:parent] || Property, &block)
      end

      # Declares the property `ensure`.
      def ensurable(&block)
        newproperty(:ensure, parent: Property::Ensure, &block)
      end

      # Metaparameters are Puppet's own business.
      def newmetaparam(*); end

      # @return [Class] the attribute of a name
      def attrclass(name)
        (@parameters || {})[name.to_sym] || (@properties || {})[name.to_sym]
      end
      alias paramclass attrclass
      alias propertybyname attrclass

      # @return [Array<Symbol>]
      def parameters
        @parameters.keys
      end

      # @return [Array<Class>]
      def properties
        @properties.values
      end

      # @return [Array<Symbol>]
      def allattrs
        key_attributes | @properties.keys | @parameters.keys
      end

      # @return [Boolean]
      def validattr?(name)
        allattrs.include?(name.to_sym)
      end
      alias validparameter? validattr?

      # @return [Boolean]
      def validproperty?(name)
        @properties.key?(name.to_sym)
      end

      # @return [Array<Symbol>] the parameters that identify a resource
      def key_attributes
        all = @parameters.values + @properties.values
        all.select { |attribute| attribute.isnamevar? || attribute.name == :name }.map(&:name)
      end

      # @return [Boolean] whether two resources of one name are the same thing
      def isomorphic?
        @isomorphic.nil? || @isomorphic ? true : false
      end

      # What the library asks for.
      #
      # @return [Array]
      def metadata
        keys = key_attributes
        keys = [:name] if keys.empty?
        patterns = singleton_methods.include?(:title_patterns) ? title_patterns : []
        patterns = patterns.map { |pattern, groups| [source(pattern), groups.map { |group| group[0].to_s }] }
        [keys.map(&:to_s), allattrs.map { |name| [name.to_s, @properties.key?(name)] }, isomorphic?, patterns]
      end

      # What stands for a class that only running resources need: it answers to everything with itself.
      def placeholder(name)
        @placeholders ||= {}
        @placeholders[name] ||= Class.new do
          define_singleton_method(:const_missing) { |inner| Puppet::Type.placeholder(inner) }
          define_singleton_method(:method_missing) { |*_arguments| self }
          define_singleton_method(:respond_to_missing?) { |*_arguments| true }
        end
      end

      def const_missing(name)
        Object.const_defined?(name) ? Object.const_get(name) : placeholder(name)
      end

      private

      def begin_type(name)
        @name = name
        @parameters = {}
        @properties = {}
      end

      def add(name, options, all, parent, &block)
        attribute = Class.new(parent)
        attribute.name = name.to_sym
        attribute.isnamevar if options[:namevar]
        all[attribute.name] = attribute
        attribute.class_eval(&block) if block
        attribute
      end

      def source(pattern)
        (pattern.options & 7).zero? ? pattern.source : pattern.to_s
      end
    end
  end

  # `Puppet::ResourceApi`: types as data.
  module ResourceApi
    # Declares a type.
    def self.register_type(schema)
      attributes = schema.fetch(:attributes)
      type = Puppet::Type.newtype(schema.fetch(:name)) do
        attributes.each do |name, about|
          options = { namevar: about[:behaviour] == :namevar || about[:behavior] == :namevar }
          options[:namevar] || %i[parameter init_only].include?(about[:behaviour]) ? newparam(name, options) : newproperty(name, options)
        end
      end
      patterns = schema[:title_patterns]
      return type unless patterns

      found = patterns.map { |about| [about[:pattern], about[:pattern].names.map { |name| [name.to_sym] }] }
      type.define_singleton_method(:title_patterns) { found }
      type
    end
  end
end

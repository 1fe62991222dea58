# frozen_string_literal: true

# Resource types: the part of their DSL that declares the attributes of a type. Behaviour (validation,
# munging, providers) is not kept and never runs.
module Puppet
  # The common part of the DSL's classes: words that do not affect the structure of a type are accepted and
  # ignored.
  module Declarative
    # Words that do not affect the structure of a type.
    WORDS = %i[
      desc doc defaultto defaultvalues nodefault newvalue newvalues aliasvalue munge unmunge validate isrequired required_features
      sensitive is_to_s should_to_s insync? array_matching proxymethods autorequire autobefore autosubscribe autonotify feature
      features apply_to apply_to_device apply_to_host apply_to_all provide commands confine defaultfor has_feature has_features
      mk_resource_methods options initvars attr_checker instrument_class
    ].freeze

    WORDS.each { |word| define_method(word) { |*_arguments, &_block| nil } }
  end

  # An unmanaged attribute of a type, which controls how its resources are managed.
  class Parameter
    extend Declarative
    include Puppet::Util

    class << self
      # @return [Symbol]
      attr_accessor :name

      # Declares that the parameter identifies resources.
      def isnamevar
        @is_namevar = true
      end

      # @return [Boolean]
      def isnamevar?
        @is_namevar ? true : false
      end

      # @return [Boolean] whether the parameter has a default; always false
      def method_defined_by_dsl?
        false
      end

      # A placeholder for a class of Puppet's that only running resources need.
      def const_missing(name)
        Puppet::Type.placeholder(name)
      end
    end

    # `Puppet::Parameter::Boolean` and its like.
    %i[Boolean Path PackageOptions Value ValueCollection].each { |kind| const_set(kind, Class.new(self)) }
  end

  # A managed attribute of a type.
  class Property < Parameter
    %i[Boolean List OrderedList KeyValue Ensure].each { |kind| const_set(kind, Class.new(self)) }
  end

  # The superclass of providers, which are never created.
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

      # @return [Class, nil] the type with this name that a file has declared
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
          # A partly declared type does not count: the next request must fail in the same way.
          Type.instance_variable_get(:@loaded).delete(name.to_s.downcase)
          Type.send(:remove_const, constant) if constant.match?(/\A[A-Z]\w*\z/) && Type.const_get(constant, false).equal?(type)
          raise
        end
        type
      end

      # @return [Class] the module's type with this name; one without attributes if no module has it
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

      # Metaparameters belong to Puppet.
      def newmetaparam(*); end

      # @return [Class] the attribute with this name
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

      # @return [Boolean] whether two resources with the same name are the same thing
      def isomorphic?
        @isomorphic.nil? || @isomorphic ? true : false
      end

      # The description of the type for the library.
      #
      # @return [Array]
      def metadata
        keys = key_attributes
        keys = [:name] if keys.empty?
        patterns = singleton_methods.include?(:title_patterns) ? title_patterns : []
        patterns = patterns.map { |pattern, groups| [source(pattern), groups.map { |group| group[0].to_s }] }
        [keys.map(&:to_s), allattrs.map { |name| [name.to_s, @properties.key?(name)] }, isomorphic?, patterns]
      end

      # A placeholder for a class that only running resources need. It returns itself from every call.
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

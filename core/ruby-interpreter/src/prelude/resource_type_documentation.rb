# Resource types and their providers with what documentation says of them: above resource_types.rb, whose
# words it replaces by those that keep what they are given. Nothing is done to a machine, and nothing of it is
# known but that it runs Linux: types that depend on more are described as for one without it.
module Facter
  TEXTS = %i[architecture domain facterversion fqdn hardwaremodel hostname kernelmajversion kernelrelease
             kernelversion operatingsystem operatingsystemmajrelease operatingsystemrelease osfamily
             rubyversion].freeze
  RELEASE = { 'full' => '', 'major' => '', 'minor' => '' }.freeze
  OS = { 'architecture' => '', 'family' => '', 'hardware' => '', 'name' => '', 'release' => RELEASE }.freeze

  def self.value(name)
    name = name.to_sym
    case name
    when :kernel then 'Linux'
    when :os then OS
    when :puppetversion then Puppet.version
    else TEXTS.include?(name) ? '' : nil
    end
  end

  def self.[](name)
    value = value(name)
    value.nil? ? nil : Struct.new(:value).new(value)
  end

  def self.fact(name)
    self[name]
  end

  def self.add(_name, _options = {})
    nil
  end
end

# What reads XML does so only when a provider acts.
module REXML
  def self.const_missing(_name)
    Class.new
  end
end

ENV = { 'PATH' => '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

module Puppet
  PUPPETVERSION = Puppet.version

  # The features of the machine: none is known to be there.
  module Features
    def self.add(*_arguments, **_options)
      nil
    end

    def self.method_missing(name, *_arguments)
      name.end_with?('?') ? false : super
    end

    def self.respond_to_missing?(name, *_arguments)
      name.end_with?('?')
    end
  end

  def self.features
    Puppet::Features
  end

  module Util
    def self.which(_program)
      nil
    end

    module Platform
      def self.windows?
        false
      end
      singleton_class.alias_method(:jruby?, :windows?)
    end
  end

  # A text with its requirements.
  module Documented
    def desc(text)
      @doc = text
    end
    alias doc= desc

    def bunraku_doc
      @doc ? @doc.to_s : ''
    end

    def bunraku_own_doc
      @doc ? [@doc.to_s] : []
    end
  end

  class Type
    extend Puppet::Documented

    class << self
      def feature(name, _text = nil, methods: nil)
        @features[name.to_sym] = methods
      end

      def bunraku_features
        @features
      end

      def provider_feature(name)
        @features.key?(name.to_sym)
      end

      def bunraku_begin(name)
        @name = name
        @parameters = {}
        @properties = {}
        @features = {}
        @providers = {}
      end

      def bunraku_add(name, options, all, parent, &block)
        attribute = Class.new(parent)
        attribute.name = name.to_sym
        attribute.bunraku_begin
        all[attribute.name] = attribute
        bunraku_name_attribute(attribute, all)
        bunraku_words(options).each do |word, given|
          attribute.__send__("#{word}=", given) if attribute.respond_to?("#{word}=")
        end
        attribute.class_eval(&block) if block
        attribute.postinit if attribute.respond_to?(:postinit)
        attribute
      end

      # The options of an attribute that are words of it, too.
      def bunraku_words(options)
        options.slice(:array_matching, :required_features).merge(options[:attributes] || {})
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Puppet::Property::Ensure, &(block || proc { defaultvalues }))
      end

      def ensurable?
        %i[exists? create destroy].all? { |name| public_method_defined?(name) }
      end

      def validproperties
        @properties.keys
      end

      def provide(name, options = {}, &block)
        parent = options[:parent] || Puppet::Provider
        parent = provider(parent) || Puppet::Native.unknown("provider #{parent}") unless parent.is_a?(Class)
        provider = Class.new(parent)
        provider.name = name.to_sym
        provider.resource_type = self
        provider.bunraku_begin(self)
        options.each { |word, given| provider.__send__("#{word}=", given) unless word == :parent }
        @has_providers = true
        @providers[provider.name] = provider
        bunraku_name(self, "Provider#{name.to_s.capitalize}", provider)
        provider.class_eval(&block) if block
        provider
      end

      def provider(name)
        return @providers[name.to_sym] if @providers.key?(name.to_sym)

        begin
          require "puppet/provider/#{@name}/#{name}"
        rescue LoadError
          nil
        end
        @providers[name.to_sym]
      end

      def providers
        @providers.keys
      end

      # The type's text, its attributes, and the names of its keys.
      def bunraku_described
        ensurable if ensurable? && !@properties.key?(:ensure)
        ensure_first = @properties.delete(:ensure)
        @properties = { ensure: ensure_first }.merge(@properties) if ensure_first
        attributes = @properties.values.map { |one| one.bunraku_described(true) }
        attributes += @parameters.values.map { |one| one.bunraku_described(false) }
        [bunraku_doc, attributes, key_attributes.map(&:to_s)]
      end

      # For each provider its name, its text, if it has one, and what it says of itself.
      def bunraku_described_providers
        @providers.values.map { |one| [one.name.to_s, one.bunraku_own_doc, one.bunraku_about] }
      end
    end
  end

  class Parameter
    extend Puppet::Documented

    class << self
      attr_writer :required_features

      def required_features(*names)
        @required_features = names.flatten unless names.empty?
        @required_features
      end

      def bunraku_begin
        @written_values = []
        @values = {}
      end

      def newvalue(name, _options = {}, &_block)
        bunraku_begin unless @values
        value = [bunraku_word(name), []]
        @written_values << value
        @values[value.first] = value
      end

      def newvalues(*names)
        names.each { |name| newvalue(name) }
      end

      def aliasvalue(name, other)
        value = (@written_values || []).find { |one, aliases| one == bunraku_word(other) || aliases.include?(other.to_s) }
        (value || Puppet::Native.unknown('alias of no value')).last << name.to_s
      end

      # Names are symbols but for the empty one, so that nil is another.
      def bunraku_word(name)
        name.is_a?(Regexp) || name == '' ? name : name.to_s.to_sym
      end

      def defaultvalues
        newvalue(:present)
        newvalue(:absent)
        @doc ||= 'The basic property that the resource should be in.'
      end

      def bunraku_described(is_property)
        [name.to_s, is_property, isnamevar?, bunraku_doc, bunraku_shown(@written_values), bunraku_shown(@values&.values),
         [@required_features || []].flatten.map(&:to_s)]
      end

      def bunraku_shown(values)
        (values || []).map do |name, aliases|
          is_pattern = name.is_a?(Regexp)
          [is_pattern, is_pattern ? name.inspect : name.to_s, aliases]
        end
      end
    end

    class Boolean
      def self.bunraku_begin
        super
        newvalues('true', 'false', 'yes', 'no')
      end
    end
  end

  class Provider
    extend Puppet::Documented

    class << self
      attr_accessor :name, :resource_type

      def bunraku_begin(type)
        @type = type
        @defaults = []
        @commands = {}
        @features = []
      end

      def initvars
        @defaults = []
        @commands = {}
      end

      def get_env(name)
        ENV[name.to_s]
      end

      def set_env(_name, _value = nil)
        nil
      end

      def commands(programs)
        programs.each { |name, program| has_command(name, program) }
      end
      alias optional_commands commands

      def has_command(name, program)
        (@commands ||= {})[name.to_sym] = program
        define_method(name) { |*_arguments| nil } unless method_defined?(name)
      end

      def mk_resource_methods
        (resource_type.validproperties + resource_type.parameters).each do |name|
          next if name == :name

          define_method(name) { nil }
          define_method("#{name}=") { |_value| nil }
        end
      end

      def defaultfor(facts)
        (@defaults ||= []) << facts
      end

      def has_features(*names)
        @features = (@features || []) + names.flatten.map(&:to_sym)
      end
      alias has_feature has_features

      def declared_feature?(name)
        (@features || []).include?(name.to_sym)
      end

      def feature?(name)
        return true if declared_feature?(name)

        methods = @type ? @type.bunraku_features[name.to_sym] : nil
        methods ? methods.all? { |method| public_method_defined?(method) } : false
      end

      def features
        @type.bunraku_features.keys.select { |name| feature?(name) }
      end

      def bunraku_about
        [bunraku_commands, bunraku_defaults, bunraku_supported].compact.map { |line| "* #{line}" }.join("\n")
      end

      def bunraku_commands
        return if @commands.empty?

        "Required binaries: #{@commands.values.map { |program| "`#{program}`" }.sort.join(', ')}."
      end

      def bunraku_defaults
        return if @defaults.empty?

        @defaults.map do |facts|
          said = facts.map { |fact, value| "`#{fact}` == `#{[value].flatten.join(', ')}`" }
          "Default for #{said.sort.join(' and ')}."
        end.join(' ')
      end

      def bunraku_supported
        return if features.empty?

        "Supported features: #{features.map { |name| "`#{name}`" }.sort.join(', ')}."
      end
    end
  end
end

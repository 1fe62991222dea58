module Puppet
  class ExecutionFailure < Puppet::Error
  end

  class Module
    attr_reader :name, :path, :environment

    def self.find(name, environment = nil)
      return if name.nil?

      path = Puppet::Native.module_directory(name.to_s)
      path && new(name.to_s, path, environment)
    end

    def initialize(name, path, environment = nil)
      @name = name
      @path = path
      @environment = environment
    end

    def file(name = nil)
      existing('files', name)
    end

    def template(name = nil)
      existing('templates', name)
    end

    def manifests
      "#{@path}/manifests"
    end

    def metadata_file
      "#{@path}/metadata.json"
    end

    def plugin_directory
      "#{@path}/lib"
    end

    def has_metadata?
      File.exist?(metadata_file)
    end

    def to_s
      "Module #{@name}(#{@path})"
    end

    private

    def existing(folder, name)
      full = name ? "#{@path}/#{folder}/#{name}" : "#{@path}/#{folder}"
      full if File.exist?(full)
    end
  end

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

    module Files
      def self.find_file(file, environment = nil)
        return (file if File.exist?(file)) if file.start_with?('/')

        name, rest = file.split('/', 2)
        found = Puppet::Module.find(name, environment)
        found&.file(rest)
      end

      def self.find_template(template, environment = nil)
        return (template if File.exist?(template)) if template.start_with?('/')

        name, rest = template.split('/', 2)
        found = Puppet::Module.find(name, environment)
        found&.template(rest)
      end
    end

    module Functions
      # What is called is loaded then.
      module Autoloader
        def self.load(_name, _environment = nil)
          true
        end

        def self.loadall(_environment = nil)
          true
        end

        def self.loaded?(_name)
          true
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

    def parameters
      @parameters.to_h { |name, value| [name, Puppet::Parser::Resource::Param.new(name: name, value: value)] }
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

    # What the body of a class or defined type is told of itself.
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

  module Pops
    module Evaluator
      module Runtime3ResourceSupport
        # Resources are found by the names of their types.
        def self.find_resource_type_or_class(_scope, name)
          find_resource_type(nil, name)
        end

        def self.find_resource_type(_scope, name)
          name = name.to_s.downcase
          Puppet::Native.call('defined', name) ? Puppet::Resource::Type.new(:definition, name) : nil
        end
      end
    end

    module Lookup
      module HieraConfig
        def self.symkeys_to_string(value)
          case value
          when Hash then value.to_h { |key, one| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(one)] }
          when Array then value.map { |one| symkeys_to_string(one) }
          else value
          end
        end
      end
    end

    module Types
      module TypeCalculator
        def self.instance?(type, value)
          Puppet::Native.instance?(type, value)
        end

        def self.assignable?(type, other)
          Puppet::Native.assignable?(type, other)
        end

        def self.infer(value)
          Puppet::Native.call('type', value, 'reduced')
        end

        def self.infer_set(value)
          Puppet::Native.call('type', value, 'detailed')
        end

        def self.singleton
          self
        end
      end

      class TypeParser
        def self.singleton
          new
        end

        def parse(text, _context = nil)
          Puppet::Native.parse_type(text)
        end
      end

      class TypeMismatchDescriber
        def self.singleton
          new
        end

        def self.describe_mismatch(name, expected, actual)
          Puppet::Native.describe_mismatch(name, expected, actual)
        end

        def describe_mismatch(name, expected, actual, _rich = true)
          Puppet::Native.describe_mismatch(name, expected, actual)
        end
      end

      module PSensitiveType
      end

      module Iterable
        def self.asserted_iterable(caller, value, _infer_elements = false)
          made = on(value)
          raise ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable." if made.nil?

          made
        end

        def self.on(value)
          case value
          when Array, Hash, Range then value
          when String then value.chars
          when Integer then value.times.to_a if value >= 0
          end
        end
      end
    end
  end

  module FileSystem
    def self.exist?(path)
      File.exist?(path)
    end

    def self.file?(path)
      File.file?(path)
    end

    def self.directory?(path)
      File.directory?(path)
    end

    def self.read(path, _options = {})
      File.read(path)
    end

    def self.binread(path)
      File.read(path)
    end

    def self.read_preserve_line_endings(path)
      File.read(path)
    end
  end

  module Util
    def self.absolute_path?(path, platform = nil)
      slash = /[\\\/]/
      name = /[^\\\/]+/
      windows = /\A(?:(?:[A-Z]:#{slash})|(?:#{slash}#{slash}#{name}#{slash}#{name})|(?:#{slash}#{slash}\?#{slash}#{name}))/i
      platform == :windows ? path.match?(windows) : path.start_with?('/')
    end

    def self.deterministic_rand(seed, limit)
      deterministic_rand_int(seed, limit).to_s
    end

    def self.deterministic_rand_int(seed, limit)
      Random.new(seed).rand(limit)
    end

    def self.execute(*arguments, **options)
      Puppet::Util::Execution.execute(*arguments, **options)
    end

    def self.which(_name)
      Puppet::Native.unknown('look for a program')
    end

    module Execution
      # Gives what the command has printed.
      def self.execute(command, options = nil)
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : ['/bin/sh', '-c', command.to_s]
        told = command.is_a?(Array) ? words.join(' ') : command.to_s
        succeeded, text = Puppet::Native.run(words)
        return text if succeeded

        found = /\AExecution of '.*' returned (\d+): (.*)\z/m.match(text)
        status = found ? found[1].to_i : 1
        output = found ? found[2] : text
        return output unless options.nil? || options[:failonfail]

        raise Puppet::ExecutionFailure, "Execution of '#{told}' returned #{status}: #{output.strip}"
      end

      def self.execpipe(command, failonfail = true)
        output = execute(command, failonfail: failonfail)
        yield StringIO.new(output)
      end
    end

    module Errors
      def fail(*arguments)
        message = arguments.find { |one| one.is_a?(String) }
        error = arguments.find { |one| one.is_a?(Class) } || Puppet::Error
        raise error, message
      end
    end

    module Package
      def self.versioncmp(one, other, _ignore_trailing_zeroes = false)
        Puppet::Native.call('versioncmp', one, other)
      end

      def versioncmp(one, other, _ignore_trailing_zeroes = false)
        Puppet::Native.call('versioncmp', one, other)
      end
    end

    module Yaml
      def self.safe_load(text, _classes = [], _file = nil)
        YAML.load(text)
      end

      def self.safe_load_file(path, _classes = [])
        YAML.load(File.read(path))
      end
    end

    module Json
      def self.load(text, _options = {})
        JSON.parse(text)
      end

      def self.load_file(path, _options = {})
        JSON.parse(File.read(path))
      end

      def self.dump(value, pretty: false)
        pretty ? JSON.pretty_generate(value) : value.to_json
      end
    end
  end
end

# frozen_string_literal: true

require 'json'
require 'open3'
require 'yaml'
require 'digest'
require 'uri'

# Utilities of Puppet's that functions call: paths, versions, files, commands, data formats.
module Puppet
  module Util # rubocop:disable Metrics/ModuleLength
    module_function

    # Whether a path is absolute, for `:posix` or `:windows`.
    def absolute_path?(path, platform = nil)
      platform ||= :posix
      separator = '[\\\\/]'
      name = '[^\\\\/]+'
      windows = %r{\A(?:(?:[A-Z]:#{separator})|(?:#{separator}#{separator}#{name}#{separator}#{name})|(?:#{separator}#{separator}\?#{separator}#{name}))}i
      path.match?(platform == :windows ? windows : %r{\A/})
    end

    # The path of a command.
    def which(command)
      return (File.executable?(command) && File.file?(command) ? command : nil) if absolute_path?(command)

      ENV.fetch('PATH', '').split(File::PATH_SEPARATOR).map { |directory| File.join(directory, command) }
         .find { |path| File.file?(path) && File.executable?(path) }
    end

    # A random number below `max`, determined by the seed, as text.
    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    # A random number below `max`, determined by the seed.
    def deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    # A hash with Symbols for keys.
    def symbolizehash(hash)
      hash.transform_keys { |key| key.is_a?(Symbol) ? key : key.to_s.to_sym }
    end

    # Runs a block with other environment variables.
    def withenv(variables, _mode = :posix)
      saved = ENV.to_hash
      ENV.update(variables.to_h { |name, value| [name.to_s, value] })
      yield
    ensure
      ENV.replace(saved) if saved
    end

    # Runs a block, and logs its duration.
    def benchmark(*arguments)
      message = arguments.find { |one| one.is_a?(String) }
      level = arguments.find { |one| one.is_a?(Symbol) } || :debug
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      Puppet.send_log(level, format('%<message>s in %<seconds>0.2f seconds', message: message, seconds: seconds)) if message
      seconds
    end

    # A URI with invalid characters escaped.
    def uri_encode(path, opts = { allow_fragment: false })
      kept = opts[:allow_fragment] ? %r{[^\-_.!~*'();/?:@&=+$,\[\]a-zA-Z\d%#]} : %r{[^\-_.!~*'();/?:@&=+$,\[\]a-zA-Z\d%]}
      path.b.gsub(kept) { |byte| format('%%%02X', byte.ord) }.force_encoding(Encoding::UTF_8)
    end

    # The URI of a path.
    def path_to_uri(path)
      URI::Generic.build(scheme: 'file', path: uri_encode(path)) if path
    end

    # The path of a URI.
    def uri_to_path(uri)
      uri.is_a?(URI) && uri.path ? URI.decode_www_form_component(uri.path.gsub('+', '%2B')) : nil
    end

    # Runs a command. See {Execution.execute}.
    def execute(*arguments)
      Execution.execute(*arguments)
    end

    # Whether this is Windows.
    def windows?
      Platform.windows?
    end

    # The platform of the machine.
    module Platform
      def self.windows?
        File::ALT_SEPARATOR ? true : false
      end

      def self.jruby?
        RUBY_PLATFORM == 'java'
      end

      def self.actually_windows?
        windows?
      end
    end

    # Versions of packages.
    module Package
      module_function

      # Compares versions as package managers do: -1, 0 or 1.
      def versioncmp(version_a, version_b, ignore_trailing_zeroes = false) # rubocop:disable Style/OptionalBooleanParameter
        a, b = [version_a, version_b].map { |version| ignore_trailing_zeroes ? without_zeroes(version) : version }
        parts = [a, b].map { |version| version.scan(/[-.]|\d+|[^-.\d]+/) }
        first, second = parts.first.zip(parts.last).take_while(&:all?).find { |one, other| one != other }
        return a <=> b unless first
        return -1 if first == '-'
        return 1 if second == '-'
        return -1 if first == '.'
        return 1 if second == '.'
        return first.upcase <=> second.upcase unless [first, second].all? { |part| part.match?(/\A\d+\z/) }
        return first <=> second if [first, second].any? { |part| part.start_with?('0') }

        first.to_i <=> second.to_i
      end

      def self.without_zeroes(version)
        head, *rest = version.split('-')
        [head.to_s.sub(/[.0]+\z/, ''), *rest].join('-')
      end
      private_class_method :without_zeroes
    end

    # Commands.
    module Execution
      # The output of a command, with its exit status.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(value, exitstatus)
          super(value)
          @exitstatus = exitstatus
        end
      end

      # Runs a command and returns its output.
      #
      # @param command [String, Array<String>]
      # @param options [Hash] `failonfail`, `combine`, `cwd`, `custom_environment`, `stdinfile`
      # @raise [Puppet::ExecutionFailure] the command failed with `failonfail`, which is the default without
      #   options
      def self.execute(command, options = nil)
        settings = { failonfail: options.nil?, combine: options.nil? }.merge(options || {})
        text = command.is_a?(Array) ? command.map(&:to_s).join(' ') : command.to_s
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : [command.to_s]
        environment = (settings[:custom_environment] || {}).to_h { |name, value| [name.to_s, value&.to_s] }
        how = settings[:cwd] ? { chdir: settings[:cwd] } : {}
        how[:stdin_data] = File.read(settings[:stdinfile]) if settings[:stdinfile]
        words = [[words.first, words.first], *words.drop(1)] if command.is_a?(Array)
        output, errors, status =
          settings[:combine] ? Open3.capture2e(environment, *words, **how).insert(1, '') : Open3.capture3(environment, *words, **how)
        output = "#{output}#{errors}" if settings[:combine]
        if settings[:failonfail] && !status.success?
          raise Puppet::ExecutionFailure, "Execution of '#{text}' returned #{status.exitstatus}: #{output.strip}"
        end

        @exitstatus = status.exitstatus
        ProcessOutput.new(output, status.exitstatus)
      rescue SystemCallError => e
        raise Puppet::ExecutionFailure.new("Could not execute posix command: #{e.message}", e)
      end

      # Runs a command and passes its pipe to a block.
      def self.execpipe(command, failonfail = true) # rubocop:disable Style/OptionalBooleanParameter
        output = execute(command, failonfail: failonfail, combine: true)
        yield StringIO.new(output)
      end

      # The exit status of the last command.
      class << self
        attr_reader :exitstatus

        alias util_execute execute
      end
    end

    # JSON.
    module Json
      # A text that is not valid JSON.
      class ParseError < StandardError
        attr_reader :cause, :data

        def self.build(original, data)
          new(original.message).tap { |error| error.instance_variable_set(:@cause, original) && error.instance_variable_set(:@data, data) }
        end
      end

      def self.load(text, options = {})
        ::JSON.parse(text, options)
      rescue ::JSON::ParserError => e
        raise ParseError.build(e, text)
      end

      def self.load_file(file, options = {})
        load(File.read(file, encoding: 'BOM|UTF-8'), options)
      end

      def self.load_file_if_valid(file, options = {})
        load_file(file, options)
      rescue StandardError => e
        Puppet.debug("Could not retrieve JSON content #{e.message}")
        nil
      end

      def self.dump(object, options = {})
        options.empty? ? ::JSON.generate(object) : ::JSON.pretty_generate(object)
      end
    end

    # YAML.
    module Yaml
      YamlLoadExceptions = [StandardError, ::Psych::Exception].freeze

      # A text that cannot be read.
      class YamlLoadError < Puppet::Error; end

      def self.safe_load(text, allowed_classes = [], filename = nil)
        data = ::YAML.safe_load(text, permitted_classes: allowed_classes, aliases: true, filename: filename)
        data.nil? ? false : data
      rescue ::Psych::DisallowedClass => e
        raise YamlLoadError.new("(#{filename || '<unknown>'}): #{e.message}", e)
      rescue StandardError => e
        raise YamlLoadError.new(e.message, e)
      end

      def self.safe_load_file(file, allowed_classes = [])
        safe_load(File.read(file, encoding: 'BOM|UTF-8'), allowed_classes, file)
      end

      def self.safe_load_file_if_valid(file, allowed_classes = [])
        safe_load_file(file, allowed_classes)
      rescue StandardError => e
        Puppet.debug("Could not retrieve YAML content #{e.message}")
        nil
      end

      def self.load_file(file, default = false, strip_classes = false) # rubocop:disable Style/OptionalBooleanParameter
        _ = strip_classes
        safe_load_file(file, [Symbol]) || default
      end

      def self.dump(object, file)
        File.write(file, ::YAML.dump(object))
      end
    end

    # Digests of texts and files.
    module Checksums
      module_function

      { md5: 'MD5', sha1: 'SHA1', sha256: 'SHA256', sha384: 'SHA384', sha512: 'SHA512' }.each do |name, digest|
        define_method(name) { |content| Digest.const_get(digest).hexdigest(content) }
        define_method(:"#{name}_file") { |path, *| Digest.const_get(digest).file(path).hexdigest }
        module_function name, :"#{name}_file"
      end
    end

    # Texts of documentation.
    module Docs
      # Removes the indentation of the second line from all lines.
      def self.scrub(text)
        indentation = text.lines.drop(1).find { |line| !line.strip.empty? }.to_s[/\A\s*/]
        text.strip.gsub(/^#{indentation}/, '')
      end
    end

    # Measured times.
    module Profiler
      def self.profile(_message, _metric_id = nil)
        yield
      end
    end

    include Errors
    include Logging
  end

  # Files, as paths.
  module FileSystem
    module_function

    def exist?(path)
      File.exist?(path)
    end

    def file?(path)
      File.file?(path)
    end

    def directory?(path)
      File.directory?(path)
    end

    def executable?(path)
      File.executable?(path)
    end

    def symlink?(path)
      File.symlink?(path)
    end

    def readlink(path)
      File.readlink(path)
    end

    def read(path, opts = {})
      File.read(path, **{ encoding: opts[:encoding] || 'UTF-8' })
    end

    def read_preserve_line_endings(path)
      File.read(path, encoding: 'BOM|UTF-8', newline: :universal)
    end

    def binread(path)
      File.binread(path)
    end

    def children(path)
      Dir.children(path).map { |name| File.join(path, name) }
    end

    def basename(path)
      File.basename(path)
    end

    def basename_string(path)
      File.basename(path)
    end

    def dir(path)
      File.dirname(path)
    end

    def dir_string(path)
      File.dirname(path)
    end

    def pathname(path)
      Pathname.new(path)
    end

    def path_string(path)
      path.to_s
    end

    def expand_path(path, directory = nil)
      File.expand_path(path, directory)
    end

    def stat(path)
      File.stat(path)
    end

    def each_line(path, &block)
      File.foreach(path, &block)
    end
  end

  # Information about the Ruby that runs modules.
  module Concurrent
    # A lock.
    Lock = Monitor
  end
end

# JSON under its old name.
PSON = JSON

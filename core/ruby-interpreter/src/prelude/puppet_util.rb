module Puppet
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

    module Errors
      def fail(*arguments)
        message = arguments.find { |one| one.is_a?(String) }
        error = arguments.find { |one| one.is_a?(Class) } || Puppet::Error
        raise error, message
      end
    end

    module Package
      def self.versioncmp(one, other, ignore_trailing_zeroes = false)
        return Puppet::Native.call('versioncmp', one, other, true) if ignore_trailing_zeroes

        Puppet::Native.compare_package_versions(one, other)
      end

      def versioncmp(one, other, ignore_trailing_zeroes = false)
        Puppet::Util::Package.versioncmp(one, other, ignore_trailing_zeroes)
      end
    end

    module Yaml
      YamlLoadExceptions = [StandardError, Psych::Exception]

      class YamlLoadError < Puppet::Error
      end

      def self.safe_load(text, classes = [], file = nil)
        data = YAML.safe_load(text, permitted_classes: classes, aliases: true, filename: file)
        data.nil? ? false : data
      rescue Psych::DisallowedClass => e
        raise YamlLoadError.new("(#{file || '<unknown>'}): #{e.message}", e)
      rescue StandardError => e
        raise YamlLoadError.new(e.message, e)
      end

      def self.safe_load_file(path, classes = [])
        safe_load(Puppet::FileSystem.read(path, encoding: 'bom|utf-8'), classes, path)
      end

      def self.safe_load_file_if_valid(path, classes = [])
        safe_load_file(path, classes)
      rescue YamlLoadError, ArgumentError, Errno::ENOENT => e
        Puppet.debug("Could not retrieve YAML content from '#{path}': #{e.message}")
        nil
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

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

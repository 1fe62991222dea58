module Puppet
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
  end
end

module Puppet
  class Settings
    # The configuration of an environment's directory, as far as it says where modules are.
    class EnvironmentConf
      def self.load_from(path, global_module_path)
        file = File.join(path, 'environment.conf')
        new(path, File.exist?(file) ? File.read(file) : '', global_module_path)
      end

      attr_reader :path_to_env, :global_module_path

      def initialize(path, text, global_module_path)
        @path_to_env = path
        @global_module_path = global_module_path
        @settings = text.lines.grep(/\A\s*\w+\s*=/).to_h { |line| line.strip.split(/\s*=\s*/, 2) }
      end

      def modulepath
        directories = @settings.key?('modulepath') ? @settings['modulepath'].split(':') : [File.join(@path_to_env, 'modules')] + @global_module_path
        directories.map { |one| one.start_with?('$') ? one : found(File.expand_path(one, @path_to_env)) }.flatten.join(':')
      end

      private

      # A pattern stands for the directories that it matches.
      def found(directory)
        return directory unless directory.match?(/[*?\[{]/)

        matching = Dir.glob(directory)
        matching.empty? ? directory : matching
      end
    end
  end
end

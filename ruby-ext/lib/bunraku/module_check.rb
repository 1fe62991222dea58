# frozen_string_literal: true

require 'json'

module Bunraku
  # Checks whether a directory is a valid module.
  #
  # @example
  #   Bunraku::ModuleCheck.of('modules/apache', modulepath: ['modules']).each { |finding| puts finding }
  module ModuleCheck
    # A finding: `severity` (`:error`, `:warning`, `:notice`), `rule` (`layout`, `metadata`, `dependency`,
    # `definition`, `task`), `file`, `line` or `path` (a JSON path), `message`.
    Finding = Struct.new(:severity, :rule, :file, :line, :path, :message, keyword_init: true) do
      def to_s
        place = [file, line || path].compact.join(':')
        "#{place}: #{severity}: #{message}"
      end
    end

    # Checks a module: unexpected and missing files, metadata, definitions in wrong files, tasks.
    #
    # @param directory [String] the module's
    # @param modulepath [Array<String>, nil] the directories that contain its dependencies, which are only
    #   checked if this is given
    # @return [Array<Finding>]
    # @raise [ArgumentError] the directory does not exist
    def self.of(directory, modulepath: nil)
      raise ArgumentError, "there is no directory #{directory}" unless File.directory?(directory)

      request = { directory: File.expand_path(directory), modulepath: modulepath&.map { |path| File.expand_path(path) } }
      Bunraku.__send__(:native_check_module, JSON.generate(request)).map do |found|
        Finding.new(**found.transform_keys(&:to_sym), severity: found['severity'].to_sym)
      end
    end
  end
end

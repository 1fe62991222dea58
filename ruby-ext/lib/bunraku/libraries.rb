# frozen_string_literal: true

module Bunraku
  # Directories with Ruby other than those of modules: the gems and the load path of this process. They are
  # searched for resource types, providers and functions of the 3.x API, as Puppet's autoloader does.
  module Libraries
    # Files that identify Puppet's own library and that of the Resource API, whose definitions are built in.
    PUPPET = %w[puppet/defaults.rb puppet/resource_api.rb].freeze
    # The directories of the files that the autoloader, and such files themselves, load.
    FOLDERS = %w[puppet puppet_x].freeze
    # This library, which has nothing of these.
    OWN = File.expand_path('..', __dir__)
    private_constant :PUPPET, :FOLDERS, :OWN

    # @return [Array<String>] `lib` of the gems that contain files for Puppet; empty if Bundler determines the
    #   gems
    def self.gems
      return [] if !defined?(::Gem::Specification) || defined?(::Bundler)

      for_puppet(::Gem::Specification.stubs.map { |stub| File.join(stub.full_gem_path, 'lib') })
    end

    # @return [Array<String>] the directories of `$LOAD_PATH` that contain files for Puppet
    def self.load_path
      for_puppet($LOAD_PATH.map(&:to_s))
    end

    def self.for_puppet(directories)
      paths = directories.map { |path| File.expand_path(path) }.uniq
      paths.select do |path|
        path != OWN && FOLDERS.any? { |name| File.directory?(File.join(path, name)) } && PUPPET.none? { |name| File.file?(File.join(path, name)) }
      end
    end
    private_class_method :for_puppet
  end
end

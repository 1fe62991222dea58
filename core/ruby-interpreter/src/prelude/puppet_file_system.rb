module Puppet
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
end

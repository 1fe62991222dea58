# frozen_string_literal: true

module PuppetSpec
  # Temporary files.
  module Files
    def dir_contained_in(directory, contents)
      contents.each do |name, content|
        path = File.join(directory, name)
        if content.is_a?(Hash)
          FileUtils.mkdir_p(path)
          dir_contained_in(path, content)
        else
          File.write(path, content)
        end
      end
    end

    def self.record_tmp(_path); end
  end
end

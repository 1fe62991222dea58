# frozen_string_literal: true

require 'fileutils'
require 'tmpdir'

# The directory in which functions of modules store generated values (passwords): one per process, emptied
# before each case, and shown to manifests under the path that a server has.
module KeptFiles
  TOLD = '/opt/puppetlabs/puppet/cache'
  DIRECTORY = Dir.mktmpdir('kept')
  at_exit { FileUtils.rm_rf(DIRECTORY) }

  module_function

  def forget
    FileUtils.rm_rf(Dir.children(DIRECTORY).map { |name| File.join(DIRECTORY, name) })
  end

  # @param answer [String] a line of JSON
  def told(answer)
    answer.gsub(DIRECTORY, TOLD)
  end
end

# frozen_string_literal: true

require 'fileutils'
require 'tmpdir'

# The directory in which functions of modules keep what they have made (passwords): one for each process,
# emptied before each case, and told as the one that a server has.
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

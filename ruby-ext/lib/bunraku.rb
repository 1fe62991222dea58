# frozen_string_literal: true

# The Puppet language as a native library: parse, validate, compile, look up.
#
# All objects are immutable, and any number of threads can use them. Parsing, validating and compiling release
# Ruby's global lock.
#
# @example Compile the catalog of a node
#   environment = Bunraku::Environment.new('production', environmentpath: '/etc/puppetlabs/code/environments')
#   catalog = environment.compile(node: 'web01.example.net', facts: facts)
#   catalog['File[/etc/motd]'].parameters['content']
module Bunraku
  autoload :Files, File.join(__dir__, 'bunraku/files')
  autoload :PuppetDB, File.join(__dir__, 'bunraku/puppetdb')
  autoload :Trusted, File.join(__dir__, 'bunraku/trusted')

  # The features that the native part was built with: a subset of `check`, `classifier`, `documentation`,
  # `eyaml`, `modules`, `report`, `ruby` (the built-in Ruby) and `tasks`. A call that needs another feature
  # raises {UnsupportedError}.
  #
  # @return [Array<String>] their names, in alphabetical order
  def self.features
    native_features
  end
end

if RUBY_ENGINE == 'jruby' || defined?(Bunraku::Library)
  require_relative 'bunraku/ffi'
else
  require_relative 'bunraku/syntax'
  require_relative 'bunraku/type'
  require_relative 'bunraku/pcore'
  require_relative 'bunraku/host'
  require_relative 'bunraku/watchdog'
  require_relative 'bunraku/registry/setup'
  require_relative 'bunraku/environment'
  require_relative 'bunraku/catalog'
  require_relative 'bunraku/diff'
  require_relative 'bunraku/classifier'
  require_relative 'bunraku/documentation'
  require_relative 'bunraku/check'
  require_relative 'bunraku/module_check'
  require_relative 'bunraku/resource_types'
end

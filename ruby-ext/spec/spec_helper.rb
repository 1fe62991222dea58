# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path('../lib', __dir__))
require 'bunraku'
require_relative 'stress'

# With BUNRAKU_COMMAND the examples of the command are put to that program: `rspec --tag command`.
if ENV['BUNRAKU_COMMAND']
  require 'bunraku/command_line'
  require 'bunraku/ffi/natives/command_line'
  Bunraku::CommandLine.prepend(Bunraku::Natives::CommandLine)
  RSpec.configure { |config| config.filter_run_excluding(module_ruby: true, in_process: true) }
end

# Whether Puppet is installed. The examples with `:puppet` load it, in processes of their own.
module Installed
  def self.puppet?
    @puppet = system(RbConfig.ruby, '-W0', '-e', 'require "puppet"', err: File::NULL) if @puppet.nil?
    @puppet
  end
end

RSpec.configure do |config|
  config.define_derived_metadata(:puppet) do |metadata|
    metadata[:skip] = 'Puppet is not installed' unless Installed.puppet?
  end
end

EXAMPLE = File.expand_path('../../tests/example/environments', __dir__)

# The facts and the expected catalogs of the example's nodes.
module Example
  def self.facts(node)
    JSON.parse(File.read(File.join(EXAMPLE, 'production/spec/facts', "#{node}.json")))
  end

  def self.golden(node)
    JSON.parse(File.read(File.join(EXAMPLE, 'production/spec/golden', "#{node[/\A\w+/]}.catalog.json")))
  end
end

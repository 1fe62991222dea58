# frozen_string_literal: true

# What OpenVox's specs need besides the classes that they describe.
require 'rspec'
require 'date'
require 'stringio'
require 'set'
require 'json'
require 'tmpdir'
require 'tempfile'
require 'fileutils'
require 'puppet/pops'
require_relative 'surroundings'
require 'shared_contexts/types_setup'

class String
  def unindent
    gsub(/^#{scan(/^[ \t]*(?=\S)/).min}/, '')
  end
end

RSpec.configure do |config|
  config.expect_with(:rspec) { |expectations| expectations.syntax = %i[should expect] }
  config.mock_with(:rspec) { |mocks| mocks.syntax = %i[should expect] }
  config.before { Puppet::Surroundings.reset }
end

raise 'Puppet itself is loaded' if Puppet.respond_to?(:version)

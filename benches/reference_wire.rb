# frozen_string_literal: true

# Times the terminus of PuppetDB on the catalog of a manifest with the Puppet on Ruby's load path; prints the
# seconds.
require 'json'
require 'puppet'
require 'tmpdir'
require_relative 'timing'
require 'puppet/indirector/catalog/puppetdb'

ROUNDS = 3
scratch = Dir.mktmpdir('reference')
at_exit { FileUtils.remove_entry(scratch) }
Puppet.initialize_settings(["--confdir=#{scratch}", "--vardir=#{scratch}/var", '--certname=server.example.net'], false)
Puppet::Util::Log.level = :err
Puppet[:code] = File.read(ARGV.fetch(0))

environment = Puppet::Node::Environment.create(:bench, [])
Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
  node = Puppet::Node.new('bench.example.net', environment: environment)
  catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
  terminus = Puppet::Resource::Catalog::Puppetdb.new
  munge = -> { JSON.generate(terminus.munge_catalog(catalog, Time.now, { environment: 'bench', transaction_uuid: 'u' }).first) }
  munge.call
  puts Timing.median(ROUNDS, clock: :wall, &munge)
end

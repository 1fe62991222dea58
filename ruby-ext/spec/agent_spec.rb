# frozen_string_literal: true

require_relative 'spec_helper'
require 'open3'
require 'tmpdir'

# An agent of the reference takes our catalogs. Only where Debian's puppet-agent is installed.
RSpec.describe 'puppet apply --catalog' do
  puppet = ENV['PATH'].split(':').map { |directory| File.join(directory, 'puppet') }.find { |path| File.executable?(path) }
  nodes = Dir[File.join(EXAMPLE, 'production/spec/facts/*.json')].map { |path| File.basename(path, '.json') }.sort

  nodes.each do |node|
    it "takes the catalog of #{node}" do
      skip 'puppet-agent is not installed' unless puppet
      environment = Bunraku::Environment.new('production', environmentpath: EXAMPLE)
      catalog = environment.compile(node: node, facts: Example.facts(node))
      Dir.mktmpdir do |directory|
        file = File.join(directory, 'catalog.json')
        File.write(file, catalog.to_json)
        output, status = Open3.capture2e(puppet, 'apply', '--catalog', file, '--noop', '--color=false',
                                         '--confdir', directory, '--vardir', directory, '--modulepath', directory)
        expect(output).to include('Applied catalog in')
        expect(output).not_to match(/^Error: (?!Facter)/)
        expect(status).to be_success
      end
    end
  end
end

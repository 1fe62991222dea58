# frozen_string_literal: true

require 'bunraku/command_line'
require 'stringio'
require 'tmpdir'

RSpec.describe Bunraku::Documentation do
  let(:sample) { File.expand_path('../../tests/data/documentation', __dir__) }

  it 'is what puppet-strings writes' do
    documentation = Bunraku.doc(File.join(sample, 'sample'))
    expect("#{documentation.to_json}\n").to eq(File.read(File.join(sample, 'expected.json')))
    expect(documentation.to_markdown).to eq(File.read(File.join(sample, 'expected.md')))
    expect(documentation.failures).to eq([])
  end

  it 'documents files, and tells which ones it cannot read' do
    Dir.mktmpdir do |path|
      File.write("#{path}/good.pp", "# A class\nclass a { }")
      File.write("#{path}/bad.pp", 'class {')
      documentation = Bunraku.doc("#{path}/good.pp", "#{path}/bad.pp")
      expect(documentation.to_h['puppet_classes']).to match([include('name' => 'a', 'docstring' => { 'text' => 'A class' })])
      expect(documentation.failures.map { |failure| failure['file'] }).to eq(["#{path}/bad.pp"])
    end
    expect { Bunraku.doc }.to raise_error(ArgumentError)
  end

  it 'warns as puppet-strings does', :command do
    module_path = File.join(sample, 'warned', '1')
    warnings = Bunraku.doc(module_path).warnings
    expect(warnings.first).to eq('severity' => 'warning', 'file' => 'manifests/def.pp', 'line' => 1,
                                 'message' => "Missing documentation for Puppet defined type 'sample::def' at manifests/def.pp:1.")
    err = StringIO.new
    run = ->(*arguments) { Bunraku::CommandLine.new(StringIO.new, err).run(['doc', module_path, *arguments]) }
    expect(run.call).to eq(0)
    expect(err.string).to include("[warn]: #{warnings.first['message']}\n")
    expect(run.call('--fail-on-warning')).to eq(1)
    err.truncate(0)
    run.call('--no-warnings')
    expect(err.string).not_to include('[warn]')
  end

  it 'is written by the command', :command do
    out = StringIO.new
    run = ->(*arguments) { Bunraku::CommandLine.new(out, StringIO.new).run(arguments) }
    expect(run.call('doc', File.join(sample, 'sample'), '--format', 'markdown')).to eq(0)
    expect(out.string).to eq(File.read(File.join(sample, 'expected.md')))
    expect(run.call('doc', 'nowhere')).to eq(2)
  end
end

# frozen_string_literal: true

require 'open3'
require 'bunraku/command_line'

RSpec.describe Bunraku::BugError do
  let(:places) { %w[call unlocked compilation ruby again] }

  it 'is what a panic becomes, wherever it happens' do
    places.each do |place|
      expect { Bunraku.__send__(:native_panic, place) }.to raise_error(described_class, /has a bug at .*entry\.rs:\d+/)
    end
  end

  it 'is rescued as other errors are, and all goes on' do
    environment = Bunraku::Environment.new('production', code: 'notice(site::ask($facts["place"]))', modulepath: []) do |host|
      host.function('site::ask', 'Callable[Any]') do |_call, place|
        Bunraku.__send__(:native_panic, place)
      rescue Bunraku::Error => e
        e.class.name
      end
    end
    threads = Array.new(4) do
      Thread.new do
        places.map { |place| environment.compile(node: 'n', facts: { 'place' => place }).logs.first[:message] }
      end
    end
    expect(threads.map(&:value).uniq).to eq([places.map { 'Bunraku::BugError' }])
  end

  it 'is not told on standard error' do
    code = "ARGV.each { |place| begin; Bunraku.__send__(:native_panic, place); rescue Bunraku::Error => e; puts e.class; end }"
    command = [RbConfig.ruby, '-I', File.expand_path('../lib', __dir__), '-r', 'bunraku', '-e', code, *places]
    expect(Open3.capture3(*command)).to match(["Bunraku::BugError\n" * places.size, '', be_success])
  end

  it 'gives the command an exit status of its own' do
    err = StringIO.new
    command = Bunraku::CommandLine.new(StringIO.new, err)
    allow(command).to receive(:surroundings) { Bunraku.__send__(:native_panic, 'call') }
    expect(command.run(%w[compile --directory . --node n])).to eq(70)
    expect(err.string).to match(/error: bunraku has a bug at .*please report it/)
  end
end

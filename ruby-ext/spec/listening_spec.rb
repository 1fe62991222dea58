# frozen_string_literal: true

RSpec.describe Bunraku::Host do
  code = 'Integer[1, 5].each |$n| { notice($n); Integer[1, 3000].each |$m| { $m } }'

  def environment(code, &block)
    Bunraku::Environment.new('production', code: code, modulepath: [], &block)
  end

  it 'hears messages when they are said' do
    said = []
    inner = nil
    listening = environment("#{code}\nnotice(seen())") do |host|
      host.on_log { |entry| said << entry }
      host.function('seen') { |_call| inner = said.map { |entry| entry[:message] } }
    end
    catalog = listening.compile(node: 'n')
    expect(inner).to eq(%w[1 2 3 4 5])
    expect(said).to eq(catalog.logs)
  end

  it 'hears what a lookup says' do
    said = []
    listening = environment("notice('evaluated')") { |host| host.on_log { |entry| said << entry[:message] } }
    listening.lookup('no::key', node: 'n', compile: true, default: 1)
    expect(said).to eq(['evaluated'])
  end

  it 'ends the work when a listener raises', :extension do
    said = []
    listening = environment(code) do |host|
      host.on_log do |entry|
        said << entry[:message]
        raise Interrupt, 'enough' if said.size == 2
      end
    end
    expect { listening.compile(node: 'n') }.to raise_error(Interrupt, 'enough')
    expect(said).to eq(%w[1 2])
  end

  it 'ends the work on request' do
    counts = []
    listening = environment(code) do |host|
      host.on_progress do |steps|
        counts << steps
        steps < 3000
      end
    end
    expect { listening.compile(node: 'n') }.to raise_error(Bunraku::CancelledError, /The host has ended the work/)
    expect(counts.max).to be_between(3000, 5000)
  end

  it 'goes on for any other answer' do
    listening = environment(code) { |host| host.on_progress { nil } }
    expect(listening.compile(node: 'n').logs.size).to eq(5)
  end
end

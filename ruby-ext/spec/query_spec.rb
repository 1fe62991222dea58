# frozen_string_literal: true

require 'timeout'

RSpec.describe Bunraku::Query do
  let(:program) do
    Bunraku.parse(<<~PUPPET, path: 'a.pp')
      class a($x = 1, String $y = 'z') {
        file { ['/a', "/b/${x}"]: ensure => file }
        File { '/c': ensure => absent }
        include c, d
      }
      define b() { notify { 'n': } }
    PUPPET
  end

  it 'finds nodes by structure, with what it captures' do
    query = described_class.new('(ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title)) @resource')
    found = program.query(query)
    expect(query.captures).to eq(%i[title resource])
    expect(found.map { |match| match[:title].source_text }).to eq(["['/a', \"/b/${x}\"]", "'/c'"])
    expect(found.first).to have_attributes(pattern: 0, node: program.walk.grep(Bunraku::Model::ResourceExpression).first).and be_frozen
    expect(found.first[:resource]).to equal(found.first.node)
    expect(found.first['nothing']).to be_nil
    expect(program.query('(CallNamedFunctionExpression arguments: _* @a)').first.captures[:a].map(&:value)).to eq(%w[c d])
    expect(program.definitions.last.query('"notify" @n').map { |match| match[:n].line }).to eq([6])
  end

  it 'finds nodes by kinds and attributes' do
    expect(program.select(:ResourceExpression).size).to eq(3)
    expect(program.select(:Definition).map(&:name)).to eq(%w[a b])
    expect(program.select(:HostClassDefinition, :ResourceTypeDefinition, name: 'b').map(&:line)).to eq([6])
    expect(program.select(:Parameter, type_expr: nil).map(&:name)).to eq(['x'])
    expect(program.select(:LiteralInteger, value: 1).size).to eq(1)
    expect(program.select(attribute_name: 'ensure') { |node| node.value_expr.value == 'absent' }.map(&:line)).to eq([3])
    expect(program.definitions.last.select(:ResourceBody).map { |node| node.title.value }).to eq(['n'])
    expect(program.body.select { |node| node.is_a?(Bunraku::Model::Parameter) }.size).to eq(2)
    expect { program.select(:Nothing) }.to raise_error(ArgumentError, /no kind Nothing/)
    expect { program.select(:Definition, nothing: 1) }.to raise_error(ArgumentError, /nothing/)
    expect { program.select(:Definition, name: /a/) }.to raise_error(ArgumentError, /Regexp/)
  end

  it 'knows what stands around a node' do
    notify = program.select(:QualifiedName, value: 'notify').first
    expect(notify.enclosing_definition.name).to eq('b')
    expect(program.definitions.first.enclosing_definition).to be_nil
    first, second = program.select(:Parameter)
    expect([first.next_sibling, second.previous_sibling, first.previous_sibling]).to eq([second, first, nil])
  end

  it 'tells what is no query' do
    expect { described_class.new('(Nothing)') }.to raise_error(Bunraku::Error, /no kind 'Nothing' of nodes, at byte 1/)
    expect { program.query('(') }.to raise_error(Bunraku::Error)
  end

  it 'asks many programs at the same time' do
    programs = Array.new(50) { |n| Bunraku.parse("$a = #{n}") }
    found = described_class.new('(LiteralInteger value: 7) @n').matches_of(programs, threads: 4)
    expect(found.map(&:size)).to eq(Array.new(50) { |n| n == 7 ? 1 : 0 })
    expect(found[7].first[:n].program).to equal(programs[7])
    expect(described_class.new('_').matches_of([])).to eq([])
    expect { described_class.new('_').matches_of([1]) }.to raise_error(TypeError)
  end

  it 'can be ended' do
    program = Bunraku.parse("[#{(['1'] * 80).join(',')}]")
    query = described_class.new("(LiteralList #{'_ @a ' * 12})")
    [-> { query.matches(program) }, -> { query.matches_of([program] * 3) }].each do |work|
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      expect { Timeout.timeout(0.2) { work.call } }.to raise_error(Timeout::Error)
      expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun).to be < 5
    end
  end if RUBY_ENGINE == 'ruby'

  it 'works in any Ractor', :extension do
    query = described_class.new('(Parameter) @p')
    ractor = Ractor.new(program, query) { |given, asked| given.query(asked).map { |match| match[:p].name } + given.select(:Definition).map(&:name) }
    expect(ractor.take).to eq(%w[x y a b])
  end
end

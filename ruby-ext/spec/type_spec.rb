# frozen_string_literal: true

require 'date'
require 'set'

RSpec.describe Bunraku::Type do
  def type(text, **options)
    described_class.parse(text, **options)
  end

  let(:struct) { type('Struct[{a => Integer, Optional[b] => Array[String]}]') }

  it 'reads types and writes them', :extension do
    expect(struct.to_s).to eq("Struct[{'a' => Integer, Optional['b'] => Array[String]}]")
    expect(struct.kind).to eq('Struct')
    expect { type('Integer[') }.to raise_error(Bunraku::Error)
    expect { type('Integer[3, 1]') }.to raise_error(Bunraku::Error, /'from' must be less or equal to 'to'/)
  end

  it 'knows instances, and says why something is none' do
    expect(struct.instance?({ 'a' => 1, 'b' => ['x'] })).to be(true)
    expect(struct.instance?({ 'a' => 1, 'b' => [2] })).to be(false)
    expect(struct.mismatch({ 'a' => 1 })).to be_nil
    expect(struct.mismatch({ 'a' => 1, 'b' => [2] }, name: 'x')).to eq("x entry 'b' index 0 expects a String value, got Integer")
    expect(struct.mismatch({ 'a' => 'y' })).to eq("entry 'a' expects an Integer value, got String")
  end

  it 'looks up the members of a Struct in a large Hash' do
    names = Array.new(70) { |number| "k#{number}" }
    large = type("Struct[{#{names.map { |name| "#{name} => Integer" }.join(', ')}, Optional[more] => String}]")
    numbers = names.to_h { |name| [name, 1] }
    accepted = [numbers, numbers.merge('more' => 'x'), numbers.merge('more' => 1), numbers.merge('k7' => 'x'),
                numbers.merge('other' => 1), numbers.except('k7')].map { |hash| large.instance?(hash) }
    expect(accepted).to eq([true, true, false, false, false, false])
  end

  it 'knows assignability and equality' do
    expect(type('Numeric').assignable?(type('Integer[1]'))).to be(true)
    expect(type('Integer[1]').assignable?(type('Numeric'))).to be(false)
    expect(type('Variant[String, Integer]')).to eq(type('Variant[Integer, String]'))
    expect({ type('Array[Any]') => 1 }[type('Array')]).to eq(1)
  end

  it 'infers types of Ruby objects' do
    texts = { nil => 'Undef', :default => 'Default', 1 => 'Integer[1, 1]', true => 'Boolean[true]', /x/ => 'Regexp[/x/]',
              Set[1] => 'Tuple[Integer[1, 1]]', "\xff".b => 'Binary', :a => "Runtime[ruby, 'Symbol']",
              Time.at(0) => "Timestamp['1970-01-01T00:00:00.000000000 UTC']",
              type('Integer') => 'Type[Integer]' }
    texts.each { |object, text| expect(described_class.infer(object).to_s).to eq(text) }
    expect(described_class.infer([1, 'a'], :reduced).to_s).to eq('Array[ScalarData, 2, 2]')
    expect(described_class.infer([1, 2], :generalized).to_s).to eq('Array[Integer]')
  end

  it 'finds the common type' do
    expect(described_class.common(type('Integer[1, 2]'), type('Integer[5, 6]'), type('Float')).to_s).to eq('Numeric')
    expect(described_class.common(type('Integer[1, 2]'), nil).to_s).to eq('Integer[1, 2]')
    expect(described_class.common(nil)).to be_nil
    [[1], [type('Integer'), 'x'], [Integer]].each do |arguments|
      expect { described_class.common(*arguments) }.to raise_error(ArgumentError, /types expected/)
    end
  end

  it 'makes values' do
    expect(type('Integer').new('0x1f', 16)).to eq(31)
    expect(type('String').new([1, nil], '%p')).to eq('[1, undef]')
    expect(type('Timestamp').new('2020-01-02T03:04:05')).to eq(Time.utc(2020, 1, 2, 3, 4, 5))
    expect(type('Binary').new('AQI=')).to eq("\x01\x02".b)
    expect(type('Sensitive').new('x').unwrap).to eq('x')
    expect(type('SemVer').new('1.2.3').to_s).to eq('1.2.3')
    expect { type('Integer').new('x') }.to raise_error(Bunraku::Error, /cannot be converted to Integer/)
  end

  it 'gives Ruby objects that mean the same when they come back' do
    [nil, :default, 1, 1.5, 'x', [1, [2]], { 'a' => { 1 => 2 } }, /a(?i)b/, Time.at(1, 5, :nsec).utc, 'abc'.b, :symbol,
     type('Integer[1]'), type('SemVer').new('1.0.0')].each do |object|
      expect(Bunraku::Value.of(object).to_ruby).to eq(object)
    end
    expect(Bunraku::Value.of(/x/i).to_ruby).to match('X')
  end

  it 'takes other objects for what they are in Ruby', :extension do
    texts = { (1..2) => "Runtime[ruby, 'Range']", 1r => "Runtime[ruby, 'Rational']", Struct.new(:a).new(1) => 'Runtime[ruby, undef]',
              Comparable => "Type[Runtime[ruby, 'Comparable']]", ->(a, b = 1) { [a, b] } => 'Callable[Any, Any, 1, 2]',
              [1..2, { 'a' => 1i }] => "Tuple[Runtime[ruby, 'Range'], Struct[{'a' => Runtime[ruby, 'Complex']}]]" }
    texts.each { |object, text| expect(described_class.infer(object).to_s).to eq(text) }
    expect(described_class.infer([RuntimeError.new, KeyError.new], :reduced).to_s).to eq("Array[Runtime[ruby, 'StandardError'], 2, 2]")
    expect(described_class.infer([Date.new(2020), 1..2], :reduced).to_s).to eq("Array[Runtime[ruby, 'Object'], 2, 2]")
    accepted = { (1..2) => %w[Any NotUndef Iterable Runtime Runtime[ruby,'Enumerable'] Runtime[ruby,'Object']],
                 1r => %w[Any Scalar RichData Runtime[ruby,'Comparable'] Runtime[ruby,'Numeric']] }
    accepted.each { |object, names| expect(names.reject { |name| type(name).instance?(object) }).to be_empty }
    [(1..2), 1r].product(%w[Data Numeric Collection Callable Object Type Iterable[Integer] Runtime[ruby,'String']]).each do |object, name|
      expect(type(name).instance?(object)).to be(false)
    end
    expect(type('Array[Runtime]').instance?([1..2])).to be(true)
    expect(type('Hash[String, Integer]').mismatch({ 'a' => 1..2 }, name: 'v')).to eq("v entry 'a' expects an Integer value, got Runtime")
    losses = []
    expect(Bunraku::Pcore.to_data({ 'a' => [1..2] }) { |loss| losses << loss }).to eq({ 'a' => ['1..2'] })
    expect(losses).to eq(["['a'][0] contains a Range value. It will be converted to the String '1..2'"])
    expect { Bunraku::Pcore.to_data(1r) }.to raise_error(Bunraku::Error, %r{a Rational value.*'1/1'})
    expect { Bunraku::Pcore.dump([1r]) }.to raise_error(Bunraku::Error, 'No Puppet Type found for Rational')
    expect(Bunraku::Value.of(1..2).to_s).to eq('1..2')
  end

  it 'refuses what cannot be looked at', :extension do
    any = type('Any')
    expect { any.instance?("\xff") }.to raise_error(ArgumentError)
    loop = []
    loop << loop
    expect { described_class.infer(loop) }.to raise_error(ArgumentError, /deep/)
    expect(any.instance?(loop)).to be(true)
  end

  it 'takes values that nest 500 levels deep, and none that nest deeper', :extension do
    nested = ->(levels) { levels.times.inject('x') { |value, _| [value] } }
    expect(Bunraku::Value.of(nested[500]).to_ruby).to eq(nested[500])
    expect(described_class.infer(nested[500], :reduced).to_s).to start_with('Array[Array[')
    expect { Bunraku::Value.of(nested[501]) }.to raise_error(ArgumentError, /deep/)
    expect { described_class.infer(nested[501]) }.to raise_error(ArgumentError, /deep/)
  end

  it 'reads texts in other encodings' do
    text = "\u00e9a"
    [text.encode('ISO-8859-1'), text.encode('UTF-16LE'), Class.new(String).new(text)].each do |one|
      expect(Bunraku::Value.of(one).to_ruby).to eq(text)
    end
  end

  it 'finds types of an environment', :extension do
    environment = Bunraku::Environment.new('production', modulepath: [], code: "type Port = Integer[1, 65535]\n" \
      'type Point = Object[{attributes => {x => Integer, y => {type => Integer, value => 0}}}]')
    port = type('Port', environment: environment)
    expect([port.name, port.kind, port.resolved.to_s]).to eq(['Port', 'TypeAlias', 'Integer[1, 65535]'])
    expect(port.instance?(0)).to be(false)
    point = type('Point', environment: environment).new(1)
    expect(point.attributes).to eq({ 'x' => 1, 'y' => 0 })
    data = Bunraku::Pcore.to_data(point)
    expect(data).to eq({ '__ptype' => 'Point', 'x' => 1 })
    expect(Bunraku::Pcore.from_data(data, environment: environment).attributes).to eq(point.attributes)
    expect { Bunraku::Pcore.from_data(data) }.to raise_error(Bunraku::Error, /Point/)
    expect(Bunraku::Pcore.from_data(data, allow_unresolved: true)).to eq(data)
    expect(Array.new(8) { Thread.new { type('Array[Port]', environment: environment).instance?([1, 2]) } }.map(&:value)).to all(be(true))
  end
end

RSpec.describe 'Bunraku::Pcore', :extension do
  let(:pcore) { Bunraku::Pcore }
  let(:list) { [1] }
  let(:value) { [list, list, /x/, :default, "\xff".b, { 1 => 'one' }, Bunraku::Type.parse('Integer[1]')] }

  it 'writes data and reads it' do
    data = pcore.to_data(value)
    expect(data.first(4)).to eq([[1], { '__ptype' => 'LocalRef', '__pvalue' => '$[0]' }, { '__ptype' => 'Regexp', '__pvalue' => 'x' }, { '__ptype' => 'Default' }])
    expect(pcore.from_data(data)).to eq(value)
    expect(pcore.from_msgpack(pcore.to_msgpack(data))).to eq(data)
  end

  it 'writes references to what was met before' do
    expect(pcore.to_data([list, list])).to eq([[1], { '__ptype' => 'LocalRef', '__pvalue' => '$[0]' }])
    expect(pcore.to_data([list, list], local_reference: false)).to eq([[1], [1]])
    expect(pcore.to_data([[1], [1]])).to eq([[1], [1]])
    expect(pcore.dump([list, list])).to eq('[[16,2,[16,1,1],[1,1]]]')
  end

  it 'keeps whole numbers of any size' do
    numbers = [2**64, -(2**100), { 'a' => 3**90 }]
    expect(pcore.to_data([numbers, /x/]).first).to eq(numbers)
    expect(pcore.from_data(pcore.to_data([numbers, /x/, numbers]))).to eq([numbers, /x/, numbers])
    expect(pcore.from_msgpack(pcore.to_msgpack([2**63, 2**64 - 1, -(2**63)]))).to eq([2**63, 2**64 - 1, -(2**63)])
    expect { pcore.to_msgpack(2**64) }.to raise_error(Bunraku::Error, /64 bits/)
    expect(pcore.stringify({ 'a' => [2**70] })).to eq({ 'a' => [2**70] })
    expect(Bunraku::Type.infer(2**64).to_s).to eq('Integer[18446744073709551616, 18446744073709551616]')
    expect(Bunraku::Type.parse('Integer[0]').instance?(2**64)).to be(true)
  end

  it 'copies Arrays and Hashes, whatever is in them' do
    value = { 'a' => [{ 'b' => 'c' }] }
    [pcore.to_data(value), pcore.from_data(value)].each do |data|
      expect(data).to eq(value)
      expect(data).not_to equal(value)
      expect(data['a'].first).not_to equal(value['a'].first)
    end
  end

  it 'tells of losses, or fails' do
    losses = []
    data = pcore.to_data({ 'k' => [/x/] }, rich_data: false, message_prefix: 'v') { |loss| losses << loss }
    expect(data).to eq({ 'k' => ['/x/'] })
    expect(losses).to eq(["v['k'][0] contains a Regexp value. It will be converted to the String '/x/'"])
    expect { pcore.to_data([/x/], rich_data: false) }.to raise_error(Bunraku::Error, /Regexp/)
    expect(pcore.to_data([:a], symbol_as_string: true)).to eq(['a'])
  end

  it 'writes streams and reads them' do
    %i[json msgpack].each do |format|
      [true, false].each do |tabulate|
        stream = pcore.dump([value, %w[a a]], format: format, tabulate: tabulate)
        expect(pcore.load(stream, format: format)).to eq([value, %w[a a]])
        expect { pcore.load(stream[0..-2], format: format) }.to raise_error(Bunraku::Error)
      end
    end
    expect(pcore.dump(%w[a a])).to eq('[[16,2,"a",[0,0]]]')
    expect { pcore.dump(1, format: :xml) }.to raise_error(ArgumentError)
  end

  it 'makes text of everything for PuppetDB' do
    expect(pcore.stringify([/x/, :default, 1])).to eq(['/x/', 'default', 1])
  end

  it 'says that it does not know a name' do
    expect { Bunraku::Type.parse('Array[Stdlib::Port]') }.to raise_error(Bunraku::Error, /Stdlib::Port is not known: it takes the environment/)
    expect(Bunraku::Type.parse('Stdlib::Port', allow_unresolved: true).kind).to eq('TypeReference')
  end
end

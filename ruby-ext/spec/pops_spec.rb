# frozen_string_literal: true

require 'open3'
require 'rbconfig'

# The constants are Puppet's: each example has a process of its own.
RSpec.describe 'bunraku/pops' do
  def ruby(code, *options)
    Open3.capture2e({ 'RUBYOPT' => nil }, RbConfig.ruby, '-W0', *options, '-I', File.expand_path('../lib', __dir__), '-e', code)
  end

  def told(code)
    said, status = ruby("require 'bunraku/pops'\ninclude Puppet::Pops::Types\n#{code}")
    raise said unless status.success?

    said.lines.map(&:chomp)
  end

  it 'reads and writes types' do
    expect(told(<<~'RUBY')).to eq(['Array[Integer[1, 3], 1]', 'PArrayType', '1', "TypeReference['Nope']", 'Data', 'File'])
      type = TypeParser.singleton.parse('Array[Integer[1, 3], 1]')
      puts type, type.class.name.split('::').last, type.element_type.from
      puts TypeParser.singleton.parse('Nope')
      puts TypeParser.singleton.parse('Mine', 'mine' => TypeFactory.data), TypeParser.singleton.parse('File')
    RUBY
  end

  it 'makes types of types and classes' do
    expect(told(<<~'RUBY')).to eq(["Struct[{'a' => Integer, 'b' => Array[String, 0, 2]}]", 'Callable[Integer, 1, 2]', 'true'])
      puts TypeFactory.struct('a' => Integer, 'b' => TypeFactory.array_of(String, TypeFactory.range(0, 2)))
      puts TypeFactory.callable(Integer, 1, 2)
      block = TypeFactory.callable
      puts TypeFactory.callable(String, block).block_type.equal?(block)
    RUBY
  end

  it 'infers and compares types' do
    expect(told(<<~'RUBY')).to eq(['Array[Integer[1, 2], 2, 2]', 'Numeric', 'true', 'false', "Runtime[ruby, 'Object']"])
      calculator = TypeCalculator.singleton
      puts calculator.infer([1, 2]), calculator.common_type(TypeFactory.integer, TypeFactory.float)
      puts calculator.assignable?(TypeFactory.data, Integer), calculator.instance?(TypeFactory.data, /a/), calculator.infer(Object.new)
    RUBY
  end

  it 'has values of the language' do
    expect(told(<<~'RUBY')).to eq(['PSensitiveType', 'Sensitive [value redacted]', 'YQ==', '1-03:10:11.0', '27:10', '0-00:00:02.0', 'true', '2.0.0'])
      hidden = PSensitiveType::Sensitive.new('x')
      puts TypeCalculator.infer(hidden).class.name.split('::').last, hidden, PBinaryType::Binary.from_string('a')
      span = Puppet::Pops::Time::Timespan.parse('1-03:10:11')
      puts span, span.format('%H:%M')
      puts Puppet::Pops::Time::Timestamp.parse('2020-01-01T00:00:02') - Puppet::Pops::Time::Timestamp.parse('2020-01-01')
      puts SemanticPuppet::VersionRange.parse('>=1.2.0').include?(SemanticPuppet::Version.parse('1.2.3')), SemanticPuppet::Version.parse('1.2.3').next(:major)
    RUBY
  end

  it "raises Puppet's errors" do
    expect(told(<<~'RUBY')).to eq(['Puppet::ParseError', 'ArgumentError', 'Puppet::Pops::Types::TypeAssertionError', 'SemanticPuppet::Version::ValidationFailure'])
      [-> { TypeParser.singleton.parse('1 + 1') }, -> { TypeFactory.range(2, 1) },
       -> { TypeAsserter.assert_instance_of('it', TypeFactory.string, 1) }, -> { SemanticPuppet::Version.parse('1') }].each do |one|
        one.call
      rescue StandardError => e
        puts e.class
      end
    RUBY
  end

  it 'writes and reads data' do
    expect(told(<<~'RUBY')).to eq(['{"a"=>{"__ptype"=>"Sensitive", "__pvalue"=>"s"}}', 's', 'true', 'Puppet::Pops::Serialization::SerializationError', 'it contains a Regexp value. It will be converted to the String \'/a/\'', '"/a/"'])
      include Puppet::Pops::Serialization
      data = ToDataConverter.convert({ 'a' => PSensitiveType::Sensitive.new('s') }, rich_data: true)
      puts data.inspect, FromDataConverter.convert(data)['a'].unwrap
      all = [TypeFactory.range(1, 2), Puppet::Pops::Time::Timestamp.now, SemanticPuppet::Version.parse('1.2.3-a'), URI('http://a.b'), :default,
             PBinaryType::Binary.from_string('x'), { 1 => :two }]
      puts FromDataConverter.convert(ToDataConverter.convert(all, rich_data: true)) == all
      begin
        ToDataConverter.convert(/a/)
      rescue StandardError => e
        puts e.class
      end
      Bunraku::Pops.on_loss = ->(message) { puts message }
      puts ToDataConverter.convert(/a/, message_prefix: 'it').inspect
    RUBY
  end

  it 'writes and reads streams' do
    expect(told(<<~'RUBY')).to eq(['[[16,3,"a",[0,0],[49,"X"]],[17,1,"k",[1,1]]]', 'true', 'true', 'Integer out of bounds'])
      include Puppet::Pops::Serialization
      out = +''
      serializer = Serializer.new(Puppet::Pops::Serialization::JSON::Writer.new(out))
      type = PTypeReferenceType.new('X')
      [['a', 'a', type], { 'k' => type }].each { |value| serializer.write(value) }
      serializer.finish
      puts out
      deserializer = Deserializer.new(Puppet::Pops::Serialization::JSON::Reader.new(out))
      puts deserializer.read == ['a', 'a', type]
      own = []
      own << own
      out = +''
      serializer = Serializer.new(Puppet::Pops::Serialization::JSON::Writer.new(out))
      serializer.write(own)
      serializer.finish
      read = Deserializer.new(Puppet::Pops::Serialization::JSON::Reader.new(out)).read
      puts read[0].equal?(read)
      begin
        serializer.write(2**63)
      rescue SerializationError => e
        puts e.message
      end
    RUBY
  end

  it 'defines types with objects of Ruby' do
    expect(told(<<~'RUBY')).to eq(['8', 'true', 'true', 'true', 'Demo::P', 'ArgumentError', 'Puppet::Pops::Types::TypeAssertionError'])
      Puppet::DataTypes.create_type('Demo::P') do
        interface "attributes => { x => Integer, y => { type => Integer, value => 5 }, sum => { type => Integer, kind => derived } }"
        implementation { def sum = x + y }
      end
      type = TypeParser.singleton.parse('Demo::P')
      point = Puppet::Pops::Types.const_get(:TypeParser).singleton.parse('Demo::P').implementation_class.new(3)
      puts point.sum, type.instance?(point)
      data = Puppet::Pops::Serialization::ToDataConverter.convert([point], rich_data: true)
      puts Puppet::Pops::Serialization::FromDataConverter.convert(data) == [point]
      out = +''
      serializer = Puppet::Pops::Serialization::Serializer.new(Puppet::Pops::Serialization::JSON::Writer.new(out), type_by_reference: true)
      serializer.write(point)
      serializer.finish
      puts Puppet::Pops::Serialization::Deserializer.new(Puppet::Pops::Serialization::JSON::Reader.new(out)).read == point
      puts TypeCalculator.infer(point).name
      [-> { point.class.new }, -> { point.class.new('a') }].each do |one|
        one.call
      rescue StandardError => e
        puts e.class
      end
    RUBY
  end

  it 'takes part in the Ruby of modules' do
    expect(told(<<~'RUBY')).to eq(['[1, 2]', 'Puppet::Pops::Types::TypeParser'])
      require 'tmpdir'
      Dir.mktmpdir do |directory|
        file = "#{directory}/m/lib/puppet/functions/m/f.rb"
        require 'fileutils'
        FileUtils.mkdir_p(File.dirname(file))
        File.write(file, "Puppet::Functions.create_function(:'m::f') { def f(type) [1, 2].select { |one| type.instance?(one) } end }")
        environment = Bunraku::Environment.new('t', modulepath: [directory], code: 'notice(m::f(Integer))')
        puts environment.compile(node: 'a').logs.map { |log| log[:message] }
      end
      puts TypeParser
    RUBY
  end

  context 'with Puppet', :puppet do
    it 'is refused behind it' do
      said, status = ruby("require 'puppet'; before = Puppet::Pops::Types.constants; begin; require 'bunraku/pops'; rescue LoadError => e; puts e.message; end\n" \
                          "puts before == Puppet::Pops::Types.constants")
      expect([said, status.success?]).to eq(["bunraku/pops cannot be loaded beside Puppet, which has these classes itself\ntrue\n", true])
    end

    it 'leaves before it' do
      expect(told(<<~'RUBY')).to eq(['Integer[1]', 'Integer[1]', 'true', 'false', '2', 'true', '1.2.3'])
        old = TypeParser.singleton.parse('Integer[1]')
        version = SemanticPuppet::Version.parse('1.2.3')
        require 'puppet'
        puts old, Puppet::Pops::Types::TypeParser.singleton.parse('Integer[1]')
        puts Puppet::Pops::Types::PIntegerType.instance_method(:initialize).source_location[0].end_with?('/puppet/pops/types/types.rb')
        puts Bunraku::Pops::Place.held?
        Puppet.initialize_settings([], false)
        env = Puppet::Node::Environment.create(:testing, [])
        loaders = Puppet::Pops::Loaders.new(env)
        Puppet.override(current_environment: env, loaders: loaders) do
          puts Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(nil, '1 + 1')
        end
        puts old.instance?(3), version
      RUBY
    end
  end
end

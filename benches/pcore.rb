# frozen_string_literal: true

# Times types, values and serialization with the gem (`gem`) or with the Puppet on Ruby's load path
# (`reference`); prints a JSON object of names to seconds of the processor.
require 'json'
require 'stringio'
require_relative 'timing'

who, file = ARGV
REQUEST = JSON.parse(File.read(file))
TYPES = REQUEST['types']

# The operations of the gem.
module Native
  def self.jobs
    require 'bunraku'
    pcore = Bunraku::Pcore
    type = Bunraku::Type.parse(REQUEST['type'])
    value = pcore.from_data(REQUEST['data'])
    small = pcore.from_data(REQUEST['small'])
    data = pcore.to_data(value)
    stream = pcore.dump(small)
    packed = pcore.dump(small, format: :msgpack)
    { 'parse types' => -> { TYPES.each { |text| Bunraku::Type.parse(text) } },
      'instance?' => -> { type.instance?(REQUEST['elements']) },
      'infer, detailed' => -> { Bunraku::Type.infer(REQUEST['elements']) },
      'infer, reduced' => -> { Bunraku::Type.infer(REQUEST['elements'], :reduced) },
      'to_data' => -> { pcore.to_data(value) },
      'from_data' => -> { pcore.from_data(data) },
      'stream, write' => -> { pcore.dump(small) },
      'stream, read' => -> { pcore.load(stream) },
      'MessagePack, write' => -> { pcore.dump(small, format: :msgpack) },
      'MessagePack, read' => -> { pcore.load(packed, format: :msgpack) } }
  end
end

# The operations of the reference.
module Reference
  def self.jobs
    require 'puppet'
    Puppet.initialize_settings
    Puppet.push_context({ loaders: Puppet::Pops::Loaders.new(Puppet::Node::Environment.create(:bench, [])) }, 'bench')
    pops = Puppet::Pops
    calculator = pops::Types::TypeCalculator.singleton
    parser = pops::Types::TypeParser.singleton
    type = parser.parse(REQUEST['type'])
    value = read(REQUEST['data'])
    small = read(REQUEST['small'])
    options = { rich_data: true, local_reference: true, type_by_reference: true }
    data = pops::Serialization::ToDataConverter.convert(value, options)
    stream = write(small)
    { 'parse types' => -> { TYPES.each { |text| parser.parse(text) } },
      'instance?' => -> { type.instance?(REQUEST['elements']) },
      'infer, detailed' => -> { calculator.infer_set(REQUEST['elements']) },
      'infer, reduced' => -> { calculator.infer(REQUEST['elements']) },
      'to_data' => -> { pops::Serialization::ToDataConverter.convert(value, options) },
      'from_data' => -> { read(data) },
      'stream, write' => -> { write(small) },
      'stream, read' => lambda do
        pops::Serialization::Deserializer.new(pops::Serialization::JSON::Reader.new(StringIO.new(stream)), nil).read
      end }
  end

  def self.read(data)
    Puppet::Pops::Serialization::FromDataConverter.convert(data)
  end

  def self.write(value)
    io = StringIO.new
    serializer = Puppet::Pops::Serialization::Serializer.new(Puppet::Pops::Serialization::JSON::Writer.new(io),
                                                             type_by_reference: true)
    serializer.write(value)
    serializer.finish
    io.string
  end
end

# The time in seconds after which a job is not repeated.
ENOUGH = 2

jobs = who == 'gem' ? Native.jobs : Reference.jobs
times = jobs.slice(*REQUEST['jobs']).transform_values do |job|
  job.call
  Timing.median(3, enough: ENOUGH, &job)
end
puts JSON.generate(times)

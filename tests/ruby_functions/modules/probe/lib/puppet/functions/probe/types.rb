# frozen_string_literal: true

# The type system.
Puppet::Functions.create_function(:'probe::types') do
  def types(value)
    calculator = Puppet::Pops::Types::TypeCalculator.singleton
    factory = Puppet::Pops::Types::TypeFactory
    parsed = Puppet::Pops::Types::TypeParser.singleton.parse('Array[Variant[Integer, String]]')
    [calculator.infer(value).to_s, calculator.infer_set(value).to_s, parsed.instance?(value), factory.array_of(factory.integer).to_s,
     factory.optional(factory.enum('a', 'b')).to_s, calculator.assignable?(parsed, calculator.infer(value)), parsed.to_s,
     Puppet::Pops::Types::TypeFormatter.singleton.string(parsed.element_type), calculator.instance?(factory.string, value)]
  end
end

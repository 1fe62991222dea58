# frozen_string_literal: true

# Assertions and messages.
Puppet::Functions.create_function(:'probe::asserts') do
  def asserts(value)
    type = Puppet::Pops::Types::TypeParser.singleton.parse('Hash[String, Array[Integer]]')
    Puppet::Pops::Types::TypeAsserter.assert_instance_of('the value', type, value)
  end
end

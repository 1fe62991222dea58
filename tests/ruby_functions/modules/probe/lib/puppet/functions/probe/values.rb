# frozen_string_literal: true

# What values are in Ruby, and what comes back.
Puppet::Functions.create_function(:'probe::values') do
  def values(value)
    [value.class.to_s, value]
  end
end

# frozen_string_literal: true

require 'json'
# @summary Comments right below code
#   are taken line by line
Puppet::Functions.create_function(:'sample::four') do
  # First signature
  # @param one [Integer] The first
  # @param two The second
  # @return How many
  # @example Of one
  #   sample::four(1)
  # @raise [ArgumentError] if it is wrong
  dispatch :first do
    param 'String', :one
    optional_param "Hash[String, Any]", :two
    repeated_param :Integer, :more
    optional_block_param 'Callable[1]', :block
    return_type 'Integer'
  end

  # Second signature
  dispatch :second do # trailing words
    required_repeated_param 'Any', :all
    block_param
  end

  local_types do
    type 'Some = String'
  end

  def first(one, two = nil, *more); end
end

# Without dispatch
#
# @overload sample::five(x)
#   is taken out
Puppet::Functions.create_function('sample::five') do
  # @param a The a
  # @return [Integer] what is left
  def five(a, b = nil, c = :default, d = [1, 2], *rest, &block)
    a
  end

  def other(x); end
end

Puppet::Functions.create_function(:'sample::six', Puppet::Functions::InternalFunction) do
  dispatch :six do
    scope_param
    param 'Variant[String, Array[String]]', :names
    return_type "Hash"
  end
  def six(scope, names); end
end

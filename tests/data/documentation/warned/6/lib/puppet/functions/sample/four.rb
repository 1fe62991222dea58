# What it does.
#
# @overload other($x)
# @param other [Optional[String[1]]] What it is
Puppet::Functions.create_function(:'sample::four') do
  # What it does.
  #
  # More of it.
  #
  # @return [String] what comes out
  # @enum [String] mode one What it does
  dispatch :d0 do
    optional_block_param 'Callable[1]', :block
    return_type 'Array[Variant[Integer, String]]'
  end

  # What it does.
  # @return what comes out
  # @param other What it is
  #   and more of it
  # @param [Integer[0, 10]] a What it is
  # @see https://example.com/ The page
  #   and more of it
  # @summary
  # @yield [Any] x
  dispatch :d1 do
    param 'Integer[0, 10]', :other
    optional_repeated_param 'String', :a
  end

  # What it does.
  #
  # @param other [Array[Variant[Integer, String]]] What it is
  def four(other)
  end
end

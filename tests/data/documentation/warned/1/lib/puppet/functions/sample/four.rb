# What it does.
#
# @param [Enum['a', 'b']] mode What it is
# @see {other}
# @group Things
# @private
Puppet::Functions.create_function(:'sample::four') do

  # @enum [String] mode one What it does
  #   and more of it
  # @param mode What it is
  # @yieldparam [Any] x It
  # @return what comes out
  # @param c
  #   and more of it
  # @unknown
  def four(mode)
  end
end

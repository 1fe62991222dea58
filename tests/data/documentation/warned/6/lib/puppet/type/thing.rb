# What it does.
#
# More of it.
# @yieldreturn [Any] It
#   and more of it
# @!puppet.type.param [x, y] extra What
# @!puppet.type.property more What
Puppet::Type.newtype(:thing) do
  desc 'About it'
  newproperty(:other) do
    desc computed
  end
  newparam(:name) do

  end
  newproperty(:title) do

  end
end

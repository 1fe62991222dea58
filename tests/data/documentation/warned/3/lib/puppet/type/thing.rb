# What it does.
#
# @raise [Error] when it fails
# @group Things

Puppet::Type.newtype(:thing) do
  desc compute
  ensurable
  newcheck(:mode) do
    desc 'About mode'
  end
  newcheck(:title) do
    desc 'About title'
  end
end

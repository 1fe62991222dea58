# What it does.
#
# More of it.
# @param title [String] What it is
# @raise [Error] when it fails
# @param title (see thing)
# @deprecated Use another
# @note Mind it
Puppet::Type.type(:thing).provide(:one) do
  desc compute
  commands cmd: 'cmd'
end

#
# @summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary
# @version 3
# # twice
Puppet::Type.type(:thing).provide(:one) do
  desc compute
  commands cmd: 'cmd'
end

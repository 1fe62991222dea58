# @summary A type that only comments document
# @!puppet.type.param [red, green] color The color
# @!puppet.type.property weight Its weight
Puppet::Type.newtype(:plain) do
  ensurable
  newparam :name
end

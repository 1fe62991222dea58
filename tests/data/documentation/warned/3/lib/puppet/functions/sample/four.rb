# What it does.
#
Puppet::Functions.create_function(:'sample::four') do
end

#
# More of it.
# @param title
#   What it is
#
#   and more
# @param other [Array[Variant[Integer, String]]] What it is
# @!method mul
#   @return [Enum['a', 'b']] it
Puppet::DataTypes.create_type('Point') do
  interface <<-PUPPET
    attributes => {
      a => { type => Integer[0, 10], value => 1 },
      mode => { type => Array[Variant[Integer, String]], value => 1 },
    }
    PUPPET
end

# What it does.
#
# More of it.
# @param mode What it is
# @return x [String]
# @summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary
# @param title
# @!method mul
#   @param [Optional[String[1]]] a What it is
#   What it does.
#   @return [Enum['a', 'b']] it
Puppet::DataTypes.create_type('Point') do
  interface <<-PUPPET
    attributes => {
      other => { type => Optional[String[1]], value => 1 },
    }
    PUPPET
end

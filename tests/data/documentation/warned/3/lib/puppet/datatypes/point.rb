# What it does.
#
# More of it.
#
# @unknown
# @raise [Error] when it fails
# @summary What it is for
# @!method sub
#   @return [Integer[0, 10]] it
#   @param title
#   What it does.
Puppet::DataTypes.create_type('Point') do
  interface <<-PUPPET
    attributes => {
      a => String,
      title => { type => Enum['a', 'b'], value => 1 },
      c => Enum['a', 'b'],
    },
    functions => {
      sub => Callable[[], Optional[String[1]]],
      add => Callable[[], Array[Variant[Integer, String]]],
    }
    PUPPET
end

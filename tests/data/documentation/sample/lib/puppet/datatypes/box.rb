# A box.
#
# @param width How wide
# @param gone It is not there
# @!method fits(other, more)
#   Whether another one fits.
#   @param other The other one
#   @return [Boolean] yes or no
# @!method lost
Puppet::DataTypes.create_type('Box') do
  interface <<-PUPPET
    attributes => {
      width => Integer[1],
      height => { type => Optional[Integer], value => 4 },
      label => { 'type' => 'String' }
    },
    functions => {
      fits => Callable[[Box, Integer], Boolean],
      area => 'Callable[[], Integer]'
    }
  PUPPET
  implementation do
    def area; end
  end
end

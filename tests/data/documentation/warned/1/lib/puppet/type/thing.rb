#
# More of it.
#
# @summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary
# @api private
Puppet::Type.newtype(:thing) do
  @doc = <<-DOC
    @return [Optional[String[1]]] what comes out
    DOC
  newcheck(:name) do
    newvalues(:x, :y)
  end
  newcheck(:c) do
    desc 'About c'
    newvalues(:x, :y)
  end
  newproperty(:b) do
    desc 'About b'
  end
end

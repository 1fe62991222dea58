# Comment of the type
Puppet::Type.newtype(:thing) do
  @doc = "A thing that is kept.

    Indented, with a list:

      * one
      * two

    @example Use it
      thing { 'a': }
    @see thing_two
    "

  feature :growing, 'It can
    grow.'
  feature(:shrinking, "It can #{:not} shrink.", methods: [:shrink])

  ensurable do
    desc 'Whether it is there.'
    defaultvalues
    newvalue(:large) { provider.grow }
    aliasvalue(:big, :large)
  end

  newparam(:name, namevar: true) do
    isnamevar
    desc <<-EOT
      The name.
        More.

      Last.
    EOT
  end

  newparam(:force, :boolean => true, :parent => Puppet::Parameter::Boolean) do
    desc %q{Whether by force}
    defaultto false
  end

  newproperty(:size, required_features: :growing, array_matching: :all) do
    desc "The #{'size'} of it"
    newvalues(/^\d+$/, :tiny, 'huge', *OTHERS)
    defaultto { 1 }
    defaultto ''
  end

  newproperty(:plain)
  newproperty(:computed) { desc 'a' + 'b' }
  newcheck(:shrunk) do
    desc <<~EOT.strip
      Not read
    EOT
  end
  newcheck(:grown) do
    desc <<~'EOT'
      Whether it has grown.
    EOT
    newvalues(:true, :false)
  end
end

Puppet::Type.type(:thing).newproperty(:extra) do
  desc 'Declared elsewhere'
end

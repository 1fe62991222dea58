# What it does.
# # twice
Puppet::Type.type(:thing).provide(:one) do
  @doc = <<-DOC
    
    @param c
      What it is
    
      and more
    @group Things
    @return [Hash[String, Any]] what comes out
    DOC
  commands cmd: 'cmd'
end

Puppet::Parser::Functions.newfunction(:three) do |args|
end

module Puppet
  module Parser
  end
end

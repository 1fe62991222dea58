# frozen_string_literal: true

module Puppet
  module Pops
    # What types are described with.
    module Pcore
      # The version and the name of the description.
      PCORE_URI = 'http://puppet.com/2016.1/pcore'
      PCORE_VERSION = SemanticPuppet::Version.new(1, 0, 0)
      # The authority that names of types are unique for.
      RUNTIME_NAME_AUTHORITY = 'http://puppet.com/2016.1/runtime'
    end
  end
end

module Puppet
  module Parser
    module Functions
      # What is called is loaded then.
      module Autoloader
        def self.load(_name, _environment = nil)
          true
        end

        def self.loadall(_environment = nil)
          true
        end

        def self.loaded?(_name)
          true
        end
      end
    end
  end
end

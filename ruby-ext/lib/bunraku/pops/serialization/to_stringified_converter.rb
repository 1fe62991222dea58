# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Makes data of values as PuppetDB receives it: what has no form in JSON is its text.
      class ToStringifiedConverter
        # @return [Object] data
        def self.convert(value, _options = {})
          Bunraku::Pops.call(SerializationError) { Bunraku::Pcore.stringify(Bunraku::Pops.value(value)) }
        end

        def initialize(_options = {}); end

        # @return [Object] data
        def convert(value)
          self.class.convert(value)
        end
      end
    end
  end
end

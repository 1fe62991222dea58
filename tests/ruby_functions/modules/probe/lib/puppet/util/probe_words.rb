# frozen_string_literal: true

require 'puppet_x/probe/words'

# A helper below Puppet's own name.
module Puppet::Util::ProbeWords
  def self.twice(text)
    PuppetX::Probe::Words.loud(text) * 2
  end
end

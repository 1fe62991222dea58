# What providers come from: files that functions require can define some. None is made while a catalog is
# compiled.
module Puppet
  class Provider
    class << self
      attr_accessor :name
    end

    def self.method_missing(name, *)
      __refuse("Puppet::Provider.#{name}")
    end

    def initialize(*)
      __refuse('provider of a resource type')
    end
  end
end

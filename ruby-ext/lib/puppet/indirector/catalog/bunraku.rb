# frozen_string_literal: true

require 'puppet/indirector/catalog/compiler'
require 'bunraku/puppet'

# Puppet's terminus of catalogs with native compilations, for `catalog_terminus = bunraku` of a server: Puppet
# finds this file by its name.
class Puppet::Resource::Catalog::Bunraku < Puppet::Resource::Catalog::Compiler # rubocop:disable Style/ClassAndModuleChildren
  desc 'Compiles catalogs as the terminus `compiler` does, natively where that gives the same catalog.'
end

# frozen_string_literal: true

# The Ruby API of the specification for types and data, over the native library and without Puppet:
# `Puppet::Pops::Types`, `Puppet::Pops::Serialization`, `Puppet::Pops::Time`, `Puppet::DataTypes`,
# `SemanticPuppet`.
#
# It is not loaded beside Puppet, which has these classes itself, and leaves when Puppet is loaded afterwards.
# See {Bunraku::Pops}.
require_relative '../bunraku'
require_relative 'pops/place'

Bunraku::Pops::Place.take

require_relative 'pops/errors'
require_relative 'pops/bridge'
require_relative 'pops/loader'
require_relative 'pops/semver/version'
require_relative 'pops/semver/version_range'

Bunraku::Pops.connect(Puppet::Pops, SemanticPuppet)

require_relative 'pops/time/time_data'
require_relative 'pops/time/timespan'
require_relative 'pops/time/timestamp'
require_relative 'pops/pcore'
require_relative 'pops/types'
require_relative 'pops/serialization'
require_relative 'pops/data_types'

Bunraku::Pops::Place.hold

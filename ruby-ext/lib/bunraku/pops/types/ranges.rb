# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # What types of points in time and durations have in common.
      class PAbstractTimeDataType < PScalarType
        attributes :from, :to

        private

        def make(given)
          super(given.map { |bound| bound == :default ? nil : bound && self.class.bound(bound) })
        end
      end

      # `Timespan[from, to]`
      class PTimespanType < PAbstractTimeDataType
        # @return [Time::Timespan] the bound that a text, number or hash means
        def self.bound(given)
          given.is_a?(Time::Timespan) ? given : self::DEFAULT.create(given)
        end
      end

      # `Timestamp[from, to]`
      class PTimestampType < PAbstractTimeDataType
        # @return [Time::Timestamp] the bound that a text, number or hash means
        def self.bound(given)
          given.is_a?(Time::Timestamp) ? given : self::DEFAULT.create(given)
        end
      end

      # `SemVer[ranges]`
      class PSemVerType < PScalarType
        attributes :ranges

        # @param version [String, SemanticPuppet::Version, nil]
        # @return [SemanticPuppet::Version, nil] the version that a text means
        # @raise [ArgumentError] the text is not a version
        def self.convert(version)
          version.is_a?(String) ? SemanticPuppet::Version.parse(version) : version
        end

        private

        def make(given)
          TypeFactory.keyed('SemVer', given.fetch(0, [])).native
        end
      end
    end
  end
end

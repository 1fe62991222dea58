# frozen_string_literal: true

require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Resource::Catalog::Puppetdb#munge_catalog`: the payload for PuppetDB comes from the library as
    # long as nothing has touched the resources of a catalog.
    #
    # @api private
    module Store
      class << self
        # Installs itself before the terminus' method, if the terminus is loaded.
        def install
          return if @own || !defined?(::Puppet::Resource::Catalog::Puppetdb)

          terminus = ::Puppet::Resource::Catalog::Puppetdb
          return unless terminus.method_defined?(:munge_catalog) && terminus.instance_method(:munge_catalog).arity == -3

          Untouched.replace(:compiler, terminus, :munge_catalog) do |original|
            lambda do |asked, catalog, time, extra = {}|
              Store.munged(asked, catalog, time, extra) || original.bind(asked).call(catalog, time, extra)
            end
          end
          @own = Untouched.new(terminus => Untouched.methods_of(terminus) - [:munge_catalog])
        end

        # @param terminus [Puppet::Resource::Catalog::Puppetdb]
        # @param catalog [Puppet::Resource::Catalog]
        # @param time [Time] of the submission
        # @param extra [Hash{Symbol => Object}] `transaction_uuid`, `job_id`, `environment`
        # @return [Array, nil] the payload and the keys of data that were looked up; nil if the terminus has
        #   to make them
        # @api private
        def munged(terminus, catalog, time, extra)
          body = catalog.respond_to?(:bunraku_body) && catalog.bunraku_body
          return unless body && DropIn.enabled?(:compiler) && body.stands_for?(catalog) && @own.untouched?(:compiler)

          data = payload(body, catalog, time, extra)
          [data, terminus.munge_catalog_inputs(data)]
        rescue Error
          # The terminus has the words for what PuppetDB does not take.
          nil
        end

        private

        def payload(body, catalog, time, extra)
          written = body.puppetdb(transaction_uuid: extra[:transaction_uuid], producer_timestamp: time)
          written.merge('version' => catalog.version.to_s, 'code_id' => catalog.code_id, 'catalog_uuid' => catalog.catalog_uuid,
                        'job_id' => extra[:job_id]&.to_s, 'environment' => extra[:environment],
                        'producer_timestamp' => ::Puppet::Util::Puppetdb.to_wire_time(time), 'producer' => ::Puppet[:node_name_value])
        end
      end
    end
  end
end

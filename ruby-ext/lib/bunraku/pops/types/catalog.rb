# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `CatalogEntry`
      class PCatalogEntryType < PAnyType; end

      # `Class[name]`
      class PClassType < PCatalogEntryType
        attributes :class_name
      end

      # `Resource[type, title]`
      class PResourceType < PCatalogEntryType
        attributes :type_name, :title

        # @return [String, nil] the type's name in lower case
        def downcased_name
          type_name&.downcase
        end

        private

        def make(given)
          name, title = given
          super([name && TypeFormatter.singleton.capitalize_segments(name), *title])
        end
      end
    end
  end
end

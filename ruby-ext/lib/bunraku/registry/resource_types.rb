# frozen_string_literal: true

module Bunraku
  class Registry
    # Resource types of modules, loaded for their declarations: names of parameters and properties, what
    # identifies a resource, how titles are split. Providers never run.
    #
    # @api private
    module ResourceTypes
      # @param name [String]
      # @param file [String]
      # @return [Array, nil] the names of the parameters that identify a resource, those of all parameters and
      #   properties (each with whether it is a property), whether two resources with the same name are the
      #   same thing, and patterns of titles, each with the names of its groups
      def resource_type(name, file)
        return if puppet?

        @lock.synchronize do
          load_type_api
          type_from(file, name)&.metadata
        end
      end

      # Returns the type that a module of this environment defines.
      #
      # @param name [String, Symbol]
      # @return [Class, nil]
      def load_type(name)
        file = find_feature("puppet/type/#{name}")
        file && @lock.synchronize { type_from(file, name) }
      end

      # Loads the classes that types need.
      def load_type_api
        return if @type_api

        @type_api = true
        file = File.join(__dir__, '../puppet_api/resource_types.rb')
        @root.module_eval(File.read(file, encoding: 'UTF-8'), file, 1)
      end

      private

      # The type that a file declares, unless another file has declared it.
      def type_from(file, name)
        types = @root.const_get(:Puppet)::Type
        load_once(file) unless types.loaded(name)
        types.loaded(name)
      end
    end
  end
end

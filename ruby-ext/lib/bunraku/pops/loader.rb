# frozen_string_literal: true

module Bunraku
  module Pops
    # What resolves names of types: an environment, an object with `load(:type, name)` as Puppet's loaders
    # have it, or a Hash of types by names in lower case.
    #
    # @api private
    class Loader
      # @param given [Object, nil] nil knows the types of {DataTypes} only
      # @return [Loader]
      def self.of(given)
        given.is_a?(Loader) ? given : new(given)
      end

      # @param given [Object, nil]
      def initialize(given)
        @given = given
      end

      # @param name [String] in lower case
      # @return [Bunraku::Type, nil]
      def load_type(name)
        found = find(name) || Pops.registered[name]
        return if found.nil?

        Pops.native(found) || resolved(found)
      end

      private

      def find(name)
        case @given
        when nil, Symbol then nil
        when Hash then @given[name]
        when Environment then find_in_environment(name)
        else @given.load(:type, name) if @given.respond_to?(:load)
        end
      end

      # A type that refers to others is resolved when it is first asked for.
      def resolved(type)
        @resolving ||= {}.compare_by_identity
        return if @resolving[type]

        @resolving[type] = true
        type.resolve(self).native
      ensure
        @resolving&.delete(type)
      end

      def find_in_environment(name)
        type = Type.parse(name.split('::').map(&:capitalize).join('::'), environment: @given)
        type unless type.kind == 'TypeReference'
      end
    end
  end
end

# frozen_string_literal: true

module Bunraku
  class Registry
    # What functions of Hiera's backends get as their last argument: a `Puppet::LookupContext`.
    #
    # @api private
    class LookupContext
      # @param native [Value] what the library knows it by
      def initialize(native)
        @native = native
      end

      # Ends the function: it has no value for the key.
      #
      # @throw :no_such_key
      def not_found
        throw(:no_such_key)
      end

      # Keeps a value for later calls of the function.
      # @return [Object] the value
      def cache(key, value)
        ask('cache', key, value)
      end

      # Keeps all entries of a hash.
      # @param hash [Hash]
      # @return [nil]
      def cache_all(hash)
        ask('cache_all', hash)
      end

      # @return [Object, nil] what was kept for a key
      def cached_value(key)
        ask('cached_value', key)
      end

      # @return [Boolean] whether something was kept for a key
      def cache_has_key(key)
        ask('cache_has_key', key)
      end
      alias cache_has_key? cache_has_key

      # What was kept: a Hash, or each entry for a block.
      # @return [Hash, nil]
      def cached_entries(&block)
        entries = ask('cached_entries')
        return entries unless block

        entries.each { |key, value| block.arity == 2 ? yield(key, value) : yield([key, value]) }
        nil
      end

      # The text of a file, or what a block makes of it; made once for each file.
      # @param path [String]
      def cached_file_data(path, &block)
        ask('cached_file_data', path.to_s, &block)
      end

      # Says something in an explanation of a lookup; the block gives it and is called only then.
      # @return [nil]
      def explain(&block)
        ask('explain', &block)
      end

      # @return [Object] a value with `%{…}` in its texts put in
      def interpolate(value)
        ask('interpolate', value)
      end

      # @return [Symbol] the environment's name
      def environment_name
        ask('environment_name').to_sym
      end

      # @return [String, nil] the module whose data is looked up
      def module_name
        ask('module_name')
      end

      # Says to the library what `not_found` has said to Ruby.
      def bunraku_not_found
        ask('not_found')
      end

      # What the library takes it for.
      def bunraku_meaning
        @native
      end

      private

      def ask(name, *arguments, &block)
        Call.current.call_member(@native, name, arguments, block)
      end
    end
  end
end

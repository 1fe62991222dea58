# frozen_string_literal: true

module Bunraku
  class Registry
    # The last argument of Hiera's backend functions: a `Puppet::LookupContext`.
    #
    # @api private
    class LookupContext
      # @param native [Value] the library's object
      def initialize(native)
        @native = native
      end

      # Ends the function without a value for the key.
      #
      # @throw :no_such_key
      def not_found
        throw(:no_such_key)
      end

      # Caches a value for later calls of the function.
      # @return [Object] the value
      def cache(key, value)
        ask('cache', key, value)
      end

      # Caches all entries of a hash.
      # @param hash [Hash]
      # @return [nil]
      def cache_all(hash)
        ask('cache_all', hash)
      end

      # @return [Object, nil] the cached value of a key
      def cached_value(key)
        ask('cached_value', key)
      end

      # @return [Boolean] whether a value is cached for a key
      def cache_has_key(key)
        ask('cache_has_key', key)
      end
      alias cache_has_key? cache_has_key

      # Returns the cached entries as a Hash, or yields each of them.
      # @return [Hash, nil]
      def cached_entries(&block)
        entries = ask('cached_entries')
        return entries unless block

        entries.each { |key, value| block.arity == 2 ? yield(key, value) : yield([key, value]) }
        nil
      end

      # The text of a file, or the result of the block for it, computed once for each file.
      # @param path [String]
      def cached_file_data(path, &block)
        ask('cached_file_data', path.to_s, &block)
      end

      # Adds a text to the explanation of a lookup; the block returns the text and is only called if an
      # explanation is made.
      # @return [nil]
      def explain(&block)
        ask('explain', &block)
      end

      # @return [Object] the value with `%{…}` in its texts interpolated
      def interpolate(value)
        ask('interpolate', value)
      end

      # @return [Symbol] the environment's name
      def environment_name
        ask('environment_name').to_sym
      end

      # @return [String, nil] the module whose data is searched
      def module_name
        ask('module_name')
      end

      # Tells the library that `not_found` was called.
      def bunraku_not_found
        ask('not_found')
      end

      # The value in the language.
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

# frozen_string_literal: true

module Bunraku
  class Registry
    # The last argument of Hiera's backend functions: a `Puppet::LookupContext`.
    #
    # @api private
    class LookupContext
      # The functions of a context. What a function caches stays in Ruby, so that it can be any object and is
      # the same one later, until the context is passed to a function of the library or of the language.
      module Functions
        # @param native [Value] the library's object
        # @param iterable [Class] makes what iterates over a Hash
        # @param files [Hash{String => Array}] what functions have made of files in the environment, by path:
        #   the state of the file, and what was made of it
        def initialize(native, iterable, files)
          @native = native
          @iterable = iterable
          @files = files
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
          own = own_cache
          own ? own[key] = value : ask('cache', key, value)
          value
        end

        # Caches all entries of a hash.
        # @param hash [Hash]
        # @return [nil]
        def cache_all(hash)
          own = own_cache
          own ? own.merge!(hash) : ask('cache_all', hash)
          nil
        end

        # @return [Object, nil] the cached value of a key
        def cached_value(key)
          own = own_cache
          own ? own[key] : ask('cached_value', key)
        end

        # @return [Boolean] whether a value is cached for a key
        def cache_has_key(key)
          own = own_cache
          own ? own.key?(key) : ask('cache_has_key', key)
        end

        # Iterates over the cached entries.
        # @return [Object, nil] an iterable object; nil with a block
        def cached_entries(&block)
          entries = own_cache || ask('cached_entries').to_a.to_h
          return @iterable.on(entries) unless block

          entries.each_pair { |key, value| block.arity == 2 ? yield(key, value) : yield([key, value]) }
          nil
        end

        # The text of a file, or the result of the block for it, computed once as long as the file stays as it
        # is.
        # @param path [String]
        def cached_file_data(path)
          name = path.to_s
          stamp = ask('file_stamp?', name)
          # Raises what Ruby does.
          ::File.stat(name) unless stamp
          known = @files[name]
          return known.last if known && known.first == stamp

          text = ask('file_text?', name)
          made = block_given? ? yield(text) : text
          @files[name] = [stamp, made].freeze
          made
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

        # The value in the language, where all that is cached is known from now on.
        def bunraku_meaning
          own_cache&.each { |key, value| ask('cache', key, value) }
          caches[identity] = nil
          @native
        end

        private

        def ask(name, *arguments, &block)
          Call.current.call_member(@native, name, arguments, block)
        end

        # @return [Hash, nil] what the function has cached; nil if the library has it
        def own_cache
          caches.fetch(identity) { |of| caches[of] = {} }
        end

        # The caches of the compilation's contexts.
        def caches
          Call.current.memory[:lookup_caches] ||= {}
        end

        def identity
          @identity ||= ask('identity?')
        end
      end

      include Functions
    end
  end
end

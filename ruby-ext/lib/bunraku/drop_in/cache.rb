# frozen_string_literal: true

module Bunraku
  module DropIn
    # Results for texts, for the whole process: those of the most recently used texts, up to a size.
    #
    # @api private
    class Cache
      # @param limit [Integer] the maximum number of bytes of text
      def initialize(limit)
        @limit = limit
        @size = 0
        @entries = {}
        @lock = Mutex.new
      end

      # @return [Integer] the number of bytes of text in the cache
      attr_reader :size

      # @param key [Array] the key, which begins with the text
      # @return the cached result, or the result of the block; nil is not cached
      def fetch(key)
        found = @lock.synchronize do
          # The most recently used entry is last.
          value = @entries.delete(key)
          @entries[key] = value if value
        end
        found || keep(key, yield)
      end

      # Empties the cache.
      def clear
        @lock.synchronize do
          @entries.clear
          @size = 0
        end
      end

      private

      def keep(key, value)
        size = key.first.bytesize
        return value if value.nil? || size > @limit

        @lock.synchronize do
          @size += size unless @entries.key?(key)
          @entries[key] = value
          @size -= @entries.shift.first.first.bytesize while @size > @limit
        end
        value
      end
    end
  end
end

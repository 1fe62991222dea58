# frozen_string_literal: true

module Bunraku
  module DropIn
    # What was made of texts, for the whole process: the texts that were used last, up to a size.
    #
    # @api private
    class Cache
      # @param limit [Integer] how many bytes of text are kept at most
      def initialize(limit)
        @limit = limit
        @size = 0
        @entries = {}
        @lock = Mutex.new
      end

      # @return [Integer] how many bytes of text are kept
      attr_reader :size

      # @param key [Array] what the text is known by; the text first
      # @return what is kept, or what the block makes; nothing is kept of nil
      def fetch(key)
        found = @lock.synchronize do
          # What is used last stands last.
          value = @entries.delete(key)
          @entries[key] = value if value
        end
        found || keep(key, yield)
      end

      # Forgets everything.
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

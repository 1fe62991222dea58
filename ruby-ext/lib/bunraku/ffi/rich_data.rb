# frozen_string_literal: true

require 'time'

module Bunraku
  # Converts Ruby objects to rich data and back, by the rules of {Type}, for the C library, which takes JSON.
  #
  # @api private
  module RichData
    # The range of the language's integers.
    INTEGERS = (-(1 << 63)...(1 << 63)).freeze
    # The maximum nesting of objects.
    DEPTH = 500

    class << self
      # @param object [Object]
      # @return [Object] data of which JSON can be made
      # @raise [TypeError] the object has no counterpart in the language
      # @raise [RangeError] an Integer does not fit
      # @raise [ArgumentError] objects are nested too deep, or a String is not valid in its encoding
      def of(object, depth = 0)
        raise ArgumentError, 'the object is nested too deep' if depth > DEPTH

        case object
        when nil, true, false, Float then object
        when Integer then INTEGERS.cover?(object) ? object : raise(RangeError, "#{object} does not fit into an Integer")
        when String then string(object)
        when Symbol then symbol(object)
        when Array then object.map { |one| of(one, depth + 1) }
        when Regexp then { '__ptype' => 'Regexp', '__pvalue' => pattern(object) }
        when Time then { '__ptype' => 'Timestamp', '__pvalue' => object.getutc.strftime('%Y-%m-%dT%H:%M:%S.%N UTC') }
        when Value, Type then Value.of(object).to_data
        else other(object, depth + 1)
        end
      end

      # @param data [Object] rich data
      # @yieldreturn [Object] the replacement for data that is a value of another type; without a block, a
      #   {Value} of it
      # @return [Object]
      def to_ruby(data, &whole)
        case data
        when Array then data.map { |one| to_ruby(one) }
        when Hash then data.key?('__ptype') ? value(data, &whole) : data.transform_values { |one| to_ruby(one) }
        else data
        end
      end

      private

      def string(text)
        return { '__ptype' => 'Binary', '__pvalue' => [text].pack('m0') } if text.encoding == Encoding::BINARY

        raise ArgumentError, 'the String is not valid in its encoding' unless text.valid_encoding?

        text.encode(Encoding::UTF_8)
      end

      def symbol(symbol)
        case symbol
        when :undef then nil
        when :default then { '__ptype' => 'Default' }
        else { '__ptype' => 'Symbol', '__pvalue' => symbol.to_s }
        end
      end

      def pattern(regexp)
        regexp.options.zero? ? regexp.source : regexp.to_s
      end

      def other(object, depth)
        return hash(object.to_hash, depth) if object.respond_to?(:to_hash)
        return hash(object.to_h, depth) if object.respond_to?(:to_h) && object.respond_to?(:each_pair)
        return object.map { |one| of(one, depth) } if object.is_a?(Enumerable) && object.respond_to?(:add)

        raise TypeError, "a #{object.class} has no counterpart in the language"
      end

      def hash(hash, depth)
        if hash.each_key.all? { |key| key.is_a?(String) && key != '__ptype' && key.encoding != Encoding::BINARY }
          hash.to_h { |key, one| [string(key), of(one, depth)] }
        else
          { '__ptype' => 'Hash', '__pvalue' => hash.flat_map { |key, one| [of(key, depth), of(one, depth)] } }
        end
      end

      def value(data)
        inner = data['__pvalue']
        case data['__ptype']
        when 'Default' then :default
        when 'Symbol' then inner.to_sym
        when 'Regexp' then Regexp.new(inner)
        when 'Binary' then inner.unpack1('m')
        when 'Timestamp' then Time.parse(inner)
        when 'Hash' then inner.each_slice(2).to_h { |key, one| [to_ruby(key), to_ruby(one)] }
        when /\APcore::\w+Type\z/ then Value.from_data(data).to_type
        else block_given? ? yield : Value.from_data(data)
        end
      end
    end
  end
end

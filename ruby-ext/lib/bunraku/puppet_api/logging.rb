# frozen_string_literal: true

# Logs to the compilation.
module Puppet
  module Util
    # The log levels as methods.
    module Logging
      # The levels, as Puppet's `eachlevel` returns them.
      LEVELS = %i[debug info notice warning err alert emerg crit].freeze

      LEVELS.each do |level|
        define_method(level) { |*message| send_log(level, message.join(' ')) }
      end

      # A debug message can be a block, which is only called if debug messages are read.
      def debug(*message)
        send_log(:debug, (block_given? ? [yield(*message)] : message).join(' '))
      end

      # Writes an entry, which is discarded if no compilation runs.
      def send_log(level, message)
        Bunraku::Call.current&.__send__(:native_log, level.to_s, message.to_s)
        nil
      end

      # Logs a deprecation once for each key, with the place in the Ruby code.
      def deprecation_warning(message, key = nil)
        place = caller_locations(1, 1).first
        tell_deprecation(message, key || place.to_s, "(location: #{place})")
      end

      # As {#deprecation_warning}, for a place in a manifest.
      def puppet_deprecation_warning(message, options = {})
        file, line, key = options.values_at(:file, :line, :key)
        raise Puppet::DevError, 'Need either :file and :line, or :key' if key.nil? && (file.nil? || line.nil?)

        tell_deprecation(message, key || "#{file}:#{line}", Puppet::Util::Errors.error_location_with_unknowns(file, line))
      end

      # Logs a message once for each key in each compilation.
      def warn_once(kind, key, message, file = nil, line = nil, level = :warning)
        call = Bunraku::Call.current
        return if Puppet[:disable_warnings].include?(kind) || (call && !BUNRAKU.first_time?(call, key))

        place = Puppet::Util::Errors.error_location(file, line) unless file == :default && line == :default
        place = '(file & line not available)' if place && place.empty?
        send_log(level, "#{message}#{"\n   #{place}" if place}")
      end

      # Logs an exception.
      def log_exception(exception, message = :default, _options = {})
        send_log(:err, message == :default ? exception.message : message.to_s)
      end

      # Logs an exception and raises it.
      def log_and_raise(exception, message)
        send_log(:err, message)
        raise exception, "#{message}\n#{exception.message}", exception.backtrace
      end

      private

      def tell_deprecation(message, key, place)
        call = Bunraku::Call.current
        return if Puppet[:disable_warnings].include?('deprecations') || (call && !BUNRAKU.first_time?(call, [:deprecation, key]))

        send_log(:warning, "#{message}\n   #{place}")
      end
    end

    # The log itself.
    class Log
      # @return [Array<Symbol>]
      def self.levels
        Logging::LEVELS
      end

      # Writes an entry.
      def self.create(hash)
        Puppet.send_log(hash[:level] || :notice, hash[:message])
      end

      # @return [Symbol]
      def self.level
        :notice
      end
    end

    # Errors and their places.
    module Errors
      # Raises a DevError.
      def devfail(message)
        raise Puppet::DevError, message
      end

      # Adds the place of this object to an exception, if it has one.
      def adderrorcontext(error, other = nil)
        error.set_backtrace(other.backtrace) if other.respond_to?(:backtrace) && other.backtrace
        error
      end

      # @return [String] `(file: f, line: 1)`
      def self.error_location(file, line = nil, column = nil)
        place = { 'file' => file.to_s.empty? ? nil : file, 'line' => line, 'column' => column }.compact
        place.empty? ? '' : "(#{place.map { |name, value| "#{name}: #{value}" }.join(', ')})"
      end

      # As {error_location}, with a space before it.
      def self.error_location_with_space(file, line = nil, column = nil)
        text = error_location(file, line, column)
        text.empty? ? '' : " #{text}"
      end

      # @return [String]
      def self.error_location_with_unknowns(file, line)
        file = nil if file.to_s.empty?
        error_location(file || 'unknown', line || 'unknown')
      end

      # Raises an error with this message; the first argument can be its class.
      def fail(*arguments)
        raise(*arguments) if arguments.size == 1 && arguments.first.is_a?(Exception)

        type = arguments.first.is_a?(Class) ? arguments.shift : Puppet::Error
        raise adderrorcontext(type.new(arguments.join(' ')))
      end
    end
  end

  extend Util::Logging
end

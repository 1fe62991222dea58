# frozen_string_literal: true

require 'digest'
require 'json'

require_relative 'environments'
require_relative 'module_functions'

module Bunraku
  module DropIn
    # Environments on the C library. All interpreters of a process share them: a Puppet Server has a JRuby
    # instance for each request that it answers at the same time, and needs an environment only once.
    #
    # An environment is loaded again when an interpreter has a new object of Puppet's for it, as after its
    # cache was cleared, unless another interpreter has loaded it since. The former one is freed after its
    # last compilation.
    #
    # @api private
    class SharedEnvironments < Environments
      # The maximum number of environments that are kept.
      KEPT = 64

      # The seconds after which an environment without compilations is freed.
      UNUSED = 3600

      # The name of Clojure's variable that holds the environments of a Puppet Server.
      VARIABLE = %w[bunraku.environments kept].freeze

      # Tables that all interpreters of a process see: those of Java on JRuby inside a Puppet Server, whose
      # Clojure has variables for the whole process.
      module Tables
        # @return [Hash, java.util.HashMap] the table of the process
        def self.of_process
          return {} unless in_server?

          variable = Java::ClojureLang::RT.var(*VARIABLE)
          variable.synchronized do
            variable.bindRoot(fresh) unless variable.isBound
            variable.getRawRoot
          end
        end

        # @return [Hash, java.util.HashMap] an empty table
        def self.fresh
          in_server? ? java.util.HashMap.new : {}
        end

        def self.in_server?
          RUBY_ENGINE == 'jruby' && java.lang.Class.forName('clojure.lang.RT', false, java.lang.ClassLoader.system_class_loader) && true
        rescue java.lang.ClassNotFoundException
          false
        end
      end

      def initialize
        @kept = Tables.of_process
        @lock = Mutex.new
      end

      # See {Environments#use}.
      def use(environment, request)
        since = environment.instance_variable_get(MEMBER) || environment.instance_variable_set(MEMBER, now)
        entry = taken(Digest::SHA256.hexdigest(JSON.generate([environment.name, request])), since) do
          load(environment.name, request, Natives::ThreadCallbacks)
        end
        Library.on_this_thread do
          Natives::ThreadCallbacks.attach(callbacks) { yield Environment.__send__(:native_of, entry['address']) }
        end
      ensure
        give_back(entry) if entry
      end

      private

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      # The callbacks of this interpreter.
      def callbacks
        @callbacks ||= Natives::HostCallbacks.new(ModuleFunctions.new)
      end

      # The environment for a key that was loaded after a time; the block loads it.
      def taken(key, since)
        locked do
          entry = @kept[key]
          entry = keep(key, yield.__send__(:native_release)) if entry.nil? || entry['loaded'] < since
          entry['users'] += 1
          entry['used'] = now
          entry
        end
      end

      def keep(key, address)
        retire(key)
        drop_unused
        entry = Tables.fresh
        { 'address' => address, 'loaded' => now, 'used' => now, 'users' => 0, 'kept' => true }.each { |name, value| entry[name] = value }
        @kept[key] = entry
      end

      def give_back(entry)
        locked do
          entry['users'] -= 1
          free(entry)
        end
      end

      def drop_unused
        oldest = @kept.map { |key, entry| [entry['used'], key] }.sort
        oldest.first([oldest.size - KEPT + 1, 0].max).each { |_, key| retire(key) }
        oldest.each { |used, key| retire(key) if used < now - UNUSED }
      end

      def retire(key)
        entry = @kept[key] or return

        @kept.delete(key)
        entry['kept'] = false
        free(entry)
      end

      def free(entry)
        return if entry['kept'] || entry['users'].positive? || entry['address'].zero?

        Environment.__send__(:native_free, entry['address'])
        entry['address'] = 0
      end

      def locked(&block)
        @kept.respond_to?(:synchronized) ? @kept.synchronized(&block) : @lock.synchronize(&block)
      end
    end
  end
end

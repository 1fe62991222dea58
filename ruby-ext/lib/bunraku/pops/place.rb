# frozen_string_literal: true

module Bunraku
  # The classes of `bunraku/pops`, which have Puppet's names.
  module Pops
    # The constants `Puppet` and `SemanticPuppet`: these classes have them as long as Puppet itself is not
    # loaded. When one of its files opens one of these modules, all that is in them is taken out first, so
    # that Puppet defines it. Objects that exist already stay usable.
    #
    # @api private
    module Place
      # The files of Puppet and of its gem for versions, below a directory of libraries.
      PUPPET = %r{\A(.*)/puppet(?:\.rb\z|/)}.freeze
      SEMANTIC = %r{/semantic_puppet(?:\.rb\z|/)}.freeze

      class << self
        # @raise [LoadError] Puppet is loaded, or the native library is not an extension
        # @return [void]
        def take
          raise LoadError, 'bunraku/pops needs the extension, which this platform does not have' unless Bunraku::Type.respond_to?(:native_parse_type, true)
          return unless puppet_loaded?

          raise LoadError, 'bunraku/pops cannot be loaded beside Puppet, which has these classes itself'
        end

        # Watches for Puppet.
        #
        # @return [void]
        def hold
          @own = [::Puppet, ::Puppet::Pops]
          @versions = [::SemanticPuppet] if ::SemanticPuppet.const_defined?(:BUNRAKU, false)
          @watch = TracePoint.new(:class) { |point| opened(point.self, point.path) }
          @watch.enable
        end

        # @return [Boolean] whether the constants are still those of `bunraku/pops`
        def held?
          !@own.nil?
        end

        private

        def puppet_loaded?
          return false unless defined?(::Puppet)

          ::Puppet.respond_to?(:version) || ::Puppet.const_defined?(:PUPPETVERSION, false) || ::Puppet.const_defined?(:Pops, false)
        end

        def opened(owner, path)
          if @own&.include?(owner) && puppet?(path)
            leave(@own)
            @own = nil
          elsif @versions&.include?(owner) && SEMANTIC.match?(path) && !path.start_with?(__dir__)
            leave(@versions)
            @versions = nil
          end
          @watch.disable unless @own || @versions
        end

        def puppet?(path)
          libraries = PUPPET.match(path)
          !libraries.nil? && File.exist?("#{libraries[1]}/puppet/version.rb")
        end

        def leave(modules)
          modules.each do |one|
            one.constants(false).each { |name| one.__send__(:remove_const, name) }
            one.singleton_methods(false).each { |name| one.singleton_class.__send__(:remove_method, name) }
          end
        end
      end
    end
  end
end

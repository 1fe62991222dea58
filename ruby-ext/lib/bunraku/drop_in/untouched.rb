# frozen_string_literal: true

module Bunraku
  module DropIn
    # Methods of Puppet that a part stands for: it does so only as long as nobody else replaces them.
    #
    # @api private
    class Untouched
      # @param method [UnboundMethod]
      # @return [Boolean] whether it comes from Puppet's own files
      def self.of_puppet?(method)
        file = method.source_location&.first
        file.nil? || file.match?(%r{/puppet/(pops/|parser/|resource/|resource\.rb\z)}) || file.start_with?(RbConfig::CONFIG['rubylibdir'])
      end

      # Stands before a method of a class, if it is Puppet's own.
      #
      # @yieldparam original [UnboundMethod] what it was
      # @yieldreturn [Proc] what is called instead, with the object first
      # @return [void]
      def self.replace(owner, name)
        original = owner.instance_method(name)
        return unless of_puppet?(original)

        replacement = yield(original)
        owner.remove_method(name)
        owner.define_method(name) { |*arguments| replacement.call(self, *arguments) }
      end

      # @param methods [Hash{Class => Array<Symbol>}] what must be as Puppet wrote it
      def initialize(methods)
        @methods = methods.flat_map { |owner, names| names.map { |name| [owner, name, owner.instance_method(name)] } }
        @is_original = @methods.all? { |_, _, method| Untouched.of_puppet?(method) }
      end

      # @return [Boolean] whether all methods are Puppet's own, now
      def untouched?
        @is_original && @methods.all? { |owner, name, method| owner.instance_method(name) == method }
      end
    end
  end
end

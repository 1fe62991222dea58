# frozen_string_literal: true

module Bunraku
  module DropIn
    # Methods of Puppet that a part stands for: it does so only as long as nobody else replaces them.
    #
    # @api private
    class Untouched
      # Puppet's own files that parts stand for; the generated parser names its grammar.
      FILES = %r{/puppet/(pops/|parser/|resource/|(resource|interface|face/parser|node/environment)\.rb\z)|\Aegrammar\.ra\z}.freeze

      # Tells of classes whose methods have changed.
      module Watched
        def self.changed
          @changed ||= {}.compare_by_identity
        end

        def method_added(_name)
          super
          Watched.changed[self] = true
        end

        def method_removed(_name)
          super
          Watched.changed[self] = true
        end
      end

      # @param method [UnboundMethod]
      # @return [Boolean] whether it comes from Puppet's own files, or from Ruby itself
      def self.of_puppet?(method)
        file = method.source_location&.first
        file.nil? || file.match?(FILES) || file.start_with?(RbConfig::CONFIG['rubylibdir'])
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
        owner.define_method(name) { |*arguments, &block| replacement.call(self, *arguments, &block) }
      end

      # @param owner [Class]
      # @return [Array<Symbol>] all methods that it has itself
      def self.methods_of(owner)
        owner.instance_methods(false) + owner.private_instance_methods(false)
      end

      # @param methods [Hash{Class => Array<Symbol>}] what must be as Puppet wrote it
      def initialize(methods)
        @owners = methods.to_h { |owner, names| [owner, names.to_h { |name| [name, owner.instance_method(name)] }] }.compare_by_identity
        @first = @owners.to_h { |owner, _| [owner, owner.ancestors.first] }.compare_by_identity
        @is_original = @owners.each_value.all? { |known| known.each_value.all? { |method| Untouched.of_puppet?(method) } }
        @owners.each_key { |owner| owner.extend(Watched) }
      end

      # @return [Boolean] whether all methods are Puppet's own, now
      def untouched?
        @is_original && @owners.all? do |owner, known|
          owner.ancestors.first.equal?(@first[owner]) && (unchanged?(owner) || known.all? { |name, method| owner.instance_method(name) == method })
        end
      end

      private

      # Of singleton classes nobody tells.
      def unchanged?(owner)
        !owner.singleton_class? && !Watched.changed[owner]
      end
    end
  end
end

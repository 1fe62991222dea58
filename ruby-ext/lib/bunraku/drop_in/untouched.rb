# frozen_string_literal: true

require_relative 'report'

module Bunraku
  module DropIn
    # The methods of Puppet that a part takes over. The part is active only while nothing else replaces them.
    #
    # @api private
    class Untouched
      # Puppet's own files that parts take over; the generated parser names its grammar.
      FILES = %r{/puppet/(pops/|parser/|resource/|indirector/catalog/|(resource|module|interface|face/parser|node/environment|application/lookup)\.rb\z)|\Aegrammar\.ra\z}.freeze

      # Reports classes whose methods have changed.
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
        file.nil? || file.match?(FILES) || file.start_with?(RbConfig::CONFIG['rubylibdir'], __dir__)
      end

      # @param method [UnboundMethod]
      # @return [String] the method's name and where it is defined
      def self.describe(method)
        "#{method.owner.inspect}##{method.name} was replaced at #{method.source_location&.join(':') || 'an unknown place'}"
      end

      # Whether a method is a temporary stub of a test.
      #
      # @param method [UnboundMethod]
      def self.stub?(method)
        method.source_location.nil? || method.source_location.first.match?(%r{/(rspec/mocks|mocha)[/.]})
      end

      # Replaces a method of a class, if it is Puppet's own.
      #
      # @param part [Symbol] the part that replaces it
      # @yieldparam original [UnboundMethod] the original method
      # @yieldreturn [Proc] the replacement, which receives the object first
      # @return [void]
      def self.replace(part, owner, name)
        original = owner.instance_method(name)
        return if original.source_location&.first == __FILE__
        return Report.aside(part, original) unless of_puppet?(original)

        replacement = yield(original)
        is_private = owner.private_method_defined?(name)
        owner.remove_method(name)
        owner.define_method(name) { |*arguments, &block| replacement.call(self, *arguments, &block) }
        owner.send(:private, name) if is_private
      end

      # @param owner [Class]
      # @return [Array<Symbol>] all methods that it defines itself
      def self.methods_of(owner)
        owner.instance_methods(false) + owner.private_instance_methods(false)
      end

      # @param methods [Hash{Class => Array<Symbol>}] the methods that must be Puppet's own
      def initialize(methods)
        @names = methods
        recall
        @first = @owners.to_h { |owner, _| [owner, owner.ancestors.first] }.compare_by_identity
        @owners.each_key { |owner| owner.extend(Watched) }
      end

      # @param part [Symbol] the part that takes over the methods; it is reported as inactive if they are
      #   replaced
      # @return [Boolean] whether all methods are Puppet's own, now
      def untouched?(part)
        method = changed
        Report.aside(part, method) if method
        method.nil?
      end

      # @return [UnboundMethod, nil] the current form of a replaced method
      def changed
        # A method that was replaced when this object was made can be Puppet's own again.
        recall unless @is_original
        return @foreign if @foreign

        @owners.each do |owner, known|
          method = changed_of(owner, known)
          return method if method
        end
        nil
      end

      private

      # A method that is gone came with a replacement, and has gone with it, as the copy that the stub of a
      # test keeps of a method.
      def recall
        @owners = @names.to_h { |owner, names| [owner, names.to_h { |name| [name, now(owner, name)] }.compact] }.compare_by_identity
        @foreign = @owners.each_value.lazy.flat_map(&:values).find { |method| !Untouched.of_puppet?(method) }
        @is_original = @foreign.nil?
      end

      def changed_of(owner, known)
        same_ancestors = owner.ancestors.first.equal?(@first[owner])
        return if same_ancestors && unchanged?(owner)

        name, = known.find { |name, method| now(owner, name) != method }
        # A method that was changed and restored counts as unchanged.
        Watched.changed.delete(owner) if name.nil? && same_ancestors
        name && (now(owner, name) || known[name])
      end

      def now(owner, name)
        owner.instance_method(name)
      rescue NameError
        nil
      end

      # Changes of singleton classes are not reported.
      def unchanged?(owner)
        !owner.singleton_class? && !Watched.changed[owner]
      end
    end
  end
end

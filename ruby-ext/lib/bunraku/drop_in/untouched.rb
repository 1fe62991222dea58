# frozen_string_literal: true

require_relative 'report'

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
        file.nil? || file.match?(FILES) || file.start_with?(RbConfig::CONFIG['rubylibdir'], __dir__)
      end

      # @param method [UnboundMethod]
      # @return [String] what it is, and where it was written
      def self.describe(method)
        "#{method.owner.inspect}##{method.name} was replaced at #{method.source_location&.join(':') || 'an unknown place'}"
      end

      # Whether what a method does is the doing of a test that takes it back.
      #
      # @param method [UnboundMethod]
      def self.stub?(method)
        method.source_location.nil? || method.source_location.first.match?(%r{/(rspec/mocks|mocha)[/.]})
      end

      # Stands before a method of a class, if it is Puppet's own.
      #
      # @param part [Symbol] the part that does so
      # @yieldparam original [UnboundMethod] what it was
      # @yieldreturn [Proc] what is called instead, with the object first
      # @return [void]
      def self.replace(part, owner, name)
        original = owner.instance_method(name)
        return if original.source_location&.first == __FILE__
        return Report.aside(part, original) unless of_puppet?(original)

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
        @names = methods
        recall
        @first = @owners.to_h { |owner, _| [owner, owner.ancestors.first] }.compare_by_identity
        @owners.each_key { |owner| owner.extend(Watched) }
      end

      # @param part [Symbol] the part that stands for the methods; when it cannot, that is reported
      # @return [Boolean] whether all methods are Puppet's own, now
      def untouched?(part)
        method = changed
        Report.aside(part, method) if method
        method.nil?
      end

      # @return [UnboundMethod, nil] a method that somebody else has replaced, as it is now
      def changed
        # What was replaced when this was made may be Puppet's own again.
        recall unless @is_original
        return @foreign if @foreign

        @owners.each do |owner, known|
          method = changed_of(owner, known)
          return method if method
        end
        nil
      end

      private

      def recall
        @owners = @names.to_h { |owner, names| [owner, names.to_h { |name| [name, owner.instance_method(name)] }] }.compare_by_identity
        @foreign = @owners.each_value.lazy.flat_map(&:values).find { |method| !Untouched.of_puppet?(method) }
        @is_original = @foreign.nil?
      end

      def changed_of(owner, known)
        same_ancestors = owner.ancestors.first.equal?(@first[owner])
        return if same_ancestors && unchanged?(owner)

        name, = known.find { |name, method| now(owner, name) != method }
        # What was changed and changed back is as it was.
        Watched.changed.delete(owner) if name.nil? && same_ancestors
        name && (now(owner, name) || known[name])
      end

      def now(owner, name)
        owner.instance_method(name)
      rescue NameError
        nil
      end

      # Of singleton classes nobody tells.
      def unchanged?(owner)
        !owner.singleton_class? && !Watched.changed[owner]
      end
    end
  end
end

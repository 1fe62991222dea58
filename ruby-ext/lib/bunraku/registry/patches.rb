# frozen_string_literal: true

require 'monitor'

module Bunraku
  class Registry
    # Files of modules that only change classes of Ruby or of its libraries. These classes are there once for
    # all environments, and a change cannot be made twice: a method that gives another one a new name in order
    # to call it would find itself under that name.
    #
    # @api private
    module Patches
      # The statements outside of classes that such a file can have.
      REQUIRING = %w[require require_relative].freeze
      private_constant :REQUIRING

      @texts = {}
      @lock = Monitor.new

      class << self
        # Evaluates a file, unless it only makes changes that an earlier one with the same text has made.
        #
        # @param text [String] of the file
        # @param is_rubys [#call] whether a class of this name is one of Ruby's
        # @yield evaluates it
        def once(text, is_rubys, &evaluation)
          names = changed(text)
          return yield unless names

          @lock.synchronize { make(text, names, is_rubys, &evaluation) unless @texts.key?(text) }
        end

        private

        def make(text, names, is_rubys)
          yield
          @texts[text] = true if names.all? { |name| is_rubys.call(name[/\A\w+/].to_sym) && Object.const_defined?(name) }
        end

        # The names of the classes and modules that a file opens; nil if it does anything else, or opens
        # classes that belong to environments.
        def changed(text)
          return unless text.match?(/^\s*(?:class|module)\s/)

          _, statements = Ripper.sexp(text)
          names = statements.to_a.map { |statement| name_of(statement) }
          return unless names.all?

          names = names.grep(String)
          names if names.any? && names.none? { |name| name.match?(Source::OWN) }
        end

        # @return [String, true, nil] the name of a class; true for a statement without effect here
        def name_of(statement)
          kind, first, = statement
          case kind
          when :class, :module then constant(first)
          when :void_stmt then true
          when :command then REQUIRING.include?(first[1]) || nil
          end
        end

        def constant(reference)
          kind, first, second = reference
          case kind
          when :const_ref, :var_ref, :top_const_ref then first[1]
          when :const_path_ref then "#{constant(first)}::#{second[1]}"
          end
        end
      end
    end
  end
end

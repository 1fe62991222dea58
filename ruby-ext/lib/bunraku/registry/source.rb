# frozen_string_literal: true

autoload :Ripper, 'ripper'

module Bunraku
  class Registry
    # Rewrites the texts of Ruby files for a registry. Line numbers stay the same.
    #
    # The effect of a method named `require` depends on the file that calls it, but Ruby has no methods for a
    # single file. So the words `require`, `require_relative` and `load` get the registry as their receiver if
    # they have none. Absolute constants (`::PuppetX`) begin at the registry's root if a module can define
    # them. A definition of a class or module gets its proper namespace: `class String` reopens Ruby's own and
    # does not create one that hides it.
    #
    # @api private
    module Source
      # The replacements of these words.
      WORDS = { 'require' => 'BUNRAKU.require', 'require_relative' => 'BUNRAKU.require_relative', 'load' => 'BUNRAKU.load',
                '__dir__' => 'File.dirname(__FILE__)' }.freeze

      # The functions that translate texts: Puppet defines these methods in all objects.
      TRANSLATIONS = { '_' => 'BUNRAKU.translate', 'n_' => 'BUNRAKU.translate_count' }.freeze

      # Constants that modules can define.
      OWN = /\A(Puppet|SemanticPuppet|Facter|Hiera|PSON)/.freeze

      # The tokens after which a word has a receiver, or is not a call.
      RECEIVERS = ['.', '&.', '::', 'def', ':', 'alias', 'undef'].freeze

      # Keywords that begin a definition.
      DEFINITIONS = %w[class module].freeze

      # Keywords that end a value.
      VALUES = %w[self nil true false end __FILE__ __LINE__ __method__].freeze

      # @param text [String] the text of a file
      # @param keep_puppet [Boolean] whether `::Puppet` means Ruby's constant
      # @return [String] the text to evaluate
      def self.rewrite(text, keep_puppet: false)
        return text unless text.match?(/\b(?:require|load|__dir__|class|module|n?_\()|::[A-Z]/)

        tokens = Ripper.lex(text)
        previous = nil
        is_spaced = false
        result = tokens.each_with_index.map do |(_, kind, token, state), index|
          written = replacement(token, kind, state, previous, is_spaced, tokens[index + 1], keep_puppet) || token
          if %i[on_sp on_ignored_nl on_comment].include?(kind)
            is_spaced = true
          else
            previous = [kind, token]
            is_spaced = false
          end
          written
        end
        # The rest after `__END__`, or after text that Ruby's lexer could not read.
        result.join.then { |joined| tokens.sum { |token| token[2].bytesize } == text.bytesize ? joined : text }
      end

      def self.replacement(token, kind, state, previous, is_spaced, following, keep_puppet)
        case kind
        when :on_ident
          return if previous && RECEIVERS.include?(previous[1])
          return if state.to_s.include?('LABEL') && following && following[1] == :on_op && following[2] == '='

          return (TRANSLATIONS[token] if following && following[1] == :on_lparen && !keep_puppet) if TRANSLATIONS.key?(token)

          WORDS[token]
        when :on_const
          return unless previous && previous[0] == :on_kw && DEFINITIONS.include?(previous[1])
          return if following && following[2] == '::'

          "BUNRAKU.home(Module.nesting.first, :#{token})::#{token}"
        when :on_op
          return unless token == '::' && following && following[1] == :on_const && following[2].match?(OWN)
          return if keep_puppet && following[2] != 'PuppetX'

          'BUNRAKU.root::' if begins_value?(previous, is_spaced)
        end
      end
      private_class_method :replacement

      # Whether a value can begin after a token.
      def self.begins_value?(previous, is_spaced)
        return true unless previous

        kind, token = previous
        case kind
        when :on_const, :on_int, :on_float, :on_rparen, :on_rbracket, :on_rbrace, :on_tstring_end, :on_ivar, :on_gvar, :on_cvar
          false
        when :on_ident then is_spaced
        when :on_kw then !VALUES.include?(token)
        else true
        end
      end
      private_class_method :begins_value?

      # Rejects content that files of the 3.x API must not have.
      #
      # @param text [String]
      # @param file [String]
      # @raise [SecurityError] the file defines a method
      # @raise [ArgumentError] the file defines no function
      def self.assert_legacy(text, file)
        tree = Ripper.sexp(text)
        # Ruby reports the syntax error.
        return unless tree

        found = []
        walk(tree, file, found)
        return unless found.empty?

        raise ArgumentError,
              "The code loaded from #{file} does not seem to be a Puppet 3x API function - no 'newfunction' call."
      end

      def self.walk(node, file, found)
        return unless node.is_a?(Array)

        name = node.find { |part| part.is_a?(Array) && part[0] == :@ident }
        case node[0]
        when :fcall, :call, :command, :command_call
          found << name if name && name[1] == 'newfunction'
        when :def, :defs
          raise SecurityError, "Illegal method definition of method '#{name ? name[1] : '<unknown>'}' in source #{file} on line " \
                               "#{name ? name[2][0] : '<unknown>'} in legacy function. See " \
                               'https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html for more information'
        end
        node.each { |part| walk(part, file, found) }
      end
      private_class_method :walk
    end
  end
end

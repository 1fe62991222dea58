# frozen_string_literal: true

require 'digest'

module Bunraku
  module DropIn
    # Checks of puppet-lint that look long at what they have nothing to say about: they are not run on a
    # manifest in which what they look for does not occur.
    #
    # That is known of the checks as they are in some versions of puppet-lint, which are told by their code; a
    # check with other code is always run.
    #
    # @api private
    module IdleChecks
      # What each check looks for, and the digests of its file without comments and white space.
      KNOWN = {
        arrow_on_right_operand_line: %w[f179fb8312d4a58f 2d36bc156afbfce0 f3cfc885c8c6d46a],
        legacy_facts: %w[1b31734571829e3e],
        top_scope_facts: %w[7c1cc66e4f93e45f]
      }.freeze

      # The digests of the class that measures lines.
      LINE_LENGTH = %w[31a37996dd48a85b 3e56510596115790].freeze

      # The types of variables.
      VARIABLES = %i[VARIABLE UNENC_VARIABLE].freeze

      class << self
        # Replaces the checks that are known, as soon as they exist.
        #
        # @return [void]
        def install
          return if @is_installed

          @is_installed = true
          KNOWN.each do |name, digests|
            check = ::PuppetLint.configuration.check_object[name]
            replace(check, name) if check.is_a?(Class) && known?(check, :check, digests)
          end
          length = defined?(::PuppetLint::LineLengthCheck) && ::PuppetLint::LineLengthCheck.singleton_class
          replace_length(length) if length && known?(length, :check, LINE_LENGTH)
        end

        # @param path [String] a file
        # @return [String] the digest of its code
        def digest(path)
          code = File.readlines(path, encoding: 'UTF-8').reject { |line| line.match?(/\A\s*(#|\z)/) }
          Digest::SHA256.hexdigest(code.map { |line| line.gsub(/\s+/, '') }.join)[0, 16]
        end

        # @return [Boolean] whether a check has nothing to look at
        def idle?(name)
          tokens = ::PuppetLint::Data.tokens
          case name
          when :arrow_on_right_operand_line then tokens.none? { |token| %i[IN_EDGE IN_EDGE_SUB].include?(token.type) }
          when :top_scope_facts then no_variable?(tokens) { |value| value.match?(/^::/) }
          when :legacy_facts
            path = ::PuppetLint::Data.path
            path.is_a?(String) && !File.extname(path).downcase.match?(/\.ya?ml$/) &&
              no_variable?(tokens) { |value| value.start_with?('::') || value.include?('facts') }
          end
        end

        private

        def known?(owner, name, digests)
          file, = owner.instance_method(name).source_location
          digests.include?(digest(file))
        rescue NameError, SystemCallError, TypeError
          false
        end

        def no_variable?(tokens)
          tokens.none? { |token| VARIABLES.include?(token.type) && yield(token.value) }
        end

        def replace(check, name)
          original = check.instance_method(:check)
          check.remove_method(:check)
          check.define_method(:check) { IdleChecks.idle?(name) || original.bind_call(self) }
        end

        # A line that has no more characters than are allowed is not taken apart.
        def replace_length(owner)
          original = owner.instance_method(:check)
          owner.remove_method(:check)
          owner.define_method(:check) do |line, content, most|
            next if content.encoding == Encoding::UTF_8 && content.valid_encoding? && content.length <= most

            original.bind_call(self, line, content, most)
          end
        end
      end
    end
  end
end

# frozen_string_literal: true

require_relative '../drop_in'
require_relative 'idle_checks'

module Bunraku
  module DropIn
    # Replaces slow parts of puppet-lint without any change to its results: `PuppetLint::Lexer#tokenise`,
    # which returns puppet-lint's own `Token` objects, and what `PuppetLint::Data` knows about them
    # (`resource_indexes`, `class_indexes` and the others).
    #
    # When puppet-lint is loaded, each method is compared with puppet-lint's own on a text that uses all of
    # the language; one that answers anything else stays as it is. A text that puppet-lint's lexer refuses is
    # read by that lexer, which raises its own error. Methods that a plug-in or a test replaces are left to
    # it, and so are those that build on them.
    #
    # `DropIn.report[:lint]` has the number of texts that were read natively, and what was left to
    # puppet-lint.
    module Lint
      # The methods of `PuppetLint::Data`: how an answer is asked for, in the forms that versions of
      # puppet-lint have, and the method that makes an object of a row.
      INDEXES = {
        title_tokens: [%w[titles], :token],
        resource_indexes: [['resources', 'resources but not defaults'], :resource],
        class_indexes: [%w[classes], :definition, :CLASS],
        defined_type_indexes: [['defined types'], :definition, :DEFINE],
        node_indexes: [%w[nodes], :definition, :NODE],
        function_indexes: [%w[calls statements], :stretch],
        array_indexes: [%w[arrays], :stretch],
        hash_indexes: [%w[hashes], :stretch],
        defaults_indexes: [%w[defaults], :stretch]
      }.freeze

      # The methods that those of `PuppetLint::Data` build on.
      HELPERS = %i[find_resource_type_token find_resource_param_tokens definition_indexes param_tokens formatting_tokens].freeze

      # What the methods are compared on.
      PROBE = <<~'MANIFEST'
        # A comment. /* */
        class ::a::b-c (String $x = "a ${b['c']} $d-e ${f("g ${h}")}", Array[Integer] $y = [1, 0x1F, 1.5e-3]) inherits d {
          $z = $x ? { /a\/b/ => 'it\'s', default => { 'k' => undef } } /* two
           * lines */
          file { ['/a', "/b"]: ensure => $y[0], mode => '0644'; "/c": * => { a => 1 } }
          File { owner => 'root' }
          Package { 'p': ensure => installed }
          File['/a'] -> Package <| title == 'x' |> ~> @@user { y: }
          if $facts['os']['name'] =~ /^x/ and !($y in [1, 2]) { include foo } elsif 1 / 2 { notice(bar(1), "\"$x\\") }
          $t = @("END"/L)
            text ${z} $x
            | END
          $u = @(E)
            plain
          E
          notify { 'f': } // slashes
          each($y) |$v| { function_call $v }
        }
        define e::f($a, $b = {}) { case $a { 'x': { } default: { fail('x') } } }
        node 'a.b', /c/ { }
      MANIFEST

      class << self
        # Replaces the methods, now or when puppet-lint is loaded. Without the extension, nothing happens.
        #
        # @return [void]
        def enable
          return if @watch || @is_installed || !Bunraku.respond_to?(:native_puppet_lint_tokens, true)
          return install if loaded?

          @watch = TracePoint.new(:end) do |point|
            next unless point.self.name == 'PuppetLint' && loaded?

            @watch.disable
            install
          end
          @watch.enable
        end

        # @param lexer [PuppetLint::Lexer]
        # @param code [String]
        # @return [Array<PuppetLint::Lexer::Token>, nil] nil if puppet-lint has to read the text
        # @api private
        def tokenise(lexer, code)
          IdleChecks.install
          return unless lexer.instance_of?(::PuppetLint::Lexer) && ordinary?(code) && @lexer.untouched?(:lint)
          return Report.left(:lint, 'a lexer that has read something') unless fresh?(lexer)

          tokens, line, column = read(code)
          return Report.left(:lint, 'a text that puppet-lint does not read') unless tokens

          Report.native(:lint)
          lexer.instance_variable_set(:@line_no, line)
          lexer.instance_variable_set(:@column, column)
          lexer.instance_variable_set(:@tokens, tokens)
        end

        # @param name [Symbol] a method of `PuppetLint::Data`
        # @param tokens [Array<PuppetLint::Lexer::Token>]
        # @return [Array, nil] nil if puppet-lint has to find the places
        # @api private
        def index(name, tokens)
          return unless tokens.instance_of?(Array) && @data.untouched?(:lint)

          index_as(@forms[name], name, tokens)
        end

        private

        def loaded?
          !!defined?(::PuppetLint::Data) && !!defined?(::PuppetLint::Lexer::StringSlurper) && !!defined?(::PuppetLint::Checks)
        end

        def install
          @is_installed = true
          lexer = ::PuppetLint::Lexer
          @types = types_of(lexer)
          tokens = @types && probe
          return Report.left(:lint, 'a puppet-lint with a lexer of another kind') unless tokens

          owners = [lexer, lexer.singleton_class, lexer::Token, lexer::StringSlurper]
          @lexer = Originals.new(owners.to_h { |owner| [owner, owner.instance_methods(false) - %i[tokenise]] })
          replace(lexer, :tokenise) { |original| ->(own, code) { Lint.tokenise(own, code) || original.bind_call(own, code) } }
          install_data(::PuppetLint::Data.singleton_class, tokens)
        end

        def install_data(data, tokens)
          @data = Originals.new(data => HELPERS.select { |name| data.method_defined?(name) })
          @forms = forms(data, tokens)
          replace(data, :tokens) { |_| ->(own) { own.instance_variable_get(:@tokens) } } if plain_tokens?
          @forms.each_key do |name|
            variable = :"@#{name}"
            replace(data, name) do |original|
              lambda do |own|
                own.instance_variable_get(variable) ||
                  (found = Lint.index(name, own.instance_variable_get(:@tokens)) and own.instance_variable_set(variable, found)) ||
                  original.bind_call(own)
              end
            end
          end
        end

        # The names that a lexer takes for types of the language.
        def types_of(lexer)
          _, types = lexer::KNOWN_TOKENS.assoc(:TYPE)
          types&.source&.slice(/\((.*)\)/m, 1)&.split('|')&.map(&:strip)
        end

        # The tokens of the probe, if puppet-lint reads it so, too.
        def probe
          return unless ::PuppetLint::Lexer.heredoc_queue.empty?

          own, = read(PROBE)
          theirs = ::PuppetLint::Lexer.new.tokenise(PROBE.dup)
          facts = ->(token) { [token.type, token.value, token.raw, token.line, token.column, token.to_manifest] + links(token) }
          own if own && own.map(&facts) == theirs.map(&facts)
        rescue StandardError
          nil
        end

        def links(token)
          %i[next_token prev_token next_code_token prev_code_token].map do |name|
            linked = token.__send__(name)
            linked && [linked.type, linked.line, linked.column]
          end
        end

        # How each method of `PuppetLint::Data` is asked for, for those that answer as puppet-lint does.
        def forms(data, tokens)
          with_tokens(tokens) do
            INDEXES.filter_map do |name, (forms, *)|
              next unless data.method_defined?(name)

              theirs = ::PuppetLint::Data.__send__(name)
              form = forms.find { |one| index_as(one, name, tokens) == theirs }
              [name, form] if form
            end.to_h
          end
        end

        # Whether checks get the tokens themselves.
        def plain_tokens?
          tokens = []
          asking = Class.new { def check = ::PuppetLint::Data.tokens }
          with_tokens(tokens) { asking.new.check.equal?(tokens) }
        end

        # Calls the block while `PuppetLint::Data` has other tokens.
        def with_tokens(tokens)
          data = ::PuppetLint::Data
          before = data.instance_variables.to_h { |name| [name, data.instance_variable_get(name)] }
          data.tokens = tokens
          yield
        ensure
          (data.instance_variables - before.keys).each { |name| data.remove_instance_variable(name) }
          before.each { |name, value| data.instance_variable_set(name, value) }
        end

        def read(code)
          Bunraku.__send__(:native_puppet_lint_tokens, ::PuppetLint::Lexer::Token, code, @types)
        end

        def ordinary?(code)
          code.instance_of?(String) && code.encoding == Encoding::UTF_8 && code.valid_encoding?
        end

        def fresh?(lexer)
          lexer.tokens.empty? && ::PuppetLint::Lexer.heredoc_queue.empty? &&
            lexer.instance_variable_get(:@line_no) == 1 && lexer.instance_variable_get(:@column) == 1
        end

        def index_as(form, name, tokens)
          rows = Bunraku.__send__(:native_puppet_lint_places, ::PuppetLint::Lexer::Token, tokens, form)
          _, make, *more = INDEXES.fetch(name)
          rows&.map { |row| __send__(make, tokens, row, *more) }
        end

        def token(tokens, (place))
          tokens[place]
        end

        def stretch(tokens, (start, stop))
          { start: start, end: stop, tokens: tokens[start..stop] }
        end

        def resource(tokens, (start, stop, type, *parameters))
          { start: start + 1, end: stop, tokens: tokens[start..stop], type: type && tokens[type],
            param_tokens: tokens.values_at(*parameters) }
        end

        def definition(tokens, (start, stop, from, to, name, inherited), type)
          { start: start, end: stop, tokens: tokens[start..stop], param_tokens: from && tokens[from...to], type: type,
            name_token: tokens[name], inherited_token: inherited && tokens[inherited] }
        end

        def replace(owner, name)
          replacement = yield(owner.instance_method(name))
          owner.remove_method(name)
          owner.define_method(name) { |*arguments| replacement.call(self, *arguments) }
        end
      end

      # Methods that must be what they were when puppet-lint was loaded.
      #
      # @api private
      class Originals
        # @param names [Hash{Module => Array<Symbol>}]
        def initialize(names)
          @known = names.flat_map { |owner, all| all.map { |name| [owner, name, owner.instance_method(name)] } }
        end

        # @param part [Symbol] the part that is reported as inactive if a method was replaced
        def untouched?(part)
          owner, name, method = @known.find { |of, one, known| !of.method_defined?(one) || of.instance_method(one) != known }
          Report.left(part, "#{method.owner.inspect}##{name} was replaced") if owner
          owner.nil?
        end
      end
    end
  end
end

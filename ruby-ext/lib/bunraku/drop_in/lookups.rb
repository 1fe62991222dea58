# frozen_string_literal: true

require_relative 'untouched'

module Bunraku
  module DropIn
    # `puppet lookup`, with and without `--compile`: the manifests are compiled and the keys looked up
    # natively. The application itself reads its options, finds the node and writes the answer. Puppet
    # compiles and looks up what has no native answer: keys that are not found, values that share parts,
    # `--debug`.
    #
    # @api private
    module Lookups
      # The thread's variable for the compiler whose manifests wait to be compiled.
      WAITING = :bunraku_lookup

      # What is thrown when Puppet has to compile.
      REFUSED = :bunraku_lookup_refused
      private_constant :WAITING, :REFUSED

      class << self
        # @param compiler [Puppet::Parser::Compiler]
        # @param block [Proc, nil] receives the catalog, and reads the compiler's scope
        # @param original [UnboundMethod] Puppet's own method
        # @return [Object] the result of the block, or the catalog without one
        def compiled(compiler, block, original)
          return Kept.compiled(compiler, block, original) unless block && of_application?(block)

          for_application(compiler, block) { original.bind(compiler).call(&block) }
        end

        private

        # The result of the block; of the block of this method if Puppet has to compile.
        def for_application(compiler, block)
          return yield unless Compiler.native?(compiler.class) && own.untouched?(:compiler)

          answered = false
          result = catch(REFUSED) do
            self.waiting = compiler
            compiler.with_context_overrides('For a native lookup') { block.call(compiler.catalog) }.tap { answered = true }
          ensure
            self.waiting = nil
          end
          answered ? result : yield
        end

        # Whether a block is in a method of the application, which writes values, or explanations without
        # names for shared parts.
        def of_application?(block)
          return false unless defined?(::Puppet::Application::Lookup)

          application = block.binding.receiver
          return false unless application.instance_of?(::Puppet::Application::Lookup)

          options = application.options
          !(options[:explain] || options[:explain_options]) || [nil, :s, :json, :msgpack].include?(options[:render_as]&.to_sym)
        end

        # The methods that must be Puppet's own. Takes over the lookup.
        def own
          @own ||= begin
            lookup = ::Puppet::Pops::Lookup.singleton_class
            Untouched.replace(:compiler, lookup, :lookup) do |original|
              lambda do |asked, *arguments, &block|
                Lookups.__send__(:answer_of, *arguments) { original.bind(asked).call(*arguments, &block) }
              end
            end
            invocation = ::Puppet::Pops::Lookup::Invocation
            Untouched.new(::Puppet::Application::Lookup => %i[main generate_scope], lookup => %i[lookup],
                          invocation => Untouched.methods_of(invocation))
          end
        end

        def waiting
          Thread.current.thread_variable_get(WAITING)
        end

        def waiting=(compiler)
          Thread.current.thread_variable_set(WAITING, compiler)
        end

        # The answer to a question, which is that of the block unless a compiler waits for it.
        def answer_of(names, type, default, has_default, merge, invocation)
          compiler = waiting
          return yield unless compiler && invocation.scope.equal?(compiler.topscope)

          explainer = invocation.explainer
          question = { key: (names unless names == ::Puppet::Pops::Lookup::GLOBAL), type: type&.to_s, merge: merge, **explanation(explainer) }
          question[:default] = default if has_default
          answer, value = Compiler.look_up(compiler.node, question) { |found| value_of(found) }
          throw REFUSED unless answer

          tell(explainer, answer) if explainer
          raise ::Puppet::DataBinding::LookupError, answer['error']['message'] if answer['error']

          value
        end

        def explanation(explainer)
          return {} unless explainer
          # With `--debug` Puppet logs how it finds each value.
          unless explainer.instance_of?(::Puppet::Pops::Lookup::Explainer)
            Report.left(:compiler, 'a lookup is explained in the log')
            throw REFUSED
          end

          only_options = explainer.only_explain_options?
          { explain: !only_options, explain_options: explainer.explain_options?, show_secrets: true }
        end

        # Makes the explainer tell the native explanation.
        def tell(explainer, answer)
          data = ::Puppet::Pops::Serialization::FromDataConverter.convert(answer['explain_data'])
          explainer.define_singleton_method(:explain) { answer['explain_text'] }
          explainer.define_singleton_method(:to_hash) { data }
        end

        # The value of an answer.
        #
        # @raise [Compiler::Unsuitable] only Puppet has the answer
        def value_of(answer)
          error = answer['error']
          raise Compiler::Unsuitable, "the lookup fails: #{error['message']}" if error && !answer['explain_text']

          value = ::Puppet::Pops::Serialization::FromDataConverter.convert(answer['value'])
          raise Compiler::Unsuitable, 'a value that can share parts' if shares_parts?(value, {})

          value
        end

        # Whether a value could have one array or hash at two places: YAML then has a name for it.
        def shares_parts?(value, seen)
          return false unless value.is_a?(Array) || value.is_a?(Hash)
          return true if seen[value]

          seen[value] = true
          (value.is_a?(Hash) ? value.to_a.flatten(1) : value).any? { |inner| shares_parts?(inner, seen) }
        end
      end
    end
  end
end

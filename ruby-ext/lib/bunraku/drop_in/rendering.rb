# frozen_string_literal: true

require_relative 'untouched'

module Bunraku
  module DropIn
    # `puppet epp render`: templates are rendered natively. The face itself reads its options and values, and
    # writes the result. Puppet renders what has no native result, what can see variables of `--values_file`,
    # and everything with `--debug`.
    #
    # @api private
    module Rendering
      # The variables that a compiler sets, besides those of the node.
      VARIABLES = %w[facts trusted server_facts].freeze

      # Words in templates that can lead to `$trusted`, which a node of the face has not.
      TRUSTING = /trusted|epp|template|lookup|::/.freeze

      # The title of the resource whose parameter is the result.
      TITLE = 'bunraku'
      private_constant :TITLE, :TRUSTING, :VARIABLES

      class << self
        # Installs itself before Puppet's methods.
        #
        # @api private
        def install
          evaluator = ::Puppet::Pops::Evaluator::EppEvaluator.singleton_class
          Untouched.replace(:compiler, evaluator, :inline_epp) do |original|
            lambda do |asked, scope, source, *arguments|
              Rendering.rendered(scope, 'inline_epp', source, arguments.first) { source } || original.bind(asked).call(scope, source, *arguments)
            end
          end
          Untouched.replace(:compiler, evaluator, :epp) do |original|
            lambda do |asked, scope, file, environment, *arguments|
              Rendering.rendered(scope, 'epp', file, arguments.first) { text_of(file, environment) } ||
                original.bind(asked).call(scope, file, environment, *arguments)
            end
          end
        end

        # Renders a template for the face.
        #
        # @param scope [Puppet::Parser::Scope]
        # @param function [String] the function that does it
        # @param source [String] its argument
        # @param values [Hash, nil]
        # @yieldreturn [String, nil] the template
        # @return [String, nil] nil if Puppet has to render
        # @api private
        def rendered(scope, function, source, values)
          return unless DropIn.enabled?(:compiler) && for_face?(scope) && Compiler.native?(scope.compiler.class)

          node = scope.compiler.node
          assert_plain(scope, node)
          raise Compiler::Unsuitable, 'a template can read $trusted' unless node.trusted_data || !yield.to_s.match?(TRUSTING)

          arguments = [source, values].compact.map { |value| literal(value) }
          Compiler.evaluate(node, "notify { #{literal(TITLE)}: message => #{function}(#{arguments.join(', ')}) }") do |catalog|
            result = catalog["Notify[#{TITLE}]"].parameters['message']
            raise Compiler::Unsuitable, 'a template gives a secret' unless result.is_a?(String)

            result
          end
        rescue Compiler::Unsuitable => e
          Report.left(:compiler, e.message)
        end

        private

        # Whether the face calls, whose compiler has compiled nothing.
        def for_face?(scope)
          scope.instance_of?(::Puppet::Parser::Scope) && scope.compiler.topscope.equal?(scope) &&
            caller_locations(1, 8).any? { |place| place.path.to_s.end_with?('/puppet/face/epp.rb') }
        end

        # The scope has the variables of the node only.
        def assert_plain(scope, node)
          raise Compiler::Unsuitable, 'a template is rendered with --debug' if ::Puppet::Util::Log.sendlevel?(:debug)

          own = scope.to_hash(false, true).keys - node.parameters.keys.map(&:to_s) - VARIABLES
          raise Compiler::Unsuitable, 'a template sees variables of its caller' unless own.empty?
        end

        def text_of(file, environment)
          path = ::Puppet::Parser::Files.find_template(file, environment)
          path && Files.read(path)
        end

        # A value in the language.
        def literal(value)
          case value
          when nil then 'undef'
          when true, false, Integer then value.to_s
          when String then "'#{value.gsub(/[\\']/) { |one| "\\#{one}" }}'"
          when Float then value.finite? ? value.to_s : unsuitable(value)
          when Array then "[#{value.map { |inner| literal(inner) }.join(', ')}]"
          when Hash then "{#{value.map { |key, inner| "#{literal(key)} => #{literal(inner)}" }.join(', ')}}"
          else unsuitable(value)
          end
        end

        def unsuitable(value)
          raise Compiler::Unsuitable, "a #{value.class} among the values of a template"
        end
      end
    end
  end
end

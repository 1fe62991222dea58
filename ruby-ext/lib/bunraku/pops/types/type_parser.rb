# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Reads types from text.
      class TypeParser
        class << self
          # @return [TypeParser]
          def singleton
            @singleton ||= new
          end

          # @param expression [Object] an expression of the language: a text, or what has its text
          # @return [String]
          # @api private
          def text_of(expression)
            case expression
            when String then expression
            when Bunraku::Program then expression.body.source_text
            when Bunraku::Node then expression.source_text
            else expression.respond_to?(:text) ? expression.text : expression.to_s
            end
          end
        end

        # @param text [String]
        # @param context [Object, nil] resolves names: a {Bunraku::Environment}, an object with
        #   `load(:type, name)`, or a Hash of types by names in lower case. Unknown names are a
        #   {PTypeReferenceType}
        # @return [PAnyType]
        # @raise [Puppet::ParseError] the text is not a type
        def parse(text, context = nil)
          loader = Bunraku::Pops::Loader.of(context)
          Bunraku::Pops.type(translated { Bunraku::Type.__send__(:native_parse_type, text, loader) })
        end

        # @param text [String] a literal that may contain types
        # @param context [Object, nil]
        # @return [Object]
        # @raise [Puppet::ParseError] the text is not a literal
        def parse_literal(text, context = nil)
          loader = Bunraku::Pops::Loader.of(context)
          translated { Bunraku::Type.__send__(:native_parse_literal, text, loader, Bunraku::Pops) }
        end

        # @param expression [Object] an expression of the language
        # @param context [Object, nil]
        # @return [PAnyType]
        def interpret(expression, context = nil)
          parse(self.class.text_of(expression), context)
        end

        # @param expression [Object] an expression of the language
        # @param context [Object, nil]
        # @return [Object]
        def interpret_any(expression, context = nil)
          parse_literal(self.class.text_of(expression), context)
        end

        private

        def translated(&block)
          Bunraku::Pops.call(Puppet::ParseError, &block)
        end
      end
    end
  end
end

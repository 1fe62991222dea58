# frozen_string_literal: true

require_relative 'cache'
require_relative 'untouched'

module Bunraku
  module DropIn
    # `Puppet::Pops::Types::TypeParser#parse`: types that mean the same everywhere, because they contain no
    # name that an environment defines, are parsed once.
    module Types
      # The maximum number of bytes of text whose types are cached.
      CACHED = 1024 * 1024

      # Names of types that no environment defines, and whose objects have no later state.
      PLAIN = %w[
        Any Array Binary Boolean Callable Class Collection Default Enum Float Hash Integer Iterable Iterator NotUndef Numeric
        Optional Pattern Regexp Scalar ScalarData SemVer SemVerRange Sensitive String Struct Timespan Timestamp Tuple Type URI
        Undef Variant
      ].to_h { |name| [name, true] }.freeze

      class << self
        # Installs itself before Puppet's method.
        #
        # @api private
        def install
          parser = ::Puppet::Pops::Types::TypeParser
          @parser = parser
          @cache = Cache.new(CACHED)
          Untouched.replace(:types, parser, :parse) do |original|
            lambda do |asked, text, context = nil|
              Types.parse(asked, text) { original.bind(asked).call(text, context) }
            end
          end
          @own = Untouched.new(parser => Untouched.methods_of(parser) - [:parse])
        end

        # @return the cached result for a text, or the result of the block
        # @api private
        def parse(parser, text)
          return yield unless DropIn.enabled?(:types) && parser.instance_of?(@parser) && text.instance_of?(String)

          plain = parser.class.opt_type_map[text]
          return plain if plain
          return yield unless @own.untouched?(:types)

          unless text.scan(/[A-Z]\w*(?:::\w+)*/).all? { |name| PLAIN[name] }
            Report.left(:types, 'a type that environments define')
            return yield
          end
          Report.native(:types)
          @cache.fetch([text]) { yield }
        end
      end
    end
  end
end

# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `TypeSet[definition]`
      class PTypeSetType < PAnyType
        # @return [String, nil] the authority that the name is unique for
        attr_reader :name_authority

        # @overload initialize(definition)
        #   @param definition [Hash{String => Object}]
        # @overload initialize(name, expression, name_authority)
        #   @param name [String]
        #   @param expression [Object] its definition in the language
        #   @param name_authority [String]
        def initialize(definition, expression = nil, name_authority = nil)
          @name_authority = name_authority
          if definition.is_a?(Hash)
            @name = definition['name']
            @expression = Bunraku::Pops.value(definition.reject { |key, _| key == 'name' }).format('%p')
            resolve(nil)
          else
            @name = definition
            @expression = expression
          end
        end

        # @return [PTypeSetType] itself, with the names in its definition resolved
        def resolve(loader)
          return self if @native

          text = "TypeSet[#{TypeParser.text_of(@expression)}]"
          of = Bunraku::Pops.call(Puppet::ParseError) { Bunraku::Type.__send__(:native_define, @name, text, Bunraku::Pops::Loader.of(loader)) }
          self.native = of
          self
        end

        # @return [String]
        def name
          @name || @native.name || simple_name
        end
      end
    end
  end
end

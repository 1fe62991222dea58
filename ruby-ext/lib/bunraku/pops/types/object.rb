# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Object[definition]`
      class PObjectType < PAnyType
        # The classes of members.
        PAnnotatedMember = PAnnotatedMember
        PAttribute = PAttribute
        PFunction = PFunction

        # @return [Class, nil] the class that implements it, which {Puppet::DataTypes.create_type} declared
        def implementation_class
          Bunraku::Pops.implementation(self)
        end

        # @overload initialize(definition)
        #   @param definition [Hash{String => Object}]
        # @overload initialize(name, expression)
        #   @param name [String]
        #   @param expression [Object] its definition in the language
        def initialize(definition = {}, expression = nil)
          return define(definition, expression) if definition.is_a?(String)

          self.native = definition.is_a?(Hash) ? Bunraku::Pops.call(Puppet::ParseError) { made(definition) } : make([definition])
        end

        # @return [String] the name; that of the kind for an anonymous type
        def name
          @native.name || ''
        end

        # @return [String]
        def label
          name.empty? ? '<anonymous object type>' : name
        end

        # @return [String]
        def simple_name
          label.split('::').last
        end

        # @return [PObjectType, nil]
        def parent
          _pcore_init_hash['parent']
        end

        # @param include_parent [Boolean] whether inherited ones are included, before the own ones
        # @return [Hash{String => PAttribute}] the attributes
        def attributes(include_parent = false) # rubocop:disable Style/OptionalBooleanParameter
          members(include_parent).reject { |_, member| member.is_a?(PFunction) }
        end

        # See {#attributes}.
        #
        # @return [Hash{String => PFunction}] the functions
        def functions(include_parent = false) # rubocop:disable Style/OptionalBooleanParameter
          members(include_parent).select { |_, member| member.is_a?(PFunction) }
        end

        # See {#attributes}.
        #
        # @return [Hash{String => PAnnotatedMember}] attributes and functions
        def members(include_parent = false) # rubocop:disable Style/OptionalBooleanParameter
          include_parent ? all_members : all_members.select { |_, member| member.container.equal?(self) }
        end

        # @return [PAnnotatedMember, nil] an attribute or function
        def [](name)
          all_members[name]
        end
        alias member []

        # @return [Array<String>, nil] the attributes that decide about equality; nil for all
        def equality
          names = native_equality[0]
          names && (names.size == 1 && _pcore_init_hash['equality'].is_a?(String) ? names.first : names)
        end

        # @return [Hash{String => PAttribute}] all attributes that decide about equality, those of parents
        #   first
        def equality_attributes
          inherited = parent.is_a?(PObjectType) ? parent.equality_attributes : {}
          names = native_equality[0] || attributes.reject { |_, one| one.constant? }.keys
          inherited.merge(names.to_h { |name| [name, self[name]] })
        end

        # @return [Boolean] whether instances of other types are never equal
        def equality_include_type?
          native_equality[1]
        end
        alias equality_include_type equality_include_type?

        # @return [PStructType] the type of the hashes that make instances
        def init_hash_type
          Bunraku::Pops.type(Bunraku::Pops.call(ArgumentError) { @native.__send__(:native_init_hash_type) })
        end
        alias i12n_type init_hash_type

        # @return [Hash{String => Object}] the definition
        def _pcore_init_hash
          native_attributes['_pcore_init_hash'] || {}
        end

        # @return [PObjectType] itself, with the names in its definition resolved
        def resolve(loader)
          return self if @native

          text = TypeParser.text_of(@expression)
          of = Bunraku::Pops.call(Puppet::ParseError) { Bunraku::Type.__send__(:native_define, @name, text, Bunraku::Pops::Loader.of(loader)) }
          self.native = of
          self
        end

        # @return [Object]
        def create(*arguments)
          implementation_class ? implementation_class.new(*arguments) : super
        end

        # @return [Object] an instance of a hash of attributes
        def from_hash(hash)
          create(hash)
        end

        private

        def native_equality
          @native_equality ||= @native.__send__(:native_equality)
        end

        # All members, those of parents first.
        def all_members
          @all_members ||= begin
            rows = Bunraku::Pops.call { @native.__send__(:native_members, Bunraku::Pops) }
            above = lineage
            rows.sort_by.with_index { |(_, row), index| [above.index { |type| type.name == row[0] } || above.size, index] }.to_h do |name, row|
              owner = above.find { |type| type.name == row[0] } || self
              [name, (row[2] == 'Function' ? PFunction : PAttribute).new(name, owner, *row[1..])]
            end
          end
        end

        # This type behind its parents.
        def lineage
          types = [self]
          types.unshift(types.first.parent) while types.first.parent.is_a?(PObjectType)
          types
        end

        def made(definition)
          Bunraku::Type.__send__(:native_of_attributes, 'Object', [definition], Bunraku::Pops)
        end

        def define(name, expression)
          @name = name
          @expression = expression
        end
      end

      # An Object type with its parameters.
      class PObjectTypeExtension < PAnyType
        attributes :base_type, :init_parameters

        # @param base_type [PObjectType]
        # @param init_parameters [Array<Object>]
        def self.create(base_type, init_parameters)
          new(base_type, init_parameters)
        end

        # @return [String]
        def self.simple_name
          'ObjectTypeExtension'
        end

        # @return [String]
        def name
          base_type.name
        end

        # @return [Object]
        def create(*arguments)
          base_type.create(*arguments)
        end
      end
    end
  end
end

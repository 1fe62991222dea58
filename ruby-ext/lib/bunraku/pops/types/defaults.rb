# frozen_string_literal: true

module Puppet
  module Pops
    # The types without parameters.
    module Types
      constants.grep(/\AP\w+Type\z/).each do |name|
        owner = const_get(name)
        next if [PTypeAliasType, PTypeReferenceType, PUnitType, PAbstractTimeDataType, PTypeWithContainedType].include?(owner)

        owner.const_set(:DEFAULT, owner.wrap(Bunraku::Type.parse(owner.simple_name)))
      end

      # Further names of two classes.
      PType = PTypeType
      PHostClassType = PClassType

      PTypeReferenceType::DEFAULT = PTypeReferenceType.new('UnresolvedReference')
      PTypeAliasType::DEFAULT = PTypeAliasType.new('UnresolvedAlias', nil, PTypeReferenceType::DEFAULT)
      PUnitType::DEFAULT = PUnitType.new
      PBooleanType::TRUE = PBooleanType.new(true)
      PBooleanType::FALSE = PBooleanType.new(false)
      PStringType::NON_EMPTY = PStringType.new(PIntegerType.new(1))
      PCollectionType::DEFAULT_SIZE = PIntegerType.new(0)
      PCollectionType::NOT_EMPTY_SIZE = PIntegerType.new(1)
      PArrayType::EMPTY = PArrayType.new(PUnitType::DEFAULT, PIntegerType.new(0, 0))
      PHashType::EMPTY = PHashType.new(PUnitType::DEFAULT, PUnitType::DEFAULT, PIntegerType.new(0, 0))
    end
  end
end

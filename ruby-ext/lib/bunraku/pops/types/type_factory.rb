# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # Makes types. Where a type is expected, a class of Ruby means its instances, and any other object its
      # own type.
      module TypeFactory
        # Methods without parameters, and their types.
        PLAIN = { integer: 'Integer', float: 'Float', numeric: 'Numeric', any: 'Any', scalar: 'Scalar', scalar_data: 'ScalarData',
                  all_callables: 'Callable', data: 'Data', rich_data: 'RichData', rich_data_key: 'RichDataKey', undef: 'Undef',
                  default: 'Default', binary: 'Binary', catalog_entry: 'CatalogEntry', sem_ver_range: 'SemVerRange', error: 'Error',
                  deferred: 'Deferred', array_of_any: 'Array[Any]', array_of_data: 'Array[Data]', hash_of_any: 'Hash[Any, Any]',
                  hash_of_data: 'Hash[String, Data]' }.freeze
        # Classes of Ruby that mean types of the language.
        CLASSES = { Integer => 'Integer', Float => 'Float', Numeric => 'Numeric', String => 'String', Regexp => 'Regexp', NilClass => 'Undef',
                    TrueClass => 'Boolean[true]', FalseClass => 'Boolean[false]', Array => 'Array', Hash => 'Hash' }.freeze

        PLAIN.each do |name, text|
          type = Bunraku::Pops.type(Bunraku::Type.parse(text))
          define_singleton_method(name) { type }
        end

        class << self
          # @return [PIntegerType] `nil` and `:default` are no bound
          def range(from, to)
            PIntegerType.new(*bounds(from, to))
          end

          # @return [PFloatType]
          def float_range(from, to)
            PFloatType.new(*bounds(from, to))
          end

          # @return [PSensitiveType]
          def sensitive(type = nil)
            type ? PSensitiveType.new(type_of(type)) : PSensitiveType::DEFAULT
          end

          # @return [PInitType]
          def init(*arguments)
            return PInitType::DEFAULT if arguments.empty?

            type, *rest = arguments
            PInitType.new(type_of(type), rest)
          end

          # @return [PIterableType]
          def iterable(type = nil)
            type ? PIterableType.new(type_of(type)) : PIterableType::DEFAULT
          end

          # @return [PIteratorType]
          def iterator(type = nil)
            type ? PIteratorType.new(type_of(type)) : PIteratorType::DEFAULT
          end

          # @param given [PIntegerType, String, nil] the size, or the only instance
          # @return [PStringType]
          def string(given = nil, *_)
            given.nil? ? PStringType::DEFAULT : PStringType.new(given)
          end

          # @return [POptionalType] of a type, or of one text
          def optional(type = nil)
            POptionalType.new(type_or_text(type))
          end

          # @return [PNotUndefType] of a type, or of one text
          def not_undef(type = nil)
            PNotUndefType.new(type_or_text(type))
          end

          # @param values [Array<String>] and true, if case is of no meaning
          # @return [PEnumType]
          def enum(*values)
            flag = values.last == true || values.last == false ? values.pop : false
            PEnumType.new(values, flag)
          end

          # @return [PAnyType] a Variant, or the only one of the types
          def variant(*types)
            PVariantType.maybe_create(types.map { |type| type_of(type) })
          end

          # @param members [Hash] types by name; a name can be a type, too: `Optional['name']`
          # @return [PStructType]
          def struct(members = {})
            given = members.transform_values { |type| type_of(type) }
            given.empty? ? PStructType::DEFAULT : keyed('Struct', [given])
          end

          # @param definition [Hash{String => Object}, nil]
          # @return [PObjectType]
          def object(definition = nil, _loader = nil)
            definition.nil? || definition.empty? ? PObjectType::DEFAULT : PObjectType.new(definition)
          end

          # @param definition [Hash{String => Object}, nil]
          # @return [PTypeSetType]
          def type_set(definition = nil)
            definition.nil? || definition.empty? ? PTypeSetType::DEFAULT : PTypeSetType.new(definition)
          end

          # @param bounds [Array<Object>] texts, numbers, hashes, points in time
          # @return [PTimestampType]
          def timestamp(*bounds)
            bounds.empty? ? PTimestampType::DEFAULT : PTimestampType.new(*bounds)
          end

          # @param bounds [Array<Object>] texts, numbers, hashes, durations
          # @return [PTimespanType]
          def timespan(*bounds)
            bounds.empty? ? PTimespanType::DEFAULT : PTimespanType.new(*bounds)
          end

          # @param types [Array<Object>]
          # @param size [PIntegerType, nil]
          # @return [PTupleType]
          def tuple(types = [], size = nil)
            PTupleType.new(types.map { |type| type_of(type) }, size)
          end

          # @return [PBooleanType]
          def boolean(value = nil)
            value.nil? ? PBooleanType::DEFAULT : PBooleanType.new(value)
          end

          # @param pattern [Regexp, String, nil]
          # @return [PRegexpType]
          def regexp(pattern = nil)
            pattern ? PRegexpType.new(pattern) : PRegexpType::DEFAULT
          end

          # @param patterns [Array<Regexp, String, PRegexpType, PPatternType>]
          # @return [PPatternType]
          def pattern(*patterns)
            patterns.empty? ? PPatternType::DEFAULT : keyed('Pattern', patterns)
          end

          # @param parameters [Array<Object>] types, sizes, a type of a block; or a list of these and the type
          #   of the result
          # @return [PCallableType]
          def callable(*parameters)
            given = parameters
            given, result = parameters if parameters.size == 2 && parameters[0].is_a?(Array)
            *rest, last = given
            block = last if last.is_a?(PAnyType) && last.kind_of_callable?
            rest = given unless block
            types, size = split_size(rest)
            types = [PUnitType::DEFAULT] if types.empty? && size && size.numeric_to.positive?
            PCallableType.new(PTupleType.new(types.map { |type| type_of(type) }, size), block, result && type_of(result))
          end

          # @param size [PIntegerType, nil]
          # @return [PCollectionType]
          def collection(size = nil)
            size ? PCollectionType.new(size) : PCollectionType::DEFAULT
          end

          # @param ranges [Array<String, SemanticPuppet::VersionRange>]
          # @return [PSemVerType]
          def sem_ver(*ranges)
            ranges.empty? ? PSemVerType::DEFAULT : PSemVerType.new(ranges)
          end

          # @param type [String, PResourceType, nil]
          # @param title [String, nil]
          # @return [PResourceType]
          # @raise [ArgumentError] the name is not one of a type
          def resource(type = nil, title = nil)
            type = type.type_name if type.is_a?(PResourceType)
            return PResourceType::DEFAULT if type.nil? && title.nil?
            raise ArgumentError, "Illegal type name '#{type}'" unless type.to_s.match?(/\A(?:::)?[[:alpha:]]\w*(?:::[[:alpha:]]\w*)*\z/)

            PResourceType.new(type, title)
          end

          # @param name [String, nil]
          # @return [PClassType]
          def host_class(name = nil)
            name ? PClassType.new(name.delete_prefix('::')) : PClassType::DEFAULT
          end

          # @param type [Object]
          # @param size [PIntegerType, nil]
          # @return [PArrayType]
          def array_of(type, size = nil)
            PArrayType.new(type_of(type), size)
          end

          # @param value [Object] the type of the values
          # @param key [Object] the type of the keys
          # @param size [PIntegerType, nil]
          # @return [PHashType]
          def hash_of(value, key = scalar, size = nil)
            PHashType.new(type_of(key), type_of(value), size)
          end

          # As {hash_of}, with the key first.
          def hash_kv(key, value, size = nil)
            hash_of(value, key, size)
          end

          # @return [PTypeType]
          def type_type(type = nil)
            type.nil? ? PTypeType::DEFAULT : PTypeType.new(type)
          end

          # @param parameters [String, URI, Hash, nil]
          # @return [PURIType]
          def uri(parameters = nil)
            parameters.nil? ? PURIType::DEFAULT : keyed('URI', [parameters])
          end

          # @return [PRuntimeType] the type of an object's class
          def ruby(object)
            runtime(:ruby, (object.is_a?(Class) ? object : object.class).name)
          end

          # @return [PRuntimeType] the type of a class of Ruby by its name
          def ruby_type(name = nil)
            runtime(:ruby, name)
          end

          # @param runtime [String, Symbol, nil]
          # @param name [String, Array(Regexp, String), nil]
          # @return [PRuntimeType]
          def runtime(runtime = nil, name = nil)
            PRuntimeType.new(runtime, name)
          end

          # @param name [String, nil]
          # @param expression [PAnyType, Object, nil]
          # @return [PTypeAliasType]
          def type_alias(name = nil, expression = nil)
            name ? PTypeAliasType.new(name, expression) : PTypeAliasType::DEFAULT
          end

          # @param text [String, nil]
          # @return [PTypeReferenceType]
          def type_reference(text = nil)
            text ? PTypeReferenceType.new(text) : PTypeReferenceType::DEFAULT
          end

          # @return [Boolean] whether an object can be a bound of a size
          def is_range_parameter?(object) # rubocop:disable Naming/PredicateName
            object.is_a?(Integer) || ['default', :default].include?(object)
          end

          # @return [PAnyType] the type that an object means
          def type_of(object)
            case object
            when PAnyType then object
            when Module then CLASSES.key?(object) ? Bunraku::Pops.type(Bunraku::Type.parse(CLASSES[object])) : ruby_type(object.name)
            when Bunraku::Type then Bunraku::Pops.type(object)
            when String then ruby_type(object)
            else TypeCalculator.infer(object).generalize
            end
          end

          # @return [String]
          def label(type)
            type.to_s
          end

          # @return [PAnyType] `Name[keys]`
          # @api private
          def keyed(name, keys)
            bare = Bunraku::Type.parse(name)
            return Bunraku::Pops.type(bare) if keys.empty?

            Bunraku::Pops.call(ArgumentError) { bare.__send__(:native_access, keys, Bunraku::Pops::Loader.of(nil), Bunraku::Pops) }
          end

          private

          def bounds(*given)
            given.map { |bound| bound unless [:default, 'default'].include?(bound) }
          end

          def type_or_text(type)
            return if type.nil?

            type.is_a?(String) ? string(type) : type_of(type)
          end

          def split_size(given)
            return [given, nil] unless is_range_parameter?(given.last)
            return [given[0..-3], range(*given.last(2))] if given.size > 1 && is_range_parameter?(given[-2])

            [given[0..-2], range(given.last, :default)]
          end
        end
      end
    end
  end
end

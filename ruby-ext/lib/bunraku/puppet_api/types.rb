# frozen_string_literal: true

# Types of the language, as functions use them. Each is a Bunraku::Type in a class with Puppet's name.
module Puppet
  module Pops
    module Types # rubocop:disable Metrics/ModuleLength
      # A type.
      class PAnyType
        # @return [Bunraku::Type]
        attr_reader :native

        def initialize(native)
          @native = native
        end

        # The value in the language.
        def bunraku_meaning
          @native
        end

        # @return [Boolean] whether an object is of this type
        def instance?(object, _guard = nil)
          @native.instance?(BUNRAKU.native(object))
        rescue TypeError
          # A Ruby object that is not a value.
          %w[Any Runtime].include?(@native.kind)
        end
        alias === instance?

        # @return [Boolean] whether all instances of another type are instances of this one
        def assignable?(type, _guard = nil)
          @native.assignable?(Types.native(type))
        end

        # @return [String]
        def to_s
          @native.to_s
        end
        alias to_alias_expanded_s to_s
        alias inspect to_s

        # @return [String] such as `Integer`
        def simple_name
          @native.kind == 'TypeAlias' ? @native.name : @native.kind
        end

        # @return [String]
        def name
          @native.name || simple_name
        end

        # @return [PAnyType]
        def generalize
          Types.wrap(@native.generalize)
        end

        # @return [PAnyType]
        def normalize(_guard = nil)
          Types.wrap(@native.normalize)
        end

        # @return [PAnyType] the target of an alias
        def resolved_type
          Types.wrap(@native.resolved)
        end

        # Makes a value.
        def create(*arguments)
          BUNRAKU.call.call_function('new', self, *arguments)
        end

        # @return [Boolean]
        def ==(other)
          other.is_a?(PAnyType) && native == other.native
        end
        alias eql? ==

        # @return [Integer]
        def hash
          @native.hash
        end

        # The text in the brackets.
        def parameters_text
          to_s[/\A[\w:]+\[(.*)\]\z/m, 1]
        end
        private :parameters_text
      end

      # The classes of types by the names of {Bunraku::Type#kind}, each with its superclass.
      KINDS = {
        'CatalogEntry' => 'Any', 'Class' => 'CatalogEntry', 'Resource' => 'CatalogEntry', 'Scalar' => 'Any',
        'ScalarData' => 'Scalar', 'Numeric' => 'ScalarData', 'Integer' => 'Numeric', 'Float' => 'Numeric',
        'Boolean' => 'ScalarData', 'Regexp' => 'Scalar', 'String' => 'ScalarData', 'Enum' => 'ScalarData', 'Pattern' => 'ScalarData',
        'Timestamp' => 'Scalar', 'Timespan' => 'Scalar', 'SemVer' => 'Scalar', 'SemVerRange' => 'Any', 'Binary' => 'Any',
        'Collection' => 'Any', 'Array' => 'Collection', 'Hash' => 'Collection', 'Tuple' => 'Any', 'Struct' => 'Any',
        'Undef' => 'Any', 'Default' => 'Any', 'Unit' => 'Any', 'Optional' => 'Any', 'NotUndef' => 'Any', 'Variant' => 'Any',
        'Type' => 'Any', 'Callable' => 'Any', 'Runtime' => 'Any', 'Iterable' => 'Any', 'Iterator' => 'Any', 'Init' => 'Any',
        'Sensitive' => 'Any', 'TypeAlias' => 'Any', 'TypeReference' => 'Any', 'Object' => 'Any', 'TypeSet' => 'Any', 'URI' => 'Any'
      }.freeze

      KINDS.each do |kind, above|
        name = "P#{kind}Type"
        const_set(name, Class.new(const_get("P#{above}Type"))) unless const_defined?(name, false)
      end
      (KINDS.keys + ['Any']).each do |kind|
        const_get("P#{kind}Type").const_set(:DEFAULT, const_get("P#{kind}Type").new(Bunraku::Type.parse(kind)))
      rescue Bunraku::Error
        # No type of the language has this name.
      end

      # References to resources and classes.
      class PCatalogEntryType
        # @return [Puppet::Resource] the object that functions of the 3.x API receive
        def to_resource
          Puppet::Resource.new(*type_and_title)
        end
      end

      # `Class[name]`
      class PClassType
        # @return [String, nil]
        def class_name
          parameters_text&.delete_prefix("'")&.delete_suffix("'")
        end

        # Of a resource.
        def type_and_title
          ['Class', class_name]
        end
      end

      # `Type[title]`
      class PResourceType
        # @return [String, nil]
        def type_name
          return to_s[/\A[\w:]+/] unless to_s.match?(/\AResource\b/)

          parameters_text&.split(',', 2)&.first&.delete("'")
        end

        # @return [String, nil]
        def title
          text = to_s.match?(/\AResource\b/) ? parameters_text.to_s.split(/,\s*/, 2)[1] : parameters_text
          text && Types.unquote(text)
        end

        # Of a resource.
        def type_and_title
          [type_name, title || '']
        end
      end

      # `Type[of]`
      class PTypeType
        # @return [PAnyType]
        def type
          inner = parameters_text
          inner ? Types.parse(inner) : PAnyType::DEFAULT
        end
      end

      # `Array[of]`, `Hash[key, of]`: their element types.
      [PArrayType, PHashType, PIterableType, POptionalType, PNotUndefType, PSensitiveType].each do |type|
        type.class_eval do
          # @return [PAnyType]
          def element_type
            part = Types.split(parameters_text.to_s).reject { |text| text.match?(/\A(\d+|default)\z/) }.last
            part ? Types.parse(part) : PAnyType::DEFAULT
          end
          alias_method :value_type, :element_type
          alias_method :type, :element_type
        end
      end

      class << self
        # @param native [Bunraku::Type]
        # @return [PAnyType] an object of the class for its kind
        def wrap(native)
          const_get("P#{native.kind}Type", false).new(native)
        rescue NameError
          PAnyType.new(native)
        end

        # @param type [PAnyType, Bunraku::Type]
        # @return [Bunraku::Type]
        def native(type)
          type.is_a?(PAnyType) ? type.native : type
        end

        # @param text [String]
        # @return [PAnyType] with the names that the compilation can resolve
        def parse(text)
          call = Bunraku::Call.current
          wrap(call ? call.parse_type(text) : Bunraku::Type.parse(text, allow_unresolved: true))
        end

        # The text of a literal.
        def unquote(text)
          return text unless text.match?(/\A(['"]).*\1\z/m)

          text[1..-2].gsub(/\\(['"\\$])/, '\1')
        end

        # Splits a list at commas outside of brackets and texts.
        def split(text)
          rest = text.dup
          parts = []
          pattern = /\A\s*((?:[^,\[\]{}'"]|'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|(?<in>[\[{](?:[^\[\]{}'"]|'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|\g<in>)*[\]}]))+),?/m
          while (match = pattern.match(rest))
            parts << match[0].chomp(',').strip
            rest = match.post_match
          end
          parts
        end
      end

      # Parses types.
      class TypeParser
        # @return [TypeParser]
        def self.singleton
          @singleton ||= new
        end

        # @param text [String]
        # @return [PAnyType]
        def parse(text, _context = nil)
          Types.parse(text)
        end

        # @return [PAnyType] the type of a literal
        def parse_literal(text, context = nil)
          parse(text, context)
        end
      end

      # Relations between types, and between types and values.
      class TypeCalculator
        class << self
          # @return [TypeCalculator]
          def singleton
            @singleton ||= new
          end

          def instance?(type, object)
            Types.wrap(Types.native(type)).instance?(object)
          end

          def assignable?(one, other)
            Types.wrap(Types.native(one)).assignable?(other)
          end

          def infer(object)
            Types.wrap(Bunraku::Type.infer(BUNRAKU.native(object), :reduced))
          end

          def infer_set(object)
            Types.wrap(Bunraku::Type.infer(BUNRAKU.native(object), :detailed))
          end

          def generalize(type)
            type.generalize
          end

          def is_kind_of_callable?(type, _optional = true) # rubocop:disable Naming/PredicateName, Style/OptionalBooleanParameter
            type.is_a?(PCallableType)
          end

          def iterable(type)
            Types.parse("Iterable[#{type}]")
          end
        end

        %i[instance? assignable? infer infer_set generalize].each do |name|
          define_method(name) { |*arguments| self.class.public_send(name, *arguments) }
        end

        # @return [PAnyType] without bounds and values
        def infer_generic(object)
          infer(object).generalize
        end

        # @return [PAnyType]
        def common_type(one, other)
          Types.wrap(Bunraku::Type.common(Types.native(one), Types.native(other)))
        end

        # @return [String]
        def string(type)
          type.to_s
        end
      end

      # Formats types.
      class TypeFormatter
        # @return [TypeFormatter]
        def self.singleton
          @singleton ||= new
        end

        # @return [String] `Foo::Bar` of `foo::bar`
        def capitalize_segments(name)
          return name if !name.is_a?(String) || name.match?(/^[A-Z]/)

          name.split('::').map(&:capitalize).join('::')
        end

        # @return [String]
        def string(type)
          type.to_s
        end
        alias alias_expanded_string string
      end

      # Describes why a value or type does not match.
      class TypeMismatchDescriber
        # @return [TypeMismatchDescriber]
        def self.singleton
          @singleton ||= new
        end

        # See the method of instances.
        def self.describe_signatures(name, signatures, types)
          singleton.describe_signatures(name, signatures, types)
        end

        # @return [String]
        def describe_mismatch(name, expected, actual)
          Types.native(expected).describe_mismatch(name.to_s, Types.native(actual))
        end

        # @param name [String] the function
        # @param signatures [Array<Functions::Dispatch>]
        # @param arguments [Array] the arguments of the call
        # @return [String]
        def describe_signatures(name, signatures, arguments)
          values = arguments.is_a?(Array) ? arguments : [arguments]
          BUNRAKU.call.describe_mismatch(name.to_s, signatures.map(&:signature), values.map { |one| BUNRAKU.describable(one) })
        end
      end

      # Checks values.
      module TypeAsserter
        # @return [Object] the value
        # @raise [TypeAssertionError] the value is not an instance of the type
        def self.assert_instance_of(subject, type, value, nil_ok = false) # rubocop:disable Style/OptionalBooleanParameter
          return value if (value.nil? && nil_ok) || type.instance?(value)

          subject = yield(subject) if block_given?
          actual = TypeCalculator.infer_set(value)
          text = TypeMismatchDescriber.singleton.describe_mismatch("#{subject} has wrong type,", type, actual)
          raise TypeAssertionError.new(text, type, actual)
        end

        # @return [PAnyType] the type
        # @raise [TypeAssertionError] the type cannot be assigned
        def self.assert_assignable(subject, type, actual)
          return actual if type.assignable?(actual)

          subject = yield(subject) if block_given?
          text = TypeMismatchDescriber.singleton.describe_mismatch("#{subject} is incorrect,", type, actual)
          raise TypeAssertionError.new(text, type, actual)
        end
      end

      # Makes types.
      module TypeFactory
        SIMPLE = %w[Any Integer Float Numeric String Boolean Scalar ScalarData Data RichData Undef Default Binary Collection
                    CatalogEntry Regexp SemVerRange Callable Timestamp Timespan].freeze
        NAMES = { 'any' => 'Any', 'scalar_data' => 'ScalarData', 'rich_data' => 'RichData', 'catalog_entry' => 'CatalogEntry',
                  'sem_ver_range' => 'SemVerRange', 'all_callables' => 'Callable' }.freeze

        SIMPLE.each do |type|
          name = NAMES.key(type) || type.downcase
          define_singleton_method(name) { |*_sizes| Types.parse(type) }
        end

        class << self
          def range(from, to)
            Types.parse("Integer[#{from}, #{to}]")
          end

          def array_of(type, size = nil)
            Types.parse("Array[#{[of(type), *bounds(size)].join(', ')}]")
          end

          def hash_of(value, key = scalar, size = nil)
            Types.parse("Hash[#{[of(key), of(value), *bounds(size)].join(', ')}]")
          end

          def hash_kv(key, value, size = nil)
            hash_of(value, key, size)
          end

          def array_of_any
            Types.parse('Array[Any]')
          end

          def array_of_data
            Types.parse('Array[Data]')
          end

          def hash_of_any
            Types.parse('Hash[Any, Any]')
          end

          def hash_of_data
            Types.parse('Hash[String, Data]')
          end

          def optional(type = nil)
            Types.parse(type ? "Optional[#{of(type)}]" : 'Optional')
          end

          def not_undef(type = nil)
            Types.parse(type ? "NotUndef[#{of(type)}]" : 'NotUndef')
          end

          def sensitive(type = nil)
            Types.parse(type ? "Sensitive[#{of(type)}]" : 'Sensitive')
          end

          def iterable(type = nil)
            Types.parse(type ? "Iterable[#{of(type)}]" : 'Iterable')
          end

          def type_type(type = nil)
            Types.parse(type ? "Type[#{of(type)}]" : 'Type')
          end

          def variant(*types)
            Types.parse("Variant[#{types.map { |type| of(type) }.join(', ')}]")
          end

          def tuple(types, size = nil)
            Types.parse("Tuple[#{[*types.map { |type| of(type) }, *bounds(size)].join(', ')}]")
          end

          def enum(*values)
            Types.parse("Enum[#{values.map { |value| quote(value) }.join(', ')}]")
          end

          def pattern(*patterns)
            Types.parse("Pattern[#{patterns.map { |one| one.is_a?(Regexp) ? "/#{one.source}/" : quote(one) }.join(', ')}]")
          end

          def struct(members)
            Types.parse("Struct[{#{members.map { |name, type| "#{name.is_a?(PAnyType) ? name : quote(name)} => #{of(type)}" }.join(', ')}}]")
          end

          def resource(type = nil, title = nil)
            Types.parse(type ? "Resource[#{[quote(type), *(title && quote(title))].join(', ')}]" : 'Resource')
          end

          def host_class(name = nil)
            Types.parse(name ? "Class[#{quote(name)}]" : 'Class')
          end

          def sem_ver(*ranges)
            Types.parse(ranges.empty? ? 'SemVer' : "SemVer[#{ranges.map { |range| quote(range) }.join(', ')}]")
          end

          # The type of a Ruby class, or the type that a name refers to.
          def type_of(object)
            case object
            when PAnyType then object
            when Class
              names = { Integer => 'Integer', Float => 'Float', String => 'String', Array => 'Array', Hash => 'Hash',
                        Regexp => 'Regexp', TrueClass => 'Boolean', FalseClass => 'Boolean', NilClass => 'Undef' }
              Types.parse(names.fetch(object) { "Runtime[ruby, #{quote(object.name)}]" })
            else Types.parse(object.to_s)
            end
          end

          private

          def of(type)
            type_of(type).to_s
          end

          def bounds(size)
            size ? [of(size)[/\[(.*)\]/, 1]].compact : []
          end

          def quote(text)
            "'#{text.to_s.gsub(/['\\]/) { |character| "\\#{character}" }}'"
          end
        end
      end

      # Everything that can be iterated: arrays, hashes, texts, numbers, number types.
      class Iterable
        include Enumerable

        # @return [Iterable]
        # @raise [ArgumentError] the object cannot be iterated
        def self.asserted_iterable(caller, object, _infer_elements = false) # rubocop:disable Style/OptionalBooleanParameter
          on(object) || raise(::ArgumentError, "#{caller.class}(): wrong argument type (#{object.class}; is not Iterable.")
        end

        # @return [Iterable, nil]
        def self.on(object, _element_type = nil, _infer_elements = true) # rubocop:disable Style/OptionalBooleanParameter
          case object
          when Iterable then object
          when Hash then new(object.each_pair, true)
          when Array then new(object.each, false)
          when String then new(object.each_char, false)
          when Integer then object.negative? ? nil : new(object.times, false)
          when PAnyType then object.native.kind == 'Integer' ? of_native(object) : nil
          end
        end

        # An iterable for a value that only the library can iterate.
        def self.of_native(object)
          new(Bunraku::Type.parse('Array').new(BUNRAKU.native(object)).each, false)
        end

        def initialize(enumerator, is_hash)
          @enumerator = enumerator
          @is_hash = is_hash
        end

        # @return [Boolean] whether it yields keys with their values
        def hash_style?
          @is_hash
        end

        def each(&block)
          block ? @enumerator.each(&block) : @enumerator
        end

        # @return [Object] the next element
        # @raise [StopIteration] there are no more elements
        def next
          @enumerator.next
        end

        def size
          @enumerator.size
        end

        # The value in the language.
        def bunraku_meaning
          Bunraku::Value.__send__(:native_of, @enumerator.to_a, BUNRAKU)
        end
      end
    end

    # Values as data.
    module Serialization
      # To data.
      class ToDataConverter
        # @return [Object] nil, true, false, numbers, Strings, Arrays, Hashes
        def self.convert(value, options = {})
          known = options.slice(:rich_data, :local_reference, :type_by_reference, :symbol_as_string, :message_prefix)
          Bunraku::Pcore.to_data(BUNRAKU.native(value), **known)
        end
      end

      # From data.
      class FromDataConverter
        # @return [Object]
        def self.convert(data, _options = {})
          Bunraku::Pcore.from_data(data)
        end
      end
    end

    # Places in manifests.
    module PuppetStack
      # @return [Array<Array(String, Integer)>] the calls in progress, the innermost first
      def self.stacktrace
        BUNRAKU.call.stack
      end

      # @return [Array(String, Integer)] the innermost
      def self.top_of_stack
        stacktrace.first || []
      end
    end
  end
end

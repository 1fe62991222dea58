# frozen_string_literal: true

module Bunraku
  # The natives of {Type}.
  class Type
    include Natives::Handle

    # How types are inferred.
    INFERENCES = %w[detailed reduced generalized].freeze
    private_constant :INFERENCES

    class << self
      def native_parse(text, environment, allow_unresolved)
        type = wrap(:type_parse, text, environment&.handle)
        unknown = type.to_s[/\bTypeReference\['(.*?)'\]/, 1] unless environment || allow_unresolved
        return type if unknown.nil? || text.include?('TypeReference')

        raise Error, "the type #{unknown} is not known: it takes the environment that defines it"
      end

      def native_infer(object, method)
        inference = INFERENCES.index(method) || raise(ArgumentError, "method is one of #{INFERENCES.join(', ')}")
        wrap(:type_infer, Value.of(object).handle, inference)
      end

      def native_common(one, other)
        wrap(:type_common, one.handle, other.handle)
      end

      private

      def wrap(*arguments)
        new(Library.make(:type, *arguments))
      end
    end

    def instance?(object)
      Library.type_is_instance(handle, Value.of(object).handle)
    end

    def assignable?(other)
      Library.type_is_assignable(handle, other.handle)
    end

    def ==(other)
      other.is_a?(Type) && Library.type_equals(handle, other.handle)
    end
    alias eql? ==

    def hash
      to_s.hash
    end

    def to_s
      Library.text(:type_to_string, handle)
    end

    def name
      Library.text(:type_name, handle)
    end

    def kind
      Library.text(:type_kind, handle)
    end

    %i[generalize normalize resolved].each do |name|
      define_method(name) { Type.new(Library.make(:type, :"type_#{name}", handle)) }
    end

    def describe_mismatch(name, actual)
      Library.text(:type_describe_mismatch, handle, actual.handle, name)
    end

    def native_new(arguments, environment)
      Value.new(Library.make(:value, :type_new, handle, Value.of(arguments).handle, environment&.handle)).to_ruby
    end

    def native_mismatch(object, name)
      Library.text(:type_mismatch, handle, Value.of(object).handle, name)
    end
  end

  # The natives of {Value}.
  class Value
    include Natives::Handle

    class << self
      def of(object)
        return object if object.is_a?(Value)
        return new(Library.make(:value, :type_to_value, object.handle)) if object.is_a?(Type)

        from_data(RichData.of(object))
      end

      # @param data [Object] rich data
      # @return [Value]
      # @api private
      def from_data(data)
        new(Library.make(:value, :value_from_data, JSON.generate(data, max_nesting: false), nil, true))
      end
    end

    def to_data
      JSON.parse(Library.text(:value_to_data, handle, '{}'), create_additions: false, max_nesting: false)
    end

    def to_ruby
      RichData.to_ruby(to_data) { self }
    end

    def to_s
      format('')
    end

    # @return [Type] that the value is
    # @api private
    def to_type
      Type.new(Library.make(:type, :type_from_value, handle))
    end

    def format(format)
      Library.text(:value_to_string, handle, format)
    end

    def type
      Type.infer(self, :reduced)
    end

    def unwrap
      data = to_data
      raise TypeError, 'the value is no Sensitive' unless data.is_a?(Hash) && data['__ptype'] == 'Sensitive'

      RichData.to_ruby(data['__pvalue'])
    end

    def attributes
      data = to_data
      return {} unless data.is_a?(Hash) && data.key?('__ptype') && !data.key?('__pvalue')

      data.reject { |name, _| name == '__ptype' }.transform_values { |one| RichData.to_ruby(one) }
    end

    def ==(other)
      other.is_a?(Value) && Library.value_equals(handle, other.handle)
    end
    alias eql? ==

    def hash
      to_data.hash
    end
  end
end

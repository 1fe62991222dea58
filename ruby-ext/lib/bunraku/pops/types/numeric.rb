# frozen_string_literal: true

module Puppet
  module Pops
    module Types
      # `Numeric`, and what its subtypes have in common.
      class PNumericType < PScalarDataType
        attributes :from, :to

        # @return [Numeric] the least instance
        def numeric_from
          from || -Float::INFINITY
        end

        # @return [Numeric] the greatest instance
        def numeric_to
          to || Float::INFINITY
        end

        # @return [Boolean] whether it has no bounds
        def unbounded?
          from.nil? && to.nil?
        end

        # @return [Boolean] whether a type of the same kind has instances in common
        def intersect?(other)
          instance_of?(other.class) && numeric_from <= other.numeric_to && other.numeric_from <= numeric_to
        end

        # @return [PNumericType, nil] the range of both, if there is no gap between them
        def merge(other)
          return unless intersect?(other) || adjacent?(other)

          from = [numeric_from, other.numeric_from].min
          to = [numeric_to, other.numeric_to].max
          self.class.new(*[from, to].map { |bound| bound unless bound.abs == Float::INFINITY })
        end

        # @return [Boolean] whether one range begins behind the end of the other
        def adjacent?(_other)
          false
        end

        private

        def make(given)
          super(given.map { |bound| bound unless bound.is_a?(Float) && bound.infinite? })
        end
      end

      # `Integer[from, to]`
      class PIntegerType < PNumericType
        include Enumerable

        # @return [Boolean]
        def finite_range?
          !from.nil? && !to.nil?
        end

        # See {PNumericType#adjacent?}.
        def adjacent?(other)
          other.is_a?(PIntegerType) && (other.numeric_to + 1 == numeric_from || numeric_to + 1 == other.numeric_from)
        end

        # @return [Numeric] the number of instances
        def size
          finite_range? ? to - from + 1 : Float::INFINITY
        end

        # @return [Array<Numeric>] both bounds
        def range
          [numeric_from, numeric_to]
        end

        # Calls the block with each instance.
        def each(&block)
          return enum_for(:each) { size } unless block

          from.upto(numeric_to, &block) if finite_range?
        end

        # @return [PIntegerType] the bounds as those of a size
        def to_size
          from.nil? || from.negative? ? PIntegerType.new(0, to) : self
        end
      end

      # `Float[from, to]`
      class PFloatType < PNumericType; end

      # `Boolean[value]`
      class PBooleanType < PScalarDataType
        # @return [Boolean, nil]
        attr_reader :value

        def initialize(value = nil)
          @value = value
          self.native = value.nil? ? Bunraku::Type.parse('Boolean') : Bunraku::Type.parse("Boolean[#{value}]")
        end

        private

        def native=(of)
          super
          @value = { 'Boolean[true]' => true, 'Boolean[false]' => false }[of.to_s]
        end
      end
    end
  end
end

# frozen_string_literal: true

module Bunraku
  class Registry
    # The interface of a Proc for the lambda of a call. A class that includes it has the member `@call`.
    #
    # @api private
    module LambdaOfCall
      # @return [Integer] the arity of a lambda with the same parameters
      def arity
        required, optional, has_rest = @call.block_parameters
        optional.zero? && !has_rest ? required : -required - 1
      end

      # @return [Array<Array(Symbol, Symbol)>]
      def parameters(**)
        required, optional, has_rest = @call.block_parameters
        list = Array.new(required) { |index| [:req, :"p#{index}"] } + Array.new(optional) { |index| [:opt, :"o#{index}"] }
        has_rest ? list + [[:rest, :rest]] : list
      end

      # @return [Boolean]
      def lambda?
        true
      end

      # The object that the reference calls the closure: this block.
      def closure
        self
      end
    end
  end
end

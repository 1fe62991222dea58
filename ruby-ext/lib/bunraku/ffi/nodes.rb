# frozen_string_literal: true

# Generated from the table of nodes (core/syntax/src/ast/nodes.rs) by `make ruby-nodes`; do not edit.
module Bunraku
  class BinaryProgram
    # The part of the binary form after the table of nodes.
    #
    # @api private
    module Nodes
      # The version of the form.
      VERSION = 1

      ASSIGNMENT_OPERATOR = %w[= += -=].freeze
      ARITHMETIC_OPERATOR = %w[+ - * / % << >>].freeze
      RELATIONSHIP_OPERATOR = %w[-> ~> <- <~].freeze
      COMPARISON_OPERATOR = %w[== != < <= > >=].freeze
      MATCH_OPERATOR = %w[=~ !~].freeze
      ATTRIBUTE_OPERATOR = %w[=> +>].freeze
      RESOURCE_FORM = %w[regular virtual exported].freeze

      # The kinds of nodes, in order, and the names of their fields.
      KINDS = {
        'Nop' => %w[].freeze,
        'ParenthesizedExpression' => %w[expr].freeze,
        'NotExpression' => %w[expr].freeze,
        'UnaryMinusExpression' => %w[expr].freeze,
        'UnfoldExpression' => %w[expr].freeze,
        'AssignmentExpression' => %w[operator left_expr right_expr].freeze,
        'ArithmeticExpression' => %w[operator left_expr right_expr].freeze,
        'RelationshipExpression' => %w[operator left_expr right_expr].freeze,
        'AccessExpression' => %w[left_expr keys].freeze,
        'ComparisonExpression' => %w[operator left_expr right_expr].freeze,
        'MatchExpression' => %w[operator left_expr right_expr].freeze,
        'InExpression' => %w[left_expr right_expr].freeze,
        'AndExpression' => %w[left_expr right_expr].freeze,
        'OrExpression' => %w[left_expr right_expr].freeze,
        'LiteralList' => %w[values].freeze,
        'KeyedEntry' => %w[key value].freeze,
        'LiteralHash' => %w[entries].freeze,
        'BlockExpression' => %w[statements].freeze,
        'ApplyBlockExpression' => %w[statements].freeze,
        'CaseOption' => %w[values then_expr].freeze,
        'CaseExpression' => %w[test options].freeze,
        'ExportedQuery' => %w[expr].freeze,
        'VirtualQuery' => %w[expr].freeze,
        'AttributeOperation' => %w[attribute_name operator value_expr].freeze,
        'AttributesOperation' => %w[expr].freeze,
        'CollectExpression' => %w[type_expr query operations].freeze,
        'Parameter' => %w[name value type_expr captures_rest].freeze,
        'FunctionDefinition' => %w[name parameters body return_type].freeze,
        'ResourceTypeDefinition' => %w[name parameters body].freeze,
        'TypeAlias' => %w[name type_expr].freeze,
        'TypeMapping' => %w[type_expr mapping_expr].freeze,
        'TypeDefinition' => %w[name parent body].freeze,
        'NodeDefinition' => %w[parent host_matches body].freeze,
        'HeredocExpression' => %w[syntax text_expr].freeze,
        'HostClassDefinition' => %w[name parameters body parent_class].freeze,
        'PlanDefinition' => %w[name parameters body return_type].freeze,
        'LambdaExpression' => %w[parameters body return_type].freeze,
        'ApplyExpression' => %w[arguments body].freeze,
        'IfExpression' => %w[test then_expr else_expr].freeze,
        'UnlessExpression' => %w[test then_expr else_expr].freeze,
        'CallFunctionExpression' => %w[rval_required functor_expr arguments lambda].freeze,
        'CallNamedFunctionExpression' => %w[rval_required functor_expr arguments lambda].freeze,
        'CallMethodExpression' => %w[rval_required functor_expr arguments lambda].freeze,
        'LiteralRegularExpression' => %w[pattern].freeze,
        'LiteralString' => %w[value].freeze,
        'LiteralInteger' => %w[radix value].freeze,
        'LiteralFloat' => %w[value].freeze,
        'LiteralUndef' => %w[].freeze,
        'LiteralDefault' => %w[].freeze,
        'LiteralBoolean' => %w[value].freeze,
        'TextExpression' => %w[expr].freeze,
        'ConcatenatedString' => %w[segments].freeze,
        'QualifiedName' => %w[value].freeze,
        'ReservedWord' => %w[word future].freeze,
        'QualifiedReference' => %w[cased_value].freeze,
        'VariableExpression' => %w[expr].freeze,
        'EppExpression' => %w[parameters_specified body].freeze,
        'RenderStringExpression' => %w[value].freeze,
        'RenderExpression' => %w[expr].freeze,
        'ResourceBody' => %w[title operations].freeze,
        'ResourceExpression' => %w[form type_name bodies].freeze,
        'ResourceDefaultsExpression' => %w[form type_ref operations].freeze,
        'ResourceOverrideExpression' => %w[form resources operations].freeze,
        'SelectorEntry' => %w[matching_expr value_expr].freeze,
        'SelectorExpression' => %w[left_expr selectors].freeze,
        'NamedAccessExpression' => %w[left_expr right_expr].freeze,
        'Error' => %w[].freeze
      }.freeze

      private

      # The fields of a node of a kind, by the kind's number.
      def fields(kind)
        case kind
        when 0 then [] # Nop
        when 1 then [node] # ParenthesizedExpression
        when 2 then [node] # NotExpression
        when 3 then [node] # UnaryMinusExpression
        when 4 then [node] # UnfoldExpression
        when 5 then [operator(ASSIGNMENT_OPERATOR), node, node] # AssignmentExpression
        when 6 then [operator(ARITHMETIC_OPERATOR), node, node] # ArithmeticExpression
        when 7 then [operator(RELATIONSHIP_OPERATOR), node, node] # RelationshipExpression
        when 8 then [node, nodes] # AccessExpression
        when 9 then [operator(COMPARISON_OPERATOR), node, node] # ComparisonExpression
        when 10 then [operator(MATCH_OPERATOR), node, node] # MatchExpression
        when 11 then [node, node] # InExpression
        when 12 then [node, node] # AndExpression
        when 13 then [node, node] # OrExpression
        when 14 then [nodes] # LiteralList
        when 15 then [node, node] # KeyedEntry
        when 16 then [nodes] # LiteralHash
        when 17 then [nodes] # BlockExpression
        when 18 then [nodes] # ApplyBlockExpression
        when 19 then [nodes, (boolean ? node : nil)] # CaseOption
        when 20 then [node, nodes] # CaseExpression
        when 21 then [(boolean ? node : nil)] # ExportedQuery
        when 22 then [(boolean ? node : nil)] # VirtualQuery
        when 23 then [pooled_text, operator(ATTRIBUTE_OPERATOR), node] # AttributeOperation
        when 24 then [node] # AttributesOperation
        when 25 then [node, node, nodes] # CollectExpression
        when 26 then [pooled_text, (boolean ? node : nil), (boolean ? node : nil), boolean] # Parameter
        when 27 then [pooled_text, nodes, (boolean ? node : nil), (boolean ? node : nil)] # FunctionDefinition
        when 28 then [pooled_text, nodes, (boolean ? node : nil)] # ResourceTypeDefinition
        when 29 then [pooled_text, (boolean ? node : nil)] # TypeAlias
        when 30 then [(boolean ? node : nil), (boolean ? node : nil)] # TypeMapping
        when 31 then [pooled_text, (boolean ? pooled_text : nil), (boolean ? node : nil)] # TypeDefinition
        when 32 then [(boolean ? node : nil), nodes, (boolean ? node : nil)] # NodeDefinition
        when 33 then [(boolean ? pooled_text : nil), node] # HeredocExpression
        when 34 then [pooled_text, nodes, (boolean ? node : nil), (boolean ? pooled_text : nil)] # HostClassDefinition
        when 35 then [pooled_text, nodes, (boolean ? node : nil), (boolean ? node : nil)] # PlanDefinition
        when 36 then [nodes, (boolean ? node : nil), (boolean ? node : nil)] # LambdaExpression
        when 37 then [nodes, (boolean ? node : nil)] # ApplyExpression
        when 38 then [node, (boolean ? node : nil), (boolean ? node : nil)] # IfExpression
        when 39 then [node, (boolean ? node : nil), (boolean ? node : nil)] # UnlessExpression
        when 40 then [boolean, node, nodes, (boolean ? node : nil)] # CallFunctionExpression
        when 41 then [boolean, node, nodes, (boolean ? node : nil)] # CallNamedFunctionExpression
        when 42 then [boolean, node, nodes, (boolean ? node : nil)] # CallMethodExpression
        when 43 then [pooled_text] # LiteralRegularExpression
        when 44 then [pooled_text] # LiteralString
        when 45 then [byte, integer] # LiteralInteger
        when 46 then [float] # LiteralFloat
        when 47 then [] # LiteralUndef
        when 48 then [] # LiteralDefault
        when 49 then [boolean] # LiteralBoolean
        when 50 then [node] # TextExpression
        when 51 then [nodes] # ConcatenatedString
        when 52 then [pooled_text] # QualifiedName
        when 53 then [pooled_text, boolean] # ReservedWord
        when 54 then [pooled_text] # QualifiedReference
        when 55 then [node] # VariableExpression
        when 56 then [boolean, (boolean ? node : nil)] # EppExpression
        when 57 then [pooled_text] # RenderStringExpression
        when 58 then [node] # RenderExpression
        when 59 then [(boolean ? node : nil), nodes] # ResourceBody
        when 60 then [operator(RESOURCE_FORM), node, nodes] # ResourceExpression
        when 61 then [operator(RESOURCE_FORM), (boolean ? node : nil), nodes] # ResourceDefaultsExpression
        when 62 then [operator(RESOURCE_FORM), node, nodes] # ResourceOverrideExpression
        when 63 then [node, node] # SelectorEntry
        when 64 then [node, nodes] # SelectorExpression
        when 65 then [node, node] # NamedAccessExpression
        when 66 then [] # Error
        else damaged
        end
      end
    end
  end
end

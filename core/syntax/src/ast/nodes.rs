//! The table of nodes. Names and fields are the reference's (`pops/model/ast.pp`), letter for letter.
//!
//! One declaration produces the enum [`Node`], its [`Kind`], and the generic view [`Node::fields`] for
//! writers and walkers. Code that interprets nodes matches on [`Node`] without `_`, so that a new node does
//! not compile until all such code handles it.

use super::program::{List, NodeId, Program, Text};
use crate::binary::{BinaryError, Coded, Decoder, Encoder};

/// Declares [`Node`], [`Kind`] and the generic access to fields from one table.
macro_rules! nodes {
    ($( $(#[$doc:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident : $type:ty ),* $(,)? } )*) => {
        /// One node of a program. Children are ids in the same program.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Node {
            $( $(#[$doc])* $name { $( $(#[$field_doc])* $field: $type ),* } ),*
        }

        /// The kind of a node, without its fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $( $(#[$doc])* $name ),*
        }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Kind] = &[ $( Kind::$name ),* ];

            /// The reference's class name of the node.
            pub const fn name(self) -> &'static str {
                match self { $( Kind::$name => stringify!($name) ),* }
            }

            /// The names of the node's fields, in order.
            pub const fn field_names(self) -> &'static [&'static str] {
                match self { $( Kind::$name => &[ $( stringify!($field) ),* ] ),* }
            }

            /// The types of the node's fields, in order, as in the table: `Option<NodeId>`, `List`, `Text` …
            /// Generators of readers of the [binary form](crate::binary) need them.
            pub const fn field_types(self) -> &'static [&'static str] {
                match self { $( Kind::$name => &[ $( stringify!($type) ),* ] ),* }
            }
        }

        impl Node {
            /// The kind of this node.
            pub const fn kind(&self) -> Kind {
                match self { $( Node::$name { .. } => Kind::$name ),* }
            }

            /// Writes the fields in order, see [`binary`](crate::binary).
            pub(crate) fn encode(&self, output: &mut Encoder) {
                match *self {
                    $( Node::$name { $( $field ),* } => { $( $field.encode(output); )* } ),*
                }
            }

            /// Reads the fields of a node of a kind.
            pub(crate) fn decode(kind: Kind, input: &mut Decoder<'_>) -> Result<Node, BinaryError> {
                Ok(match kind {
                    $( Kind::$name => Node::$name { $( $field: <$type>::decode(input)? ),* } ),*
                })
            }

            /// Calls `visit` with the name and the value of every field, in order.
            pub fn fields(&self, mut visit: impl FnMut(Field)) {
                match *self {
                    $( Node::$name { $( $field ),* } => {
                        $( visit(Field { name: stringify!($field), value: FieldValue::from($field) }); )*
                    } ),*
                }
                let _ = &mut visit;
            }

            /// Calls `visit` with every child, in order. `program` is the one of the node.
            #[inline]
            pub fn children(&self, program: &Program, mut visit: impl FnMut(NodeId)) {
                match *self {
                    $( Node::$name { $( $field ),* } => { $( $field.each_child(program, &mut visit); )* } ),*
                }
                let _ = (program, &mut visit);
            }
        }
    };
}

nodes! {
    /// Nothing: an empty program or body.
    Nop {}
    /// `(expr)`
    ParenthesizedExpression { expr: NodeId }
    /// `!expr`
    NotExpression { expr: NodeId }
    /// `-expr`
    UnaryMinusExpression { expr: NodeId }
    /// `*expr`
    UnfoldExpression { expr: NodeId }
    /// `left = right`, and `+=`, `-=`, which validation rejects.
    AssignmentExpression { operator: AssignmentOperator, left_expr: NodeId, right_expr: NodeId }
    /// `left + right` and its like.
    ArithmeticExpression { operator: ArithmeticOperator, left_expr: NodeId, right_expr: NodeId }
    /// `left -> right` and its like.
    RelationshipExpression { operator: RelationshipOperator, left_expr: NodeId, right_expr: NodeId }
    /// `left[key, …]`
    AccessExpression { left_expr: NodeId, keys: List }
    /// `left == right` and its like.
    ComparisonExpression { operator: ComparisonOperator, left_expr: NodeId, right_expr: NodeId }
    /// `left =~ right`, `left !~ right`
    MatchExpression { operator: MatchOperator, left_expr: NodeId, right_expr: NodeId }
    /// `left in right`
    InExpression { left_expr: NodeId, right_expr: NodeId }
    /// `left and right`
    AndExpression { left_expr: NodeId, right_expr: NodeId }
    /// `left or right`
    OrExpression { left_expr: NodeId, right_expr: NodeId }
    /// `[value, …]`
    LiteralList { values: List }
    /// `key => value` in a hash.
    KeyedEntry { key: NodeId, value: NodeId }
    /// `{ entry, … }`
    LiteralHash { entries: List }
    /// Statements in sequence.
    BlockExpression { statements: List }
    /// The body of `apply` (tasks mode).
    ApplyBlockExpression { statements: List }
    /// `value, … : { then }` of a case.
    CaseOption { values: List, then_expr: Option<NodeId> }
    /// `case test { option … }`
    CaseExpression { test: NodeId, options: List }
    /// `<<| expr |>>`
    ExportedQuery { expr: Option<NodeId> }
    /// `<| expr |>`
    VirtualQuery { expr: Option<NodeId> }
    /// `name => value`, `name +> value` in a resource.
    AttributeOperation { attribute_name: Text, operator: AttributeOperator, value_expr: NodeId }
    /// `* => expr` in a resource.
    AttributesOperation { expr: NodeId }
    /// `Type <| query |> { operation, … }`
    CollectExpression { type_expr: NodeId, query: NodeId, operations: List }
    /// A parameter of a definition or lambda.
    Parameter { name: Text, value: Option<NodeId>, type_expr: Option<NodeId>, captures_rest: bool }
    /// `function name(parameters) >> return_type { body }`
    FunctionDefinition { name: Text, parameters: List, body: Option<NodeId>, return_type: Option<NodeId> }
    /// `define name(parameters) { body }`
    ResourceTypeDefinition { name: Text, parameters: List, body: Option<NodeId> }
    /// `type Name = type_expr`
    TypeAlias { name: Text, type_expr: Option<NodeId> }
    /// `type Runtime[…] = mapping`
    TypeMapping { type_expr: Option<NodeId>, mapping_expr: Option<NodeId> }
    /// `type Name inherits Parent { … }`
    TypeDefinition { name: Text, parent: Option<Text>, body: Option<NodeId> }
    /// `node host, … inherits parent { body }`
    NodeDefinition { parent: Option<NodeId>, host_matches: List, body: Option<NodeId> }
    /// `@(TAG:syntax)`
    HeredocExpression { syntax: Option<Text>, text_expr: NodeId }
    /// `class name(parameters) inherits parent_class { body }`
    HostClassDefinition { name: Text, parameters: List, body: Option<NodeId>, parent_class: Option<Text> }
    /// `plan name(parameters) { body }` (tasks mode)
    PlanDefinition { name: Text, parameters: List, body: Option<NodeId>, return_type: Option<NodeId> }
    /// `|parameters| >> return_type { body }`
    LambdaExpression { parameters: List, body: Option<NodeId>, return_type: Option<NodeId> }
    /// `apply(arguments) { body }` (tasks mode)
    ApplyExpression { arguments: List, body: Option<NodeId> }
    /// `if test { then } else { else }`
    IfExpression { test: NodeId, then_expr: Option<NodeId>, else_expr: Option<NodeId> }
    /// `unless test { then } else { else }`
    UnlessExpression { test: NodeId, then_expr: Option<NodeId>, else_expr: Option<NodeId> }
    /// A call of something that is not a name.
    CallFunctionExpression { rval_required: bool, functor_expr: NodeId, arguments: List, lambda: Option<NodeId> }
    /// `name(arguments) |lambda|`, `name arguments`
    CallNamedFunctionExpression { rval_required: bool, functor_expr: NodeId, arguments: List, lambda: Option<NodeId> }
    /// `receiver.name(arguments) |lambda|`
    CallMethodExpression { rval_required: bool, functor_expr: NodeId, arguments: List, lambda: Option<NodeId> }
    /// `/pattern/`
    LiteralRegularExpression { pattern: Text }
    /// A string without interpolation.
    LiteralString { value: Text }
    /// A whole number; the radix is that of its notation.
    LiteralInteger { radix: Radix, value: i64 }
    /// A number with a fraction or an exponent.
    LiteralFloat { value: f64 }
    /// `undef`
    LiteralUndef {}
    /// `default`
    LiteralDefault {}
    /// `true`, `false`
    LiteralBoolean { value: bool }
    /// An interpolated expression of a string.
    TextExpression { expr: NodeId }
    /// A string with interpolation.
    ConcatenatedString { segments: List }
    /// `a::b`
    QualifiedName { value: Text }
    /// A reserved word.
    ReservedWord { word: Text, future: bool }
    /// `A::B`
    QualifiedReference { cased_value: Text }
    /// `$expr`
    VariableExpression { expr: NodeId }
    /// A template.
    EppExpression { parameters_specified: bool, body: Option<NodeId> }
    /// Text of a template.
    RenderStringExpression { value: Text }
    /// `<%= expr %>`
    RenderExpression { expr: NodeId }
    /// `title: operation, …` of a resource.
    ResourceBody { title: Option<NodeId>, operations: List }
    /// `type { body; … }`, `@type { … }`, `@@type { … }`
    ResourceExpression { form: ResourceForm, type_name: NodeId, bodies: List }
    /// `Type { operation, … }`
    ResourceDefaultsExpression { form: ResourceForm, type_ref: Option<NodeId>, operations: List }
    /// `Type[title] { operation, … }`
    ResourceOverrideExpression { form: ResourceForm, resources: NodeId, operations: List }
    /// `match => value` of a selector.
    SelectorEntry { matching_expr: NodeId, value_expr: NodeId }
    /// `left ? { entry, … }`
    SelectorExpression { left_expr: NodeId, selectors: List }
    /// `left.right`
    NamedAccessExpression { left_expr: NodeId, right_expr: NodeId }
    /// Text that the recovering parser could not parse; never made by the ordinary parser.
    Error {}
}

impl Kind {
    /// Whether nodes of this kind are named definitions: the reference's `Definition`.
    pub const fn is_definition(self) -> bool {
        matches!(
            self,
            Self::HostClassDefinition
                | Self::ResourceTypeDefinition
                | Self::FunctionDefinition
                | Self::PlanDefinition
                | Self::NodeDefinition
                | Self::TypeAlias
                | Self::TypeDefinition
                | Self::TypeMapping
        )
    }
}

/// Declares an enum of operators with their texts.
macro_rules! operators {
    ($( $(#[$doc:meta])* $name:ident { $( $variant:ident $text:literal ),* $(,)? } )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $( $variant ),* }

        impl $name {
            /// Every operator, in the order of the table.
            pub const ALL: &'static [$name] = &[ $( $name::$variant ),* ];

            /// The text of the operator.
            pub const fn text(self) -> &'static str {
                match self { $( $name::$variant => $text ),* }
            }
        }

        impl Coded for $name {
            fn encode(&self, output: &mut Encoder) {
                output.byte(*self as u8);
            }

            fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
                Self::ALL.get(usize::from(input.byte()?)).copied().ok_or(BinaryError)
            }
        }

        impl HoldsNodes for $name {}

        impl From<$name> for FieldValue {
            fn from(operator: $name) -> Self {
                FieldValue::Symbol(operator.text())
            }
        }
    )*

        /// The enumerations of operators and forms: names, as [`Kind::field_types`] has them, and texts, in
        /// order.
        pub const OPERATORS: &[(&str, &[&str])] = &[ $( (stringify!($name), &[ $( $text ),* ]) ),* ];
    };
}

operators! {
    /// Operators of [`Node::AssignmentExpression`].
    AssignmentOperator { Assign "=", Append "+=", Delete "-=" }
    /// Operators of [`Node::ArithmeticExpression`].
    ArithmeticOperator {
        Plus "+", Minus "-", Multiply "*", Divide "/", Modulo "%", ShiftLeft "<<", ShiftRight ">>",
    }
    /// Operators of [`Node::RelationshipExpression`].
    RelationshipOperator { Before "->", Notify "~>", After "<-", Subscribe "<~" }
    /// Operators of [`Node::ComparisonExpression`].
    ComparisonOperator {
        Equal "==", NotEqual "!=", Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=",
    }
    /// Operators of [`Node::MatchExpression`].
    MatchOperator { Match "=~", NotMatch "!~" }
    /// Operators of [`Node::AttributeOperation`].
    AttributeOperator { Set "=>", Append "+>" }
    /// The form of a resource expression.
    ResourceForm { Regular "regular", Virtual "virtual", Exported "exported" }
}

/// The notation of a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Radix {
    Octal = 8,
    Decimal = 10,
    Hexadecimal = 16,
}

/// A field of a node, in generic form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The field's name in the reference.
    pub name: &'static str,
    /// The content.
    pub value: FieldValue,
}

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue {
    Absent,
    Node(NodeId),
    Nodes(List),
    Text(Text),
    Symbol(&'static str),
    Integer(i64),
    Float(f64),
    Boolean(bool),
}

/// The children of a field.
trait HoldsNodes: Sized {
    /// Calls `visit` with every node in the field.
    #[inline]
    fn each_child(self, _program: &Program, _visit: &mut impl FnMut(NodeId)) {}
}

impl HoldsNodes for NodeId {
    #[inline]
    fn each_child(self, _program: &Program, visit: &mut impl FnMut(NodeId)) {
        visit(self);
    }
}
impl HoldsNodes for List {
    #[inline]
    fn each_child(self, program: &Program, visit: &mut impl FnMut(NodeId)) {
        program.list(self).iter().copied().for_each(visit);
    }
}
impl<T: HoldsNodes> HoldsNodes for Option<T> {
    #[inline]
    fn each_child(self, program: &Program, visit: &mut impl FnMut(NodeId)) {
        if let Some(field) = self {
            field.each_child(program, visit);
        }
    }
}
impl HoldsNodes for Text {}
impl HoldsNodes for Radix {}
impl HoldsNodes for bool {}
impl HoldsNodes for i64 {}
impl HoldsNodes for f64 {}

impl From<NodeId> for FieldValue {
    fn from(id: NodeId) -> Self {
        Self::Node(id)
    }
}
impl From<List> for FieldValue {
    fn from(list: List) -> Self {
        Self::Nodes(list)
    }
}
impl From<Text> for FieldValue {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}
impl From<Radix> for FieldValue {
    fn from(radix: Radix) -> Self {
        Self::Integer(radix as i64)
    }
}
impl From<i64> for FieldValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}
impl From<f64> for FieldValue {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}
impl From<bool> for FieldValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}
impl<T: Into<FieldValue>> From<Option<T>> for FieldValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

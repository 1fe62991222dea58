//! The table of types: every type of the reference with its parameters.
//!
//! A [`Type`] is a shared [`TypeKind`]. `==` is the reference's `eql?` of types. `Data`, `RichData` and
//! `RichDataKey` are aliases there and here; `Deferred`, `Error` and the `Pcore::` meta types are Object
//! types.

use std::hash::{Hash as StdHash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use rustc_hash::FxHasher;

use super::big::BigRange;
use super::kinds::each_kind;
use super::members::Members;
use super::parts::Parameter;
use super::ruby_class::RubyClass;
use super::size_cache::CachedSize;
use super::type_flags::TypeFlags;
use super::value::{RegexpValue, Str, Timespan as Span, Timestamp as Moment, Value, Version, float_key};
use Type as Of;

/// A type. Cloning is cheap; match on it through `*type` or [`Type::kind`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type(Arc<Node>);

/// A type with its size. The note records the shapes that are always instances, and whether the type can
/// replace equal ones.
#[derive(Debug)]
struct Node {
    kind: TypeKind,
    cached_size: CachedSize,
}

/// The bit of a note that is not a shape: whether a type can replace equal ones.
const STANDS_FOR_EQUALS: u8 = 128;

impl Drop for Node {
    /// Deeply nested types are dropped one by one, so that no stack is too small.
    fn drop(&mut self) {
        let mut pending = self.take_parts();
        while let Some(Type(node)) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                pending.append(&mut node.take_parts());
            }
        }
    }
}

impl Node {
    fn new(kind: TypeKind, note: u8) -> Self {
        let cached_size = CachedSize::with_note(note | TypeFlags::accepted_by(&kind).bits());
        Self { kind, cached_size }
    }

    /// Takes the parts that have parts themselves; if there are any, the type has no parts afterwards.
    fn take_parts(&mut self) -> Vec<Type> {
        let mut parts = Vec::new();
        if let TypeKind::Object(object) = &mut self.kind
            && let Some(making) = Arc::get_mut(object).and_then(|object| object.making.take())
        {
            parts.extend([making.by_hash, making.by_position]);
        }
        let is_shared = match &self.kind {
            TypeKind::Object(object) => Arc::strong_count(object) > 1,
            TypeKind::TypeSet(set) => Arc::strong_count(set) > 1,
            TypeKind::Alias(alias) => Arc::strong_count(alias) > 1,
            _ => false,
        };
        if !is_shared {
            self.kind.each_part(&mut |part| {
                if Arc::strong_count(&part.0) == 1 && part.0.kind.has_parts() {
                    parts.push(part.clone());
                }
            });
        }
        if !parts.is_empty() {
            self.kind = TypeKind::Any;
        }
        parts
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Node {}

impl StdHash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl Type {
    /// The kind of the type.
    #[inline]
    pub fn kind(&self) -> &TypeKind {
        &self.0.kind
    }

    pub(crate) fn cached_size(&self) -> &CachedSize {
        &self.0.cached_size
    }

    /// The shapes whose values are always instances of this type. (There can be more.)
    #[inline(always)]
    pub(crate) fn accepted(&self) -> TypeFlags {
        TypeFlags::of_bits(self.0.cached_size.note())
    }

    /// Whether both are the same object.
    pub fn is_same(&self, other: &Type) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether this object has several references.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// A type that can replace equal ones: large data shares its types.
    pub(crate) fn standing_for_equals(kind: TypeKind) -> Self {
        Self(Arc::new(Node::new(kind, STANDS_FOR_EQUALS)))
    }

    /// A type with no shape that is always an instance.
    #[inline]
    pub(crate) fn narrow(kind: TypeKind) -> Self {
        Self(Arc::new(Node { kind, cached_size: CachedSize::with_note(0) }))
    }

    /// As [`standing_for_equals`](Self::standing_for_equals), for types with no shape that is always an
    /// instance.
    #[inline]
    pub(crate) fn narrow_standing_for_equals(kind: TypeKind) -> Self {
        Self(Arc::new(Node { kind, cached_size: CachedSize::with_note(STANDS_FOR_EQUALS) }))
    }

    /// Whether this object can replace equal ones, which are different objects in the reference.
    pub(crate) fn stands_for_equals(&self) -> bool {
        self.0.cached_size.note() & STANDS_FOR_EQUALS != 0
    }

    /// The identity of this object, as long as it is kept.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl Deref for Type {
    type Target = TypeKind;
    fn deref(&self) -> &TypeKind {
        &self.0.kind
    }
}

impl From<TypeKind> for Type {
    fn from(kind: TypeKind) -> Self {
        Self(Arc::new(Node::new(kind, 0)))
    }
}

/// Bounds of a whole number; `None` is `default`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntRange {
    /// The minimum, or none.
    pub from: Option<i64>,
    /// The maximum, or none.
    pub to: Option<i64>,
}

/// Bounds of a number with a fraction; `None` is `default`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatRange {
    /// The minimum, or none.
    pub from: Option<f64>,
    /// The maximum, or none.
    pub to: Option<f64>,
}

impl FloatRange {
    fn key(&self) -> [Option<u64>; 2] {
        [self.from, self.to].map(|bound| bound.map(float_key))
    }
}

impl PartialEq for FloatRange {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for FloatRange {}

impl StdHash for FloatRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Declares [`TypeKind`], and the parts of a type of each kind.
macro_rules! declare {
    (
        $($(#[$unit_doc:meta])* $unit:ident,)*;
        $($(#[$tuple_doc:meta])* $tuple:ident($parameter:ident: $of:ty),)*;
        $($(#[$fields_doc:meta])* $fields:ident {
            $($(#[$field_doc:meta])* $field:ident: $field_of:ty),* $(,)?
            $(; $($(#[$more_doc:meta])* $more:ident: $more_of:ty,)*)?
        },)*
    ) => {
        /// Every type with its parameters. `None` for a parameter is the meaning of the bare name. Make types
        /// with the constructors of [`Type`]: they convert equal types to equal forms (`Array[Any]` is
        /// `Array`).
        #[derive(Clone, Debug)]
        pub enum TypeKind {
            $($(#[$unit_doc])* $unit,)*
            $($(#[$tuple_doc])* $tuple($of),)*
            $($(#[$fields_doc])* $fields {
                $($(#[$field_doc])* $field: $field_of,)*
                $($($(#[$more_doc])* $more: $more_of,)*)?
            },)*
        }

        impl TypeKind {
            /// Calls `visit` with every direct part of a type of this kind.
            pub fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
                // It is of an Object type, but does not consist of that type's parts.
                if matches!(self, TypeKind::ObjectExtension { .. }) {
                    return;
                }
                match self {
                    $(TypeKind::$unit => {})*
                    $(TypeKind::$tuple($parameter) => $parameter.each_type(visit),)*
                    $(TypeKind::$fields { $($field,)* .. } => { $($field.each_type(visit);)* })*
                }
            }
        }
    };
}

each_kind!(declare);

/// The data of a member of a Struct. The key's type determines whether it is optional.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructMember {
    /// The key's name.
    pub name: Str,
    /// The key's type: a string type with the name as value, `Optional` of it, or `NotUndef` of it.
    pub key: Type,
    /// The value's type.
    pub value: Type,
}

/// The parameters of `Callable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallableType {
    /// A Tuple: types and number of the arguments. `None` accepts any arguments. (The bare `Callable` has no
    /// parts at all.)
    pub parameters: Option<Type>,
    /// The block's type: a Callable, or an Optional of one.
    pub block: Option<Type>,
    /// The type of the result.
    pub returns: Option<Type>,
}

/// The second parameter of `Runtime`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeName {
    /// A class.
    Class(RubyClass),
    /// A pattern and its replacement.
    Mapping(Str, Str),
}

/// A name for a type. The target is set once the definition was evaluated, so that it can refer to itself.
pub struct AliasType {
    /// The name, capitalised per segment.
    pub name: Str,
    /// The target.
    pub target: OnceLock<Type>,
    /// Whether the type contains itself, determined on first use.
    pub(crate) recursive: OnceLock<bool>,
}

/// An Object type. The definition is set once it was evaluated, so that attributes can refer to the type.
pub struct ObjectType {
    /// The name; empty for an anonymous type.
    pub name: Str,
    /// The definition.
    pub definition: OnceLock<ObjectDefinition>,
    /// What makes instances, once it was found out for the complete definition.
    pub(crate) making: OnceLock<Making>,
}

/// How instances of an Object type are made.
#[derive(Clone, Debug)]
pub(crate) struct Making {
    /// The function's name in messages.
    pub name: Str,
    /// The attributes that arguments are for, in the order of arguments.
    pub names: Vec<Str>,
    /// The number of arguments without a default.
    pub least: usize,
    /// The Callable for a hash of attributes.
    pub by_hash: Type,
    /// The Callable for arguments.
    pub by_position: Type,
}

/// The definition of an Object type (the reference's `PObjectType`).
#[derive(Clone, Debug, Default)]
pub struct ObjectDefinition {
    /// The parent type.
    pub parent: Option<Type>,
    /// Type parameters by name.
    pub type_parameters: IndexMap<Str, Attribute>,
    /// The type's own attributes by name, including constants.
    pub attributes: IndexMap<Str, Attribute>,
    /// The type's own functions by name.
    pub functions: IndexMap<Str, Function>,
    /// The attributes that determine equality; `None` means all.
    pub equality: Option<Vec<Str>>,
    /// Whether instances of different types are never equal.
    pub equality_include_type: bool,
    /// The order in which attributes are serialized, if it is declared.
    pub serialization: Option<Vec<Str>>,
    /// Annotations by type, if there are any.
    pub annotations: Option<Vec<(Type, Value)>>,
    /// The hash that the type was made from, for showing and serializing it.
    pub init_hash: Option<Value>,
}

/// An attribute of an Object type, or a type parameter.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its type.
    pub attribute_type: Type,
    /// Its kind.
    pub kind: AttributeKind,
    /// The default value.
    pub value: Option<Value>,
    /// Whether it must not be overridden.
    pub is_final: bool,
    /// Whether it overrides an attribute of the parent.
    pub is_override: bool,
    /// Annotations by type, if there are any.
    pub annotations: Option<Vec<(Type, Value)>>,
}

/// The kinds of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AttributeKind {
    #[default]
    Normal,
    Constant,
    Derived,
    GivenOrDerived,
    Reference,
}

/// A function of an Object type: only its type is known to the language.
#[derive(Clone, Debug)]
pub struct Function {
    /// A Callable.
    pub function_type: Type,
    /// Whether it must not be overridden.
    pub is_final: bool,
    /// Whether it overrides a function of the parent.
    pub is_override: bool,
    /// Annotations by type, if there are any.
    pub annotations: Option<Vec<(Type, Value)>>,
}

/// A named set of types.
pub struct TypeSetType {
    /// The name.
    pub name: Str,
    /// The definition, set once it was evaluated.
    pub definition: OnceLock<TypeSetDefinition>,
}

/// The definition of a TypeSet (the reference's `PTypeSetType`).
#[derive(Clone, Debug)]
pub struct TypeSetDefinition {
    /// Its version.
    pub version: Option<Version>,
    /// The authority that names are unique for.
    pub name_authority: Option<Str>,
    /// The version of Pcore.
    pub pcore_version: Option<Version>,
    /// The URI of Pcore.
    pub pcore_uri: Option<Str>,
    /// The types by name.
    pub types: IndexMap<Str, Type>,
    /// References to other sets, by the name used here.
    pub references: IndexMap<Str, TypeSetReference>,
    /// Annotations by type, if there are any.
    pub annotations: Option<Vec<(Type, Value)>>,
}

/// A reference of a TypeSet to another one.
#[derive(Clone, Debug)]
pub struct TypeSetReference {
    /// The set's name.
    pub name: Str,
    /// The authority.
    pub name_authority: Option<Str>,
    /// The accepted versions.
    pub version_range: Arc<VersionRange>,
    /// The set, once resolved.
    pub type_set: Option<Type>,
}

/// A range of semantic versions, with its source text. Two are equal if their versions are, however they were
/// written.
#[derive(Clone, Debug)]
pub struct VersionRange {
    /// The source text, or the reference's notation.
    pub text: Str,
    /// Alternatives, any of which must hold; each is a conjunction of comparisons.
    pub alternatives: Vec<Vec<VersionComparison>>,
}

/// One comparison of a [`VersionRange`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionComparison {
    /// The operator.
    pub operator: VersionOperator,
    /// The operand.
    pub version: Version,
}

/// The comparisons of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VersionOperator {
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
}

/// Implements equality, hashing and a short debug form by name, because one environment has only one
/// definition of a name.
macro_rules! named {
    ($($name:ident),*) => { $(
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                std::ptr::eq(self, other) || (!self.name.is_empty() && self.name == other.name)
            }
        }
        impl Eq for $name {}
        impl StdHash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.name.hash(state);
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, "{}({:?})", stringify!($name), self.name)
            }
        }
    )* };
}

named!(AliasType, TypeSetType);

impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.alternatives == other.alternatives
    }
}

impl Eq for VersionRange {}

impl StdHash for VersionRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.alternatives.hash(state);
    }
}

/// Object types are equal by name; anonymous ones if their definitions are equal.
impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        if !self.name.is_empty() || !other.name.is_empty() {
            return self.name == other.name;
        }
        match (self.definition.get(), other.definition.get()) {
            (Some(a), Some(b)) => {
                a.parent == b.parent
                    && a.type_parameters == b.type_parameters
                    && a.attributes == b.attributes
                    && a.functions == b.functions
                    && a.equality == b.equality
            }
            _ => false,
        }
    }
}

impl Eq for ObjectType {}

impl StdHash for ObjectType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl std::fmt::Debug for ObjectType {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ObjectType({:?})", self.name)
    }
}

impl PartialEq for Attribute {
    fn eq(&self, other: &Self) -> bool {
        self.attribute_type == other.attribute_type
            && self.kind == other.kind
            && self.value == other.value
            && self.is_final == other.is_final
            && self.is_override == other.is_override
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.function_type == other.function_type
            && self.is_final == other.is_final
            && self.is_override == other.is_override
    }
}

/// Whether two lists have the same members, in any order.
fn same_members<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    let all_within = |a: &[T], b: &[T]| a.iter().all(|member| b.contains(member));
    a.len() == b.len() && (a == b || all_within(a, b) && all_within(b, a))
}

/// Hashes a list consistently with [`same_members`]: independent of the order and the repetitions of the
/// members.
fn hash_members<T, H: Hasher>(members: &[T], state: &mut H, hash: impl Fn(&T, &mut FxHasher)) {
    let hashes = members.iter().map(|member| {
        let mut of_member = FxHasher::default();
        hash(member, &mut of_member);
        of_member.finish()
    });
    (members.len(), hashes.clone().min(), hashes.max()).hash(state);
}

/// Names are compared without case where the reference also keeps them in lower case.
fn same_name(a: Option<&Str>, b: Option<&Str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b || a.to_lowercase() == b.to_lowercase(),
        (None, None) => true,
        _ => false,
    }
}

impl PartialEq for TypeKind {
    fn eq(&self, other: &Self) -> bool {
        use TypeKind as T;
        match (self, other) {
            (T::Integer(a), T::Integer(b)) => a == b,
            (T::BigInteger(a), T::BigInteger(b)) => a == b,
            (T::Float(a), T::Float(b)) => a == b,
            (T::Boolean(a), T::Boolean(b)) => a == b,
            (T::String { size, value }, T::String { size: size_b, value: value_b }) => {
                size == size_b && value == value_b
            }
            (T::Enum { values, case_insensitive }, T::Enum { values: b, case_insensitive: fold }) => {
                values == b && case_insensitive == fold
            }
            (T::Pattern(a), T::Pattern(b)) => same_members(a, b),
            (T::Regexp(a), T::Regexp(b)) => a == b,
            (T::Collection { size: a }, T::Collection { size: b }) => a == b,
            (T::Array { element, size }, T::Array { element: b, size: size_b }) => {
                size == size_b && element == b
            }
            (T::Hash { key, value, size }, T::Hash { key: key_b, value: value_b, size: size_b }) => {
                size == size_b && key == key_b && value == value_b
            }
            (T::Tuple { types, size }, T::Tuple { types: b, size: size_b }) => size == size_b && types == b,
            (T::Struct { members: a }, T::Struct { members: b }) => a == b,
            (T::Iterable(a), T::Iterable(b))
            | (T::Iterator(a), T::Iterator(b))
            | (T::Type(a), T::Type(b))
            | (T::Optional(a), T::Optional(b))
            | (T::NotUndef(a), T::NotUndef(b))
            | (T::Sensitive(a), T::Sensitive(b)) => a == b,
            (T::Callable(a), T::Callable(b)) => a == b,
            (T::Variant(a), T::Variant(b)) => same_members(a, b),
            (T::Class(a), T::Class(b)) => a == b,
            (T::Resource { type_name, title, .. }, T::Resource { type_name: b, title: title_b, .. }) => {
                same_name(type_name.as_ref(), b.as_ref()) && title == title_b
            }
            (T::SemVer(a), T::SemVer(b)) => a == b,
            (T::Timestamp { from, to }, T::Timestamp { from: b, to: to_b }) => from == b && to == to_b,
            (T::Timespan { from, to }, T::Timespan { from: b, to: to_b }) => from == b && to == to_b,
            (T::Uri(a), T::Uri(b)) => a == b,
            (T::Runtime { runtime, name }, T::Runtime { runtime: b, name: name_b }) => {
                runtime == b && name == name_b
            }
            (T::Init { of, arguments }, T::Init { of: b, arguments: arguments_b }) => {
                of == b && arguments == arguments_b
            }
            (T::Object(a), T::Object(b)) => a == b,
            (T::ObjectExtension { base, parameters }, T::ObjectExtension { base: b, parameters: p }) => {
                base == b && parameters == p
            }
            (T::TypeSet(a), T::TypeSet(b)) => a == b,
            (T::Alias(a), T::Alias(b)) => a == b,
            (T::Reference(a), T::Reference(b)) => a == b,
            // The remaining kinds have no parameters, or differ.
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Eq for TypeKind {}

/// The depth to which types are hashed. Types that share their parts have too many paths to walk.
const HASH_DEPTH: u32 = 4;

impl StdHash for TypeKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_to_depth(state, HASH_DEPTH);
    }
}

impl TypeKind {
    fn hash_to_depth<H: Hasher>(&self, state: &mut H, depth: u32) {
        use TypeKind as T;
        std::mem::discriminant(self).hash(state);
        let Some(depth) = depth.checked_sub(1) else { return };
        let part = |of: &Type, state: &mut H| of.kind().hash_to_depth(state, depth);
        let part_or_none = |of: &Option<Type>, state: &mut H| match of {
            Some(of) => part(of, state),
            None => 0_u8.hash(state),
        };
        match self {
            T::Any | T::Unit | T::Undef | T::Default | T::Scalar | T::ScalarData | T::Numeric => {}
            T::CatalogEntry | T::SemVerRange | T::Binary => {}
            T::Integer(range) => range.hash(state),
            T::BigInteger(range) => range.hash(state),
            T::Float(range) => range.hash(state),
            T::Boolean(value) => value.hash(state),
            T::String { size, value } => (size, value).hash(state),
            T::Enum { values, case_insensitive } => (values, case_insensitive).hash(state),
            T::Pattern(patterns) => hash_members(patterns, state, |pattern, state| pattern.hash(state)),
            T::Regexp(pattern) => pattern.hash(state),
            T::Collection { size } => size.hash(state),
            T::Array { element, size } => {
                size.hash(state);
                part_or_none(element, state);
            }
            T::Hash { key, value, size } => {
                size.hash(state);
                part_or_none(key, state);
                part_or_none(value, state);
            }
            T::Tuple { types, size } => {
                size.hash(state);
                types.iter().for_each(|of| part(of, state));
            }
            T::Struct { members } => members.iter().for_each(|member| {
                member.name.hash(state);
                part(member.key, state);
                part(member.value, state);
            }),
            T::Iterable(of) | T::Iterator(of) | T::Type(of) | T::Optional(of) => part_or_none(of, state),
            T::NotUndef(of) | T::Sensitive(of) | T::Init { of, .. } => part_or_none(of, state),
            T::Callable(CallableType { parameters, block, returns }) => {
                part_or_none(parameters, state);
                part_or_none(block, state);
                part_or_none(returns, state);
            }
            T::Variant(types) => {
                hash_members(types, state, |of, state| of.kind().hash_to_depth(state, depth))
            }
            T::Class(name) => name.hash(state),
            T::Resource { type_name, title, .. } => {
                (type_name.as_ref().map(|name| name.to_lowercase()), title).hash(state);
            }
            T::SemVer(ranges) => ranges.hash(state),
            T::Timestamp { from, to } => (from, to).hash(state),
            T::Timespan { from, to } => (from, to).hash(state),
            T::Uri(parts) => parts.hash(state),
            T::Runtime { runtime, name } => (runtime, name).hash(state),
            T::Object(object) | T::ObjectExtension { base: object, .. } => object.hash(state),
            T::TypeSet(set) => set.hash(state),
            T::Alias(alias) => alias.hash(state),
            T::Reference(text) => text.hash(state),
        }
    }
}

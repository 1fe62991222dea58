//! Constructors of types. They bring equal types into equal forms, as the reference's constructors do: sizes
//! are not negative, the values of an Enum are sorted, `Any` as an element is the bare collection.

use std::sync::{Arc, LazyLock, OnceLock};

use super::{
    AliasType, CallableType, FloatRange, IntRange, Members, ObjectDefinition, ObjectType, RubyClass,
    RuntimeName, StructMember, Type, TypeKind, VersionRange,
};
use crate::data::value::{RegexpValue, Str, Timespan, Timestamp, Value};
use bunraku_syntax::diagnostic::Error;

/// Declares constructors of the types that are shared because they have no parameters.
macro_rules! constants {
    ($( $(#[$doc:meta])* $name:ident => $kind:expr; )*) => { $(
        $(#[$doc])*
        pub fn $name() -> Type {
            static TYPE: LazyLock<Type> = LazyLock::new(|| Type::from($kind));
            TYPE.clone()
        }
    )* };
}

impl Type {
    constants! {
        /// `Any`
        any => TypeKind::Any;
        /// The type that is assignable to and from everything.
        unit => TypeKind::Unit;
        /// `Undef`
        undef => TypeKind::Undef;
        /// `Default`
        default_type => TypeKind::Default;
        /// `Scalar`
        scalar => TypeKind::Scalar;
        /// `ScalarData`
        scalar_data => TypeKind::ScalarData;
        /// `Numeric`
        numeric => TypeKind::Numeric;
        /// `Integer`
        any_integer => TypeKind::Integer(IntRange::default());
        /// `Float`
        any_float => TypeKind::Float(FloatRange::default());
        /// `Boolean`
        any_boolean => TypeKind::Boolean(None);
        /// `String`
        any_string => TypeKind::String { size: None, value: None };
        /// `String[1]`
        non_empty_string => TypeKind::String { size: Some(IntRange::new(Some(1), None)), value: None };
        /// `Enum`
        any_enum => TypeKind::Enum { values: Vec::new(), case_insensitive: false };
        /// `Pattern`
        any_pattern => TypeKind::Pattern(Vec::new());
        /// `Regexp`
        any_regexp => TypeKind::Regexp(None);
        /// `Collection`
        any_collection => TypeKind::Collection { size: None };
        /// `Array`
        any_array => TypeKind::Array { element: None, size: None };
        /// `Hash`
        any_hash => TypeKind::Hash { key: None, value: None, size: None };
        /// `Array[0, 0]`: the type of the empty array.
        empty_array => TypeKind::Array { element: Some(Type::unit()), size: Some(IntRange::exactly(0)) };
        /// `Hash[0, 0]`: the type of the empty hash.
        empty_hash => TypeKind::Hash {
            key: Some(Type::unit()),
            value: Some(Type::unit()),
            size: Some(IntRange::exactly(0)),
        };
        /// `Tuple`
        any_tuple => TypeKind::Tuple { types: Vec::new(), size: None };
        /// `Struct`
        any_struct => TypeKind::Struct { members: Members::from(Vec::new()) };
        /// `Iterable`
        any_iterable => TypeKind::Iterable(None);
        /// `Iterator`
        any_iterator => TypeKind::Iterator(None);
        /// `Callable`
        any_callable => TypeKind::Callable(CallableType::default());
        /// `Type`
        any_type => TypeKind::Type(None);
        /// `Optional`
        any_optional => TypeKind::Optional(None);
        /// `NotUndef`
        any_not_undef => TypeKind::NotUndef(None);
        /// `Variant`
        any_variant => TypeKind::Variant(Vec::new());
        /// `Sensitive`
        any_sensitive => TypeKind::Sensitive(None);
        /// `CatalogEntry`
        catalog_entry => TypeKind::CatalogEntry;
        /// `Class`
        any_class => TypeKind::Class(None);
        /// `Resource`
        any_resource => TypeKind::Resource { type_name: None, title: None, is_reference: false };
        /// `SemVer`
        any_sem_ver => TypeKind::SemVer(Vec::new());
        /// `SemVerRange`
        sem_ver_range => TypeKind::SemVerRange;
        /// `Timestamp`
        any_timestamp => TypeKind::Timestamp { from: None, to: None };
        /// `Timespan`
        any_timespan => TypeKind::Timespan { from: None, to: None };
        /// `Binary`
        binary => TypeKind::Binary;
        /// `URI`
        any_uri => TypeKind::Uri(None);
        /// `Runtime`
        any_runtime => TypeKind::Runtime { runtime: None, name: None };
        /// `Init`
        any_init => TypeKind::Init { of: None, arguments: Vec::new() };
        /// `Object`
        any_object => TypeKind::Object(Arc::new(ObjectType::defined(
            Str::new(),
            ObjectDefinition { equality_include_type: true, ..ObjectDefinition::default() },
        )));
    }

    /// `Integer[from, to]`
    pub fn integer(from: Option<i64>, to: Option<i64>) -> Type {
        match (from, to) {
            (None, None) => Self::any_integer(),
            _ => TypeKind::Integer(IntRange { from, to }).into(),
        }
    }

    /// `Float[from, to]`
    pub fn float(from: Option<f64>, to: Option<f64>) -> Type {
        TypeKind::Float(FloatRange {
            from: from.filter(|from| *from != f64::NEG_INFINITY),
            to: to.filter(|to| *to != f64::INFINITY),
        })
        .into()
    }

    /// `Float[from, to]` of an order that the user is responsible for.
    ///
    /// # Errors
    /// When `from` is greater than `to`.
    pub fn checked_float(from: Option<f64>, to: Option<f64>) -> Result<Type, Error> {
        if let (Some(least), Some(most)) = (from, to)
            && least > most
        {
            let [least, most] = [least, most].map(crate::scalars::number::float_to_s);
            return Err(range_error(&least, &most));
        }
        Ok(Self::float(from, to))
    }

    /// `Boolean[value]`
    pub fn boolean(value: bool) -> Type {
        static TYPES: LazyLock<[Type; 2]> =
            LazyLock::new(|| [false, true].map(|value| TypeKind::Boolean(Some(value)).into()));
        TYPES[usize::from(value)].clone()
    }

    /// `String[from, to]` by length.
    pub fn string(size: Option<IntRange>) -> Type {
        match size {
            None => Self::any_string(),
            Some(size) => TypeKind::String { size: Some(size.to_size()), value: None }.into(),
        }
    }

    /// The type of exactly this string.
    pub fn string_value(value: impl Into<Str>) -> Type {
        TypeKind::String { size: None, value: Some(value.into()) }.into()
    }

    /// `Enum[…]`
    pub fn enumeration(values: impl IntoIterator<Item = impl Into<Str>>, case_insensitive: bool) -> Type {
        let mut values: Vec<Str> = values.into_iter().map(Into::into).collect();
        values.sort();
        values.dedup();
        TypeKind::Enum { values, case_insensitive }.into()
    }

    /// `Pattern[…]`
    pub fn pattern(sources: impl IntoIterator<Item = impl Into<Str>>) -> Type {
        Self::pattern_of(sources.into_iter().map(|source| Arc::new(RegexpValue::new(source))))
    }

    /// `Pattern[…]` of regular expressions; equal ones are kept once.
    pub fn pattern_of(patterns: impl IntoIterator<Item = Arc<RegexpValue>>) -> Type {
        TypeKind::Pattern(unique(patterns)).into()
    }

    /// `Regexp[/…/]`
    pub fn regexp(pattern: impl Into<Str>) -> Type {
        TypeKind::Regexp(Some(Arc::new(RegexpValue::new(pattern)))).into()
    }

    /// `Collection[size]`
    pub fn collection(size: Option<IntRange>) -> Type {
        TypeKind::Collection { size: size.map(IntRange::to_size) }.into()
    }

    /// `Array[element, size]`
    pub fn array(element: Type, size: Option<IntRange>) -> Type {
        let element = match size {
            Some(size) if size.is_zero() => Some(Self::unit()),
            _ => not_any(element),
        };
        TypeKind::Array { element, size: size.map(IntRange::to_size) }.into()
    }

    /// `Hash[key, value, size]`
    pub fn hash(key: Type, value: Type, size: Option<IntRange>) -> Type {
        let (key, value) = match size {
            Some(size) if size.is_zero() => (Some(Self::unit()), Some(Self::unit())),
            _ => (not_any(key), not_any(value)),
        };
        TypeKind::Hash { key, value, size: size.map(IntRange::to_size) }.into()
    }

    /// `Tuple[types, size]`
    pub fn tuple(types: Vec<Type>, size: Option<IntRange>) -> Type {
        TypeKind::Tuple { types, size: size.map(IntRange::to_size) }.into()
    }

    /// `Struct[…]` of members.
    pub fn structure(members: impl Into<Members>) -> Type {
        TypeKind::Struct { members: members.into() }.into()
    }

    /// `Struct[{ name => type, Optional[name] => type }]`: names with their types and whether they must be
    /// there.
    pub fn structure_of<'a>(members: impl IntoIterator<Item = (&'a str, Type, bool)>) -> Type {
        let member = |(name, value, required): (&str, Type, bool)| {
            let key = Self::string_value(name);
            StructMember { name: name.into(), key: if required { key } else { Self::optional(key) }, value }
        };
        Self::structure(members.into_iter().map(member).collect::<Members>())
    }

    /// `Iterable[element]`
    pub fn iterable(element: Type) -> Type {
        TypeKind::Iterable(Some(element)).into()
    }

    /// `Iterator[element]`
    pub fn iterator(element: Type) -> Type {
        TypeKind::Iterator(Some(element)).into()
    }

    /// `Callable[…]`: a Tuple of the arguments, the block's type, the type of the result.
    pub fn callable(parameters: Option<Type>, block: Option<Type>, returns: Option<Type>) -> Type {
        let returns = returns.and_then(not_any);
        TypeKind::Callable(CallableType { parameters, block, returns }).into()
    }

    /// `Type[of]`
    pub fn type_type(of: Type) -> Type {
        TypeKind::Type(Some(of)).into()
    }

    /// `Optional[of]`
    pub fn optional(of: Type) -> Type {
        TypeKind::Optional(Some(of)).into()
    }

    /// `NotUndef[of]`
    pub fn not_undef(of: Type) -> Type {
        TypeKind::NotUndef(not_any(of)).into()
    }

    /// `Variant[…]`: nested Variants are flattened, and a single type replaces the Variant.
    pub fn variant(types: impl IntoIterator<Item = Type>) -> Type {
        let mut types = unique_types(flatten_variants(types));
        match types.pop() {
            Some(only) if types.is_empty() => only,
            Some(last) => {
                types.push(last);
                TypeKind::Variant(types).into()
            }
            None => Self::any_variant(),
        }
    }

    /// `Sensitive[of]`; the contained type is generalised.
    pub fn sensitive(of: &Type) -> Type {
        TypeKind::Sensitive(not_any(of.generalize())).into()
    }

    /// `Class[name]`
    pub fn class(name: impl Into<Str>) -> Type {
        TypeKind::Class(Some(name.into())).into()
    }

    /// `Type_name[title]`; the name is shown as it is written here.
    pub fn resource(type_name: impl Into<Str>, title: Option<Str>) -> Type {
        TypeKind::Resource { type_name: Some(type_name.into()), title, is_reference: false }.into()
    }

    /// `SemVer[…]`; ranges that touch become one.
    pub fn sem_ver(ranges: Vec<Arc<VersionRange>>) -> Type {
        TypeKind::SemVer(super::version::merge_ranges(ranges)).into()
    }

    /// `Timestamp[from, to]`
    pub fn timestamp(from: Option<Timestamp>, to: Option<Timestamp>) -> Type {
        TypeKind::Timestamp { from, to }.into()
    }

    /// `Timespan[from, to]`
    pub fn timespan(from: Option<Timespan>, to: Option<Timespan>) -> Type {
        TypeKind::Timespan { from, to }.into()
    }

    /// `URI[…]` of parts.
    pub fn uri(parts: Option<Vec<(Str, Value)>>) -> Type {
        TypeKind::Uri(parts.filter(|parts| !parts.is_empty())).into()
    }

    /// `Runtime[runtime, class]`; without the class when that has no name.
    pub fn runtime(runtime: impl Into<Str>, class: impl Into<RubyClass>) -> Type {
        let name = Some(class.into()).filter(|class| !class.is_empty()).map(RuntimeName::Class);
        TypeKind::Runtime { runtime: Some(runtime.into()), name }.into()
    }

    /// `Init[of, arguments …]`
    pub fn init(of: Type, arguments: Vec<Value>) -> Type {
        TypeKind::Init { of: Some(of), arguments }.into()
    }

    /// `TypeReference[text]`: a name that means nothing.
    pub fn reference(text: impl Into<Str>) -> Type {
        TypeKind::Reference(text.into()).into()
    }

    /// A name for a type.
    pub fn alias(name: impl Into<Str>, target: Type) -> Type {
        let alias = AliasType::unresolved(name);
        let _ = alias.target.set(target);
        TypeKind::Alias(Arc::new(alias)).into()
    }
}

impl AliasType {
    /// A name whose type is not known yet.
    pub fn unresolved(name: impl Into<Str>) -> Self {
        Self { name: name.into(), target: OnceLock::new(), recursive: OnceLock::new() }
    }
}

/// A range whose order the user is responsible for.
pub(crate) fn checked_range(from: Option<i64>, to: Option<i64>) -> Result<IntRange, Error> {
    match (from, to) {
        (Some(least), Some(most)) if least > most => Err(range_error(&least.to_string(), &most.to_string())),
        _ => Ok(IntRange { from, to }),
    }
}

/// The reference's text has no closing parenthesis.
pub(crate) fn range_error(from: &str, to: &str) -> Error {
    Error::argument(format!("'from' must be less or equal to 'to'. Got ({from}, {to}"))
}

/// The type, unless it is `Any`, which is the default.
pub(crate) fn not_any(of: Type) -> Option<Type> {
    (!matches!(*of, TypeKind::Any)).then_some(of)
}

/// The members, each once, in their first order.
pub(crate) fn unique<T: Eq + std::hash::Hash>(members: impl IntoIterator<Item = T>) -> Vec<T> {
    members.into_iter().collect::<indexmap::IndexSet<T>>().into_iter().collect()
}

/// The types, each once. The reference distinguishes bounds of time by their identity, so that only the same
/// Timespan or Timestamp object is found again; but if both bounds are the same object, as in types of
/// values, these cancel out.
fn unique_types(types: Vec<Type>) -> Vec<Type> {
    let is_bounded_time = |of: &Type| {
        matches!(of.kind(), TypeKind::Timespan { from, to } if from != to)
            || matches!(of.kind(), TypeKind::Timestamp { from, to } if from != to)
    };
    if !types.iter().any(is_bounded_time) {
        return unique(types);
    }
    let mut kept: Vec<Type> = Vec::with_capacity(types.len());
    for of in types {
        let is_known = |known: &Type| if is_bounded_time(&of) { known.is_same(&of) } else { *known == of };
        if !kept.iter().any(is_known) {
            kept.push(of);
        }
    }
    kept
}

/// The types with the members of Variants in their place (one level deep, as Variants do not nest).
pub(crate) fn flatten_variants(types: impl IntoIterator<Item = Type>) -> Vec<Type> {
    let mut flat = Vec::new();
    for of in types {
        match of.kind() {
            TypeKind::Variant(members) => flat.extend(members.iter().cloned()),
            _ => flat.push(of),
        }
    }
    flat
}

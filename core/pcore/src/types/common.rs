//! The type that two types have in common. Follows `common_type` of the reference's `type_calculator.rb`.

use super::assign::or_any;
use super::construct::unique;
use super::guard::MAX_DEPTH;
use super::value_view::Shape;
use super::{IntRange, RuntimeName, Type, TypeKind, aliases};
use crate::data::big::BigRange;
use crate::data::value::Str;

impl Type {
    /// The narrowest type that the reference finds for both.
    pub fn common(a: &Type, b: &Type) -> Type {
        common(a, b, 0)
    }
}

fn all_assignable(wide: &Type, a: &Type, b: &Type) -> bool {
    wide.is_assignable(a) && wide.is_assignable(b)
}

/// The kinds of scalars, which do not take each other's types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalars {
    Integer,
    Float,
    Text,
    Boolean,
}

impl Scalars {
    /// What kind of scalar something is; none for what is no number.
    pub fn of_shape(shape: Shape<'_>) -> Option<Self> {
        match shape {
            Shape::Integer(_) => Some(Self::Integer),
            Shape::Float(number) if !number.is_nan() => Some(Self::Float),
            Shape::String(_) => Some(Self::Text),
            Shape::Boolean(_) => Some(Self::Boolean),
            _ => None,
        }
    }

    /// The type of all scalars of this kind.
    pub fn any(self) -> Type {
        match self {
            Self::Integer => Type::any_integer(),
            Self::Float => Type::any_float(),
            Self::Text => Type::any_string(),
            Self::Boolean => Type::any_boolean(),
        }
    }

    fn of(kind: &TypeKind) -> Option<Self> {
        use TypeKind as T;
        match kind {
            T::Integer(_) | T::BigInteger(_) => Some(Self::Integer),
            T::Float(_) => Some(Self::Float),
            T::String { .. } | T::Enum { .. } | T::Pattern(_) => Some(Self::Text),
            T::Boolean(_) => Some(Self::Boolean),
            _ => None,
        }
    }

    /// The type that scalars of two kinds have in common; nothing when they are of one kind.
    pub fn common(self, other: Self) -> Option<Type> {
        match (self, other) {
            _ if self == other => None,
            (Self::Integer | Self::Float, Self::Integer | Self::Float) => Some(Type::numeric()),
            _ => Some(Type::scalar_data()),
        }
    }
}

/// The values of both, each once.
fn union(a: &[Str], b: &[Str]) -> Vec<Str> {
    unique(a.iter().chain(b).cloned())
}

/// The Enum of values and one more. The values are in order, as those of all Enums.
fn with_value(values: &[Str], value: &Str) -> Type {
    match values.binary_search(value) {
        Ok(_) => TypeKind::Enum { values: values.to_vec(), case_insensitive: false }.into(),
        Err(at) => {
            let mut all = Vec::with_capacity(values.len() + 1);
            let (before, behind) = values.split_at(at.min(values.len()));
            all.extend_from_slice(before);
            all.push(value.clone());
            all.extend_from_slice(behind);
            TypeKind::Enum { values: all, case_insensitive: false }.into()
        }
    }
}

/// As [`Type::common`], for types at a depth.
pub(super) fn common(a: &Type, b: &Type, depth: u32) -> Type {
    use TypeKind as T;
    if depth > MAX_DEPTH {
        return Type::any();
    }
    let depth = depth + 1;
    match (a.kind(), b.kind()) {
        (T::Undef | T::Unit, _) if !matches!((a.kind(), b.kind()), (T::Unit, T::Undef)) => return b.clone(),
        (_, T::Undef | T::Unit) => return a.clone(),
        _ => {}
    }
    if let (Some(scalars), Some(others)) = (Scalars::of(a.kind()), Scalars::of(b.kind()))
        && let Some(wide) = scalars.common(others)
    {
        return wide;
    }
    if a.is_assignable(b) {
        return a.clone();
    }
    if b.is_assignable(a) {
        return b.clone();
    }
    match (a.kind(), b.kind()) {
        (T::Array { element: a, .. }, T::Array { element: b, .. }) => {
            return Type::array(common(&or_any(a.as_ref()), &or_any(b.as_ref()), depth), None);
        }
        (T::Hash { key: a, value: a_value, .. }, T::Hash { key: b, value: b_value, .. }) => {
            return Type::hash(
                common(&or_any(a.as_ref()), &or_any(b.as_ref()), depth),
                common(&or_any(a_value.as_ref()), &or_any(b_value.as_ref()), depth),
                None,
            );
        }
        (T::Class(_), T::Class(_)) => return Type::any_class(),
        (T::Resource { type_name: a, .. }, T::Resource { type_name: b, .. }) => {
            return match a {
                Some(name) if a == b => Type::resource(name.clone(), None),
                _ => Type::any_resource(),
            };
        }
        (T::Integer(a), T::Integer(b)) => {
            return Type::integer(
                a.from.zip(b.from).map(|(a, b)| a.min(b)),
                a.to.zip(b.to).map(|(a, b)| a.max(b)),
            );
        }
        (T::Integer(_) | T::BigInteger(_), T::Integer(_) | T::BigInteger(_)) => {
            if let (Some(a), Some(b)) = (BigRange::of(a), BigRange::of(b)) {
                return Type::big_integer(a.hull(&b));
            }
        }
        (T::Float(a), T::Float(b)) => {
            return Type::float(
                a.from.zip(b.from).map(|(a, b)| a.min(b)),
                a.to.zip(b.to).map(|(a, b)| a.max(b)),
            );
        }
        (T::String { value, .. }, T::Enum { values, .. }) => {
            return match value {
                None => Type::any_enum(),
                Some(value) => with_value(values, value),
            };
        }
        (T::String { size: a, value }, T::String { size: b, value: other }) => {
            return match (a, b) {
                (Some(a), Some(b)) => Type::string(Some(IntRange::new(
                    a.from.zip(b.from).map(|(a, b)| a.min(b)),
                    a.to.zip(b.to).map(|(a, b)| a.max(b)),
                ))),
                _ => match (value, other) {
                    (Some(value), Some(other)) => Type::enumeration([value.clone(), other.clone()], false),
                    _ => Type::any_string(),
                },
            };
        }
        (T::Pattern(a), T::Pattern(b)) => return Type::pattern_of(a.iter().chain(b).cloned()),
        (T::Enum { values, .. }, T::Enum { values: others, .. }) => {
            return Type::enumeration(union(values, others), false);
        }
        (T::Enum { values, .. }, T::String { value, .. }) => {
            return match value {
                None => Type::any_enum(),
                Some(value) => with_value(values, value),
            };
        }
        (T::Variant(a), T::Variant(b)) => return Type::variant(a.iter().chain(b).cloned()),
        (T::Regexp(_), T::Regexp(_)) => return Type::any_regexp(),
        (T::Callable(_), T::Callable(_)) => return Type::any_callable(),
        _ => {}
    }
    for wide in [Type::numeric(), Type::scalar_data(), Type::scalar(), aliases::data()] {
        if all_assignable(&wide, a, b) {
            return wide;
        }
    }
    if let (T::Type(a), T::Type(b)) = (a.kind(), b.kind()) {
        return match (a, b) {
            (Some(a), Some(b)) => Type::type_type(common(a, b, depth)),
            (Some(one), None) | (None, Some(one)) => Type::type_type(one.clone()),
            (None, None) => Type::any_type(),
        };
    }
    let rich_data = aliases::rich_data();
    if all_assignable(&rich_data, a, b) {
        return rich_data;
    }
    if let (
        T::Runtime { name: Some(RuntimeName::Class(a)), .. },
        T::Runtime { name: Some(RuntimeName::Class(b)), .. },
    ) = (a.kind(), b.kind())
        && let Some(class) = a.common(b)
    {
        return Type::runtime("ruby", class);
    }
    Type::any()
}

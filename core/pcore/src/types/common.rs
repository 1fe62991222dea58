//! The type that two types have in common. Follows `common_type` of the reference's `type_calculator.rb`.

use super::guard::MAX_DEPTH;
use super::value_view::Shape;
use super::{Type, TypeKind, aliases};

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
    /// The kind of a scalar; `None` for NaN.
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

    /// The type that scalars of two kinds have in common; nothing when they are of one kind.
    pub fn common(self, other: Self) -> Option<Type> {
        match (self, other) {
            _ if self == other => None,
            (Self::Integer | Self::Float, Self::Integer | Self::Float) => Some(Type::numeric()),
            _ => Some(Type::scalar_data()),
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
    if let (Some(scalars), Some(others)) = (a.kind().row().scalars, b.kind().row().scalars)
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
    if let Some(of) = a.kind().ask(|family| family.common(b, depth)) {
        return of;
    }
    let wide = [Type::numeric, Type::scalar_data, Type::scalar, aliases::data, aliases::rich_data];
    wide.iter()
        .map(|make: &fn() -> Type| make())
        .find(|of| all_assignable(of, a, b))
        .unwrap_or_else(Type::any)
}

//! The shapes of values that a type always accepts: most of large data needs no closer look. Each type caches
//! its shapes.

use super::types::{FloatRange, Type, TypeKind};

/// The shape of a subject.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'s> {
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Boolean(bool),
    /// A whole number of 64 bits.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    String(&'s str),
    /// A list with this number of elements.
    Array(usize),
    /// A map with this number of entries.
    Hash(usize),
    /// Anything else: the value determines it.
    Other,
}

/// A set of shapes of values, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeFlags(u8);

impl TypeFlags {
    pub const NONE: Self = Self(0);
    pub const UNDEF: Self = Self(1);
    const BOOLEAN: Self = Self(2);
    const INTEGER: Self = Self(4);
    /// Excludes NaN.
    const FLOAT: Self = Self(8);
    const STRING: Self = Self(16);
    const ARRAY: Self = Self(32);
    const HASH: Self = Self(64);
    const NUMERIC: Self = Self::INTEGER.or(Self::FLOAT);
    const SCALAR: Self = Self::NUMERIC.or(Self::BOOLEAN).or(Self::STRING);
    const COLLECTION: Self = Self::ARRAY.or(Self::HASH);
    const ALL: Self = Self::SCALAR.or(Self::COLLECTION).or(Self::UNDEF);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The seven bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The shapes from seven bits.
    #[inline(always)]
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The shape of a subject; empty for those without a shape of their own.
    #[inline(always)]
    pub fn of(shape: Shape<'_>) -> Self {
        // Separate from the numbers, so that the compiler makes a table of it.
        let shapes = match shape {
            Shape::Undef => Self::UNDEF,
            Shape::Boolean(_) => Self::BOOLEAN,
            Shape::Integer(_) => Self::INTEGER,
            Shape::Float(_) => Self::FLOAT,
            Shape::String(_) => Self::STRING,
            Shape::Array(_) => Self::ARRAY,
            Shape::Hash(_) => Self::HASH,
            Shape::Default | Shape::Other => Self::NONE,
        };
        if matches!(shape, Shape::Float(number) if number.is_nan()) { Self::NONE } else { shapes }
    }

    /// Whether the sets overlap.
    #[inline(always)]
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The shapes whose values are always instances of a type. (There can be more.)
    pub fn accepted_by(kind: &TypeKind) -> Self {
        use TypeKind as T;
        match kind {
            T::Any | T::Unit => Self::ALL,
            T::Undef => Self::UNDEF,
            T::Boolean(None) => Self::BOOLEAN,
            T::Integer(range) if range.is_unbounded() => Self::INTEGER,
            T::Float(FloatRange { from: None, to: None }) => Self::FLOAT,
            T::String { size: None, value: None } => Self::STRING,
            T::Scalar | T::ScalarData => Self::SCALAR,
            T::Numeric => Self::NUMERIC,
            T::Collection { size: None } => Self::COLLECTION,
            T::Array { element: None, size: None } => Self::ARRAY,
            T::Hash { key: None, value: None, size: None } => Self::HASH,
            T::Optional(of) => Self::UNDEF.or(of.as_ref().map_or(Self::NONE, Type::accepted)),
            T::NotUndef(of) => of.as_ref().map_or(Self::ALL, Type::accepted).without(Self::UNDEF),
            T::Variant(types) => {
                // Types are tried in order, and one can fail before another one accepts.
                let fold = |(shapes, doubtful): (Self, Self), of: &Type| {
                    let accepted = of.accepted().without(doubtful);
                    (shapes.or(accepted), doubtful.or(Self::doubtful_to(of.kind())))
                };
                types.iter().fold((Self::NONE, Self::NONE), fold).0
            }
            _ => Self::NONE,
        }
    }

    /// The shapes for which a type may fail to decide. (There can be fewer.)
    fn doubtful_to(kind: &TypeKind) -> Self {
        use TypeKind as T;
        match kind {
            T::Any | T::Unit | T::Undef | T::Default | T::Boolean(_) => Self::NONE,
            T::Integer(_) | T::Float(_) | T::Numeric | T::Scalar | T::ScalarData => Self::NONE,
            T::String { .. } | T::Enum { .. } | T::Pattern(_) | T::Regexp(_) => Self::NONE,
            T::Timestamp { .. } | T::Timespan { .. } | T::Collection { .. } => Self::NONE,
            T::Array { .. } | T::Tuple { .. } => Self::ARRAY,
            T::Hash { .. } | T::Struct { .. } => Self::HASH,
            _ => Self::ALL,
        }
    }
}

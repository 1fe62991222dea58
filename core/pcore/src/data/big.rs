//! Whole numbers beyond 64 bits.
//!
//! The language has whole numbers of 64 bits: literals and results of arithmetic beyond them are errors. The
//! reference nevertheless allows larger ones from conversions (`Integer('9223372036854775808')`,
//! `round(1e20)`), and so does this library: a [`Value::BigInteger`] is always beyond 64 bits, and every
//! constructor makes the smaller form if possible (`Value::from`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

pub use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use super::types::{IntRange, Type, TypeKind};
use super::value::Value;
use bunraku_syntax::diagnostic::Error;

impl From<BigInt> for Value {
    fn from(number: BigInt) -> Self {
        number.to_i64().map_or_else(|| Self::BigInteger(Arc::new(number)), Self::Integer)
    }
}

impl Value {
    /// A whole number of up to 128 bits.
    pub fn whole(number: i128) -> Self {
        i64::try_from(number).map_or_else(|_| BigInt::from(number).into(), Self::Integer)
    }

    /// The number, if the value is a whole number of any size.
    pub fn as_big_integer(&self) -> Option<Cow<'_, BigInt>> {
        match self {
            Self::Integer(number) => Some(Cow::Owned(BigInt::from(*number))),
            Self::BigInteger(number) => Some(Cow::Borrowed(number)),
            _ => None,
        }
    }

    /// The whole part of a float; `None` for infinity and NaN.
    pub fn truncated(number: f64) -> Option<Self> {
        // 2^63 is exact; smaller magnitudes fit.
        if number.abs() < 9_223_372_036_854_775_808.0 {
            return Some(Self::Integer(number as i64));
        }
        BigInt::from_f64(number).map(Self::from)
    }
}

/// The nearest float; infinity if the number is too large.
pub fn to_f64(number: &BigInt) -> f64 {
    number.to_f64().unwrap_or(f64::NAN)
}

/// The number, or the bound of 128 bits that it is beyond.
pub fn clamp(number: &BigInt) -> i128 {
    number.to_i128().unwrap_or(if number.sign() == Sign::Minus { i128::MIN } else { i128::MAX })
}

/// Ruby's error for a number that is used as a count.
pub fn too_big_for_long() -> Error {
    Error::argument("bignum too big to convert into `long'")
}

/// Compares a whole number with a float, exactly. `None` for NaN.
pub fn compare_with_float(number: &BigInt, float: f64) -> Option<Ordering> {
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    // A number beyond 64 bits only compares with floats without a fraction, or with smaller ones.
    BigInt::from_f64(float).map(|float| number.cmp(&float))
}

/// Bounds of an Integer type, one of which is beyond 64 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BigRange {
    /// The minimum, or none.
    pub from: Option<BigInt>,
    /// The maximum, or none.
    pub to: Option<BigInt>,
}

impl From<&IntRange> for BigRange {
    fn from(range: &IntRange) -> Self {
        Self { from: range.from.map(BigInt::from), to: range.to.map(BigInt::from) }
    }
}

impl BigRange {
    /// The bounds of an Integer type.
    pub fn of(of: &Type) -> Option<Cow<'_, Self>> {
        match of.kind() {
            TypeKind::Integer(range) => Some(Cow::Owned(Self::from(range))),
            TypeKind::BigInteger(range) => Some(Cow::Borrowed(range)),
            _ => None,
        }
    }

    /// Whether a number is in the range.
    pub fn includes(&self, number: &BigInt) -> bool {
        self.from.as_ref().is_none_or(|from| from <= number) && self.to.as_ref().is_none_or(|to| number <= to)
    }

    /// Whether every number of the other range is in this one.
    pub fn covers(&self, other: &Self) -> bool {
        let least = match (&self.from, &other.from) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a <= b,
        };
        let most = match (&self.to, &other.to) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a >= b,
        };
        least && most
    }

    /// The smallest range that contains both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            from: self.from.clone().zip(other.from.clone()).map(|(a, b)| a.min(b)),
            to: self.to.clone().zip(other.to.clone()).map(|(a, b)| a.max(b)),
        }
    }

    /// Whether the ranges overlap or are adjacent.
    pub fn meets(&self, other: &Self) -> bool {
        let before = |end: &Option<BigInt>, begin: &Option<BigInt>| matches!((end, begin), (Some(end), Some(begin)) if end + 1 < *begin);
        !(before(&self.to, &other.from) || before(&other.to, &self.from))
    }

    /// Whether both bounds are set.
    pub const fn is_finite(&self) -> bool {
        self.from.is_some() && self.to.is_some()
    }

    /// The bounds, clamped to 64 bits. Sizes are never that large.
    pub fn clamped(&self) -> IntRange {
        let cut = |bound: &BigInt| {
            bound.to_i64().unwrap_or(if bound.sign() == Sign::Minus { i64::MIN } else { i64::MAX })
        };
        IntRange { from: self.from.as_ref().map(cut), to: self.to.as_ref().map(cut) }
    }
}

impl Type {
    /// `Integer[from, to]` with bounds of any size.
    pub fn big_integer(range: BigRange) -> Type {
        let small = |bound: &Option<BigInt>| match bound {
            None => Some(None),
            Some(bound) => bound.to_i64().map(Some),
        };
        match (small(&range.from), small(&range.to)) {
            (Some(from), Some(to)) => Type::integer(from, to),
            _ => TypeKind::BigInteger(Arc::new(range)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_smaller_form() {
        let most = BigInt::from(i64::MAX);
        assert!(matches!(Value::from(most.clone()), Value::Integer(i64::MAX)));
        assert!(matches!(Value::from(&most + 1), Value::BigInteger(_)));
        assert_eq!(Value::truncated(-9.7), Some(Value::Integer(-9)));
        assert_eq!(Value::truncated(f64::NAN), None);
    }

    #[test]
    fn ranges_know_each_other() {
        let big = |from: i128, to: i128| BigRange { from: Some(from.into()), to: Some(to.into()) };
        assert!(big(0, 1 << 70).covers(&big(0, 1 << 69)));
        assert!(big(0, 1 << 70).meets(&big((1 << 70) + 1, 1 << 71)));
        assert!(!big(0, 1 << 70).meets(&big((1 << 70) + 2, 1 << 71)));
        assert_eq!(Type::big_integer(big(0, 5)), Type::integer(Some(0), Some(5)));
    }
}

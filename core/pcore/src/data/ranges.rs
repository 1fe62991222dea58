//! Ranges of numbers and sizes.

use super::types::{FloatRange, IntRange};

/// A minimum and a maximum; `None` means no bound.
pub(crate) type Bounds<T> = (Option<T>, Option<T>);

/// Whether the other bounds are within these.
#[inline]
pub(crate) fn covers<T: PartialOrd>(this: Bounds<T>, other: Bounds<T>) -> bool {
    let least = match (this.0, other.0) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a <= b,
    };
    let most = match (this.1, other.1) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a >= b,
    };
    least && most
}

/// The smaller minimum and the larger maximum.
pub(crate) fn hull<T: PartialOrd>(a: Bounds<T>, b: Bounds<T>) -> Bounds<T> {
    let begin = a.0.zip(b.0).map(|(a, b)| if a <= b { a } else { b });
    let end = a.1.zip(b.1).map(|(a, b)| if a >= b { a } else { b });
    (begin, end)
}

/// Whether the two overlap.
pub(crate) fn intersects<T: PartialOrd + Copy>(a: Bounds<T>, b: Bounds<T>) -> bool {
    let before =
        |end: Option<T>, begin: Option<T>| matches!((end, begin), (Some(end), Some(begin)) if end < begin);
    !(before(a.1, b.0) || before(b.1, a.0))
}

impl IntRange {
    /// From 0 on: the size of anything.
    pub const ANY_SIZE: IntRange = IntRange { from: Some(0), to: None };

    /// Exactly this size.
    pub fn exactly(size: usize) -> Self {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        Self { from: Some(size), to: Some(size) }
    }

    /// From one size to another.
    pub const fn new(from: Option<i64>, to: Option<i64>) -> Self {
        Self { from, to }
    }

    /// The range as a size: not below 0.
    #[must_use]
    pub fn to_size(self) -> Self {
        match self.from {
            Some(from) if from >= 0 => self,
            _ => Self { from: Some(0), to: self.to.map(|to| to.max(0)) },
        }
    }

    /// Whether a number is in the range.
    pub fn includes(&self, number: i64) -> bool {
        self.from.is_none_or(|from| from <= number) && self.to.is_none_or(|to| number <= to)
    }

    /// Whether a size is in the range.
    pub fn includes_size(&self, size: usize) -> bool {
        self.includes(i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// Whether every number of the other range is in this one.
    #[inline]
    pub fn covers(&self, other: &IntRange) -> bool {
        covers((self.from, self.to), (other.from, other.to))
    }

    /// The smallest range that contains both.
    #[must_use]
    pub fn hull(&self, other: &IntRange) -> Self {
        let (from, to) = hull((self.from, self.to), (other.from, other.to));
        Self { from, to }
    }

    /// Whether no bound is set.
    pub const fn is_unbounded(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Whether both bounds are set.
    pub const fn is_finite(&self) -> bool {
        self.from.is_some() && self.to.is_some()
    }

    /// Whether the range is 0 to 0.
    pub const fn is_zero(&self) -> bool {
        matches!((self.from, self.to), (Some(0), Some(0)))
    }
}

impl FloatRange {
    /// Whether a number is in the range.
    pub fn includes(&self, number: f64) -> bool {
        self.from.is_none_or(|from| from <= number) && self.to.is_none_or(|to| number <= to)
    }

    /// Whether every number of the other range is in this one.
    pub fn covers(&self, other: &FloatRange) -> bool {
        let least = |range: &FloatRange| range.from.unwrap_or(f64::NEG_INFINITY);
        let most = |range: &FloatRange| range.to.unwrap_or(f64::INFINITY);
        least(self) <= least(other) && most(self) >= most(other)
    }
}

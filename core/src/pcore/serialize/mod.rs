//! Values as data, and back.
//!
//! * [`to_data`]: *generic data*: JSON in which what JSON has no form for stands as an object with `__ptype`
//!
//! Follows the reference's `pops/serialization`.

mod attributes;
mod to_data;

pub use to_data::{DataOptions, to_data};

/// The key under which the type of a value stands.
pub(crate) const TYPE_KEY: &str = "__ptype";
/// The key under which the value itself stands, when it is no object with attributes.
pub(crate) const VALUE_KEY: &str = "__pvalue";

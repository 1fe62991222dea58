//! What values and types are made of, when two of them are the same, and how much they are. What they mean
//! stands in the rooms above.

pub mod big;
pub mod byte_string;
pub mod fuel;
pub(crate) mod kinds;
pub mod members;
pub mod objects;
pub mod pairs;
mod parts;
pub(crate) mod ranges;
pub mod release;
pub mod ruby_class;
pub(crate) mod short_str;
pub mod size_cache;
pub(crate) mod type_flags;
pub mod types;
pub mod value;

#[cfg(test)]
mod equality_tests;

//! The structure of values and types, their equality and their size. The modules above define their meaning.

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

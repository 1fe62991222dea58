//! What values and types are made of, when two of them are the same, and how much they are. What they mean stands in the
//! rooms above.

pub mod big;
pub(crate) mod brief;
pub mod measured;
pub mod members;
pub mod meter;
pub mod objects;
pub mod octets;
pub mod pairs;
mod parts;
mod ranges;
pub mod release;
pub mod ruby_class;
pub(crate) mod shapes;
pub mod types;
pub mod value;

#[cfg(test)]
mod equality_tests;

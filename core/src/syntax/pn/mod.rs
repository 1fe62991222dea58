//! Puppet Notation: the syntax tree as nested lists and maps, as data and as text.

mod data;

pub use data::to_data;

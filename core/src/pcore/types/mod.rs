//! Types of the Puppet language: what exists is said in [`table`]; what it means stands in the files beside it.

pub mod table;

pub use table::*;

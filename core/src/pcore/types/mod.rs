//! Types of the Puppet language: what exists is said in [`table`]; what it means stands in the files beside it.

pub mod access;
pub mod aliases;
pub mod asserter;
mod assign;
mod construct;
pub mod define;
mod explain;
pub mod extension;
mod factory;
pub mod format;
mod generalize;
mod guard;
mod infer;
mod init;
mod instance;
pub mod meta;
pub mod mismatch;
mod name;
pub mod object;
pub mod object_definition;
pub mod order;
mod parse;
mod signature;
pub mod table;
mod time;
pub mod type_set;
pub mod type_set_definition;
pub mod uri;
mod version;
mod walk;

pub(crate) use infer::iterator_element_type;
pub use parse::{NoTypes, TypeLoader, built_in, interpret, interpret_any};
pub use signature::Signature;
pub use table::*;

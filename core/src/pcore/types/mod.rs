//! Types of the Puppet language: what exists is said in [`table`]; what it means stands in the files beside it.

pub mod aliases;
mod assign;
mod construct;
pub mod format;
mod generalize;
mod guard;
mod infer;
mod init;
mod instance;
pub mod meta;
pub mod object;
pub mod table;
pub mod type_set;
pub mod uri;
mod version;
mod walk;

pub(crate) use infer::iterator_element_type;
pub use table::*;

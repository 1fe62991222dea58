//! The Puppet language as a native library.
//!
//! Text becomes a [`syntax::ast::Program`], a Program becomes a catalog, and everything that leaves the core goes
//! through [`host::Host`]. `ARCHITECTURE.md` has the map.

#![forbid(unsafe_code)]

pub mod catalog;
pub mod classifier;
pub mod compiler;
pub mod diagnostic;
pub mod documentation;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod host;
pub mod loader;
pub mod module_schema;
pub mod pcore;
pub mod report;
pub mod ruby;
pub mod source;
pub mod syntax;
pub mod tasks;
pub mod wire;

//! The Puppet language as a native library.
//!
//! Text becomes a [`syntax::ast::Program`], a Program becomes a [`catalog::Catalog`], and everything that leaves the
//! library goes through [`host::Host`]. `ARCHITECTURE.md` has the map of the crates that stand behind these names.

#![forbid(unsafe_code)]

pub use bunraku_classifier as classifier;
pub use bunraku_engine::{catalog, compiler, eval, functions, hiera, loader, memory, wire};
pub use bunraku_host as host;
pub use bunraku_pcore as pcore;
pub use bunraku_ruby_interpreter as ruby;
pub use bunraku_syntax as syntax;
pub use bunraku_syntax::{diagnostic, source};
pub use bunraku_tools::{documentation, module_schema, report, tasks};

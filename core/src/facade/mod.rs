//! The main names for programs in Rust. They wrap the crates that do the work and stay the same when those
//! crates change.

mod catalog;
mod environment;
mod files;
mod node;
mod program;
mod text;
mod value;

pub use catalog::{Catalog, Resource};
pub use environment::{Compilation, Compiled, Environment, EnvironmentBuilder};
pub(crate) use files::parse_listed;
pub use files::{FileOptions, ParsedFile, ParsedFiles, Waiting, parse_files};
pub use node::{NodeInput, Trusted};
pub use program::{parse, parse_cancellable, validate, validate_cancellable};
pub use text::{TextOptions, validate_program, validate_text};
pub use value::Value;

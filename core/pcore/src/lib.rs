//! Pcore: the values and types of the Puppet language, under everything that runs.

#![forbid(unsafe_code)]

pub mod big;
pub mod binary;
mod brief;
pub mod compare;
pub mod convert;

pub mod format;
pub mod iterate;
pub mod json;
pub mod json_tokens;
pub mod keys;
pub mod label;
pub mod measured;
pub mod meter;

pub mod number;
pub mod octets;
pub mod pairs;
pub mod regexp;
pub mod release;
pub mod semver;
pub mod serialize;
pub mod shell;
pub mod time;
pub mod types;
pub mod uri;
pub mod value;

pub use pairs::Named;
pub use types::{Type, TypeKind};
pub use value::{Hash, Str, Value};

//! Pcore: the values and types of the Puppet language, the base of all evaluation.
//!
//! Its modules, lowest first; each uses its own layer and those below it (a test checks this):
//!
//! 1. [`data`]: the structure of values and types, without their meaning
//! 2. [`regexp`], [`scalars`]: patterns, numbers, versions, URIs, times, bytes as text
//! 3. [`types`], [`ruby::names`]: the calculus of types; Ruby's names for values
//! 4. [`convert`], [`ruby`]: conversions of values; values in Ruby's notation
//! 5. [`formats`] of data: JSON, YAML, HOCON, TOML, encrypted messages
//! 6. [`serialize`]: values as data, in JSON and MessagePack

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

pub mod convert;
pub mod data;
pub mod formats;
pub mod regexp;
pub mod ruby;
pub mod scalars;
pub mod serialize;
pub mod types;

pub use convert::iterate;
pub use data::{big, byte_string, fuel, pairs, release, size_cache, value};
pub use formats::{json, json_tokens, keys};
pub use ruby as format;
pub use ruby::{names as label, shell};
pub use scalars::{binary, number, package_version, semver, time, uri};
pub use types::compare;

pub use pairs::Named;
pub use types::{Type, TypeKind};
pub use value::{Hash, Str, Value};

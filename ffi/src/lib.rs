//! The C library of bunraku: opaque handles, JSON for data, one way to fail.
//!
//! One file per handle, named like the header's sections. Every entry point is written plainly, so that
//! cbindgen sees it; its body stands in [`boundary::guard`], which catches panics and turns failures into a
//! `bunraku_error`. Pointers that come in are checked for null. The header `include/bunraku.h` is generated
//! from these files.
//!
//! Ownership is the same everywhere: what a function gives through an output parameter belongs to the caller,
//! who gives it back to the `_free` function of its type; what a getter returns belongs to the object it was
//! asked of.

#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![expect(non_camel_case_types, reason = "names are C's, as this is what the header shows")]

mod boundary;
pub mod call;
pub mod cancel;
pub mod catalog;
pub mod classifier;
mod data;
pub mod environment;
pub mod error;
pub mod host;
pub mod make;
pub mod module;
pub mod node;
pub mod program;
pub mod query;
pub mod read;
pub mod report;
pub mod resource;
mod stack;
pub mod task;
pub mod text;
pub mod tokens;
pub mod trusted;
pub mod types;
pub mod value;
pub mod version;
pub mod wire;

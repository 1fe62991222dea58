//! The C library of bunraku: opaque handles, JSON for data, one way to fail.
//!
//! Each handle has a file of its own, named like its section of the header. Entry points are written without
//! macros, so that cbindgen finds them. The body of each is in [`boundary::guard`], which catches panics and
//! turns failures into a `bunraku_error`. Incoming pointers are checked for null. The header
//! `include/bunraku.h` is generated from these files.
//!
//! Ownership is the same everywhere. The caller owns what a function returns through an output parameter, and
//! frees it with the `_free` function of its type. What a getter returns belongs to the object that it was
//! read from.

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
pub mod index;
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

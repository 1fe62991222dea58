//! Tools for Puppet code other than catalogs.

#![forbid(unsafe_code)]
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

#[cfg(feature = "documentation")]
pub mod documentation;
#[cfg(feature = "modules")]
pub mod module_schema;
pub mod report;
#[cfg(feature = "modules")]
pub mod ruby_report;
#[cfg(feature = "tasks")]
pub mod tasks;

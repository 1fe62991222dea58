//! What people and other programs ask about Puppet code, beside catalogs.

#![forbid(unsafe_code)]

#[cfg(feature = "documentation")]
pub mod documentation;
#[cfg(feature = "modules")]
pub mod module_schema;
pub mod report;
#[cfg(feature = "tasks")]
pub mod tasks;

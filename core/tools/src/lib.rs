//! What people and other programs ask about Puppet code, beside catalogs.

#![forbid(unsafe_code)]

pub mod documentation;
pub mod module_schema;
pub mod report;
pub mod tasks;

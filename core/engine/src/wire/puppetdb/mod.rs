//! The form in which PuppetDB receives a catalog: the payload of the command "replace catalog", versions 1 to
//! 9.
//!
//! * `version`: the keys of each version
//! * `payload`: a payload in memory, of any version
//! * `munge`: converts a compiled catalog for a payload
//! * `moment`: the time of submission of a payload
//! * `edges`: converts relationships to edges
//! * [`write`]: writes payloads and catalogs, resource by resource
//! * [`read`]: reads payloads, and checks them against the rules of their version
//!
//! # Resources without a declaration
//!
//! `Stage[main]`, `Class[Main]` and included classes have no `file` and no `line`. The documents of versions
//! 1 to 8 require both keys, forbid null, and have no value for such resources. The terminus of these
//! versions left the keys out; PuppetDB accepts missing keys and null, stores null, and answers queries with
//! null. So the documents' eight keys are always written here, with null for unknown values, as in PuppetDB's
//! own answers, and a document without one of the keys violates the rule. Version 9 follows the current
//! terminus: the keys are left out.

mod edges;
mod moment;
mod munge;
mod payload;
mod read;
mod version;
mod write;

pub use payload::{Edge, Payload, Relationship, Resource, ResourceSpec, Submission};
pub use read::{read, read_bytes};
pub use version::Version;
pub use write::{to_json, write_catalog, write_payload};

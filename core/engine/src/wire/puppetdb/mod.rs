//! The form in which PuppetDB gets a catalog: the payload of the command "replace catalog", versions 1 to 9.
//!
//! * `version`: which keys each version has
//! * `payload`: a payload in memory, whatever its version
//! * `munge`: a compiled catalog becomes what a payload says of it
//! * `moment`: when a payload was sent
//! * `edges`: relationships become edges
//! * [`write`]: payloads and catalogs are written, resource by resource
//! * [`read`]: payloads are read, and checked against the rules of their version
//!
//! # Resources that nothing declares
//!
//! `Stage[main]`, `Class[Main]` and classes that are included have no `file` and no `line`. The documents of
//! versions 1 to 8 say that both keys are required and that null stands nowhere, and have no value for such
//! resources. The terminus of these versions left the keys out; PuppetDB takes them left out and as null,
//! keeps null, and answers queries with null. So the documents' eight keys are always written here, with null
//! for what is not known, which is what PuppetDB itself says of these resources, and a document that leaves
//! one of the keys out breaks the rule. Version 9 follows today's terminus: the keys are left out.

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

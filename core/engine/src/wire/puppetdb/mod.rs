//! The form in which PuppetDB gets a catalog: the payload of the command "replace catalog", versions 1 to 9.
//!
//! * [`version`]: which keys each version has
//! * [`payload`]: a payload in memory, whatever its version
//! * [`munge`]: a compiled catalog becomes what a payload says of it
//! * [`moment`]: when a payload was sent
//! * [`edges`]: relationships become edges
//! * [`write`]: payloads and catalogs are written, resource by resource
//! * [`read`]: payloads are read, and checked against the rules of their version

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

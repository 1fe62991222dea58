//! The conformance driver: questions about the Puppet language, the reference's answers, and bunraku's.
//!
//! [`protocol`] answers one question by the `PROTOCOL.md` of the golden vectors. [`vectors`] runs files of
//! golden vectors, [`environments`] runs golden environments, [`compare`] decides whether two answers agree,
//! [`report`] collects the results, [`ratchet`] compares them with the lists of known failures, [`suite`]
//! makes tests of them.

pub mod cases;
pub mod compare;
pub mod corpus;
pub mod data;
pub mod environments;
pub mod host;
pub mod hostile;
pub mod kept;
pub mod manifests;
pub mod priced;
pub mod program;
pub mod protocol;
pub mod ratchet;
pub mod report;
pub mod resource_types;
pub mod rich;
pub mod seeds;
pub mod suite;
pub mod templates;
pub mod vectors;
pub mod workers;

/// The Rust of the pages of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    mod readme {}

    #[doc = include_str!("../../docs/src/guide/rust.md")]
    mod guide {}
}

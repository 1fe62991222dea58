//! The node classifier: groups of nodes, by rules on what is known of a node, and what they say of its
//! classes.
//!
//! Follows the HTTP interface of Puppet Enterprise's node classifier, version 1 (2017.3). A [`Group`] has a
//! parent, a [`Rule`], an environment, classes with parameters, configuration data and variables. A
//! [`Hierarchy`] is a sound tree of them, and classifies nodes. A [`Store`] keeps groups: in memory, or in a
//! SQLite database. A [`Classifier`] is all of it behind one door: it answers the requests of that interface
//! ([`Classifier::answer`]), whoever carries them.

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

mod answer;
mod classes;
mod classify;
mod delta;
mod error;
mod explain;
mod group;
mod hierarchy;
mod pattern;
pub mod request;
mod rule;
mod service;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod translate;

pub use answer::{Request, Response};
pub use classes::{ClassSource, EnvironmentClasses, KnownClasses, Parameters};
pub use classify::{Classification, Conflict, Node};
pub use error::RequestError;
pub use group::{Group, ROOT};
pub use hierarchy::Hierarchy;
pub use rule::{Path, Rule};
pub use service::{Classifier, Options};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{Change, CheckIn, Commit, MemoryStore, Snapshot, Store, StoreError};

//! The node classifier: groups select nodes by rules, and assign classes to them.
//!
//! Follows the HTTP interface of Puppet Enterprise's node classifier, version 1 (2017.3). A [`Group`] has a
//! parent, a [`Rule`], an environment, classes with parameters, configuration data and variables. A
//! [`Hierarchy`] is a valid tree of groups, and classifies nodes. A [`Store`] keeps groups: in memory, or in
//! a SQLite database. A [`Classifier`] combines these: it answers the requests of that interface
//! ([`Classifier::answer`]), whatever carries them.

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

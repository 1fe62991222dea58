//! Stores of groups: a trait, and its implementation in memory.

use std::sync::Mutex;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;
use uuid::Uuid;

use super::group::Group;
use bunraku_syntax::diagnostic::bug::locked;

/// Stores groups. Any number of threads, and other processes, can use it at the same time: a change names the
/// revision that it is based on, and is rejected if there is a newer one.
pub trait Store: Send + Sync {
    /// The number of the newest revision. Every change makes a new one.
    ///
    /// # Errors
    /// The store cannot be read.
    fn revision(&self) -> Result<u64, StoreError>;

    /// The whole content, as of one revision.
    ///
    /// # Errors
    /// The store cannot be read, or its content is invalid.
    fn load(&self) -> Result<Snapshot, StoreError>;

    /// Makes all changes, or none. A successful change survives a crash of the process.
    ///
    /// # Errors
    /// The store cannot be written.
    fn commit(&self, base: u64, changes: &[Change]) -> Result<Commit, StoreError>;

    /// Notes that a node was classified.
    ///
    /// # Errors
    /// The store cannot be written.
    fn check_in(&self, node: &str, check_in: &CheckIn) -> Result<(), StoreError>;

    /// The nodes that were classified, by name, each with when: one node, or as many as asked for from an
    /// offset on.
    ///
    /// # Errors
    /// The store cannot be read.
    fn check_ins(
        &self,
        node: Option<&str>,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<(String, Vec<CheckIn>)>, StoreError>;
}

/// The content of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The revision.
    pub revision: u64,
    /// The groups.
    pub groups: Vec<Group>,
    /// Registered environments, in addition to the existing ones.
    pub environments: Vec<String>,
}

/// A change of the content.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A group is new, or other than before.
    Put(Box<Group>),
    /// A group goes.
    Delete(Uuid),
    /// Replaces all groups with these.
    Replace(Vec<Group>),
    /// An environment is made known.
    Environment(String),
}

/// The result of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// They are done, and this is the revision that they made.
    Done(u64),
    /// There is a newer revision than the one they rest on: nothing was done.
    Stale,
}

/// A node was classified.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckIn {
    /// When, in ISO 8601.
    pub time: String,
    /// The reason why the node is in its groups: explained rules by ids of groups.
    pub explanation: Json,
    /// The agent's run that it was for.
    pub transaction_uuid: Option<String>,
}

/// The reason why a store fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be read or written.
    #[error("the store cannot be used: {0}")]
    Unavailable(String),
    /// The content is invalid.
    #[error("the store is damaged: {error}")]
    Corrupt {
        /// The content.
        retrieved: Json,
        /// The error in it.
        error: String,
    },
}

/// Keeps groups in memory, as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    revision: u64,
    groups: IndexMap<Uuid, Group>,
    environments: IndexSet<String>,
    check_ins: IndexMap<String, Vec<CheckIn>>,
}

impl MemoryStore {
    fn locked(&self) -> std::sync::MutexGuard<'_, Contents> {
        locked(&self.kept)
    }
}

impl Store for MemoryStore {
    fn revision(&self) -> Result<u64, StoreError> {
        Ok(self.locked().revision)
    }

    fn load(&self) -> Result<Snapshot, StoreError> {
        let kept = self.locked();
        Ok(Snapshot {
            revision: kept.revision,
            groups: kept.groups.values().cloned().collect(),
            environments: kept.environments.iter().cloned().collect(),
        })
    }

    fn commit(&self, base: u64, changes: &[Change]) -> Result<Commit, StoreError> {
        let mut kept = self.locked();
        if kept.revision != base {
            return Ok(Commit::Stale);
        }
        for change in changes {
            match change {
                Change::Put(group) => drop(kept.groups.insert(group.id, (**group).clone())),
                Change::Delete(id) => drop(kept.groups.shift_remove(id)),
                Change::Replace(groups) => {
                    kept.groups = groups.iter().map(|group| (group.id, group.clone())).collect();
                }
                Change::Environment(name) => drop(kept.environments.insert(name.clone())),
            }
        }
        kept.revision += 1;
        Ok(Commit::Done(kept.revision))
    }

    fn check_in(&self, node: &str, check_in: &CheckIn) -> Result<(), StoreError> {
        self.locked().check_ins.entry(node.to_owned()).or_default().push(check_in.clone());
        Ok(())
    }

    fn check_ins(
        &self,
        node: Option<&str>,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<(String, Vec<CheckIn>)>, StoreError> {
        let kept = self.locked();
        let mut found: Vec<_> =
            kept.check_ins.iter().filter(|(name, _)| node.is_none_or(|node| node == name.as_str())).collect();
        found.sort_by_key(|(name, _)| *name);
        let found = found.into_iter().skip(offset).take(limit.unwrap_or(usize::MAX));
        Ok(found.map(|(name, check_ins)| (name.clone(), check_ins.clone())).collect())
    }
}

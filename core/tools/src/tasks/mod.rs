//! Tasks: which ones modules have, what to run for one, with which input, and how its output is read.
//!
//! Follows the task specification, version 1 (revision 6), and the reference's `module/task.rb`. Running is
//! the host's.

mod discover;
mod input;
mod metadata;
mod output;
pub mod request;

pub use discover::{TaskFile, find, tasks};
pub use input::{Invocation, Target, prepare};
pub use metadata::{Implementation, InputMethod, Metadata, Parameter};
pub use output::{Outcome, read_output};

use serde_json::{Map, Value as Json, json};

/// A task of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// `module::task`, or the module's name for its task `init`.
    pub name: String,
    /// The module.
    pub module: String,
    /// What is said of it; that of a task without metadata is empty.
    pub metadata: Metadata,
    /// The metadata as it was written.
    pub document: Json,
    /// Where the metadata stands.
    pub metadata_file: Option<String>,
    /// What can be run, in the order of the metadata.
    pub executables: Vec<TaskFile>,
    /// What else the task needs, of all implementations.
    pub files: Vec<TaskFile>,
}

/// Why there is no such task, or why it cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// Such as `puppet.tasks/invalid-metadata`.
    pub kind: &'static str,
    /// What people read.
    pub message: String,
    /// What programs read.
    pub details: Map<String, Json>,
}

impl TaskError {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Map::new() }
    }

    fn invalid_metadata(message: impl Into<String>) -> Self {
        Self::new("puppet.tasks/invalid-metadata", message)
    }

    fn with(mut self, name: &str, details: Json) -> Self {
        self.details.insert(name.to_owned(), details);
        self
    }

    /// The error as an object with `kind`, `msg` and `details`.
    pub fn to_json(&self) -> Json {
        json!({ "kind": self.kind, "msg": self.message, "details": self.details })
    }
}

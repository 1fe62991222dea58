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
    /// The metadata; empty for a task without metadata.
    pub metadata: Metadata,
    /// The metadata as it was written.
    pub document: Json,
    /// The path of the metadata.
    pub metadata_file: Option<String>,
    /// The executables, in the order of the metadata.
    pub executables: Vec<TaskFile>,
    /// The further files of the task, for all implementations.
    pub files: Vec<TaskFile>,
}

/// The reason why a task does not exist or cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// Such as `puppet.tasks/invalid-metadata`.
    pub kind: &'static str,
    /// The message for people.
    pub message: String,
    /// The machine-readable details.
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

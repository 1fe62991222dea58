//! How the output of a task is read.

use std::fmt;

use bunraku_pcore::serialize::redacted;
use serde_json::{Map, Value as Json, json};

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The result: an object, with `_output` for output that is not a JSON object and `_error` after a
    /// failure. `_sensitive` is redacted; [`sensitive`](Self::sensitive) returns its value.
    pub value: Map<String, Json>,
    /// Whether it succeeded.
    pub is_success: bool,
    sensitive: Option<Hidden>,
}

/// A value that is not shown by accident.
#[derive(Clone, PartialEq)]
struct Hidden(Json);

impl fmt::Debug for Hidden {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[value redacted]")
    }
}

/// The secret member of outputs, since revision 6.
pub(super) const SENSITIVE: &str = "_sensitive";

impl Outcome {
    /// The secret value (`_sensitive`).
    pub fn sensitive(&self) -> Option<&Json> {
        self.sensitive.as_ref().map(|hidden| &hidden.0)
    }

    /// The error (`_error`).
    pub fn error(&self) -> Option<&Json> {
        self.value.get("_error")
    }
}

/// Reads the standard output of a task, and its exit code.
pub fn read_output(stdout: &[u8], exit_code: i32) -> Outcome {
    let mut value = match std::str::from_utf8(stdout) {
        Ok(text) => match serde_json::from_str(text) {
            Ok(Json::Object(members)) => members,
            _ => Map::from_iter([("_output".to_owned(), Json::from(text))]),
        },
        Err(error) => {
            let details = json!({ "exitcode": exit_code, "valid_up_to": error.valid_up_to() });
            let message = "The task wrote bytes that are not UTF-8";
            let error = json!({ "kind": "puppetlabs.tasks/output-encoding-error", "msg": message, "details": details });
            Map::from_iter([("_error".to_owned(), error)])
        }
    };
    if exit_code != 0 && !value.contains_key("_error") {
        let error = json!({
            "kind": "puppetlabs.tasks/task-error",
            "msg": format!("The task errored with a code {exit_code}"),
            "details": { "exitcode": exit_code },
        });
        value.insert("_error".to_owned(), error);
    }
    let is_success = exit_code == 0 && !value.contains_key("_error");
    let sensitive = value.get_mut(SENSITIVE).map(|told| Hidden(std::mem::replace(told, redacted())));
    Outcome { value, is_success, sensitive }
}

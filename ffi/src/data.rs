//! Values as JSON text, and back: rich data, as catalogs contain it.

use bunraku_core::compiler::request::log_to_json;
use bunraku_core::diagnostic::{Error, LogEntry};
use bunraku_core::pcore::Value;
use bunraku_core::pcore::serialize::{DataOptions, to_data, to_data_text};
use serde_json::{Value as Json, json};

/// A value as JSON in rich data.
pub(crate) fn to_json(value: &Value) -> Result<Json, Error> {
    to_data(value, &DataOptions::rich())
}

/// A value as JSON text in rich data.
pub(crate) fn to_json_text(value: &Value) -> Result<String, Error> {
    to_data_text(value, &DataOptions::rich())
}

/// Parses a text as JSON; the empty text is an empty object.
pub(crate) fn parse(text: &str) -> Result<Json, Error> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_str(text).map_err(|error| Error::argument(format!("not JSON: {error}")))
}

/// The log as a JSON array.
pub(crate) fn log_entries(entries: &[LogEntry]) -> Json {
    entries.iter().map(log_to_json).collect()
}

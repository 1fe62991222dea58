//! Documentation as it is asked for in JSON, by the C library and the gem.

use serde_json::{Value as Json, json};

use super::Documentation;
use crate::diagnostic::Error;
use crate::host::Host;

/// Documents modules and files: of a request with `paths` (directories of modules, and files), an object with
/// `documentation` (as `puppet strings generate --format json` writes it) and `failures` (objects with `file`, `message`);
/// with `format` as `markdown` the documentation is a text.
///
/// # Errors
/// The request has the wrong form.
pub fn document(host: &dyn Host, request: &Json) -> Result<Json, Error> {
    let paths: Vec<&str> =
        request["paths"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if paths.is_empty() {
        return Err(Error::argument("'paths' is not a list of paths"));
    }
    let mut documentation = Documentation::default();
    for path in paths {
        match host.info(path) {
            Some(info) if info.is_directory => documentation.append(Documentation::of_module(host, path)),
            _ => documentation.add_file(host, path, path),
        }
    }
    let failures = documentation.failures.iter();
    let failures: Vec<Json> =
        failures.map(|failure| json!({ "file": failure.file, "message": failure.message })).collect();
    let written = match request["format"].as_str() {
        None | Some("json") => documentation.to_json(),
        Some("markdown") => documentation.to_markdown().into(),
        Some(other) => return Err(Error::argument(format!("'format' is none of json, markdown: {other}"))),
    };
    Ok(json!({ "documentation": written, "failures": failures }))
}

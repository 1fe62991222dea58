//! Checks as they are asked for in JSON, by the C library and the gem.

use bunraku_engine::loader::{Check, Environment};
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;
use serde_json::Value as Json;

use super::{CODES, Finding, Options, check, page};

/// The members that [`findings`] reads.
const CHECK: Names = &["select", "ignore", "notes", "paths"];

/// Checks an environment. A request has `select`, `ignore` (lists of codes), `notes` (whether they are
/// reported) and `paths` (files and directories whose findings are reported). Returns an array of objects
/// with `code`, `severity`, `message`, `file`, `line`, `column`, `end_line`, `end_column`, `related` and
/// `fix`.
///
/// # Errors
/// The request has the wrong form, or `ends` fails, which ends the work.
pub fn findings(environment: &Environment, request: &Json, ends: Check<'_>) -> Result<Json, Error> {
    let request = Keyed::new(request, "the request", &[CHECK])?;
    let list = |name: &str| match request.get(name) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(list) => serde_json::from_value::<Vec<String>>(list.clone())
            .map_err(|_| Error::argument(format!("'{name}' is no list of texts"))),
    };
    let options = Options {
        select: list("select")?,
        ignore: list("ignore")?,
        notes: request.get("notes").and_then(Json::as_bool).unwrap_or_default(),
        paths: list("paths")?,
    };
    Ok(check(environment, &options, ends)?.iter().map(Finding::to_json).collect())
}

/// The documentation of a code, as Markdown.
///
/// # Errors
/// There is no such code.
pub fn explain(code: &str) -> Result<String, Error> {
    if let Some(found) = CODES.iter().find(|one| one.name() == code) {
        return Ok(page(*found));
    }
    let names: Vec<&str> = CODES.iter().map(|code| code.name()).collect();
    Err(Error::argument(format!("there is no code '{code}'; there are {}", names.join(", "))))
}

//! Checks as they are asked for in JSON, by the C library and the gem.

use bunraku_engine::loader::{Check, Environment};
use bunraku_index::Index;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;
use serde_json::Value as Json;

use super::{CODES, Finding, Kept, Options, check, check_changed, page};

/// The members of a request.
const CHECK: Names = &["select", "ignore", "notes", "paths"];

/// Checks an environment. A request has `select`, `ignore` (lists of codes), `notes` (whether they are
/// reported) and `paths` (files and directories whose findings are reported). Returns an array of objects
/// with `code`, `severity`, `message`, `file`, `line`, `column`, `end_line`, `end_column`, `related` and
/// `fix`.
///
/// # Errors
/// The request has the wrong form, or `ends` fails, which ends the work.
pub fn findings(environment: &Environment, request: &Json, ends: Check<'_>) -> Result<Json, Error> {
    Ok(check(environment, &options(request)?, ends)?.iter().map(Finding::to_json).collect())
}

/// Reads a file of an index again, and notes it for [`findings_in`].
///
/// # Errors
/// `ends` fails, which ends the work.
pub fn renew(
    environment: &Environment,
    index: &mut Index,
    kept: &mut Kept,
    path: &str,
    ends: Check<'_>,
) -> Result<(), Error> {
    kept.renew(path);
    index.renew(environment, path, ends)
}

/// Checks files of an environment again, after the index of it and `kept` were told which have changed.
/// `paths` of the request are the files; findings that need all files are left out.
///
/// # Errors
/// As [`findings`].
pub fn findings_in(
    environment: &Environment,
    index: &Index,
    kept: &mut Kept,
    request: &Json,
    ends: Check<'_>,
) -> Result<Json, Error> {
    let mut options = options(request)?;
    let paths = std::mem::take(&mut options.paths);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let found = check_changed(environment, index, kept, &paths, &options, ends)?;
    Ok(found.iter().map(Finding::to_json).collect())
}

fn options(request: &Json) -> Result<Options, Error> {
    let request = Keyed::new(request, "the request", &[CHECK])?;
    let list = |name: &str| match request.get(name) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(list) => serde_json::from_value::<Vec<String>>(list.clone())
            .map_err(|_| Error::argument(format!("'{name}' is no list of texts"))),
    };
    Ok(Options {
        select: list("select")?,
        ignore: list("ignore")?,
        notes: request.get("notes").and_then(Json::as_bool).unwrap_or_default(),
        paths: list("paths")?,
    })
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

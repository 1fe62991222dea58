//! Validation requests in JSON, from the C library and the gem.

use std::num::NonZeroUsize;

use bunraku_engine::loader::Check;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::{Error, Strictness};
use serde_json::{Value as Json, json};

use super::{ValidationOptions, validate_files};
use crate::requests::diagnostic;

/// The names that [`validation`] reads.
const VALIDATION: Names = &["paths", "exclude", "gitignore", "data", "threads", "strict", "tasks", "only"];

/// Validates files. A request has `paths` and optionally `exclude` (patterns), `gitignore` (whether files
/// that `.gitignore` names are excluded; the default is true), `data` (whether YAML and JSON files are
/// checked; the default is true), `threads`, `strict` (`off`, `warning`, `error`), `tasks`, and `only` (the
/// absolute paths whose findings are reported). The result is an object with `files` (a number), `findings`
/// (in the form of [`diagnostic`]) and `empty` (the paths that led to no file).
pub(crate) fn validation(request: &Json, check: Check<'_>) -> Result<Json, Error> {
    let request = Keyed::new(request, "the request", &[VALIDATION])?;
    let list = |name: &str| match request.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(list) => serde_json::from_value::<Vec<String>>(list.clone())
            .map(Some)
            .map_err(|_| Error::argument(format!("'{name}' is no list of texts"))),
    };
    let flag = |name: &str, default: bool| match request.get(name) {
        None | Some(Json::Null) => Ok(default),
        Some(Json::Bool(given)) => Ok(*given),
        Some(_) => Err(Error::argument(format!("'{name}' is neither true nor false"))),
    };
    let threads = match request.get("threads") {
        None | Some(Json::Null) => None,
        Some(number) => Some(
            number
                .as_u64()
                .and_then(|number| NonZeroUsize::new(usize::try_from(number).ok()?))
                .ok_or_else(|| Error::argument("'threads' is no number from 1 on"))?,
        ),
    };
    let mut options = ValidationOptions::default();
    options.choice.exclude = list("exclude")?.unwrap_or_default();
    options.choice.obeys_gitignore = flag("gitignore", true)?;
    options.choice.data = flag("data", true)?;
    options.threads = threads;
    options.strict = match request.get("strict").and_then(Json::as_str) {
        None if request.get("strict").is_none_or(Json::is_null) => Strictness::default(),
        Some("off") => Strictness::Off,
        Some("warning") => Strictness::Warning,
        Some("error") => Strictness::Error,
        _ => return Err(Error::argument("'strict' is one of off, warning, error")),
    };
    options.tasks = flag("tasks", false)?;
    options.only = list("only")?.map(|paths| paths.into_iter().collect());
    let paths = list("paths")?.ok_or_else(|| Error::argument("the request has no 'paths'"))?;
    let done = validate_files(&paths, &options, &mut |_, _| check.check())?;
    let findings: Vec<Json> = done.findings.iter().map(diagnostic).collect();
    Ok(json!({ "files": done.files, "findings": findings, "empty": done.empty }))
}

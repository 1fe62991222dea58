//! The built-in functions: those of the reference that the language can call, and those of its standard
//! library that modules written in Puppet need.
//!
//! Each family of functions has its own file, headed by the table of their signatures; [`table`] combines the
//! families. Signatures and names of parameters are the reference's, because messages about wrong arguments
//! show them.

mod catalog;
mod collections;
mod control;
mod data;
mod digests;
mod files;
mod iteration;
mod legacy;
mod logging;
mod matching;
mod numbers;
mod ordering;
mod scanf;
mod stdlib;
mod strings;
#[cfg(feature = "ruby")]
mod template_world;
mod templates;
mod time;
mod types;

use crate::eval::variable::Variable;
use crate::eval::{BuiltIn, Call, Evaluated, FunctionTable, Unwind};
use bunraku_pcore::Value;
use bunraku_pcore::ruby::values as ruby;
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel, Report};
use bunraku_syntax::source::Location;

/// The families.
static FAMILIES: &[&[BuiltIn]] = &[
    catalog::FUNCTIONS,
    collections::FUNCTIONS,
    control::FUNCTIONS,
    data::FUNCTIONS,
    digests::FUNCTIONS,
    files::FUNCTIONS,
    iteration::FUNCTIONS,
    logging::FUNCTIONS,
    matching::FUNCTIONS,
    numbers::FUNCTIONS,
    ordering::FUNCTIONS,
    scanf::FUNCTIONS,
    strings::FUNCTIONS,
    templates::FUNCTIONS,
    time::FUNCTIONS,
    types::FUNCTIONS,
];

/// All functions that are built in.
pub fn table() -> FunctionTable {
    FunctionTable::new(FAMILIES.iter().chain(stdlib::FAMILIES).copied().flatten())
}

/// A variable in the scope of the caller, if it exists.
fn variable(call: &Call<'_, '_>, name: &str) -> Evaluated<Option<Value>> {
    Ok(match call.evaluator.find_variable(call.scope, name)? {
        Variable::Known(value) => Some(value),
        Variable::Unknown(_) => None,
    })
}

/// The error about a function that scripts cannot call: it is not a failure of the evaluation, and has only a
/// line.
fn scripting_error(call: &Call<'_, '_>, report: Report) -> Unwind {
    let location = Location { column: None, ..call.location() };
    Error { issue: Some(report.issue), location, ..Error::plain(report.message) }.into()
}

/// Warns of something that will go away, once in a compilation, without saying where.
fn warn_once(call: &Call<'_, '_>, key: &str, message: &str) {
    log_once(call, key, format!("{message}\n   (file & line not available)"));
}

/// Logs a deprecation once in a compilation, with the place of the call.
fn warn_once_here(call: &Call<'_, '_>, key: &str, message: &str) {
    let Location { file, line, .. } = &call.location();
    let place = match (file.as_deref().filter(|file| !file.is_empty()), line) {
        (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
        (Some(file), None) => format!("(file: {file})"),
        (None, Some(line)) => format!("(file: unknown, line: {line})"),
        (None, None) => "(file & line not available)".to_owned(),
    };
    log_once(call, key, format!("{message}\n   {place}"));
}

fn log_once(call: &Call<'_, '_>, key: &str, message: String) {
    call.evaluator.loaded.log.add_once(key, LogEntry::of_puppet(LogLevel::Warning, message));
}

//! Failures of the core as exceptions.

use crate::convert::json_to_ruby;
use crate::crossing::Exceptions;
use bunraku::diagnostic::{Diagnostic, Error, ErrorKind, LogEntry};
use bunraku::requests;
use bunraku::source::Location;
use magnus::{Exception, ExceptionClass, RHash, RModule, Ruby, prelude::*};

/// The exception for an error of the core that happened outside of any compilation.
pub(crate) fn raised(ruby: &Ruby, error: &Error) -> magnus::Error {
    exception(ruby, error, &[], Exceptions::new(ruby))
}

/// The exception for invalid options of an environment.
pub(crate) fn unusable(ruby: &Ruby, error: &Error) -> magnus::Error {
    let nothing_more = |_: RHash| Ok(());
    build(ruby, "OptionError", &error.message, None, &error.location, nothing_more)
        .unwrap_or_else(|error| error)
}

/// The exception for an error of the core, with the preceding log and the exception that caused it.
pub(crate) fn exception(
    ruby: &Ruby,
    error: &Error,
    logs: &[LogEntry],
    exceptions: Exceptions,
) -> magnus::Error {
    let class = match error.kind {
        ErrorKind::Syntax => "SyntaxError",
        ErrorKind::Validation => "ValidationError",
        ErrorKind::Evaluation => "EvaluationError",
        ErrorKind::Lookup => "LookupError",
        ErrorKind::Limit => "LimitError",
        ErrorKind::Cancelled => "CancelledError",
        ErrorKind::Io => "IoError",
        ErrorKind::ReferenceFails => "ReferenceFailsError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Bug => "BugError",
        ErrorKind::Argument | ErrorKind::Puppet => "Error",
    };
    let code = error.issue.map(|issue| issue.code());
    let extra = |hash: RHash| -> Result<(), magnus::Error> {
        let stack = ruby.ary_new();
        for frame in &error.stack {
            stack.push(place(ruby, &frame.location, Some(&frame.name))?)?;
        }
        hash.aset(ruby.to_symbol("stack"), stack)?;
        hash.aset(ruby.to_symbol("cause"), exceptions.of(error))?;
        hash.aset(ruby.to_symbol("logs"), log_entries(ruby, logs)?)
    };
    build(ruby, class, &error.full_message(), code, &error.location, extra).unwrap_or_else(|error| error)
}

/// The kind of a failure, by the names of a registry.
pub(crate) fn kind(error: &Error) -> &'static str {
    match error.kind {
        ErrorKind::Syntax | ErrorKind::Validation | ErrorKind::Evaluation => "preformatted",
        ErrorKind::Argument => "argument",
        ErrorKind::Puppet => "puppet",
        ErrorKind::Lookup => "lookup",
        ErrorKind::Limit
        | ErrorKind::Cancelled
        | ErrorKind::ReferenceFails
        | ErrorKind::Io
        | ErrorKind::Unsupported
        | ErrorKind::Bug => "other",
    }
}

/// The exception for a syntax error.
pub(crate) fn parse_exception(ruby: &Ruby, diagnostic: &Diagnostic) -> magnus::Error {
    let code = Some(diagnostic.issue.code()).filter(|code| !code.is_empty());
    let ranges = |details: RHash| {
        let ranges = &requests::diagnostic(diagnostic)["ranges"];
        details.aset(ruby.to_symbol("ranges"), json_to_ruby(ruby, ranges)?)
    };
    build(ruby, "SyntaxError", &diagnostic.message, code, &diagnostic.location, ranges)
        .unwrap_or_else(|error| error)
}

/// The log as an array of hashes.
pub(crate) fn log_entries(ruby: &Ruby, logs: &[LogEntry]) -> Result<magnus::RArray, magnus::Error> {
    let entries = ruby.ary_new();
    for entry in logs {
        entries.push(log_entry(ruby, entry)?)?;
    }
    Ok(entries)
}

/// One message of the log as a hash.
pub(crate) fn log_entry(ruby: &Ruby, entry: &LogEntry) -> Result<RHash, magnus::Error> {
    let hash = place(ruby, &entry.location, None)?;
    hash.aset(ruby.to_symbol("level"), ruby.to_symbol(entry.level.name()))?;
    hash.aset(ruby.to_symbol("message"), entry.message.as_str())?;
    hash.aset(ruby.to_symbol("source"), &*entry.source)?;
    hash.aset(ruby.to_symbol("issue_code"), entry.issue.map(|issue| issue.code()))?;
    hash.aset(ruby.to_symbol("once"), entry.once.as_deref())?;
    Ok(hash)
}

fn place(ruby: &Ruby, location: &Location, name: Option<&str>) -> Result<RHash, magnus::Error> {
    let hash = ruby.hash_new();
    if let Some(name) = name {
        hash.aset(ruby.to_symbol("name"), name)?;
    }
    hash.aset(ruby.to_symbol("file"), location.file.as_deref())?;
    hash.aset(ruby.to_symbol("line"), location.line)?;
    hash.aset(ruby.to_symbol("column"), location.column)?;
    Ok(hash)
}

fn build(
    ruby: &Ruby,
    class: &str,
    message: &str,
    issue_code: Option<&str>,
    location: &Location,
    extra: impl FnOnce(RHash) -> Result<(), magnus::Error>,
) -> Result<magnus::Error, magnus::Error> {
    let module: RModule = ruby.class_object().const_get("Bunraku")?;
    let class: ExceptionClass = module.const_get(class)?;
    let details = place(ruby, location, None)?;
    details.aset(ruby.to_symbol("issue_code"), issue_code)?;
    extra(details)?;
    let exception: Exception = class.new_instance((message, details))?;
    Ok(magnus::Error::from(exception))
}

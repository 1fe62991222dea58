//! Formats messages with their place, and converts the diagnostics of a file to log entries and an error.
//! Follows the reference's `pops/issue_reporter.rb`, `pops/validation.rb` and `util/errors.rb`.

use std::fmt;
use std::sync::Arc;

use super::{Diagnostic, Error, ErrorKind, LogEntry, LogLevel, Severity};
use crate::source::Location;

/// `(file: site.pp, line: 1, column: 2)` with the known parts; empty if nothing is known.
pub fn error_location(location: &Location) -> String {
    let file = location.file.as_deref().filter(|file| !file.is_empty());
    match (file, location.line, location.column) {
        (Some(file), Some(line), Some(column)) => format!("(file: {file}, line: {line}, column: {column})"),
        (Some(file), Some(line), None) => format!("(file: {file}, line: {line})"),
        (Some(file), None, _) => format!("(file: {file})"),
        (None, Some(line), Some(column)) => format!("(line: {line}, column: {column})"),
        (None, Some(line), None) => format!("(line: {line})"),
        (None, None, _) => String::new(),
    }
}

impl fmt::Display for Diagnostic {
    /// The message followed by its place: `Syntax error at '}' at site.pp:1:2`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { file, line, column } = &self.location;
        let file = file.as_deref().filter(|file| !file.is_empty());
        if self.severity == Severity::Deprecation && (file.is_some() || line.is_some()) {
            out.write_str("Deprecation notice: ")?;
        }
        out.write_str(&self.message)?;
        match (file, line, column) {
            (Some(file), Some(line), Some(column)) => write!(out, " at {file}:{line}:{column}"),
            (Some(file), Some(line), None) => write!(out, " at {file}:{line}"),
            (None, Some(line), Some(column)) => write!(out, " at line {line}:{column}"),
            (None, Some(line), None) => write!(out, " at line {line}"),
            (Some(file), None, _) => write!(out, " in {file}"),
            (None, None, _) => Ok(()),
        }
    }
}

/// The number of diagnostics that are logged, and the message that precedes them. The default is that of the
/// reference's settings.
#[derive(Clone, Copy, Debug)]
pub struct ReportOptions<'a> {
    /// The setting `max_errors`. With 1, the first error is the failure and nothing is logged.
    pub max_errors: usize,
    /// The setting `max_warnings`.
    pub max_warnings: usize,
    /// The setting `max_deprecations`; 0 if `disable_warnings` contains `deprecations`.
    pub max_deprecations: usize,
    /// Whether warnings are logged.
    pub emit_warnings: bool,
    /// Precedes the message of a single error, or is logged before several.
    pub message: Option<&'a str>,
}

impl Default for ReportOptions<'_> {
    fn default() -> Self {
        Self { max_errors: 10, max_warnings: 10, max_deprecations: 10, emit_warnings: true, message: None }
    }
}

/// The result of a file's diagnostics: the log entries, in order, and an error if they contain one.
pub fn assert_and_report(
    diagnostics: &[Diagnostic],
    options: &ReportOptions<'_>,
) -> (Vec<LogEntry>, Result<(), Error>) {
    let of =
        |severity: Severity| diagnostics.iter().filter(move |diagnostic| diagnostic.severity == severity);
    let mut entries = Vec::new();
    let mut warning_count = 0;
    if options.emit_warnings {
        let (mut warnings, mut deprecations) = (0, 0);
        for diagnostic in diagnostics {
            let (emitted, limit) = match diagnostic.severity {
                Severity::Error => continue,
                Severity::Warning => (&mut warnings, options.max_warnings),
                Severity::Deprecation => (&mut deprecations, options.max_deprecations),
            };
            if *emitted < limit {
                entries.push(log_entry(LogLevel::Warning, diagnostic));
            }
            *emitted += 1;
        }
        warning_count = warnings + deprecations;
    }
    let error_count = of(Severity::Error).count();
    let Some(first) = of(Severity::Error).next() else { return (entries, Ok(())) };
    if error_count == 1 || options.max_errors <= 1 {
        let mut error = Error { kind: ErrorKind::Validation, ..Error::from(first.clone()) };
        if let Some(message) = options.message {
            error.message = format!("{message} {}", error.message);
        }
        return (entries, Err(error));
    }
    if let Some(message) = options.message {
        entries.push(LogEntry {
            level: LogLevel::Err,
            message: message.to_owned(),
            source: Arc::from("Puppet"),
            location: Location::default(),
            issue: None,
            once: None,
        });
    }
    entries.extend(
        of(Severity::Error).take(options.max_errors).map(|diagnostic| log_entry(LogLevel::Err, diagnostic)),
    );
    let warned = if warning_count > 0 { format!(", and {warning_count} warnings") } else { String::new() };
    let giving_up = Error {
        kind: ErrorKind::Validation,
        location: Location { file: first.location.file.clone(), line: None, column: None },
        ..Error::plain(format!("Language validation logged {error_count} errors{warned}. Giving up"))
    };
    (entries, Err(giving_up))
}

/// A diagnostic as a message of Puppet in the log.
pub fn log_entry(level: LogLevel, diagnostic: &Diagnostic) -> LogEntry {
    LogEntry {
        level,
        message: diagnostic.message.clone(),
        source: Arc::from("Puppet"),
        location: diagnostic.location.clone(),
        issue: Some(diagnostic.issue),
        once: None,
    }
}

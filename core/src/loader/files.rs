//! Files parsed and validated once for all compilations, and what each compilation is told about them.
//!
//! Follows the reference's `pops/parser/evaluating_parser.rb` and `pops/issue_reporter.rb`.

use std::sync::Arc;

use super::{Environment, Journal, Settings};
use crate::diagnostic::{Diagnostic, Error, ErrorKind, LogEntry, LogLevel, Severity};
use crate::source::{Location, Source};
use crate::syntax::ast::Program;
use crate::syntax::validate::{ValidateOptions, validate};
use crate::syntax::{self, ParseOptions};

/// How many errors, warnings and deprecations of one file are told at most (`max_errors` and its like).
const MAXIMUM: usize = 10;

/// A file that was parsed and validated, or why that failed.
#[derive(Debug)]
pub(super) struct ParsedFile {
    /// What the lexer warned of; said even when the file does not parse.
    lexer_warnings: Vec<Diagnostic>,
    result: Result<(Arc<Program>, Vec<Diagnostic>), Error>,
}

/// What files may hold, as their environment says it.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub settings: &'a Settings,
    pub manifest: Option<&'a str>,
    pub modulepath: &'a [String],
}

impl ParsedFile {
    /// Parses and validates a source.
    pub fn new(source: Source, rules: Rules<'_>) -> Self {
        let Rules { settings, manifest, modulepath } = rules;
        let options = ParseOptions { tasks: settings.tasks, ..ParseOptions::default() };
        let mut lexer_warnings = Vec::new();
        let result = match syntax::parse_with_warnings(Arc::new(source), &options, &mut lexer_warnings) {
            Ok(program) => {
                let (strict, tasks) = (settings.strict, settings.tasks);
                let options = ValidateOptions { strict, tasks, manifest, modulepath, ..Default::default() };
                let diagnostics = validate(&program, &options);
                Ok((Arc::new(program), diagnostics))
            }
            Err(diagnostic) => Err(parse_error(diagnostic)),
        };
        Self { lexer_warnings, result }
    }

    /// The program, also when it is not valid.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.result.as_ref().ok().map(|(program, _)| program)
    }

    /// The program, after warnings were logged.
    ///
    /// Errors: it could not be parsed, or is not valid; several errors are logged and counted.
    pub fn report(&self, journal: &Journal) -> Result<&Arc<Program>, Error> {
        for warning in &self.lexer_warnings {
            log(journal, LogLevel::Warning, warning);
        }
        match &self.result {
            Ok((program, diagnostics)) => {
                assert_and_report(diagnostics, journal)?;
                Ok(program)
            }
            Err(error) => Err(error.clone()),
        }
    }
}

impl Environment {
    fn rules(&self) -> Rules<'_> {
        let manifest = self.manifest.as_deref();
        Rules { settings: &self.settings, manifest, modulepath: &self.full_modulepath }
    }

    /// A file parsed and validated; read once. `None` when there is no such file.
    pub(super) fn parse_file(&self, path: &str) -> Option<Arc<ParsedFile>> {
        let kept = self.parsed.read().ok().and_then(|parsed| parsed.get(path).cloned());
        if kept.is_some() {
            return kept;
        }
        let bytes = self.host.read(path).ok()?;
        let parsed = Arc::new(match String::from_utf8(bytes) {
            Ok(text) => ParsedFile::new(Source::new(Some(path), text), self.rules()),
            Err(_) => {
                let location = Location { file: Some(path.into()), ..Location::default() };
                let error = Error { location, ..Error::internal("invalid byte sequence in UTF-8") };
                ParsedFile { lexer_warnings: Vec::new(), result: Err(error) }
            }
        });
        let Ok(mut files) = self.parsed.write() else { return Some(parsed) };
        Some(files.entry(path.into()).or_insert(parsed).clone())
    }
}

/// The error of a text that does not parse. Some complaints of the reference's parser have no code.
fn parse_error(diagnostic: Diagnostic) -> Error {
    let coded = !diagnostic.issue.code().is_empty();
    let mut error = Error::from(diagnostic);
    if !coded {
        error.issue = None;
    }
    error
}

/// Logs the warnings of a validation and fails when there are errors: with the one, or, when there are several, with
/// their number after logging them.
pub fn assert_and_report(diagnostics: &[Diagnostic], journal: &Journal) -> Result<(), Error> {
    let (mut warnings, mut deprecations) = (0, 0);
    for diagnostic in diagnostics {
        let count = match diagnostic.severity {
            Severity::Error => continue,
            Severity::Warning => &mut warnings,
            Severity::Deprecation => &mut deprecations,
        };
        *count += 1;
        if *count <= MAXIMUM {
            log(journal, LogLevel::Warning, diagnostic);
        }
    }
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => Ok(()),
        [error] => Err(Error::from((*error).clone())),
        [first, ..] => {
            for error in errors.iter().take(MAXIMUM) {
                log(journal, LogLevel::Err, error);
            }
            let warned = warnings + deprecations;
            let message = match warned {
                0 => format!("Language validation logged {} errors. Giving up", errors.len()),
                _ => format!(
                    "Language validation logged {} errors, and {warned} warnings. Giving up",
                    errors.len()
                ),
            };
            let location = Location { file: first.location.file.clone(), ..Location::default() };
            Err(Error { kind: ErrorKind::Parse, location, ..Error::plain(message) })
        }
    }
}

fn log(journal: &Journal, level: LogLevel, diagnostic: &Diagnostic) {
    journal.log(LogEntry {
        level,
        message: diagnostic.message.clone(),
        source: "Puppet".into(),
        location: diagnostic.location.clone(),
        issue: Some(diagnostic.issue),
    });
}

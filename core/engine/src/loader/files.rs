//! Files that are parsed and validated once for all compilations, and their messages for each compilation.
//!
//! Follows the reference's `pops/parser/evaluating_parser.rb` and `pops/issue_reporter.rb`.

use std::sync::{Arc, OnceLock};

use super::{Check, Definition, Environment, Loaded, Settings};
use bunraku_host::HostError;
use bunraku_pcore::value::Str;
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::bug::{reading, writing};
use bunraku_syntax::diagnostic::render::{self, ReportOptions};
use bunraku_syntax::diagnostic::{Diagnostic, Error, LogEntry, LogLevel};
use bunraku_syntax::source::{Location, Source};
use bunraku_syntax::validate::{ValidateOptions, validate_watched};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{self as syntax, ParseOptions};

/// A file that was parsed and validated, or why that failed.
#[derive(Debug)]
pub(super) struct ParsedFile {
    /// The warnings of the lexer, which are logged even if the file cannot be parsed.
    lexer_warnings: Vec<Diagnostic>,
    /// The log of texts in heredocs.
    logs: Vec<LogEntry>,
    result: Result<(Arc<Program>, Vec<Diagnostic>), Error>,
    /// The definitions of a manifest of this module, which compilations share.
    pub definitions: OnceLock<(Str, Vec<Arc<Definition>>)>,
    /// The definition of a file of a function or a type.
    pub only_definition: OnceLock<Arc<Definition>>,
}

/// The rules for the content of files in an environment.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub settings: &'a Settings,
    pub manifest: Option<&'a str>,
    pub modulepath: &'a [String],
}

impl ParsedFile {
    /// Parses and validates a source.
    ///
    /// Errors: what watches has ended it.
    pub fn new(source: Source, rules: Rules<'_>, watch: &Watch<'_>) -> Result<Self, Error> {
        let Rules { settings, manifest, modulepath } = rules;
        let options = ParseOptions { tasks: settings.tasks, stacks: COROUTINES, ..ParseOptions::default() };
        let (mut lexer_warnings, mut logs) = (Vec::new(), Vec::new());
        let parsed = syntax::parse_watched(Arc::new(source), &options, &mut lexer_warnings, watch)?;
        let result = match parsed {
            Ok(program) => {
                let (strict, tasks) = (settings.strict, settings.tasks);
                let options =
                    ValidateOptions { strict, tasks, manifest, modulepath, stacks: COROUTINES, nesting: 0 };
                let diagnostics = validate_watched(&program, &options, &mut logs, watch)?;
                Ok((Arc::new(program), diagnostics))
            }
            Err(diagnostic) => Err(diagnostic.into()),
        };
        Ok(Self::with(lexer_warnings, logs, result))
    }

    fn with(
        lexer_warnings: Vec<Diagnostic>,
        logs: Vec<LogEntry>,
        result: Result<(Arc<Program>, Vec<Diagnostic>), Error>,
    ) -> Self {
        let (definitions, only_definition) = (OnceLock::new(), OnceLock::new());
        Self { lexer_warnings, logs, result, definitions, only_definition }
    }

    /// The program, also when it is not valid.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.result.as_ref().ok().map(|(program, _)| program)
    }

    /// The program of a file without messages.
    pub fn quiet_program(&self) -> Option<&Arc<Program>> {
        match &self.result {
            Ok((program, diagnostics))
                if diagnostics.is_empty() && self.lexer_warnings.is_empty() && self.logs.is_empty() =>
            {
                Some(program)
            }
            _ => None,
        }
    }

    /// The program, after warnings were logged.
    ///
    /// Errors: it could not be parsed, or is not valid; several errors are logged and counted.
    pub fn report(&self, loaded: &Loaded) -> Result<&Arc<Program>, Error> {
        for warning in &self.lexer_warnings {
            loaded.log.add(render::log_entry(LogLevel::Warning, warning));
        }
        self.logs.iter().for_each(|entry| loaded.log.add(entry.clone()));
        match &self.result {
            Ok((program, diagnostics)) if diagnostics.is_empty() => Ok(program),
            Ok((program, diagnostics)) => {
                assert_and_report(diagnostics, loaded)?;
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

    /// Whether the file does not exist, or is a directory with the name of a file.
    fn is_absent(&self, path: &str, error: &HostError) -> bool {
        let is_directory = || self.host.info(path).is_some_and(|info| info.is_directory);
        matches!(error, HostError::NotFound(_)) || is_directory()
    }

    /// A parsed and validated file; read once. `None` if it does not exist. `check` can cancel it; the next
    /// call starts again.
    ///
    /// Errors: those of `check`.
    pub(super) fn parse_file(&self, path: &str, check: Check<'_>) -> Result<Option<Arc<ParsedFile>>, Error> {
        let kept = reading(&self.parsed).get(path).cloned();
        if kept.is_some() {
            return Ok(kept);
        }
        self.note(path);
        let failed = |error: Error| {
            let location = Location { file: Some(path.into()), ..Location::default() };
            ParsedFile::with(Vec::new(), Vec::new(), Err(Error { location, ..error }))
        };
        let parsed = Arc::new(match self.read_file(path, &|| check.check()).map(String::from_utf8) {
            Ok(Ok(text)) => ParsedFile::new(Source::new(Some(path), text), self.rules(), &Watch::new(check))?,
            Ok(Err(_)) => failed(Error::internal("invalid byte sequence in UTF-8")),
            Err(HostError::Ended(error)) => return Err(*error),
            Err(error) if self.is_absent(path, &error) => return Ok(None),
            Err(error) => failed(error.into_error(|error| Error::io(error.on_opening()))),
        });
        Ok(Some(writing(&self.parsed).entry(path.into()).or_insert(parsed).clone()))
    }
}

/// Logs the warnings of a validation and fails if there are errors: with a single one, or with the number of
/// several after logging them.
pub fn assert_and_report(diagnostics: &[Diagnostic], loaded: &Loaded) -> Result<(), Error> {
    let (entries, result) = render::assert_and_report(diagnostics, &ReportOptions::default());
    entries.into_iter().for_each(|entry| loaded.log.add(entry));
    result
}

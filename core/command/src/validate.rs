//! `bunraku validate`.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bunraku::diagnostic::Strictness as Strict;
use bunraku::host::disk::DiskHost;
use bunraku::source::{Source, Unit};
use bunraku::syntax::watch::Watch;
use bunraku::{
    Choice, Diagnostic, Error, Host as _, LogLevel, Severity, TextOptions, Validation, ValidationOptions,
    requests, validate_files, validate_text,
};
use clap::ValueEnum;

use crate::arguments::FileArguments;
use crate::formats::{FindingFormat, Level, Listed};
use crate::revision::Repository;
use crate::{CommandError, MISUSED, Outcome, Session};

/// Check the syntax of manifests, templates and data
///
/// Checks manifests (.pp) and templates (.epp) in files and directories; - reads standard input. In
/// directories it also checks that Hiera's data is YAML and metadata of modules JSON. Reports all syntax
/// errors of a file, what `puppet parser validate` reports, and names that several files of an environment or
/// a module define. Files below a directory plans may have plans and apply.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 no errors, 1 errors, 2 unreadable files or wrong options. Warnings and empty \
                  directories are no errors."
)]
pub(crate) struct Arguments {
    /// Files and directories
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Severity of questionable code
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    strict: Strictness,
    /// Allow plans and apply in all files
    #[arg(long)]
    tasks: bool,
    /// Read standard input as a template
    #[arg(long)]
    epp: bool,
    /// Skip files and directories that match a pattern, as in .gitignore (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Files")]
    exclude: Vec<String>,
    /// Do not skip what .gitignore files list
    #[arg(long, help_heading = "Files")]
    no_ignore: bool,
    /// Report findings only in files that changed since a git revision
    #[arg(long, value_name = "REVISION", help_heading = "Files")]
    changed_since: Option<String>,
    /// Number of threads [default: the number of processors]
    #[arg(long, value_name = "NUMBER", help_heading = "Files")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: FileArguments,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: FindingFormat,
}

/// How questionable code is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Strictness {
    Off,
    Warning,
    #[default]
    Error,
}

impl From<Strictness> for Strict {
    fn from(given: Strictness) -> Self {
        match given {
            Strictness::Off => Self::Off,
            Strictness::Warning => Self::Warning,
            Strictness::Error => Self::Error,
        }
    }
}

/// The time before a progress line is shown, and between its updates.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

impl Session<'_> {
    pub(crate) fn validate(&self, given: &Arguments) -> Outcome {
        let done = self.validation(given);
        self.console.err().hide_progress();
        let done = done?;
        let told: Vec<Listed<'_>> = done.findings.iter().map(listed).collect();
        let json = || done.findings.iter().map(requests::diagnostic).collect();
        self.show_listed(&told, given.format, &json, |one| self.show_finding(one, given.reading.limit()))?;
        if given.format == FindingFormat::Text && self.console.shows(LogLevel::Notice) {
            self.summarize(&done)?;
        }
        Ok(if done.has_unreadable() { MISUSED } else { (done.count(Severity::Error) > 0).into() })
    }

    fn validation(&self, given: &Arguments) -> Result<Validation, CommandError> {
        let (filters, paths): (Vec<String>, Vec<String>) =
            given.paths.iter().cloned().partition(|path| path == "-");
        let changed = given.changed_since.as_ref().map(|revision| self.changed(&paths, revision));
        let options = ValidationOptions {
            choice: Choice { exclude: given.exclude.clone(), obeys_gitignore: !given.no_ignore, data: true },
            threads: given.threads,
            strict: given.strict.into(),
            tasks: given.tasks,
            size: given.reading.limit(),
            only: changed.transpose()?,
        };
        let mut next_look = elapsed() + PATIENCE;
        let mut progress = |done: usize, all: usize| -> Result<(), Error> {
            self.embedder.host().check_interrupt(0)?;
            if self.console.err().is_terminal() && elapsed() >= next_look {
                next_look = elapsed() + PAUSE;
                self.console.err().progress(&format!("{done}/{all} files"));
            }
            Ok(())
        };
        let mut done = validate_files(&paths, &options, &mut progress)?;
        if !filters.is_empty() {
            done.files += 1;
            done.findings.extend(self.validate_input(given)?);
        }
        Ok(done)
    }

    /// The messages about standard input.
    fn validate_input(&self, given: &Arguments) -> Result<Vec<Diagnostic>, CommandError> {
        let source = match Source::of_bytes(Some("-"), given.reading.bytes("-", self)?) {
            Ok(source) => Arc::new(source),
            Err(error) => return Ok(vec![error]),
        };
        let options = TextOptions { epp: given.epp, tasks: given.tasks };
        let usage = self.reading();
        Ok(validate_text(source, options, given.strict.into(), true, &Watch::new(&usage.ends))?)
    }

    /// The files that have changed since a revision, by absolute paths.
    pub(crate) fn changed(&self, paths: &[String], revision: &str) -> Result<HashSet<String>, CommandError> {
        let mut changed = HashSet::new();
        let mut directories: Vec<&str> = Vec::new();
        for path in paths {
            let directory = match path.rsplit_once('/') {
                _ if DiskHost.info(path).is_some_and(|info| info.is_directory) => path,
                Some((directory, _)) => directory,
                None => ".",
            };
            if !directories.contains(&directory) {
                directories.push(directory);
                changed.extend(Repository::at(directory, self)?.changed_since(revision, self)?);
            }
        }
        Ok(changed)
    }

    fn summarize(&self, done: &Validation) -> Result<(), CommandError> {
        self.console.out().flush()?;
        let mut err = self.console.err();
        for path in &done.empty {
            err.line(&format!("bunraku: there are no manifests, templates or data in {path}"))?;
        }
        let count = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            number => format!("{number} {what}s"),
        };
        let files = count(done.files, "file");
        let errors = count(done.count(Severity::Error), "error");
        let others = count(done.findings.len() - done.count(Severity::Error), "warning");
        Ok(err.line(&format!("{files}, {errors}, {others}"))?)
    }
}

/// A finding as other programs read it.
fn listed(found: &Diagnostic) -> Listed<'_> {
    let range = found.range(Unit::Character);
    // A message that the reference reports without a place also has one.
    let start = range.map(|range| (range.start.line, range.start.column));
    let end = range.filter(|range| range.length > 0).map(|range| range.end);
    Listed {
        level: match found.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Deprecation => Level::Note,
        },
        name: found.severity.name(),
        code: Some(found.issue.code()).filter(|code| !code.is_empty()),
        message: &found.message,
        file: found.location.file.as_deref(),
        line: found.location.line.or(start.map(|(line, _)| line)),
        column: found.location.column.or(start.map(|(_, column)| column)),
        end_line: end.map(|end| end.line),
        end_column: end.map(|end| end.column),
    }
}

/// Since some moment in the past.
fn elapsed() -> Duration {
    let now = DiskHost.now();
    Duration::new(u64::try_from(now.seconds).unwrap_or_default(), now.nanoseconds)
}

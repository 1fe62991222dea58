//! `bunraku validate`.

use std::sync::Arc;
use std::time::Duration;

use bunraku::host::disk::DiskHost;
use bunraku::source::{Location, Source};
use bunraku::syntax::validate::{ValidateOptions, validate_watched};
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{ParseOptions, parse_watched};
use bunraku::{Diagnostic, Error, Host as _, Severity};
use clap::ValueEnum;
use serde_json::{Value as Json, json};

use crate::arguments::FileArguments;
use crate::console::{excerpt, in_parentheses, place_of};
use crate::formats::{self, Level, Told};
use crate::screen::{Colour, Part};
use crate::{CommandError, Outcome, Session};

/// Check manifests and templates
///
/// Checks manifests (.pp) and templates (.epp), in directories too; - reads standard input.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 no errors, 1 errors, 2 files that cannot be read, or wrong options.")]
pub(crate) struct Arguments {
    /// Files and directories
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// How questionable code is taken
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    strict: Strictness,
    /// Know plans and apply
    #[arg(long)]
    tasks: bool,
    #[command(flatten)]
    reading: FileArguments,
    /// How what is found is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

/// How questionable code is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Strictness {
    Off,
    Warning,
    #[default]
    Error,
}

/// How what is found is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// A list of objects.
    Json,
    /// SARIF 2.1.0, for code scanners.
    Sarif,
    /// Commands that GitHub Actions shows beside the source.
    Github,
}

/// What is said of a file.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) location: Location,
    /// The first byte that it is about, and how many they are.
    pub(crate) offset: Option<usize>,
    pub(crate) length: Option<usize>,
}

impl Finding {
    fn new(diagnostic: Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            code: Some(diagnostic.issue.code()).filter(|code| !code.is_empty()),
            message: diagnostic.message,
            location: diagnostic.location,
            offset: diagnostic.span.map(|span| span.start as usize),
            length: diagnostic.span.map(|span| span.len() as usize),
        }
    }

    /// As other programs read it.
    fn told(&self) -> Told<'_> {
        Told {
            level: match self.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
                Severity::Deprecation => Level::Note,
            },
            code: self.code,
            message: &self.message,
            file: self.location.file.as_deref(),
            line: self.location.line,
            column: self.location.column,
            end_line: None,
            end_column: None,
        }
    }

    fn to_json(&self) -> Json {
        json!({
            "severity": self.severity.name(), "issue_code": self.code, "message": self.message,
            "file": self.location.file.as_deref(), "line": self.location.line, "column": self.location.column,
            "offset": self.offset, "length": self.length,
        })
    }
}

/// How long checking goes on before a line tells how far it is, and how often that line is renewed.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(100);

impl Session<'_> {
    pub(crate) fn validate(&self, given: &Arguments) -> Outcome {
        let found = self.check(&manifests(&given.paths), given);
        self.console.err().hide_progress();
        let found = found?;
        match given.format {
            Format::Text => found.iter().try_for_each(|one| self.show_finding(one, given))?,
            Format::Json => self.console.json(&found.iter().map(Finding::to_json).collect())?,
            Format::Sarif => {
                let told: Vec<Told<'_>> = found.iter().map(Finding::told).collect();
                self.console.json(&formats::sarif(&told))?;
            }
            Format::Github => {
                let mut out = self.console.out();
                found.iter().try_for_each(|one| out.line(&formats::github(&one.told())))?;
            }
        }
        Ok(found.iter().any(|one| one.severity == Severity::Error).into())
    }

    /// Validates files; on a terminal a line tells how far it is when it takes longer.
    fn check(&self, files: &[(String, bool)], given: &Arguments) -> Result<Vec<Finding>, CommandError> {
        let mut next_look = elapsed() + PATIENCE;
        let mut found = Vec::new();
        for (index, (path, is_named)) in files.iter().enumerate() {
            if self.console.err().is_terminal() && elapsed() >= next_look {
                next_look = elapsed() + PAUSE;
                self.console.err().progress(&format!("{index}/{} files", files.len()));
            }
            let bytes =
                if *is_named { given.reading.bytes(path, self)? } else { given.reading.found(path)? };
            found.extend(self.check_file(path, bytes, given)?);
        }
        Ok(found)
    }

    fn check_file(&self, path: &str, bytes: Vec<u8>, given: &Arguments) -> Result<Vec<Finding>, Error> {
        let source = match Source::of_bytes(Some(path), bytes) {
            Ok(source) => Arc::new(source),
            Err(error) => return Ok(vec![Finding::new(error)]),
        };
        let options =
            ParseOptions { epp: path.ends_with(".epp"), tasks: given.tasks, ..ParseOptions::default() };
        let strict = match given.strict {
            Strictness::Off => bunraku::diagnostic::Strictness::Off,
            Strictness::Warning => bunraku::diagnostic::Strictness::Warning,
            Strictness::Error => bunraku::diagnostic::Strictness::Error,
        };
        let usage = self.reading();
        let watch = Watch::new(&usage.ends);
        match parse_watched(source, &options, &mut Vec::new(), &watch)? {
            Ok(program) => {
                let options = ValidateOptions { strict, tasks: given.tasks, ..ValidateOptions::default() };
                let found = validate_watched(&program, &options, &mut Vec::new(), &watch)?;
                Ok(program.warnings().iter().cloned().chain(found).map(Finding::new).collect())
            }
            Err(error) => Ok(vec![Finding { offset: None, length: None, ..Finding::new(error) }]),
        }
    }

    fn show_finding(&self, finding: &Finding, given: &Arguments) -> Result<(), CommandError> {
        let colour = match finding.severity {
            Severity::Error => Colour::Red,
            Severity::Warning => Colour::Yellow,
            Severity::Deprecation => Colour::Magenta,
        };
        let place = place_of(&finding.location).unwrap_or_default();
        let message = format!(": {}{}", finding.message, in_parentheses(finding.code));
        let severity = Part::Coloured(finding.severity.name(), colour);
        let mut out = self.console.out();
        out.parts(&[Part::Plain(&format!("{place}: ")), severity, Part::Plain(&message)])?;
        Ok(excerpt(&finding.location, given.reading.limit(), &mut out)?)
    }
}

/// Since some moment in the past.
fn elapsed() -> Duration {
    let now = DiskHost.now();
    Duration::new(u64::try_from(now.seconds).unwrap_or_default(), now.nanoseconds)
}

/// The paths of manifests and templates, and whether each was named itself.
pub(crate) fn manifests(paths: &[String]) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    for path in paths {
        if !DiskHost.info(path).is_some_and(|info| info.is_directory) {
            all.push((path.clone(), true));
            continue;
        }
        let mut found = Vec::new();
        collect(path, "", &mut found);
        found.sort();
        let base = path.trim_end_matches('/');
        let joined = |name: String| if path == "." { name } else { format!("{base}/{name}") };
        all.extend(found.into_iter().map(|name| (joined(name), false)));
    }
    all
}

/// Collects what is below a directory, without what is hidden, and without following links to directories.
fn collect(base: &str, below: &str, found: &mut Vec<String>) {
    for name in DiskHost.list(&format!("{base}/{below}")).unwrap_or_default() {
        if name.starts_with('.') {
            continue;
        }
        let relative = if below.is_empty() { name } else { format!("{below}/{name}") };
        let path = format!("{base}/{relative}");
        let is_directory = DiskHost.info(&path).is_some_and(|info| info.is_directory);
        if is_directory && !DiskHost.is_link(&path) {
            collect(base, &relative, found);
        } else if !is_directory && (relative.ends_with(".pp") || relative.ends_with(".epp")) {
            found.push(relative);
        }
    }
}

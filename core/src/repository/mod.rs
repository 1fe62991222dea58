//! Validation of a whole repository: each file as `puppet parser validate` checks it alone, and the findings
//! that need several files.
//!
//! * `files`: the selection of files
//! * `across`: names that several files define
//! * `data`: files in YAML and JSON
//! * `request`: validation requests in JSON

mod across;
pub(crate) mod data;
mod files;
pub(crate) mod request;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bunraku_host::FILE_SIZE;
use bunraku_host::disk;
use bunraku_syntax::diagnostic::{Diagnostic, Error, ErrorKind, Issue, Report, Severity, Strictness};
use bunraku_syntax::source::Source;

use files::is_data;
pub use files::{Choice, ListedFile, list_files};

use crate::facade::{FileOptions, ParsedFile, Waiting, parse_listed};

/// Options of [`validate_files`].
#[derive(Clone, Debug)]
pub struct ValidationOptions {
    /// Which files below directories are selected.
    pub choice: Choice,
    /// The number of threads; by default the number of processors.
    pub threads: Option<NonZeroUsize>,
    /// How strictly questionable code is treated.
    pub strict: Strictness,
    /// Whether plans and `apply` are part of the language in all files instead of only below `plans`.
    pub tasks: bool,
    /// The maximum size of a file in bytes.
    pub size: u64,
    /// The files whose findings are reported, by absolute path; `None` for all. The other files are read,
    /// too, because they may define the same names.
    pub only: Option<HashSet<String>>,
}

impl Default for ValidationOptions {
    /// Manifests, templates and data of up to 64 MiB, except those that `.gitignore` names.
    fn default() -> Self {
        Self {
            choice: Choice { exclude: Vec::new(), obeys_gitignore: true, data: true },
            threads: None,
            strict: Strictness::default(),
            tasks: false,
            size: FILE_SIZE,
            only: None,
        }
    }
}

/// The result of a validation.
#[derive(Clone, Debug, Default)]
pub struct Validation {
    /// The number of validated files.
    pub files: usize,
    /// The findings, file by file in the order in which the files were found: warnings of the lexer, syntax
    /// errors, findings of the validator, and problems of definitions. Lower-case issue codes are of this
    /// library: a name that several files define, invalid data, a file that cannot be read.
    pub findings: Vec<Diagnostic>,
    /// The paths that led to no file: directories without files, and paths that patterns exclude.
    pub empty: Vec<String>,
}

impl Validation {
    /// Returns the number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|one| one.severity == severity).count()
    }

    /// Returns whether a file could not be read.
    pub fn has_unreadable(&self) -> bool {
        self.findings.iter().any(|one| one.issue == UNREADABLE)
    }
}

/// The code of a file that cannot be read.
pub const UNREADABLE: Issue = Issue("unreadable");
/// The code of a file that takes too much time or memory.
const TOO_MUCH: Issue = Issue("limit-exceeded");

/// How long to wait for a file before `progress` is called again.
const LOOK: Duration = Duration::from_millis(50);

/// Validates manifests and templates, and the data beside them. The findings are all syntax errors of each
/// file, the findings of the validator, parameters with names of metaparameters, names that are defined twice
/// in a file or in several files of an environment or module, and data that is not valid YAML or JSON.
///
/// `progress` is called with the number of finished files and the number of all files. An error of `progress`
/// ends the work.
///
/// # Errors
/// A pattern of `options` is invalid, `progress` returned an error, or the library is at fault.
///
/// ```
/// let options = bunraku::ValidationOptions::default();
/// let done = bunraku::validate_files(&["/nowhere/a.pp".to_owned()], &options, &mut |_, _| Ok(()))?;
/// assert!(done.files == 1 && done.has_unreadable());
/// # Ok::<(), bunraku::Error>(())
/// ```
pub fn validate_files(
    paths: &[String],
    options: &ValidationOptions,
    progress: &mut dyn FnMut(usize, usize) -> Result<(), Error>,
) -> Result<Validation, Error> {
    let files = without_other_data(list_files(paths, &options.choice)?);
    let has_files = |argument: usize| files.iter().any(|file| file.argument == argument);
    let empty: Vec<String> =
        (0..).zip(paths).filter(|(at, _)| !has_files(*at)).map(|(_, path)| path.clone()).collect();
    let parsing = FileOptions {
        threads: options.threads,
        tasks: options.tasks,
        recover: true,
        validate: Some(options.strict),
        size: options.size,
    };
    let names: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let mut found: Vec<Vec<Diagnostic>> = vec![Vec::new(); names.len()];
    let mut definitions = across::Definitions::default();
    let mut done = 0;
    let parsed = parse_listed(files, &parsing, data_of);
    loop {
        let (index, file) = match parsed.next_within(LOOK) {
            Ok(None) => break,
            Ok(Some(ready)) => ready,
            Err(Waiting) => {
                progress(done, names.len())?;
                continue;
            }
        };
        let (Some(path), Some(own)) = (names.get(index), found.get_mut(index)) else { continue };
        *own = match file {
            ParsedFile::Parsed { program, diagnostics, .. } => {
                definitions.add(&program);
                diagnostics
            }
            ParsedFile::Other(diagnostics) => diagnostics,
            ParsedFile::Refused(diagnostic) => vec![diagnostic],
            ParsedFile::Failed(error) => vec![failed(path, error)?],
        };
        done += 1;
        progress(done, names.len())?;
    }
    let numbers: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    for one in definitions.duplicates() {
        let file = one.location.file.as_deref();
        let index = file.and_then(|file| numbers.get(file));
        if let Some(own) = index.and_then(|&index| found.get_mut(index)) {
            own.push(one);
        }
    }
    let mut validation = Validation { files: 0, findings: Vec::new(), empty };
    for (path, own) in names.iter().zip(found) {
        if is_wanted(path, options) {
            validation.files += 1;
            validation.findings.extend(own);
        }
    }
    Ok(validation)
}

fn is_wanted(path: &str, options: &ValidationOptions) -> bool {
    let Some(only) = &options.only else { return true };
    disk::absolute_path(path).is_ok_and(|path| only.contains(&path))
}

/// Removes YAML and JSON files that were found in directories and that nothing reads.
fn without_other_data(mut files: Vec<ListedFile>) -> Vec<ListedFile> {
    let all: Vec<String> =
        files.iter().filter(|file| is_data(&file.path)).map(|file| file.path.clone()).collect();
    let known: HashSet<String> = data::known(&all).into_iter().collect();
    files.retain(|file| file.is_named || !is_data(&file.path) || known.contains(&file.path));
    files
}

/// Returns the findings for a YAML or JSON file, and none for other files.
fn data_of(path: &str, source: &Arc<Source>) -> Option<Vec<Diagnostic>> {
    is_data(path).then(|| data::check(source).into_iter().collect())
}

/// Returns the finding for a file that failed.
fn failed(path: &str, error: Error) -> Result<Diagnostic, Error> {
    let issue = match error.kind {
        ErrorKind::Io => UNREADABLE,
        ErrorKind::Limit => TOO_MUCH,
        _ => return Err(error),
    };
    let message = match error.message.strip_suffix(path).and_then(|rest| rest.strip_suffix(" - ")) {
        Some(message) => message.to_owned(),
        None => error.message,
    };
    let mut diagnostic = Report { issue, message }.nowhere();
    diagnostic.location = error.location;
    diagnostic.location.file = Some(path.into());
    Ok(diagnostic)
}

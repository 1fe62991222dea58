//! Parses and validates many files on several threads.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use bunraku_engine::eval::limits::{Cancel, Usage};
use bunraku_host::disk::{self, DiskHost};
use bunraku_host::read;
use bunraku_host::{FILE_SIZE, HostError, Reading};
use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::bug::guarded;
use bunraku_syntax::diagnostic::{Diagnostic, Error, ErrorKind, Strictness};
use bunraku_syntax::source::Source;
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{Recovered, parse_recovering_watched, parse_watched};

use super::text::{TextOptions, validate_program};
use crate::repository::ListedFile;

/// How many results can wait for the consumer before the threads pause.
const AHEAD: usize = 256;

/// How [`parse_files`] treats its files. Files whose names end with `.epp` are templates; files below a
/// directory `plans` may have plans and `apply`.
#[derive(Clone, Debug)]
pub struct FileOptions {
    /// The number of threads. `None` means the number of processors.
    pub threads: Option<NonZeroUsize>,
    /// Whether plans and `apply` are part of the language in all files.
    pub tasks: bool,
    /// Whether the parser continues after syntax errors.
    pub recover: bool,
    /// Whether the files are also validated, and how strictly.
    pub validate: Option<Strictness>,
    /// The maximum size of a file in bytes.
    pub size: u64,
}

impl Default for FileOptions {
    /// Manifests and templates of up to 64 MiB, parsed up to the first error and not validated.
    fn default() -> Self {
        Self { threads: None, tasks: false, recover: false, validate: None, size: FILE_SIZE }
    }
}

/// The result for one file.
#[derive(Debug)]
pub enum ParsedFile {
    /// The file was parsed.
    Parsed {
        /// The program.
        program: Arc<Program>,
        /// The syntax errors after which the parser continued.
        errors: Vec<Diagnostic>,
        /// Warnings of the lexer, the errors, and what the validator and the import of definitions found.
        diagnostics: Vec<Diagnostic>,
    },
    /// The file is not Puppet code; these are its errors.
    #[doc(hidden)]
    Other(Vec<Diagnostic>),
    /// The text is not valid: the first syntax error, or where it is not UTF-8.
    Refused(Diagnostic),
    /// The file cannot be read ([`ErrorKind::Io`]), a limit was exceeded, or the library itself is at fault.
    Failed(Error),
}

/// An iterator over the results of [`parse_files`]: yields the index of each path with its result, as soon as
/// it is ready.
///
/// Dropping it ends the threads. It can be sent to another thread.
pub struct ParsedFiles {
    results: Receiver<(usize, ParsedFile)>,
    cancel: Cancel,
}

impl fmt::Debug for ParsedFiles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ParsedFiles").finish_non_exhaustive()
    }
}

/// Reads, parses and validates files on several threads.
///
/// An error is the result of its file and does not affect the others. Each file may take 300 seconds of its
/// thread's processor time and 1 GiB of memory.
///
/// ```
/// let paths = vec!["/nowhere/a.pp".to_owned()];
/// let results: Vec<_> = bunraku::parse_files(paths, &bunraku::FileOptions::default()).collect();
/// let [(0, bunraku::ParsedFile::Failed(error))] = &results[..] else { panic!("the file does not exist") };
/// assert_eq!(error.kind, bunraku::ErrorKind::Io);
/// ```
pub fn parse_files(paths: Vec<String>, options: &FileOptions) -> ParsedFiles {
    let named = |(argument, path)| ListedFile { path, argument, is_named: true };
    let files = paths.into_iter().enumerate().map(named).collect();
    parse_listed(files, options, |_, _| None)
}

/// Reads a file that is not a program, by its path and text.
pub(crate) type ReadOther = fn(&str, &Arc<Source>) -> Option<Vec<Diagnostic>>;

/// As [`parse_files`], for files that were named or found. A file that `other` reads is not parsed.
pub(crate) fn parse_listed(files: Vec<ListedFile>, options: &FileOptions, other: ReadOther) -> ParsedFiles {
    let (sender, results) = sync_channel(AHEAD);
    let cancel = Cancel::new();
    let wanted = options.threads.or_else(|| std::thread::available_parallelism().ok());
    let threads = wanted.map_or(1, NonZeroUsize::get).min(files.len());
    let work = Arc::new(Work { files, options: options.clone(), other, next: AtomicUsize::new(0) });
    for _ in 0..threads {
        let (work, cancel) = (Arc::clone(&work), cancel.clone());
        let sender = sender.clone();
        let run = move || work.run(&sender, &cancel);
        if std::thread::Builder::new().name("bunraku-files".to_owned()).spawn(run).is_err() {
            break;
        }
    }
    ParsedFiles { results, cancel }
}

impl ParsedFiles {
    /// Returns the next result that is ready, or `None` after the last one.
    ///
    /// # Errors
    /// No result is ready within this time.
    pub fn next_within(&self, time: Duration) -> Result<Option<(usize, ParsedFile)>, Waiting> {
        match self.results.recv_timeout(time) {
            Ok(result) => Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(Waiting),
        }
    }
}

/// No result is ready yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting;

impl Iterator for ParsedFiles {
    type Item = (usize, ParsedFile);

    fn next(&mut self) -> Option<Self::Item> {
        self.results.recv().ok()
    }
}

impl Drop for ParsedFiles {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The state that the threads share.
struct Work {
    files: Vec<ListedFile>,
    options: FileOptions,
    other: ReadOther,
    next: AtomicUsize,
}

impl Work {
    /// Takes one file after another until none is left.
    fn run(&self, results: &SyncSender<(usize, ParsedFile)>, cancel: &Cancel) {
        while let (index, false) = (self.next.fetch_add(1, Ordering::Relaxed), cancel.is_cancelled()) {
            let Some(file) = self.files.get(index) else { return };
            let parsed = guarded(|| self.parse(file, cancel)).unwrap_or_else(ParsedFile::Failed);
            // The receiver is gone when the iterator was dropped.
            if results.send((index, parsed)).is_err() {
                return;
            }
        }
    }

    fn parse(&self, file: &ListedFile, cancel: &Cancel) -> ParsedFile {
        let ListedFile { path, is_named, .. } = file;
        let usage = Usage::of_reading(Some(cancel.clone()), &DiskHost);
        let check = || usage.ends.check();
        let reading = Reading::checked(self.options.size, &check);
        let bytes =
            if *is_named { disk::read_named(path, &reading) } else { read(&DiskHost, path, &reading) };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => return ParsedFile::Failed(of_host(error)),
        };
        let source = match Source::of_bytes(Some(path), bytes) {
            Ok(source) => Arc::new(source),
            Err(diagnostic) => return ParsedFile::Refused(diagnostic),
        };
        if let Some(diagnostics) = (self.other)(path, &source) {
            return ParsedFile::Other(diagnostics);
        }
        self.parse_text(source, &Watch::new(&usage.ends)).unwrap_or_else(ParsedFile::Failed)
    }

    fn parse_text(&self, source: Arc<Source>, watch: &Watch<'_>) -> Result<ParsedFile, Error> {
        let path = source.path().cloned();
        let options = TextOptions::of_path(path.as_deref()).or_tasks(self.options.tasks);
        let (program, errors) = if self.options.recover {
            let Recovered { program, errors } = parse_recovering_watched(source, &options.parsing(), watch)?;
            (program, errors)
        } else {
            match parse_watched(source, &options.parsing(), &mut Vec::new(), watch)? {
                Ok(program) => (program, Vec::new()),
                Err(diagnostic) => return Ok(ParsedFile::Refused(diagnostic)),
            }
        };
        let program = Arc::new(program);
        let mut diagnostics = program.warnings().to_vec();
        // The validator does not judge what replaces a syntax error.
        let is_sound = errors.is_empty();
        diagnostics.extend_from_slice(&errors);
        if let (Some(strict), true) = (self.options.validate, is_sound) {
            diagnostics.extend(validate_program(&program, strict, options.tasks, watch)?);
        }
        Ok(ParsedFile::Parsed { program, errors, diagnostics })
    }
}

/// The error for a file that cannot be read.
fn of_host(error: HostError) -> Error {
    match error {
        HostError::Ended(error) => *error,
        error => Error { kind: ErrorKind::Io, ..Error::argument(error.to_string()) },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_file_at_fault_is_its_own_result() {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let texts: [(&str, &[u8]); 5] = [
            ("a.pp", b"$h = { a => 1, a => 2 }"),
            ("b.pp", b"notice('\xe9')"),
            ("c.pp", b"$a =\n)"),
            ("d.epp", b"text <%= $x %>"),
            ("e.pp", b"\"\\q\""),
        ];
        let mut paths = vec![directory.path().join("missing.pp").to_string_lossy().into_owned()];
        for (name, text) in texts {
            let path = directory.path().join(name).to_string_lossy().into_owned();
            disk::write(&path, text).expect("the file can be written");
            paths.push(path);
        }
        let options = FileOptions { validate: Some(Strictness::Warning), ..FileOptions::default() };
        let told: BTreeMap<usize, String> = parse_files(paths, &options)
            .map(|(index, file)| match file {
                ParsedFile::Parsed { diagnostics, .. } => {
                    (index, diagnostics.into_iter().map(|one| one.message).collect::<Vec<_>>().join(" "))
                }
                ParsedFile::Refused(diagnostic) => (index, diagnostic.message),
                ParsedFile::Other(_) => unreachable!("all files are manifests"),
                ParsedFile::Failed(error) => (index, format!("{:?}", error.kind)),
            })
            .collect();
        let told: Vec<String> = told.into_values().collect();
        assert_eq!(
            told,
            [
                "Io",
                "The key 'a' is declared more than once",
                "the text is not valid UTF-8",
                "Syntax error at ')'",
                "",
                "Unrecognized escape sequence '\\q'"
            ]
        );
    }

    #[test]
    fn who_has_enough_ends_the_threads() {
        let paths = vec!["/nowhere".to_owned(); 10_000];
        let mut files = parse_files(paths, &FileOptions::default());
        assert!(files.next().is_some());
        drop(files);
    }
}

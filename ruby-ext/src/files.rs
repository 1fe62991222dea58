//! `Bunraku::Reading`: Rust threads that read, parse and validate files, and yield them as they are ready.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};
use std::time::Duration;

use bunraku::{FileOptions, ParsedFile, ParsedFiles, Waiting, parse_files};
use magnus::{Error, IntoValue as _, RArray, RModule, Ruby, prelude::*};

use crate::entry::{function, method};
use crate::program::{NativeProgram, strictness, to_hashes};
use crate::{class, failure, gvl};

/// How long the thread waits for a file before it checks for interruptions.
const LOOK: Duration = Duration::from_millis(50);
/// The maximum number of results that are taken at once.
const MANY: usize = 64;

/// Files in progress. A closed one has no results left; its threads end by themselves.
#[magnus::wrap(class = "Bunraku::Reading", free_immediately, size)]
struct Reading {
    files: Mutex<Option<ParsedFiles>>,
    tasks: bool,
    validate: bool,
}

impl Reading {
    /// Starts the threads. `strict` is the strictness of the validation; nil for no validation.
    fn open(ruby: &Ruby, paths: Vec<String>, options: RArray) -> Result<Self, Error> {
        let (threads, tasks, recover, strict): (Option<usize>, bool, bool, Option<String>) =
            magnus::TryConvert::try_convert(options.into_value_with(ruby))?;
        let threads = threads.and_then(NonZeroUsize::new);
        let validate = strict.map(|name| strictness(ruby, &name)).transpose()?;
        let options = FileOptions { threads, tasks, recover, validate, ..FileOptions::default() };
        let validate = validate.is_some();
        Ok(Self { files: Mutex::new(Some(parse_files(paths, &options))), tasks, validate })
    }

    /// Waits for files that are ready, and returns `[index, result]` of each; nil after the last one. A
    /// result is a Program or an exception; for files that are validated it is an array of hashes or an
    /// exception.
    fn next(ruby: &Ruby, own: &Self) -> Result<Option<RArray>, Error> {
        let taken = loop {
            let interrupted = AtomicBool::new(false);
            match gvl::try_without(|| own.take(&interrupted), &interrupted) {
                Some(Ok(taken)) => break taken,
                Some(Err(Waiting)) | None => gvl::check_interrupts()?,
            }
        };
        if taken.is_empty() {
            return Ok(None);
        }
        let results = ruby.ary_new_capa(taken.len());
        for (index, file) in taken {
            let pair = ruby.ary_new_capa(2);
            pair.push(index)?;
            pair.push(own.result(ruby, file)?)?;
            results.push(pair)?;
        }
        Ok(Some(results))
    }

    /// Waits for the next file, and takes all that are ready.
    fn take(&self, interrupted: &AtomicBool) -> Result<Vec<(usize, ParsedFile)>, Waiting> {
        let files = loop {
            match self.files.try_lock() {
                Ok(files) => break files,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                // Another thread waits for the next files.
                Err(TryLockError::WouldBlock) if interrupted.load(Ordering::Relaxed) => return Err(Waiting),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let Some(files) = &*files else { return Ok(Vec::new()) };
        let first = loop {
            match files.next_within(LOOK) {
                Ok(Some(first)) => break first,
                Ok(None) => return Ok(Vec::new()),
                Err(Waiting) if interrupted.load(Ordering::Relaxed) => return Err(Waiting),
                Err(Waiting) => (),
            }
        };
        let mut taken = vec![first];
        while let (true, Ok(Some(next))) = (taken.len() < MANY, files.next_within(Duration::ZERO)) {
            taken.push(next);
        }
        Ok(taken)
    }

    fn result(&self, ruby: &Ruby, file: ParsedFile) -> Result<Option<magnus::Value>, Error> {
        Ok(match file {
            ParsedFile::Parsed { diagnostics, .. } if self.validate => {
                Some(to_hashes(ruby, &diagnostics)?.into_value_with(ruby))
            }
            ParsedFile::Parsed { program, errors, .. } => {
                let program = NativeProgram::recovered(program, self.tasks, errors).into_value_with(ruby);
                program.freeze();
                Some(program)
            }
            ParsedFile::Other(diagnostics) => Some(to_hashes(ruby, &diagnostics)?.into_value_with(ruby)),
            ParsedFile::Refused(diagnostic) if self.validate => {
                Some(to_hashes(ruby, &[diagnostic])?.into_value_with(ruby))
            }
            ParsedFile::Refused(diagnostic) => failure::parse_exception(ruby, &diagnostic).value(),
            ParsedFile::Failed(error) => failure::raised(ruby, &error).value(),
        })
    }

    /// Ends the threads.
    fn close(&self) {
        if let Ok(mut files) = self.files.try_lock() {
            drop(files.take());
        }
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<Reading>(ruby, module, "Reading")?;
    class.define_singleton_method("native_open", function!(Reading::open, 2))?;
    class.define_private_method("native_next", method!(Reading::next, 0))?;
    class.define_private_method("native_close", method!(Reading::close, 0))
}

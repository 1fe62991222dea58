//! The output for people: results, messages, errors with their places.

use std::fmt::Display;
use std::io;
use std::sync::{Mutex, MutexGuard};

use bunraku::diagnostic::LogLevel;
use bunraku::diagnostic::bug::locked;
use bunraku::host::disk::{self, DiskHost};
use bunraku::host::{FILE_SIZE, Reading, read};
use bunraku::pcore::Value;
use bunraku::pcore::ruby::json::to_json;
use bunraku::source::Location;
use bunraku::{Error, ErrorKind, ListedFile, LogEntry};
use serde_json::Value as Json;

use crate::screen::{Colour, ColourChoice, Part, Screen, Streams};
use crate::source_line::{SourceLine, WIDTH};
use crate::{BUG, CommandError, MISUSED};

/// The margin beside a line of source.
const MARGIN: usize = 3;

/// The streams of a run. Threads may share it.
pub(crate) struct Console {
    out: Mutex<Screen>,
    err: Mutex<Screen>,
    /// The least level of messages that are shown.
    least: Mutex<LogLevel>,
}

impl Console {
    pub(crate) fn new(streams: Streams) -> Self {
        Self {
            out: Mutex::new(Screen::new(streams.out)),
            err: Mutex::new(Screen::new(streams.err)),
            least: Mutex::new(LogLevel::Notice),
        }
    }

    pub(crate) fn set_colours(&self, choice: ColourChoice) {
        self.out().set_colours(choice);
        self.err().set_colours(choice);
    }

    pub(crate) fn set_least_level(&self, level: LogLevel) {
        *locked(&self.least) = level;
    }

    /// Whether messages of a level are shown.
    pub(crate) fn shows(&self, level: LogLevel) -> bool {
        level >= *locked(&self.least)
    }

    /// The stream of results.
    pub(crate) fn out(&self) -> MutexGuard<'_, Screen> {
        locked(&self.out)
    }

    /// The stream of messages.
    pub(crate) fn err(&self) -> MutexGuard<'_, Screen> {
        locked(&self.err)
    }

    pub(crate) fn flush(&self) -> io::Result<()> {
        self.out().flush()?;
        self.err().flush()
    }

    /// Writes JSON to the results, as Ruby's `JSON.pretty_generate` lays it out.
    pub(crate) fn json(&self, value: &Json) -> Result<(), CommandError> {
        let text = pretty(value)?;
        Ok(self.out().data(&text, true)?)
    }

    /// Says which of the paths have no files.
    pub(crate) fn name_empty(&self, paths: &[String], files: &[ListedFile], what: &str) -> io::Result<()> {
        let is_empty = |&(number, _): &(usize, &String)| files.iter().all(|file| file.argument != number);
        let mut empty = paths.iter().enumerate().filter(is_empty);
        empty.try_for_each(|(_, path)| self.err().line(&format!("bunraku: there are no {what} in {path}")))
    }

    /// Writes a message of the log, if its level is shown.
    pub(crate) fn log(&self, entry: &LogEntry) -> io::Result<()> {
        if !self.shows(entry.level) {
            return Ok(());
        }
        let place = Location { column: None, ..entry.location.clone() };
        let place = place_of(&place).map(|place| format!(" ({place})")).unwrap_or_default();
        self.err().line(&format!("{}: {}{place}", entry.level.name(), entry.message))
    }

    /// Shows why a command has no answer. The exit status.
    pub(crate) fn show(&self, failure: &CommandError) -> u8 {
        // If nothing can be written, the failure cannot be reported.
        match failure {
            CommandError::Misuse(message) => {
                let _ = self.err().line(&format!("bunraku: {message}"));
                MISUSED
            }
            CommandError::Failed(error, logs) => {
                let _ = self.error(error, logs);
                if error.kind == ErrorKind::Bug { BUG } else { 1 }
            }
            // The reader has closed the pipe.
            CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            CommandError::Output(error) => {
                let _ = self.err().line(&format!("bunraku: {error}"));
                MISUSED
            }
        }
    }

    /// Shows the log before an error, the error with its place, and the calls that led there.
    pub(crate) fn error(&self, error: &Error, logs: &[LogEntry]) -> io::Result<()> {
        logs.iter().try_for_each(|entry| self.log(entry))?;
        let place = place_of(&error.location).map(|place| format!("{place}: ")).unwrap_or_default();
        let message =
            format!(": {}{}", error.full_message(), in_parentheses(error.issue.map(|one| one.code())));
        let mut err = self.err();
        err.parts(&[Part::Plain(&place), Part::Coloured("error", Colour::Red), Part::Plain(&message)])?;
        excerpt(&error.location, FILE_SIZE, &mut err)?;
        error.stack.iter().try_for_each(|frame| {
            let mut frame = frame.clone();
            frame.location.file = frame.location.file.map(|file| from_here(&file).into());
            err.line(&format!("  from {frame}"))
        })
    }
}

/// Shows the line of a file that something is about, with a mark below the column; on a terminal only, and
/// where the file can be read.
pub(crate) fn excerpt(location: &Location, limit: u64, screen: &mut Screen) -> io::Result<()> {
    if !screen.is_terminal() {
        return Ok(());
    }
    let Some((line, column)) = line_of(location, limit) else { return Ok(()) };
    let width = screen.columns().unwrap_or(WIDTH).saturating_sub(MARGIN);
    let (text, before) = SourceLine::new(&line, column).fit(width);
    screen.line(&format!("  {text}"))?;
    let before = format!("  {before}");
    screen.parts(&[Part::Plain(&before), Part::Coloured("^", Colour::Green)])
}

/// A line of a file, and the column in it.
fn line_of(location: &Location, limit: u64) -> Option<(String, usize)> {
    let text = read(&DiskHost, location.file.as_deref()?, &Reading::of_size(limit)).ok()?;
    let text = String::from_utf8_lossy(&text);
    let line = text.split_inclusive('\n').nth((location.line? as usize).checked_sub(1)?)?;
    Some((line.to_owned(), location.column.unwrap_or(1) as usize))
}

/// Data as JSON text of several lines, which ends with the end of a line.
pub(crate) fn pretty(value: &Json) -> Result<String, Error> {
    let mut text = to_json(&Value::from(value), true)?;
    text.push('\n');
    Ok(text)
}

/// `file:line:column` as far as they are known; the file as [`from_here`] names it.
pub(crate) fn place_of(location: &Location) -> Option<String> {
    let numbers = [location.line, location.column].into_iter().flatten().map(|number| number.to_string());
    let file = location.file.as_deref().map(|file| from_here(file).to_owned());
    let parts: Vec<String> = file.into_iter().chain(numbers).collect();
    if parts.is_empty() { None } else { Some(parts.join(":")) }
}

/// The path of a file without the working directory, if it is below it: as people type it, and as code
/// scanners know the files of a checkout.
pub(crate) fn from_here(path: &str) -> &str {
    let here = disk::absolute_path(".").unwrap_or_default();
    let below = path.strip_prefix(here.trim_end_matches('/')).and_then(|below| below.strip_prefix('/'));
    below.unwrap_or(path)
}

/// Something in parentheses after a space, if it exists.
pub(crate) fn in_parentheses(code: Option<impl Display>) -> String {
    code.map(|code| format!(" ({code})")).unwrap_or_default()
}

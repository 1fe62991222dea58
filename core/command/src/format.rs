//! `bunraku fmt`.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use bunraku::diagnostic::bug::locked;
use bunraku::formatter::{FormatOptions, format_watched};
use bunraku::host::disk::{self, DiskHost};
use bunraku::host::{FILE_SIZE, Reading, read};
use bunraku::source::Source;
use bunraku::syntax::watch::Watch;
use bunraku::{Choice, Error, Host as _, ListedFile, TextOptions, list_files};
use serde::Deserialize;
use similar::TextDiff;

use crate::arguments::FileArguments;
use crate::{CommandError, Outcome, Session, parallel};

/// Format manifests
///
/// Writes manifests (.pp), in directories too, as the style guide has them; - formats standard input to
/// standard output. In templates (.epp), tags on one line are formatted. Options may stand in the table
/// [format] of the nearest .bunraku.toml above a file: width, indentation, arrows ("aligned", "plain"),
/// quotes ("single", "kept").
#[derive(clap::Args)]
#[command(
    after_help = "Between the comments # bunraku:fmt off and # bunraku:fmt on, all stays as it is.\n\n\
                  Exit status: 0 all is well, 1 a text cannot be parsed or (with --check, --diff) would change, \
                  2 a file cannot be read or written, or wrong options."
)]
pub(crate) struct Arguments {
    /// Files and directories [default: the working directory]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// List files that would change, and change nothing
    #[arg(long)]
    check: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    diff: bool,
    /// Preferred line width in characters [default: 140]
    #[arg(long, value_name = "NUMBER")]
    width: Option<usize>,
    /// Format the statements on these lines only, as FIRST-LAST, of one file
    #[arg(long, value_name = "LINES", value_parser = lines)]
    range: Option<RangeInclusive<u32>>,
    /// Format what cannot be parsed, too, but for the statements with errors
    #[arg(long)]
    recover: bool,
    /// Accept plans and apply (always accepted below a directory plans)
    #[arg(long)]
    tasks: bool,
    /// Read standard input as a template (EPP)
    #[arg(long)]
    epp: bool,
    #[command(flatten)]
    reading: FileArguments,
}

/// Reads `FIRST-LAST`.
fn lines(text: &str) -> Result<RangeInclusive<u32>, String> {
    let range = text.split_once('-').unwrap_or((text, text));
    let range = range.0.parse().ok().zip(range.1.parse().ok()).filter(|(first, last)| first <= last);
    range.map(|(first, last)| first..=last).ok_or_else(|| "lines are FIRST-LAST, such as 3-7".to_owned())
}

/// The name of the file with options.
const OPTIONS_FILE: &str = ".bunraku.toml";

/// The content of the table.
#[derive(Clone, Debug, Default, Deserialize)]
struct OptionsFile {
    #[serde(default)]
    format: OptionsTable,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionsTable {
    width: Option<usize>,
    indentation: Option<usize>,
    arrows: Option<Arrows>,
    quotes: Option<Quotes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Arrows {
    Aligned,
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Quotes {
    Single,
    Kept,
}

/// The result for a file.
enum Formatted {
    /// Nothing changes.
    Same(Arc<Source>),
    /// The old and the new text.
    Changed(Arc<Source>, String),
}

type Answer = Result<Formatted, CommandError>;

/// The options of directories, once they were read.
#[derive(Default)]
struct Directories(Mutex<HashMap<String, Result<OptionsTable, String>>>);

impl Session<'_> {
    pub(crate) fn format(&self, given: &Arguments) -> Outcome {
        let here = [".".to_owned()];
        let paths = if given.paths.is_empty() { &here[..] } else { &given.paths };
        let files = list_files(paths, &Choice::default())?;
        self.console.name_empty(paths, &files, "manifests or templates")?;
        if given.range.is_some() && files.len() > 1 {
            return Err(CommandError::misuse("--range is for one file"));
        }
        let directories = Directories::default();
        let work = |file: &ListedFile| self.format_file(&file.path, file.is_named, given, &directories);
        let answers = parallel::of_files(&files, work);
        let mut status = 0;
        for (ListedFile { path, .. }, answer) in files.iter().zip(answers) {
            match answer.and_then(|formatted| self.take_formatted(path, formatted, given)) {
                Ok(changed) => status = status.max(u8::from(changed && (given.check || given.diff))),
                Err(failure @ CommandError::Output(_)) => return Err(failure),
                Err(failure) => status = status.max(self.console.show(&failure)),
            }
        }
        Ok(status)
    }

    fn format_file(&self, path: &str, is_named: bool, given: &Arguments, known: &Directories) -> Answer {
        let bytes = if is_named { given.reading.bytes(path, self)? } else { given.reading.found(path)? };
        let source = Arc::new(Source::of_bytes(Some(path), bytes).map_err(Error::from)?);
        let table = known.of(path).map_err(CommandError::Misuse)?;
        let options = options(path, given, &table);
        let usage = self.reading();
        let text = format_watched(Arc::clone(&source), &options, &Watch::new(&usage.ends))?;
        Ok(if text == source.text() { Formatted::Same(source) } else { Formatted::Changed(source, text) })
    }

    /// Writes what came of a file, or shows it. Whether it changes.
    fn take_formatted(
        &self,
        path: &str,
        formatted: Formatted,
        given: &Arguments,
    ) -> Result<bool, CommandError> {
        let is_filter = path == "-" && !given.check && !given.diff;
        match formatted {
            Formatted::Same(source) if is_filter => {
                self.console.out().data(source.text(), false)?;
                Ok(false)
            }
            Formatted::Same(_) => Ok(false),
            Formatted::Changed(_, text) if is_filter => {
                self.console.out().data(&text, false)?;
                Ok(true)
            }
            Formatted::Changed(source, text) => {
                if given.diff {
                    let name = if path == "-" { "standard input" } else { path };
                    let diff = TextDiff::from_lines(source.text(), text.as_str());
                    let shown = diff.unified_diff().header(name, name).to_string();
                    self.console.out().data(&shown, false)?;
                }
                if given.check {
                    self.console.out().line(path)?;
                }
                if !given.check && !given.diff {
                    disk::write(path, text.as_bytes())?;
                }
                Ok(true)
            }
        }
    }
}

/// The format options for a file: the command line takes precedence over the file with options.
fn options(path: &str, given: &Arguments, table: &OptionsTable) -> FormatOptions {
    let (plain, named) = (FormatOptions::default(), TextOptions::of_path(Some(path)));
    FormatOptions {
        width: given.width.or(table.width).unwrap_or(plain.width),
        indentation: table.indentation.unwrap_or(plain.indentation),
        align_arrows: table.arrows.is_none_or(|arrows| arrows == Arrows::Aligned),
        single_quotes: table.quotes.is_none_or(|quotes| quotes == Quotes::Single),
        epp: named.epp || path == "-" && given.epp,
        tasks: given.tasks || named.tasks,
        lines: given.range.clone(),
        recover: given.recover,
    }
}

impl Directories {
    /// The options in the nearest file above a path.
    fn of(&self, path: &str) -> Result<OptionsTable, String> {
        let path = if path == "-" { "./-".to_owned() } else { path.to_owned() };
        let path = disk::absolute_path(&path).map_err(|error| error.to_string())?;
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        if let Some(known) = locked(&self.0).get(directory) {
            return known.clone();
        }
        let found = find_options(directory);
        locked(&self.0).insert(directory.to_owned(), found.clone());
        found
    }
}

/// Reads the nearest file with options of a directory and those above it.
fn find_options(mut directory: &str) -> Result<OptionsTable, String> {
    loop {
        let path = format!("{directory}/{OPTIONS_FILE}");
        if DiskHost.info(&path).is_some_and(|info| !info.is_directory) {
            let bytes =
                read(&DiskHost, &path, &Reading::of_size(FILE_SIZE)).map_err(|error| error.to_string())?;
            let text =
                String::from_utf8(bytes).map_err(|_| format!("the text is not valid UTF-8 - {path}"))?;
            let file: OptionsFile =
                toml::from_str(&text).map_err(|error| format!("{path}: {}", error.message()))?;
            return Ok(file.format);
        }
        match directory.rsplit_once('/') {
            Some((above, _)) => directory = above,
            None => return Ok(OptionsTable::default()),
        }
    }
}

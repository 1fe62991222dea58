//! The command `bunraku`: its subcommands, options, output and exit statuses.
//!
//! [`run`] is the whole command. The program `bunraku` calls it with [`NoRuby`]; the gem calls it with an
//! [`Embedder`] that runs the modules' Ruby with Ruby. The output goes to [`Streams`].
//!
//! Exit status: 0 for success, 1 for errors in the program or the data, 2 for wrong usage, 70 if the library
//! itself is at fault. `diff` uses those of `diff`: 0 no differences, 1 differences, 2 trouble.
//!
//! * `arguments`: common options of subcommands; `configuration`: `.bunraku.toml`
//! * `console`, `screen`, `listing`, `source_line`: output for people
//! * `place`, `facts`, `legacy_facts`, `node`: the environment, facts, and the data of a node
//! * one module for each subcommand, or for two related ones

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod arguments;
mod check;
mod classifier;
mod compile;
mod configuration;
mod console;
mod convert;
mod diff;
mod embedder;
mod examples;
mod facts;
mod format;
mod formats;
mod graph;
mod legacy_facts;
mod lint;
mod listing;
mod lookup;
mod modules;
mod node;
mod parallel;
mod parse;
mod place;
mod revision;
mod screen;
mod shadow;
mod source_line;
mod types;
mod validate;

use std::ffi::OsString;
use std::sync::Arc;

use bunraku::diagnostic::LogLevel;
use bunraku::diagnostic::bug::guarded;
use bunraku::host::HostError;
use bunraku::host::disk;
use bunraku::{Error, ErrorKind, LogEntry};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use classifier::ServerOptions;
pub use embedder::{Embedder, NoRuby, PuppetDb, RubyFunctions, Surroundings, Work};
pub use screen::{Stream, Streams};
pub use shadow::{ShadowOptions, ShadowReport};

use console::Console;
use examples::with_examples;
use screen::ColourChoice;

/// The exit status of a command that was used wrongly.
const MISUSED: u8 = 2;
/// The exit status where the library itself is at fault.
const BUG: u8 = 70;

/// The Puppet language, natively
#[derive(Parser)]
#[command(
    name = "bunraku",
    version,
    override_usage = "bunraku COMMAND [OPTIONS]",
    subcommand_value_name = "COMMAND",
    arg_required_else_help = true,
    infer_long_args = true,
    args_override_self = true,
    max_term_width = 100,
    after_help = "Exit status: 0 success, 1 errors in manifests or data, 2 wrong options or unreadable files, 70 a \
                  bug in bunraku."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    general: GeneralArguments,
}

/// Options of all subcommands.
#[derive(Args)]
#[command(next_help_heading = "General")]
struct GeneralArguments {
    /// Options file [default: .bunraku.toml in the working directory or above]
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "no_config")]
    config: Option<String>,
    /// Do not read .bunraku.toml
    #[arg(long, global = true)]
    no_config: bool,
    /// When to use colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true,
        global = true
    )]
    color: ColourChoice,
    /// Show errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Show log messages of levels info and debug
    #[arg(long, short, global = true)]
    verbose: bool,
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    Classifier(classifier::Arguments),
    Compile(Box<compile::Arguments>),
    Completions(CompletionsArguments),
    Convert(convert::Arguments),
    Describe(types::DescribeArguments),
    Diff(Box<diff::Arguments>),
    Doc(modules::DocArguments),
    Fmt(format::Arguments),
    Generate(types::GenerateArguments),
    Graph(Box<graph::Arguments>),
    Lint(Box<lint::Arguments>),
    Lookup(Box<lookup::Arguments>),
    Man(ManArguments),
    Module(modules::ModuleArguments),
    Parse(parse::Arguments),
    Shadow(shadow::Arguments),
    Validate(validate::Arguments),
}

/// Write a shell completion script
#[derive(clap::Args)]
struct CompletionsArguments {
    /// Shell
    shell: clap_complete::Shell,
}

/// Write manual pages
#[derive(Args)]
struct ManArguments {
    /// Directory for bunraku.1 and a page for each subcommand
    #[arg(long, value_name = "DIR")]
    output: String,
}

/// The reason why a command fails.
#[derive(Debug)]
enum CommandError {
    /// It was used wrongly: unusable options, files that cannot be read.
    Misuse(String),
    /// The program, the data or the library is at fault; with the preceding log.
    Failed(Box<Error>, Vec<LogEntry>),
    /// Its output cannot be written.
    Output(std::io::Error),
}

impl CommandError {
    fn misuse(message: impl Into<String>) -> Self {
        Self::Misuse(message.into())
    }

    /// An argument that the library rejects is wrong usage of the command.
    fn of_arguments(error: Error) -> Self {
        match error.kind {
            ErrorKind::Argument => Self::Misuse(error.message),
            _ => error.into(),
        }
    }

    /// An error in a revision, whose files are named as in git: those of the working tree have other lines.
    fn in_revision(mut self, revision: &str) -> Self {
        if let Self::Failed(error, _) = &mut self
            && let Some(file) = &error.location.file
        {
            error.location.file = Some(format!("{revision}:{file}").into());
        }
        self
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        Self::Failed(Box::new(error), Vec::new())
    }
}

impl From<HostError> for CommandError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Ended(error) => Self::Failed(error, Vec::new()),
            error => Self::Misuse(error.to_string()),
        }
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// The result of a command.
type Outcome = Result<u8, CommandError>;

/// The options of the command with their help.
fn command() -> clap::Command {
    with_examples(CommandLine::command())
}

/// A run of the command: its streams, and its access to Ruby.
struct Session<'e> {
    console: Arc<Console>,
    embedder: &'e dyn Embedder,
}

/// Runs the command.
///
/// `arguments` are those after its name. Nothing panics: the exit status reports a bug.
pub fn run(arguments: impl IntoIterator<Item = OsString>, streams: Streams, embedder: &dyn Embedder) -> u8 {
    let session = Session { console: Arc::new(Console::new(streams)), embedder };
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let outcome = guarded(|| session.run(&arguments)).unwrap_or_else(|bug| Err(bug.into()));
    let outcome =
        outcome.and_then(|status| session.console.flush().map(|()| status).map_err(CommandError::Output));
    session.status_of(outcome)
}

impl Session<'_> {
    fn run(&self, arguments: &[OsString]) -> Outcome {
        let mut command = command();
        command.build();
        let arguments = &configuration::with_file(&command, arguments, self)?;
        let name = std::iter::once(OsString::from("bunraku"));
        let parsed = command.try_get_matches_from(name.chain(arguments.iter().cloned()));
        let parsed = match parsed.and_then(|parsed| CommandLine::from_arg_matches(&parsed)) {
            Ok(parsed) => parsed,
            Err(answer) => return self.answer_of_parser(&answer, arguments),
        };
        let GeneralArguments { color, quiet, verbose, .. } = parsed.general;
        self.console.set_colours(color);
        self.console.set_least_level(match (quiet, verbose) {
            (true, _) => LogLevel::Err,
            (_, true) => LogLevel::Debug,
            _ => LogLevel::Notice,
        });
        match &parsed.command {
            Command::Check(given) => self.check_environment(given),
            Command::Classifier(given) => self.classifier(given),
            Command::Compile(given) => self.compile(given),
            Command::Completions(given) => self.completions(given),
            Command::Convert(given) => self.convert(given),
            Command::Describe(given) => self.describe(given),
            Command::Diff(given) => self.diff(given),
            Command::Doc(given) => self.doc(given),
            Command::Fmt(given) => self.format(given),
            Command::Generate(given) => self.generate(given),
            Command::Graph(given) => self.graph(given),
            Command::Lint(given) => self.lint(given),
            Command::Lookup(given) => self.lookup(given),
            Command::Man(given) => man(given),
            Command::Module(given) => self.module(given),
            Command::Parse(given) => self.parse(given),
            Command::Shadow(given) => self.shadow(given),
            Command::Validate(given) => self.validate(given),
        }
    }

    /// Shows the output of the options themselves: help, the version, or errors in them.
    fn answer_of_parser(&self, answer: &clap::Error, arguments: &[OsString]) -> Outcome {
        use clap::error::ErrorKind;
        if answer.kind() == ErrorKind::DisplayVersion {
            self.console.out().line(env!("CARGO_PKG_VERSION"))?;
            return Ok(0);
        }
        // Colours are only used if the arguments themselves cannot control the terminal.
        let is_tame = arguments.iter().all(|one| screen::is_printable(&one.to_string_lossy()));
        let text = answer.render();
        let shown = |screen: &mut screen::Screen| match is_tame && screen.has_colours() {
            true => screen.bytes(text.ansi().to_string().as_bytes()),
            false => screen.text(&text.to_string()),
        };
        if answer.use_stderr() {
            shown(&mut self.console.err())?;
            return Ok(MISUSED);
        }
        shown(&mut self.console.out())?;
        Ok(0)
    }

    /// Tells what may not be meant.
    fn note(&self, text: &str) -> Result<(), CommandError> {
        if !self.console.shows(LogLevel::Notice) {
            return Ok(());
        }
        Ok(self.console.err().line(&format!("note: {text}"))?)
    }

    /// Tells of modules that a Puppetfile names and that are not there.
    fn tell_of_missing(&self, mut modules: Vec<String>) -> Result<(), CommandError> {
        if modules.is_empty() {
            return Ok(());
        }
        modules.sort();
        modules.dedup();
        let (names, are) = (modules.join(", "), if modules.len() == 1 { "is" } else { "are" });
        self.note(&format!(
            "of the Puppetfile's modules {names} {are} not installed: r10k puppetfile install"
        ))
    }

    fn completions(&self, given: &CompletionsArguments) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(given.shell, &mut command(), "bunraku", &mut script);
        self.console.out().bytes(&script)?;
        Ok(0)
    }

    /// The exit status of an outcome; what went wrong is shown.
    fn status_of(&self, outcome: Outcome) -> u8 {
        match outcome {
            Ok(status) => status,
            Err(failure) => {
                let status = self.console.show(&failure);
                let _ = self.console.flush();
                status
            }
        }
    }
}

/// Writes a page for the command and one for each subcommand.
fn man(given: &ManArguments) -> Outcome {
    disk::make_directory(&given.output)?;
    clap_mangen::generate_to(command().disable_help_subcommand(true), &given.output)?;
    Ok(0)
}

#[cfg(test)]
mod tests;

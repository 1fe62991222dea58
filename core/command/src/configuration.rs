//! `.bunraku.toml`: default options of the command.
//!
//! The file is searched for in the working directory and above. A table has the name of a subcommand
//! (`[compile]`, `[module.check]`), and its keys are the long options of that subcommand; keys above all
//! tables apply to each subcommand with such an option. The command line takes precedence. `bunraku fmt`
//! reads the table `[format]`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bunraku::Host as _;
use bunraku::host::disk::{self, DiskHost};
use bunraku::pcore::keys;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::{Table, Value};

use crate::arguments::{FileArguments, text};
use crate::format::OptionsTable;
use crate::{CommandError, Session};

/// The name of the file.
const FILE: &str = ".bunraku.toml";

/// Options that a file cannot set: a checkout can configure how it is inspected, but not what is written
/// where.
const NOT_IN_FILES: [&str; 5] = ["config", "help", "no-config", "output", "version"];

/// The arguments with those of the file, if there is one.
///
/// # Errors
/// The file cannot be read, or contains unknown options.
pub(crate) fn with_file(
    command: &Command,
    arguments: &[OsString],
    session: &Session<'_>,
) -> Result<Vec<OsString>, CommandError> {
    let name = std::iter::once(OsString::from("bunraku"));
    let lenient = command.clone().ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(name.chain(arguments.iter().cloned())) else {
        return Ok(arguments.to_vec());
    };
    let mut chosen = Chosen { command, matches: &matches, path: Vec::new() };
    while let Some((name, matches)) = chosen.matches.subcommand() {
        let Some(command) = chosen.command.find_subcommand(name) else { break };
        chosen.path.push(name.to_owned());
        (chosen.command, chosen.matches) = (command, matches);
    }
    if chosen.path.is_empty() || chosen.matches.get_flag("no_config") {
        return Ok(arguments.to_vec());
    }
    let (path, text) = if let Some(path) = chosen.matches.get_one::<String>("config") {
        (path.into(), FileArguments::default().text(path, session)?)
    } else {
        let Some(path) = next_file()? else { return Ok(arguments.to_vec()) };
        let shown = path.to_string_lossy();
        let text = text(FileArguments::default().found(&shown)?, &shown)?;
        (path, text)
    };
    let given = File::parse(path, &text)?.arguments(command, &chosen)?;
    Ok(insert(arguments, &chosen.path, given))
}

/// The next file from the working directory up.
fn next_file() -> Result<Option<PathBuf>, CommandError> {
    let directory = disk::absolute_path(".")?;
    let mut candidates = Path::new(&directory).ancestors().map(|above| above.join(FILE));
    Ok(candidates.find(|path| DiskHost.info(&path.to_string_lossy()).is_some()))
}

/// Inserts the given arguments after the names of the subcommand.
fn insert(arguments: &[OsString], path: &[String], given: Vec<OsString>) -> Vec<OsString> {
    let mut rest = arguments.to_vec();
    for name in path {
        if let Some(at) = rest.iter().position(|one| one == name.as_str()) {
            rest.remove(at);
        }
    }
    path.iter().map(OsString::from).chain(given).chain(rest).collect()
}

/// The chosen subcommand, with its arguments on the command line.
struct Chosen<'c> {
    command: &'c Command,
    matches: &'c ArgMatches,
    path: Vec<String>,
}

impl Chosen<'_> {
    /// Whether the command line has this option, or one that excludes it.
    fn goes_before(&self, option: &Arg) -> bool {
        let is_given = |one: &Arg| {
            let id = one.get_id().as_str();
            self.matches.try_contains_id(id).unwrap_or(false)
                && self.matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let excludes = |one: &Arg, other: &Arg| {
            self.command.get_arg_conflicts_with(one).iter().any(|found| found.get_id() == other.get_id())
        };
        self.command
            .get_arguments()
            .filter(|one| is_given(one))
            .any(|one| one.get_id() == option.get_id() || excludes(one, option) || excludes(option, one))
    }
}

/// A file that was read.
struct File {
    path: PathBuf,
    table: Table,
}

impl File {
    fn parse(path: PathBuf, text: &str) -> Result<Self, CommandError> {
        let shown = path.to_string_lossy();
        let table = text.parse::<Table>().map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            CommandError::misuse(format!("{shown}:{line}: {}", error.message()))
        })?;
        Ok(Self { path, table })
    }

    /// The file's arguments for the chosen subcommand.
    fn arguments(&self, all: &Command, chosen: &Chosen<'_>) -> Result<Vec<OsString>, CommandError> {
        let mut given = Vec::new();
        self.check(all, &self.table, "")?;
        for (key, value) in &self.table {
            if all.find_subcommand(key).is_some() || is_of_formatter(key, value) {
                continue;
            }
            if let Some(option) = option(chosen.command, key) {
                self.add(option, value, chosen, &mut given)?;
            }
        }
        let mut table = Some(&self.table);
        for name in &chosen.path {
            table = table.and_then(|table| table.get(name)).and_then(Value::as_table);
        }
        for (key, value) in table.into_iter().flatten() {
            if let Some(option) = option(chosen.command, key) {
                self.add(option, value, chosen, &mut given)?;
            }
        }
        Ok(given)
    }

    /// Refuses keys that no subcommand has: those of a table are options of one subcommand, the others of
    /// any.
    fn check(&self, command: &Command, table: &Table, above: &str) -> Result<(), CommandError> {
        let inner = || command.get_subcommands();
        for (key, value) in table {
            if let (Some(below), Some(inner)) = (value.as_table(), command.find_subcommand(key)) {
                self.check(inner, below, format!("{above} {key}").trim())?;
                continue;
            }
            if above.is_empty() && is_of_formatter(key, value) {
                let style = value.clone().try_into::<OptionsTable>();
                style.map_err(|error| self.misuse(&format!("[format]: {}", error.message())))?;
                continue;
            }
            let is_known = match above {
                "" => inner().any(|one| option(one, key).is_some()),
                _ => option(command, key).is_some(),
            };
            if !is_known {
                let message = match above {
                    "" => format!("no command is called '{key}' or has such an option"),
                    _ => format!("'{above}' has no option '{key}'"),
                };
                let known = names(command).chain(inner().map(Command::get_name));
                let known: Vec<&str> = match above {
                    "" => known.chain(inner().flat_map(names)).collect(),
                    _ => known.collect(),
                };
                return Err(self.misuse(&keys::unknown(message, key, known.into_iter()).message));
            }
        }
        Ok(())
    }

    /// Adds an option as the command line has it.
    fn add(
        &self,
        option: &Arg,
        value: &Value,
        chosen: &Chosen<'_>,
        given: &mut Vec<OsString>,
    ) -> Result<(), CommandError> {
        if chosen.goes_before(option) {
            return Ok(());
        }
        let name = option.get_long().unwrap_or_default();
        let is_flag = matches!(option.get_action(), ArgAction::SetTrue | ArgAction::Count);
        let values: Vec<String> = match value {
            Value::Boolean(is_set) if is_flag => {
                if *is_set {
                    given.push(format!("--{name}").into());
                }
                return Ok(());
            }
            _ if is_flag => return Err(self.misuse(&format!("'{name}' is true or false"))),
            Value::Array(values) => {
                values.iter().map(|value| self.text(option, value)).collect::<Result<_, _>>()?
            }
            Value::Table(pairs) => {
                let pair = |(key, value): (&String, &Value)| {
                    Ok::<_, CommandError>(format!("{key}={}", self.scalar(name, value)?))
                };
                pairs.iter().map(pair).collect::<Result<_, _>>()?
            }
            one => vec![self.text(option, one)?],
        };
        given.extend(values.into_iter().map(|text| OsString::from(format!("--{name}={text}"))));
        Ok(())
    }

    /// A value as the command line has it; paths are from the file's directory.
    fn text(&self, option: &Arg, value: &Value) -> Result<String, CommandError> {
        let text = self.scalar(option.get_long().unwrap_or_default(), value)?;
        let is_path = option.get_value_names().is_some_and(|names| {
            names.iter().any(|name| ["DIR", "DIRECTORY", "FILE", "PATH"].contains(&name.as_str()))
        });
        let Some(directory) = self.path.parent().filter(|_| is_path) else { return Ok(text) };
        let whole = |path: &str| match path {
            "-" => path.to_owned(),
            path => directory.join(path).to_string_lossy().into_owned(),
        };
        Ok(text.split(':').map(whole).collect::<Vec<_>>().join(":"))
    }

    fn scalar(&self, name: &str, value: &Value) -> Result<String, CommandError> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            Value::Float(number) => Ok(number.to_string()),
            Value::Boolean(truth) => Ok(truth.to_string()),
            Value::Datetime(time) => Ok(time.to_string()),
            Value::Array(_) | Value::Table(_) => {
                Err(self.misuse(&format!("'{name}' is a text, a number, or a list of them")))
            }
        }
    }

    fn misuse(&self, message: &str) -> CommandError {
        CommandError::misuse(format!("{}: {message}", self.path.display()))
    }
}

/// Whether it is the table with the style of manifests, which `bunraku fmt` reads for each directory.
fn is_of_formatter(key: &str, value: &Value) -> bool {
    key == "format" && value.is_table()
}

/// The options of a command that a file may give.
fn names(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(Arg::get_long).filter(|name| !NOT_IN_FILES.contains(name))
}

/// An option by its long name, with `_` for `-` as one likes.
fn option<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    let name = key.replace('_', "-");
    let is_it = |one: &&Arg| one.get_long() == Some(&name);
    command.get_arguments().find(is_it).filter(|_| !NOT_IN_FILES.contains(&name.as_str()))
}

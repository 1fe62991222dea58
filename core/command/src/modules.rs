//! `bunraku doc`, `bunraku module`: what modules define, and whether they are as they should be.

use std::sync::Arc;

use bunraku::Host as _;
use bunraku::host::disk::{self, DiskHost};
use bunraku::requests;
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value as Json, json};

use crate::arguments::TextOrJson;
use crate::console::pretty;
use crate::place::{directories, load, own_modules};
use crate::{CommandError, Outcome, Session};

/// Document modules
///
/// Documents what modules (directories) and files define, with their comments, as `puppet strings generate`
/// does. For a directory with environment.conf, it documents the modules that the environment holds itself.
/// Unreadable files are errors. Missing and wrong comments (parameters without @param, @param without a
/// parameter, unknown tags, no comment at all) are reported on standard error, as puppet-strings does.
#[derive(clap::Args)]
pub(crate) struct DocArguments {
    /// Modules, environments and files [default: the working directory]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    warnings: Warnings,
    /// Exit with 1 when there are warnings
    #[arg(long)]
    fail_on_warning: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: DocFormat,
}

/// Whether warnings are shown.
#[derive(clap::Args)]
struct Warnings {
    /// Show warnings (default)
    #[arg(long, overrides_with = "no_warnings")]
    warnings: bool,
    /// Show errors only
    #[arg(long, overrides_with = "warnings")]
    no_warnings: bool,
}

/// How documentation is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DocFormat {
    #[default]
    Json,
    Markdown,
}

/// Check a module: files, metadata, definitions
#[derive(clap::Args)]
#[command(override_usage = "bunraku module check [DIRECTORY...] [OPTIONS]")]
pub(crate) struct ModuleArguments {
    #[command(subcommand)]
    action: ModuleAction,
}

#[derive(Subcommand)]
enum ModuleAction {
    Check(CheckArguments),
}

/// Check modules
///
/// Checks modules: missing files, files that do not belong in a release, metadata, definitions in files where
/// Puppet does not look for them, and tasks. The exit status is 1 when there are errors.
#[derive(clap::Args)]
struct CheckArguments {
    /// Modules [default: the one in the working directory]
    #[arg(value_name = "DIRECTORY")]
    directories: Vec<String>,
    /// Directories of modules, in which dependencies must be installed
    #[arg(long, value_name = "PATH")]
    modulepath: Option<String>,
    /// Report what the built-in Ruby does not know of the modules' Ruby files
    #[arg(long)]
    ruby: bool,
    /// Check a release: list every development file
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    warnings: Warnings,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: TextOrJson,
}

impl Session<'_> {
    pub(crate) fn doc(&self, given: &DocArguments) -> Outcome {
        if let Some(missing) = given.paths.iter().find(|path| DiskHost.info(path).is_none()) {
            return Err(CommandError::misuse(format!("there is no {missing}")));
        }
        let mut paths = Vec::new();
        for path in or_here(&given.paths) {
            let path = disk::absolute_path(path)?;
            if DiskHost.info(&format!("{path}/environment.conf")).is_some() {
                let name = "production";
                let asked = json!({ "directory": path, "environment": name });
                paths.extend(own_modules(&*load(Arc::new(DiskHost), &asked, name)?));
            } else {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(CommandError::misuse("the environment holds no modules of its own"));
        }
        let is_json = given.format == DocFormat::Json;
        let format = if is_json { "json" } else { "markdown" };
        let usage = self.reading();
        let asked = json!({ "paths": paths, "format": format });
        let answer = requests::document(&DiskHost, &asked, &usage.ends)?;
        let (written, is_empty) = match &answer["documentation"] {
            // Each kind of definition has a heading.
            Json::String(text) => (text.clone(), !text.contains("\n### ")),
            data => {
                let is_empty = |kind: &Json| kind.as_array().is_some_and(Vec::is_empty);
                (pretty(data)?, data.as_object().is_some_and(|kinds| kinds.values().all(is_empty)))
            }
        };
        self.write(given.output.as_deref(), &written, is_json)?;
        let list = |name: &str| answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let (failures, warnings) = (list("failures"), list("warnings"));
        let mut err = self.console.err();
        if is_empty {
            err.line(&format!(
                "bunraku: there is nothing to document in {}",
                or_here(&given.paths).join(", ")
            ))?;
        }
        let text = |one: &Json, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        for one in failures {
            err.line(&format!("{}: error: {}", text(one, "file"), text(one, "message")))?;
        }
        for one in warnings.iter().filter(|_| !given.warnings.no_warnings) {
            let level = if one["severity"] == "error" { "error" } else { "warn" };
            err.line(&format!("[{level}]: {}", text(one, "message")))?;
        }
        Ok((!failures.is_empty() || (given.fail_on_warning && !warnings.is_empty())).into())
    }

    pub(crate) fn module(&self, given: &ModuleArguments) -> Outcome {
        let ModuleAction::Check(given) = &given.action;
        let modulepath = given.modulepath.as_deref().map(directories).transpose()?;
        let mut found: Vec<(&str, Vec<Json>)> = Vec::new();
        for directory in or_here(&given.directories) {
            if !DiskHost.info(directory).is_some_and(|info| info.is_directory) {
                return Err(CommandError::misuse(format!("there is no directory {directory}")));
            }
            let path = disk::absolute_path(directory)?;
            let usage = self.reading();
            let asked = json!({ "directory": path, "modulepath": modulepath });
            let Json::Array(mut findings) = requests::check_module(&DiskHost, &asked, &usage.ends)? else {
                continue;
            };
            if given.ruby {
                findings.extend(ruby_of_module(&path, modulepath.as_deref().unwrap_or_default())?);
            }
            findings.retain(|one| !given.warnings.no_warnings || one["severity"] == "error");
            found.push((directory, findings));
        }
        if given.format == TextOrJson::Json {
            let all = found.iter().map(|(directory, all)| ((*directory).to_owned(), all.clone().into()));
            self.console.json(&Json::Object(all.collect::<Map<_, _>>()))?;
        } else {
            let mut out = self.console.out();
            for (directory, all) in &found {
                let directory = directory.trim_end_matches('/');
                let is_folded = |one: &&Json| !given.release && one["rule"] == "development";
                let others = all.iter().filter(|one| !is_folded(one));
                others.into_iter().try_for_each(|one| out.line(&format!("{directory}/{}", describe(one))))?;
                let count = all.iter().filter(is_folded).count();
                if count > 0 {
                    out.line(&format!(
                        "{directory}: note: {count} files and directories are for development, and do not belong \
                         in a release (--release lists them)"
                    ))?;
                }
            }
        }
        Ok(found.iter().any(|(_, all)| all.iter().any(|one| one["severity"] == "error")).into())
    }
}

/// The constructs in a module's files that the built-in Ruby does not support, as findings of a check.
#[cfg(feature = "modules")]
fn ruby_of_module(directory: &str, modulepath: &[String]) -> Result<Vec<Json>, CommandError> {
    let directory = directory.trim_end_matches('/');
    let (around, _) = directory.rsplit_once('/').unwrap_or_default();
    let path = std::iter::once(around.to_owned()).chain(modulepath.iter().cloned());
    let environment = bunraku::Environment::builder("production").modulepath(path).load()?;
    let files = environment.ruby_report()?;
    let own = files.iter().filter_map(|file| {
        let relative = file.file.strip_prefix(directory)?.strip_prefix('/')?;
        (!file.is_known()).then_some((relative, &file.unknown))
    });
    let told = own.flat_map(|(file, unknown)| {
        unknown.iter().map(move |one| {
            let message = format!("the Ruby that is built in does not know: {}", one.construct);
            json!({ "severity": "notice", "rule": "ruby", "file": file, "line": one.line, "message": message })
        })
    });
    Ok(told.collect())
}

#[cfg(not(feature = "modules"))]
fn ruby_of_module(_: &str, _: &[String]) -> Result<Vec<Json>, CommandError> {
    Ok(Vec::new())
}

/// The given paths, or the working directory.
fn or_here(paths: &[String]) -> Vec<&str> {
    if paths.is_empty() { vec!["."] } else { paths.iter().map(String::as_str).collect() }
}

/// `file:place: severity: message`
fn describe(finding: &Json) -> String {
    let text = |name: &str| finding[name].as_str().unwrap_or_default();
    let place = match (finding["line"].as_u64(), finding["path"].as_str()) {
        (Some(line), _) => format!(":{line}"),
        (None, Some(path)) => format!(":{path}"),
        (None, None) => String::new(),
    };
    format!("{}{place}: {}: {}", text("file"), text("severity"), text("message"))
}

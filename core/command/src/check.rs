//! `bunraku check`.

use bunraku::host::disk::{self, DiskHost};
use bunraku::loader::Environment;
use bunraku::requests;
use bunraku::source::{Location, Position, Source, Unit};
use bunraku::{ErrorKind, Host as _};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::arguments::FileArguments;
use crate::console::{from_here, place_of, pretty};
use crate::formats::{FindingFormat, Level, Listed};
use crate::place::{self, EnvironmentArguments, EnvironmentSource, PathArguments, is_directory};
use crate::{CommandError, Outcome, Session};

/// Find mistakes without compiling
///
/// Reports mistakes in an environment, a module or files of them, without compiling a node: unknown names,
/// unknown and missing parameters, values of the wrong type, missing files and templates, and data that fits
/// no parameter. PATH is an environment, a module, a directory of modules, or a file or directory in one.
/// Without it, findings in modules of --basemodulepath are not reported.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 no errors, 1 errors, 2 wrong options or unreadable files.")]
pub(crate) struct Arguments {
    /// Paths to check [default: the environment in the working directory]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    environment: EnvironmentArguments,
    #[command(flatten)]
    places: PathArguments,
    /// Report only these codes, or codes that begin so (repeatable)
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "Findings")]
    select: Vec<String>,
    /// Do not report these codes, or codes that begin so (repeatable)
    #[arg(long, value_name = "CODE", value_delimiter = ',', help_heading = "Findings")]
    ignore: Vec<String>,
    /// Report notes, too
    #[arg(long, help_heading = "Findings")]
    notes: bool,
    /// Do not report the findings that this file lists
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    baseline: Option<String>,
    /// Write all findings to this file, for --baseline
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    write_baseline: Option<String>,
    /// Mend errors whose fix is known: misspelt names
    #[arg(long, conflicts_with_all = ["baseline", "write_baseline"], help_heading = "Findings")]
    fix: bool,
    /// Describe a code, with an example, and end
    #[arg(long, value_name = "CODE", help_heading = "Findings")]
    explain: Option<String>,
    /// Report findings only in files that changed since a git revision
    #[arg(long, value_name = "REVISION", help_heading = "Findings")]
    changed_since: Option<String>,
    #[command(flatten)]
    files: FileArguments,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: FindingFormat,
}

impl Session<'_> {
    pub(crate) fn check_environment(&self, given: &Arguments) -> Outcome {
        if let Some(name) = &given.explain {
            return self.explain_code(name);
        }
        let Checked { environment, paths, shared } = self.checked(given)?;
        let root = environment.directory.clone().unwrap_or_default();
        let usage = self.reading();
        let asked = json!({
            "select": given.select, "ignore": given.ignore, "notes": given.notes, "paths": paths,
        });
        let Json::Array(mut found) = requests::check_environment(&environment, &asked, &usage.ends)? else {
            return Ok(0);
        };
        if paths.is_empty() {
            let is_shared = |file: &str| shared.iter().any(|directory| is_below(file, directory));
            found.retain(|one| !one["file"].as_str().is_some_and(is_shared));
        }
        if let Some(revision) = &given.changed_since {
            let here = [if root.is_empty() { ".".to_owned() } else { root.clone() }];
            let places = if given.paths.is_empty() { &here[..] } else { &given.paths };
            let changed = self.changed(places, revision)?;
            found.retain(|one| one["file"].as_str().is_some_and(|file| changed.contains(file)));
        }
        if let Some(path) = &given.write_baseline {
            let known: Json = found.iter().map(|one| known(one, &root)).collect();
            disk::write(path, pretty(&known)?.as_bytes())?;
            return Ok(0);
        }
        if let Some(path) = &given.baseline {
            let text = given.files.text(path, self)?;
            let Ok(Json::Array(list)) = serde_json::from_str(&text) else {
                return Err(CommandError::misuse(format!("it is no baseline: {path}")));
            };
            found.retain(|one| !list.contains(&known(one, &root)));
        }
        if given.fix {
            for one in self.fix(&found, &given.files)? {
                found[one]["fixed"] = true.into();
            }
        }
        if given.format != FindingFormat::Json {
            shorten(&mut found);
        }
        let told: Vec<Listed<'_>> = found.iter().map(listed).collect();
        let mut shown = found.iter();
        let json = || found.iter().cloned().collect();
        self.show_listed(&told, given.format, &json, |one| {
            self.show_finding(one, given.files.limit())?;
            shown.next().map_or(Ok(()), |finding| self.show_related(finding))
        })?;
        Ok(found.iter().any(|one| one["severity"] == "error" && one["fixed"] != true).into())
    }

    /// Writes the documentation of a code.
    fn explain_code(&self, name: &str) -> Outcome {
        let page = requests::explain_code(name).map_err(|error| match error.kind {
            ErrorKind::Unsupported => CommandError::from(error),
            _ => CommandError::misuse(error.message),
        })?;
        let mut out = self.console.out();
        for line in page.lines() {
            out.line(line)?;
        }
        Ok(0)
    }

    /// Mends the errors with a fix in the files. Returns the numbers of those that it has mended.
    fn fix(&self, found: &[Json], reading: &FileArguments) -> Result<Vec<usize>, CommandError> {
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, one) in found.iter().enumerate().filter(|(_, one)| one["severity"] == "error") {
            if let Some(file) = one["fix"]["file"].as_str() {
                files.entry(file).or_default().push(number);
            }
        }
        let mut fixed = Vec::new();
        for (file, numbers) in files {
            let source = Source::new(Some(file), reading.text(file, self)?);
            let offset = |fix: &Json, line: &str, column: &str| {
                let (line, column) = (number(fix, line)?, number(fix, column)?);
                source.offset_at(Position { line, column }, Unit::Character)
            };
            let mut edits: Vec<(usize, usize, usize)> = Vec::new();
            for number in numbers {
                let fix = &found[number]["fix"];
                let places = offset(fix, "line", "column").zip(offset(fix, "end_line", "end_column"));
                edits.extend(places.map(|(start, end)| (start as usize, end as usize, number)));
            }
            edits.sort_unstable();
            let (mut text, mut at) = (String::new(), 0);
            for (start, end, number) in edits {
                // Of fixes that overlap the first one counts.
                if let Some(before) = source.text().get(at..start).filter(|_| end > start) {
                    text.push_str(before);
                    text.push_str(found[number]["fix"]["text"].as_str().unwrap_or_default());
                    at = end;
                    fixed.push(number);
                }
            }
            text.push_str(source.text().get(at..).unwrap_or_default());
            disk::write(file, text.as_bytes())?;
        }
        Ok(fixed)
    }

    /// Writes the places that explain a finding.
    fn show_related(&self, finding: &Json) -> Result<(), CommandError> {
        let mut out = self.console.out();
        for other in finding["related"].as_array().into_iter().flatten() {
            let place = place_of(&location(other)).unwrap_or_default();
            out.line(&format!("  {place}: {}", other["message"].as_str().unwrap_or_default()))?;
        }
        Ok(())
    }

    /// What is checked.
    fn checked(&self, given: &Arguments) -> Result<Checked, CommandError> {
        let conf = given.places.conf(&given.files, self)?;
        let mut asked = json!({ "file_size": given.files.limit() });
        let mut paths = Vec::new();
        let (mut modules, mut name) = (Vec::new(), "production".to_owned());
        for path in &given.paths {
            let path = disk::absolute_path(path)?;
            if DiskHost.info(&path).is_none() {
                return Err(CommandError::misuse(format!("there is no {path}")));
            }
            match root_of(&path) {
                Root::Environment(directory) => {
                    let place =
                        EnvironmentSource::Directory { directory: directory.clone(), name: name.clone() };
                    if directory != path {
                        paths.push(path);
                    }
                    place.add_to(&mut asked);
                }
                Root::Module(directory) => {
                    let (around, _) = directory.rsplit_once('/').unwrap_or(("/", ""));
                    modules.push(around.to_owned());
                    let fixtures = format!("{directory}/spec/fixtures/modules");
                    modules.extend(Some(fixtures).filter(|path| is_directory(path)));
                    paths.push(path);
                }
                Root::Modules(directory) => {
                    modules.push(directory);
                    paths.push(path);
                }
                Root::None => {
                    return Err(CommandError::misuse(format!(
                        "{path} is neither in an environment nor in a module"
                    )));
                }
            }
        }
        let is_named = given.environment.is_given();
        if given.paths.is_empty() || is_named {
            let place = given.environment.place(None, conf.as_ref())?;
            name = place.name().to_owned();
            place.add_to(&mut asked);
        }
        given.places.add_to(&mut asked, conf.as_ref(), Map::new())?;
        if !modules.is_empty() {
            modules.dedup();
            match asked.get("modulepath").and_then(Json::as_array).cloned() {
                Some(own) => modules.extend(own.iter().filter_map(Json::as_str).map(str::to_owned)),
                None if !is_named && asked.get("directory").is_none() => {
                    let base = asked["basemodulepath"].as_array().cloned().unwrap_or_default();
                    modules.extend(base.iter().filter_map(Json::as_str).map(str::to_owned));
                }
                None => {}
            }
            asked["modulepath"] = modules.into();
            asked["environment"] = name.as_str().into();
        }
        if let Some(path) = &given.places.global_hiera {
            asked["global_hiera"] = disk::absolute_path(path)?.into();
        }
        let shared = asked["basemodulepath"].as_array().into_iter().flatten();
        let shared = shared.filter_map(Json::as_str).map(str::to_owned).collect();
        Ok(Checked { environment: place::load(Arc::new(DiskHost), &asked, &name)?, paths, shared })
    }
}

/// Names files from the working directory.
fn shorten(findings: &mut [Json]) {
    let shorten = |of: &mut Json| {
        if let Some(file) = of["file"].as_str() {
            of["file"] = from_here(file).into();
        }
    };
    for finding in findings {
        shorten(finding);
        finding["related"].as_array_mut().into_iter().flatten().for_each(shorten);
    }
}

/// What is checked.
struct Checked {
    environment: Arc<Environment>,
    /// The paths whose findings are reported; all if empty.
    paths: Vec<String>,
    /// Directories of modules that environments share, whose findings are not reported.
    shared: Vec<String>,
}

fn is_below(file: &str, directory: &str) -> bool {
    file.strip_prefix(directory.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

/// The root of a path.
enum Root {
    Environment(String),
    Module(String),
    Modules(String),
    None,
}

/// The root of a path: the nearest directory above it that looks like an environment or a module.
fn root_of(path: &str) -> Root {
    let has = |directory: &str, name: &str| DiskHost.info(&format!("{directory}/{name}")).is_some();
    let is_module = |directory: &str| {
        (has(directory, "metadata.json") || has(directory, "manifests") || has(directory, "lib/puppet"))
            && !has(directory, "environment.conf")
            && !has(directory, "modules")
            && !has(directory, "Puppetfile")
    };
    let mut current = path;
    loop {
        if is_directory(current) {
            if has(current, "environment.conf") || has(current, "Puppetfile") || has(current, "modules") {
                return Root::Environment(current.to_owned());
            }
            if is_module(current) {
                return in_environment(current).unwrap_or_else(|| Root::Module(current.to_owned()));
            }
        }
        match current.rsplit_once('/') {
            Some((above, _)) if !above.is_empty() => current = above,
            _ => break,
        }
    }
    let names = DiskHost.list(path).unwrap_or_default();
    if names.iter().any(|name| is_module(&format!("{path}/{name}"))) {
        return Root::Modules(path.to_owned());
    }
    Root::None
}

/// The environment of a module: that of a directory of modules beside `environment.conf`.
fn in_environment(module: &str) -> Option<Root> {
    let (modules, _) = module.rsplit_once('/')?;
    let (directory, _) = modules.rsplit_once('/')?;
    let has = |name: &str| DiskHost.info(&format!("{directory}/{name}")).is_some();
    (has("environment.conf") || has("Puppetfile")).then(|| Root::Environment(directory.to_owned()))
}

/// The form of a finding in a baseline.
fn known(finding: &Json, root: &str) -> Json {
    let file = finding["file"].as_str().unwrap_or_default();
    let file = file.strip_prefix(root).map_or(file, |rest| rest.trim_start_matches('/'));
    json!({ "file": file, "code": finding["code"], "message": finding["message"] })
}

fn number(finding: &Json, name: &str) -> Option<u32> {
    finding[name].as_u64().and_then(|number| u32::try_from(number).ok())
}

fn location(finding: &Json) -> Location {
    let file = finding["file"].as_str().map(Arc::from);
    Location { file, line: number(finding, "line"), column: number(finding, "column") }
}

fn listed(finding: &Json) -> Listed<'_> {
    let level = match finding["severity"].as_str() {
        Some("error") => Level::Error,
        Some("warning") => Level::Warning,
        _ => Level::Note,
    };
    let level = if finding["fixed"] == true { Level::Note } else { level };
    Listed {
        level,
        name: if finding["fixed"] == true { "fixed" } else { level.name() },
        code: finding["code"].as_str(),
        message: finding["message"].as_str().unwrap_or_default(),
        file: finding["file"].as_str(),
        line: number(finding, "line"),
        column: number(finding, "column"),
        end_line: number(finding, "end_line"),
        end_column: number(finding, "end_column"),
    }
}

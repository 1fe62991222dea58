//! Which tasks modules have: names, metadata, and the files that can be run.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde_json::{Map, Value as Json};

use super::metadata::Metadata;
use super::{Task, TaskError};
use bunraku_engine::loader::{Environment, Module, join_path};
use bunraku_engine::wire::Violation;
use bunraku_host::{self as host, Entries};
use bunraku_pcore::ruby::json;
use bunraku_pcore::{Value, format};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// Extensions of files that are not tasks.
const FORBIDDEN: &[&str] = &[".conf", ".md"];

/// The directories of modules from which tasks may be given files.
const MOUNTS: &[&str] = &["files", "lib", "scripts", "tasks"];

/// A file of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskFile {
    /// The file's name; for files other than the executable `module/mount/path`.
    pub name: String,
    /// The path.
    pub path: String,
}

/// A task, with the violations of the schema by its metadata, or an error.
type TaskResult = Result<(Task, Vec<Violation>), TaskError>;

/// The tasks of an environment's modules, in the order of the modules and by name, with their full names.
///
/// # Errors
/// The watch ended the work.
pub fn tasks(environment: &Environment, watch: &Watch<'_>) -> Result<Vec<(String, TaskResult)>, Error> {
    let modules = environment.modules().iter();
    let tasks = modules.flat_map(|module| in_module(environment, module, watch)).collect();
    watch.result().map(|()| tasks)
}

/// The task with a name.
///
/// # Errors
/// The task does not exist, or is invalid. The caller must check whether the watch has cancelled it.
pub fn find(environment: &Environment, name: &str, watch: &Watch<'_>) -> TaskResult {
    let module_name = name.split("::").next().unwrap_or_default();
    let module = environment.find_module(module_name).ok_or_else(|| {
        let message = format!("Module {module_name} not found in environment {}.", environment.name);
        TaskError::new("puppet.tasks/module-not-found", message)
    })?;
    let found = in_module(environment, module, watch).into_iter().find(|(found, _)| found == name);
    found.map(|(_, found)| found).unwrap_or_else(|| {
        let message = format!("Task {name} not found in module {module_name}.");
        Err(TaskError::new("puppet.tasks/task-not-found", message).with("name", Json::from(name)))
    })
}

fn in_module(environment: &Environment, module: &Module, watch: &Watch<'_>) -> Vec<(String, TaskResult)> {
    if watch.check().is_err() {
        return Vec::new();
    }
    let directory = module.file("tasks");
    let mut listed: Vec<String> = environment.host.list(&directory).unwrap_or_default();
    listed.sort();
    listed.retain(|name| {
        let is_file =
            || environment.host.info(&join_path(&directory, name)).is_some_and(|info| !info.is_directory);
        is_task_file(name) && is_file()
    });
    let mut tasks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in &listed {
        tasks.entry(stem(name)).or_default().push(name);
    }
    let executables: IndexSet<&str> =
        listed.iter().map(String::as_str).filter(|name| !name.ends_with(".json")).collect();
    let named = tasks.into_iter().map(|(name, files)| {
        let full = if name == "init" { module.name.clone() } else { format!("{}::{name}", module.name) };
        let metadata = files.into_iter().find(|file| file.ends_with(".json"));
        let reader = TaskReader {
            environment,
            module,
            directory: &directory,
            executables: &executables,
            name: &full,
            watch,
        };
        let found = reader.read(name, metadata);
        (full, found)
    });
    named.collect()
}

fn is_task_file(name: &str) -> bool {
    // Tasks are named as modules are.
    Module::is_name(stem(name)) && !FORBIDDEN.iter().any(|ending| name.ends_with(ending))
}

/// A name without its last ending.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

struct TaskReader<'a> {
    environment: &'a Environment,
    module: &'a Module,
    directory: &'a str,
    executables: &'a IndexSet<&'a str>,
    name: &'a str,
    watch: &'a Watch<'a>,
}

impl TaskReader<'_> {
    fn read(&self, base: &str, metadata_file: Option<&str>) -> TaskResult {
        let metadata_file = metadata_file.map(|name| join_path(self.directory, name));
        let document = match &metadata_file {
            Some(path) => self.document(path)?,
            None => Json::Object(Map::new()),
        };
        let (metadata, violations) = Metadata::read(&document);
        let executables = self.implementations(base, &document)?;
        let mut files = Vec::new();
        for file in needed_files(&document)? {
            files.extend(files_at(self.environment, file, self.watch)?);
        }
        let task = Task {
            name: self.name.to_owned(),
            module: self.module.name.clone(),
            metadata,
            document,
            metadata_file,
            executables,
            files,
        };
        Ok((task, violations))
    }

    fn document(&self, path: &str) -> Result<Json, TaskError> {
        let unreadable = |error: String| {
            TaskError::new("puppet.tasks/unreadable-metadata", format!("Error reading metadata: {error}"))
        };
        let bytes = self
            .environment
            .read_file(path, &|| self.watch.check())
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.is_empty() {
            return Ok(Json::Object(Map::new()));
        }
        json::read(&String::from_utf8_lossy(&bytes))
            .or_else(|_| serde_json::from_slice(&bytes))
            .map_err(|error| TaskError::new("puppet.tasks/unparseable-metadata", format!("{path}: {error}")))
    }

    /// The executables: those in the metadata, or the only file with the task's name.
    fn implementations(&self, base: &str, document: &Json) -> Result<Vec<TaskFile>, TaskError> {
        let Self { name, directory, .. } = self;
        let file = |name: &str| TaskFile { name: name.to_owned(), path: join_path(directory, name) };
        let no_array = |what: &str| {
            TaskError::invalid_metadata(format!(
                "Task metadata for task {name} does not specify {what} as an array"
            ))
        };
        match document.get("implementations") {
            None => {}
            Some(Json::Array(listed)) => {
                let found = |one: &Json| {
                    if !one["requirements"].is_null() && !one["requirements"].is_array() {
                        return Err(no_array("requirements"));
                    }
                    let wanted = &one["name"];
                    self.ended()?;
                    match wanted.as_str().filter(|wanted| self.executables.contains(wanted)) {
                        Some(known) => Ok(file(known)),
                        None => Err(self.missing(wanted)),
                    }
                };
                return listed.iter().map(found).collect();
            }
            Some(_) => return Err(no_array("implementations")),
        }
        let own: Vec<&str> = self.executables.iter().copied().filter(|known| stem(known) == base).collect();
        match own.as_slice() {
            [only] => Ok(vec![file(only)]),
            [] => {
                let message = format!(
                    "No source besides task metadata was found in directory {directory} for task {name}"
                );
                Err(TaskError::new("puppet.tasks/no-implementation", message))
            }
            [first, ..] => {
                let message = format!(
                    "Multiple executables were found in directory {} for task {name}; define 'implementations' in metadata \
                     to differentiate between them",
                    join_path(directory, first)
                );
                Err(TaskError::new("puppet.tasks/multiple-implementations", message))
            }
        }
    }

    /// Checks whether the work was cancelled; the watch knows the reason.
    fn ended(&self) -> Result<(), TaskError> {
        ended(self.watch)
    }

    fn missing(&self, wanted: &Json) -> TaskError {
        let message = format!(
            "Task metadata for task {} specifies missing implementation {}",
            self.name,
            shown(wanted)
        );
        let error = TaskError::new("puppet.tasks/missing-implementation", message);
        error.with("missing", Json::from(vec![wanted.clone()]))
    }
}

/// Checks whether the work was cancelled; the watch knows the reason.
pub(super) fn ended(watch: &Watch<'_>) -> Result<(), TaskError> {
    watch.check().map_err(|error| TaskError::new("puppet.tasks/ended", error.message))
}

/// The files that metadata name, those of all implementations included, each once.
fn needed_files(document: &Json) -> Result<IndexSet<&str>, TaskError> {
    let mut needed = IndexSet::new();
    let implementations = document["implementations"].as_array();
    for owner in std::iter::once(document).chain(implementations.into_iter().flatten()) {
        let listed = match owner.get("files") {
            None => continue,
            Some(Json::Array(listed)) => listed,
            Some(other) => {
                let given = shown(other);
                let message = format!("The 'files' task metadata expects an array, got {given}.");
                return Err(TaskError::invalid_metadata(message));
            }
        };
        // A member that is not a text violates the schema, which is reported.
        for file in listed.iter().filter_map(Json::as_str) {
            needed.insert(file);
        }
    }
    Ok(needed)
}

/// Data as with Ruby's `to_s`.
fn shown(data: &Json) -> String {
    format::to_s(&Value::from(data))
}

/// The files that `module/mount/path` means: one file, or, with a slash at the end, all in a directory.
pub(super) fn files_at(
    environment: &Environment,
    file: &str,
    watch: &Watch<'_>,
) -> Result<Vec<TaskFile>, TaskError> {
    ended(watch)?;
    let mut parts = file.splitn(3, '/');
    let mut part = || parts.next().unwrap_or_default();
    let (module_name, mount, rest) = (part(), part(), part());
    let Some(module) = environment.find_module(module_name) else {
        let message = format!("Could not find module {module_name} containing task file {rest}");
        return Err(TaskError::invalid_metadata(message));
    };
    if !MOUNTS.contains(&mount) {
        let message = format!(
            "Files must be saved in module directories that Puppet makes available via mount points: {}",
            MOUNTS.join(", ")
        );
        return Err(TaskError::invalid_metadata(message));
    }
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let bare = rest.strip_suffix('/').unwrap_or(rest);
    if !bare.is_empty() && bare.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(TaskError::invalid_metadata("File pathnames cannot include relative paths"));
    }
    let below = if bare.is_empty() { mount.to_owned() } else { format!("{mount}/{bare}") };
    let path = module.file(&below);
    let found = environment.host.info(&path).filter(|info| info.is_directory || bare.len() == rest.len());
    let Some(info) = found else {
        let slash = if bare.len() < rest.len() || rest.is_empty() { "/" } else { "" };
        let message = format!("Could not find {path}{slash} on disk");
        return Err(TaskError::new("puppet.tasks/invalid-file", message));
    };
    let named = |path: &str| {
        let below = path.strip_prefix(&module.path).unwrap_or(path);
        TaskFile { name: format!("{}{below}", module.name), path: path.to_owned() }
    };
    match (info.is_directory, file.ends_with('/')) {
        (false, _) => Ok(vec![named(&path)]),
        (true, true) => {
            let mut found = Vec::new();
            let choose = |name: &str| {
                if name.starts_with('.') || watch.check().is_err() { Entries::Skip } else { Entries::Any }
            };
            host::walk(&*environment.host, &path, &choose, &|_| (), &mut |path| found.push(named(&path)));
            Ok(found)
        }
        (true, false) => Err(TaskError::invalid_metadata(format!(
            "Directories specified in task metadata must include a trailing slash: {file}"
        ))),
    }
}

//! Which tasks modules have: names, metadata, and the files that can be run.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::metadata::Metadata;
use super::{Task, TaskError};
use crate::loader::{Environment, Module, join_path};
use crate::wire::Violation;

/// Endings of files that are no tasks.
const FORBIDDEN: &[&str] = &[".conf", ".md"];

/// The directories of modules from which tasks may be given files.
const MOUNTS: &[&str] = &["files", "lib", "scripts", "tasks"];

/// How deep directories of files are searched.
const DEEPEST: usize = 64;

/// A file of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    /// The file's name; for files beside the executable `module/mount/path`.
    pub name: String,
    /// Where it stands.
    pub path: String,
}

/// A task, with what its metadata break of the schema; or why it is none.
type Found = Result<(Task, Vec<Violation>), TaskError>;

/// The tasks of an environment's modules, in the order of the modules and by name, with their full names.
pub fn tasks(environment: &Environment) -> Vec<(String, Found)> {
    environment.modules().iter().flat_map(|module| in_module(environment, module)).collect()
}

/// The task with a name.
///
/// # Errors
/// There is no such task, or it makes no sense.
pub fn find(environment: &Environment, name: &str) -> Found {
    let module_name = name.split("::").next().unwrap_or_default();
    let module = environment.find_module(module_name).ok_or_else(|| {
        let message = format!("Module {module_name} not found in environment {}.", environment.name);
        TaskError::new("puppet.tasks/module-not-found", message)
    })?;
    let found = in_module(environment, module).into_iter().find(|(found, _)| found == name);
    found.map(|(_, found)| found).unwrap_or_else(|| {
        let message = format!("Task {name} not found in module {module_name}.");
        Err(TaskError::new("puppet.tasks/task-not-found", message).with("name", Json::from(name)))
    })
}

fn in_module(environment: &Environment, module: &Module) -> Vec<(String, Found)> {
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
    let executables: Vec<&str> =
        listed.iter().map(String::as_str).filter(|name| !name.ends_with(".json")).collect();
    let named = tasks.into_iter().map(|(name, files)| {
        let full = if name == "init" { module.name.clone() } else { format!("{}::{name}", module.name) };
        let metadata = files.into_iter().find(|file| file.ends_with(".json"));
        let reader =
            TaskReader { environment, module, directory: &directory, executables: &executables, name: &full };
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
    executables: &'a [&'a str],
    name: &'a str,
}

impl TaskReader<'_> {
    fn read(&self, base: &str, metadata_file: Option<&str>) -> Found {
        let metadata_file = metadata_file.map(|name| join_path(self.directory, name));
        let document = match &metadata_file {
            Some(path) => self.document(path)?,
            None => Json::Object(Map::new()),
        };
        self.assert_lists(&document)?;
        let (metadata, violations) = Metadata::read(&document);
        let executables = self.implementations(base, &metadata, &document)?;
        let mut needed: Vec<&str> = Vec::new();
        let of_implementations = metadata.implementations.iter().flatten().flat_map(|one| &one.files);
        for file in metadata.files.iter().chain(of_implementations) {
            if !needed.contains(&file.as_str()) {
                needed.push(file);
            }
        }
        let mut files = Vec::new();
        for file in needed {
            files.extend(files_at(self.environment, file)?);
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
        let bytes = self.environment.host.read(path).map_err(|error| unreadable(error.to_string()))?;
        if bytes.is_empty() {
            return Ok(Json::Object(Map::new()));
        }
        let parsed = serde_json::from_slice(&bytes);
        parsed
            .map_err(|error| TaskError::new("puppet.tasks/unparseable-metadata", format!("{path}: {error}")))
    }

    /// What the reference refuses to go on with.
    fn assert_lists(&self, document: &Json) -> Result<(), TaskError> {
        let name = self.name;
        let assert_files = |files: &Json| match files {
            Json::Null | Json::Array(_) => Ok(()),
            other => {
                let message = format!("The 'files' task metadata expects an array, got {other}.");
                Err(TaskError::invalid_metadata(message))
            }
        };
        assert_files(&document["files"])?;
        match &document["implementations"] {
            Json::Null => Ok(()),
            Json::Array(list) => list.iter().try_for_each(|one| {
                if !one["requirements"].is_null() && !one["requirements"].is_array() {
                    let message =
                        format!("Task metadata for task {name} does not specify requirements as an array");
                    return Err(TaskError::invalid_metadata(message));
                }
                assert_files(&one["files"])
            }),
            _ => {
                let message =
                    format!("Task metadata for task {name} does not specify implementations as an array");
                Err(TaskError::invalid_metadata(message))
            }
        }
    }

    fn implementations(
        &self,
        base: &str,
        metadata: &Metadata,
        document: &Json,
    ) -> Result<Vec<TaskFile>, TaskError> {
        let Self { name, directory, .. } = self;
        let file = |name: &str| TaskFile { name: name.to_owned(), path: join_path(directory, name) };
        if !document["implementations"].is_null() {
            let named = metadata.implementations.iter().flatten();
            return named
                .map(|one| match self.executables.iter().find(|known| **known == one.name) {
                    Some(known) => Ok(file(known)),
                    None => {
                        let missing = &one.name;
                        let message = format!(
                            "Task metadata for task {name} specifies missing implementation {missing}"
                        );
                        let error = TaskError::new("puppet.tasks/missing-implementation", message);
                        Err(error.with("missing", Json::from(vec![missing.as_str()])))
                    }
                })
                .collect();
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
}

/// The files that `module/mount/path` means: one file, or, with a slash at the end, all in a directory.
pub(super) fn files_at(environment: &Environment, file: &str) -> Result<Vec<TaskFile>, TaskError> {
    let mut parts = file.splitn(3, '/');
    let (module_name, mount, rest) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
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
    if rest.split('/').any(|part| part == "." || part == "..") || rest.contains("//") {
        return Err(TaskError::invalid_metadata("File pathnames cannot include relative paths"));
    }
    let path = module.file(&format!("{mount}/{}", rest.trim_end_matches('/')));
    let path = path.trim_end_matches('/');
    let Some(info) = environment.host.info(path) else {
        return Err(TaskError::new("puppet.tasks/invalid-file", format!("Could not find {path} on disk")));
    };
    let named = |path: &str| {
        let below = path.strip_prefix(&module.path).unwrap_or(path);
        TaskFile { name: format!("{}{below}", module.name), path: path.to_owned() }
    };
    match (info.is_directory, file.ends_with('/')) {
        (false, false) => Ok(vec![named(path)]),
        (true, true) => {
            let mut found = Vec::new();
            walk(environment, path, DEEPEST, &mut found);
            Ok(found.iter().map(|path| named(path)).collect())
        }
        (true, false) => Err(TaskError::invalid_metadata(format!(
            "Directories specified in task metadata must include a trailing slash: {file}"
        ))),
        (false, true) => Err(TaskError::invalid_metadata(format!(
            "Files specified in task metadata cannot include a trailing slash: {file}"
        ))),
    }
}

fn walk(environment: &Environment, directory: &str, depth: usize, found: &mut Vec<String>) {
    let mut names = environment.host.list(directory).unwrap_or_default();
    names.sort();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let path = join_path(directory, name);
        match environment.host.info(&path) {
            Some(info) if info.is_directory && depth > 0 => walk(environment, &path, depth - 1, found),
            Some(info) if !info.is_directory => found.push(path),
            _ => {}
        }
    }
}

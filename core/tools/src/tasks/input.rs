//! The executable of a task for a target, and its input.

use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexSet;
use serde_json::{Map, Value as Json, json};

use super::discover::{TaskFile, ended, files_at};
use super::metadata::{Implementation, InputMethod, Parameter};
use super::{Task, TaskError};
use bunraku_engine::loader::{Environment, Loaded, Types};
use bunraku_pcore::Value;
use bunraku_pcore::types::{Type, TypeKind, TypeLoader, mismatch};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::{Check, Watch};

/// The target of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// The capabilities of the target, such as `shell`, `powershell`, `puppet-agent`.
    pub features: Vec<String>,
    /// How a remote target is connected to; then the task runs on a proxy.
    pub remote: Option<Map<String, Json>>,
    /// Whether the task must not change anything.
    pub is_noop: bool,
    /// The directory of the task's files on the target; required if the task has files.
    pub install_directory: Option<String>,
}

/// The invocation. Its `Debug` shows no secrets.
#[derive(Clone, PartialEq)]
pub struct Invocation {
    /// The file that is run.
    pub executable: TaskFile,
    /// Files that it needs, to be copied below the install directory under their names.
    pub files: Vec<TaskFile>,
    /// How parameters are handed over.
    pub input_method: InputMethod,
    /// All parameters with defaults and metaparameters.
    pub parameters: Map<String, Json>,
    /// The parameters with secret values.
    pub sensitive: Vec<String>,
}

impl fmt::Debug for Invocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = self.parameters.iter().map(|(name, value)| {
            let is_secret = self.sensitive.contains(name);
            (name, if is_secret { "[value redacted]".to_owned() } else { value.to_string() })
        });
        out.debug_struct("Invocation")
            .field("executable", &self.executable)
            .field("files", &self.files)
            .field("input_method", &self.input_method)
            .field("parameters", &parameters.collect::<Vec<_>>())
            .field("sensitive", &self.sensitive)
            .finish()
    }
}

impl Invocation {
    /// The standard input, if there is any: the parameters as a JSON object.
    pub fn stdin(&self) -> Option<String> {
        let wanted = matches!(self.input_method, InputMethod::Stdin | InputMethod::Both);
        wanted.then(|| Json::Object(self.parameters.clone()).to_string())
    }

    /// Variables of the process' environment: `PT_` and the name; texts as they are, other values as JSON.
    pub fn environment(&self) -> Vec<(String, String)> {
        if !matches!(self.input_method, InputMethod::Environment | InputMethod::Both) {
            return Vec::new();
        }
        let variable = |(name, value): (&String, &Json)| {
            let value = match value {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            (format!("PT_{name}"), value)
        };
        self.parameters.iter().map(variable).collect()
    }

    /// Named arguments for a PowerShell script, if it takes any.
    pub fn powershell(&self) -> Option<&Map<String, Json>> {
        (self.input_method == InputMethod::Powershell).then_some(&self.parameters)
    }
}

/// Says what to run for a task on a target with these parameters.
///
/// # Errors
/// The task cannot run there, or the parameters are not those that it takes; the message has a line for each
/// mismatch.
pub fn prepare(
    environment: &Environment,
    task: &Task,
    target: &Target,
    given: &Map<String, Json>,
    watch: &Watch<'_>,
) -> Result<Invocation, TaskError> {
    let name = &task.name;
    if target.is_noop && !task.metadata.supports_noop {
        let message = format!("The task {name} does not support noop");
        return Err(TaskError::new("puppet.tasks/noop-not-supported", message));
    }
    let (executable, implementation) = chosen(task, target)?;
    let mut parameters = given.clone();
    for (name, parameter) in task.metadata.parameters.iter().flatten() {
        if let (Some(default), false) = (&parameter.default, parameters.contains_key(name)) {
            parameters.insert(name.clone(), default.clone());
        }
    }
    if let Some(known) = &task.metadata.parameters {
        validate(environment, task, known.iter(), &parameters, watch)?;
    }
    let of_implementation = implementation.map(|one| one.files.as_slice()).unwrap_or_default();
    let mut files = IndexSet::new();
    for file in task.metadata.files.iter().chain(of_implementation) {
        files.extend(files_at(environment, file, watch)?);
    }
    parameters.insert("_task".to_owned(), Json::from(name.as_str()));
    if target.is_noop {
        parameters.insert("_noop".to_owned(), Json::Bool(true));
    }
    if let (Some(directory), false) = (&target.install_directory, files.is_empty()) {
        parameters.insert("_installdir".to_owned(), Json::from(directory.as_str()));
    }
    if let Some(remote) = &target.remote {
        parameters.insert("_target".to_owned(), Json::Object(remote.clone()));
    }
    let method = implementation.and_then(|one| one.input_method).or(task.metadata.input_method);
    let by_name = if executable.name.ends_with(".ps1") { InputMethod::Powershell } else { InputMethod::Both };
    let sensitive = task.metadata.parameters.iter().flatten().filter(|(_, parameter)| parameter.is_sensitive);
    Ok(Invocation {
        executable: executable.clone(),
        files: files.into_iter().collect(),
        input_method: method.unwrap_or(by_name),
        parameters,
        sensitive: sensitive.map(|(name, _)| name.clone()).collect(),
    })
}

/// The first implementation whose requirements the target meets, and that is as remote as the target.
fn chosen<'a>(
    task: &'a Task,
    target: &Target,
) -> Result<(&'a TaskFile, Option<&'a Implementation>), TaskError> {
    let name = &task.name;
    let refuse = |is_remote: bool| {
        let message = if is_remote {
            format!("The task {name} is remote, and the target is not")
        } else {
            format!("The task {name} is not remote, and the target is")
        };
        Err(TaskError::new("puppet.tasks/remote-mismatch", message))
    };
    let is_remote = target.remote.is_some();
    let Some(implementations) = &task.metadata.implementations else {
        let Some(only) = task.executables.first() else {
            let message = format!("The task {name} has no implementation");
            return Err(TaskError::new("puppet.tasks/no-implementation", message));
        };
        return if task.metadata.remote == is_remote {
            Ok((only, None))
        } else {
            refuse(task.metadata.remote)
        };
    };
    let mut remote_elsewhere = None;
    for implementation in implementations {
        if !implementation.requirements.iter().all(|feature| target.features.contains(feature)) {
            continue;
        }
        let own = implementation.remote.unwrap_or(task.metadata.remote);
        if own != is_remote {
            remote_elsewhere = Some(own);
            continue;
        }
        if let Some(file) = task.executables.iter().find(|file| file.name == implementation.name) {
            return Ok((file, Some(implementation)));
        }
    }
    match remote_elsewhere {
        Some(own) => refuse(own),
        None => {
            let message = format!(
                "No suitable implementation of {name} for a target with the features {:?}",
                target.features
            );
            let error = TaskError::new("puppet.tasks/no-suitable-implementation", message);
            Err(error.with("features", json!(target.features)))
        }
    }
}

/// The types of an environment; long texts of types are read as long as what watches allows.
struct Watched<'a> {
    types: Types<'a>,
    watch: &'a Watch<'a>,
}

impl TypeLoader for Watched<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        self.types.load_type(name)
    }

    fn end(&self) -> &dyn Check {
        self.watch
    }
}

/// Holds parameters against their types, in the reference's words.
fn validate<'a>(
    environment: &Environment,
    task: &Task,
    known: impl Iterator<Item = (&'a String, &'a Parameter)>,
    given: &Map<String, Json>,
    watch: &Watch<'_>,
) -> Result<(), TaskError> {
    let loaded = Loaded::default();
    let types = Watched { types: environment.types(&loaded), watch };
    let mut members = Vec::new();
    let mut secrets = BTreeSet::new();
    for (name, parameter) in known {
        ended(watch)?;
        if parameter.is_sensitive {
            secrets.insert(name.as_str());
        }
        let expected = Type::parse(&parameter.type_text, &types).map_err(|error| {
            let message =
                format!("The type of the parameter {name} of the task {} is invalid: {error}", task.name);
            TaskError::invalid_metadata(message)
        })?;
        let is_required = !expected.is_instance(&Value::Undef);
        // Texts about a mismatch may quote what does not match; of a Sensitive they do not.
        let expected =
            if parameter.is_sensitive { TypeKind::Sensitive(Some(expected)).into() } else { expected };
        members.push((name.as_str(), expected, is_required));
    }
    let structure = Type::structure_of(members);
    let given: Vec<(Str, Value)> = given
        .iter()
        .filter(|(name, _)| !name.starts_with('_'))
        .map(|(name, value)| {
            let is_secret = secrets.contains(name.as_str());
            let value = if is_secret { Value::sensitive(Value::from(value)) } else { Value::from(value) };
            (Str::from(name.as_str()), value)
        })
        .collect();
    mismatch::validate_parameters(&format!("Task {}", task.name), &structure, &given, false, &|_| Ok(None))
        .map_err(|error| TaskError::new("puppet.tasks/invalid-parameters", error.message))
}

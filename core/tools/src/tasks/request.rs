//! Tasks as they are asked for in JSON, by the C library and the gem.

use serde_json::{Map, Value as Json, json};

use super::discover::TaskFile;
use super::input::{Invocation, Target};
use super::output::SENSITIVE;
use super::{Task, TaskError, find, prepare, read_output, tasks};
use bunraku_engine::loader::{Check, Environment};
use bunraku_engine::wire::Violation;
use bunraku_pcore::keys::{Keyed, Names};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// All tasks of an environment: objects with `name`, `module`, `description`, `private`, `metadata`,
/// `metadata_file`, `executables`, `files`, `violations`; or with `name` and `error`.
///
/// # Errors
/// `check`'s, which ends the work in the middle.
pub fn list(environment: &Environment, check: Check<'_>) -> Result<Json, Error> {
    let say = |(name, found): (String, _)| match found {
        Ok((task, violations)) => described(&task, violations),
        Err(error) => json!({ "name": name, "error": TaskError::to_json(&error) }),
    };
    Ok(tasks(environment, &Watch::new(check))?.into_iter().map(say).collect())
}

/// The members that [`invocation`] reads.
const INVOCATION: Names = &["task", "parameters", "features", "noop", "remote", "installdir"];

/// Resolves what to run: the request has `task`, `parameters`, `features` (a list), `noop`, `remote` (an
/// object), `installdir`; the result is an object with `executable`, `files`, `input_method`, `parameters`,
/// `sensitive`, and the input for the method: `stdin` (text), `environment` (an object), `powershell` (an
/// object). For a task that cannot run, it is an object with `error`.
///
/// # Errors
/// The request has the wrong form, or `check` fails, which ends the work.
pub fn invocation(environment: &Environment, request: &Json, check: Check<'_>) -> Result<Json, Error> {
    let watch = &Watch::new(check);
    let request = Keyed::new(request, "the request", &[INVOCATION])?;
    let wrong = |name: &str, wanted: &str| Error::argument(format!("'{name}' is not {wanted}"));
    let name = request["task"].as_str().ok_or_else(|| wrong("task", "the name of a task"))?;
    let object = |name: &str| match &request[name] {
        Json::Null => Ok(None),
        Json::Object(members) => Ok(Some(members.clone())),
        _ => Err(wrong(name, "an object")),
    };
    let features = match &request["features"] {
        Json::Null => Vec::new(),
        features => {
            serde_json::from_value(features.clone()).map_err(|_| wrong("features", "a list of names"))?
        }
    };
    let target = Target {
        features,
        remote: object("remote")?,
        is_noop: request["noop"] == true,
        install_directory: request["installdir"].as_str().map(str::to_owned),
    };
    let parameters = object("parameters")?.unwrap_or_default();
    let found = find(environment, name, watch)
        .and_then(|(task, _)| prepare(environment, &task, &target, &parameters, watch));
    watch.result()?;
    Ok(match found {
        Ok(invocation) => written(&invocation),
        Err(error) => json!({ "error": error.to_json() }),
    })
}

/// Reads output: an object with `status` (`success` or `failure`), `value`, and `sensitive`, the members of
/// the value that are redacted in it; and separately their values, if the caller can know them.
pub fn outcome(stdout: &[u8], exit_code: i32) -> (Json, Option<Json>) {
    let outcome = read_output(stdout, exit_code);
    let hidden = outcome.sensitive().cloned();
    let names: Vec<&str> = hidden.iter().map(|_| SENSITIVE).collect();
    let status = if outcome.is_success { "success" } else { "failure" };
    (json!({ "status": status, "value": outcome.value, "sensitive": names }), hidden)
}

fn described(task: &Task, violations: Vec<Violation>) -> Json {
    let violations: Vec<Json> =
        violations.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
    json!({
        "name": task.name,
        "module": task.module,
        "description": task.metadata.description,
        "private": task.metadata.is_private,
        "metadata": task.document,
        "metadata_file": task.metadata_file,
        "executables": files(&task.executables),
        "files": files(&task.files),
        "violations": violations,
    })
}

fn files(files: &[TaskFile]) -> Json {
    files.iter().map(|file| json!({ "name": file.name, "path": file.path })).collect()
}

fn written(invocation: &Invocation) -> Json {
    let mut json = json!({
        "executable": { "name": invocation.executable.name, "path": invocation.executable.path },
        "files": files(&invocation.files),
        "input_method": invocation.input_method.name(),
        "parameters": invocation.parameters,
        "sensitive": invocation.sensitive,
    });
    if let Some(stdin) = invocation.stdin() {
        json["stdin"] = Json::from(stdin);
    }
    let environment = invocation.environment();
    if !environment.is_empty() {
        let members: Map<String, Json> =
            environment.into_iter().map(|(name, value)| (name, Json::from(value))).collect();
        json["environment"] = Json::Object(members);
    }
    if let Some(arguments) = invocation.powershell() {
        json["powershell"] = Json::Object(arguments.clone());
    }
    json
}

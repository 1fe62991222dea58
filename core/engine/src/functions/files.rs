//! Files of modules and of the machine: `binary_file`, `file`, `find_file`, `find_template`, `generate`,
//! `module_directory`.

use std::sync::Arc;

use super::{legacy, ruby};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_host::{FileInfo, HostError};
use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new("binary_file", &[Dispatch::new("String $path", binary_file)]).only_in_4x(),
    BuiltIn::legacy("file", -2, true, &[Dispatch::new("", file)]),
    BuiltIn::new(
        "find_file",
        &[
            Dispatch::new("String* $paths", |call| find_first(call, "files")),
            Dispatch::new("Array[String]* $paths_array", |call| find_first(call, "files")),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "find_template",
        &[
            Dispatch::new("String* $paths", |call| find_first(call, "templates")),
            Dispatch::new("Array[String]* $paths_array", |call| find_first(call, "templates")),
        ],
    ),
    BuiltIn::legacy("generate", -2, true, &[Dispatch::new("", generate)]),
    BuiltIn::new(
        "module_directory",
        &[
            Dispatch::new("String* $names", module_directory),
            Dispatch::new("Array[String]* $names", module_directory),
        ],
    ),
];

/// A file that a function was asked for.
pub(super) struct Found {
    pub path: String,
    /// What exists there; not known of an absolute path.
    pub info: Option<FileInfo>,
}

/// A file that is named by an absolute path, or by its module and its path below a folder of the module. Only
/// for the latter it is known whether the file exists.
pub(super) fn find(call: &Call<'_, '_>, name: &str, folder: &str) -> Option<Found> {
    if name.starts_with('/') {
        return Some(Found { path: name.to_owned(), info: None });
    }
    let (module, path) = name.split_once('/')?;
    let environment = call.evaluator.environment;
    let path = environment.find_module(module)?.file(&format!("{folder}/{path}"));
    let info = environment.host.info(&path)?;
    Some(Found { path, info: Some(info) })
}

/// Like [`find`], for a value of any kind: a value that is not a string causes a warning, and a crash of the
/// reference.
pub(super) fn find_any(call: &Call<'_, '_>, name: &Value, folder: &str) -> Evaluated<Option<Found>> {
    if let Value::String(name) = name {
        return Ok(find(call, name, folder));
    }
    let (text, class) = (ruby::to_s(name), ruby::class_name(name));
    for _ in 0..2 {
        call.warn(format!(
            "Cannot check if {text} is an absolute path because it is a '{class}' and not a String'"
        ));
    }
    Err(Error::internal(format!("The name of a file is a String, {text} is of the class {class}")).into())
}

/// The text of a file, without a byte order mark.
pub(super) fn read_text(call: &Call<'_, '_>, path: &str) -> Result<String, Error> {
    let text = read_source(call, path)?;
    Ok(text.strip_prefix(MARK).map(str::to_owned).unwrap_or(text))
}

/// A byte order mark.
pub(super) const MARK: char = '\u{FEFF}';

/// As [`read_text`], with a byte order mark, which a parser refuses.
fn read_source(call: &Call<'_, '_>, path: &str) -> Result<String, Error> {
    let bytes = call.evaluator.read_file(path).map_err(failed)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The text of a template, with a byte order mark. It is read once in a compilation as long as it does not
/// change.
pub(super) fn template(call: &Call<'_, '_>, found: &Found) -> Result<Arc<str>, Error> {
    let Found { path, info: Some(info) } = found else {
        return read_source(call, &found.path).map(Arc::from);
    };
    let texts = &call.evaluator.loaded.texts;
    if let Some(text) = texts.known(path, *info) {
        return Ok(text);
    }
    let read_at = call.evaluator.environment.host.now();
    let text = Arc::from(read_source(call, path)?);
    texts.keep(path, *info, read_at, &text);
    Ok(text)
}

fn failed(error: HostError) -> Error {
    error.into_error(|error| Error::argument(error.on_opening()))
}

fn exists(call: &Call<'_, '_>, path: &str) -> bool {
    call.evaluator.environment.host.info(path).is_some()
}

/// The strings of the arguments, those in a first array too.
fn names<'a>(call: &'a Call<'_, '_>) -> impl Iterator<Item = &'a str> {
    let values = match call.arguments {
        [Value::Array(values)] => values.as_slice(),
        values => values,
    };
    values.iter().filter_map(Value::as_str)
}

/// Only one array of names is understood, although any number matches.
fn assert_names(call: &Call<'_, '_>) -> Evaluated<()> {
    match call.arguments {
        [Value::Array(_), _, ..] => {
            let message = "An array of names stands alone".to_owned();
            Err(Error::internal(message).into())
        }
        _ => Ok(()),
    }
}

fn find_first(call: &Call<'_, '_>, folder: &str) -> Evaluated {
    assert_names(call)?;
    let found =
        names(call).filter_map(|name| find(call, name, folder)).find(|found| exists(call, &found.path));
    Ok(found.map_or(Value::Undef, |found| found.path.into()))
}

fn module_directory(call: &Call<'_, '_>) -> Evaluated {
    assert_names(call)?;
    let found = names(call).find_map(|name| call.evaluator.environment.find_module(name));
    Ok(found.map_or(Value::Undef, |module| module.path.as_str().into()))
}

fn binary_file(call: &Call<'_, '_>) -> Evaluated {
    let name = call.text(0);
    let Some(Found { path, .. }) = find(call, name, "files").filter(|found| exists(call, &found.path)) else {
        let message = format!("binary_file(): The given file '{name}' does not exist");
        return Err(Error::plain(message).into());
    };
    let bytes = call.evaluator.read_file(&path).map_err(failed)?;
    Ok(Value::Binary(Arc::new(bytes)))
}

fn file(call: &Call<'_, '_>) -> Evaluated {
    let arguments = legacy::arguments(call);
    for argument in &arguments {
        if let Some(Found { path, .. }) = find_any(call, argument, "files")?
            && exists(call, &path)
        {
            return Ok(read_text(call, &path)?.into());
        }
    }
    let message = format!("Could not find any files from {}", ruby::join(&arguments, ", ", call.fuel())?);
    Err(Error::plain(message).into())
}

/// Runs a command, if the host allows it.
fn generate(call: &Call<'_, '_>) -> Evaluated {
    let arguments = legacy::arguments(call);
    let refuse = |message: &str| -> Evaluated { Err(Error::plain(message).into()) };
    let command = match arguments.first() {
        Some(Value::String(command)) => command.as_str(),
        other => {
            if let Some(value) = other {
                call.warn(format!(
                    "Cannot check if {} is an absolute path because it is a '{}' and not a String'",
                    ruby::to_s(value),
                    ruby::class_name(value)
                ));
            }
            return refuse("Generators must be fully qualified");
        }
    };
    if !command.starts_with('/') {
        return refuse("Generators must be fully qualified");
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-/_.+".contains(c);
    if !command.split('\n').any(|line| !line.is_empty() && line.chars().all(is_allowed)) {
        return refuse("Generators can only contain alphanumerics, file separators, and dashes");
    }
    if command.contains("..") {
        return refuse("Can not use generators with '..' in them.");
    }
    let directory = match command.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((directory, _)) => directory,
    };
    if !exists(call, directory) {
        return refuse(&format!("Working directory {directory} does not exist!"));
    }
    let words: Vec<String> = arguments.iter().map(ruby::to_s).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match call.evaluator.run_command(&words) {
        Ok(output) => Ok(output.into()),
        Err(HostError::Ended(error)) => Err((*error).into()),
        Err(error) => refuse(&format!("Failed to execute generator {command}: {error}")),
    }
}

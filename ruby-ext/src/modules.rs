//! Modules without a compilation: their documentation, their validity, their resource types.

use bunraku::catalog::resource_types;
use bunraku::diagnostic::Error as CoreError;
use bunraku::host::disk::DiskHost;
use bunraku::loader::Check;
use bunraku::requests;
use magnus::{Error, Object as _, RModule, Ruby};
use serde_json::Value as Json;

use crate::convert::json_to_ruby;
use crate::crossing::watched_reading;
use crate::entry::function;
use crate::failure;

/// Answers a request, a JSON text, without the GVL; `Timeout`, `Thread#kill` and signals end it.
pub(crate) fn answer(
    ruby: &Ruby,
    request: &str,
    work: impl FnOnce(&Json, Check<'_>) -> Result<Json, CoreError> + Send,
) -> Result<magnus::Value, Error> {
    let request: Json = serde_json::from_str(request)
        .map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))?;
    let answer = watched_reading(ruby, |usage| work(&request, &usage.ends))?;
    json_to_ruby(ruby, &answer.map_err(|error| failure::raised(ruby, &error))?)
}

/// Documents modules and files.
fn document(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| requests::document(&DiskHost, request, check))
}

/// Validates files.
fn validate_files(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| requests::validate(request, check))
}

/// Checks a module.
fn check(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| requests::check_module(&DiskHost, request, check))
}

/// Describes resource types.
fn describe(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| requests::describe_types(&DiskHost, request, check))
}

/// Generates resource types for `.resource_types`.
fn generate_types(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| requests::generate_types(&DiskHost, request, check))
}

/// Checks definitions of the Resource API.
fn definitions(ruby: &Ruby, request: String) -> Result<magnus::Value, Error> {
    answer(ruby, &request, |request, check| resource_types::request::definitions(&DiskHost, request, check))
}

/// Defines the functions.
pub(crate) fn define(module: RModule) -> Result<(), Error> {
    module.define_singleton_method("native_document", function!(document, 1))?;
    module.define_singleton_method("native_validate_files", function!(validate_files, 1))?;
    module.define_singleton_method("native_check_module", function!(check, 1))?;
    module.define_singleton_method("native_describe", function!(describe, 1))?;
    module.define_singleton_method("native_generate_types", function!(generate_types, 1))?;
    module.define_singleton_method("native_definitions", function!(definitions, 1))
}

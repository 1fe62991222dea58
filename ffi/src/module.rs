//! Modules without an environment: their documentation, their validity and their resource types.

use std::sync::Arc;

use bunraku_core::catalog::resource_types;
use bunraku_core::diagnostic::Error;
use bunraku_core::host::Host;
use bunraku_core::loader::Check;
use bunraku_core::requests;
use serde_json::Value as Json;

use crate::boundary::{CallError, give, guard, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::error::bunraku_error;
use crate::host::{bunraku_host, host_or_disk};
use crate::text::{bunraku_string, bunraku_text};

/// Answers a request with JSON.
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
unsafe fn answer(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
    work: impl FnOnce(&Arc<dyn Host>, &Json, Check<'_>) -> Result<Json, Error>,
) -> Result<(), CallError> {
    // SAFETY: by the contract of this function.
    let (request, host) = unsafe { (text(request_json, "request_json")?, host_or_disk(host)?) };
    let usage = watch_reading();
    let answer = work(&host, &data::parse(request)?, &usage.ends)?;
    // SAFETY: by the contract of this function.
    unsafe { give(json, bunraku_string::new(answer.to_string())) }
}

/// Documents modules and files: classes, defined types, functions, types, tasks and plans, with their
/// comments.
///
/// @param request_json  a JSON object: "paths" (directories of modules, and files), "format" ("json", or
///     "markdown")
/// @param host  callbacks; NULL for the disk
/// @param json  receives a JSON object with "documentation" (what `puppet strings generate --format json`
///     writes, or a Markdown text), "failures" (files that could not be read: "file", "message") and
///     "warnings" (missing or wrong parts of comments: "severity", which is "warning" or "error", "file",
///     "line", and "message" as puppet-strings logs it); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_module_document(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            answer(request_json, host, json, |host, request, check| {
                requests::document(&**host, request, check)
            })
        }
    })
}

/// Checks a module: unexpected and missing files, metadata, dependencies, definitions and tasks.
///
/// @param request_json  a JSON object: "directory" (the module's), "modulepath" (a list of directories with
///     its dependencies)
/// @param host  callbacks; NULL for the disk
/// @param json  receives a JSON array of objects with "severity" ("error", "warning" or "notice"), "rule",
///     "file", "message", and "line" or "path" (a JSON path); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_module_check(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            answer(request_json, host, json, |host, request, check| {
                requests::check_module(&**host, request, check)
            })
        }
    })
}

/// Describes the resource types of modules, as `puppet describe` does.
///
/// @param request_json  a JSON object: "modulepath" (a list of directories), "types" (a list of names; all
///     types are listed by default), "details", "providers", "metaparameters" (whether to show them)
/// @param host  callbacks; NULL for the disk
/// @param json  receives a JSON array of texts, null for an unknown type; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_module_describe_types(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            answer(request_json, host, json, |host, request, check| {
                requests::describe_types(&**host, request, check)
            })
        }
    })
}

/// Writes resource types as files for an environment's `.resource_types`.
///
/// @param request_json  a JSON object: "modulepath" (a list of directories)
/// @param host  callbacks; NULL for the disk
/// @param json  receives a JSON array of objects with "name", "file", and "text", which is null if the type
///     is computed; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_module_generate_types(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            answer(request_json, host, json, |host, request, check| {
                requests::generate_types(&**host, request, check)
            })
        }
    })
}

/// Checks type definitions of the Resource API, and values of resources against them.
///
/// @param request_json  a JSON object: "definition" (an object) or "file" (the path of a Ruby file), "values"
///     (an object of a resource's attributes)
/// @param host  callbacks; NULL for the disk
/// @param json  receives a JSON array of objects with "definition" (null if it is computed), "complaints" and
///     "values" (arrays of objects with "severity", "path", "message"); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `host` is NULL or valid for reads of its "size", `json` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_module_check_definitions(
    request_json: bunraku_text,
    host: *const bunraku_host,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            answer(request_json, host, json, |host, request, check| {
                resource_types::request::definitions(&**host, request, check)
            })
        }
    })
}

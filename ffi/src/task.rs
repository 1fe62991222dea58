//! Tasks of an environment's modules: listing them, resolving what to run, and reading its output.

use bunraku_core::requests;

use crate::boundary::{bytes, give, guard, object, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// Lists the tasks of an environment.
///
/// @param json  receives a JSON array of objects with "name", "module", "description", "private", "metadata",
///     "metadata_file", "executables", "files" and "violations" (of the schema by the metadata: "path",
///     "message"), or with "name" and "error"; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_task_list(
    environment: *const bunraku_environment,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        let usage = watch_reading();
        let listed = requests::tasks(&*own.current(&usage.ends)?, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(listed.to_string())) }
    })
}

/// Resolves what to run for a task, and with which input.
///
/// @param request_json  a JSON object: "task" (required), "parameters" (an object), "features" (the
///     capabilities of the target, a list such as ["shell"]), "noop", "remote" (the connection to a remote
///     target, an object), "installdir" (the directory of the task's files on the target)
/// @param json  receives a JSON object with "executable", "files", "input_method", "parameters", "sensitive",
///     and the input for the method: "stdin" (text), "environment" (an object), "powershell" (an object); or
///     with "error" if the task cannot run this way; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, the text is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_task_invocation(
    environment: *const bunraku_environment,
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, request) =
            unsafe { (object(environment, "environment")?, text(request_json, "request_json")?) };
        let usage = watch_reading();
        let request = data::parse(request)?;
        let invocation = requests::task_invocation(&*own.current(&usage.ends)?, &request, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(invocation.to_string())) }
    })
}

/// Reads the output of a task.
///
/// @param output  the bytes that the task wrote to its standard output
/// @param exit_code  its exit code
/// @param json  receives a JSON object with "status" ("success" or "failure"), "value" (an object, with
///     "_output" for output that is not a JSON object and "_error" after a failure) and "sensitive" (a list
///     of the secret members of the value: "_sensitive", or none; in the value they are {"__ptype":
///     "Sensitive", "__pvalue": "[value redacted]"}); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The output is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_task_outcome(
    output: bunraku_text,
    exit_code: i32,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let output = unsafe { bytes(output, "output") }?;
        let (outcome, _) = requests::task_outcome(output, exit_code)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(outcome.to_string())) }
    })
}

/// Reads the secret part of a task's output: its member "_sensitive". It must not be shown or logged.
///
/// @param output  as for bunraku_task_outcome
/// @param exit_code  as for bunraku_task_outcome
/// @param json  receives the secret as JSON, "null" if there is none; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// As bunraku_task_outcome.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_task_outcome_sensitive(
    output: bunraku_text,
    exit_code: i32,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let output = unsafe { bytes(output, "output") }?;
        let (_, secret) = requests::task_outcome(output, exit_code)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(secret.unwrap_or_default().to_string())) }
    })
}

//! Tasks of an environment's modules: which ones there are, what to run for one, how its output is read.

use bunraku_core::requests;

use crate::boundary::{bytes, give, guard, object, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// Lists the tasks of an environment.
///
/// @param json  receives a JSON array of objects with "name", "module", "description", "private",
///     "metadata", "metadata_file", "executables", "files" and "violations" (what the metadata break of the
///     schema: "path", "message"), or with "name" and "error"; to be freed with bunraku_string_free
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

/// Says what to run for a task, and with which input.
///
/// @param request_json  a JSON object: "task" (required), "parameters" (an object), "features" (what the
///     target can do, a list such as ["shell"]), "noop", "remote" (how a remote target is connected to, an
///     object), "installdir" (where the task's files will be on the target)
/// @param json  receives a JSON object with "executable", "files", "input_method", "parameters",
///     "sensitive", and what the method takes: "stdin" (text), "environment" (an object), "powershell" (an
///     object); or with "error" when the task cannot be run so; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, the text points to as many bytes as told, `json` is writable.
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
/// @param output  what it wrote to its standard output, whatever bytes
/// @param exit_code  its exit code
/// @param json  receives a JSON object with "status" ("success" or "failure"), "value" (an object, with
///     "_output" for text that is none and "_error" when it failed) and "sensitive" (a list of the members of
///     the value that are secret: "_sensitive", or none; in the value they are {"__ptype": "Sensitive",
///     "__pvalue": "[value redacted]"}); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The output points to as many bytes as told, `json` is writable.
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

/// Reads what is secret in the output of a task: its member "_sensitive". Not to be shown or logged.
///
/// @param output  as for bunraku_task_outcome
/// @param exit_code  as for bunraku_task_outcome
/// @param json  receives the secret as JSON, "null" when there is none; to be freed with bunraku_string_free
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

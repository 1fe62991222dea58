//! Errors: the one way to fail.

use std::ffi::{CStr, c_char};

use bunraku_core::diagnostic::{Diagnostic, Error, ErrorKind};
use bunraku_core::source::Location;
use serde_json::json;

use crate::boundary::{ask_text, free};
use crate::node::{bunraku_span, unit_of, write_range};
use crate::text::{NulTerminated, bunraku_text};

/// The reason why a call failed: message, issue code and place. Every function that can fail returns NULL on
/// success and otherwise an error that the caller owns. Immutable: any number of threads can read it.
#[derive(Debug)]
pub struct bunraku_error {
    kind: ErrorKind,
    message: NulTerminated,
    issue_code: Option<NulTerminated>,
    file: Option<NulTerminated>,
    line: u32,
    column: u32,
    stack: NulTerminated,
    trace: Option<NulTerminated>,
    logs: NulTerminated,
    /// The place of an error in a text that cannot be parsed.
    diagnostic: Option<Diagnostic>,
}

impl bunraku_error {
    /// The same error with the log that precedes it.
    pub(crate) fn with_logs(mut self, logs: &serde_json::Value) -> Self {
        self.logs = NulTerminated::new(logs.to_string());
        self
    }

    fn new(kind: ErrorKind, message: String, issue_code: Option<&str>, location: &Location) -> Self {
        Self {
            kind,
            message: NulTerminated::new(message),
            issue_code: issue_code.map(NulTerminated::new),
            file: location.file.as_deref().map(NulTerminated::new),
            line: location.line.unwrap_or(0),
            column: location.column.unwrap_or(0),
            stack: NulTerminated::new("[]"),
            trace: None,
            logs: NulTerminated::new("[]"),
            diagnostic: None,
        }
    }
}

impl From<Error> for bunraku_error {
    fn from(error: Error) -> Self {
        let code = error.issue.map(|issue| issue.code());
        let frames = error.stack.iter().map(|frame| {
            let Location { file, line, column, .. } = &frame.location;
            json!({ "name": frame.name, "file": file.as_deref(), "line": line, "column": column })
        });
        let stack = NulTerminated::new(frames.collect::<serde_json::Value>().to_string());
        let trace = Some(NulTerminated::new(error.trace()));
        Self {
            stack,
            trace,
            ..Self::new(error.kind, error.full_message().into_owned(), code, &error.location)
        }
    }
}

impl From<Diagnostic> for bunraku_error {
    fn from(diagnostic: Diagnostic) -> Self {
        let (message, code) = (diagnostic.message.clone(), Some(diagnostic.issue.code()));
        let error = Self::new(ErrorKind::Syntax, message, code, &diagnostic.location);
        Self { diagnostic: Some(diagnostic), ..error }
    }
}

/// The kinds of failures. More may be added.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_failure {
    /// No error.
    BUNRAKU_FAILURE_NONE = 0,
    /// A text cannot be parsed: "syntax".
    BUNRAKU_FAILURE_SYNTAX = 1,
    /// A text can be parsed, but is invalid: "validation".
    BUNRAKU_FAILURE_VALIDATION = 2,
    /// The evaluation of a program fails: "evaluation".
    BUNRAKU_FAILURE_EVALUATION = 3,
    /// Data is not found or invalid: "lookup".
    BUNRAKU_FAILURE_LOOKUP = 4,
    /// A limit was exceeded: "limit".
    BUNRAKU_FAILURE_LIMIT = 5,
    /// The work was cancelled, see bunraku_cancel_set: "cancelled".
    BUNRAKU_FAILURE_CANCELLED = 6,
    /// An argument is invalid: "argument".
    BUNRAKU_FAILURE_ARGUMENT = 7,
    /// The library was built without the required feature, see bunraku_features: "unsupported".
    BUNRAKU_FAILURE_UNSUPPORTED = 8,
    /// The reference crashes here; the message is not part of the contract: "reference-fails".
    BUNRAKU_FAILURE_REFERENCE_FAILS = 9,
    /// Something outside cannot be read: "io".
    BUNRAKU_FAILURE_IO = 10,
    /// The library itself is at fault. The call has no result; everything else continues: "bug".
    BUNRAKU_FAILURE_BUG = 11,
    /// Anything else, such as a duplicate declaration or an unknown resource type: "other".
    BUNRAKU_FAILURE_OTHER = 12,
}

/// The kind of an error, and its name.
const fn kind_of(kind: ErrorKind) -> (bunraku_failure, &'static CStr) {
    match kind {
        ErrorKind::Syntax => (bunraku_failure::BUNRAKU_FAILURE_SYNTAX, c"syntax"),
        ErrorKind::Validation => (bunraku_failure::BUNRAKU_FAILURE_VALIDATION, c"validation"),
        ErrorKind::Evaluation => (bunraku_failure::BUNRAKU_FAILURE_EVALUATION, c"evaluation"),
        ErrorKind::Lookup => (bunraku_failure::BUNRAKU_FAILURE_LOOKUP, c"lookup"),
        ErrorKind::Limit => (bunraku_failure::BUNRAKU_FAILURE_LIMIT, c"limit"),
        ErrorKind::Cancelled => (bunraku_failure::BUNRAKU_FAILURE_CANCELLED, c"cancelled"),
        ErrorKind::Argument => (bunraku_failure::BUNRAKU_FAILURE_ARGUMENT, c"argument"),
        ErrorKind::Unsupported => (bunraku_failure::BUNRAKU_FAILURE_UNSUPPORTED, c"unsupported"),
        ErrorKind::ReferenceFails => (bunraku_failure::BUNRAKU_FAILURE_REFERENCE_FAILS, c"reference-fails"),
        ErrorKind::Io => (bunraku_failure::BUNRAKU_FAILURE_IO, c"io"),
        ErrorKind::Bug => (bunraku_failure::BUNRAKU_FAILURE_BUG, c"bug"),
        ErrorKind::Puppet => (bunraku_failure::BUNRAKU_FAILURE_OTHER, c"other"),
    }
}

/// The kind of an error: one of bunraku_failure; BUNRAKU_FAILURE_NONE for NULL.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_kind(error: *const bunraku_error) -> u32 {
    // SAFETY: by the contract of this function.
    let error = unsafe { error.as_ref() };
    error.map_or(bunraku_failure::BUNRAKU_FAILURE_NONE, |error| kind_of(error.kind).0) as u32
}

/// The name of an error's kind, such as "syntax": see bunraku_failure. NUL-terminated and static; NULL for
/// NULL.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_kind_name(error: *const bunraku_error) -> *const c_char {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(std::ptr::null(), |error| kind_of(error.kind).1.as_ptr())
}

/// The message, in the reference's wording, without the place.
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_message(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| Some(&error.message)) }
}

/// The issue code, such as "UNKNOWN_VARIABLE"; NULL if the error has none.
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_issue_code(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| error.issue_code.as_ref()) }
}

/// The file of the error; NULL if it has none.
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_file(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| error.file.as_ref()) }
}

/// The line, from 1; 0 if it is unknown.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_line(error: *const bunraku_error) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(0, |error| error.line)
}

/// The column in characters, from 1; 0 if it is unknown.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_column(error: *const bunraku_error) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(0, |error| error.column)
}

/// Returns the place at which a text cannot be parsed. If the input ends too early, the place is the end of
/// the text, with the length 0; bunraku_error_line and bunraku_error_column do not report this place.
///
/// @param error  the error; NULL has no place
/// @param unit  the unit: one of bunraku_unit
/// @param span  receives the place
/// @return whether the error has such a place; otherwise nothing is written. Errors of compilations only have
///     a line and a column
///
/// # Safety
/// `error` is NULL or live, `span` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_span(
    error: *const bunraku_error,
    unit: u32,
    span: *mut bunraku_span,
) -> bool {
    // SAFETY: by the contract of this function.
    let range = unsafe { error.as_ref() }.and_then(|error| error.diagnostic.as_ref()?.range(unit_of(unit)?));
    // SAFETY: by the contract of this function.
    range.is_some_and(|range| unsafe { write_range(range, span) })
}

/// The Puppet calls that led to the error, innermost first: a JSON array of objects with "name", "file",
/// "line", "column".
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_stack_json(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| Some(&error.stack)) }
}

/// The error as a text for people: the message with its place, followed by the Puppet calls that led there,
/// innermost first, one a line: ` from apache::vhost (/code/site.pp:3)`.
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_trace(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| Some(error.trace.as_ref().unwrap_or(&error.message))) }
}

/// The log that precedes the error: a JSON array as `bunraku_catalog_logs_json` describes.
///
/// @param error  the error; NULL gives NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_logs_json(error: *const bunraku_error) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask_text(error, |error| Some(&error.logs)) }
}

/// Frees an error. NULL is allowed.
///
/// # Safety
/// `error` is NULL or an error that is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_free(error: *mut bunraku_error) {
    // SAFETY: by the contract of this function.
    unsafe { free(error) }
}

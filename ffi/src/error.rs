//! The one way to fail.

use std::ffi::{CStr, c_char};

use bunraku_core::diagnostic::{Diagnostic, Error, ErrorKind};
use bunraku_core::source::Location;
use serde_json::json;

use crate::boundary::{free, guard_or};
use crate::text::NulTerminated;

/// Why a call failed: message, issue code and place. Every function that can fail returns NULL on success and
/// an error that belongs to the caller otherwise. Immutable: any number of threads may read it.
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
}

impl bunraku_error {
    /// The same error with what was logged before it.
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
        }
    }
}

impl From<Error> for bunraku_error {
    fn from(error: Error) -> Self {
        let code = error.issue.map(|issue| issue.code());
        let frames = error.stack.iter().map(|frame| {
            let place = &frame.location;
            json!({ "name": frame.name, "file": place.file.as_deref(), "line": place.line, "column": place.column })
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
        Self::new(ErrorKind::Syntax, diagnostic.message, Some(diagnostic.issue.code()), &diagnostic.location)
    }
}

/// Declares what all getters of texts share.
macro_rules! text_of {
    ($error:ident, $length:ident, $field:expr) => {
        guard_or(std::ptr::null(), || {
            // SAFETY: by the contract of the calling function the pointers are null or valid.
            unsafe {
                let field: fn(&bunraku_error) -> Option<&NulTerminated> = $field;
                $error.as_ref().and_then(field).map_or(std::ptr::null(), |text| text.expose($length))
            }
        })
    };
}

/// The kind of an error as `bunraku_error_kind` tells it.
const fn kind_text(kind: ErrorKind) -> &'static CStr {
    match kind {
        ErrorKind::Syntax | ErrorKind::Validation => c"parse",
        ErrorKind::Evaluation => c"evaluation",
        ErrorKind::Lookup => c"lookup",
        ErrorKind::Limit | ErrorKind::Cancelled => c"limit",
        ErrorKind::Unsupported => c"unsupported",
        ErrorKind::Bug => c"bug",
        ErrorKind::Argument | ErrorKind::Puppet | ErrorKind::ReferenceFails | ErrorKind::Io => c"other",
    }
}

/// The kind of an error as `bunraku_error_detailed_kind` tells it.
const fn detailed_kind_text(kind: ErrorKind) -> &'static CStr {
    match kind {
        ErrorKind::Syntax => c"syntax",
        ErrorKind::Validation => c"validation",
        ErrorKind::Cancelled => c"cancelled",
        ErrorKind::Argument => c"argument",
        ErrorKind::ReferenceFails => c"reference-fails",
        ErrorKind::Io => c"io",
        ErrorKind::Evaluation
        | ErrorKind::Lookup
        | ErrorKind::Limit
        | ErrorKind::Unsupported
        | ErrorKind::Bug
        | ErrorKind::Puppet => kind_text(kind),
    }
}

/// What sort of failure it is: "parse" (a text is wrong), "evaluation" (a program fails), "lookup" (data is
/// not found, or is at fault), "limit" (a limit was run over, or the work was cancelled), "unsupported" (the
/// library was built without what does this, see bunraku_features), "bug" (the library itself is at fault:
/// what was called gives nothing, all else goes on) or "other"; NULL for NULL. The text is static.
/// bunraku_error_detailed_kind tells more of them apart.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_kind(error: *const bunraku_error) -> *const c_char {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(std::ptr::null(), |error| kind_text(error.kind).as_ptr())
}

/// What sort of failure it is, with the kinds of bunraku_error_kind split further: "parse" is "syntax" (a
/// text cannot be parsed) or "validation" (it can, but is refused); "limit" is "limit" or "cancelled" (see
/// bunraku_cancel_set); "other" is "argument" (an argument is refused), "io" (something outside cannot be
/// read), "reference-fails" (the reference crashes here, the message is no part of the contract) or "other"
/// (a duplicate declaration, an unknown resource type ...). The rest is the same. More may be added. NULL for
/// NULL. The text is static.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_detailed_kind(error: *const bunraku_error) -> *const c_char {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(std::ptr::null(), |error| detailed_kind_text(error.kind).as_ptr())
}

/// The message, as the reference words it, without the place.
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_message(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| Some(&error.message))
}

/// The issue code, such as "UNKNOWN_VARIABLE"; NULL when the error has none.
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_issue_code(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| error.issue_code.as_ref())
}

/// The file that the error is in; NULL when it is in none.
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_file(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| error.file.as_ref())
}

/// The line, from 1; 0 when it is not known.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_line(error: *const bunraku_error) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(0, |error| error.line)
}

/// The column in characters, from 1; 0 when it is not known.
///
/// # Safety
/// `error` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_column(error: *const bunraku_error) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { error.as_ref() }.map_or(0, |error| error.column)
}

/// The Puppet calls that led to the error, innermost first: a JSON array of objects with "name", "file",
/// "line", "column".
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_stack_json(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| Some(&error.stack))
}

/// The error as a text for people: the message with its place, and below it the Puppet calls that led there,
/// innermost first, one a line: `  from apache::vhost (/code/site.pp:3)`.
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_trace(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| Some(error.trace.as_ref().unwrap_or(&error.message)))
}

/// What was logged before the error: a JSON array as `bunraku_catalog_logs_json` describes.
///
/// @param error   the error; NULL gives NULL
/// @param length  receives the number of bytes; may be NULL
/// @return text that is valid until the error is freed
///
/// # Safety
/// `error` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_logs_json(
    error: *const bunraku_error,
    length: *mut usize,
) -> *const c_char {
    text_of!(error, length, |error| Some(&error.logs))
}

/// Frees an error. NULL is allowed.
///
/// # Safety
/// `error` is NULL or an error that was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_error_free(error: *mut bunraku_error) {
    // SAFETY: by the contract of this function.
    unsafe { free(error) }
}

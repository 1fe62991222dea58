//! The boundary between C and Rust. Only this file handles panics, null pointers and text.

use bunraku_core::diagnostic::bug::guarded;
use bunraku_core::diagnostic::{Diagnostic, Error};
use std::convert::identity;

use crate::error::bunraku_error;
use crate::text::{NulTerminated, bunraku_text};

/// Runs the body of an entry point. Returns an error object after a failure or a panic, and null after
/// success.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), CallError>) -> *mut bunraku_error {
    match guarded(body).map_err(CallError::from).and_then(identity) {
        Ok(()) => std::ptr::null_mut(),
        Err(failure) => Box::into_raw(failure.0),
    }
}

/// Runs the body of a getter. Returns `otherwise` after a panic.
pub(crate) fn guard_or<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    guarded(body).unwrap_or(otherwise)
}

/// Reads something from an object. Returns `otherwise` if the pointer is null or the object has nothing to
/// return.
///
/// # Safety
/// The pointer is null or points to a live object that nothing changes during the call.
pub(crate) unsafe fn ask<H, T: Copy>(
    object: *const H,
    otherwise: T,
    question: impl FnOnce(&H) -> Option<T>,
) -> T {
    // SAFETY: by the contract of this function.
    guard_or(otherwise, || unsafe { object.as_ref() }.and_then(question).unwrap_or(otherwise))
}

/// A text that an object holds, or the absent text.
///
/// # Safety
/// As for [`ask`].
pub(crate) unsafe fn ask_text<H>(
    object: *const H,
    field: impl for<'a> FnOnce(&'a H) -> Option<&'a NulTerminated>,
) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe { ask(object, bunraku_text::NONE, |own| field(own).map(NulTerminated::as_text)) }
}

/// The reason why an entry point fails.
pub(crate) struct CallError(pub Box<bunraku_error>);

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self(Box::new(error.into()))
    }
}

impl From<Diagnostic> for CallError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(Box::new(diagnostic.into()))
    }
}

/// The failure of a call with invalid arguments.
pub(crate) fn misuse(message: &str) -> CallError {
    Error::argument(message).into()
}

/// The object behind a pointer.
///
/// # Safety
/// The pointer is null or points to a live object that nothing changes during the call.
pub(crate) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, CallError> {
    // SAFETY: by the contract of this function the pointer is null or valid for reads for as long as the
    // caller's call lasts.
    unsafe { pointer.as_ref() }.ok_or_else(|| misuse(&format!("{name} is NULL")))
}

/// The text that a caller passes. BUNRAKU_NO_TEXT is the empty text.
///
/// # Safety
/// The text's pointer is null or valid for reads of its length, and nothing changes the bytes during the
/// call.
pub(crate) unsafe fn text<'a>(given: bunraku_text, name: &str) -> Result<&'a str, CallError> {
    // SAFETY: by the contract of this function.
    let bytes = unsafe { bytes(given, name) }?;
    std::str::from_utf8(bytes).map_err(|_| misuse(&format!("{name} is not UTF-8")))
}

/// The bytes that a caller passes. BUNRAKU_NO_TEXT is the empty sequence.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn bytes<'a>(given: bunraku_text, name: &str) -> Result<&'a [u8], CallError> {
    if given.length == 0 {
        return Ok(&[]);
    }
    if given.data.is_null() {
        return Err(misuse(&format!("{name} is NULL")));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it is valid for reads of its
    // length.
    Ok(unsafe { std::slice::from_raw_parts(given.data.cast(), given.length) })
}

/// A list of texts that a caller passes. NULL with count 0 is the empty list.
///
/// # Safety
/// The pointer is null or points to `count` texts, each as for [`text`].
pub(crate) unsafe fn texts<'a>(
    given: *const bunraku_text,
    count: usize,
    name: &str,
) -> Result<Vec<&'a str>, CallError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if given.is_null() {
        return Err(misuse(&format!("{name} is NULL")));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it is valid for reads of `count`
    // texts.
    let given = unsafe { std::slice::from_raw_parts(given, count) };
    // SAFETY: by the contract of this function.
    given.iter().map(|one| unsafe { text(*one, name) }).collect()
}

/// Passes an object to the caller, who then owns it.
///
/// # Safety
/// The pointer is null or writable.
pub(crate) unsafe fn give<T>(output: *mut *mut T, value: T) -> Result<(), CallError> {
    if output.is_null() {
        return Err(misuse("the output parameter is NULL"));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it is writable.
    unsafe { output.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// As [`give`], but writes NULL for `None`.
///
/// # Safety
/// The pointer is null or writable.
pub(crate) unsafe fn give_some<T>(output: *mut *mut T, value: Option<T>) -> Result<(), CallError> {
    match value {
        // SAFETY: by the contract of this function.
        Some(value) => unsafe { give(output, value) },
        // SAFETY: by the contract of this function.
        None => unsafe { tell(output, std::ptr::null_mut()) },
    }
}

/// Writes a plain result for the caller.
///
/// # Safety
/// The pointer is null or writable.
pub(crate) unsafe fn tell<T>(output: *mut T, answer: T) -> Result<(), CallError> {
    if output.is_null() {
        return Err(misuse("the output parameter is NULL"));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it is writable.
    unsafe { output.write(answer) };
    Ok(())
}

/// Frees an object that [`give`] passed to the caller.
///
/// # Safety
/// The pointer is null or came from [`give`] (or [`guard`]) and was not freed before.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        let _ = guarded(|| {
            // SAFETY: by the contract of this function the pointer came from `Box::into_raw` and is freed
            // once.
            drop(unsafe { Box::from_raw(pointer) });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{bunraku_error_free, bunraku_error_kind, bunraku_failure};

    #[test]
    fn a_panic_is_an_error_of_its_own_kind() {
        let error = guard(|| panic!("on purpose"));
        // SAFETY: the error is live, and freed once.
        unsafe {
            assert_eq!(bunraku_error_kind(error), bunraku_failure::BUNRAKU_FAILURE_BUG as u32);
            bunraku_error_free(error);
        }
        assert_eq!(guard_or(7, || panic!("on purpose")), 7);
        assert!(guard(|| Ok(())).is_null());
    }
}

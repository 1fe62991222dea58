//! Where C meets Rust: panics, null pointers and text are handled here and nowhere else.

use bunraku_core::diagnostic::bug::guarded;
use bunraku_core::diagnostic::{Diagnostic, Error};
use std::convert::identity;
use std::ffi::c_char;

use crate::error::bunraku_error;

/// Runs the body of an entry point. A failure becomes an error object, a panic too; success is null.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), CallError>) -> *mut bunraku_error {
    match guarded(body).map_err(CallError::from).and_then(identity) {
        Ok(()) => std::ptr::null_mut(),
        Err(failure) => Box::into_raw(failure.0),
    }
}

/// Runs the body of a getter; a panic gives `otherwise`.
pub(crate) fn guard_or<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    guarded(body).unwrap_or(otherwise)
}

/// Why an entry point fails.
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

/// The failure of a call with arguments that make no sense.
pub(crate) fn misuse(message: &str) -> CallError {
    Error::argument(message).into()
}

/// The object behind a pointer.
///
/// # Safety
/// The pointer is null or points to a live object that nobody changes meanwhile.
pub(crate) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, CallError> {
    // SAFETY: by the contract of this function the pointer is null or valid for reads for as long as the
    // caller's call lasts.
    unsafe { pointer.as_ref() }.ok_or_else(|| misuse(&format!("{name} is NULL")))
}

/// The text at a pointer with a length in bytes. Null with length 0 is the empty text.
///
/// # Safety
/// The pointer is null or points to at least `length` bytes that nobody changes meanwhile.
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    length: usize,
    name: &str,
) -> Result<&'a str, CallError> {
    // SAFETY: by the contract of this function.
    let bytes = unsafe { bytes(pointer.cast(), length, name) }?;
    std::str::from_utf8(bytes).map_err(|_| misuse(&format!("{name} is not UTF-8")))
}

/// The bytes at a pointer. Null with length 0 are none.
///
/// # Safety
/// The pointer is null or points to at least `length` bytes that nobody changes meanwhile.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, length: usize, name: &str) -> Result<&'a [u8], CallError> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(misuse(&format!("{name} is NULL")));
    }
    // SAFETY: the pointer is not null, and by the contract of this function `length` bytes may be read.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// Gives an object to the caller.
///
/// # Safety
/// The pointer is null or may be written.
pub(crate) unsafe fn give<T>(output: *mut *mut T, value: T) -> Result<(), CallError> {
    if output.is_null() {
        return Err(misuse("the output parameter is NULL"));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it may be written.
    unsafe { output.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// As [`give`]; NULL when there is nothing to give.
///
/// # Safety
/// The pointer is null or may be written.
pub(crate) unsafe fn give_some<T>(output: *mut *mut T, value: Option<T>) -> Result<(), CallError> {
    match value {
        // SAFETY: by the contract of this function.
        Some(value) => unsafe { give(output, value) },
        // SAFETY: by the contract of this function.
        None => unsafe { tell(output, std::ptr::null_mut()) },
    }
}

/// Tells the caller an answer.
///
/// # Safety
/// The pointer is null or may be written.
pub(crate) unsafe fn tell<T>(output: *mut T, answer: T) -> Result<(), CallError> {
    if output.is_null() {
        return Err(misuse("the output parameter is NULL"));
    }
    // SAFETY: the pointer is not null, and by the contract of this function it may be written.
    unsafe { output.write(answer) };
    Ok(())
}

/// Frees an object that [`give`] gave.
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
    use std::ffi::CStr;

    use super::*;
    use crate::error::{bunraku_error_free, bunraku_error_kind};

    #[test]
    fn a_panic_is_an_error_of_its_own_kind() {
        let error = guard(|| panic!("on purpose"));
        // SAFETY: the error is live, and freed once.
        unsafe {
            assert_eq!(CStr::from_ptr(bunraku_error_kind(error)), c"bug");
            bunraku_error_free(error);
        }
        assert_eq!(guard_or(7, || panic!("on purpose")), 7);
        assert!(guard(|| Ok(())).is_null());
    }
}

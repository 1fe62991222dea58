//! Text and bytes that belong to the caller.

use std::ffi::c_char;

use crate::boundary::{free, guard_or};

/// Text that belongs to whoever received it. UTF-8 unless it is said to be bytes, with a NUL behind its end
/// for convenience; the text itself may hold NULs, so use the length. Immutable: any number of threads may
/// read it.
pub struct bunraku_string(NulTerminated);

impl bunraku_string {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        Self(NulTerminated::new(text))
    }
}

/// A text with a NUL behind it.
#[derive(Debug)]
pub(crate) struct NulTerminated(Vec<u8>);

impl NulTerminated {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut text = text.into();
        text.push(0);
        Self(text)
    }

    /// The address of the text; its length goes to `length` when that is not null.
    ///
    /// # Safety
    /// `length` is null or may be written.
    pub(crate) unsafe fn expose(&self, length: *mut usize) -> *const c_char {
        if !length.is_null() {
            // SAFETY: not null, and by the contract of this function it may be written.
            unsafe { length.write(self.0.len() - 1) };
        }
        self.0.as_ptr().cast()
    }
}

/// The bytes of a text. They are valid until the text is freed.
///
/// @param string  the text; NULL gives NULL
/// @param length  receives the number of bytes without the NUL; may be NULL
///
/// # Safety
/// `string` is NULL or a live text, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_string_data(
    string: *const bunraku_string,
    length: *mut usize,
) -> *const c_char {
    guard_or(std::ptr::null(), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        unsafe { string.as_ref().map_or(std::ptr::null(), |string| string.0.expose(length)) }
    })
}

/// Frees a text. NULL is allowed.
///
/// # Safety
/// `string` is NULL or a text that was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_string_free(string: *mut bunraku_string) {
    // SAFETY: by the contract of this function.
    unsafe { free(string) }
}

/// Bytes that belong to whoever received them. Immutable: any number of threads may read them.
pub struct bunraku_bytes(Vec<u8>);

impl bunraku_bytes {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

/// The bytes. They are valid until they are freed.
///
/// @param bytes   the bytes; NULL gives NULL
/// @param length  receives their number; may be NULL
///
/// # Safety
/// `bytes` is NULL or live, `length` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_bytes_data(bytes: *const bunraku_bytes, length: *mut usize) -> *const u8 {
    guard_or(std::ptr::null(), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        unsafe {
            let Some(bytes) = bytes.as_ref() else { return std::ptr::null() };
            if !length.is_null() {
                length.write(bytes.0.len());
            }
            bytes.0.as_ptr()
        }
    })
}

/// Frees bytes. NULL is allowed.
///
/// # Safety
/// `bytes` is NULL or was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_bytes_free(bytes: *mut bunraku_bytes) {
    // SAFETY: by the contract of this function.
    unsafe { free(bytes) }
}

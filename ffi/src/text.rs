//! Text and bytes: arguments and results as a pointer and a length, and those that the caller owns.

use std::ffi::c_char;

use crate::boundary::{free, guard_or};

/// Text: a pointer and a length in bytes. A plain value that can be copied and is not freed. Text arguments
/// are UTF-8, need no NUL, and must stay valid until the function returns; pass BUNRAKU_NO_TEXT for no text.
/// A returned text belongs to the object that it was read from. It is NUL-terminated unless the function says
/// otherwise, and "data" is NULL if there is no text. Where a function says so, it contains arbitrary bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct bunraku_text {
    /// The first byte.
    pub data: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

impl bunraku_text {
    /// No text.
    pub(crate) const NONE: Self = Self { data: std::ptr::null(), length: 0 };

    /// Text or bytes inside an object, valid as long as the object lives.
    pub(crate) fn of(bytes: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        let bytes = bytes.as_ref();
        Self { data: bytes.as_ptr().cast(), length: bytes.len() }
    }
}

/// Text that its receiver owns. It is UTF-8 unless documented as bytes. It is NUL-terminated for convenience;
/// the text itself can contain NULs, so use the length. Immutable: any number of threads can read it.
pub struct bunraku_string(NulTerminated);

impl bunraku_string {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        Self(NulTerminated::new(text))
    }
}

/// A NUL-terminated text.
#[derive(Debug)]
pub(crate) struct NulTerminated(Vec<u8>);

impl NulTerminated {
    pub(crate) fn new(text: impl Into<Vec<u8>>) -> Self {
        let mut text = text.into();
        text.reserve_exact(1);
        text.push(0);
        Self(text)
    }

    /// The text, for as long as this lives.
    pub(crate) fn as_text(&self) -> bunraku_text {
        bunraku_text { data: self.0.as_ptr().cast(), length: self.0.len() - 1 }
    }
}

/// The text, valid until it is freed.
///
/// @param string  the text; NULL gives no text
///
/// # Safety
/// `string` is NULL or a live text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_string_data(string: *const bunraku_string) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function the pointer is null or valid.
        unsafe { string.as_ref() }.map_or(bunraku_text::NONE, |string| string.0.as_text())
    })
}

/// Frees a text. NULL is allowed.
///
/// # Safety
/// `string` is NULL or a text that is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_string_free(string: *mut bunraku_string) {
    // SAFETY: by the contract of this function.
    unsafe { free(string) }
}

/// Bytes that their receiver owns. Immutable: any number of threads can read them.
pub struct bunraku_bytes(Vec<u8>);

impl bunraku_bytes {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

/// The bytes, valid until they are freed. Not NUL-terminated.
///
/// @param bytes  the bytes; NULL gives none
///
/// # Safety
/// `bytes` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_bytes_data(bytes: *const bunraku_bytes) -> bunraku_text {
    guard_or(bunraku_text::NONE, || {
        // SAFETY: by the contract of this function the pointer is null or valid.
        unsafe { bytes.as_ref() }.map_or(bunraku_text::NONE, |bytes| bunraku_text::of(&bytes.0))
    })
}

/// Frees bytes. NULL is allowed.
///
/// # Safety
/// `bytes` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_bytes_free(bytes: *mut bunraku_bytes) {
    // SAFETY: by the contract of this function.
    unsafe { free(bytes) }
}

//! Text and bytes: what goes in and out as a pointer and a length, and what belongs to the caller.

use std::ffi::c_char;

use crate::boundary::{free, guard_or};

/// Text: a pointer and a length in bytes. A plain value: copy it as you like, nothing is to be freed. Text
/// that goes in is UTF-8, needs no NUL, and must stay until the function returns; where there is none, give
/// BUNRAKU_NO_TEXT. Text that comes out belongs to the object that it was asked of; a NUL stands behind it
/// unless the function says otherwise, and "data" is NULL where there is none. Where a function says so, it
/// holds any bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct bunraku_text {
    /// The first byte.
    pub data: *const c_char,
    /// How many bytes.
    pub length: usize,
}

impl bunraku_text {
    /// No text.
    pub(crate) const NONE: Self = Self { data: std::ptr::null(), length: 0 };

    /// Text or bytes inside of an object, for as long as it lives.
    pub(crate) fn of(bytes: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        let bytes = bytes.as_ref();
        Self { data: bytes.as_ptr().cast(), length: bytes.len() }
    }
}

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

/// The bytes, valid until they are freed. NO NUL stands behind them.
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
/// `bytes` is NULL or was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_bytes_free(bytes: *mut bunraku_bytes) {
    // SAFETY: by the contract of this function.
    unsafe { free(bytes) }
}

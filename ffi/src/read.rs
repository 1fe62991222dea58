//! The content of a value: its kind, and its parts without copies.

use bunraku_core::pcore::Value;

use crate::boundary::{ask, text};
use crate::text::bunraku_text;
use crate::value::bunraku_value;

/// The kinds of values. More may be added.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_kind {
    /// No value.
    BUNRAKU_KIND_NONE = 0,
    /// `undef`.
    BUNRAKU_KIND_UNDEF = 1,
    /// `default`.
    BUNRAKU_KIND_DEFAULT = 2,
    /// True or false: bunraku_value_boolean.
    BUNRAKU_KIND_BOOLEAN = 3,
    /// A whole number: bunraku_value_integer, or bunraku_value_to_string for one beyond 64 bits.
    BUNRAKU_KIND_INTEGER = 4,
    /// A number with a fraction: bunraku_value_float.
    BUNRAKU_KIND_FLOAT = 5,
    /// Text: bunraku_value_text.
    BUNRAKU_KIND_STRING = 6,
    /// A list: bunraku_value_count, bunraku_value_element.
    BUNRAKU_KIND_ARRAY = 7,
    /// A map: bunraku_value_count, bunraku_value_key, bunraku_value_element, bunraku_value_get.
    BUNRAKU_KIND_HASH = 8,
    /// A type: bunraku_value_to_string.
    BUNRAKU_KIND_TYPE = 9,
    /// A regular expression: bunraku_value_to_string.
    BUNRAKU_KIND_REGEXP = 10,
    /// A value that must not be shown: only bunraku_value_unwrap returns it.
    BUNRAKU_KIND_SENSITIVE = 11,
    /// Bytes: bunraku_value_text.
    BUNRAKU_KIND_BINARY = 12,
    /// A duration: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESPAN = 13,
    /// A point in time: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESTAMP = 14,
    /// A semantic version: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER = 15,
    /// A range of semantic versions: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER_RANGE = 16,
    /// A URI: bunraku_value_to_string.
    BUNRAKU_KIND_URI = 17,
    /// An instance of an Object type: bunraku_value_to_data.
    BUNRAKU_KIND_OBJECT = 18,
    /// Anything else: bunraku_value_to_data.
    BUNRAKU_KIND_OTHER = 19,
}

impl bunraku_value {
    /// A value inside an object, valid as long as the object lives.
    pub(crate) fn of(value: &Value) -> *const Self {
        // The struct is transparent.
        std::ptr::from_ref(value).cast()
    }
}

fn kind(value: &Value) -> bunraku_kind {
    match value {
        Value::Undef => bunraku_kind::BUNRAKU_KIND_UNDEF,
        Value::Default => bunraku_kind::BUNRAKU_KIND_DEFAULT,
        Value::Boolean(_) => bunraku_kind::BUNRAKU_KIND_BOOLEAN,
        Value::Integer(_) | Value::BigInteger(_) => bunraku_kind::BUNRAKU_KIND_INTEGER,
        Value::Float(_) => bunraku_kind::BUNRAKU_KIND_FLOAT,
        Value::String(_) | Value::ByteString(_) => bunraku_kind::BUNRAKU_KIND_STRING,
        Value::Array(_) => bunraku_kind::BUNRAKU_KIND_ARRAY,
        Value::Hash(_) => bunraku_kind::BUNRAKU_KIND_HASH,
        Value::Type(_) => bunraku_kind::BUNRAKU_KIND_TYPE,
        Value::Regexp(_) => bunraku_kind::BUNRAKU_KIND_REGEXP,
        Value::Sensitive(_) => bunraku_kind::BUNRAKU_KIND_SENSITIVE,
        Value::Binary(_) => bunraku_kind::BUNRAKU_KIND_BINARY,
        Value::Timespan(_) => bunraku_kind::BUNRAKU_KIND_TIMESPAN,
        Value::Timestamp(_) => bunraku_kind::BUNRAKU_KIND_TIMESTAMP,
        Value::SemVer(_) => bunraku_kind::BUNRAKU_KIND_SEMVER,
        Value::SemVerRange(_) => bunraku_kind::BUNRAKU_KIND_SEMVER_RANGE,
        Value::Uri(_) => bunraku_kind::BUNRAKU_KIND_URI,
        Value::Object(_) => bunraku_kind::BUNRAKU_KIND_OBJECT,
        Value::Iterator(_) | Value::Runtime(_) => bunraku_kind::BUNRAKU_KIND_OTHER,
    }
}

/// The kind of a value: one of bunraku_kind; BUNRAKU_KIND_NONE for NULL.
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_kind(value: *const bunraku_value) -> u32 {
    // SAFETY: by the contract of this function.
    (unsafe { ask(value, bunraku_kind::BUNRAKU_KIND_NONE, |own| Some(kind(&own.0))) }) as u32
}

/// Whether a value is the Boolean true; false for all other values.
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_boolean(value: *const bunraku_value) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, false, |own| match &own.0 {
            Value::Boolean(truth) => Some(*truth),
            _ => None,
        })
    }
}

/// The number of an Integer.
///
/// @param integer  receives the number
/// @return whether it is an Integer of 64 bits; otherwise nothing is written
///
/// # Safety
/// `value` is NULL or live, `integer` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_integer(value: *const bunraku_value, integer: *mut i64) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, false, |own| match &own.0 {
            Value::Integer(number) => integer.as_mut().map(|integer| *integer = *number).map(|()| true),
            _ => None,
        })
    }
}

/// The number of a Float.
///
/// @param number  receives the number
/// @return whether it is a Float; otherwise nothing is written
///
/// # Safety
/// `value` is NULL or live, `number` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_float(value: *const bunraku_value, number: *mut f64) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, false, |own| match &own.0 {
            Value::Float(own) => number.as_mut().map(|number| *number = *own).map(|()| true),
            _ => None,
        })
    }
}

/// The text of a String, or the bytes of a Binary; no text for other values. Not NUL-terminated.
///
/// @return text that is valid as long as the value
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_text(value: *const bunraku_value) -> bunraku_text {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, bunraku_text::NONE, |own| match &own.0 {
            Value::Binary(bytes) => Some(bunraku_text::of(bytes.as_slice())),
            other => other.as_str().map(bunraku_text::of),
        })
    }
}

/// The number of elements of an Array or entries of a Hash; 0 for other values.
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_count(value: *const bunraku_value) -> usize {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, 0, |own| match &own.0 {
            Value::Array(list) => Some(list.len()),
            Value::Hash(hash) => Some(hash.len()),
            _ => None,
        })
    }
}

/// An element of an Array, or the value of an entry of a Hash, in the order of insertion.
///
/// @param index  from 0
/// @return a value that lives as long as the container and must not be freed; NULL if it does not exist
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_element(
    value: *const bunraku_value,
    index: usize,
) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, std::ptr::null(), |own| match &own.0 {
            Value::Array(list) => list.get(index).map(bunraku_value::of),
            Value::Hash(hash) => hash.get_index(index).map(|(_, value)| bunraku_value::of(value)),
            _ => None,
        })
    }
}

/// The key of an entry of a Hash, in the order of insertion.
///
/// @param index  from 0
/// @return as bunraku_value_element
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_key(
    value: *const bunraku_value,
    index: usize,
) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, std::ptr::null(), |own| match &own.0 {
            Value::Hash(hash) => hash.get_index(index).map(|(key, _)| bunraku_value::of(key)),
            _ => None,
        })
    }
}

/// The value of a Hash for a String key.
///
/// @return as bunraku_value_element
///
/// # Safety
/// `value` is NULL or live, `key` is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_get(
    value: *const bunraku_value,
    key: bunraku_text,
) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, std::ptr::null(), |own| match &own.0 {
            Value::Hash(hash) => hash.get(&Value::from(text(key, "key").ok()?)).map(bunraku_value::of),
            _ => None,
        })
    }
}

/// The content of a Sensitive, in clear.
///
/// @return as bunraku_value_element; NULL for other values
///
/// # Safety
/// `value` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_unwrap(value: *const bunraku_value) -> *const bunraku_value {
    // SAFETY: by the contract of this function.
    unsafe {
        ask(value, std::ptr::null(), |own| match &own.0 {
            Value::Sensitive(secret) => Some(bunraku_value::of(secret)),
            _ => None,
        })
    }
}

//! Values that a program builds from parts.

use bunraku_core::pcore::Value;
use bunraku_core::pcore::value::Hash;

use crate::boundary::{CallError, give, guard, misuse, object, text};
use crate::error::bunraku_error;
use crate::text::bunraku_text;
use crate::value::bunraku_value;

/// `undef`.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_undef(value: *mut *mut bunraku_value) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { give(value, bunraku_value(Value::Undef)) })
}

/// A Boolean.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_boolean(
    boolean: bool,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { give(value, bunraku_value(Value::Boolean(boolean))) })
}

/// An Integer.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_integer(
    integer: i64,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { give(value, bunraku_value(Value::Integer(integer))) })
}

/// A Float.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_float(
    number: f64,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { give(value, bunraku_value(Value::Float(number))) })
}

/// A String.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `string` is valid for reads of its length, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_text(
    string: bunraku_text,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { give(value, bunraku_value(Value::from(text(string, "string")?))) })
}

/// An Array.
///
/// @param elements  the elements; the caller keeps them
/// @param count  the number of elements
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `elements` points to `count` live values, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_elements(
    elements: *const *const bunraku_value,
    count: usize,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let elements = unsafe { values(elements, count, "elements") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(Value::array(elements))) }
    })
}

/// A Hash. If keys are equal, the last one is used.
///
/// @param keys  the keys; the caller keeps them
/// @param elements  the value of each key; the caller keeps them
/// @param count  the number of keys
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `keys` and `elements` point to `count` live values each, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_entries(
    keys: *const *const bunraku_value,
    elements: *const *const bunraku_value,
    count: usize,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (keys, elements) =
            unsafe { (values(keys, count, "keys")?, values(elements, count, "elements")?) };
        let hash: Hash = keys.into_iter().zip(elements).collect();
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(Value::from(hash))) }
    })
}

/// A Sensitive, whose content is never shown.
///
/// @param secret  the content; the caller keeps it
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `secret` is live, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_secret(
    secret: *const bunraku_value,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let secret = unsafe { object(secret, "secret") }?.0.clone();
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(Value::sensitive(secret))) }
    })
}

/// Copies of a list of values.
///
/// # Safety
/// The pointer is null or points to `count` pointers, each null or to a live value.
unsafe fn values(
    list: *const *const bunraku_value,
    count: usize,
    name: &str,
) -> Result<Vec<Value>, CallError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null() {
        return Err(misuse(&format!("{name} is NULL")));
    }
    // SAFETY: not null, and by the contract of this function valid for reads of `count` pointers.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    // SAFETY: by the contract of this function.
    list.iter().map(|one| Ok(unsafe { object(*one, name) }?.0.clone())).collect()
}

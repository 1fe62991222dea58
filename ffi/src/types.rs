//! Types of the language: their instances, and the values that they make.

use bunraku_core::loader::Loaded;
use bunraku_core::pcore::Value;
use bunraku_core::pcore::convert::new_instance;
use bunraku_core::pcore::types::{NoTypes, Type, mismatch};

use crate::boundary::{free, give, give_some, guard, guard_or, misuse, object, tell, text};
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};
use crate::value::{bunraku_value, with_surroundings};

/// A type of the language. Immutable: any number of threads can read it.
pub struct bunraku_type(Type);

/// The levels of detail of an inferred type.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_inference {
    /// Arrays are Tuples; hashes with names as keys are Structs.
    BUNRAKU_INFERENCE_DETAILED = 0,
    /// Arrays and hashes have one element type.
    BUNRAKU_INFERENCE_REDUCED = 1,
    /// Types have no bounds and values.
    BUNRAKU_INFERENCE_GENERALIZED = 2,
}

// C can pass any number for an enum: the functions take numbers and compare them with these.
const DETAILED: u32 = bunraku_inference::BUNRAKU_INFERENCE_DETAILED as u32;
const REDUCED: u32 = bunraku_inference::BUNRAKU_INFERENCE_REDUCED as u32;
const GENERALIZED: u32 = bunraku_inference::BUNRAKU_INFERENCE_GENERALIZED as u32;

/// Parses a type.
///
/// @param source  the type in the language, such as "Array[String, 1]", UTF-8
/// @param environment  resolves the names of modules' types; if it is NULL, an unknown name is a
///     TypeReference. Any number of threads can use one at the same time
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `environment` is NULL or live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_parse(
    source: bunraku_text,
    environment: *const bunraku_environment,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (source, environment) = unsafe { (text(source, "source")?, environment.as_ref()) };
        let parsed = match environment {
            Some(environment) => environment.inner().parse_type(source, &Loaded::default())?,
            None => Type::parse(source, &NoTypes)?,
        };
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(parsed)) }
    })
}

/// The type of a value.
///
/// @param method  one of bunraku_inference
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_infer(
    value: *const bunraku_value,
    method: u32,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let value = unsafe { object(value, "value") }?;
        let inferred = match method {
            DETAILED => Type::infer_set(&value.0),
            REDUCED => Type::infer(&value.0),
            GENERALIZED => Type::infer(&value.0).generalize(),
            _ => return Err(misuse("method is no bunraku_inference")),
        };
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(inferred)) }
    })
}

/// The most specific type that two types can be assigned to.
///
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// Both types are live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_common(
    a: *const bunraku_type,
    b: *const bunraku_type,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (a, b) = unsafe { (object(a, "a")?, object(b, "b")?) };
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(Type::common(&a.0, &b.0))) }
    })
}

/// Whether a value is an instance of a type. False if one of them is NULL.
///
/// # Safety
/// Both are NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_is_instance(
    of: *const bunraku_type,
    value: *const bunraku_value,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let both = unsafe { (of.as_ref(), value.as_ref()) };
        matches!(both, (Some(of), Some(value)) if of.0.is_instance(&value.0))
    })
}

/// Whether every instance of `other` is an instance of `of`. False if one of them is NULL.
///
/// # Safety
/// Both are NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_is_assignable(
    of: *const bunraku_type,
    other: *const bunraku_type,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let both = unsafe { (of.as_ref(), other.as_ref()) };
        matches!(both, (Some(of), Some(other)) if of.0.is_assignable(&other.0))
    })
}

/// Whether two types are equal, however they were written. False if one of them is NULL.
///
/// # Safety
/// Both are NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_equals(a: *const bunraku_type, b: *const bunraku_type) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let both = unsafe { (a.as_ref(), b.as_ref()) };
        matches!(both, (Some(a), Some(b)) if a.0 == b.0)
    })
}

/// A type in the notation of the language.
///
/// @param string  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_to_string(
    of: *const bunraku_type,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(string, bunraku_string::new(of.0.to_string())) }
    })
}

/// Makes a value of a type, as Type.new(...) does in the language.
///
/// @param arguments  an array of the arguments
/// @param environment  provides the clock for Timestamp.new; NULL for the system's
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `of` and `arguments` are live, `environment` is NULL or live, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_new(
    of: *const bunraku_type,
    arguments: *const bunraku_value,
    environment: *const bunraku_environment,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (of, arguments, environment) =
            unsafe { (object(of, "of")?, object(arguments, "arguments")?, environment.as_ref()) };
        let Value::Array(arguments) = &arguments.0 else { return Err(misuse("arguments is no array")) };
        let made = with_surroundings(environment, |around| new_instance(&of.0, arguments, around))?;
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(made)) }
    })
}

/// Why a value is not an instance of a type, in the reference's words.
///
/// @param name  the beginning of the text; BUNRAKU_NO_TEXT for nothing
/// @param string  receives the text, to be freed with bunraku_string_free; NULL if the value is an instance
/// @return NULL on success
///
/// # Safety
/// `of` and `value` are live, the text is valid for reads of its length, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_mismatch(
    of: *const bunraku_type,
    value: *const bunraku_value,
    name: bunraku_text,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (of, value, name) = unsafe { (object(of, "of")?, object(value, "value")?, text(name, "name")?) };
        // SAFETY: by the contract of this function.
        unsafe { give_some(string, of.0.mismatch(name, &value.0).map(bunraku_string::new)) }
    })
}

/// Whether a value is an instance of a type, as bunraku_type_is_instance. Here a type that cannot decide (an
/// Init of a type without constructor, a pattern that takes too long) is an error.
///
/// @param answer  receives the result
/// @return NULL on success
///
/// # Safety
/// `of` and `value` are live, `answer` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_check_instance(
    of: *const bunraku_type,
    value: *const bunraku_value,
    answer: *mut bool,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (of, value) = unsafe { (object(of, "of")?, object(value, "value")?) };
        // SAFETY: by the contract of this function.
        unsafe { tell(answer, of.0.check_instance(&value.0)?) }
    })
}

/// Whether every instance of `other` is an instance of `of`, as bunraku_type_is_assignable. Here a type that
/// cannot decide is an error.
///
/// @param answer  receives the result
/// @return NULL on success
///
/// # Safety
/// Both types are live, `answer` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_check_assignable(
    of: *const bunraku_type,
    other: *const bunraku_type,
    answer: *mut bool,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (of, other) = unsafe { (object(of, "of")?, object(other, "other")?) };
        // SAFETY: by the contract of this function.
        unsafe { tell(answer, of.0.check_assignable(&other.0)?) }
    })
}

/// The type without its bounds and values.
///
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_generalize(
    of: *const bunraku_type,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(of.0.generalize())) }
    })
}

/// The type in its simplest form.
///
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_normalize(
    of: *const bunraku_type,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(of.0.normalize())) }
    })
}

/// The target of an alias; any other type itself.
///
/// @param result  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_resolved(
    of: *const bunraku_type,
    result: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(result, bunraku_type(of.0.resolved().clone())) }
    })
}

/// The kind of a type, such as "Integer", "Variant" or "TypeAlias".
///
/// @param string  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_kind(
    of: *const bunraku_type,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(string, bunraku_string::new(of.0.kind().kind_name())) }
    })
}

/// The name of a type: that of an alias, an Object type or a TypeSet, or the language's name of the type.
///
/// @param string  receives the text, to be freed with bunraku_string_free; NULL for an Object type without a
///     name
/// @return NULL on success
///
/// # Safety
/// `of` is live, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_name(
    of: *const bunraku_type,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give_some(string, of.0.name().map(|name| bunraku_string::new(name.to_string()))) }
    })
}

/// Why another type does not fit where this one is expected, in the reference's words.
///
/// @param actual  a type that cannot be assigned to `of`
/// @param name  the beginning of the text; BUNRAKU_NO_TEXT for nothing
/// @param string  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// Both types are live, the text is valid for reads of its length, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_describe_mismatch(
    of: *const bunraku_type,
    actual: *const bunraku_type,
    name: bunraku_text,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (of, actual, name) =
            unsafe { (object(of, "of")?, object(actual, "actual")?, text(name, "name")?) };
        // SAFETY: by the contract of this function.
        unsafe { give(string, bunraku_string::new(mismatch::describe(name, &of.0, &actual.0))) }
    })
}

/// A type as a value: types are values of the language.
///
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `of` is live, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_to_value(
    of: *const bunraku_type,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let of = unsafe { object(of, "of") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(Value::Type(of.0.clone()))) }
    })
}

/// The type that a value is.
///
/// @param value  a value of the kind BUNRAKU_KIND_TYPE
/// @param of  receives the type, to be freed with bunraku_type_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, `of` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_from_value(
    value: *const bunraku_value,
    of: *mut *mut bunraku_type,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let Value::Type(found) = &unsafe { object(value, "value") }?.0 else {
            return Err(misuse("value is no type"));
        };
        // SAFETY: by the contract of this function.
        unsafe { give(of, bunraku_type(found.clone())) }
    })
}

/// Frees a type. NULL is allowed.
///
/// # Safety
/// `of` is NULL or a type that is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_type_free(of: *mut bunraku_type) {
    // SAFETY: by the contract of this function.
    unsafe { free(of) }
}

//! Values of the language: from and to JSON, as data and as streams.

use bunraku_core::diagnostic::{Error, Report};
use bunraku_core::host::Host as _;
use bunraku_core::host::disk::DiskHost;
use bunraku_core::loader::{Environment, Loaded};
use bunraku_core::pcore::convert::{Surroundings, string};
use bunraku_core::pcore::fuel::BoundedFuel;
use bunraku_core::pcore::keys::{Keyed, Names};
use bunraku_core::pcore::serialize::{
    DataOptions, StreamOptions, from_data_text, read_stream, read_stream_msgpack, to_data_text, write_stream,
    write_stream_msgpack,
};
use bunraku_core::pcore::types::NoTypes;
use bunraku_core::pcore::{Value, json_tokens};
use serde_json::Value as Json;
use std::cell::RefCell;

use crate::boundary::{CallError, free, give, guard, guard_or, misuse, object, text};
use crate::data;
use crate::environment::bunraku_environment;
use crate::error::bunraku_error;
use crate::text::{bunraku_bytes, bunraku_string, bunraku_text};

/// A value of the language. Immutable: any number of threads can read it.
// The header hides the content: cbindgen does not look into cfg_attr.
#[cfg_attr(all(), repr(transparent))]
pub struct bunraku_value(pub(crate) Value);

/// The formats of a stream.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_stream {
    /// JSON.
    BUNRAKU_STREAM_JSON = 0,
    /// MessagePack.
    BUNRAKU_STREAM_MSGPACK = 1,
}

// C can pass any number for an enum: the functions take numbers and compare them with these.
const JSON: u32 = bunraku_stream::BUNRAKU_STREAM_JSON as u32;
const MSGPACK: u32 = bunraku_stream::BUNRAKU_STREAM_MSGPACK as u32;

/// Reads a value from plain JSON, which can only represent values that have a form in JSON.
///
/// @param json  the JSON text, UTF-8
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_json(
    json: bunraku_text,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let json = unsafe { text(json, "json") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(parse(json)?)) }
    })
}

/// Reads a value from generic data: JSON in which objects with "__ptype" are values of other types.
///
/// @param json  the JSON text, UTF-8
/// @param environment  resolves the names of modules' types; NULL for only the types of the language
/// @param allow_unresolved  whether data of unknown types stays a hash; otherwise it is an error
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// The text is valid for reads of its length, `environment` is NULL or live, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_from_data(
    json: bunraku_text,
    environment: *const bunraku_environment,
    allow_unresolved: bool,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (json, environment) = unsafe { (text(json, "json")?, environment.as_ref()) };
        let read = with_surroundings(environment, |around| from_data_text(json, around, allow_unresolved))?;
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(read)) }
    })
}

/// A value as generic data.
///
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "rich_data" (true: values without a form in JSON
///     become objects with "__ptype"; false: text), "local_reference" (true: a repeated object becomes a
///     path), "type_by_reference" (true: types of objects are named), "symbol_as_string" (false),
///     "message_prefix" (""), "allow_loss" (false: a value that becomes text is an error)
/// @param json  receives the JSON text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, the text is valid for reads of its length, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_to_data(
    value: *const bunraku_value,
    options_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (value, options) = unsafe { (object(value, "value")?, text(options_json, "options_json")?) };
        let (written, _) = data_of(&value.0, options, false)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(written)) }
    })
}

/// A value as generic data, as bunraku_value_to_data writes it, with the losses.
///
/// @param options_json  as for bunraku_value_to_data; "allow_loss" is ignored
/// @param json  receives the JSON text, to be freed with bunraku_string_free
/// @param losses  receives a JSON array of texts, one for each value that became text; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, the text is valid for reads of its length, `json` and `losses` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_to_data_with_losses(
    value: *const bunraku_value,
    options_json: bunraku_text,
    json: *mut *mut bunraku_string,
    losses: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (value, options) = unsafe { (object(value, "value")?, text(options_json, "options_json")?) };
        if json.is_null() || losses.is_null() {
            return Err(misuse("an output parameter is NULL"));
        }
        let (written, told) = data_of(&value.0, options, true)?;
        // SAFETY: not null, and by the contract of this function writable.
        unsafe { give(json, bunraku_string::new(written)) }?;
        // SAFETY: as above.
        unsafe { give(losses, bunraku_string::new(Json::from(told).to_string())) }
    })
}

/// The members of the options that [`data_of`] reads.
const DATA: Names = &[
    "rich_data",
    "local_reference",
    "type_by_reference",
    "symbol_as_string",
    "message_prefix",
    "allow_loss",
];

/// The members of the options that bunraku_value_dump reads.
const DUMP: Names = &["type_by_reference", "tabulate"];

/// The JSON text of a value's data with options in JSON, and the losses.
fn data_of(value: &Value, options: &str, may_lose: bool) -> Result<(String, Vec<String>), CallError> {
    let given = data::parse(options)?;
    let given = Keyed::new(&given, "options_json", &[DATA])?;
    let losses = RefCell::new(Vec::new());
    let reporter = |report: Report| {
        losses.borrow_mut().push(report.message);
        Ok(())
    };
    let options = DataOptions {
        rich_data: flag(&given, "rich_data", true)?,
        local_reference: flag(&given, "local_reference", true)?,
        type_by_reference: flag(&given, "type_by_reference", true)?,
        symbol_as_string: flag(&given, "symbol_as_string", false)?,
        message_prefix: given["message_prefix"].as_str().unwrap_or_default().to_owned(),
        reporter: if may_lose || flag(&given, "allow_loss", false)? { Some(&reporter) } else { None },
    };
    let written = to_data_text(value, &options)?;
    Ok((written, losses.take()))
}

/// A value as text: by interpolation, or by String.new with a format.
///
/// @param format  a format such as "%#p"; BUNRAKU_NO_TEXT for interpolation
/// @param string  receives the text, to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, the text is valid for reads of its length, `string` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_to_string(
    value: *const bunraku_value,
    format: bunraku_text,
    string: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (value, format) = unsafe { (object(value, "value")?, text(format, "format")?) };
        let formatted = match format {
            "" => string::to_string(&value.0).to_string(),
            format => string::format(&value.0, &Value::from(format))?,
        };
        // SAFETY: by the contract of this function.
        unsafe { give(string, bunraku_string::new(formatted)) }
    })
}

/// Whether two values are equal as keys of a hash: 1 and 1.0 differ, and texts differ in case. False if one
/// of them is NULL.
///
/// # Safety
/// Both are NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_equals(a: *const bunraku_value, b: *const bunraku_value) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let both = unsafe { (a.as_ref(), b.as_ref()) };
        matches!(both, (Some(a), Some(b)) if a.0 == b.0)
    })
}

/// A value as a stream that contains each object once.
///
/// @param format  one of bunraku_stream
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "type_by_reference" (true), "tabulate" (true)
/// @param stream  receives the stream, to be freed with bunraku_bytes_free
/// @return NULL on success
///
/// # Safety
/// `value` is live, the text is valid for reads of its length, `stream` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_dump(
    value: *const bunraku_value,
    format: u32,
    options_json: bunraku_text,
    stream: *mut *mut bunraku_bytes,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (value, options) = unsafe { (object(value, "value")?, text(options_json, "options_json")?) };
        let given = data::parse(options)?;
        let given = Keyed::new(&given, "options_json", &[DUMP])?;
        let options = StreamOptions {
            type_by_reference: flag(&given, "type_by_reference", true)?,
            tabulate: flag(&given, "tabulate", true)?,
        };
        let bytes = match format {
            JSON => write_stream(&value.0, options)?.into_bytes(),
            MSGPACK => write_stream_msgpack(&value.0, options)?,
            _ => return Err(misuse("format is no bunraku_stream")),
        };
        // SAFETY: by the contract of this function.
        unsafe { give(stream, bunraku_bytes::new(bytes)) }
    })
}

/// Reads a value from a stream.
///
/// @param stream  the bytes from bunraku_value_dump
/// @param format  one of bunraku_stream
/// @param environment  resolves the names of modules' types; NULL for only the types of the language
/// @param value  receives the value, to be freed with bunraku_value_free
/// @return NULL on success
///
/// # Safety
/// `stream` is valid for reads of its length, `environment` is NULL or live, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_load(
    stream: bunraku_text,
    format: u32,
    environment: *const bunraku_environment,
    value: *mut *mut bunraku_value,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let environment = unsafe { environment.as_ref() };
        let read = match format {
            JSON => {
                // SAFETY: by the contract of this function.
                let stream = unsafe { text(stream, "stream") }?;
                with_surroundings(environment, |around| read_stream(stream, around))?
            }
            MSGPACK => {
                // SAFETY: by the contract of this function.
                let stream = unsafe { crate::boundary::bytes(stream, "stream") }?;
                with_surroundings(environment, |around| read_stream_msgpack(stream, around))?
            }
            _ => return Err(misuse("format is no bunraku_stream")),
        };
        // SAFETY: by the contract of this function.
        unsafe { give(value, bunraku_value(read)) }
    })
}

/// Frees a value. NULL is allowed.
///
/// # Safety
/// `value` is NULL or a value that is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_value_free(value: *mut bunraku_value) {
    // SAFETY: by the contract of this function.
    unsafe { free(value) }
}

/// Runs work with the types and the clock of an environment, or with those of the language and the system.
pub(crate) fn with_surroundings<T>(
    environment: Option<&bunraku_environment>,
    work: impl FnOnce(&Surroundings<'_>) -> T,
) -> T {
    match environment.map(bunraku_environment::inner) {
        Some(environment) => with_environment(environment, work),
        None => {
            work(&Surroundings { types: &NoTypes, now: &|| DiskHost.now(), fuel: &BoundedFuel::default() })
        }
    }
}

fn with_environment<T>(environment: &Environment, work: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let loaded = Loaded::default();
    let now = || environment.host.now();
    work(&Surroundings { types: &environment.type_loader(&loaded), now: &now, fuel: &BoundedFuel::default() })
}

fn parse(json: &str) -> Result<Value, Error> {
    json_tokens::parse(json).map_err(|error| Error::argument(format!("not JSON: {}", error.message)))
}

fn flag(options: &Keyed<'_>, name: &str, otherwise: bool) -> Result<bool, CallError> {
    match options.get(name) {
        None => Ok(otherwise),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(_) => Err(misuse(&format!("{name} is neither true nor false"))),
    }
}

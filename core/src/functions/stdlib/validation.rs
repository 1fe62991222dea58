//! Checks of values: `is_…`, `validate_…`, `deprecation`.

use super::super::{ruby, warn_once_here};
use super::{refuse, statement, value};
use crate::diagnostic::{Error, LogLevel};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Unwind};
use crate::loader::Strictness;
use crate::pcore::Value;
use crate::pcore::format::inspect;
use crate::pcore::regexp::Regex;
use crate::pcore::types::{NoTypes, Type, mismatch};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    value!("is_absolute_path", 1, |call| Ok(is_absolute_path(call.argument(0)).into())),
    value!("is_array", -1, |call| is(call, |value| matches!(value, Value::Array(_)))),
    value!("is_bool", -1, |call| is(call, |value| matches!(value, Value::Boolean(_)))),
    value!("is_float", -1, |call| is(call, is_float)),
    value!("is_hash", -1, |call| is(call, |value| matches!(value, Value::Hash(_)))),
    value!("is_integer", -1, |call| is(call, is_integer)),
    value!("is_numeric", -1, |call| is(call, is_numeric)),
    value!("is_string", -1, |call| is(call, is_string)),
    statement!("validate_absolute_path", validate_absolute_path),
    statement!("validate_array", |call| validate(call, "an Array", |value| matches!(value, Value::Array(_)))),
    statement!("validate_bool", |call| validate(call, "a boolean", |value| matches!(
        value,
        Value::Boolean(_)
    ))),
    statement!("validate_hash", |call| validate(call, "a Hash", |value| matches!(value, Value::Hash(_)))),
    statement!("validate_string", |call| validate(call, "a string", |value| {
        matches!(value, Value::String(_) | Value::Undef)
    })),
    statement!("validate_re", validate_re),
    BuiltIn::new("is_a", &[Dispatch::new("Any $value, Type $type", is_a)]).of_module("stdlib"),
    BuiltIn::new("deprecation", &[Dispatch::new("String $key, String $message", deprecation)])
        .of_module("stdlib"),
    BuiltIn::new(
        "validate_legacy",
        &[
            Dispatch::new(
                "Type $target_type, String $function_name, Any $value, Any* $args",
                validate_legacy,
            ),
            Dispatch::new(
                "String $type_string, String $function_name, Any $value, Any* $args",
                validate_legacy,
            ),
        ],
    )
    .of_module("stdlib"),
];

fn is(call: &Call<'_, '_>, check: fn(&Value) -> bool) -> Evaluated {
    match call.arguments {
        [value] => Ok(check(value).into()),
        more => {
            let (name, count) = (call.name, more.len());
            Err(refuse(format!("{name}(): Wrong number of arguments given ({count} for 1)")))
        }
    }
}

fn is_absolute_path(value: &Value) -> bool {
    let Value::String(path) = value else { return false };
    let bytes = path.as_bytes();
    let is_slash = |at: usize| matches!(bytes.get(at), Some(b'/' | b'\\'));
    let has_drive =
        bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':') && is_slash(2);
    path.starts_with('/') || has_drive || (is_slash(0) && is_slash(1))
}

fn is_integer(value: &Value) -> bool {
    let is_digits = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits == "0"
            || (!digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    match value {
        Value::Integer(_) => true,
        Value::String(text) => text.split('\n').any(is_digits),
        _ => false,
    }
}

fn is_numeric(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Float(_) => true,
        Value::String(text) => Regex::new(r"^-?(?:(?:[1-9]\d*)|0)(?:\.\d+)?(?:[eE]-?\d+)?$")
            .is_ok_and(|pattern| pattern.is_match(text).unwrap_or(false)),
        _ => false,
    }
}

fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::String(text) => crate::pcore::format::float_to_s(ruby::to_f(text)) == text.as_str(),
        _ => false,
    }
}

fn is_string(value: &Value) -> bool {
    match value {
        Value::Undef => true,
        Value::String(text) => {
            let is_whole = ruby::to_i(text).is_some_and(|number| number.to_string() == text.as_str());
            !is_float(value) && !is_whole
        }
        _ => false,
    }
}

fn validate(call: &Call<'_, '_>, what: &str, check: fn(&Value) -> bool) -> Evaluated {
    if call.arguments.is_empty() {
        return Err(refuse(format!("{}(): wrong number of arguments (0; must be > 0)", call.name)));
    }
    match call.arguments.iter().find(|value| !check(value)) {
        None => Ok(Value::Undef),
        Some(wrong) => {
            let (text, class) = (inspect(wrong), ruby::class_name(wrong));
            Err(refuse(format!("{text} is not {what}.  It looks to be a {class}")))
        }
    }
}

fn validate_absolute_path(call: &Call<'_, '_>) -> Evaluated {
    if call.arguments.is_empty() {
        return Err(refuse("validate_absolute_path(): wrong number of arguments (0; must be > 0)"));
    }
    for argument in call.arguments {
        let paths = match argument {
            Value::Array(paths) => paths.as_slice(),
            path => std::slice::from_ref(path),
        };
        if let Some(wrong) = paths.iter().find(|path| !is_absolute_path(path)) {
            return Err(refuse(format!("{} is not an absolute path.", inspect(wrong))));
        }
    }
    Ok(Value::Undef)
}

fn validate_re(call: &Call<'_, '_>) -> Evaluated {
    let (text, patterns, message) = match call.arguments {
        [text, patterns] => (text, patterns, None),
        [text, patterns, message] => (text, patterns, Some(ruby::to_s(message))),
        more => {
            let count = more.len();
            return Err(refuse(format!(
                "validate_re(): wrong number of arguments ({count}; must be 2 or 3)"
            )));
        }
    };
    let Value::String(string) = text else {
        let class = ruby::class_name(text);
        return Err(refuse(format!("validate_re(): input needs to be a String, not a {class}")));
    };
    for pattern in ruby::flatten(std::slice::from_ref(patterns)) {
        if Regex::new(&ruby::to_s(&pattern)).map_err(Error::argument)?.is_match(string)? {
            return Ok(Value::Undef);
        }
    }
    let (text, patterns) = (inspect(text), inspect(patterns));
    Err(refuse(message.unwrap_or_else(|| format!("validate_re(): {text} does not match {patterns}"))))
}

fn is_a(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(1) {
        Value::Type(of) => Ok(of.is_instance(call.argument(0)).into()),
        _ => Ok(false.into()),
    }
}

/// Says that something will go away: an error, a warning or nothing, as the setting `strict` says.
fn deprecation(call: &Call<'_, '_>) -> Evaluated {
    let (key, message) = (call.text(0), call.text(1));
    let place = match (&call.location.file, call.location.line) {
        (Some(file), Some(line)) => format!("{message} at {file}:{line}"),
        _ => format!("{message} at :"),
    };
    match call.evaluator.environment.settings.strict {
        Strictness::Off => {}
        Strictness::Error => return Err(Error::argument(format!("deprecation. {key}. {place}")).into()),
        Strictness::Warning => warn_once_here(call, key, &place),
    }
    Ok(Value::Undef)
}

/// Checks a value against a type and against the function that checked it in former times.
fn validate_legacy(call: &Call<'_, '_>) -> Evaluated {
    let of: Type = match call.argument(0) {
        Value::Type(of) => of.clone(),
        text => Type::parse(text.as_str().unwrap_or(""), &NoTypes)?,
    };
    let (function, value) = (call.text(1), call.argument(2));
    let rest = call.arguments.get(2..).unwrap_or_default();
    let was_accepted = match call.call_function(function, rest, None) {
        Ok(_) => true,
        Err(Unwind::Error(error)) if error.kind != crate::diagnostic::ErrorKind::Internal => false,
        Err(other) => return Err(other),
    };
    if of.is_instance(value) {
        if !was_accepted {
            let message = format!("Accepting previously invalid value for target type '{of}'");
            call.evaluator.journal.log(crate::diagnostic::LogEntry {
                level: LogLevel::Notice,
                message,
                source: "Puppet".into(),
                location: crate::source::Location::default(),
                issue: None,
            });
        }
        return Ok(Value::Undef);
    }
    let actual = Type::infer_set(value);
    let message = mismatch::describe(&format!("validate_legacy({function})"), &of, &actual);
    if was_accepted {
        return call.call_function("deprecation", &["validate_legacy".into(), message.into()], None);
    }
    Err(refuse(message))
}

//! Values of the language as Ruby objects, and back.
//!
//! `undef` is `nil`, `default` is `:default`; Boolean, Integer, Float, String, Array and Hash are Ruby's own; Regexp is a
//! Regexp, Timestamp a Time, Binary a String of bytes. What Ruby has no class for is a `Bunraku::Value`.

use bunraku::pcore::Value;
use bunraku::pcore::value::{Hash, Timestamp};
use magnus::encoding::EncodingCapable as _;
use magnus::{IntoValue as _, RArray, RHash, RString, Ruby, TryConvert, prelude::*, r_hash::ForEach};

use crate::value::NativeValue;

/// How deep a Ruby object may be nested.
const DEPTH: usize = 500;

/// The Ruby object for a value.
pub(crate) fn to_ruby(ruby: &Ruby, value: &Value) -> Result<magnus::Value, magnus::Error> {
    Ok(match value {
        Value::Undef => ruby.qnil().as_value(),
        Value::Default => ruby.to_symbol("default").as_value(),
        Value::Boolean(truth) => truth.into_value_with(ruby),
        Value::Integer(number) => number.into_value_with(ruby),
        Value::Float(number) => number.into_value_with(ruby),
        Value::String(text) => ruby.str_new(text).as_value(),
        Value::Array(values) => {
            let array = ruby.ary_new_capa(values.len());
            for value in values.iter() {
                array.push(to_ruby(ruby, value)?)?;
            }
            array.as_value()
        }
        Value::Hash(members) => {
            let hash = ruby.hash_new();
            for (key, value) in members.iter() {
                hash.aset(to_ruby(ruby, key)?, to_ruby(ruby, value)?)?;
            }
            hash.as_value()
        }
        Value::Regexp(regexp) => {
            let class: magnus::RClass = ruby.class_object().const_get("Regexp")?;
            class.funcall("new", (regexp.source.as_str(),))?
        }
        Value::Timestamp(moment) => {
            let seconds: magnus::Value = moment.seconds.into_value_with(ruby);
            let class: magnus::RClass = ruby.class_object().const_get("Time")?;
            let unit = ruby.to_symbol("nsec");
            let time: magnus::Value = class.funcall("at", (seconds, moment.nanoseconds, unit))?;
            time.funcall("utc", ())?
        }
        Value::Binary(bytes) => ruby.str_from_slice(bytes).as_value(),
        other => NativeValue::new(other.clone()).into_value_with(ruby),
    })
}

/// The value of a Ruby object. Symbols `:undef` and `:default` are those values, other symbols are text, as in Puppet's
/// own conversion.
pub(crate) fn to_value(ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
    nested_value(ruby, object, 0)
}

fn nested_value(ruby: &Ruby, object: magnus::Value, depth: usize) -> Result<Value, magnus::Error> {
    if depth > DEPTH {
        return Err(magnus::Error::new(ruby.exception_arg_error(), "the value is nested too deep"));
    }
    if object.is_nil() {
        return Ok(Value::Undef);
    }
    if let Some(text) = RString::from_value(object) {
        return string_value(ruby, text);
    }
    if let Some(array) = RArray::from_value(object) {
        let values: Result<Vec<_>, _> =
            array.into_iter().map(|one| nested_value(ruby, one, depth + 1)).collect();
        return values.map(Value::from);
    }
    if let Some(hash) = RHash::from_value(object) {
        return hash_value(ruby, hash, depth).map(Value::from);
    }
    if let Some(symbol) = magnus::Symbol::from_value(object) {
        return Ok(match &*symbol.name()? {
            "undef" => Value::Undef,
            "default" => Value::Default,
            other => Value::from(other),
        });
    }
    if object.is_kind_of(ruby.class_integer()) {
        return i64::try_convert(object).map(Value::Integer);
    }
    if object.is_kind_of(ruby.class_float()) {
        return f64::try_convert(object).map(Value::Float);
    }
    if object.is_kind_of(ruby.class_true_class()) || object.is_kind_of(ruby.class_false_class()) {
        return bool::try_convert(object).map(Value::Boolean);
    }
    if let Ok(native) = <&NativeValue>::try_convert(object) {
        return Ok(native.value().clone());
    }
    if object.is_kind_of(ruby.class_time()) {
        let seconds: i64 = object.funcall("to_i", ())?;
        let nanoseconds: u32 = object.funcall("nsec", ())?;
        return Ok(Value::from(Timestamp { seconds, nanoseconds }));
    }
    if object.is_kind_of(ruby.class_object().const_get::<_, magnus::RClass>("Regexp")?) {
        let source: String = object.funcall("source", ())?;
        return Ok(Value::regexp(source));
    }
    if object.respond_to("to_h", false)? && object.respond_to("each_pair", false)? {
        let hash: RHash = object.funcall("to_h", ())?;
        return hash_value(ruby, hash, depth).map(Value::from);
    }
    if object.respond_to("to_a", false)? {
        let array: RArray = object.funcall("to_a", ())?;
        return nested_value(ruby, array.as_value(), depth + 1);
    }
    let class = object.class().inspect();
    Err(magnus::Error::new(
        ruby.exception_type_error(),
        format!("a {class} has no counterpart in the Puppet language"),
    ))
}

fn string_value(ruby: &Ruby, text: RString) -> Result<Value, magnus::Error> {
    let is_binary = text.enc_get() == ruby.ascii8bit_encindex();
    // SAFETY: the bytes are copied before Ruby runs again.
    let bytes = unsafe { text.as_slice() };
    match std::str::from_utf8(bytes) {
        Ok(text) if !is_binary || text.is_ascii() => Ok(Value::from(text)),
        _ => Ok(Value::Binary(std::sync::Arc::new(bytes.to_vec()))),
    }
}

/// The hash of a Ruby Hash, keys as they are.
fn hash_value(ruby: &Ruby, hash: RHash, depth: usize) -> Result<Hash, magnus::Error> {
    let mut members = Hash::default();
    hash.foreach(|key: magnus::Value, value: magnus::Value| {
        members.insert(nested_value(ruby, key, depth + 1)?, nested_value(ruby, value, depth + 1)?);
        Ok(ForEach::Continue)
    })?;
    Ok(members)
}

/// The hash of a Ruby Hash whose keys are names.
pub(crate) fn to_hash(ruby: &Ruby, hash: RHash) -> Result<Hash, magnus::Error> {
    hash_value(ruby, hash, 0)
}

/// The Ruby object for JSON.
pub(crate) fn json_to_ruby(ruby: &Ruby, json: &serde_json::Value) -> Result<magnus::Value, magnus::Error> {
    to_ruby(ruby, &Value::from(json))
}

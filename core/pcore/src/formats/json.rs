//! Plain JSON as values, and back: facts, data files, requests. `serialize` handles rich data.

use num_traits::ToPrimitive;
use serde_json::Value as Json;

use crate::convert::string::to_string;
use crate::data::big;
use crate::data::value::{Hash, Value};

/// The JSON of data. A number beyond 64 bits is the nearest float, because a JSON tree has no larger
/// integers; a value that is not data is text.
pub fn from_data(data: &Value) -> Json {
    match data {
        Value::Undef => Json::Null,
        Value::Boolean(truth) => Json::Bool(*truth),
        Value::Integer(number) => (*number).into(),
        Value::BigInteger(number) => match number.to_u64() {
            Some(number) => number.into(),
            None => serde_json::Number::from_f64(big::to_f64(number)).map_or(Json::Null, Json::Number),
        },
        Value::Float(number) => serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => values.iter().map(from_data).collect(),
        Value::Hash(hash) => {
            Json::Object(hash.iter().map(|(key, value)| (to_string(key).into(), from_data(value))).collect())
        }
        other => to_string(other).as_str().into(),
    }
}

/// Writes data as JSON text. A number of any size is exact; a value that is not data is text.
pub fn push_text(out: &mut String, data: &Value) {
    match data {
        Value::Undef => out.push_str("null"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(itoa::Buffer::new().format(*number)),
        Value::BigInteger(number) => out.push_str(&number.to_string()),
        Value::Float(_) => out.push_str(&from_data(data).to_string()),
        Value::String(text) => push_quoted(out, text),
        Value::Array(values) => {
            let mut before = '[';
            for value in values.iter() {
                out.push(before);
                push_text(out, value);
                before = ',';
            }
            out.push_str(if before == '[' { "[]" } else { "]" });
        }
        Value::Hash(hash) => {
            let mut before = '{';
            for (key, value) in hash.iter() {
                out.push(before);
                match key {
                    Value::String(name) => push_quoted(out, name),
                    other => push_quoted(out, &to_string(other)),
                }
                out.push(':');
                push_text(out, value);
                before = ',';
            }
            out.push_str(if before == '{' { "{}" } else { "}" });
        }
        other => push_quoted(out, &to_string(other)),
    }
}

/// Writes a text between quotes.
pub fn push_quoted(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&Json::from(text).to_string());
    }
}

impl From<&Json> for Value {
    /// The value of a JSON text. A whole number from 2^64 on becomes a Float.
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Value::Undef,
            Json::Bool(truth) => Value::Boolean(*truth),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Value::Integer(whole),
                None => match number.as_u64() {
                    Some(whole) => Value::whole(i128::from(whole)),
                    None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
                },
            },
            Json::String(text) => Value::from(text.as_str()),
            Json::Array(values) => Value::array(values.iter().map(Value::from)),
            Json::Object(members) => Value::from(hash_from_json(members)),
        }
    }
}

/// The members of a JSON object as a hash.
pub fn hash_from_json(members: &serde_json::Map<String, Json>) -> Hash {
    members.iter().map(|(key, value)| (Value::from(key.as_str()), Value::from(value))).collect()
}

//! JSON as data.

use serde_json::Value as Json;

use bunraku_pcore::value::Value;

/// Reads a text. Errors: it is no JSON.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Json>(text).map(value).map_err(|error| error.to_string())
}

fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(truth) => Value::Boolean(truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text),
        Json::Array(list) => Value::array(list.into_iter().map(value)),
        Json::Object(map) => Value::hash(map.into_iter().map(|(key, json)| (Value::from(key), value(json)))),
    }
}

//! Values in the forms of the protocol: rich data, with and without local references.

use bunraku::compiler::Compilation;
use bunraku::diagnostic::Error;
use bunraku::pcore::json::hash_from_json;
use bunraku::pcore::{Hash, Value};
use serde_json::{Map, Value as Json};

/// A value as rich data, types by reference, without local references.
pub fn by_reference(value: &Value) -> Result<Json, Error> {
    Ok(match value {
        Value::Undef => Json::Null,
        Value::Boolean(truth) => Json::from(*truth),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => Json::from(*number),
        Value::String(text) => Json::from(text.as_str()),
        Value::Array(values) => values.iter().map(by_reference).collect::<Result<_, _>>()?,
        Value::Hash(members) => {
            let mut json = Map::new();
            for (key, value) in members.iter() {
                let key = key.as_str().ok_or_else(|| Error::plain("rich data is not written yet"))?;
                json.insert(key.to_owned(), by_reference(value)?);
            }
            Json::Object(json)
        }
        _ => return Err(Error::plain("rich data is not written yet")),
    })
}

/// The parameters of a template.
pub fn parameters(json: &Json) -> Result<Option<Hash>, Error> {
    Ok(json.as_object().map(hash_from_json))
}

/// All written forms of a value.
pub fn serialize(_value: &Value) -> Json {
    serde_json::json!({ "error": { "message": "serialize is not answered yet" } })
}

/// The value that a request describes.
pub fn deserialize(_request: &Json, _compilation: &Compilation<'_>) -> Result<Value, Error> {
    Err(Error::plain("deserialize is not answered yet"))
}

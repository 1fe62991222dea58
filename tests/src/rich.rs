//! Values in the forms of the protocol: rich data, with and without local references.

use bunraku::compiler::Compilation;
use bunraku::diagnostic::Error;
use bunraku::pcore::json::hash_from_json;
use bunraku::pcore::serialize::{DataOptions, to_data};
use bunraku::pcore::{Hash, Value};
use serde_json::{Value as Json, json};

/// A value as rich data, types by reference, without local references.
pub fn by_reference(value: &Value) -> Result<Json, Error> {
    to_data(value, &DataOptions::rich())
}

/// The parameters of a template.
pub fn parameters(json: &Json) -> Result<Option<Hash>, Error> {
    Ok(json.as_object().map(hash_from_json))
}

/// All written forms of a value.
pub fn serialize(value: &Value) -> Json {
    let mut reply = json!({});
    let mut add = |name: &str, form: Result<Json, Error>| match form {
        Ok(form) => reply[name] = form,
        Err(error) => reply[format!("{name}_error")] = json!(error.message),
    };
    add("generic", to_data(value, &DataOptions { local_reference: true, ..DataOptions::rich() }));
    reply
}

/// The value that a request describes.
pub fn deserialize(_request: &Json, _compilation: &Compilation<'_>) -> Result<Value, Error> {
    Err(Error::plain("deserialize is not answered yet"))
}

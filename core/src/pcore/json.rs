//! Plain JSON as values: facts, data files, requests. Rich data has its own reader in `serialize`.

use serde_json::Value as Json;

use super::value::{Hash, Value};

impl From<&Json> for Value {
    /// The value that a JSON text says. A whole number from 2^64 on becomes a Float.
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

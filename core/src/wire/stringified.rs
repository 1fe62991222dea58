//! Values as PuppetDB gets them: what JSON has no form for becomes text.
//!
//! Follows the reference's `pops/serialization/to_stringified_converter.rb`.

use serde_json::{Map, Value as Json};

use crate::compiler::reference_text;
use crate::pcore::convert::string;
use crate::pcore::format;
use crate::pcore::value::Value;

/// How deep values may be nested.
const DEPTH: usize = 1000;

/// The value as JSON; what is nested deeper than 1,000 levels is left out.
pub fn to_json(value: &Value) -> Json {
    at_depth(value, DEPTH)
}

fn at_depth(value: &Value, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(truth) => Json::Bool(*truth),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Array(values) => values.iter().map(|value| at_depth(value, depth)).collect(),
        Value::Hash(pairs) => {
            let is_plain = pairs.keys().all(|key| key.as_str().is_some_and(|key| !is_reserved(key)));
            let mut members = Map::new();
            for (key, value) in pairs.iter() {
                let mut key = text(key);
                if !is_plain && is_reserved(&key) {
                    key = format!("reserved key: {key}");
                }
                members.insert(key, at_depth(value, depth));
            }
            Json::Object(members)
        }
        other => Json::String(text(other)),
    }
}

fn is_reserved(key: &str) -> bool {
    key == "__ptype" || key == "__pvalue"
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Type(of) => reference_text(of).unwrap_or_else(|| format::to_s(value)),
        Value::Default => "default".to_owned(),
        Value::Regexp(_) => string::to_string(value).to_string(),
        Value::Sensitive(_) => "#<Sensitive [value redacted]:0>".to_owned(),
        other => format::to_s(other),
    }
}

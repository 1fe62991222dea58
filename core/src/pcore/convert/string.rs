//! Values as text: interpolation, and `String.new` with formats per type.

use crate::pcore::format::float_to_s;
use crate::pcore::value::{Str, Value};

/// How deep nested collections are written out.
const DEPTH: usize = 200;

/// The text that interpolation makes of a value: `"${value}"`.
pub fn to_string(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut out = String::new();
            interpolate(&mut out, other, 0);
            out.into()
        }
    }
}

fn interpolate(out: &mut String, value: &Value, depth: usize) {
    if depth > DEPTH {
        out.push_str("...");
        return;
    }
    match value {
        Value::Undef => {}
        Value::Default => out.push_str("default"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&float_to_s(*number)),
        Value::String(text) => out.push_str(text),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                interpolate(out, value, depth + 1);
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (index, (key, value)) in hash.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                interpolate(out, key, depth + 1);
                out.push_str(" => ");
                interpolate(out, value, depth + 1);
            }
            out.push('}');
        }
        Value::Regexp(_) => out.push_str(&crate::pcore::format::inspect(value)),
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::SemVer(version) => out.push_str(&version.to_string()),
        Value::SemVerRange(range) => out.push_str(&range.text),
        Value::Uri(uri) => out.push_str(&uri.text),
        Value::Runtime(value) => out.push_str(&value.text),
        Value::Type(_)
        | Value::Object(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::Iterator(_) => out.push_str(&format!("{value:?}")),
    }
}

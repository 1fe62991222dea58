//! Values as Ruby shows them: in explanations and interpolations.

pub(super) use bunraku_pcore::label::ruby_class;
use bunraku_pcore::value::Value;

/// A value as Ruby's `inspect` shows it.
pub(super) fn inspect(value: &Value) -> String {
    bunraku_pcore::format::inspect(value)
}

/// A value as with Ruby's `to_s`.
pub(super) fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::String(text) => text.to_string(),
        Value::ByteString(bytes) => bytes.text().to_string(),
        Value::Runtime(runtime) => runtime.text.to_string(),
        Value::Default => "default".into(),
        Value::Array(_) | Value::Hash(_) | Value::Float(_) => inspect(value),
        value => bunraku_pcore::convert::string::to_string(value).to_string(),
    }
}

//! Values as PuppetDB gets them: what JSON has no form for becomes text.
//!
//! Follows the reference's `pops/serialization/to_stringified_converter.rb`.

use std::borrow::Cow;

use num_traits::ToPrimitive;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value as Json};

use crate::compiler::reference_text;
use bunraku_pcore::binary;
use bunraku_pcore::convert::string;
use bunraku_pcore::value::{Hash, Value};
use bunraku_pcore::{big, format, json};

/// The maximum nesting of values.
const MAX_DEPTH: usize = 1000;

/// The value as JSON; parts that are nested deeper than 1,000 levels are left out.
pub fn to_json(value: &Value) -> Json {
    json::from_data(&to_data(value))
}

/// The value as data, see [`to_json`]; whole numbers of any size are exact.
pub fn to_data(value: &Value) -> Value {
    at_depth(value, MAX_DEPTH)
}

fn at_depth(value: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Undef };
    match value {
        Value::Boolean(_) | Value::Integer(_) | Value::BigInteger(_) | Value::String(_) | Value::Undef => {
            value.clone()
        }
        Value::Float(number) if number.is_finite() => value.clone(),
        Value::Float(_) => Value::Undef,
        Value::Array(values) => Value::array(values.iter().map(|value| at_depth(value, depth))),
        Value::Hash(pairs) => {
            let is_plain = pairs.keys().all(is_plain_key);
            let mut members = Hash::with_capacity(pairs.len());
            for (key, value) in pairs.iter() {
                let mut key = text(key);
                if !is_plain && is_reserved(&key) {
                    key = Cow::Owned(format!("reserved key: {key}"));
                }
                members.insert(Value::from(&*key), at_depth(value, depth));
            }
            members.into()
        }
        other => text(other).into_owned().into(),
    }
}

fn is_plain_key(key: &Value) -> bool {
    key.as_str().is_some_and(|key| !is_reserved(key))
}

fn is_reserved(key: &str) -> bool {
    key == "__ptype" || key == "__pvalue"
}

fn text(value: &Value) -> Cow<'_, str> {
    Cow::Owned(match value {
        Value::String(text) => return Cow::Borrowed(text),
        Value::ByteString(bytes) => binary::to_base64(bytes.bytes()),
        Value::Type(of) => reference_text(of).map_or_else(|| format::to_s(value), |text| text.to_string()),
        Value::Default => return Cow::Borrowed("default"),
        Value::Regexp(_) => string::to_string(value).to_string(),
        Value::Sensitive(_) => return Cow::Borrowed("#<Sensitive [value redacted]:0>"),
        other => format::to_s(other),
    })
}

/// The text that a value becomes when it is a name: strings as they are, other things as JSON text.
pub(super) fn name(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::ByteString(bytes) => Cow::Borrowed(bytes.text()),
        other => Cow::Owned(match to_json(other) {
            Json::String(text) => text,
            other => other.to_string(),
        }),
    }
}

/// JSON values that a form may not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalars {
    /// Numbers and nulls stay unchanged.
    AsTheyAre,
    /// Numbers are texts, and nulls are left out.
    Texts,
}

/// A value that is written as it is made text, as [`to_json`] does.
#[derive(Clone, Copy)]
pub(super) struct Stringified<'v> {
    value: &'v Value,
    scalars: Scalars,
    depth: usize,
}

impl<'v> Stringified<'v> {
    pub(super) fn new(value: &'v Value, scalars: Scalars) -> Self {
        Self { value, scalars, depth: MAX_DEPTH }
    }

    /// Whether the form leaves this value out.
    pub(super) fn is_left_out(self) -> bool {
        let is_null = match self.value {
            Value::Undef => true,
            Value::Float(number) => !number.is_finite(),
            _ => self.depth == 0,
        };
        is_null && self.scalars == Scalars::Texts
    }
}

impl Serialize for Stringified<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(depth) = self.depth.checked_sub(1) else { return serializer.serialize_unit() };
        let part = |value| Stringified { value, scalars: self.scalars, depth };
        match (self.value, self.scalars) {
            (Value::Undef, _) => serializer.serialize_unit(),
            (Value::Boolean(truth), _) => serializer.serialize_bool(*truth),
            (Value::Float(number), _) if !number.is_finite() => serializer.serialize_unit(),
            (Value::Integer(number), Scalars::AsTheyAre) => serializer.serialize_i64(*number),
            (Value::Float(number), Scalars::AsTheyAre) => serializer.serialize_f64(*number),
            (Value::BigInteger(number), Scalars::AsTheyAre) => match (number.to_u64(), number.to_i128()) {
                (Some(number), _) => serializer.serialize_u64(number),
                (None, Some(number)) => serializer.serialize_i128(number),
                (None, None) => serializer.serialize_f64(big::to_f64(number)),
            },
            (Value::Integer(number), Scalars::Texts) => {
                serializer.serialize_str(itoa::Buffer::new().format(*number))
            }
            (Value::Float(number), Scalars::Texts) => serializer.serialize_str(&format::float_to_s(*number)),
            (Value::Array(values), _) => {
                let mut list = serializer.serialize_seq(None)?;
                for value in values.iter().map(part).filter(|value| !value.is_left_out()) {
                    list.serialize_element(&value)?;
                }
                list.end()
            }
            (Value::Hash(pairs), _) if pairs.keys().all(is_plain_key) => {
                let mut members = serializer.serialize_map(None)?;
                for (key, value) in pairs.iter() {
                    let value = part(value);
                    if !value.is_left_out() {
                        members.serialize_entry(key.as_str().unwrap_or_default(), &value)?;
                    }
                }
                members.end()
            }
            // Keys that become texts may become the same text.
            (Value::Hash(_), Scalars::AsTheyAre) => {
                json::from_data(&at_depth(self.value, self.depth)).serialize(serializer)
            }
            (Value::Hash(_), Scalars::Texts) => {
                InTexts(&json::from_data(&at_depth(self.value, self.depth))).serialize(serializer)
            }
            (other, _) => serializer.serialize_str(&text(other)),
        }
    }
}

/// Data that is written with numbers as texts and without nulls.
pub(super) struct InTexts<'j, T>(pub(super) &'j T);

impl Serialize for InTexts<'_, Json> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (None, Some(float)) => serializer.serialize_str(&format::float_to_s(float)),
                _ => serializer.collect_str(number),
            },
            Json::Array(values) => {
                let mut list = serializer.serialize_seq(None)?;
                for value in values.iter().filter(|value| !value.is_null()) {
                    list.serialize_element(&InTexts(value))?;
                }
                list.end()
            }
            Json::Object(members) => InTexts(members).serialize(serializer),
            other => other.serialize(serializer),
        }
    }
}

impl Serialize for InTexts<'_, Map<String, Json>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().filter(|(_, value)| !value.is_null()) {
            map.serialize_entry(name, &InTexts(value))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_text_is_left_out() {
        for (value, is_left_out) in [
            (Value::Undef, true),
            (f64::INFINITY.into(), true),
            (f64::NAN.into(), true),
            (1.5.into(), false),
            (1.into(), false),
            ("".into(), false),
            (Value::array([]), false),
        ] {
            assert_eq!(Stringified::new(&value, Scalars::Texts).is_left_out(), is_left_out, "{value:?}");
            assert!(!Stringified::new(&value, Scalars::AsTheyAre).is_left_out(), "{value:?}");
        }
    }
}

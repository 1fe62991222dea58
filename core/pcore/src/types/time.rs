//! Bounds of Timespan and Timestamp types from values. Follows `convert_arg` of the reference's
//! `p_timespan_type.rb`.

use crate::data::value::{Hash, Timespan, Timestamp, Value};
use crate::ruby::names::ruby_class_name;
use crate::scalars::time::{nanoseconds_of, nanoseconds_of_whole, timestamp::Formats};
use bunraku_syntax::diagnostic::Error;

fn refuse<T>(class: &str, value: &Value) -> Result<T, Error> {
    Err(Error::argument(format!(
        "Unable to create a Puppet::Pops::Time::{class} from a {}",
        ruby_class_name(value)
    )))
}

/// The entry of a hash.
fn entry<'h>(hash: &'h Hash, key: &str) -> Option<&'h Value> {
    hash.get(&Value::from(key))
}

fn texts(value: Option<&Value>) -> Option<Vec<&str>> {
    match value? {
        Value::String(text) => Some(vec![text]),
        Value::Array(texts) => Some(texts.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// A length of time: itself, a text, a hash with a text or of fields, or seconds.
pub(crate) fn timespan(value: &Value) -> Result<Timespan, Error> {
    match value {
        Value::Timespan(span) => Ok(**span),
        Value::BigInteger(seconds) => Ok(Timespan::of(nanoseconds_of_whole(seconds)?)),
        Value::Integer(seconds) => Ok(Timespan { seconds: i128::from(*seconds), nanoseconds: 0 }),
        Value::Float(seconds) => Ok(Timespan::of(nanoseconds_of(*seconds)?)),
        Value::String(text) => Timespan::parse(text),
        Value::Hash(hash) => match entry(hash, "string").and_then(Value::as_str) {
            Some(text) => match texts(entry(hash, "format")).as_deref() {
                None => Timespan::parse(text),
                Some([format]) => Timespan::parse_with(text, format),
                Some(formats) => Timespan::parse_any(text, formats),
            },
            None => {
                const FIELDS: [&str; 7] =
                    ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
                let field =
                    |name| entry(hash, name).and_then(Value::as_big_integer).unwrap_or_default().into_owned();
                let is_negative = entry(hash, "negative").is_some_and(Value::is_truthy);
                Timespan::from_fields(is_negative, FIELDS.map(field))
            }
        },
        _ => refuse("Timespan", value),
    }
}

/// A moment: itself, a text, a hash with a text, or seconds.
pub(crate) fn timestamp(value: &Value) -> Result<Timestamp, Error> {
    match value {
        Value::Timestamp(moment) => Ok(**moment),
        Value::BigInteger(seconds) => Ok(Timestamp::of(nanoseconds_of_whole(seconds)?)),
        Value::Integer(seconds) => Ok(Timestamp { seconds: i128::from(*seconds), nanoseconds: 0 }),
        Value::Float(seconds) => Ok(Timestamp::of(nanoseconds_of(*seconds)?)),
        Value::String(text) => Timestamp::parse(text, &Formats::Default, None),
        Value::Hash(hash) => {
            let text = entry(hash, "string").and_then(Value::as_str).unwrap_or_default();
            let formats = match texts(entry(hash, "format")).as_deref() {
                None => Formats::Default,
                Some([format]) => Formats::One(format),
                Some(formats) => Formats::Several(formats.to_vec()),
            };
            Timestamp::parse(text, &formats, entry(hash, "timezone").and_then(Value::as_str))
        }
        _ => refuse("Timestamp", value),
    }
}

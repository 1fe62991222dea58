//! Type checks of configurations, options and data, with the reference's messages.
//!
//! Follows the reference's `pops/types/type_asserter.rb`.

use super::error::{LookupError, LookupResult};
use bunraku_pcore::size_cache::Fact;
use bunraku_pcore::types::{NoTypes, Type, mismatch};
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::Error;

/// Fails unless a value is an instance of the type with this text.
pub(super) fn assert_instance(subject: &str, expected: &str, value: &Value) -> Result<(), LookupError> {
    let expected = Type::parse(expected, &NoTypes)?;
    assert_type(subject, &expected, value)
}

/// Fails unless a value is an instance of a type.
pub(super) fn assert_type(subject: &str, expected: &Type, value: &Value) -> Result<(), LookupError> {
    if expected.check_instance(value)? {
        return Ok(());
    }
    let actual = Type::infer_set(value);
    Err(Error::plain(mismatch::describe(&format!("{subject} has wrong type,"), expected, &actual)).into())
}

/// Fails unless a value is valid data; `subject` describes its source.
pub(super) fn assert_data(value: Value, subject: impl FnOnce() -> String) -> LookupResult {
    if value.holds::<RichData>() || is_rich_data(&value, 0) {
        return Ok(value);
    }
    let actual = Type::infer(&value);
    Err(Error::plain(format!("{} has wrong type, expects Puppet::LookupValue, got {actual}", subject()))
        .into())
}

/// That a value is an instance of `RichData`.
struct RichData;

impl Fact for RichData {
    const NOTE: u8 = 2;

    fn holds_for_key(key: &Value) -> bool {
        is_rich_data_key(key)
    }

    fn holds_for(value: &Value) -> bool {
        is_rich_data(value, 0)
    }
}

/// That a value is an instance of `Data`, as far as this is seen without asking the type.
pub(super) struct PlainData;

impl Fact for PlainData {
    const NOTE: u8 = 4;

    fn holds_for_key(key: &Value) -> bool {
        matches!(key, Value::String(_))
    }

    fn holds_for(value: &Value) -> bool {
        matches!(
            value,
            Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_)
        )
    }
}

/// Whether a value is an instance of `RichData`.
fn is_rich_data(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(list) => depth < 500 && list.iter().all(|value| is_rich_data(value, depth + 1)),
        Value::Hash(hash) => {
            depth < 500
                && hash.iter().all(|(key, value)| is_rich_data_key(key) && is_rich_data(value, depth + 1))
        }
        Value::Iterator(_) | Value::Runtime(_) => false,
        Value::Undef
        | Value::Default
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::BigInteger(_)
        | Value::Float(_)
        | Value::String(_)
        | Value::ByteString(_)
        | Value::Type(_)
        | Value::Regexp(_)
        | Value::Sensitive(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Uri(_)
        | Value::Object(_) => true,
    }
}

/// Whether a value is an instance of `RichDataKey`: a string or a number.
fn is_rich_data_key(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::ByteString(_) | Value::Integer(_) | Value::BigInteger(_) | Value::Float(_)
    )
}

/// Fails unless a type is assignable to the type with this text.
pub(super) fn assert_assignable(subject: &str, expected: &str, actual: &Type) -> Result<(), LookupError> {
    let expected = Type::parse(expected, &NoTypes)?;
    if expected.is_assignable(actual) {
        return Ok(());
    }
    Err(Error::plain(mismatch::describe(&format!("{subject} is incorrect,"), &expected, actual)).into())
}

//! The comparisons of the Puppet language: `==`, `<`, `in`, and the match of `=~`, `case` and selectors.
//! Follows the reference's `pops/evaluator/compare_operator.rb`.
//!
//! A regular expression that matches passes its groups to the evaluator: functions that can evaluate one take
//! a callback.

use std::cmp::Ordering;
use std::sync::Arc;

use num_traits::Signed;

use crate::data::big::{BigInt, compare_with_float};
use crate::data::fuel::Fuel;
use crate::data::objects;
use crate::data::value::{Hash, RegexpValue, Timespan, Value, Version};
use crate::regexp::Captures;
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::Error;

/// The maximum depth of compared values.
const MAX_DEPTH: u32 = 700;

/// Receives the text and the groups of a match with a regular expression, or that it did not match.
pub type OnMatch<'a> = &'a mut dyn FnMut(&Arc<RegexpValue>, &str, Option<Captures>);

/// Ruby's `==`: as [`puppet_equals`], but strings are case-sensitive.
pub fn ruby_equals(a: &Value, b: &Value) -> bool {
    same(a, b, 0)
}

fn same(a: &Value, b: &Value, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match (a, b) {
        (Value::String(_) | Value::ByteString(_), _) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b, depth + 1))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other, depth + 1)))
        }
        _ => equals(a, b, depth),
    }
}

/// Puppet's `==`: strings without regard to the case of ASCII letters, numbers by value.
pub fn puppet_equals(a: &Value, b: &Value) -> bool {
    equals(a, b, 0)
}

fn equals(a: &Value, b: &Value, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.eq_ignore_ascii_case(b),
        (Value::ByteString(a), Value::ByteString(b)) => a.bytes().eq_ignore_ascii_case(b.bytes()),
        (Value::ByteString(a), Value::String(b)) | (Value::String(b), Value::ByteString(a)) => {
            a.bytes().is_ascii() && a.text().eq_ignore_ascii_case(b)
        }
        (Value::Integer(a), Value::Integer(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::BigInteger(a), Value::Float(b)) | (Value::Float(b), Value::BigInteger(a)) => {
            compare_with_float(a, *b) == Some(Ordering::Equal)
        }
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => {
            compare_numbers(*a, *b) == Some(Ordering::Equal)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equals(a, b, depth + 1))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| equals(b.get(key).unwrap_or(&Value::Undef), value, depth + 1))
        }
        // Lengths of time and moments are numbers of seconds.
        (
            Value::Integer(_)
            | Value::BigInteger(_)
            | Value::Float(_)
            | Value::Timespan(_)
            | Value::Timestamp(_),
            Value::Timespan(_) | Value::Timestamp(_),
        )
        | (
            Value::Timespan(_) | Value::Timestamp(_),
            Value::Integer(_) | Value::BigInteger(_) | Value::Float(_),
        ) => {
            matches!(compare(a, b), Ok(Some(Ordering::Equal)))
        }
        (Value::Object(a), Value::Object(b)) => {
            Arc::ptr_eq(a, b) || objects::instances_equal(a, b, &|a, b| a == b)
        }
        _ => a == b,
    }
}

/// Compares a whole number with a float, exactly.
fn compare_numbers(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    // 2^63 is the first number that is beyond every i64.
    if b >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if b < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = b.floor();
    let order = a.cmp(&(whole as i64));
    Some(if order == Ordering::Equal && b > whole { Ordering::Less } else { order })
}

/// The order of a number beyond 64 bits relative to one within them.
fn order_beside_small(number: &BigInt) -> Ordering {
    if number.is_negative() { Ordering::Less } else { Ordering::Greater }
}

/// Compares the seconds of a Timespan or Timestamp with a number: whole seconds with a whole number.
fn compare_time(time: Timespan, number: &Value) -> Option<Ordering> {
    match number {
        Value::Integer(number) => Some(time.seconds.cmp(&i128::from(*number))),
        Value::BigInteger(number) => Some(BigInt::from(time.seconds).cmp(number)),
        Value::Float(number) => time.to_f().partial_cmp(number),
        _ => None,
    }
}

/// The error of a number that meets a version, which Ruby takes for a number.
pub fn version_is_no_number() -> Error {
    Error::internal("can't convert SemanticPuppet::Version into Float")
}

/// Puppet's order, for `<` and its like.
///
/// # Errors
/// The detail of `COMPARISON_NOT_POSSIBLE` when the values cannot be compared, or an internal error: a number
/// and a version. `None` as the result is Ruby's
/// `nil`: comparable by kind, but without an order (`NaN`).
pub fn compare(a: &Value, b: &Value) -> Result<Option<Ordering>, Error> {
    let refuse = |text: &str| Err(Error::argument(text));
    match (a, b) {
        (Value::ByteString(_), _) | (_, Value::ByteString(_)) => compare(&a.in_utf8(), &b.in_utf8()),
        (Value::String(a), Value::String(b)) => {
            let fold = |text: &str| text.to_ascii_lowercase();
            Ok(Some(fold(a).cmp(&fold(b))))
        }
        (Value::String(_), _) => refuse("A String is not comparable to a non String"),
        (Value::Integer(a), Value::Integer(b)) => Ok(Some(a.cmp(b))),
        (Value::Integer(a), Value::Float(b)) => Ok(compare_numbers(*a, *b)),
        (Value::Float(a), Value::Integer(b)) => Ok(compare_numbers(*b, *a).map(Ordering::reverse)),
        (Value::Float(a), Value::Float(b)) => Ok(a.partial_cmp(b)),
        (Value::BigInteger(a), Value::BigInteger(b)) => Ok(Some(a.cmp(b))),
        (Value::BigInteger(a), Value::Integer(_)) => Ok(Some(order_beside_small(a))),
        (Value::Integer(_), Value::BigInteger(b)) => Ok(Some(order_beside_small(b).reverse())),
        (Value::BigInteger(a), Value::Float(b)) => Ok(compare_with_float(a, *b)),
        (Value::Float(a), Value::BigInteger(b)) => Ok(compare_with_float(b, *a).map(Ordering::reverse)),
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::Timespan(b)) => {
            Ok(compare_time(Timespan::of(b.total()), a).map(Ordering::reverse))
        }
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::Timestamp(b)) => {
            Ok(compare_time(Timespan::of(b.total()), a).map(Ordering::reverse))
        }
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::SemVer(_)) => {
            Err(version_is_no_number())
        }
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), _) => {
            refuse("A Numeric is not comparable to non Numeric")
        }
        (Value::Default, Value::Default) => Ok(Some(Ordering::Equal)),
        (Value::Default, _) => refuse("Symbol not comparable to non Symbol"),
        (Value::Timespan(a), Value::Timespan(b)) => Ok(Some(a.cmp(b))),
        (Value::Timespan(a), Value::Integer(_) | Value::BigInteger(_) | Value::Float(_)) => {
            Ok(compare_time(Timespan::of(a.total()), b))
        }
        (Value::Timespan(_), _) => refuse("Timespans are only comparable to Timespans, Integers, and Floats"),
        (Value::Timestamp(a), Value::Timestamp(b)) => Ok(Some(a.cmp(b))),
        (Value::Timestamp(a), Value::Integer(_) | Value::BigInteger(_) | Value::Float(_)) => {
            Ok(compare_time(Timespan::of(a.total()), b))
        }
        (Value::Timestamp(_), _) => {
            refuse("Timestamps are only comparable to Timestamps, Integers, and Floats")
        }
        (Value::SemVer(a), Value::SemVer(b)) => Ok(Some(a.compare(b))),
        (Value::SemVer(_), _) => refuse("Versions not comparable to non Versions"),
        _ => refuse("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

/// Whether `container` includes `value`: `value in container`.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn includes(
    container: &Value,
    value: &Value,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    Ok(match container {
        Value::ByteString(_) => includes(&container.in_utf8(), value, on_match, fuel)?,
        Value::String(text) => match &*value.in_utf8() {
            Value::String(part) => downcase(text).contains(&downcase(part)),
            Value::Regexp(regexp) => match_text(regexp, text, on_match, fuel)?,
            _ => false,
        },
        Value::Binary(bytes) => match value {
            Value::Binary(part) => contains_bytes(bytes, part),
            Value::String(part) => contains_bytes(bytes, part.as_bytes()),
            Value::ByteString(part) => contains_bytes(bytes, part.bytes()),
            Value::Integer(number) => u8::try_from(*number).is_ok_and(|byte| bytes.contains(&byte)),
            Value::Float(number) => bytes.iter().any(|byte| f64::from(*byte) == *number),
            _ => false,
        },
        Value::Array(values) => array_includes(values.iter(), value, on_match, fuel)?,
        Value::Hash(hash) => array_includes(hash.keys(), value, on_match, fuel)?,
        Value::SemVerRange(range) => match value {
            Value::SemVer(value) => range.includes(value),
            Value::String(text) => parse_version(text).is_some_and(|value| range.includes(&value)),
            Value::ByteString(bytes) => {
                parse_version(bytes.text()).is_some_and(|value| range.includes(&value))
            }
            _ => false,
        },
        _ => false,
    })
}

fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// Whether one of the elements fulfils a condition that may fail.
fn any_of<'a>(
    values: impl Iterator<Item = &'a Value>,
    mut is_it: impl FnMut(&Value) -> Result<bool, Error>,
) -> Result<bool, Error> {
    for value in values {
        if is_it(value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn array_includes<'a>(
    mut values: impl Iterator<Item = &'a Value>,
    value: &Value,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    match value {
        Value::Regexp(regexp) => {
            let mut last = None;
            for text in values.filter_map(Value::as_str) {
                if let Some(captures) = capture(regexp, text, fuel)? {
                    on_match(regexp, text, Some(captures));
                    return Ok(true);
                }
                last = Some(text);
            }
            on_match(regexp, last.unwrap_or_default(), None);
            Ok(false)
        }
        Value::String(_) | Value::ByteString(_) | Value::SemVer(_) => {
            any_of(values, |element| match_value(value, element, on_match, fuel, 0))
        }
        Value::Type(of) => any_of(values, |element| of.check_instance_with(element, fuel)),
        _ => Ok(values.any(|element| puppet_equals(element, value))),
    }
}

/// Whether a value matches a pattern, as in `case`: types by instance, regular expressions, versions,
/// collections member by member, anything else by `==`.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn matches(value: &Value, pattern: &Value, fuel: &dyn Fuel) -> Result<bool, Error> {
    match_value(value, pattern, &mut |_, _, _| {}, fuel, 0)
}

/// Like [`matches()`], with a callback for regular expressions.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn matches_with(
    value: &Value,
    pattern: &Value,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    match_value(value, pattern, on_match, fuel, 0)
}

fn match_value(
    value: &Value,
    pattern: &Value,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
    depth: u32,
) -> Result<bool, Error> {
    if depth > MAX_DEPTH {
        return Ok(false);
    }
    Ok(match pattern {
        Value::Regexp(regexp) => match value {
            Value::String(text) => match_text(regexp, text, on_match, fuel)?,
            Value::ByteString(bytes) => match_text(regexp, bytes.text(), on_match, fuel)?,
            _ => false,
        },
        Value::SemVer(version) => match &*value.in_utf8() {
            Value::SemVer(value) => version == value,
            Value::String(text) => {
                fuel.charge(value.price())?;
                parse_version(text).is_some_and(|value| value == **version)
            }
            _ => false,
        },
        Value::SemVerRange(_) => match value {
            Value::SemVer(_) | Value::String(_) | Value::ByteString(_) => {
                includes(pattern, value, on_match, fuel)?
            }
            _ => false,
        },
        Value::Type(of) => of.check_instance_with(value, fuel)?,
        Value::Array(patterns) => match value {
            Value::Array(values) => {
                if values.len() != patterns.len() {
                    return Ok(false);
                }
                for (value, pattern) in values.iter().zip(patterns.iter()) {
                    if !match_value(value, pattern, &mut *on_match, fuel, depth + 1)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => false,
        },
        Value::Hash(patterns) => match value {
            Value::Hash(hash) => match_hash(hash, patterns, on_match, fuel, depth)?,
            _ => false,
        },
        Value::Default => true,
        _ => puppet_equals(value, pattern),
    })
}

fn match_hash(
    hash: &Hash,
    patterns: &Hash,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
    depth: u32,
) -> Result<bool, Error> {
    for (key, pattern) in patterns.iter() {
        let value = hash.get(key).unwrap_or(&Value::Undef);
        if !match_value(value, pattern, &mut *on_match, fuel, depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn capture(regexp: &RegexpValue, text: &str, fuel: &dyn Fuel) -> Result<Option<Captures>, Error> {
    match regexp.regex(fuel) {
        Ok(regex) => regex.captures(text, fuel),
        Err(error) if error.kind.is_limit() => Err(error),
        Err(_) => Ok(None),
    }
}

fn match_text(
    regexp: &Arc<RegexpValue>,
    text: &str,
    on_match: OnMatch<'_>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    let captures = capture(regexp, text, fuel)?;
    let is_match = captures.is_some();
    on_match(regexp, text, captures);
    Ok(is_match)
}

/// Parses a version; `None` if the text is not one.
fn parse_version(text: &str) -> Option<Version> {
    Version::parse(text).ok()
}

//! Ruby's methods of values, as far as functions expose them: comparisons, sorting, joining, numbers in text.
//!
//! Most functions format values as the Puppet language does. Some of the older ones pass them to Ruby:
//! `join`, `fail` and `max` show a hash as `inspect` does, `abs` and `floor` parse numbers as `to_f` and
//! `Float()` do.

use std::cmp::Ordering;

use super::inspect;
pub use super::names::ruby_class as class_name;
pub use super::to_s;
use crate::convert::joined::Joined;
use crate::data::big;
use crate::data::fuel::Fuel;
use crate::data::value::Value;
use crate::scalars::number;
use crate::types::compare::version_is_no_number;
use bunraku_syntax::diagnostic::Error;

/// Ruby's `==`: numbers by their value, everything else as the same key of a hash, in collections too.
pub fn equals(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(integer), Value::Float(float)) | (Value::Float(float), Value::Integer(integer)) => {
            *integer as f64 == *float && float.abs() < 2_f64.powi(63) && *float as i64 == *integer
        }
        (Value::BigInteger(big), Value::Float(float)) | (Value::Float(float), Value::BigInteger(big)) => {
            big::compare_with_float(big, *float) == Some(Ordering::Equal)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| equals(a, b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| equals(value, other)))
        }
        _ => a == b,
    }
}

/// Ruby's `<=>`: none when the two cannot be compared.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Integer(a), Value::Float(b)) => compare_numbers(*a, *b),
        (Value::Float(a), Value::Integer(b)) => compare_numbers(*b, *a).map(Ordering::reverse),
        // The order of the language is that of Ruby where both are numbers.
        (Value::BigInteger(_), Value::Integer(_) | Value::BigInteger(_) | Value::Float(_))
        | (Value::Integer(_) | Value::Float(_), Value::BigInteger(_)) => {
            crate::types::compare::compare(a, b).ok().flatten()
        }
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::ByteString(_), _) | (_, Value::ByteString(_)) => {
            Some(a.as_str()?.as_bytes().cmp(b.as_str()?.as_bytes()))
        }
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(&**b) {
                match compare(a, b)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (Value::Timespan(a), Value::Timespan(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Timespan(a), Value::Integer(b)) => Some(a.seconds.cmp(&i128::from(*b))),
        (Value::Timestamp(a), Value::Integer(b)) => Some(a.seconds.cmp(&i128::from(*b))),
        (Value::Timespan(a), Value::Float(b)) => seconds(a.seconds, a.nanoseconds).partial_cmp(b),
        (Value::Timestamp(a), Value::Float(b)) => seconds(a.seconds, a.nanoseconds).partial_cmp(b),
        (Value::SemVer(a), Value::SemVer(b)) => Some(a.compare(b)),
        // Times are numbers to Ruby; a number that does not know another kind compares both as Floats.
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::Timespan(b)) => {
            number_as_float(a)?.partial_cmp(&seconds(b.seconds, b.nanoseconds))
        }
        (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::Timestamp(b)) => {
            number_as_float(a)?.partial_cmp(&seconds(b.seconds, b.nanoseconds))
        }
        _ => equals(a, b).then_some(Ordering::Equal),
    }
}

fn number_as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::BigInteger(number) => Some(big::to_f64(number)),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn seconds(seconds: i128, nanoseconds: u32) -> f64 {
    seconds as f64 + f64::from(nanoseconds) / 1e9
}

fn compare_numbers(a: i64, b: f64) -> Option<Ordering> {
    let limit = 2_f64.powi(63);
    if b.is_nan() {
        None
    } else if b >= limit {
        Some(Ordering::Less)
    } else if b < -limit {
        Some(Ordering::Greater)
    } else {
        let whole = b.trunc() as i64;
        Some(a.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal)))
    }
}

/// Whole numbers from here on are objects in Ruby.
const SMALL: i64 = 1 << 62;

/// The order of two values.
///
/// # Errors
/// Ruby's, if they cannot be compared.
pub fn ordered(a: &Value, b: &Value) -> Result<Ordering, Error> {
    compare(a, b).ok_or_else(|| comparison_failed(a, b))
}

/// The error of two values that cannot be compared.
fn comparison_failed(a: &Value, b: &Value) -> Error {
    if let (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_), Value::SemVer(_)) = (a, b) {
        return version_is_no_number();
    }
    // Ruby shows what it keeps without an object.
    let other = match b {
        Value::Integer(number) if !(-SMALL..SMALL).contains(number) => class_name(b).into_owned(),
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => inspect(b),
        _ => class_name(b).into_owned(),
    };
    Error::internal(format!("comparison of {} with {other} failed", class_name(a)))
}

/// The error for a value without the method.
pub fn no_method(method: &str, value: &Value) -> Error {
    let class = class_name(value);
    Error::internal(format!("{} of the class {class} cannot be used here (`{method}`)", inspect(value)))
}

/// The ordering from the result of a comparing block (`rb_cmpint`).
pub fn ordering(answer: &Value, a: &Value, b: &Value) -> Result<Ordering, Error> {
    match answer {
        Value::Integer(number) => Ok(number.cmp(&0)),
        Value::BigInteger(number) => Ok(number.sign().cmp(&big::Sign::NoSign)),
        Value::Float(number) => Ok(number.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Value::Undef => Err(comparison_failed(a, b)),
        other => Err(comparison_failed(other, &Value::Integer(0))),
    }
}

/// Sorts values that are all integers or all texts, of which any two can be compared; `false` for others,
/// which stay as they are.
pub fn sort_plain(values: &mut [Value]) -> bool {
    let integer = |value: &Value| if let Value::Integer(integer) = value { Some(*integer) } else { None };
    if values.iter().all(|value| matches!(value, Value::Integer(_))) {
        values.sort_by_key(integer);
    } else if values.iter().all(|value| matches!(value, Value::String(_))) {
        sort_texts(values);
    } else {
        return false;
    }
    true
}

/// The length up to which a [`beginning`] is all of a text.
const TOLD: usize = 7;

/// The first bytes of a text as a number, and its length in the last byte: beginnings are ordered as the
/// texts are, and those of different texts that are equal end with [`TOLD`] + 1.
#[inline]
fn beginning(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut all = [0; TOLD + 1];
    match bytes.first_chunk::<TOLD>() {
        Some(first) => {
            for (to, from) in all.iter_mut().zip(first) {
                *to = *from;
            }
        }
        None => all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from),
    }
    u64::from_be_bytes(all) | bytes.len().min(TOLD + 1) as u64
}

/// Sorts texts. Most are told from each other by their beginnings, which are compared as numbers.
fn sort_texts(values: &mut [Value]) {
    let text = |at: u32| values.get(at as usize).and_then(Value::as_str).unwrap_or("");
    let mut order: Vec<(u64, u32)> = (0..values.len() as u32).map(|at| (beginning(text(at)), at)).collect();
    order.sort_by(|(a, at), (b, other)| match a.cmp(b) {
        Ordering::Equal if *a as u8 as usize > TOLD => text(*at).cmp(text(*other)),
        ordering => ordering,
    });
    let mut taken = |at: u32| values.get_mut(at as usize).map(std::mem::take).unwrap_or_default();
    let sorted: Vec<Value> = order.iter().map(|&(_, at)| taken(at)).collect();
    values.iter_mut().zip(sorted).for_each(|(to, from)| *to = from);
}

/// Sorts with the algorithm of the C library's merge sort, which Ruby uses: a comparing block sees the same
/// calls.
///
/// # Errors
/// Those of the comparison.
pub fn sort<E>(
    values: &mut [Value],
    compare: &mut dyn FnMut(&Value, &Value) -> Result<Ordering, E>,
) -> Result<(), E> {
    if values.len() < 2 {
        return Ok(());
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    sort(left, compare)?;
    sort(right, compare)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while let (Some(first), Some(second)) = (left.get(a), right.get(b)) {
        if compare(first, second)?.is_le() {
            merged.push(first.clone());
            a += 1;
        } else {
            merged.push(second.clone());
            b += 1;
        }
    }
    merged.extend_from_slice(left.get(a..).unwrap_or_default());
    merged.extend_from_slice(right.get(b..).unwrap_or_default());
    values.clone_from_slice(&merged);
    Ok(())
}

/// Room for more bytes than these is made only as they come.
const MAX_GUESS: usize = 1 << 20;

/// As [`join`]; texts without encoding determine the encoding of the result.
///
/// # Errors
/// A limit is exceeded, or the encodings of texts are incompatible.
pub fn join_values(values: &[Value], separator: &str, fuel: &dyn Fuel) -> Result<Value, Error> {
    let flat = flatten(values);
    if !flat.iter().any(|value| matches!(value, Value::ByteString(_))) {
        return join(values, separator, fuel).map(Value::from);
    }
    let mut joined = Joined::default();
    for (index, value) in flat.iter().enumerate() {
        fuel.charge(1)?;
        fuel.check_size(joined.size())?;
        if index > 0 {
            joined.push(&separator.into())?;
        }
        match value {
            Value::ByteString(_) => joined.push(value)?,
            other => joined.push(&Value::from(to_s(other)))?,
        }
    }
    Ok(joined.finish())
}

/// `Array#join`: nested arrays are joined with the same separator, everything else as [`to_s`].
///
/// # Errors
/// A limit is reached.
pub fn join(values: &[Value], separator: &str, fuel: &dyn Fuel) -> Result<String, Error> {
    fn add(values: &[Value], separator: &str, fuel: &dyn Fuel, out: &mut String) -> Result<(), Error> {
        for (index, value) in values.iter().enumerate() {
            fuel.charge(1)?;
            fuel.check_size(out.len())?;
            if index > 0 {
                out.push_str(separator);
            }
            match value {
                Value::Array(values) => add(values, separator, fuel, out)?,
                Value::String(text) => out.push_str(text),
                _ => out.push_str(&to_s(value)),
            }
        }
        Ok(())
    }
    let length = |value: &Value| value.as_str().map_or(0, str::len).saturating_add(separator.len());
    let all = values.iter().fold(0, |sum: usize, value| sum.saturating_add(length(value)));
    let mut out = String::with_capacity(all.min(MAX_GUESS));
    add(values, separator, fuel, &mut out)?;
    Ok(out)
}

/// `Array#flatten`: arrays in arrays are replaced by their elements.
pub fn flatten(values: &[Value]) -> Vec<Value> {
    fn add(values: &[Value], out: &mut Vec<Value>) {
        for value in values {
            match value {
                Value::Array(values) => add(values, out),
                _ => out.push(value.clone()),
            }
        }
    }
    let mut out = Vec::with_capacity(values.len());
    add(values, &mut out);
    out
}

/// Whether Ruby's `\s`, `strip` and number readers take the byte for space.
#[inline]
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// Digits with single underscores between them: how many bytes, and the digits.
fn digits(text: &str, is_digit: impl Fn(u8) -> bool) -> (usize, String) {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_joint = byte == b'_' && at > 0 && bytes.get(at + 1).is_some_and(|&next| is_digit(next));
        match byte {
            _ if is_digit(byte) => out.push(byte as char),
            b'_' if is_joint => {}
            _ => break,
        }
        at += 1;
    }
    (at, out)
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// `String#to_i` in base 10: the number at the start of a text, or 0. `None`: it has more digits than fit.
pub fn to_i(text: &str) -> Option<i128> {
    let (negative, text) = sign(text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8)));
    let (_, digits) = digits(text, |byte| byte.is_ascii_digit());
    let number = if digits.is_empty() { 0 } else { digits.parse::<i128>().ok()? };
    Some(if negative { -number } else { number })
}

/// `String#to_i` of any size.
///
/// # Errors
/// The text has too many digits.
pub fn to_integer(text: &str) -> Result<Value, Error> {
    let (negative, text) = sign(text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8)));
    let (_, digits) = digits(text, |byte| byte.is_ascii_digit());
    let digits = if digits.is_empty() { "0" } else { &digits };
    number::parse_digits(negative, digits, 10).map_err(|_| Error::limit("number too large"))
}

/// `String#to_f`: the number at the start of a text, or 0.0.
pub fn to_f(text: &str) -> f64 {
    let text = text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    decimal(text, true).map_or(0.0, |(number, _)| number)
}

/// `Float()`: the number in a text, with optional space around it. `None` if it is not a number.
pub fn float(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
    let (negative, magnitude) = sign(text);
    if magnitude.starts_with("0x") || magnitude.starts_with("0X") {
        let number = hexadecimal(&magnitude[2..])?;
        return Some(if negative { -number } else { number });
    }
    decimal(text, false).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
}

/// A decimal number at the start of a text and its length.
fn decimal(text: &str, lenient: bool) -> Option<(f64, usize)> {
    let (negative, rest) = sign(text);
    let mut at = text.len() - rest.len();
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let (length, whole) = digits(rest, is_digit);
    at += length;
    let mut number = if negative { format!("-{whole}") } else { whole.clone() };
    if whole.is_empty() {
        number.push('0');
    }
    let mut has_fraction = false;
    if text[at..].starts_with('.') {
        let (length, fraction) = digits(&text[at + 1..], is_digit);
        if length > 0 {
            at += 1 + length;
            number.push('.');
            number.push_str(&fraction);
            has_fraction = true;
        } else if !lenient {
            return None;
        }
    }
    if whole.is_empty() && !has_fraction {
        return None;
    }
    if text[at..].starts_with(['e', 'E']) {
        let (negative, rest) = sign(&text[at + 1..]);
        let skipped = text.len() - rest.len() - at;
        let (length, exponent) = digits(rest, is_digit);
        if length > 0 {
            at += skipped + length;
            number.push_str(if negative { "e-" } else { "e" });
            number.push_str(&exponent);
        }
    }
    number.parse().ok().map(|number| (number, at))
}

/// A hexadecimal number without sign and prefix, with fraction and binary exponent: `1.8p3`.
pub fn hexadecimal(text: &str) -> Option<f64> {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    let value = |digits: &str| {
        digits.chars().filter_map(|c| c.to_digit(16)).fold(0.0, |sum, digit| sum * 16.0 + f64::from(digit))
    };
    let (length, whole) = digits(text, is_digit);
    if length == 0 {
        return None;
    }
    let mut number = value(&whole);
    let mut rest = &text[length..];
    if let Some(after) = rest.strip_prefix('.') {
        let (length, fraction) = digits(after, is_digit);
        if length == 0 {
            return None;
        }
        number += value(&fraction) / 16_f64.powi(fraction.len() as i32);
        rest = &after[length..];
    }
    if let Some(after) = rest.strip_prefix(['p', 'P']) {
        let (negative, after) = sign(after);
        let (length, exponent) = digits(after, |byte| byte.is_ascii_digit());
        if length == 0 || length != after.len() {
            return None;
        }
        let exponent = exponent.parse::<i32>().unwrap_or(i32::MAX / 2).min(1 << 20);
        number *= 2_f64.powi(if negative { -exponent } else { exponent });
        rest = "";
    }
    rest.is_empty().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_by_their_bytes() {
        let mut texts =
            vec!["", "\0", "a", "a\0", "a\0b", "b", "ab", "aa", "aaaaaaa", "aaaaaaaa", "aaaaaaaab"];
        texts.extend([
            "aaaaaaab",
            "aaaaaaaaa",
            "aaaaaaa\0",
            "\u{e4}",
            "\u{e4}bcdefgh",
            "\u{10348}",
            "a",
            "b",
        ]);
        let mut values: Vec<Value> = texts.iter().rev().map(|&text| Value::from(text)).collect();
        assert!(sort_plain(&mut values));
        texts.sort_unstable();
        assert_eq!(values, texts.into_iter().map(Value::from).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_are_read_as_ruby_reads_them() {
        let strict = [
            ("1_000", Some(1000.0)),
            ("1__0", None),
            ("5.", None),
            (".5", Some(0.5)),
            ("0x1.8p3", Some(12.0)),
            ("0x", None),
            ("1e", None),
            (" 12\n", Some(12.0)),
            ("-0x1A", Some(-26.0)),
            ("1_.5", None),
            ("1e1_0", Some(1e10)),
            ("", None),
        ];
        for (text, number) in strict {
            assert_eq!(float(text), number, "{text}");
        }
        for (text, number) in
            [("12abc", 12.0), ("1_0.5", 10.5), ("0x1A", 0.0), ("1.", 1.0), ("1__2", 1.0), ("-", 0.0)]
        {
            assert_eq!(to_f(text), number, "{text}");
        }
        assert_eq!(to_i(" 12x"), Some(12));
        assert_eq!(to_i("__1"), Some(0));
    }
}

//! `Numeric.new`, `Integer.new`, `Float.new`, `Boolean.new`.

use num_traits::Signed;

use super::text_argument;
use crate::data::big;
use crate::data::value::{Hash, Value};
use crate::ruby::inspect_string;
use crate::ruby::quote::inspect_bytes;
use crate::scalars::number::{IntegerError, float_to_s, parse_float, parse_whole};
use crate::types::Type;
use bunraku_syntax::diagnostic::Error;

/// The arguments of a hash by name, where a signature takes one.
pub(super) fn named(hash: &Hash, name: &str) -> Value {
    hash.get(&Value::from(name)).cloned().unwrap_or_default()
}

fn too_large() -> Error {
    Error::limit("number too large")
}

/// A text as `Integer(text)` of Ruby.
fn integer_of(text: &str, radix: u32) -> Result<Value, Error> {
    match parse_whole(text, radix) {
        Ok(number) => Ok(number),
        Err(IntegerError::TooLarge) => Err(too_large()),
        Err(IntegerError::Invalid) => {
            Err(Error::plain(format!("invalid value for Integer(): {}", inspect_string(text))))
        }
    }
}

/// The text without the blanks between its sign and its digits, where there are some.
fn without_blanks(text: &str) -> Option<String> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let rest = text.get(1..)?;
    let digits = rest.trim_start_matches([' ', '\t']);
    (digits.len() < rest.len()).then(|| format!("{sign}{digits}"))
}

fn truncated(number: f64) -> Result<Value, Error> {
    Value::truncated(number).ok_or_else(|| Error::argument(float_to_s(number)))
}

fn absolute(value: Value, is_absolute: &Value) -> Result<Value, Error> {
    if !matches!(is_absolute, Value::Boolean(true)) {
        return Ok(value);
    }
    match value {
        Value::Integer(number) => Ok(Value::whole(i128::from(number).abs())),
        Value::BigInteger(number) => Ok(Value::from(number.abs())),
        Value::Float(number) => Ok(Value::Float(number.abs())),
        _ => Err(Error::argument("undefined method `abs' for nil:NilClass")),
    }
}

/// `Integer.new(from, radix, abs)`
pub(super) fn integer(from: &Value, radix: &Value, is_absolute: &Value) -> Result<Value, Error> {
    let number = match from {
        Value::Integer(_) | Value::BigInteger(_) => from.clone(),
        Value::Float(number) => truncated(*number)?,
        Value::Boolean(truth) => i64::from(*truth).into(),
        Value::Timespan(span) => Value::whole(span.to_i()),
        Value::Timestamp(moment) => Value::whole(moment.to_i()),
        other => {
            let text = text_argument(other);
            let radix = match radix {
                Value::Integer(radix) => u32::try_from(*radix).unwrap_or(10),
                _ => 0,
            };
            match (integer_of(text, radix), without_blanks(text)) {
                (Err(_), Some(squeezed)) => integer_of(&squeezed, radix)
                    .map_err(|_| integer_of(text, radix).err().unwrap_or_else(too_large))?,
                (result, _) => result?,
            }
        }
    };
    absolute(number, is_absolute)
}

/// `Float.new(from, abs)`
pub(super) fn float(from: &Value, is_absolute: &Value) -> Result<Value, Error> {
    let number = match from {
        Value::Float(number) => *number,
        Value::Integer(number) => *number as f64,
        Value::BigInteger(number) => big::to_f64(number),
        Value::Boolean(truth) => f64::from(u8::from(*truth)),
        Value::Timespan(span) => span.to_f(),
        Value::Timestamp(moment) => moment.to_f(),
        other => {
            let text = text_argument(other);
            match (float_of(text), without_blanks(text)) {
                (None, Some(squeezed)) => float_of(&squeezed),
                (found, _) => found,
            }
            .ok_or_else(|| {
                Error::plain(format!("invalid value for Float(): {}", inspect_bytes(text.as_bytes())))
            })?
        }
    };
    absolute(number.into(), is_absolute)
}

fn float_of(text: &str) -> Option<f64> {
    if text.starts_with("0b") || text.starts_with("0B") {
        return match integer_of(text, 0).ok()? {
            Value::Integer(number) => Some(number as f64),
            Value::BigInteger(number) => Some(big::to_f64(&number)),
            _ => None,
        };
    }
    parse_float(text)
}

/// `Numeric.new(from, abs)`
pub(super) fn numeric(from: &Value, is_absolute: &Value) -> Result<Value, Error> {
    let number = match from {
        Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => from.clone(),
        Value::Boolean(truth) => i64::from(*truth).into(),
        Value::Timespan(span) => span.to_f().into(),
        Value::Timestamp(moment) => moment.to_f().into(),
        other => {
            let text = text_argument(other);
            let second = text.get(1..2).unwrap_or_default();
            if text.starts_with('0') && matches!(second, "b" | "B" | "x" | "X") {
                integer_of(text, 0)?
            } else {
                to_number(text)?
            }
        }
    };
    absolute(number, is_absolute)
}

/// A text as the language parses numbers, with blanks around its sign; `undef` if it is not a number. Follows
/// `Utils.to_n` of the reference.
fn to_number(text: &str) -> Result<Value, Error> {
    let blank = [' ', '\t'];
    let text = text.trim_matches(blank);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start_matches(blank)),
        None => (false, text.strip_prefix('+').unwrap_or(text).trim_start_matches(blank)),
    };
    let starts_well = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_binary = digits.starts_with("0b") || digits.starts_with("0B");
    if !starts_well || is_binary || digits.contains(char::is_whitespace) {
        return Ok(Value::Undef);
    }
    let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if !is_hexadecimal && digits.contains(['.', 'e', 'E']) {
        // A zero with an exponent is not a number, nor is a number that does not fit in a Float.
        let (whole, rest) = digits.split_at(digits.find(['.', 'e', 'E']).unwrap_or(digits.len()));
        let fraction = rest.strip_prefix('.').unwrap_or(rest).trim_start_matches('0');
        let is_zero = whole.trim_start_matches('0').is_empty() && fraction.starts_with(['e', 'E']);
        let number = parse_float(digits).filter(|number| number.is_finite() && !is_zero);
        return Ok(number.map_or(Value::Undef, |number| (if is_negative { -number } else { number }).into()));
    }
    match parse_whole(digits, 0) {
        Ok(Value::Integer(number)) if is_negative => Ok(Value::whole(-i128::from(number))),
        Ok(Value::BigInteger(number)) if is_negative => Ok(Value::from(-&*number)),
        Ok(number) => Ok(number),
        Err(IntegerError::TooLarge) => Err(too_large()),
        Err(IntegerError::Invalid) => Ok(Value::Undef),
    }
}

/// `Boolean.new(from)`
pub(super) fn boolean(from: &Value) -> Value {
    Value::Boolean(match from {
        Value::Integer(number) => *number != 0,
        Value::BigInteger(_) => true,
        Value::Float(number) => *number != 0.0,
        Value::Boolean(truth) => *truth,
        other => !matches!(text_argument(other).to_lowercase().as_str(), "false" | "no" | "n"),
    })
}

/// The message about a value that cannot be converted to a `target`.
pub(super) fn cannot_convert(from: &Value, target: &str) -> String {
    match from {
        Value::String(text) => format!("The string '{text}' cannot be converted to {target}"),
        _ => not_convertible(from, target),
    }
}

/// The same for values of any kind by their type.
pub(super) fn not_convertible(from: &Value, target: &str) -> String {
    format!("Value of type {} cannot be converted to {target}", Type::infer(from).generalize())
}

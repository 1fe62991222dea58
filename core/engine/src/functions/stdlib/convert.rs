//! Between booleans, numbers and strings: `any2bool`, `bool2num`, `bool2str`, `num2bool`, `str2bool`,
//! `convert_base`, `to_bytes`.

use super::super::legacy::no_string;
use super::{ruby, rvalue, wrong_number};
use crate::eval::{BuiltIn, Call, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::convert::string::inspect_bytes;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("any2bool", any2bool),
    rvalue!("bool2num", bool2num),
    rvalue!("bool2str", bool2str),
    rvalue!("convert_base", 2, convert_base),
    rvalue!("num2bool", num2bool),
    rvalue!("str2bool", str2bool),
    rvalue!("to_bytes", to_bytes),
];

/// The result of `str2bool`.
///
/// # Errors
/// The value is neither a boolean nor a text that represents one.
pub(super) fn to_boolean(value: &Value) -> Result<bool, Error> {
    let text = match value {
        Value::Boolean(truth) => return Ok(*truth),
        Value::String(text) => text,
        _ => return Err(Error::argument("str2bool(): Requires string to work with")),
    };
    if text.is_empty() {
        return Ok(false);
    }
    // The patterns of the reference match lines.
    let lines = || text.split('\n');
    let has = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)));
    if lines().any(str::is_empty) {
        Ok(false)
    } else if has(&["1", "t", "y", "true", "yes"]) {
        Ok(true)
    } else if has(&["0", "f", "n", "false", "no"])
        || lines().any(|line| matches!(line, "undef" | "undefined"))
    {
        Ok(false)
    } else {
        Err(Error::argument("str2bool(): Unknown type of boolean given"))
    }
}

fn str2bool(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
    Ok(to_boolean(value)?.into())
}

fn bool2num(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
    Ok(i64::from(to_boolean(value)?).into())
}

fn bool2str(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let (value, words) = match arguments {
        [value] => (value, None),
        [value, yes, no] => (value, Some((yes, no))),
        _ => return Err(wrong_number(call, arguments.len(), "3")),
    };
    let Value::Boolean(truth) = value else {
        return Err(call.fail("bool2str(): Requires a boolean to work with"));
    };
    let word = |value: &Value, default: &str| match value {
        Value::Boolean(false) | Value::Undef => Some(Value::from(default)),
        Value::String(_) => Some(value.clone()),
        _ => None,
    };
    let (yes, no) = match words {
        None => (Some("true".into()), Some("false".into())),
        Some((yes, no)) => (word(yes, "true"), word(no, "false")),
    };
    match (yes, no) {
        (Some(yes), Some(no)) => Ok(if *truth { yes } else { no }),
        _ => Err(call.fail("bool2str(): Requires strings to convert to")),
    }
}

fn any2bool(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let truth = match arguments.first() {
        None => return Err(wrong_number(call, 0, "1")),
        Some(Value::Boolean(truth)) => *truth,
        Some(Value::Undef) => false,
        Some(Value::Integer(number)) => *number > 0,
        Some(Value::Float(number)) => *number >= 1.0,
        Some(Value::String(text)) => match ruby::float(text) {
            Some(number) => number >= 1.0,
            None => to_boolean(&arguments[0])?,
        },
        Some(_) => true,
    };
    Ok(truth.into())
}

fn num2bool(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [value] = arguments else { return Err(wrong_number(call, arguments.len(), "1")) };
    Ok(match value {
        Value::Integer(number) => *number > 0,
        Value::Float(number) => *number >= 1.0,
        Value::String(text) => match ruby::float(text) {
            Some(number) => number >= 1.0,
            None => {
                let shown = inspect_bytes(text.as_bytes());
                return Err(call.fail(format!(
                    "num2bool(): '{text}' does not look like a number: invalid value for Float(): {shown}"
                )));
            }
        },
        other => ruby::to_i(&ruby::to_s(other)).is_none_or(|number| number > 0),
    }
    .into())
}

fn convert_base(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let mut numbers = [0_i64; 2];
    for (ordinal, value) in ["First", "Second"].iter().zip(arguments) {
        if !matches!(value, Value::Integer(_) | Value::String(_)) {
            return Err(call
                .fail(format!("convert_base(): {ordinal} argument must be either a string or an integer")));
        }
    }
    for (number, value) in numbers.iter_mut().zip(arguments) {
        *number = match value {
            Value::Integer(number) => *number,
            Value::String(text)
                if text
                    .lines()
                    .any(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())) =>
            {
                ruby::to_i(text).and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX)
            }
            _ => {
                return Err(call.fail(
                    "convert_base(): First argument must be an integer or a string corresponding to an integer in base 10",
                ));
            }
        };
    }
    let [number, base] = numbers;
    if !(2..=36).contains(&base) {
        return Err(call.fail("convert_base(): base must be at least 2 and must not be greater than 36"));
    }
    let mut digits = Vec::new();
    let mut rest = number.unsigned_abs();
    loop {
        let digit = (rest % base.unsigned_abs()) as u32;
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        rest /= base.unsigned_abs();
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        digits.push('-');
    }
    Ok(digits.iter().rev().collect::<String>().into())
}

fn to_bytes(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [value] = arguments else { return Err(wrong_number(call, arguments.len(), "1")) };
    let text = match value {
        Value::Integer(_) | Value::Float(_) => return Ok(value.clone()),
        Value::String(text) => text.as_str(),
        other => return Err(no_string(other).into()),
    };
    // The first place where the pattern matches is the start: every part of it may be empty.
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '+' | '-');
    let rest = text.trim_start_matches(is_part);
    let number = ruby::to_f(&text[..text.len() - rest.len()]);
    let unit = rest.trim_start_matches(|c: char| c.is_ascii() && ruby::is_space(c as u8)).chars().next();
    let shift = match unit {
        None | Some('b' | 'B') => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return Err(call.fail(format!("to_bytes(): Unknown prefix {other}"))),
    };
    Ok(((number * (1_u64 << shift) as f64) as i64).into())
}

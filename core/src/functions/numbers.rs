//! Numbers: `abs`, `ceiling`, `floor`, `round`.

use super::{ruby, warn_once};
use crate::diagnostic::Error;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::pcore::Value;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new("abs", &[Dispatch::new("Numeric $val", abs), Dispatch::new("String $val", abs_of_string)]),
    BuiltIn::new(
        "ceiling",
        &[Dispatch::new("Numeric $val", ceiling), Dispatch::new("String $val", ceiling_of_string)],
    ),
    BuiltIn::new(
        "floor",
        &[Dispatch::new("Numeric $val", floor), Dispatch::new("String $val", floor_of_string)],
    ),
    BuiltIn::new("round", &[Dispatch::new("Numeric $val", round)]),
];

fn abs(call: &Call<'_, '_>) -> Evaluated {
    Ok(match call.argument(0) {
        Value::Integer(number) => number.checked_abs().ok_or_else(|| out_of_range(2_f64.powi(63)))?.into(),
        Value::Float(number) => number.abs().into(),
        other => other.clone(),
    })
}

fn abs_of_string(call: &Call<'_, '_>) -> Evaluated {
    warn_once(
        call,
        "abs_function_numeric_coerce_string",
        "The abs() function's auto conversion of String to Numeric is deprecated - change to convert input before calling",
    );
    let text = call.text(0);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let magnitudes = || text.split('\n').map(|line| line.strip_prefix('-').unwrap_or(line));
    if magnitudes().any(|line| line.split_once('.').is_some_and(|(a, b)| is_digits(a) && is_digits(b))) {
        return Ok(ruby::to_f(text).abs().into());
    }
    if magnitudes().any(is_digits) {
        let number = ruby::to_i(text).and_then(|number| i64::try_from(number.abs()).ok());
        return Ok(number.ok_or_else(|| out_of_range(f64::INFINITY))?.into());
    }
    Err(Error::argument("abs(): Requires float or integer to work with - was given non decimal string")
        .into())
}

fn ceiling(call: &Call<'_, '_>) -> Evaluated {
    to_whole(call.argument(0), f64::ceil)
}

fn floor(call: &Call<'_, '_>) -> Evaluated {
    to_whole(call.argument(0), f64::floor)
}

fn ceiling_of_string(call: &Call<'_, '_>) -> Evaluated {
    string_to_whole(call, f64::ceil)
}

fn floor_of_string(call: &Call<'_, '_>) -> Evaluated {
    string_to_whole(call, f64::floor)
}

fn string_to_whole(call: &Call<'_, '_>, direction: fn(f64) -> f64) -> Evaluated {
    let name = call.name;
    warn_once(
        call,
        &format!("{name}_function_numeric_coerce_string"),
        &format!(
            "The {name}() function's auto conversion of String to Float is deprecated - change to convert input before calling"
        ),
    );
    match ruby::float(call.text(0)) {
        Some(number) => to_whole(&number.into(), direction),
        None => {
            let message = format!("{name}(): cannot convert given value to a floating point value.");
            Err(Error::argument(message).into())
        }
    }
}

fn round(call: &Call<'_, '_>) -> Evaluated {
    let number = match call.argument(0) {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        other => return Ok(other.clone()),
    };
    to_whole(&(number + if number > 0.0 { 0.5 } else { -0.5 }).into(), f64::trunc)
}

fn to_whole(number: &Value, direction: fn(f64) -> f64) -> Evaluated {
    let Value::Float(number) = number else { return Ok(number.clone()) };
    let whole = direction(*number);
    if (-(2_f64.powi(63))..2_f64.powi(63)).contains(&whole) {
        return Ok((whole as i64).into());
    }
    Err(out_of_range(whole).into())
}

/// Ruby goes on with a number of any size; the language has no such numbers.
fn out_of_range(number: f64) -> Error {
    if number.is_nan() {
        return Error::argument("NaN");
    }
    let (end, sign) = if number > 0.0 { ("max", "") } else { ("min", "-") };
    if number.is_infinite() {
        return Error::argument(format!("{sign}Infinity"));
    }
    let digits = format!("{number:.0}");
    Error::argument(format!("Use of an Integer outside of Puppet Integer {end} range, got '{digits}'"))
}

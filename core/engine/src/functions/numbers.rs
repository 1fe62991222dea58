//! Numbers: `abs`, `ceiling`, `floor`, `round`.

use num_traits::Signed;

use super::{ruby, warn_once};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::number::float_to_s;
use bunraku_pcore::{Value, big};
use bunraku_syntax::diagnostic::Error;

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
        Value::Integer(number) => Value::whole(i128::from(*number).abs()),
        Value::BigInteger(number) => number.abs().into(),
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
        let number = ruby::to_integer(text)?;
        return Ok(number.as_big_integer().map_or(Value::Undef, |number| number.abs().into()));
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
        Value::BigInteger(number) => big::to_f64(number),
        Value::Float(number) => *number,
        other => return Ok(other.clone()),
    };
    to_whole(&(number + if number > 0.0 { 0.5 } else { -0.5 }).into(), f64::trunc)
}

fn to_whole(number: &Value, direction: fn(f64) -> f64) -> Evaluated {
    let Value::Float(number) = number else { return Ok(number.clone()) };
    Value::truncated(direction(*number)).ok_or_else(|| Error::argument(float_to_s(*number)).into())
}

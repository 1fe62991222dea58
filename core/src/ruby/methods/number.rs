//! `Integer`, `Float`, `Math`.

use super::{Args, Method, R, Run, Val, class, enumerator, method};
use crate::ruby::interpreter::Interpreter;
use crate::ruby::numbers::whole;

/// The complaint about an operand that is no number.
fn no_number<'a>(i: &mut Interpreter<'a>, this: Val<'a>, other: Val<'a>) -> crate::ruby::failure::Unwind<'a> {
    let class = i.class_of(this).name;
    let shown = match other {
        Val::Nil | Val::Boolean(_) => i.inspect(other).unwrap_or_default(),
        _ => i.class_of(other).name.to_owned(),
    };
    i.raise(&class::TYPE_ERROR, format!("{shown} can't be coerced into {class}"))
}

fn as_float(value: Val<'_>) -> Option<f64> {
    match value {
        Val::Integer(number) => Some(number as f64),
        Val::Float(number) => Some(number),
        _ => None,
    }
}

/// An operation on whole numbers or on floats.
fn arithmetic<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    integers: fn(&mut Interpreter<'a>, i64, i64) -> R<'a>,
    floats: fn(f64, f64) -> f64,
) -> R<'a> {
    match (this, args.at(0)) {
        (Val::Integer(a), Val::Integer(b)) => integers(i, a, b),
        (a, b) => match (as_float(a), as_float(b)) {
            (Some(a), Some(b)) => Ok(Val::Float(floats(a, b))),
            _ => Err(no_number(i, a, b)),
        },
    }
}

fn zero_division<'a>(i: &mut Interpreter<'a>) -> crate::ruby::failure::Unwind<'a> {
    i.raise(&class::ZERO_DIVISION_ERROR, "divided by 0")
}

/// Division that rounds down.
fn floor_div<'a>(i: &mut Interpreter<'a>, a: i64, b: i64) -> R<'a> {
    if b == 0 {
        return Err(zero_division(i));
    }
    let (a, b) = (i128::from(a), i128::from(b));
    let quotient = a / b;
    let quotient = if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient };
    whole(i, Some(quotient))
}

fn floor_mod<'a>(i: &mut Interpreter<'a>, a: i64, b: i64) -> R<'a> {
    if b == 0 {
        return Err(zero_division(i));
    }
    let (a, b) = (i128::from(a), i128::from(b));
    whole(i, Some(((a % b) + b) % b))
}

fn float_mod(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

fn power<'a>(i: &mut Interpreter<'a>, a: i64, b: i64) -> R<'a> {
    match u32::try_from(b) {
        Ok(b) => whole(i, i128::from(a).checked_pow(b)),
        Err(_) if b < 0 => Err(i.unsupported("rational numbers")),
        Err(_) => whole(i, None),
    }
}

fn compared<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    holds: fn(std::cmp::Ordering) -> bool,
) -> R<'a> {
    match (as_float(this), as_float(args.at(0))) {
        (Some(_), Some(_)) => Ok(Val::Boolean(i.compare(this, args.at(0))?.is_some_and(holds))),
        _ => Err(i.incomparable(this, args.at(0))),
    }
}

/// A float as a whole number.
pub(super) fn truncated<'a>(i: &mut Interpreter<'a>, number: f64) -> R<'a> {
    if !number.is_finite() {
        let shown = crate::pcore::format::float_to_s(number);
        return Err(i.raise(&class::FLOAT_DOMAIN_ERROR, shown));
    }
    whole(i, Some(number.trunc() as i128))
}

/// `round`, `floor` and `ceil` with their digits.
fn rounded<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    floats: fn(f64) -> f64,
    digits_of: fn(f64, f64) -> f64,
    integers: fn(i128, i128) -> i128,
) -> R<'a> {
    let digits = match args.get(0) {
        Some(Val::Hash(_)) | None => None,
        Some(digits) => Some(i.int(digits)?),
    };
    match (this, digits) {
        (Val::Integer(number), Some(digits)) if digits < 0 => {
            let Some(unit) = u32::try_from(-digits).ok().and_then(|digits| 10_i128.checked_pow(digits))
            else {
                return Ok(Val::Integer(0));
            };
            whole(i, Some(integers(i128::from(number), unit)))
        }
        (Val::Integer(_), _) => Ok(this),
        (Val::Float(number), Some(digits)) if digits > 0 => {
            if digits > 15 || !number.is_finite() {
                return Ok(this);
            }
            let unit = 10_f64.powi(digits as i32);
            let scaled = digits_of(number, unit);
            Ok(Val::Float(if scaled.is_finite() { scaled } else { number }))
        }
        (Val::Float(number), Some(digits)) if digits < 0 => {
            let number = truncated(i, number)?;
            rounded(i, number, args, floats, digits_of, integers)
        }
        (Val::Float(number), _) => truncated(i, floats(number)),
        _ => Ok(Val::Nil),
    }
}

/// Rounds to a number of digits; what multiplication has lost is made good, as Ruby does.
fn round_half_up(number: f64, unit: f64) -> f64 {
    let rounded = (number * unit).round();
    let corrected = if number > 0.0 && (rounded + 0.5) / unit <= number {
        rounded + 1.0
    } else if number < 0.0 && (rounded - 0.5) / unit >= number {
        rounded - 1.0
    } else {
        rounded
    };
    corrected / unit
}

fn floor_to(number: i128, unit: i128) -> i128 {
    number.div_euclid(unit) * unit
}

fn ceil_to(number: i128, unit: i128) -> i128 {
    -floor_to(-number, unit)
}

fn round_to(number: i128, unit: i128) -> i128 {
    if number < 0 { -round_to(-number, unit) } else { floor_to(number + unit / 2, unit) }
}

fn trunc_to(number: i128, unit: i128) -> i128 {
    number / unit * unit
}

pub(in crate::ruby) static NUMERIC: &[Method] = &[
    method("+", 1, 1, |i, this, args| {
        arithmetic(i, this, args, |i, a, b| whole(i, Some(i128::from(a) + i128::from(b))), |a, b| a + b)
    }),
    method("-", 1, 1, |i, this, args| {
        arithmetic(i, this, args, |i, a, b| whole(i, Some(i128::from(a) - i128::from(b))), |a, b| a - b)
    }),
    method("*", 1, 1, |i, this, args| {
        arithmetic(i, this, args, |i, a, b| whole(i, Some(i128::from(a) * i128::from(b))), |a, b| a * b)
    }),
    method("/", 1, 1, |i, this, args| arithmetic(i, this, args, floor_div, |a, b| a / b)),
    method("% modulo", 1, 1, |i, this, args| arithmetic(i, this, args, floor_mod, float_mod)),
    method("** pow", 1, 1, |i, this, args| arithmetic(i, this, args, power, f64::powf)),
    method("remainder", 1, 1, |i, this, args| {
        arithmetic(
            i,
            this,
            args,
            |i, a, b| {
                if b == 0 { Err(zero_division(i)) } else { whole(i, Some(i128::from(a) % i128::from(b))) }
            },
            |a, b| a % b,
        )
    }),
    method("div", 1, 1, |i, this, args| match (this, args.at(0)) {
        (Val::Integer(a), Val::Integer(b)) => floor_div(i, a, b),
        (a, b) => match (as_float(a), as_float(b)) {
            (Some(_), Some(0.0)) => Err(zero_division(i)),
            (Some(a), Some(b)) => truncated(i, (a / b).floor()),
            _ => Err(no_number(i, a, b)),
        },
    }),
    method("fdiv quo", 1, 1, |i, this, args| match (as_float(this), as_float(args.at(0))) {
        (Some(a), Some(b)) => Ok(Val::Float(a / b)),
        _ => Err(no_number(i, this, args.at(0))),
    }),
    method("divmod", 1, 1, |i, this, args| {
        let (quotient, rest) = (i.send(this, "div", args.values)?, i.send(this, "%", args.values)?);
        Ok(i.array(vec![quotient, rest]))
    }),
    method("-@", 0, 0, |i, this, _| match this {
        Val::Integer(number) => whole(i, Some(-i128::from(number))),
        Val::Float(number) => Ok(Val::Float(-number)),
        _ => Ok(this),
    }),
    method("+@ to_c to_r real", 0, 0, |_, this, _| Ok(this)),
    method("<", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_lt)),
    method(">", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_gt)),
    method("<=", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_le)),
    method(">=", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_ge)),
    method("== ===", 1, 1, |i, this, args| Ok(Val::Boolean(i.equal(this, args.at(0))))),
    method("abs magnitude", 0, 0, |i, this, _| match this {
        Val::Integer(number) => whole(i, Some(i128::from(number).abs())),
        Val::Float(number) => Ok(Val::Float(number.abs())),
        _ => Ok(this),
    }),
    method("zero?", 0, 0, |_, this, _| Ok(Val::Boolean(as_float(this) == Some(0.0)))),
    method("nonzero?", 0, 0, |_, this, _| Ok(if as_float(this) == Some(0.0) { Val::Nil } else { this })),
    method("positive?", 0, 0, |_, this, _| {
        Ok(Val::Boolean(as_float(this).is_some_and(|number| number > 0.0)))
    }),
    method("negative?", 0, 0, |_, this, _| {
        Ok(Val::Boolean(as_float(this).is_some_and(|number| number < 0.0)))
    }),
    method("integer?", 0, 0, |_, this, _| Ok(Val::Boolean(matches!(this, Val::Integer(_))))),
    method("finite?", 0, 0, |_, this, _| Ok(Val::Boolean(as_float(this).is_some_and(f64::is_finite)))),
    method("infinite?", 0, 0, |_, this, _| {
        Ok(match as_float(this) {
            Some(number) if number.is_infinite() => Val::Integer(if number > 0.0 { 1 } else { -1 }),
            _ => Val::Nil,
        })
    }),
    method("nan?", 0, 0, |_, this, _| Ok(Val::Boolean(as_float(this).is_some_and(f64::is_nan)))),
    method("to_i to_int truncate", 0, 1, |i, this, args| {
        rounded(i, this, args, f64::trunc, |x, unit| (x * unit).trunc() / unit, trunc_to)
    }),
    method("to_f", 0, 0, |_, this, _| Ok(Val::Float(as_float(this).unwrap_or(0.0)))),
    method("round", 0, 2, |i, this, args| rounded(i, this, args, f64::round, round_half_up, round_to)),
    method("floor", 0, 1, |i, this, args| {
        rounded(i, this, args, f64::floor, |x, unit| (x * unit).floor() / unit, floor_to)
    }),
    method("ceil", 0, 1, |i, this, args| {
        rounded(i, this, args, f64::ceil, |x, unit| (x * unit).ceil() / unit, ceil_to)
    }),
    method("step", 0, 2, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "step", args) };
        let (limit, step) = match args.option("by") {
            Some(by) => (args.option("to").unwrap_or(Val::Nil), by),
            None => (args.at(0), args.get(1).unwrap_or(Val::Integer(1))),
        };
        if as_float(step) == Some(0.0) {
            return Err(i.raise(&class::ARGUMENT_ERROR, "step can't be 0"));
        }
        let down = as_float(step).is_some_and(|step| step < 0.0);
        let mut value = this;
        loop {
            if !limit.is_nil() {
                let order = i.ordered(value, limit)?;
                if (down && order.is_lt()) || (!down && order.is_gt()) {
                    return Ok(this);
                }
            }
            i.call_block(block, &[value])?;
            value = i.send(value, "+", &[step])?;
        }
    }),
    method("coerce", 1, 1, |i, this, args| match (this, args.at(0)) {
        (Val::Integer(_), Val::Integer(_)) => Ok(i.array(vec![args.at(0), this])),
        (a, b) => match (as_float(a), as_float(b)) {
            (Some(a), Some(b)) => Ok(i.array(vec![Val::Float(b), Val::Float(a)])),
            _ => Err(no_number(i, a, b)),
        },
    }),
];

fn bits<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, join: fn(i64, i64) -> i64) -> R<'a> {
    match (this, args.at(0)) {
        (Val::Integer(a), Val::Integer(b)) => Ok(Val::Integer(join(a, b))),
        (a, b) => Err(no_number(i, a, b)),
    }
}

fn shifted<'a>(i: &mut Interpreter<'a>, number: i64, by: i64) -> R<'a> {
    match by {
        0..=62 => whole(i, i128::from(number).checked_mul(1 << by)),
        63.. if number == 0 => Ok(Val::Integer(0)),
        63.. => whole(i, None),
        by => Ok(Val::Integer(number >> by.unsigned_abs().min(63))),
    }
}

fn number(value: Val<'_>) -> i64 {
    match value {
        Val::Integer(number) => number,
        _ => 0,
    }
}

/// A whole number in another base.
fn in_radix(number: i64, radix: i64) -> String {
    let (mut rest, radix) = (number.unsigned_abs(), radix.unsigned_abs().clamp(2, 36));
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % radix) as u32, radix as u32).unwrap_or('0'));
        rest /= radix;
        if rest == 0 {
            break;
        }
    }
    let sign = if number < 0 { "-" } else { "" };
    sign.chars().chain(digits.into_iter().rev()).collect()
}

fn count<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    name: &'static str,
    up: bool,
) -> R<'a> {
    let Some(block) = args.block else { return enumerator(i, this, name, args) };
    let limit = match args.at(0) {
        Val::Float(limit) => {
            if up {
                limit.floor() as i64
            } else {
                limit.ceil() as i64
            }
        }
        Val::Integer(limit) => limit,
        other => return Err(i.incomparable(this, other)),
    };
    let mut at = number(this);
    while if up { at <= limit } else { at >= limit } {
        i.step()?;
        i.call_block(block, &[Val::Integer(at)])?;
        match if up { at.checked_add(1) } else { at.checked_sub(1) } {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(this)
}

fn greatest_divisor(a: i64, b: i64) -> u64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(in crate::ruby) static INTEGER: &[Method] = &[
    method("to_s inspect", 0, 1, |i, this, args| match args.get(0) {
        Some(radix) => {
            let radix = i.int(radix)?;
            if !(2..=36).contains(&radix) {
                return Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid radix {radix}")));
            }
            Ok(i.string(in_radix(number(this), radix)))
        }
        None => Ok(i.string(number(this).to_string())),
    }),
    method("times", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "times", args) };
        for at in 0..number(this).max(0) {
            i.step()?;
            i.call_block(block, &[Val::Integer(at)])?;
        }
        Ok(this)
    }),
    method("upto", 1, 1, |i, this, args| count(i, this, args, "upto", true)),
    method("downto", 1, 1, |i, this, args| count(i, this, args, "downto", false)),
    method("even?", 0, 0, |_, this, _| Ok(Val::Boolean(number(this) % 2 == 0))),
    method("odd?", 0, 0, |_, this, _| Ok(Val::Boolean(number(this) % 2 != 0))),
    method("succ next", 0, 0, |i, this, _| whole(i, Some(i128::from(number(this)) + 1))),
    method("pred", 0, 0, |i, this, _| whole(i, Some(i128::from(number(this)) - 1))),
    method("chr", 0, 1, |i, this, _| match u32::try_from(number(this)).ok().and_then(char::from_u32) {
        Some(character) => Ok(i.string(character.to_string())),
        None => Err(i.raise(&class::RANGE_ERROR, format!("{} out of char range", number(this)))),
    }),
    method("ord", 0, 0, |_, this, _| Ok(this)),
    method("&", 1, 1, |i, this, args| bits(i, this, args, |a, b| a & b)),
    method("|", 1, 1, |i, this, args| bits(i, this, args, |a, b| a | b)),
    method("^", 1, 1, |i, this, args| bits(i, this, args, |a, b| a ^ b)),
    method("~", 0, 0, |_, this, _| Ok(Val::Integer(!number(this)))),
    method("<<", 1, 1, |i, this, args| {
        let by = i.int(args.at(0))?;
        shifted(i, number(this), by)
    }),
    method(">>", 1, 1, |i, this, args| {
        let by = i.int(args.at(0))?;
        shifted(i, number(this), by.saturating_neg())
    }),
    method("[]", 1, 1, |i, this, args| {
        let at = i.int(args.at(0))?;
        Ok(Val::Integer(if at < 0 { 0 } else { (number(this) >> at.min(63)) & 1 }))
    }),
    method("bit_length", 0, 0, |_, this, _| {
        let own = number(this);
        let bits = if own < 0 { (!own).leading_zeros() } else { own.leading_zeros() };
        Ok(Val::Integer(i64::from(64 - bits)))
    }),
    method("digits", 0, 1, |i, this, args| {
        let radix = args.get(0).map_or(Ok(10), |radix| i.int(radix))?.max(2).unsigned_abs();
        let mut rest = number(this).unsigned_abs();
        let mut digits = Vec::new();
        loop {
            digits.push(Val::Integer((rest % radix) as i64));
            rest /= radix;
            if rest == 0 {
                return Ok(i.array(digits));
            }
        }
    }),
    method("gcd", 1, 1, |i, this, args| {
        let other = i.int(args.at(0))?;
        whole(i, Some(i128::from(greatest_divisor(number(this), other))))
    }),
    method("lcm", 1, 1, |i, this, args| {
        let (own, other) = (number(this), i.int(args.at(0))?);
        let divisor = i128::from(greatest_divisor(own, other)).max(1);
        whole(i, Some((i128::from(own) * i128::from(other)).abs() / divisor))
    }),
    method("size", 0, 0, |_, _, _| Ok(Val::Integer(8))),
    method("numerator", 0, 0, |_, this, _| Ok(this)),
    method("denominator", 0, 0, |_, _, _| Ok(Val::Integer(1))),
];

pub(in crate::ruby) static INTEGER_CLASS: &[Method] = &[method("sqrt", 1, 1, |i, _, args| {
    let number = i.int(args.at(0))?;
    match u64::try_from(number) {
        Ok(number) => Ok(Val::Integer(number.isqrt() as i64)),
        Err(_) => Err(i.raise(&class::ARGUMENT_ERROR, "Numerical argument is out of domain - \"isqrt\"")),
    }
})];

pub(in crate::ruby) static FLOAT: &[Method] = &[method("to_s inspect", 0, 0, |i, this, _| {
    let text = i.inspect(this)?;
    Ok(i.string(text))
})];

fn calculated<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, function: fn(f64) -> f64) -> R<'a> {
    Ok(Val::Float(function(float(i, args.at(0))?)))
}

fn float<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, f64> {
    match as_float(value) {
        Some(number) => Ok(number),
        None => {
            let shown = if value.is_nil() { "nil".to_owned() } else { i.class_of(value).name.to_owned() };
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {shown} into Float")))
        }
    }
}

pub(in crate::ruby) static MATH: &[Method] = &[
    method("sqrt", 1, 1, |i, _, args| {
        let number = float(i, args.at(0))?;
        if number < 0.0 {
            return Err(i.raise(&class::ARGUMENT_ERROR, "Numerical argument is out of domain - \"sqrt\""));
        }
        Ok(Val::Float(number.sqrt()))
    }),
    method("log", 1, 2, |i, _, args| {
        let number = float(i, args.at(0))?;
        match args.get(1) {
            Some(base) => {
                let base = float(i, base)?;
                Ok(Val::Float(number.ln() / base.ln()))
            }
            None => Ok(Val::Float(number.ln())),
        }
    }),
    method("log2", 1, 1, |i, _, args| calculated(i, args, f64::log2)),
    method("log10", 1, 1, |i, _, args| calculated(i, args, f64::log10)),
    method("exp", 1, 1, |i, _, args| calculated(i, args, f64::exp)),
    method("cbrt", 1, 1, |i, _, args| calculated(i, args, f64::cbrt)),
    method("sin", 1, 1, |i, _, args| calculated(i, args, f64::sin)),
    method("cos", 1, 1, |i, _, args| calculated(i, args, f64::cos)),
];

//! Common methods of whole numbers and floats, `Float`, `Math`.

use num_traits::Signed as _;

use super::integer::{self, truncated};
use super::{Args, Block, Method, R, Run, Val, class, enumerator, method};
use crate::failure::Unwind;
use crate::interpreter::Interpreter;
use crate::numbers::{as_whole, whole};
use bunraku_pcore::big::{BigInt, to_f64};

/// The error about an operand that is not a number.
pub(super) fn no_number<'a>(i: &mut Interpreter<'a>, this: Val<'a>, other: Val<'a>) -> Unwind<'a> {
    let class = i.class_name(this);
    let shown = match other {
        Val::Nil | Val::Boolean(_) | Val::Symbol(_) | Val::Float(_) => i.inspect(other).unwrap_or_default(),
        _ => i.class_name(other).to_owned(),
    };
    i.raise(&class::TYPE_ERROR, format!("{shown} can't be coerced into {class}"))
}

fn as_float(value: Val<'_>) -> Option<f64> {
    match value {
        Val::Integer(number) => Some(number as f64),
        Val::Float(number) => Some(number),
        Val::Big(number) => Some(to_f64(number)),
        _ => None,
    }
}

/// An operation on whole numbers or on floats. `small` may leave small numbers to `integers`.
fn arithmetic<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    (name, args): (&str, Args<'a, '_>),
    small: fn(i64, i64) -> Option<i64>,
    integers: fn(&mut Interpreter<'a>, &BigInt, &BigInt) -> R<'a>,
    floats: fn(f64, f64) -> f64,
) -> R<'a> {
    let other = args.at(0);
    if let (Val::Integer(a), Val::Integer(b)) = (this, other)
        && let Some(number) = small(a, b)
    {
        return Ok(Val::Integer(number));
    }
    match (as_whole(this), as_whole(other)) {
        (Some(a), Some(b)) => integers(i, &a, &b),
        _ => match (as_float(this), as_float(other)) {
            (Some(a), Some(b)) => Ok(Val::Float(floats(a, b))),
            _ => by_coercion(i, this, name, other),
        },
    }
}

/// Delegates an operation to the coercion of an operand that is not a number.
pub(crate) fn by_coercion<'a>(i: &mut Interpreter<'a>, this: Val<'a>, name: &str, other: Val<'a>) -> R<'a> {
    if !matches!(other, Val::Object(_)) || !i.responds(other, "coerce") {
        return Err(no_number(i, this, other));
    }
    let made = i.send(other, "coerce", &[this])?;
    let Val::Array(pair) = made else {
        return Err(i.raise(&class::TYPE_ERROR, "coerce must return [x, y]"));
    };
    match pair.to_vec().as_slice() {
        // The operations on bits ask for the method.
        [one, _] if matches!(name, "&" | "|" | "^") && !i.responds(*one, name) => {
            Err(no_number(i, this, other))
        }
        [one, two] => i.send(*one, name, &[*two]),
        _ => Err(i.raise(&class::TYPE_ERROR, "coerce must return [x, y]")),
    }
}

fn float_mod(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// `Numeric#remainder`, as it loses digits.
fn float_remainder(a: f64, b: f64) -> f64 {
    let rest = float_mod(a, b);
    match rest != 0.0 && (a < 0.0 && b > 0.0 || a > 0.0 && b < 0.0) {
        true if b.is_infinite() => a,
        true => rest - b,
        false => rest,
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
        _ => match args.at(0) {
            other @ Val::Object(_) if i.responds(other, "coerce") => {
                let order = by_coercion(i, this, "<=>", other)?;
                match order {
                    Val::Integer(order) => Ok(Val::Boolean(holds(order.cmp(&0)))),
                    _ => Err(i.incomparable(this, other)),
                }
            }
            other => Err(i.incomparable(this, other)),
        },
    }
}

/// `round`, `floor` and `ceil` with their digits.
fn rounded<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    floats: fn(f64) -> f64,
    digits_of: fn(f64, f64) -> f64,
    integers: fn(&BigInt, &BigInt) -> BigInt,
) -> R<'a> {
    let digits = match args.get(0) {
        None => None,
        Some(digits) => Some(i.int(digits)?),
    };
    match (this, digits) {
        (Val::Integer(_) | Val::Big(_), digits) => match (as_whole(this), digits) {
            (Some(number), Some(digits)) if digits < 0 => integer::rounded(i, &number, digits, integers),
            _ => Ok(this),
        },
        (Val::Float(number), Some(digits)) if digits > 0 => {
            if !number.is_finite() {
                return Ok(this);
            }
            // As many digits as a float has are kept as they are.
            let exponent = if number == 0.0 { 0 } else { number.abs().log2().floor() as i64 + 1 };
            let places = if exponent > 0 { exponent / 4 } else { exponent / 3 - 1 };
            if digits >= 17 - places {
                return Ok(this);
            }
            if digits > 15 {
                return Err(i.unsupported("so many digits"));
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

/// A float is made whole first where digits before its point are asked for.
fn whole_for_digits<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    floats: fn(f64) -> f64,
) -> R<'a> {
    match (this, args.at(0)) {
        (Val::Float(number), Val::Integer(..0)) => truncated(i, floats(number)),
        _ => Ok(this),
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

pub(crate) static NUMERIC: &[Method] = &[
    method("+", 1, 1, |i, this, args| {
        arithmetic(i, this, ("+", args), i64::checked_add, |i, a, b| whole(i, a + b), |a, b| a + b)
    }),
    method("-", 1, 1, |i, this, args| {
        arithmetic(i, this, ("-", args), i64::checked_sub, |i, a, b| whole(i, a - b), |a, b| a - b)
    }),
    method("*", 1, 1, |i, this, args| {
        arithmetic(i, this, ("*", args), i64::checked_mul, |i, a, b| whole(i, a * b), |a, b| a * b)
    }),
    method("/", 1, 1, |i, this, args| {
        arithmetic(i, this, ("/", args), |_, _| None, integer::floor_div, |a, b| a / b)
    }),
    method("% modulo", 1, 1, |i, this, args| {
        if matches!(as_float(args.at(0)), Some(0.0)) && (as_float(this).is_some()) {
            return Err(integer::zero_division(i));
        }
        arithmetic(i, this, ("%", args), |_, _| None, integer::floor_mod, float_mod)
    }),
    method("**", 1, 1, |i, this, args| {
        if let (Some(base), Val::Float(exponent)) = (as_float(this), args.at(0))
            && base < 0.0
            && exponent.fract() != 0.0
            && exponent.is_finite()
        {
            return Err(i.unsupported("rational and complex numbers"));
        }
        arithmetic(i, this, ("**", args), |_, _| None, integer::power, f64::powf)
    }),
    method("remainder", 1, 1, |i, this, args| {
        if matches!(as_float(args.at(0)), Some(0.0)) && (as_float(this).is_some()) {
            return Err(integer::zero_division(i));
        }
        arithmetic(i, this, ("remainder", args), |_, _| None, integer::remainder, float_remainder)
    }),
    method("div", 1, 1, |i, this, args| match (as_whole(this), as_whole(args.at(0))) {
        (Some(a), Some(b)) => integer::floor_div(i, &a, &b),
        _ => match (as_float(this), as_float(args.at(0))) {
            (Some(_), Some(0.0)) => Err(integer::zero_division(i)),
            (Some(a), Some(b)) => truncated(i, (a / b).floor()),
            _ => by_coercion(i, this, "div", args.at(0)),
        },
    }),
    method("fdiv", 1, 1, |i, this, args| match (this, args.at(0)) {
        (Val::Big(number), _) | (_, Val::Big(number))
            if number.bits() - number.trailing_zeros().unwrap_or(0) > 53 =>
        {
            Err(i.unsupported("fdiv of so large a number"))
        }
        _ => match (as_float(this), as_float(args.at(0))) {
            (Some(a), Some(b)) => Ok(Val::Float(a / b)),
            _ => by_coercion(i, this, "fdiv", args.at(0)),
        },
    }),
    method("divmod", 1, 1, |i, this, args| {
        let rest = i.send(this, "%", args.values)?;
        let quotient = match (as_float(this), as_float(args.at(0)), rest) {
            (Some(a), Some(b), Val::Float(_)) if a.is_infinite() && !b.is_infinite() => truncated(i, a)?,
            // The quotient is the rest after subtracting the remainder.
            (Some(a), Some(b), Val::Float(rest)) => truncated(i, ((a - rest) / b).round())?,
            _ => i.send(this, "div", args.values)?,
        };
        Ok(i.array(vec![quotient, rest]))
    }),
    method("-@", 0, 0, |i, this, _| match this {
        Val::Float(number) => Ok(Val::Float(-number)),
        _ => match as_whole(this) {
            Some(number) => whole(i, -&*number),
            None => Ok(this),
        },
    }),
    method("+@ real", 0, 0, |_, this, _| Ok(this)),
    method("to_c", 0, 0, |i, _, _| Err(i.unsupported("complex numbers"))),
    method("<", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_lt)),
    method(">", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_gt)),
    method("<=", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_le)),
    method(">=", 1, 1, |i, this, args| compared(i, this, args, std::cmp::Ordering::is_ge)),
    method("== ===", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("abs magnitude", 0, 0, |i, this, _| match this {
        Val::Float(number) => Ok(Val::Float(number.abs())),
        _ => match as_whole(this) {
            Some(number) => whole(i, number.abs()),
            None => Ok(this),
        },
    }),
    method("zero?", 0, 0, |_, this, _| Ok(Val::Boolean(as_float(this) == Some(0.0)))),
    method("nonzero?", 0, 0, |_, this, _| Ok(if as_float(this) == Some(0.0) { Val::Nil } else { this })),
    method("positive?", 0, 0, |_, this, _| {
        Ok(Val::Boolean(as_float(this).is_some_and(|number| number > 0.0)))
    }),
    method("negative?", 0, 0, |_, this, _| {
        Ok(Val::Boolean(as_float(this).is_some_and(|number| number < 0.0)))
    }),
    method("integer?", 0, 0, |_, this, _| Ok(Val::Boolean(as_whole(this).is_some()))),
    method("finite?", 0, 0, |_, this, _| Ok(Val::Boolean(as_float(this).is_some_and(f64::is_finite)))),
    method("infinite?", 0, 0, |_, this, _| {
        Ok(match as_float(this) {
            Some(number) if number.is_infinite() => Val::Integer(if number > 0.0 { 1 } else { -1 }),
            _ => Val::Nil,
        })
    }),
    method("nan?", 0, 0, |i, this, _| match this {
        Val::Float(number) => Ok(Val::Boolean(number.is_nan())),
        this => Err(i.no_method(this, "nan?")),
    }),
    method("to_i to_int", 0, 0, |i, this, args| {
        rounded(i, this, args, f64::trunc, |x, unit| (x * unit).trunc() / unit, integer::trunc_to)
    }),
    method("truncate", 0, 1, |i, this, args| {
        rounded(i, this, args, f64::trunc, |x, unit| (x * unit).trunc() / unit, integer::trunc_to)
    }),
    method("to_f", 0, 0, |_, this, _| Ok(Val::Float(as_float(this).unwrap_or(0.0)))),
    method("round", 0, 2, |i, this, args| {
        match (args.values.last(), args.option("half")) {
            (Some(Val::Hash(map)), Some(half)) if map.len() == 1 => {
                let half = if half.is_nil() { "up".into() } else { i.name(half)? };
                match (this, half.as_str()) {
                    (Val::Float(number), "even") if args.values.len() == 1 => {
                        return truncated(i, number.round_ties_even());
                    }
                    (_, "up") => {}
                    (Val::Integer(_) | Val::Big(_), "even" | "down") if args.values.len() == 1 => {}
                    _ => return Err(i.unsupported("round with half:")),
                }
            }
            (Some(Val::Hash(_)), _) => return Err(i.unsupported("round with such options")),
            _ if args.values.len() == 2 => return Err(i.unsupported("round with such options")),
            _ => {}
        }
        let digits = match args.values {
            [Val::Hash(_)] => Args { values: &[], ..args },
            _ => args,
        };
        rounded(i, this, digits, f64::round, round_half_up, integer::round_to)
    }),
    method("floor", 0, 1, |i, this, args| {
        let this = whole_for_digits(i, this, args, f64::floor)?;
        rounded(i, this, args, f64::floor, |x, unit| (x * unit).floor() / unit, integer::floor_to)
    }),
    method("ceil", 0, 1, |i, this, args| {
        let this = whole_for_digits(i, this, args, f64::ceil)?;
        let result = rounded(i, this, args, f64::ceil, |x, unit| (x * unit).ceil() / unit, integer::ceil_to)?;
        // A large number that is already such a multiple becomes the next one in Ruby.
        let is_multiple = matches!(args.at(0), Val::Integer(..0)) && matches!(this, Val::Big(_));
        if is_multiple && i.equal(result, this)? {
            return Err(i.unsupported("ceil of so large a number"));
        }
        Ok(result)
    }),
    method("step", 0, 2, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "step", args) };
        let (limit, step) = match args.option("by") {
            Some(by) => (args.option("to").unwrap_or(Val::Nil), by),
            None => (args.at(0), args.get(1).unwrap_or(Val::Integer(1))),
        };
        if args.get(1).is_some_and(Val::is_nil) {
            return Err(i.raise(&class::TYPE_ERROR, "step must be numeric"));
        }
        let is_number = |value| matches!(value, Val::Integer(_) | Val::Big(_) | Val::Float(_));
        if !(limit.is_nil() || is_number(limit)) || !is_number(step) {
            return Err(i.unsupported("step with what is no number"));
        }
        if as_float(step) == Some(0.0) {
            return Err(i.raise(&class::ARGUMENT_ERROR, "step can't be 0"));
        }
        let down = as_float(step).is_some_and(|step| step < 0.0);
        if let [Some(from), to, Some(by)] = [this, limit, step].map(as_float)
            && [this, limit, step].iter().any(|value| matches!(value, Val::Float(_)))
        {
            let to = to.unwrap_or(if down { f64::NEG_INFINITY } else { f64::INFINITY });
            return float_steps(i, from, to, by, block).map(|()| this);
        }
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
    method("coerce", 1, 1, |i, this, args| match (as_whole(this), as_whole(args.at(0))) {
        (Some(_), Some(_)) => Ok(i.array(vec![args.at(0), this])),
        _ => match (as_float(this), as_float(args.at(0))) {
            (Some(a), Some(b)) => Ok(i.array(vec![Val::Float(b), Val::Float(a)])),
            _ => Err(i.unsupported("coerce of what is no number")),
        },
    }),
];

/// Calls a block with the floats of a sequence, each calculated from the first one, as Ruby does.
fn float_steps<'a>(
    i: &mut Interpreter<'a>,
    from: f64,
    limit: f64,
    by: f64,
    block: Block<'a, '_>,
) -> Run<'a, ()> {
    let is_beyond = |value: f64| if by < 0.0 { value < limit } else { value > limit };
    if by.is_infinite() {
        if !is_beyond(from) {
            i.call_block(block, &[Val::Float(from)])?;
        }
        return Ok(());
    }
    let count = (limit - from) / by;
    let error = (from.abs() + limit.abs() + (limit - from).abs()) / by.abs() * f64::EPSILON;
    let mut last = (count + if error.is_finite() { error.min(0.5) } else { 0.5 }).floor();
    let next = (last + 1.0) * by + from;
    if from < limit && next <= limit || from > limit && next >= limit {
        last += 1.0;
    }
    let mut at = 0.0;
    // What is no number is beyond nothing, and reached by no step.
    while count >= 0.0 && at <= last {
        let value = at * by + from;
        let value = if is_beyond(value) { limit } else { value };
        i.call_block(block, &[Val::Float(value)])?;
        at += 1.0;
    }
    Ok(())
}

pub(crate) static FLOAT: &[Method] = &[method("to_s inspect", 0, 0, |i, this, _| {
    let text = i.inspect(this)?;
    Ok(i.string(text))
})];

fn calculated<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, function: fn(f64) -> f64) -> R<'a> {
    Ok(Val::Float(function(float(i, args.at(0))?)))
}

pub(super) fn float<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, f64> {
    match as_float(value) {
        Some(number) => Ok(number),
        None => {
            let shown = if value.is_nil() { "nil".to_owned() } else { i.class_name(value).to_owned() };
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {shown} into Float")))
        }
    }
}

/// Rejects arguments for which a function is not defined.
fn within<'a>(i: &mut Interpreter<'a>, number: f64, function: &str) -> Run<'a, ()> {
    if number < 0.0 {
        let message = format!("Numerical argument is out of domain - {function}");
        return Err(i.raise(&class::DOMAIN_ERROR, message));
    }
    Ok(())
}

pub(crate) static MATH: &[Method] = &[
    method("sqrt", 1, 1, |i, _, args| {
        let number = float(i, args.at(0))?;
        within(i, number, "sqrt")?;
        Ok(Val::Float(if number == 0.0 { 0.0 } else { number.sqrt() }))
    }),
    method("log", 1, 2, |i, _, args| {
        let number = float(i, args.at(0))?;
        within(i, number, "log")?;
        match args.get(1) {
            Some(base) => {
                let base = float(i, base)?;
                within(i, base, "log")?;
                Ok(Val::Float(number.ln() / base.ln()))
            }
            None => Ok(Val::Float(number.ln())),
        }
    }),
    method("log2", 1, 1, |i, _, args| {
        let number = float(i, args.at(0))?;
        within(i, number, "log2")?;
        calculated(i, args, f64::log2)
    }),
    method("log10", 1, 1, |i, _, args| {
        let number = float(i, args.at(0))?;
        within(i, number, "log10")?;
        calculated(i, args, f64::log10)
    }),
    method("exp", 1, 1, |i, _, args| calculated(i, args, f64::exp)),
    method("cbrt", 1, 1, |i, _, args| calculated(i, args, f64::cbrt)),
    method("sin", 1, 1, |i, _, args| calculated(i, args, f64::sin)),
    method("cos", 1, 1, |i, _, args| calculated(i, args, f64::cos)),
];

//! `Integer`: whole numbers of any size.

use num_integer::Integer as _;
use num_traits::{FromPrimitive as _, Signed as _, ToPrimitive as _, Zero as _};

use super::number::by_coercion;
use super::{ANY, Args, Block, Method, R, Run, Val, class, enumerator, method};
use crate::failure::Unwind;
use crate::interpreter::Interpreter;
use crate::numbers::{MAX_BITS, as_whole, too_large, whole};
use bunraku_pcore::big::BigInt;

pub(super) fn zero_division<'a>(i: &mut Interpreter<'a>) -> Unwind<'a> {
    i.raise(&class::ZERO_DIVISION_ERROR, "divided by 0")
}

/// The receiver.
fn own(this: Val<'_>) -> BigInt {
    as_whole(this).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// A number that fits where Ruby counts.
fn bounded(this: Val<'_>) -> i64 {
    match this {
        Val::Integer(number) => number,
        Val::Big(number) if number.is_negative() => i64::MIN,
        Val::Big(_) => i64::MAX,
        _ => 0,
    }
}

/// Division that rounds down.
pub(super) fn floor_div<'a>(i: &mut Interpreter<'a>, a: &BigInt, b: &BigInt) -> R<'a> {
    if b.is_zero() { Err(zero_division(i)) } else { whole(i, a.div_floor(b)) }
}

pub(super) fn floor_mod<'a>(i: &mut Interpreter<'a>, a: &BigInt, b: &BigInt) -> R<'a> {
    if b.is_zero() { Err(zero_division(i)) } else { whole(i, a.mod_floor(b)) }
}

pub(super) fn remainder<'a>(i: &mut Interpreter<'a>, a: &BigInt, b: &BigInt) -> R<'a> {
    if b.is_zero() { Err(zero_division(i)) } else { whole(i, a % b) }
}

pub(super) fn power<'a>(i: &mut Interpreter<'a>, a: &BigInt, b: &BigInt) -> R<'a> {
    if b.is_negative() {
        return Err(i.unsupported("rational numbers"));
    }
    // Powers of 0, 1 and -1 stay small.
    if a.bits() <= 1 {
        let odd = b.bit(0);
        return whole(i, if b.is_zero() || (a.is_negative() && !odd) { BigInt::from(1) } else { a.clone() });
    }
    match b.to_u32().filter(|b| u64::from(*b).saturating_mul(a.bits() - 1) < MAX_BITS) {
        Some(b) => whole(i, a.pow(b)),
        None => Err(too_large(i)),
    }
}

/// A float as a whole number.
pub(super) fn truncated<'a>(i: &mut Interpreter<'a>, number: f64) -> R<'a> {
    match BigInt::from_f64(number) {
        Some(number) => whole(i, number),
        None => Err(i.raise(&class::FLOAT_DOMAIN_ERROR, bunraku_pcore::format::float_to_s(number))),
    }
}

/// Rounds to a power of ten: `round(-2)` and its like.
pub(super) fn rounded<'a>(
    i: &mut Interpreter<'a>,
    number: &BigInt,
    digits: i64,
    round: fn(&BigInt, &BigInt) -> BigInt,
) -> R<'a> {
    // Where the unit has far more bytes than the number, Ruby's answer is zero, whatever the direction.
    let (digits, bytes) = (digits.unsigned_abs(), number.bits().div_ceil(8).max(8));
    if 0.415_241 * digits as f64 - 0.125 > bytes as f64 {
        return Ok(Val::Integer(0));
    }
    match u32::try_from(digits).ok().filter(|digits| u64::from(*digits) * 4 < MAX_BITS) {
        Some(digits) => whole(i, round(number, &BigInt::from(10).pow(digits))),
        None => Err(too_large(i)),
    }
}

pub(super) fn floor_to(number: &BigInt, unit: &BigInt) -> BigInt {
    number.div_floor(unit) * unit
}

pub(super) fn ceil_to(number: &BigInt, unit: &BigInt) -> BigInt {
    number.div_ceil(unit) * unit
}

pub(super) fn round_to(number: &BigInt, unit: &BigInt) -> BigInt {
    let rounded = floor_to(&(number.abs() + unit / 2), unit);
    if number.is_negative() { -rounded } else { rounded }
}

pub(super) fn trunc_to(number: &BigInt, unit: &BigInt) -> BigInt {
    number / unit * unit
}

fn bits<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: Args<'a, '_>,
    name: &str,
    join: fn(BigInt, BigInt) -> BigInt,
) -> R<'a> {
    match as_whole(args.at(0)) {
        Some(other) => whole(i, join(own(this), other.into_owned())),
        None => by_coercion(i, this, name, args.at(0)),
    }
}

/// By how many bits, in the words of Ruby about these methods.
///
/// A count beyond 64 bits is more than any number has.
fn places<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> Run<'a, i64> {
    match args.at(0) {
        Val::Nil => Err(i.no_conversion(Val::Nil, "Integer")),
        Val::Big(count) => Ok(if count.is_negative() { -i64::MAX } else { i64::MAX }),
        count => i.int(count),
    }
}

fn shifted<'a>(i: &mut Interpreter<'a>, this: Val<'a>, by: i64) -> R<'a> {
    let number = own(this);
    let places = by.unsigned_abs();
    if by <= 0 {
        return whole(i, number >> places.min(MAX_BITS));
    }
    if number.is_zero() || places.saturating_add(number.bits()) <= MAX_BITS {
        return whole(i, number << places.min(MAX_BITS));
    }
    Err(too_large(i))
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
        limit @ (Val::Integer(_) | Val::Big(_) | Val::Float(_)) if matches!(this, Val::Big(_)) => {
            return count_to(i, this, limit, block, up);
        }
        Val::Float(limit) => {
            if up {
                limit.floor() as i64
            } else {
                limit.ceil() as i64
            }
        }
        limit @ Val::Big(_) => return count_to(i, this, limit, block, up),
        Val::Integer(limit) => limit,
        other @ Val::Object(_) => return count_to(i, this, other, block, up),
        other => return Err(i.incomparable(this, other)),
    };
    let mut at = bounded(this);
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

/// Counts to an object that is compared with.
fn count_to<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    limit: Val<'a>,
    block: Block<'a, '_>,
    up: bool,
) -> R<'a> {
    let (beyond, next) = if up { (">", "+") } else { ("<", "-") };
    let mut at = this;
    while !i.send(at, beyond, &[limit])?.is_truthy() {
        i.call_block(block, &[at])?;
        at = i.send(at, next, &[Val::Integer(1)])?;
    }
    Ok(this)
}

fn digits<'a>(i: &mut Interpreter<'a>, this: Val<'a>, radix: i64) -> R<'a> {
    if radix < 2 {
        let message = if radix < 0 { "negative radix".to_owned() } else { format!("invalid radix {radix}") };
        return Err(i.raise(&class::ARGUMENT_ERROR, message));
    }
    let (mut rest, radix) = (own(this), BigInt::from(radix));
    let mut digits = Vec::new();
    loop {
        i.step()?;
        let (quotient, digit) = rest.div_rem(&radix);
        digits.push(whole(i, digit)?);
        rest = quotient;
        if rest.is_zero() {
            return Ok(i.array(digits));
        }
    }
}

/// A whole number as argument.
fn other<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, BigInt> {
    match as_whole(value) {
        Some(number) => Ok(number.into_owned()),
        None => Err(i.raise(&class::TYPE_ERROR, "not an integer")),
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("pow", 1, 2, |i, this, args| {
        let Some(modulus) = args.get(1) else { return i.send(this, "**", args.values) };
        let Some(exponent) = as_whole(args.at(0)) else {
            let message = "Integer#pow() 2nd argument not allowed unless a 1st argument is integer";
            return Err(i.raise(&class::TYPE_ERROR, message));
        };
        if exponent.is_negative() {
            let message = "Integer#pow() 1st argument cannot be negative when 2nd argument specified";
            return Err(i.raise(&class::RANGE_ERROR, message));
        }
        let Some(modulus) = as_whole(modulus) else {
            let message = "Integer#pow() 2nd argument not allowed unless all arguments are integers";
            return Err(i.raise(&class::TYPE_ERROR, message));
        };
        if modulus.is_zero() {
            return Err(zero_division(i));
        }
        // As many multiplications as the exponent has bits.
        if exponent.bits().saturating_mul(modulus.bits()) > MAX_BITS {
            return Err(too_large(i));
        }
        whole(i, own(this).modpow(&exponent, &modulus))
    }),
    method("to_s inspect", 0, 1, |i, this, args| match args.get(0) {
        Some(radix) => {
            let radix = i.int(radix)?;
            match u32::try_from(radix) {
                Ok(radix @ 2..=36) => Ok(i.string(own(this).to_str_radix(radix))),
                _ => Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid radix {radix}"))),
            }
        }
        None => {
            let text = i.inspect(this)?;
            Ok(i.string(text))
        }
    }),
    method("times", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "times", args) };
        for at in 0..bounded(this).max(0) {
            i.step()?;
            i.call_block(block, &[Val::Integer(at)])?;
        }
        Ok(this)
    }),
    method("upto", 1, 1, |i, this, args| count(i, this, args, "upto", true)),
    method("downto", 1, 1, |i, this, args| count(i, this, args, "downto", false)),
    method("even?", 0, 0, |_, this, _| Ok(Val::Boolean(own(this).is_even()))),
    method("odd?", 0, 0, |_, this, _| Ok(Val::Boolean(own(this).is_odd()))),
    method("succ next", 0, 0, |i, this, _| whole(i, own(this) + 1)),
    method("pred", 0, 0, |i, this, _| whole(i, own(this) - 1)),
    method("chr", 0, 1, |i, this, args| {
        let code = match this {
            Val::Integer(code) => code,
            _ => return Err(i.raise(&class::RANGE_ERROR, "bignum out of char range")),
        };
        match args.get(0) {
            None if (0..0x80).contains(&code) => {}
            None if (0x80..0x100).contains(&code) => return Ok(i.heap.bytes(vec![code as u8])),
            None => return Err(i.raise(&class::RANGE_ERROR, format!("{code} out of char range"))),
            Some(Val::Class(class)) if class.name == "Encoding::UTF_8" => {}
            Some(Val::String(name)) if name.get().eq_ignore_ascii_case("utf-8") => {}
            Some(_) => return Err(i.unsupported("chr in another encoding")),
        }
        // Ruby shows these differently in text that it knows to be ASCII.
        if matches!(code, 0..=6 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f) && args.get(0).is_none() {
            return Err(i.unsupported("chr of a control character"));
        }
        if (0xd800..0xe000).contains(&code) {
            return Err(i.unsupported("chr of half a character"));
        }
        match u32::try_from(code).ok().and_then(char::from_u32) {
            Some(character) => Ok(i.string(character.to_string())),
            None => Err(i.raise(&class::RANGE_ERROR, format!("{code} out of char range"))),
        }
    }),
    method("ord", 0, 0, |_, this, _| Ok(this)),
    method("&", 1, 1, |i, this, args| bits(i, this, args, "&", |a, b| a & b)),
    method("|", 1, 1, |i, this, args| bits(i, this, args, "|", |a, b| a | b)),
    method("^", 1, 1, |i, this, args| bits(i, this, args, "^", |a, b| a ^ b)),
    method("~", 0, 0, |i, this, _| whole(i, !own(this))),
    method("<<", 1, 1, |i, this, args| {
        let by = places(i, args)?;
        shifted(i, this, by)
    }),
    method(">>", 1, 1, |i, this, args| {
        let by = places(i, args)?;
        shifted(i, this, by.saturating_neg())
    }),
    method("[]", 1, 2, |i, this, args| {
        if args.values.len() == 2 || matches!(args.at(0), Val::Range(_) | Val::Float(_) | Val::Big(_)) {
            return Err(i.unsupported("several bits of a number"));
        }
        if matches!(args.at(0), Val::Match(_)) {
            // Ruby asks whatever has `begin` and `end` as a range; those of a match need a group.
            return Err(i.wrong_count(0, 1, 1));
        }
        let at = places(i, args)?;
        Ok(Val::Integer(u64::try_from(at).is_ok_and(|at| own(this).bit(at)).into()))
    }),
    method("bit_length", 0, 0, |_, this, _| {
        let own = own(this);
        let bits = if own.is_negative() { (!own).bits() } else { own.bits() };
        Ok(Val::Integer(bits as i64))
    }),
    method("digits", 0, ANY, |i, this, args| {
        if own(this).is_negative() {
            return Err(i.raise(&class::DOMAIN_ERROR, "out of domain"));
        }
        if args.values.len() > 1 {
            return Err(i.wrong_count(args.values.len(), 0, 1));
        }
        if matches!(args.get(0), Some(Val::Nil)) {
            return Err(i.unsupported("digits of what is no number"));
        }
        let radix = args.get(0).map_or(Ok(10), |radix| i.int(radix))?;
        digits(i, this, radix)
    }),
    method("gcd", 1, 1, |i, this, args| {
        let other = other(i, args.at(0))?;
        whole(i, own(this).gcd(&other))
    }),
    method("lcm", 1, 1, |i, this, args| {
        let other = other(i, args.at(0))?;
        whole(i, own(this).lcm(&other))
    }),
    method("size", 0, 0, |_, this, _| Ok(Val::Integer((own(this).bits().div_ceil(8).max(8)) as i64))),
    method("numerator", 0, 0, |_, this, _| Ok(this)),
    method("denominator", 0, 0, |_, _, _| Ok(Val::Integer(1))),
];

pub(crate) static CLASS_METHODS: &[Method] = &[method("sqrt", 1, 1, |i, _, args| {
    let number = match as_whole(args.at(0)) {
        Some(number) => number.into_owned(),
        None => i.int(args.at(0))?.into(),
    };
    if number.is_negative() {
        let message = "Numerical argument is out of domain - \"isqrt\"";
        return Err(i.raise(&class::DOMAIN_ERROR, message));
    }
    whole(i, number.sqrt())
})];

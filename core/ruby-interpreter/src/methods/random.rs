//! Random numbers: `rand`, `Random.rand`, `SecureRandom`. The world draws them.

use super::library::hex;
use super::{Args, Method, R, Run, Val, class, method};
use crate::interpreter::Interpreter;
use crate::numbers::as_whole;
use bunraku_pcore::ruby::random::Random;
use num_traits::ToPrimitive as _;

/// The most bytes that are drawn at once.
const MAX_BYTES: i64 = 1 << 20;

fn bytes<'a>(i: &mut Interpreter<'a>, count: Option<Val<'a>>, usual: i64) -> Run<'a, Vec<u8>> {
    let count = match count {
        None | Some(Val::Nil) => usual,
        Some(count) => i.int(count)?,
    };
    if !(0..=MAX_BYTES).contains(&count) {
        return Err(i.raise(&class::ARGUMENT_ERROR, "negative string size (or size too big)"));
    }
    let mut drawn = vec![0; usize::try_from(count).unwrap_or(0)];
    i.charge_steps(1 + drawn.len() as u64)?;
    i.world.random(&mut drawn).map_err(|error| i.fail(error))?;
    Ok(drawn)
}

/// A number below another, each as often.
fn below<'a>(i: &mut Interpreter<'a>, limit: u64) -> Run<'a, u64> {
    let whole = u64::MAX - u64::MAX % limit.max(1);
    loop {
        let mut drawn = [0; 8];
        i.step()?;
        i.world.random(&mut drawn).map_err(|error| i.fail(error))?;
        let number = u64::from_le_bytes(drawn);
        if number < whole {
            return Ok(number % limit.max(1));
        }
    }
}

fn fraction<'a>(i: &mut Interpreter<'a>) -> Run<'a, f64> {
    Ok(below(i, 1 << 53)? as f64 / (1_u64 << 53) as f64)
}

fn between<'a>(i: &mut Interpreter<'a>, from: i64, to: i64, exclusive: bool) -> R<'a> {
    let count = i128::from(to) - i128::from(from) + i128::from(!exclusive);
    match u64::try_from(count) {
        Ok(count) if count > 0 => Ok(Val::Integer(from.wrapping_add(below(i, count)? as i64))),
        _ => Ok(Val::Nil),
    }
}

/// `Kernel#rand` is 0 to 1 for an invalid limit; others reject it.
fn random<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>, is_lax: bool) -> R<'a> {
    match args.at(0) {
        Val::Nil => Ok(Val::Float(fraction(i)?)),
        Val::Integer(0) if is_lax => Ok(Val::Float(fraction(i)?)),
        Val::Integer(limit) if limit > 0 || is_lax => {
            between(i, 0, limit.checked_abs().unwrap_or(i64::MAX), true)
        }
        Val::Float(limit) if limit > 0.0 && !is_lax => Ok(Val::Float(fraction(i)? * limit)),
        Val::Float(limit) if is_lax => match limit.abs() as i64 {
            0 => Ok(Val::Float(fraction(i)?)),
            limit => between(i, 0, limit, true),
        },
        Val::Range(range) => match (range.from, range.to) {
            (Val::Integer(from), Val::Integer(to)) => between(i, from, to, range.exclusive),
            _ => Err(i.unsupported("random number of such a range")),
        },
        Val::Integer(_) | Val::Float(_) | Val::Big(_) => {
            let shown = i.inspect(args.at(0))?;
            Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid argument - {shown}")))
        }
        _ => Err(i.unsupported("random number below what is no number")),
    }
}

fn letters<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let count = match args.at(0) {
        Val::Nil => 16,
        count => i.int(count)?.clamp(0, MAX_BYTES),
    };
    let mut text = String::new();
    for _ in 0..count {
        let at = below(i, LETTERS.len() as u64)? as usize;
        text.extend(LETTERS.get(at).map(|letter| *letter as char));
    }
    Ok(i.string(text))
}

pub(crate) static KERNEL: &[Method] = &[
    method("rand", 0, 1, |i, _, args| random(i, args, true)),
    method("srand", 0, 1, |i, _, _| Err(i.unsupported("srand"))),
];

/// The native helpers of the class `Random`.
pub(crate) static HELPERS: &[Method] = &[
    method("__random", 0, 1, |i, _, args| random(i, args, false)),
    method("__generator", 1, 1, |i, _, args| {
        let Some(seed) = as_whole(args.at(0)) else { return Err(i.no_conversion(args.at(0), "Integer")) };
        let words = seed.magnitude().to_u32_digits();
        i.charge_steps(1024)?;
        Ok(Val::Integer(i.heap.generator(&words) as i64))
    }),
    // A number up to and with a limit.
    method("__generator_up_to", 2, 2, |i, _, args| {
        let limit = match as_whole(args.at(1)).and_then(|limit| limit.to_u64()) {
            Some(limit) => limit,
            None => return Err(i.unsupported("random number so large")),
        };
        let drawn = drawn(i, args.at(0), |generator| generator.up_to(limit))?;
        Ok(i.heap.whole(drawn.into()))
    }),
    method("__generator_fraction", 1, 1, |i, _, args| drawn(i, args.at(0), Random::fraction).map(Val::Float)),
    method("__generator_bytes", 2, 2, |i, _, args| {
        let count = i.int(args.at(1))?;
        if !(0..=MAX_BYTES).contains(&count) {
            return Err(i.raise(&class::ARGUMENT_ERROR, "negative string size (or size too big)"));
        }
        let count = usize::try_from(count).unwrap_or(0);
        i.charge_steps(1 + count as u64)?;
        let bytes = drawn(i, args.at(0), |generator| {
            let words = std::iter::repeat_with(|| generator.next_word().to_le_bytes());
            words.take(count.div_ceil(4)).flatten().take(count).collect::<Vec<u8>>()
        })?;
        Ok(super::library::string_of(i, bytes))
    }),
];

fn drawn<'a, T>(
    i: &mut Interpreter<'a>,
    generator: Val<'a>,
    draw: impl FnOnce(&mut Random) -> T,
) -> Run<'a, T> {
    let number = usize::try_from(i.int(generator)?).unwrap_or(usize::MAX);
    i.heap.draw(number, draw).ok_or_else(|| i.unsupported("generator of random numbers"))
}

pub(crate) static SECURE: &[Method] = &[
    method("hex", 0, 1, |i, _, args| {
        let drawn = bytes(i, args.get(0), 16)?;
        Ok(i.string(hex(&drawn)))
    }),
    method("random_number rand", 0, 1, |i, _, args| random(i, args, matches!(args.at(0), Val::Integer(0)))),
    method("uuid", 0, 0, |i, _, _| {
        let mut drawn = bytes(i, None, 16)?;
        if let [_, _, _, _, _, _, version, _, variant, ..] = drawn.as_mut_slice() {
            *version = *version & 0x0f | 0x40;
            *variant = *variant & 0x3f | 0x80;
        }
        let digits = hex(&drawn);
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
        Ok(i.string(parts.join("-")))
    }),
    method("alphanumeric", 0, 1, |i, _, args| letters(i, args)),
    method("base64", 0, 1, |i, _, args| {
        let drawn = bytes(i, args.get(0), 16)?;
        let base64 = i.constant("Base64", i.outside)?;
        let drawn = i.heap.bytes(drawn);
        i.send(base64, "strict_encode64", &[drawn])
    }),
    method("random_bytes bytes", 0, 1, |i, _, args| {
        let drawn = bytes(i, args.get(0), 16)?;
        Ok(super::library::string_of(i, drawn))
    }),
];

//! Random choices that are the same for the same seed: `fqdn_rotate`, `fqdn_rand_string`, `seeded_rand`,
//! `seeded_rand_string`; `fqdn_uuid`; and results that differ in each call: `time`, and the order of
//! `shuffle`.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::{function, ruby, rvalue, wrong_number};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::ruby::random::Random;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("fqdn_rand_string", -2, fqdn_rand_string),
    rvalue!("fqdn_rotate", fqdn_rotate),
    rvalue!("fqdn_uuid", fqdn_uuid),
    rvalue!("seeded_rand", 2, seeded_rand),
    function(
        "seeded_rand_string",
        &[Dispatch::new("Integer[1] $length, String $seed, String[2]? $charset", seeded_rand_string)],
    ),
    rvalue!("shuffle", shuffle),
    rvalue!("time", time),
];

/// The generator with a digest as its seed, a number whose first byte is the highest.
fn generator(digest: &[u8]) -> Random {
    let words: Vec<u32> = digest
        .rchunks(4)
        .map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte)))
        .collect();
    Random::new(&words)
}

/// The name of the node, as facts have it at top scope.
fn fqdn(call: &Call<'_, '_>) -> Result<Value, crate::eval::Unwind> {
    Ok(call.evaluator.look_up_variable(call.scope, "::fqdn")?.unwrap_or_default())
}

fn fqdn_rotate(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some((value, seeds)) = arguments.split_first() else { return Err(wrong_number(call, 0, "1")) };
    let count = match value {
        Value::Array(values) => values.len(),
        Value::String(text) => text.chars().count(),
        _ => {
            return Err(call.fail("fqdn_rotate(): Requires either array or string to work with"));
        }
    };
    if count <= 1 {
        return Ok(value.clone());
    }
    let seed = ruby::join(&[fqdn(call)?, seeds.to_vec().into()], ":", call.fuel())?;
    let offset = generator(&Md5::digest(seed.as_bytes())).up_to(count as u64 - 1);
    let offset = usize::try_from(offset).unwrap_or(0);
    Ok(match value {
        Value::String(text) => {
            let at = text.char_indices().nth(offset).map_or(0, |(at, _)| at);
            let (first, rest) = text.split_at(at);
            call.evaluator.usage.check_size(text.len())?;
            [rest, first].concat().into()
        }
        Value::Array(values) => {
            let mut rotated = values.to_vec();
            rotated.rotate_left(offset);
            rotated.into()
        }
        other => other.clone(),
    })
}

/// A generator whose seed is drawn from the compilation's randomness: its results differ each time.
pub(super) fn by_chance(call: &Call<'_, '_>) -> Result<Random, Error> {
    let chance = call.evaluator.context.chance();
    Ok(generator(&chance.draw(&*call.evaluator.environment.host)?))
}

/// The elements of an array, or the characters of a text, in any order.
fn shuffle(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
    match value {
        Value::Array(values) => {
            let mut elements = values.to_vec();
            shuffle_all(call, &mut elements)?;
            Ok(elements.into())
        }
        Value::String(text) => {
            let mut characters: Vec<char> = text.chars().collect();
            shuffle_all(call, &mut characters)?;
            Ok(characters.into_iter().collect::<String>().into())
        }
        _ => Err(call.fail("shuffle(): Requires either array or string to work with")),
    }
}

/// After how many elements a shuffle counts them, and looks at the clock.
const SHUFFLED_AT_ONCE: usize = 1 << 16;

fn shuffle_all<T>(call: &Call<'_, '_>, elements: &mut [T]) -> Evaluated<()> {
    let mut random = by_chance(call)?;
    for index in 0..elements.len() {
        let left = elements.len() - index;
        if index % SHUFFLED_AT_ONCE == 0 {
            call.charge_steps(left.min(SHUFFLED_AT_ONCE))?;
        }
        let chosen = index.saturating_add(usize::try_from(random.up_to(left as u64 - 1)).unwrap_or(0));
        elements.swap(index, chosen);
    }
    Ok(())
}

/// A length: a whole number above 0, or a text that is one.
fn positive(value: Option<&Value>) -> Option<i64> {
    let number = match value? {
        Value::Integer(number) => *number,
        Value::String(text) if super::validate::is_integer_text(text) => {
            i64::try_from(ruby::to_i(text)?).ok()?
        }
        _ => return None,
    };
    (number > 0).then_some(number)
}

fn fqdn_rand_string(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(length) = positive(arguments.first()) else {
        return Err(call.fail("fqdn_rand_string(): first argument must be a positive integer"));
    };
    let charset: Vec<char> = match arguments.get(1) {
        None | Some(Value::Undef) => Vec::new(),
        Some(Value::String(text)) => text.chars().collect(),
        Some(_) => {
            return Err(call.fail("fqdn_rand_string(): second argument must be undef or a string"));
        }
    };
    let charset =
        if charset.is_empty() { ('0'..='9').chain('A'..='Z').chain('a'..='z').collect() } else { charset };
    let rest = arguments.get(2..).unwrap_or_default();
    let mut out = String::new();
    for current in 1..=length {
        call.evaluator.usage.check_size(out.len())?;
        let mut seed = rest.to_vec();
        seed.push(current.to_string().into());
        let size = Value::Integer(charset.len() as i64);
        let seed = ruby::join(&seed, ":", call.fuel())?;
        let chosen = call.call_function("fqdn_rand", &[size, seed.into()], None)?;
        let index = match chosen {
            Value::Integer(index) => usize::try_from(index).unwrap_or(0),
            other => usize::try_from(ruby::to_i(&ruby::to_s(&other)).unwrap_or(0)).unwrap_or(0),
        };
        out.extend(charset.get(index));
    }
    Ok(out.into())
}

fn fqdn_uuid(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    /// The name space of domain names (RFC 4122).
    const DNS: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let name = match arguments {
        [] => return Err(call.fail("fqdn_uuid: No arguments given")),
        [Value::String(name)] => name,
        [other] => return Err(super::legacy::no_string(other).into()),
        _ => return Err(call.fail(format!("fqdn_uuid: Too many arguments given ({})", arguments.len()))),
    };
    let mut digest = Sha1::new();
    digest.update(DNS);
    digest.update(name.as_bytes());
    let mut bytes = digest.finalize();
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex[range].to_owned());
    Ok(parts.join("-").into())
}

fn seeded_rand(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(max) = positive(arguments.first()) else {
        return Err(call.fail("seeded_rand(): first argument must be a positive integer"));
    };
    let Some(Value::String(seed)) = arguments.get(1) else {
        return Err(call.fail("seeded_rand(): second argument must be a string"));
    };
    let number = generator(&Md5::digest(seed.as_bytes())).up_to(max.unsigned_abs() - 1);
    Ok(Value::Integer(number as i64))
}

fn seeded_rand_string(call: &Call<'_, '_>) -> Evaluated {
    let Value::Integer(length) = *call.argument(0) else { return Ok(Value::Undef) };
    let seed = call.argument(1).as_str().unwrap_or("");
    let charset: Vec<char> = match call.argument(2) {
        Value::String(charset) => charset.chars().collect(),
        _ => ('0'..='9').chain('a'..='z').chain('A'..='Z').collect(),
    };
    let mut random = generator(&Sha256::digest(seed.as_bytes()));
    let limit = charset.len().saturating_sub(1) as u64;
    call.evaluator.usage.check_size(usize::try_from(length).unwrap_or(0))?;
    let choose = |_| charset.get(usize::try_from(random.up_to(limit)).unwrap_or(0));
    Ok((0..length).filter_map(choose).collect::<String>().into())
}

fn time(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if arguments.len() > 1 {
        return Err(super::wrong_number_plain(call, arguments.len(), "0 or 1"));
    }
    Ok(call.evaluator.now().clock_seconds().into())
}

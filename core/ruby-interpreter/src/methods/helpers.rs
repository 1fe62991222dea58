//! The native helpers of Ruby's library in Ruby. Their names begin with two underscores.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use md5::Digest as _;

use super::library::{bytes_of, hex};
use super::{Method, R, Run, Val, class, method};
use crate::interpreter::Interpreter;
use bunraku_pcore::big::BigInt;
use num_traits::ToPrimitive as _;

fn ip_text(family: i64, number: u128) -> String {
    if family == 2 {
        return Ipv4Addr::from(number as u32).to_string();
    }
    let groups = Ipv6Addr::from(number).segments();
    // Ruby writes the last two groups of addresses in `::/96` and `::ffff:0:0/96` as an IPv4 address.
    let is_mapped = groups[..5].iter().all(|group| *group == 0) && groups[5] == 0xffff;
    let is_compatible = groups[..6].iter().all(|group| *group == 0) && groups[6] != 0;
    if is_mapped || is_compatible {
        let prefix = if is_mapped { "::ffff:" } else { "::" };
        return format!("{prefix}{}", Ipv4Addr::from(number as u32));
    }
    // The first of the longest runs of zeros: its start and its length.
    let (mut best, mut run) = ((0, 0), (0, 0));
    for (at, group) in groups.iter().enumerate() {
        run = if *group == 0 { (run.0, run.1 + 1) } else { (at + 1, 0) };
        if run.1 > best.1.max(1) {
            best = run;
        }
    }
    let joined = |from: usize, count: usize| {
        groups.iter().skip(from).take(count).map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":")
    };
    match best {
        (_, 0) => joined(0, groups.len()),
        (at, run) => format!("{}::{}", joined(0, at), joined(at + run, groups.len())),
    }
}

fn number<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Result<u128, super::Unwind<'a>> {
    match value {
        Val::Big(number) => Ok(number.to_u128().unwrap_or(0)),
        value => Ok(u128::try_from(i.int(value)?).unwrap_or(0)),
    }
}

fn digested(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    Some(match name {
        "MD5" => md5::Md5::digest(bytes).to_vec(),
        "SHA1" => sha1::Sha1::digest(bytes).to_vec(),
        "SHA224" => sha2::Sha224::digest(bytes).to_vec(),
        "SHA256" => sha2::Sha256::digest(bytes).to_vec(),
        "SHA384" => sha2::Sha384::digest(bytes).to_vec(),
        "SHA512" => sha2::Sha512::digest(bytes).to_vec(),
        _ => return None,
    })
}

/// RFC 2104.
fn authenticated(name: &str, key: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    let block = if matches!(name, "SHA384" | "SHA512") { 128 } else { 64 };
    let mut key = if key.len() > block { digested(name, key)? } else { key.to_vec() };
    key.resize(block, 0);
    let mut inner: Vec<u8> = key.iter().map(|byte| byte ^ 0x36).collect();
    inner.extend(text);
    let mut outer: Vec<u8> = key.iter().map(|byte| byte ^ 0x5c).collect();
    outer.extend(digested(name, &inner)?);
    digested(name, &outer)
}

/// PBKDF2 of RFC 8018: `(iterations, length)` of the key.
fn stretched<'a>(
    i: &mut Interpreter<'a>,
    name: &str,
    password: &[u8],
    salt: &[u8],
    (iterations, length): (u32, usize),
) -> Run<'a, Option<Vec<u8>>> {
    let mut key = Vec::new();
    let mut number: u32 = 0;
    while key.len() < length {
        number += 1;
        let first = [salt, &number.to_be_bytes()].concat();
        let Some(mut round) = authenticated(name, password, &first) else { return Ok(None) };
        let mut block = round.clone();
        for _ in 1..iterations {
            i.step()?;
            round = authenticated(name, password, &round).unwrap_or_default();
            block.iter_mut().zip(&round).for_each(|(byte, other)| *byte ^= other);
        }
        key.extend(block);
    }
    key.truncate(length);
    Ok(Some(key))
}

/// The bits of a float that are not its sign and exponent.
const MANTISSA: u64 = (1 << 52) - 1;

fn unknown_digest<'a>(i: &Interpreter<'a>, name: &str) -> R<'a> {
    Err(i.unsupported(format!("digest {name}")))
}

pub(crate) static HELPERS: &[Method] = &[
    method("__refuse", 1, 1, |i, _, args| {
        let what = i.to_s(args.at(0))?;
        Err(i.unsupported(what))
    }),
    method("__environment_variable", 1, 1, |i, _, args| {
        let name = i.str(args.at(0))?;
        let value = i.world.environment_variable(&name).map_err(|error| i.fail(error))?;
        Ok(value.map_or(Val::Nil, |value| i.string(value)))
    }),
    method("__check_conversion", 1, 1, |i, _, args| {
        i.check_conversion(args.at(0))?;
        Ok(Val::Nil)
    }),
    // A value as complaints about conversions name it.
    method("__kind", 1, 1, |i, _, args| {
        let kind = match args.at(0) {
            Val::Nil => "nil",
            Val::Boolean(true) => "true",
            Val::Boolean(false) => "false",
            other => i.class_name(other),
        };
        Ok(i.string(kind))
    }),
    method("__deep_copy", 1, 1, |i, _, args| i.deep_copy(args.at(0))),
    method("__glob", 1, 1, |i, _, args| {
        let pattern = i.str(args.at(0))?;
        let found = i.world.glob(&pattern).map_err(|error| i.fail(error))?;
        let found = found.into_iter().map(|path| i.string(path)).collect();
        Ok(i.array(found))
    }),
    method("__list", 1, 1, |i, _, args| {
        let path = i.str(args.at(0))?;
        match i.world.list(&path).map_err(|error| i.fail(error))? {
            Some(names) => {
                let names = names.into_iter().map(|name| i.string(name)).collect();
                Ok(i.array(names))
            }
            None => {
                let message = format!("No such file or directory @ dir_initialize - {path}");
                Err(i.raise(&crate::class::ENOENT, message))
            }
        }
    }),
    // A float as a fraction, exactly.
    method("__float_parts", 1, 1, |i, _, args| {
        let Val::Float(number) = args.at(0) else { return Ok(Val::Nil) };
        let bits = number.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64;
        let mantissa = if exponent == 0 { (bits & MANTISSA) << 1 } else { bits & MANTISSA | 1 << 52 };
        let sign = if bits >> 63 == 1 { -1 } else { 1 };
        let mantissa = BigInt::from(mantissa) * sign;
        let power = exponent - 1075;
        let shift = power.unsigned_abs();
        let (above, below) = if power >= 0 {
            (mantissa << shift, BigInt::from(1))
        } else {
            (mantissa, BigInt::from(1) << shift)
        };
        let parts = vec![i.heap.whole(above), i.heap.whole(below)];
        Ok(i.array(parts))
    }),
    method("Rational", 1, 3, |i, _, args| {
        let class = i.constant("Rational", i.outside)?;
        i.send_with(class, "__of", args)
    }),
    method("__ip_parse", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        let (family, number) = match text.parse() {
            Ok(IpAddr::V4(address)) => (2, u128::from(u32::from(address))),
            Ok(IpAddr::V6(address)) => (10, u128::from(address)),
            Err(_) => return Ok(Val::Nil),
        };
        let number = i.heap.whole(BigInt::from(number));
        Ok(i.array(vec![Val::Integer(family), number]))
    }),
    method("__ip_text", 2, 2, |i, _, args| {
        let (family, number) = (i.int(args.at(0))?, number(i, args.at(1))?);
        Ok(i.string(ip_text(family, number)))
    }),
    method("__digest", 2, 2, |i, _, args| {
        let name = i.str(args.at(0))?;
        let bytes = bytes_of(i, args.at(1))?;
        match digested(&name, &bytes) {
            Some(digest) => Ok(i.string(hex(&digest))),
            None => unknown_digest(i, &name),
        }
    }),
    method("__hmac", 3, 3, |i, _, args| {
        let name = i.str(args.at(0))?;
        let (key, text) = (bytes_of(i, args.at(1))?, bytes_of(i, args.at(2))?);
        match authenticated(&name, &key, &text) {
            Some(digest) => Ok(i.string(hex(&digest))),
            None => unknown_digest(i, &name),
        }
    }),
    method("__pbkdf2", 5, 5, |i, _, args| {
        let name = i.str(args.at(0))?;
        let (password, salt) = (bytes_of(i, args.at(1))?, bytes_of(i, args.at(2))?);
        let (iterations, length) = (i.int(args.at(3))?, i.int(args.at(4))?);
        let (Ok(iterations), Ok(length)) = (u32::try_from(iterations), usize::try_from(length)) else {
            return Err(i.raise(&class::ARGUMENT_ERROR, "iterations and length must be positive"));
        };
        match stretched(i, &name, &password, &salt, (iterations, length))? {
            Some(key) => Ok(i.string(hex(&key))),
            None => unknown_digest(i, &name),
        }
    }),
    method("__render_erb", 3, 3, |i, _, args| {
        let (text, trim) = (i.str(args.at(0))?, i.to_s(args.at(1))?);
        let Some(trim) = crate::erb::Trim::from_name(&trim) else {
            return Err(i.unsupported(format!("ERB with the trim mode {trim}")));
        };
        i.render_erb(&text, trim, args.at(2))
    }),
    method("URI", 1, 1, |i, _, args| {
        if let Val::Object(_) = args.at(0) {
            return Ok(args.at(0));
        }
        let uri = i.constant("URI", i.outside)?;
        i.send(uri, "parse", args.values)
    }),
];

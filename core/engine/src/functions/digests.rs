//! Digests: `md5`, `sha1`, `sha256`, `digest`; and `fqdn_rand`, whose numbers are made from one.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::{legacy, ruby, variable};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::ruby::random::Random;
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::legacy("md5", 1, true, &[Dispatch::new("", |call| digest_of(call, hexadecimal::<Md5>))]),
    BuiltIn::legacy("sha1", 1, true, &[Dispatch::new("", |call| digest_of(call, hexadecimal::<Sha1>))]),
    BuiltIn::legacy("sha256", 1, true, &[Dispatch::new("", |call| digest_of(call, hexadecimal::<Sha256>))]),
    BuiltIn::legacy("digest", 1, true, &[Dispatch::new("", digest)]),
    BuiltIn::legacy("fqdn_rand", -2, true, &[Dispatch::new("", fqdn_rand)]),
];

/// The number of bytes that are digested between two checks of the limits, and that count as as many steps.
const PIECE: usize = 1 << 20;
const STEPS_OF_PIECE: u64 = 1 << 16;

/// A digest of bytes.
type Algorithm = fn(&[u8], &dyn Fuel) -> Result<String, Error>;

fn hexadecimal<D: Digest>(text: &[u8], fuel: &dyn Fuel) -> Result<String, Error> {
    let mut digest = D::new();
    for piece in text.chunks(PIECE) {
        if piece.len() == PIECE {
            fuel.charge(STEPS_OF_PIECE)?;
        }
        digest.update(piece);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn digest_of(call: &Call<'_, '_>, algorithm: Algorithm) -> Evaluated {
    if let Value::ByteString(bytes) = call.argument(0) {
        return Ok(algorithm(bytes.bytes(), call.fuel())?.into());
    }
    match legacy::arguments(call).first() {
        Some(Value::String(text)) => Ok(algorithm(text.as_bytes(), call.fuel())?.into()),
        other => Err(legacy::no_string(other.unwrap_or(&Value::Undef)).into()),
    }
}

/// The digest that the setting `digest_algorithm` names.
fn digest(call: &Call<'_, '_>) -> Evaluated {
    let settings = &call.evaluator.environment.settings.others;
    let setting = settings.iter().find(|(name, _)| name == "digest_algorithm");
    let algorithm: Algorithm = match setting.and_then(|(_, value)| value.as_str()).unwrap_or("sha256") {
        "md5" => hexadecimal::<Md5>,
        "sha224" => hexadecimal::<Sha224>,
        "sha384" => hexadecimal::<Sha384>,
        "sha512" => hexadecimal::<Sha512>,
        _ => hexadecimal::<Sha256>,
    };
    digest_of(call, algorithm)
}

fn fqdn_rand(call: &Call<'_, '_>) -> Evaluated {
    let arguments = legacy::arguments(call);
    let max = match arguments.first().unwrap_or(&Value::Undef) {
        Value::Undef => Some(0),
        Value::Integer(number) => Some(i128::from(*number)),
        Value::Float(number) if number.is_finite() => Some(number.trunc() as i128),
        Value::String(text) => ruby::to_i(text),
        other => {
            let message =
                format!("fqdn_rand(): the maximum is a number, not of the class {}", ruby::class_name(other));
            return Err(Error::internal(message).into());
        }
    };
    let facts = variable(call, "facts")?.unwrap_or_default();
    let inner = |value: &Value, key: &str| match value {
        Value::Hash(hash) => hash.get(&Value::from(key)).cloned().unwrap_or_default(),
        _ => Value::Undef,
    };
    let mut fqdn = inner(&inner(&facts, "networking"), "fqdn");
    if arguments.get(2).is_some_and(Value::is_truthy) {
        fqdn = match &fqdn {
            Value::String(text) => downcase(text).into(),
            other => {
                let message = format!(
                    "fqdn_rand(): the fact networking.fqdn is a String, not of the class {}",
                    ruby::class_name(other)
                );
                return Err(Error::internal(message).into());
            }
        };
    }
    let number = max.and_then(|max| i64::try_from(max).ok());
    let invalid = || Error::argument(format!("invalid argument - {}", max.unwrap_or_default()));
    let limit = number.filter(|&max| max > 0).ok_or_else(invalid)?;
    let seed = arguments.get(1).cloned().unwrap_or_default();
    let text = ruby::join(&[fqdn, limit.into(), seed], ":", call.fuel())?;
    let words: Vec<u32> = Md5::digest(text.as_bytes())
        .rchunks(4)
        .map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | u32::from(byte)))
        .collect();
    let number = Random::new(&words).up_to(limit.unsigned_abs() - 1);
    Ok(Value::Integer(number as i64))
}

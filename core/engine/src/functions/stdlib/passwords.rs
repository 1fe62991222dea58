//! Hashes of passwords: `pw_hash` (SHA-256 and SHA-512 of `crypt(3)`, and its MD5), `str2saltedpbkdf2`,
//! `str2saltedsha512`.

use md5::Md5;
use sha_crypt::{CryptError, Sha256Params, Sha512Params};
use sha2::{Digest, Sha256, Sha512};

use super::{ruby, rvalue};
use crate::eval::{BuiltIn, Call, Evaluated};
use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("pw_hash", 3, pw_hash),
    rvalue!("str2saltedpbkdf2", str2saltedpbkdf2),
    rvalue!("str2saltedsha512", str2saltedsha512),
];

/// The longest password that `crypt(3)` takes, in bytes.
const MAX_PASSWORD_LENGTH: usize = 511;

/// A value, or the content of a Sensitive.
fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Sensitive(value) => value,
        other => other,
    }
}

fn pw_hash(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [password, kind, salt] = arguments else {
        return Err(call.fail(format!("pw_hash(): wrong number of arguments ({} for 3)", arguments.len())));
    };
    let password = match unwrapped(password) {
        Value::String(password) => password.as_str(),
        Value::Undef => "",
        _ => return Err(call.fail("pw_hash(): first argument must be a string")),
    };
    let Value::String(kind) = unwrapped(kind) else {
        return Err(call.fail("pw_hash(): second argument must be a string"));
    };
    let crypt: fn(&[u8], &str) -> Result<String, CryptError> = match kind.to_lowercase().as_str() {
        "md5" => |password, salt| Ok(md5_crypt(password, salt)),
        "sha-256" => |password, salt| sha_crypt(5, password, salt),
        "sha-512" => |password, salt| sha_crypt(6, password, salt),
        "bcrypt" | "bcrypt-a" | "bcrypt-x" | "bcrypt-y" => {
            return Err(call.fail("pw_hash(): bcrypt is not supported"));
        }
        _ => return Err(call.fail(format!("pw_hash(): {kind} is not a valid hash type"))),
    };
    let Value::String(salt) = unwrapped(salt) else {
        return Err(call.fail("pw_hash(): third argument must be a string"));
    };
    if salt.is_empty() {
        return Err(call.fail("pw_hash(): third argument must not be empty"));
    }
    if !salt.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/')) {
        return Err(call.fail("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]"));
    }
    if password.is_empty() {
        return Ok(Value::Undef);
    }
    if password.len() > MAX_PASSWORD_LENGTH {
        return Err(Error::internal("Numerical result out of range - crypt").into());
    }
    // This takes a millisecond, and the next nodes have the same passwords.
    let digest: [u8; 32] = [kind.as_bytes(), salt.as_bytes(), password.as_bytes()]
        .iter()
        .fold(Sha256::new(), |digest, part| digest.chain_update(part).chain_update([0]))
        .finalize()
        .into();
    let hash = || {
        let failed = |error: CryptError| Error::internal(format!("{error:?} - crypt"));
        crypt(password.as_bytes(), salt).map(String::into_bytes).map_err(failed)
    };
    let hash = call.evaluator.environment.caches.password_hashes.get(&digest, hash);
    // The result of crypt(3) has no encoding.
    Ok(Value::byte_string(Result::clone(&hash)?))
}

/// The letters of `crypt(3)`, six bits each, the lowest first.
const LETTERS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Writes the bytes at these positions, in groups of three; positions beyond the digest are zero and their
/// letters are left out.
fn write_letters(digest: &[u8], order: &[u8], out: &mut String) {
    for group in order.chunks(3) {
        let missing = group.iter().filter(|&&at| usize::from(at) >= digest.len()).count();
        let mut bits = group.iter().fold(0_u32, |bits, &at| {
            bits << 8 | u32::from(digest.get(usize::from(at)).copied().unwrap_or(0))
        });
        for _ in 0..4 - missing {
            out.push(char::from(LETTERS[(bits & 63) as usize]));
            bits >>= 6;
        }
    }
}

/// No byte of a digest.
const NONE: u8 = 255;

/// The fixed number of rounds of SHA-crypt; it cannot be set.
const ROUNDS: usize = 5_000;

/// The longest salt of SHA-crypt, in bytes.
const SALT_OF_SHA: usize = 16;

/// SHA-crypt by its number in `crypt(3)`: 5 for SHA-256, 6 for SHA-512.
fn sha_crypt(number: u8, password: &[u8], salt: &str) -> Result<String, CryptError> {
    let salt = &salt[..salt.len().min(SALT_OF_SHA)];
    let hash = match number {
        5 => sha_crypt::sha256_crypt_b64(password, salt.as_bytes(), &Sha256Params::new(ROUNDS)?)?,
        _ => sha_crypt::sha512_crypt_b64(password, salt.as_bytes(), &Sha512Params::new(ROUNDS)?)?,
    };
    Ok(format!("${number}${salt}${hash}"))
}

/// The MD5 of `crypt(3)`, as Poul-Henning Kamp wrote it.
fn md5_crypt(password: &[u8], salt: &str) -> String {
    let salt = &salt[..salt.len().min(8)];
    let alternate = Md5::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut first = Md5::new().chain_update(password).chain_update("$1$").chain_update(salt);
    first.update(alternate.iter().copied().cycle().take(password.len()).collect::<Vec<u8>>());
    let mut bits = password.len();
    while bits > 0 {
        if bits & 1 == 1 {
            first.update([0])
        } else {
            first.update(&password[..1])
        }
        bits >>= 1;
    }
    let mut digest = first.finalize();
    for round in 0..1000 {
        let mut next = Md5::new();
        if round % 2 == 1 {
            next.update(password)
        } else {
            next.update(digest)
        }
        if round % 3 != 0 {
            next.update(salt);
        }
        if round % 7 != 0 {
            next.update(password);
        }
        if round % 2 == 1 {
            next.update(digest)
        } else {
            next.update(password)
        }
        digest = next.finalize();
    }
    let mut out = format!("$1${salt}$");
    write_letters(&digest, &[0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 4, 10, 5, NONE, NONE, 11], &mut out);
    out
}

fn str2saltedpbkdf2(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let name = "str2saltedpbkdf2()";
    let [password, salt, iterations] = arguments else {
        return Err(call.fail(format!("{name}: wrong number of arguments ({} for 3)", arguments.len())));
    };
    let Value::String(password) = unwrapped(password) else {
        return Err(call.fail(format!("{name}: first argument must be a string")));
    };
    let Value::String(salt) = unwrapped(salt) else {
        return Err(call.fail(format!("{name}: second argument must be a string")));
    };
    if salt.len() < 8 {
        return Err(call.fail(format!("{name}: second argument must be at least 8 bytes long")));
    }
    let Value::Integer(iterations) = *unwrapped(iterations) else {
        return Err(call.fail(format!("{name}: third argument must be an integer")));
    };
    if !(40_001..70_000).contains(&iterations) {
        return Err(call.fail(format!("{name}: third argument must be between 40,000 and 70,000")));
    }
    let mut key = Vec::with_capacity(128);
    // A key that is longer than a block is replaced by its digest.
    let digest = Sha512::digest(password.as_bytes());
    let password = if password.len() > 128 { digest.as_slice() } else { password.as_bytes() };
    for block in 1..=2_u32 {
        let mut last = hmac(password, &[salt.as_bytes(), &block.to_be_bytes()]);
        let mut sum = last;
        for _ in 1..iterations {
            call.charge_steps(1)?;
            last = hmac(password, &[&last]);
            sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
        }
        key.extend(sum);
    }
    Ok(Value::hash([
        ("password_hex".into(), hexadecimal(&key).into()),
        ("salt_hex".into(), hexadecimal(salt.as_bytes()).into()),
        ("iterations".into(), iterations.into()),
    ]))
}

/// A password's digest after a new random salt, as macOS 10.7 stored it.
fn str2saltedsha512(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let name = "str2saltedsha512()";
    let [password] = arguments else {
        let given = arguments.len();
        let message = format!("{name}: Wrong number of arguments passed ({given} but we require 1)");
        return Err(call.fail(message));
    };
    let Value::String(password) = password else {
        let class = ruby::class_name(password);
        return Err(call.fail(format!("{name}: Requires a String argument, you passed: {class}")));
    };
    let salt = super::random::by_chance(call)?.up_to((1 << 31) - 2) as u32;
    let salt = salt.to_le_bytes();
    let digest = Sha512::new().chain_update(salt).chain_update(password.as_bytes()).finalize();
    Ok((hexadecimal(&salt) + &hexadecimal(&digest)).into())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// HMAC with SHA-512.
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 64] {
    let mut block = [0_u8; 128];
    if key.len() > block.len() {
        block[..64].copy_from_slice(&Sha512::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha512::new().chain_update(block.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    Sha512::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hashed_as_crypt_does() {
        assert_eq!(
            sha_crypt(6, b"password", "salt").unwrap_or_default(),
            "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g."
        );
        assert_eq!(
            sha_crypt(5, b"Hello world!", "saltstringsaltstring").unwrap_or_default(),
            "$5$saltstringsaltst$a5C8Ofk71MUIoKve2QuP9FMl.dwNgseF5tR1LGAL7iB"
        );
        assert_eq!(md5_crypt(b"test", "1"), "$1$1$Bp8CU9Oujr9SSEw53WV6G.");
    }
}

//! Encrypted YAML: values with `ENC[PKCS7,…]` in them, as the gem `hiera-eyaml` writes them.
//!
//! Follows the reference's `functions/eyaml_lookup_key.rb`. The private key is named by the option `pkcs7_private_key`. What
//! is encrypted is a CMS message (RFC 5652) for an RSA key, its content in AES-CBC.

use std::rc::Rc;

use aes::cipher::{BlockDecryptMut, KeyIvInit, block_padding::Pkcs7};
use base64::Engine as _;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};

use super::DataFormat;
use crate::diagnostic::Error;
use crate::hiera::context::FunctionContext;
use crate::hiera::interpolate::{Interpolation, interpolate};
use crate::hiera::invocation::{Found, Invocation, Session, Stop, lookup_error};
use crate::pcore::value::{Hash, Str, Value};

/// The value of a key in a file, decrypted and interpolated.
///
/// Errors: there is no path, the file cannot be parsed, a value cannot be decrypted.
pub(in crate::hiera) fn lookup_key(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    context: &FunctionContext,
    key: &Str,
    options: &Hash,
) -> Found {
    if let Some(value) = context.cache.borrow().get(&Value::String(key.clone())) {
        return Ok(value.clone());
    }
    let Some(path) = options.get(&Value::from("path")).and_then(Value::as_str) else {
        return Err(Error::argument(
            "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
             when using this lookup_key function",
        )
        .into());
    };
    let data = DataFormat::Yaml.read(session.evaluator, path)?;
    let Value::Hash(data) = &data else { return Err(Stop::NoSuchKey) };
    let value = data.get(&Value::String(key.clone())).ok_or(Stop::NoSuchKey)?;
    let reader = Reader { session, invocation, options, key, path };
    let value = reader.decrypted(value, 0)?;
    context.cache.borrow_mut().insert(Value::String(key.clone()), value.clone());
    Ok(value)
}

struct Reader<'r, 'a, 'e> {
    session: Session<'a, 'e>,
    invocation: &'r Rc<Invocation>,
    options: &'r Hash,
    key: &'r str,
    path: &'r str,
}

impl Reader<'_, '_, '_> {
    fn decrypted(&self, value: &Value, depth: usize) -> Found {
        match value {
            Value::String(text) => self.text(text),
            Value::Hash(_) | Value::Array(_) if depth > 500 => {
                Err(Error::internal("stack level too deep").into())
            }
            Value::Hash(hash) => {
                let mut result = Hash::default();
                for (key, value) in hash.iter() {
                    let key = interpolate(self.session, self.invocation, key, Interpolation::DATA)?;
                    result.insert(key, self.decrypted(value, depth + 1)?);
                }
                Ok(Value::from(result))
            }
            Value::Array(list) => {
                let values = list.iter().map(|value| self.decrypted(value, depth + 1));
                values.collect::<Found<Vec<_>>>().map(Value::from)
            }
            value => Ok(value.clone()),
        }
    }

    fn text(&self, text: &str) -> Found {
        let plain = self.plain_text(text).map_err(|message| {
            lookup_error(format!(
                "hiera-eyaml backend error decrypting {text} when looking up {} in {}. Error was {message}",
                self.key, self.path
            ))
        })?;
        let plain = plain.map_or_else(|| Value::from(text), Value::from);
        interpolate(self.session, self.invocation, &plain, Interpolation::DATA)
    }

    /// A text with its encrypted parts decrypted; `None` when it has none.
    fn plain_text(&self, text: &str) -> Result<Option<String>, String> {
        let mut result = String::new();
        let mut rest = text;
        let mut found = false;
        while let Some(at) = rest.find("ENC[") {
            let Some(length) = rest[at..].find(']') else { break };
            found = true;
            result.push_str(&rest[..at]);
            let content = &rest[at + 4..at + length];
            let (scheme, encoded) = content.split_once(',').unwrap_or(("PKCS7", content));
            if scheme != "PKCS7" {
                return Err(format!("the encryption {scheme} is not supported"));
            }
            result.push_str(&self.decrypt(encoded)?);
            rest = &rest[at + length + 1..];
        }
        if !found {
            return Ok(None);
        }
        result.push_str(rest);
        let line = result.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        Ok(Some(line.map(str::to_owned).unwrap_or(result)))
    }

    fn decrypt(&self, encoded: &str) -> Result<String, String> {
        let compact: String = encoded.chars().filter(|char| !char.is_whitespace()).collect();
        let message = base64::engine::general_purpose::STANDARD
            .decode(compact)
            .map_err(|error| format!("the text is no base64: {error}"))?;
        let path = self.options.get(&Value::from("pkcs7_private_key")).and_then(Value::as_str);
        let path = path.ok_or("pkcs7_private_key is not defined")?;
        let host = &self.session.environment().host;
        let pem = host.read(path).map_err(|error| error.to_string())?;
        let pem = String::from_utf8(pem).map_err(|_| "the private key is no PEM".to_owned())?;
        let key = RsaPrivateKey::from_pkcs8_pem(&pem)
            .map_err(|error| error.to_string())
            .or_else(|_| RsaPrivateKey::from_pkcs1_pem(&pem).map_err(|error| error.to_string()))?;
        let plain = open_envelope(&message, &key).ok_or("the message cannot be decrypted with this key")?;
        Ok(String::from_utf8_lossy(&plain).into_owned())
    }
}

/// The content of an enveloped CMS message that is meant for a key.
fn open_envelope(message: &[u8], key: &RsaPrivateKey) -> Option<Vec<u8>> {
    let (content_info, _) = element(message, 0x30)?;
    let (_, rest) = element(content_info, 0x06)?;
    let (enveloped, _) = element(rest, 0xA0)?;
    let (enveloped, _) = element(enveloped, 0x30)?;
    let (_, rest) = element(enveloped, 0x02)?;
    let rest = element(rest, 0xA0).map_or(rest, |(_, rest)| rest);
    let (mut recipients, rest) = element(rest, 0x31)?;
    let (encrypted, _) = element(rest, 0x30)?;
    let (_, rest) = element(encrypted, 0x06)?;
    let (algorithm, rest) = element(rest, 0x30)?;
    let (cipher, parameters) = element(algorithm, 0x06)?;
    let (vector, _) = element(parameters, 0x04)?;
    let content = match element(rest, 0x80) {
        Some((content, _)) => content.to_vec(),
        None => octets(element(rest, 0xA0)?.0)?,
    };
    while !recipients.is_empty() {
        let Some((recipient, rest)) = element(recipients, 0x30) else { break };
        recipients = rest;
        let secret = encrypted_key(recipient).and_then(|secret| key.decrypt(Pkcs1v15Encrypt, secret).ok());
        if let Some(plain) = secret.and_then(|secret| decrypt_content(cipher, &secret, vector, &content)) {
            return Some(plain);
        }
    }
    None
}

/// The encrypted key of a recipient: the last member of its description.
fn encrypted_key(recipient: &[u8]) -> Option<&[u8]> {
    let (_, rest) = element(recipient, 0x02)?;
    let (_, rest) = element(rest, 0x30).or_else(|| element(rest, 0x80))?;
    let (_, rest) = element(rest, 0x30)?;
    Some(element(rest, 0x04)?.0)
}

/// The octets of a text that is written in pieces.
fn octets(mut pieces: &[u8]) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    while !pieces.is_empty() {
        let (piece, rest) = element(pieces, 0x04)?;
        all.extend_from_slice(piece);
        pieces = rest;
    }
    Some(all)
}

/// The content and the rest behind a DER element with this tag.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let (&length, rest) = rest.split_first()?;
    if first != tag {
        return None;
    }
    let (length, rest) = match length {
        0..=0x7F => (usize::from(length), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7F))?;
            (digits.iter().fold(0usize, |sum, digit| sum << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// Decrypts with a cipher known by its object identifier.
fn decrypt_content(cipher: &[u8], key: &[u8], vector: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    const AES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01];
    match cipher.strip_prefix(AES)? {
        [2] => cbc::Decryptor::<aes::Aes128>::new_from_slices(key, vector)
            .ok()?
            .decrypt_padded_vec_mut::<Pkcs7>(content)
            .ok(),
        [22] => cbc::Decryptor::<aes::Aes192>::new_from_slices(key, vector)
            .ok()?
            .decrypt_padded_vec_mut::<Pkcs7>(content)
            .ok(),
        [42] => cbc::Decryptor::<aes::Aes256>::new_from_slices(key, vector)
            .ok()?
            .decrypt_padded_vec_mut::<Pkcs7>(content)
            .ok(),
        _ => None,
    }
}

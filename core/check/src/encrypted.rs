//! Encrypted values in data: `ENC[PKCS7,…]`.

use bunraku_host::{self as host, FILE_SIZE, Host, Reading};
#[cfg(feature = "eyaml")]
use bunraku_pcore::binary::from_base64_lenient;
#[cfg(feature = "eyaml")]
use bunraku_pcore::formats::pkcs7;
use bunraku_pcore::value::Value;

/// The maximum depth of values that are looked at.
const MAX_DEPTH: u32 = 64;

/// The keys of a level, as they stand in its files.
#[derive(Debug)]
#[cfg_attr(not(feature = "eyaml"), expect(dead_code, reason = "only they open messages"))]
pub(crate) struct Keys {
    private: Vec<u8>,
    public: Vec<u8>,
}

impl Keys {
    /// The keys that the options of a level name, if both are here.
    pub fn of(host: &dyn Host, options: Option<&Value>) -> Option<Self> {
        let Value::Hash(options) = options? else { return None };
        let read = |name: &str| {
            let path = options.get(&Value::from(name))?.as_str()?;
            host::read(host, path, &Reading::of_size(FILE_SIZE)).ok()
        };
        Some(Self { private: read("pkcs7_private_key")?, public: read("pkcs7_public_key")? })
    }
}

/// Why an encrypted part cannot be decrypted, with the keys if they are here.
#[cfg(feature = "eyaml")]
fn refusal(cipher: &str, keys: Option<&Keys>) -> Option<String> {
    let message = from_base64_lenient(cipher);
    if !pkcs7::is_message(&message) {
        return Some("the text is no message".to_owned());
    }
    let keys = keys?;
    let open = || {
        let (key, certificate) = (pkcs7::private_key(&keys.private)?, pkcs7::certificate(&keys.public)?);
        pkcs7::open(&message, &key, &certificate).map_err(str::to_owned)
    };
    open().err()
}

#[cfg(not(feature = "eyaml"))]
fn refusal(_: &str, _: Option<&Keys>) -> Option<String> {
    None
}

/// Why the encrypted texts in a value are not decrypted; `keys` is `None` in a level that decrypts nothing,
/// and has no keys in one whose keys are not here.
pub(crate) fn problem(value: &Value, keys: Option<Option<&Keys>>) -> Option<String> {
    in_value(value, keys, 0)
}

fn in_value(value: &Value, keys: Option<Option<&Keys>>, depth: u32) -> Option<String> {
    match value {
        _ if depth > MAX_DEPTH => None,
        Value::String(text) => in_text(text, keys),
        Value::Array(list) => list.iter().find_map(|value| in_value(value, keys, depth + 1)),
        Value::Hash(hash) => hash.values().find_map(|value| in_value(value, keys, depth + 1)),
        _ => None,
    }
}

fn in_text(text: &str, keys: Option<Option<&Keys>>) -> Option<String> {
    let mut parts = text.split("ENC[PKCS7,").skip(1).filter_map(|rest| rest.split_once(']'));
    let Some(keys) = keys else {
        let is_there = parts.next().is_some();
        return is_there.then(|| "is encrypted, and the backend of its level does not decrypt it".to_owned());
    };
    let refused = parts.find_map(|(cipher, _)| refusal(cipher, keys));
    refused.map(|reason| format!("cannot be decrypted: {reason}"))
}

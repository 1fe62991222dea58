//! Bytes as base64 and back, strict or lenient as Ruby's base64 library.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use bunraku_syntax::diagnostic::Error;

/// Base64 on one line.
pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Base64 in lines of 60 characters, each with its newline.
pub fn to_base64_lines(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(45) {
        out.push_str(&STANDARD.encode(chunk));
        out.push('\n');
    }
    out
}

/// Base64 with `-` and `_` instead of `+` and `/`.
pub fn to_base64_urlsafe(bytes: &[u8]) -> String {
    URL_SAFE.encode(bytes)
}

fn invalid() -> Error {
    Error::argument("invalid base64")
}

/// Reads base64 that must be whole and without anything else.
///
/// # Errors
/// When it is not.
pub fn from_base64(text: &str) -> Result<Vec<u8>, Error> {
    STANDARD.decode(text).map_err(|_| invalid())
}

/// Reads base64 of the URL alphabet; the padding may be missing.
///
/// # Errors
/// When it is not base64.
pub fn from_base64_urlsafe(text: &str) -> Result<Vec<u8>, Error> {
    let mut text = text.replace('-', "+").replace('_', "/");
    if !text.ends_with('=') {
        let missing = (4 - text.len() % 4) % 4;
        text.push_str(&"=".repeat(missing));
    }
    from_base64(&text)
}

/// Decodes base64 and skips all other characters, up to the padding.
pub fn from_base64_lenient(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut out, mut pending) = (Vec::new(), Vec::new());
    for byte in text.bytes() {
        match digit(byte) {
            Some(value) => pending.push(value),
            None if byte == b'=' && pending.len() >= 2 => break,
            None => continue,
        }
        if let [a, b, c, d] = *pending.as_slice() {
            out.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
            pending.clear();
        }
    }
    match *pending.as_slice() {
        [a, b] => out.push(a << 2 | b >> 4),
        [a, b, c] => out.extend([a << 2 | b >> 4, b << 4 | c >> 2]),
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_both_ways() {
        assert_eq!(to_base64(b"\xfb\xff"), "+/8=");
        assert_eq!(to_base64_urlsafe(b"\xfb\xff"), "-_8=");
        assert_eq!(from_base64_urlsafe("-_8").unwrap(), b"\xfb\xff");
        assert_eq!(from_base64_lenient("aGV s\nbG8"), b"hello");
        assert!(from_base64("aGVsbG8").is_err());
    }
}

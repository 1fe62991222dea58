//! Texts of bytes without an encoding: Ruby's strings in `ASCII-8BIT`.
//!
//! YAML's `!!binary`, `crypt(3)` and functions that decode base64 make them. The language treats them as
//! strings; a catalog shows them as `Binary`, and PuppetDB receives their base64.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::value::{Str, Value, shared};

/// The first of the characters that represent bytes.
const PRIVATE: u32 = 0x10_f700;

fn character_of(byte: u8) -> char {
    let private = || char::from_u32(PRIVATE + u32::from(byte));
    if byte.is_ascii() { char::from(byte) } else { private().unwrap_or(char::REPLACEMENT_CHARACTER) }
}

/// A text of bytes without encoding.
#[derive(Clone, Debug)]
pub struct ByteString {
    bytes: Vec<u8>,
    text: Str,
}

impl ByteString {
    /// A text from bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let text = shared(&String::from_utf8_lossy(&bytes));
        Self { bytes, text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes read as UTF-8; invalid ones are replaced.
    pub const fn text(&self) -> &Str {
        &self.text
    }

    /// Whether it equals a text: only ASCII texts do.
    pub fn is_text(&self, text: &str) -> bool {
        self.bytes.is_ascii() && self.text == text
    }

    /// A text with one character for each byte: non-ASCII bytes become private-use characters, which have no
    /// case and belong to no class.
    pub fn characters(&self) -> String {
        self.bytes.iter().map(|&byte| character_of(byte)).collect()
    }

    /// Applies a change to the text, byte by byte.
    pub fn changed(&self, change: impl FnOnce(&str) -> String) -> Value {
        Self::of_characters(&change(&self.characters()))
    }

    /// The bytes of a text from [`characters`](Self::characters).
    pub fn of_characters(characters: &str) -> Value {
        let mut bytes = Vec::with_capacity(characters.len());
        for character in characters.chars() {
            let byte = u32::from(character).checked_sub(PRIVATE).and_then(|byte| u8::try_from(byte).ok());
            match byte {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Value::byte_string(bytes)
    }
}

impl PartialEq for ByteString {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Hash for ByteString {
    /// The same as for the text that it equals.
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.bytes.is_ascii() { self.text.hash(state) } else { self.bytes.hash(state) }
    }
}

impl Value {
    /// A text of bytes without encoding.
    pub fn byte_string(bytes: Vec<u8>) -> Self {
        Self::ByteString(Arc::new(ByteString::new(bytes)))
    }

    /// The value, with a text without encoding converted to UTF-8.
    pub fn in_utf8(&self) -> Cow<'_, Self> {
        match self {
            Self::ByteString(bytes) => Cow::Owned(Self::String(bytes.text.clone())),
            other => Cow::Borrowed(other),
        }
    }

    /// A part of this text, which has an encoding if this text has one.
    pub fn part(&self, part: &str) -> Self {
        match self {
            Self::ByteString(_) => Self::byte_string(part.as_bytes().to_vec()),
            _ => part.into(),
        }
    }

    /// Applies a change to a text, with or without encoding; `None` if the value is not a text.
    pub fn map_text(&self, change: impl FnOnce(&str) -> String) -> Option<Self> {
        match self {
            Self::String(text) => Some(change(text).into()),
            Self::ByteString(bytes) => Some(bytes.changed(change)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ascii_equals_text_and_changes_leave_other_bytes_alone() {
        let accent = Value::byte_string("aé".into());
        assert_eq!(Value::byte_string(b"a".to_vec()), Value::from("a"));
        assert_ne!(accent, Value::from("aé"));
        assert_eq!(accent.map_text(str::to_uppercase), Some(Value::byte_string("Aé".into())));
    }
}

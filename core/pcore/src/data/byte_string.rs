//! Texts of bytes that nobody has given an encoding: strings of `ASCII-8BIT`, in Ruby's words.
//!
//! YAML's `!!binary`, `crypt(3)` and whatever decodes base64 make them. The language takes them for strings;
//! a catalog shows them as `Binary`, and PuppetDB gets their base64.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::value::{Str, Value, shared};

/// Where the characters that stand for bytes begin.
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
    /// The bytes as such a text.
    pub fn new(bytes: Vec<u8>) -> Self {
        let text = shared(&String::from_utf8_lossy(&bytes));
        Self { bytes, text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes read as UTF-8; what is none is replaced.
    pub const fn text(&self) -> &Str {
        &self.text
    }

    /// Whether it equals a text: only what is ASCII does.
    pub fn is_text(&self, text: &str) -> bool {
        self.bytes.is_ascii() && self.text == text
    }

    /// A text with one character for each byte: those beyond ASCII are characters for private use, which have
    /// no case and belong to no class.
    pub fn characters(&self) -> String {
        self.bytes.iter().map(|&byte| character_of(byte)).collect()
    }

    /// What a change makes of the text, byte by byte.
    pub fn changed(&self, change: impl FnOnce(&str) -> String) -> Value {
        Self::of_characters(&change(&self.characters()))
    }

    /// The bytes that a text made by [`characters`](Self::characters) stands for.
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
    /// As the text that it equals.
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.bytes.is_ascii() { self.text.hash(state) } else { self.bytes.hash(state) }
    }
}

impl Value {
    /// A text of bytes without encoding.
    pub fn byte_string(bytes: Vec<u8>) -> Self {
        Self::ByteString(Arc::new(ByteString::new(bytes)))
    }

    /// The value, as a text in UTF-8 where it is a text without encoding.
    pub fn in_utf8(&self) -> Cow<'_, Self> {
        match self {
            Self::ByteString(bytes) => Cow::Owned(Self::String(bytes.text.clone())),
            other => Cow::Borrowed(other),
        }
    }

    /// A part of this text, which has an encoding if this one has.
    pub fn part(&self, part: &str) -> Self {
        match self {
            Self::ByteString(_) => Self::byte_string(part.as_bytes().to_vec()),
            _ => part.into(),
        }
    }

    /// What a change makes of a text, with or without encoding; nothing when the value is no text.
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

//! Joins texts with and without encoding by Ruby's rule: the first part with non-ASCII content determines the
//! encoding, or if there is none, the first part.

use super::string::to_string;
use crate::data::value::{Value, shared};
use bunraku_syntax::diagnostic::Error;

/// A join of texts with and without encoding.
#[derive(Debug, Default)]
pub struct Joined {
    bytes: Vec<u8>,
    /// Whether the joined text has no encoding; `None` before the first part.
    is_bytes: Option<bool>,
}

impl Joined {
    /// Adds a value, in its plain form.
    ///
    /// # Errors
    /// Both sides contain non-ASCII text, and only one has an encoding.
    pub fn push(&mut self, part: &Value) -> Result<(), Error> {
        match part {
            Value::ByteString(bytes) => self.add(bytes.bytes(), true),
            Value::String(text) => self.add(text.as_bytes(), false),
            other => self.add(to_string(other).as_bytes(), false),
        }
    }

    fn add(&mut self, part: &[u8], is_bytes: bool) -> Result<(), Error> {
        match self.is_bytes {
            None => self.is_bytes = Some(is_bytes),
            Some(mine) if mine != is_bytes && !part.is_ascii() => {
                if !self.bytes.is_ascii() {
                    let name = |is_bytes| if is_bytes { "ASCII-8BIT" } else { "UTF-8" };
                    return Err(Error::argument(format!(
                        "incompatible character encodings: {} and {}",
                        name(mine),
                        name(is_bytes)
                    )));
                }
                self.is_bytes = Some(is_bytes);
            }
            Some(_) => {}
        }
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    /// The number of joined bytes.
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The joined text.
    pub fn finish(self) -> Value {
        if self.is_bytes == Some(true) {
            return Value::byte_string(self.bytes);
        }
        Value::String(shared(&String::from_utf8_lossy(&self.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(parts: &[Value]) -> Result<Value, String> {
        let mut joined = Joined::default();
        parts.iter().try_for_each(|part| joined.push(part)).map_err(|error| error.message)?;
        Ok(joined.finish())
    }

    #[test]
    fn the_first_part_beyond_ascii_decides_and_else_the_first() {
        let (ascii, accent) = (Value::byte_string(b"x".to_vec()), Value::byte_string("é".into()));
        let is_bytes = |parts: &[Value]| joined(parts).map(|value| matches!(value, Value::ByteString(_)));
        assert_eq!(is_bytes(&[ascii.clone(), "y".into()]), Ok(true));
        assert_eq!(is_bytes(&["y".into(), ascii.clone()]), Ok(false));
        assert_eq!(is_bytes(&["y".into(), accent.clone()]), Ok(true));
        assert_eq!(is_bytes(&[ascii.clone(), "é".into(), ascii]), Ok(false));
        let refused = is_bytes(&[accent, "é".into()]);
        assert_eq!(refused, Err("incompatible character encodings: ASCII-8BIT and UTF-8".to_owned()));
    }
}

//! MessagePack, for generic data and for streams: smallest encodings, floats in 64 bits, maps in order.

use std::borrow::Cow;

use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json};

use super::stream_reader::{Source, damaged};
use super::{DEPTH, too_deep};
use crate::convert::string::to_string;
use crate::data::value::Value;
use crate::formats::json_tokens::Token;
use bunraku_syntax::diagnostic::Error;

/// Data as MessagePack. What is no data is text.
///
/// # Errors
/// A whole number has more than 64 bits, for which MessagePack has no form, or the data is nested too deep.
pub fn encode(data: &Value) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    push_data(&mut out, data, 0)?;
    Ok(out)
}

fn push_data(out: &mut Vec<u8>, data: &Value, depth: usize) -> Result<(), Error> {
    if depth > DEPTH * 2 {
        return Err(too_deep());
    }
    match data {
        Value::Undef => push(out, &Json::Null),
        Value::Boolean(truth) => push(out, &Json::Bool(*truth)),
        Value::Integer(number) => match u64::try_from(*number) {
            Ok(number) => push_unsigned(out, number),
            Err(_) => push_negative(out, *number),
        },
        Value::BigInteger(number) => match number.to_u64() {
            Some(number) => push_unsigned(out, number),
            None => {
                let message = format!("{number} has no form in MessagePack: it has more than 64 bits");
                return Err(Error::argument(message));
            }
        },
        Value::Float(number) => push_float(out, *number),
        Value::String(text) => push_text(out, text),
        Value::Array(values) => {
            push_length(out, values.len(), Some((0x90, 16)), [None, Some(0xdc), Some(0xdd)]);
            for value in values.iter() {
                push_data(out, value, depth + 1)?;
            }
        }
        Value::Hash(members) => {
            push_length(out, members.len(), Some((0x80, 16)), [None, Some(0xde), Some(0xdf)]);
            for (key, value) in members.iter() {
                push_text(out, &to_string(key));
                push_data(out, value, depth + 1)?;
            }
        }
        other => push_text(out, &to_string(other)),
    }
    Ok(())
}

/// Writes one piece of data.
pub(crate) fn push(out: &mut Vec<u8>, data: &Json) {
    match data {
        Json::Null => out.push(0xc0),
        Json::Bool(false) => out.push(0xc2),
        Json::Bool(true) => out.push(0xc3),
        Json::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => push_unsigned(out, number),
            (None, Some(number)) => push_negative(out, number),
            (None, None) => push_float(out, number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => push_text(out, text),
        Json::Array(values) => {
            push_length(out, values.len(), Some((0x90, 16)), [None, Some(0xdc), Some(0xdd)]);
            for value in values {
                push(out, value);
            }
        }
        Json::Object(members) => {
            push_length(out, members.len(), Some((0x80, 16)), [None, Some(0xde), Some(0xdf)]);
            for (key, value) in members {
                push_text(out, key);
                push(out, value);
            }
        }
    }
}

/// Writes a number with a fraction, in 64 bits.
pub(crate) fn push_float(out: &mut Vec<u8>, number: f64) {
    out.push(0xcb);
    out.extend(number.to_be_bytes());
}

/// Writes a text.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    push_length(out, text.len(), Some((0xa0, 32)), [Some(0xd9), Some(0xda), Some(0xdb)]);
    out.extend(text.as_bytes());
}

/// Writes bytes.
pub(crate) fn push_binary(out: &mut Vec<u8>, bytes: &[u8]) {
    push_length(out, bytes.len(), None, [Some(0xc4), Some(0xc5), Some(0xc6)]);
    out.extend(bytes);
}

/// Writes an extension with its payload.
pub(crate) fn push_extension(out: &mut Vec<u8>, number: i64, payload: &[u8]) {
    match payload.len() {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        length => push_length(out, length, None, [Some(0xc7), Some(0xc8), Some(0xc9)]),
    }
    out.push(u8::try_from(number).unwrap_or(u8::MAX));
    out.extend(payload);
}

fn push_unsigned(out: &mut Vec<u8>, number: u64) {
    if let Ok(number) = u8::try_from(number) {
        if number >= 0x80 {
            out.push(0xcc);
        }
        out.push(number);
    } else if let Ok(number) = u16::try_from(number) {
        out.push(0xcd);
        out.extend(number.to_be_bytes());
    } else if let Ok(number) = u32::try_from(number) {
        out.push(0xce);
        out.extend(number.to_be_bytes());
    } else {
        out.push(0xcf);
        out.extend(number.to_be_bytes());
    }
}

fn push_negative(out: &mut Vec<u8>, number: i64) {
    if let Ok(number) = i8::try_from(number) {
        if number < -32 {
            out.push(0xd0);
        }
        out.extend(number.to_be_bytes());
    } else if let Ok(number) = i16::try_from(number) {
        out.push(0xd1);
        out.extend(number.to_be_bytes());
    } else if let Ok(number) = i32::try_from(number) {
        out.push(0xd2);
        out.extend(number.to_be_bytes());
    } else {
        out.push(0xd3);
        out.extend(number.to_be_bytes());
    }
}

/// Writes a length: within the first byte, or behind a byte for lengths of 8, 16 or 32 bits.
fn push_length(out: &mut Vec<u8>, length: usize, fixed: Option<(u8, usize)>, sizes: [Option<u8>; 3]) {
    let [one, two, four] = sizes;
    if let Some((base, limit)) = fixed
        && length < limit
    {
        out.push(base | u8::try_from(length).unwrap_or(0));
        return;
    }
    if let (Some(mark), Ok(length)) = (one, u8::try_from(length)) {
        out.extend([mark, length]);
    } else if let (Some(mark), Ok(length)) = (two, u16::try_from(length)) {
        out.push(mark);
        out.extend(length.to_be_bytes());
    } else if let Some(mark) = four {
        out.push(mark);
        out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }
}

/// Reads data from MessagePack.
///
/// # Errors
/// When the bytes are damaged, or hold what JSON cannot hold.
pub fn decode(bytes: &[u8]) -> Result<Json, Error> {
    let mut reader = Reader { bytes, at: 0 };
    let data = reader.value(0)?;
    if reader.at < bytes.len() {
        return Err(Error::plain("MessagePack: bytes behind the end"));
    }
    Ok(data)
}

/// A stream: items behind each other. An extension is one of MessagePack, with its parts as payload.
pub(crate) struct Stream<'a> {
    reader: Reader<'a>,
    /// The number of the extension that was begun.
    number: Option<u8>,
    /// Where the payload of the extension ends that is being read.
    payload: usize,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { reader: Reader { bytes, at: 0 }, number: None, payload: 0 }
    }

    /// Begins an extension, if one comes next.
    fn begin(&mut self, mark: u8) -> Result<bool, Error> {
        let (fixed, width) = match mark {
            0xd4..=0xd8 => (1 << (mark - 0xd4), 0),
            0xc7..=0xc9 => (0, 1 << (mark - 0xc7)),
            _ => return Ok(false),
        };
        self.reader.take(1)?;
        let length = if width == 0 { fixed } else { self.reader.length(width)? };
        self.number = self.reader.take(1)?.first().copied();
        let end = self.reader.at.checked_add(length).filter(|end| *end <= self.reader.bytes.len());
        self.payload = end.ok_or_else(ended)?;
        Ok(true)
    }
}

impl<'a> Source<'a> for Stream<'a> {
    fn piece(&mut self) -> Result<Token<'a>, Error> {
        let Some(&mark) = self.reader.bytes.get(self.reader.at) else {
            return Err(Error::plain("Unexpected end of input"));
        };
        let is_part = self.reader.at < self.payload;
        if !is_part && self.begin(mark)? {
            return Ok(Token::ListStart);
        }
        let piece = match mark {
            0x00..=0x7f => {
                self.reader.take(1)?;
                Token::Scalar(Value::Integer(mark.into()))
            }
            0xa0..=0xbf | 0xd9..=0xdb => {
                self.reader.take(1)?;
                let length = match mark {
                    0xd9..=0xdb => self.reader.length(1 << (mark - 0xd9))?,
                    _ => usize::from(mark & 0x1f),
                };
                Token::Text(Cow::Borrowed(self.reader.text(length)?))
            }
            _ => match self.reader.value(0)? {
                Json::Array(_) => return Err(damaged("a list")),
                other => Token::Scalar(Value::from(&other)),
            },
        };
        if is_part && self.reader.at > self.payload { Err(ended()) } else { Ok(piece) }
    }

    fn number(&mut self) -> Result<Token<'a>, Error> {
        let number = self.number.take().ok_or_else(|| damaged("an empty list"))?;
        Ok(Token::Scalar(Value::Integer(number.into())))
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        let payload = self.reader.bytes.get(self.reader.at..self.payload).unwrap_or_default();
        self.reader.at = self.payload.max(self.reader.at);
        let mut parts = Reader { bytes: payload, at: 0 };
        let width = match parts.bytes.first() {
            Some(0xc4) => 1,
            Some(0xc5) => 2,
            Some(0xc6) => 4,
            _ => return Err(Error::plain("MessagePack: bytes are missing")),
        };
        parts.take(1)?;
        let length = parts.length(width)?;
        Ok(parts.take(length)?.to_vec())
    }

    fn finish(&mut self) -> Result<(), Error> {
        while self.reader.at < self.reader.bytes.len() {
            self.piece()?;
        }
        Ok(())
    }
}

fn ended() -> Error {
    Error::plain("MessagePack: unexpected end of input")
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(ended)?;
        self.at += count;
        Ok(taken)
    }

    fn number(&mut self, count: usize) -> Result<u64, Error> {
        Ok(self.take(count)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn length(&mut self, count: usize) -> Result<usize, Error> {
        usize::try_from(self.number(count)?).map_err(|_| too_deep())
    }

    fn text(&mut self, length: usize) -> Result<&'a str, Error> {
        std::str::from_utf8(self.take(length)?)
            .map_err(|_| Error::plain("MessagePack: a string is not UTF-8"))
    }

    fn array(&mut self, length: usize, depth: usize) -> Result<Json, Error> {
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.value(depth + 1)?);
        }
        Ok(Json::Array(values))
    }

    fn map(&mut self, length: usize, depth: usize) -> Result<Json, Error> {
        let mut members = Map::new();
        for _ in 0..length {
            let Json::String(key) = self.value(depth + 1)? else {
                return Err(Error::plain("MessagePack: the key of a map is not a string"));
            };
            members.insert(key, self.value(depth + 1)?);
        }
        Ok(Json::Object(members))
    }

    fn value(&mut self, depth: usize) -> Result<Json, Error> {
        if depth > DEPTH {
            return Err(too_deep());
        }
        let mark = self.take(1)?.first().copied().unwrap_or(0xc1);
        let float = |number: f64| serde_json::Number::from_f64(number).map_or(Json::Null, Json::Number);
        Ok(match mark {
            0x00..=0x7f => mark.into(),
            0x80..=0x8f => self.map(usize::from(mark & 0x0f), depth)?,
            0x90..=0x9f => self.array(usize::from(mark & 0x0f), depth)?,
            0xa0..=0xbf => self.text(usize::from(mark & 0x1f))?.into(),
            0xc0 => Json::Null,
            0xc2 => false.into(),
            0xc3 => true.into(),
            0xca => float(f64::from(f32::from_bits(u32::try_from(self.number(4)?).unwrap_or(0)))),
            0xcb => float(f64::from_bits(self.number(8)?)),
            0xcc => self.number(1)?.into(),
            0xcd => self.number(2)?.into(),
            0xce => self.number(4)?.into(),
            0xcf => self.number(8)?.into(),
            0xd0 => i64::from(self.number(1)? as u8 as i8).into(),
            0xd1 => i64::from(self.number(2)? as u16 as i16).into(),
            0xd2 => i64::from(self.number(4)? as u32 as i32).into(),
            0xd3 => (self.number(8)? as i64).into(),
            0xd9 => {
                let length = self.length(1)?;
                self.text(length)?.into()
            }
            0xda => {
                let length = self.length(2)?;
                self.text(length)?.into()
            }
            0xdb => {
                let length = self.length(4)?;
                self.text(length)?.into()
            }
            0xdc => {
                let length = self.length(2)?;
                self.array(length, depth)?
            }
            0xdd => {
                let length = self.length(4)?;
                self.array(length, depth)?
            }
            0xde => {
                let length = self.length(2)?;
                self.map(length, depth)?
            }
            0xdf => {
                let length = self.length(4)?;
                self.map(length, depth)?
            }
            0xe0..=0xff => i64::from(mark as i8).into(),
            _ => return Err(Error::plain(format!("MessagePack: unknown mark 0x{mark:02x}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let data = serde_json::json!({
            "a": [null, true, false, 0, 127, 128, 255, 256, 65536, 4294967296_i64, -1, -32, -33, -129, -32769],
            "b": { "c": 1.5, "d": "x".repeat(40), "e": i64::MIN },
        });
        assert_eq!(decode(&encode(&Value::from(&data)).unwrap()).unwrap(), data);
        assert!(decode(&[0x92, 1]).is_err());
        assert!(decode(&[0xc1]).is_err());
    }
}

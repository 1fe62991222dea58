//! MessagePack, for generic data and for streams: smallest encodings, floats in 64 bits, maps in order.
//!
//! The crate `rmp` knows the markers and writes the pieces; writing to memory cannot fail.

use std::borrow::Cow;

use num_traits::ToPrimitive;
use rmp::{Marker, encode as rmp_encode};
use serde_json::{Map, Value as Json};

use super::stream_reader::{Source, damaged};
use super::{MAX_DEPTH, too_deep};
use crate::convert::string::to_string;
use crate::data::value::Value;
use crate::formats::json_tokens::Token;
use bunraku_syntax::diagnostic::Error;

/// Data as MessagePack. A value that is not data is text.
///
/// # Errors
/// A whole number has more than 64 bits, which MessagePack does not support, or the data is nested too deep.
pub fn encode(data: &Value) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    push_data(&mut out, data, 0)?;
    Ok(out)
}

fn push_data(out: &mut Vec<u8>, data: &Value, depth: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH * 2 {
        return Err(too_deep());
    }
    match data {
        Value::Undef => push(out, &Json::Null),
        Value::Boolean(truth) => push(out, &Json::Bool(*truth)),
        Value::Integer(number) => push_signed(out, *number),
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
            let _ = rmp_encode::write_array_len(out, length(values.len()));
            for value in values.iter() {
                push_data(out, value, depth + 1)?;
            }
        }
        Value::Hash(members) => {
            let _ = rmp_encode::write_map_len(out, length(members.len()));
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
            (None, Some(number)) => push_signed(out, number),
            (None, None) => push_float(out, number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => push_text(out, text),
        Json::Array(values) => {
            let _ = rmp_encode::write_array_len(out, length(values.len()));
            for value in values {
                push(out, value);
            }
        }
        Json::Object(members) => {
            let _ = rmp_encode::write_map_len(out, length(members.len()));
            for (key, value) in members {
                push_text(out, key);
                push(out, value);
            }
        }
    }
}

fn push_signed(out: &mut Vec<u8>, number: i64) {
    let _ = rmp_encode::write_sint(out, number);
}

fn push_unsigned(out: &mut Vec<u8>, number: u64) {
    let _ = rmp_encode::write_uint(out, number);
}

/// Writes a number with a fraction, in 64 bits.
pub(crate) fn push_float(out: &mut Vec<u8>, number: f64) {
    let _ = rmp_encode::write_f64(out, number);
}

/// Writes a text.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    let _ = rmp_encode::write_str(out, text);
}

/// Writes bytes.
pub(crate) fn push_binary(out: &mut Vec<u8>, bytes: &[u8]) {
    let _ = rmp_encode::write_bin(out, bytes);
}

/// Writes an extension with its payload.
pub(crate) fn push_extension(out: &mut Vec<u8>, number: i64, payload: &[u8]) {
    let number = u8::try_from(number).unwrap_or(u8::MAX);
    let _ = rmp_encode::write_ext_meta(out, length(payload.len()), number.cast_signed());
    out.extend(payload);
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
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

/// A stream: consecutive items. An extension is MessagePack's, with its parts as payload.
pub(crate) struct Stream<'a> {
    reader: Reader<'a>,
    /// The number of the extension that was begun.
    number: Option<u8>,
    /// The end of the current extension's payload.
    payload: usize,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { reader: Reader { bytes, at: 0 }, number: None, payload: 0 }
    }

    /// Begins an extension, if one comes next.
    fn begin(&mut self, mark: u8) -> Result<bool, Error> {
        let (fixed, width) = match Marker::from_u8(mark) {
            Marker::FixExt1 => (1, 0),
            Marker::FixExt2 => (2, 0),
            Marker::FixExt4 => (4, 0),
            Marker::FixExt8 => (8, 0),
            Marker::FixExt16 => (16, 0),
            Marker::Ext8 => (0, 1),
            Marker::Ext16 => (0, 2),
            Marker::Ext32 => (0, 4),
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
        let marker = Marker::from_u8(mark);
        let piece = match marker {
            Marker::FixPos(number) => {
                self.reader.take(1)?;
                Token::Scalar(Value::Integer(number.into()))
            }
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                self.reader.take(1)?;
                Token::Text(Cow::Borrowed(self.reader.text_of(marker)?))
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
        let width = match parts.bytes.first().map(|&mark| Marker::from_u8(mark)) {
            Some(Marker::Bin8) => 1,
            Some(Marker::Bin16) => 2,
            Some(Marker::Bin32) => 4,
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

    /// The text after its marker.
    fn text_of(&mut self, marker: Marker) -> Result<&'a str, Error> {
        let length = match marker {
            Marker::FixStr(length) => usize::from(length),
            Marker::Str8 => self.length(1)?,
            Marker::Str16 => self.length(2)?,
            _ => self.length(4)?,
        };
        let text = self.take(length)?;
        std::str::from_utf8(text).map_err(|_| Error::plain("MessagePack: a string is not UTF-8"))
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
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let mark = self.take(1)?.first().copied().unwrap_or(0xc1);
        let float = |number: f64| serde_json::Number::from_f64(number).map_or(Json::Null, Json::Number);
        let marker = Marker::from_u8(mark);
        Ok(match marker {
            Marker::FixPos(number) => number.into(),
            Marker::FixNeg(number) => number.into(),
            Marker::Null => Json::Null,
            Marker::False => false.into(),
            Marker::True => true.into(),
            Marker::F32 => float(f64::from(f32::from_bits(u32::try_from(self.number(4)?).unwrap_or(0)))),
            Marker::F64 => float(f64::from_bits(self.number(8)?)),
            Marker::U8 => self.number(1)?.into(),
            Marker::U16 => self.number(2)?.into(),
            Marker::U32 => self.number(4)?.into(),
            Marker::U64 => self.number(8)?.into(),
            Marker::I8 => i64::from(self.number(1)? as u8 as i8).into(),
            Marker::I16 => i64::from(self.number(2)? as u16 as i16).into(),
            Marker::I32 => i64::from(self.number(4)? as u32 as i32).into(),
            Marker::I64 => (self.number(8)? as i64).into(),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => self.text_of(marker)?.into(),
            Marker::FixArray(length) => self.array(length.into(), depth)?,
            Marker::Array16 => self.length(2).and_then(|length| self.array(length, depth))?,
            Marker::Array32 => self.length(4).and_then(|length| self.array(length, depth))?,
            Marker::FixMap(length) => self.map(length.into(), depth)?,
            Marker::Map16 => self.length(2).and_then(|length| self.map(length, depth))?,
            Marker::Map32 => self.length(4).and_then(|length| self.map(length, depth))?,
            Marker::Reserved
            | Marker::Bin8
            | Marker::Bin16
            | Marker::Bin32
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32
            | Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16 => {
                return Err(Error::plain(format!("MessagePack: unknown mark 0x{mark:02x}")));
            }
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

    #[test]
    fn data_nests_up_to_a_depth() {
        let nested = |depth: usize| (0..depth).fold(Value::Undef, |value, _| Value::array([value]));
        assert!(encode(&nested(2 * MAX_DEPTH)).is_ok());
        assert!(encode(&nested(2 * MAX_DEPTH + 1)).is_err());
    }
}

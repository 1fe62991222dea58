//! Decodes the value of an extension as Ruby's `OpenSSL::ASN1.decode` does.
//!
//! That accepts BER, not only DER, with any tags, so that the crate `der` would reject values that the
//! reference accepts. A value that is not ASN.1 is the text itself: certificates were once signed like this.

use super::OidNames;
use bunraku_pcore::convert::string::inspect_bytes;
use bunraku_pcore::time::calendar::{Civil, civil, days_from_civil};
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::Error;
use der::asn1::ObjectIdentifier;
use num_bigint::BigInt;

/// The maximum nesting of values: certificates come from outside, and must not exhaust the stack.
const MAX_DEPTH: usize = 100;

const UNIVERSAL: u8 = 0;
const END_OF_CONTENT: u64 = 0;

/// The reason why a value cannot be decoded.
enum Asn1Error {
    /// It is not ASN.1.
    Malformed,
    /// It is, and the reference fails on it.
    Refused(String),
}

/// The value of an extension.
///
/// # Errors
/// A time that makes no sense, as in the reference; or values nest too deep.
pub fn value(bytes: &[u8], names: &OidNames) -> Result<Value, Error> {
    let mut reader = Reader { bytes, names, depth: 0 };
    match reader.element() {
        Ok(element) if reader.bytes.is_empty() => Ok(element.value),
        Err(Asn1Error::Refused(message)) => Err(Error::argument(message)),
        Ok(_) | Err(Asn1Error::Malformed) => Ok(text(bytes)),
    }
}

/// Bytes as the text that they are.
fn text(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| Value::byte_string(bytes.to_vec()), Value::from)
}

struct Element {
    value: Value,
    /// Whether it ends a value of indefinite length.
    is_end: bool,
}

struct Reader<'b> {
    bytes: &'b [u8],
    names: &'b OidNames,
    depth: usize,
}

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Result<u8, Asn1Error> {
        let (&first, rest) = self.bytes.split_first().ok_or(Asn1Error::Malformed)?;
        self.bytes = rest;
        Ok(first)
    }

    fn element(&mut self) -> Result<Element, Asn1Error> {
        let first = self.byte()?;
        let (class, is_constructed) = (first >> 6, first & 0x20 != 0);
        let tag = match u64::from(first & 0x1f) {
            0x1f => self.long_tag()?,
            tag => tag,
        };
        match self.length()? {
            None if is_constructed => self.constructed_without_length(),
            None => Err(Asn1Error::Malformed),
            Some(length) => {
                let (content, rest) = self.bytes.split_at_checked(length).ok_or(Asn1Error::Malformed)?;
                self.bytes = rest;
                let value = match is_constructed {
                    true => self.constructed(content)?,
                    false if class == UNIVERSAL => primitive(tag, content, self.names)?,
                    false => text(content),
                };
                let is_end = class == UNIVERSAL && tag == END_OF_CONTENT;
                Ok(Element { value, is_end })
            }
        }
    }

    fn long_tag(&mut self) -> Result<u64, Asn1Error> {
        let mut tag = 0u64;
        loop {
            let byte = self.byte()?;
            tag = tag << 7 | u64::from(byte & 0x7f);
            if tag > i32::MAX as u64 {
                return Err(Asn1Error::Malformed);
            }
            if byte & 0x80 == 0 {
                return Ok(tag);
            }
        }
    }

    /// The length; `None` if an end marker follows.
    fn length(&mut self) -> Result<Option<usize>, Asn1Error> {
        let first = self.byte()?;
        if first == 0x80 {
            return Ok(None);
        }
        if first & 0x80 == 0 {
            return Ok(Some(usize::from(first)));
        }
        let mut length = 0usize;
        for _ in 0..first & 0x7f {
            length = length.checked_mul(256).ok_or(Asn1Error::Malformed)? | usize::from(self.byte()?);
        }
        Ok(Some(length))
    }

    fn nested(&self, bytes: &'b [u8]) -> Result<Self, Asn1Error> {
        if self.depth == MAX_DEPTH {
            return Err(Asn1Error::Refused(format!(
                "an extension of the certificate nests deeper than {MAX_DEPTH}"
            )));
        }
        Ok(Self { bytes, names: self.names, depth: self.depth + 1 })
    }

    fn constructed(&self, content: &'b [u8]) -> Result<Value, Asn1Error> {
        let mut inner = self.nested(content)?;
        let mut values = Vec::new();
        while !inner.bytes.is_empty() {
            values.push(inner.element()?.value);
        }
        Ok(Value::from(values))
    }

    fn constructed_without_length(&mut self) -> Result<Element, Asn1Error> {
        let mut inner = self.nested(self.bytes)?;
        let mut values = Vec::new();
        // As in the reference, the end of all bytes is an end, too.
        while !inner.bytes.is_empty() {
            let element = inner.element()?;
            if element.is_end {
                break;
            }
            values.push(element.value);
        }
        self.bytes = inner.bytes;
        Ok(Element { value: Value::from(values), is_end: false })
    }
}

/// A value of a universal type.
fn primitive(tag: u64, content: &[u8], names: &OidNames) -> Result<Value, Asn1Error> {
    match (tag, content) {
        (0, []) | (5, []) => Ok(if tag == 5 { Value::Undef } else { Value::from("") }),
        (0 | 5, _) => Err(Asn1Error::Malformed),
        (1, [truth]) => Ok(Value::Boolean(*truth != 0)),
        (1, _) => Err(Asn1Error::Malformed),
        (2 | 10, _) => number(content),
        (3, _) => bits(content),
        (6, _) => identifier(content, names),
        (23, _) => time(content, 2, "UTCTIME"),
        (24, _) => time(content, 4, "GENERALIZEDTIME"),
        _ => Ok(text(content)),
    }
}

/// A whole number, in the fewest bytes that hold it.
fn number(content: &[u8]) -> Result<Value, Asn1Error> {
    match content {
        [] | [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..] => Err(Asn1Error::Malformed),
        _ => Ok(Value::from(BigInt::from_signed_bytes_be(content).to_string())),
    }
}

/// A bit string without the unused bits that the first byte counts.
fn bits(content: &[u8]) -> Result<Value, Asn1Error> {
    let (&unused, bytes) = content.split_first().ok_or(Asn1Error::Malformed)?;
    if unused > 7 {
        return Err(Asn1Error::Malformed);
    }
    let mut bytes = bytes.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last &= 0xff << unused;
    }
    Ok(text(&bytes))
}

/// An object identifier: its short name, or its numbers.
fn identifier(content: &[u8], names: &OidNames) -> Result<Value, Asn1Error> {
    let oid = ObjectIdentifier::from_bytes(content).map_err(|_| Asn1Error::Malformed)?.to_string();
    Ok(Value::from(names.name(&oid)))
}

/// A time as Ruby writes it. The seconds may be missing; what follows them does not matter.
fn time(content: &[u8], year_digits: usize, kind: &str) -> Result<Value, Asn1Error> {
    let refused = || Asn1Error::Refused(format!("bad {kind} format: {}", inspect_bytes(content)));
    let digits = content.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&content[..digits]).unwrap_or_default();
    let part =
        |from: usize, length: usize| digits.get(from..from + length).and_then(|part| part.parse().ok());
    let year: i64 = part(0, year_digits).ok_or_else(refused)?;
    let year = match year {
        _ if year_digits == 4 => year,
        0..69 => 2000 + year,
        _ => 1900 + year,
    };
    let rest = |nth: usize| part(year_digits + 2 * nth, 2);
    let (Some(month), Some(day), Some(hour), Some(minute)) = (rest(0), rest(1), rest(2), rest(3)) else {
        return Err(refused());
    };
    let second = rest(4).unwrap_or_default();
    let (last_minute, last_second) = if hour == 24 { (0, 0) } else { (59, 60) };
    let wrong = [
        (month, 1..=12, "mon"),
        (day, 0..=31, "argument"),
        (day, 1..=31, "mday"),
        (hour, 0..=24, "hour"),
        (minute, 0..=last_minute, "min"),
        (second, 0..=last_second, "sec"),
    ];
    if let Some((_, _, what)) = wrong.iter().find(|(part, range, _)| !range.contains(part)) {
        return Err(Asn1Error::Refused(format!("{what} out of range")));
    }
    // A day after the end of its month counts into the next month.
    let days = days_from_civil(i128::from(year), u32::try_from(month).unwrap_or(1), i128::from(day));
    let Civil { year, month, day, hour, minute, second, .. } =
        civil(days * 86_400 + i128::from(hour * 3_600 + minute * 60 + second));
    Ok(Value::from(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")))
}

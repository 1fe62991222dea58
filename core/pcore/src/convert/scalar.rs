//! `Regexp.new`, `SemVer.new`, `SemVerRange.new`, `Binary.new`, `URI.new`, `Timespan.new` and
//! `Timestamp.new`.

use std::sync::Arc;

use super::numeric::named;
use super::text_argument;
use crate::data::fuel::Fuel;
use crate::data::value::{
    Hash, PrereleasePart, RegexpValue, Str, Timespan, Timestamp, UriValue, Value, Version,
};
use crate::regexp;
use crate::scalars::binary;
use crate::scalars::time::timestamp::Formats;
use crate::scalars::time::{SECOND, nanoseconds_of, nanoseconds_of_whole};
use crate::scalars::uri::UriParts;
use crate::types::VersionRange;
use bunraku_syntax::diagnostic::Error;

/// `Regexp.new(pattern, escape)`
pub(super) fn regexp(pattern: &Value, escape: &Value, fuel: &dyn Fuel) -> Result<Value, Error> {
    let source = text_argument(pattern);
    let made = if matches!(escape, Value::Boolean(true)) {
        RegexpValue::new(regexp::escape(source))
    } else {
        RegexpValue::new(source)
    };
    made.regex(fuel)?;
    Ok(Value::Regexp(Arc::new(made)))
}

fn version_number(value: &Value) -> Result<u64, Error> {
    match value {
        Value::Integer(number) => Ok(u64::try_from(*number).unwrap_or(0)),
        Value::BigInteger(number) => Err(Error::limit(format!("version number too large: {number}"))),
        _ => Ok(0),
    }
}

/// `SemVer.new(text)`
pub(super) fn version(text: &Value) -> Result<Value, Error> {
    Version::parse(text_argument(text)).map(|version| Value::SemVer(Arc::new(version)))
}

/// `SemVer.new(major, minor, patch, prerelease, build)`; a pre-release is one text, whatever it contains.
pub(super) fn version_of([major, minor, patch, prerelease, build]: [&Value; 5]) -> Result<Value, Error> {
    let text = |value: &Value| value.as_str().map(Str::from);
    Ok(Value::SemVer(Arc::new(Version {
        numbers: [version_number(major)?, version_number(minor)?, version_number(patch)?],
        prerelease: text(prerelease).map(|text| vec![PrereleasePart::Text(text)]),
        build: text(build),
    })))
}

/// `SemVer.new({…})`
pub(super) fn version_of_hash(hash: &Hash) -> Result<Value, Error> {
    let parts = ["major", "minor", "patch", "prerelease", "build"].map(|name| named(hash, name));
    version_of(parts.each_ref())
}

/// `SemVerRange.new(text)`
pub(super) fn range(text: &Value) -> Result<Value, Error> {
    VersionRange::parse(text_argument(text)).map(|range| Value::SemVerRange(Arc::new(range)))
}

/// `SemVerRange.new(min, max, exclude_max)`
pub(super) fn range_of(min: &Value, max: &Value, exclude_max: &Value) -> Value {
    let bound = |value: &Value, default: Version| match value {
        Value::SemVer(version) => (**version).clone(),
        _ => default,
    };
    Value::SemVerRange(Arc::new(VersionRange::between(
        &bound(min, Version::least()),
        &bound(max, Version::greatest()),
        exclude_max.is_truthy(),
    )))
}

/// `Binary.new(text, format)`
pub(super) fn binary_of(value: &Value, format: &Value) -> Result<Value, Error> {
    let text = value.as_str().unwrap_or_default();
    let bytes = match format.as_str() {
        None | Some("%B") => binary::from_base64(text)?,
        Some("%b") => binary::from_base64_lenient(text),
        Some("%u") => binary::from_base64_urlsafe(text)?,
        Some("%s" | "%r") => match value {
            Value::ByteString(bytes) => bytes.bytes().to_vec(),
            _ => text.as_bytes().to_vec(),
        },
        Some(other) => return Err(Error::argument(format!("Unsupported Base64 format '{other}'"))),
    };
    Ok(Value::Binary(Arc::new(bytes)))
}

/// `Binary.new([…])`
pub(super) fn binary_of_bytes(bytes: &[Value]) -> Value {
    let byte = |value: &Value| match value {
        Value::Integer(number) => u8::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    Value::Binary(Arc::new(bytes.iter().map(byte).collect()))
}

/// `URI.new({…})`
pub(super) fn uri_of_hash(hash: &Hash) -> Result<Value, Error> {
    let text = |name: &str| named(hash, name).as_str().map(Str::from);
    let parts = UriParts {
        scheme: text("scheme").map(|scheme| scheme.to_lowercase()),
        userinfo: text("userinfo"),
        host: text("host"),
        port: match named(hash, "port") {
            Value::Integer(port) => Some(port),
            _ => None,
        },
        path: text("path"),
        query: text("query"),
        fragment: text("fragment"),
        opaque: text("opaque"),
    };
    UriParts::parse(&parts.to_text())
        .map_err(|_| Error::argument(format!("bad component: {}", parts.to_text())))?;
    Ok(Value::Uri(Arc::new(UriValue { text: parts.to_text().into() })))
}

/// `URI.new(text)`
pub(super) fn uri(text: &Value) -> Result<Value, Error> {
    UriValue::parse(text_argument(text)).map(|uri| Value::Uri(Arc::new(uri)))
}

fn total_of_seconds(seconds: &Value) -> Result<i128, Error> {
    match seconds {
        Value::Integer(seconds) => Ok(i128::from(*seconds) * SECOND),
        Value::BigInteger(seconds) => nanoseconds_of_whole(seconds),
        Value::Float(seconds) => nanoseconds_of(*seconds),
        _ => Ok(0),
    }
}

/// `Timespan.new(seconds)`
pub(super) fn timespan_of_seconds(seconds: &Value) -> Result<Value, Error> {
    Ok(Timespan::of(total_of_seconds(seconds)?).into())
}

/// Charges for a text that is parsed with each of several formats.
fn charge_formats(text: &str, formats: &Value, fuel: &dyn Fuel) -> Result<(), Error> {
    let Value::Array(formats) = formats else { return Ok(()) };
    fuel.charge((text.len().saturating_mul(formats.len()) >> 10) as u64)
}

/// `Timespan.new(text, formats)`
pub(super) fn timespan(text: &Value, formats: &Value, fuel: &dyn Fuel) -> Result<Value, Error> {
    let text = text_argument(text);
    charge_formats(text, formats, fuel)?;
    let span = match formats {
        Value::String(format) => Timespan::parse_with(text, format)?,
        Value::Array(formats) => {
            let formats: Vec<&str> = formats.iter().filter_map(Value::as_str).collect();
            Timespan::parse_any(text, &formats)?
        }
        _ => Timespan::parse(text)?,
    };
    Ok(Value::from(span))
}

/// `Timespan.new(days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds)`
pub(super) fn timespan_of_fields(negative: bool, fields: [&Value; 7]) -> Result<Value, Error> {
    Timespan::from_fields(
        negative,
        fields.map(|field| field.as_big_integer().unwrap_or_default().into_owned()),
    )
    .map(Value::from)
}

/// `Timespan.new({…})` of fields.
pub(super) fn timespan_of_hash(hash: &Hash) -> Result<Value, Error> {
    let names = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
    let fields = names.map(|name| named(hash, name));
    timespan_of_fields(named(hash, "negative").is_truthy(), fields.each_ref())
}

/// `Timestamp.new(seconds)`
pub(super) fn timestamp_of_seconds(seconds: &Value) -> Result<Value, Error> {
    Ok(Timestamp::of(total_of_seconds(seconds)?).into())
}

/// `Timestamp.new(text, formats, timezone)`
pub(super) fn timestamp(
    text: &Value,
    formats: &Value,
    timezone: &Value,
    fuel: &dyn Fuel,
) -> Result<Value, Error> {
    charge_formats(text_argument(text), formats, fuel)?;
    let formats = match formats {
        Value::String(format) => Formats::One(format),
        Value::Array(formats) => Formats::Several(formats.iter().filter_map(Value::as_str).collect()),
        _ => Formats::Default,
    };
    Timestamp::parse(text_argument(text), &formats, timezone.as_str()).map(Value::from)
}

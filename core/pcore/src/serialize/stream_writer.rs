//! Writes Pcore's tabulating stream. Follows `serializer.rb` and `abstract_writer.rb`;
//! [`packer`](super::packer) defines the form of the items.
//!
//! Repeated values are written as their number; so are texts and beginnings of objects, in a table of their
//! own. Collections and objects begin with their extension number and size. A Sensitive announces nothing, so
//! that its value counts as a further item, as in the reference.

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::identity::{Identity, identity};
use super::packer::{JsonPacker, MsgpackPacker, Packer};
use super::{MAX_DEPTH, too_deep};
use crate::data::value::{Str, Value};
use crate::ruby::names;
use crate::scalars::time::too_large;
use crate::types::TypeKind;
use crate::types::attributes::{Described, describe_object, describe_type};
use bunraku_syntax::diagnostic::Error;

/// The numbers of the extensions.
pub(super) mod extension {
    pub const INNER_TABULATION: i64 = 0x00;
    pub const TABULATION: i64 = 0x01;
    pub const ARRAY_START: i64 = 0x10;
    pub const MAP_START: i64 = 0x11;
    pub const PCORE_OBJECT_START: i64 = 0x12;
    pub const OBJECT_START: i64 = 0x13;
    pub const SENSITIVE_START: i64 = 0x14;
    pub const DEFAULT: i64 = 0x20;
    pub const COMMENT: i64 = 0x21;
    pub const REGEXP: i64 = 0x30;
    pub const TYPE_REFERENCE: i64 = 0x31;
    pub const SYMBOL: i64 = 0x32;
    pub const TIME: i64 = 0x33;
    pub const TIMESPAN: i64 = 0x34;
    pub const VERSION: i64 = 0x35;
    pub const VERSION_RANGE: i64 = 0x36;
    pub const BINARY: i64 = 0x37;
    pub const BASE64: i64 = 0x38;
    pub const URI: i64 = 0x39;
}

/// How a stream is written.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions {
    /// Whether the types of objects are written by name; otherwise they are written whole.
    pub type_by_reference: bool,
    /// Whether texts and beginnings of objects that were written before are written as their number. Values
    /// that are the very same one always are.
    pub tabulate: bool,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self { type_by_reference: true, tabulate: true }
    }
}

/// A value as a stream in JSON.
///
/// # Errors
/// When a part of it cannot be written.
pub fn write_stream(value: &Value, options: StreamOptions) -> Result<String, Error> {
    write(value, options, JsonPacker::new()).map(JsonPacker::finish)
}

/// A value as a stream in MessagePack: consecutive items, with extensions as MessagePack's own and their
/// parts as payload.
///
/// # Errors
/// A part of the value cannot be written.
pub fn write_stream_msgpack(value: &Value, options: StreamOptions) -> Result<Vec<u8>, Error> {
    write(value, options, MsgpackPacker::default()).map(MsgpackPacker::finish)
}

fn write<P: Packer>(value: &Value, options: StreamOptions, packer: P) -> Result<P, Error> {
    let mut writer = Writer {
        options,
        packer,
        values: FxHashMap::default(),
        passed: 0,
        kept: Vec::new(),
        texts: FxHashMap::default(),
        entries: FxHashMap::default(),
        depth: 0,
    };
    writer.value(value)?;
    Ok(writer.packer)
}

/// The entries of the inner table.
#[derive(PartialEq, Eq, Hash)]
enum Entry {
    PcoreObjectStart(String, usize),
    ObjectStart(usize),
    Regexp(String),
    TypeReference(String),
    VersionRange(String),
    Binary(Vec<u8>),
    Uri(String),
}

struct Writer<P> {
    options: StreamOptions,
    packer: P,
    /// The numbers of the values so far.
    values: FxHashMap<Identity, usize>,
    /// The number of numbered values that are not repeated.
    passed: usize,
    /// Values that are not parts of the value that is written, so that their addresses stay theirs.
    kept: Vec<Value>,
    /// The numbers of the texts among the entries of the inner table.
    texts: FxHashMap<Str, usize>,
    /// The numbers of the other entries.
    entries: FxHashMap<Entry, usize>,
    depth: usize,
}

impl<P: Packer> Writer<P> {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Undef => self.packer.nothing(),
            Value::Boolean(truth) => self.packer.boolean(*truth),
            Value::Integer(number) => self.packer.integer(*number),
            Value::BigInteger(_) => return Err(Error::plain("Integer out of bounds")),
            Value::Float(number) => self.packer.float(*number)?,
            Value::String(text) => self.text(text),
            Value::Default => self.packer.extension(extension::DEFAULT, &[], 0),
            other => {
                let known = identity(other).and_then(|identity| self.values.get(&identity));
                match known.copied() {
                    Some(index) => self.packer.extension(extension::TABULATION, &[count(index)], 0),
                    None => {
                        if self.depth >= MAX_DEPTH {
                            return Err(too_deep());
                        }
                        self.depth += 1;
                        let result = self.first_time(other);
                        self.depth -= 1;
                        return result;
                    }
                }
            }
        }
        Ok(())
    }

    fn remember(&mut self, value: &Value) {
        match identity(value) {
            Some(identity) => {
                let index = self.values.len() + self.passed;
                self.values.insert(identity, index);
            }
            None => self.passed += 1,
        }
    }

    fn first_time(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Array(values) => {
                self.remember(value);
                self.packer.extension(extension::ARRAY_START, &[count(values.len())], values.len());
                values.iter().try_for_each(|value| self.value(value))
            }
            Value::Hash(hash) => {
                self.remember(value);
                self.packer.extension(extension::MAP_START, &[count(hash.len())], hash.len() * 2);
                hash.iter().try_for_each(|(key, value)| {
                    self.value(key)?;
                    self.value(value)
                })
            }
            Value::Sensitive(inner) => {
                self.packer.extension(extension::SENSITIVE_START, &[], 0);
                self.value(inner)
            }
            Value::Type(of) => match of.kind() {
                TypeKind::Reference(name) => {
                    self.remember(value);
                    let entry = Entry::TypeReference(name.to_string());
                    self.entry(entry, extension::TYPE_REFERENCE, name.as_str().into());
                    Ok(())
                }
                _ => {
                    let described = describe_type(of)?;
                    self.described(value, &described)
                }
            },
            Value::Object(object) => {
                let described = describe_object(object)?;
                self.described(value, &described)
            }
            plain => self.plain(plain),
        }
    }

    /// Writes a value without parts for the first time.
    fn plain(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Regexp(regexp) => {
                self.remember(value);
                let source = regexp.source.to_string();
                self.entry(Entry::Regexp(source.clone()), extension::REGEXP, source.into());
                Ok(())
            }
            Value::SemVer(version) => {
                self.remember(value);
                self.packer.extension(extension::VERSION, &[version.to_string().into()], 0);
                Ok(())
            }
            Value::SemVerRange(range) => {
                self.remember(value);
                let entry = Entry::VersionRange(range.describe());
                self.entry(entry, extension::VERSION_RANGE, range.text.as_str().into());
                Ok(())
            }
            Value::Timestamp(moment) => {
                self.remember(value);
                let payload = [stream_seconds(moment.seconds)?, moment.nanoseconds.into()];
                self.packer.extension(extension::TIME, &payload, 0);
                Ok(())
            }
            Value::Timespan(span) => {
                self.remember(value);
                let payload = [stream_seconds(span.seconds)?, span.nanoseconds.into()];
                self.packer.extension(extension::TIMESPAN, &payload, 0);
                Ok(())
            }
            Value::Binary(bytes) => {
                self.remember(value);
                let entry = Entry::Binary(bytes.to_vec());
                match self.known(&entry) {
                    Some(index) => self.inner(index),
                    None => {
                        self.packer.binary(bytes);
                        self.add(entry);
                    }
                }
                Ok(())
            }
            Value::Uri(uri) => {
                // The reference only has a form for the classes of specific schemes.
                if names::ruby_class(value) == "URI::Generic" {
                    return Err(Error::plain("Unable to serialize a URI::Generic"));
                }
                self.remember(value);
                self.entry(Entry::Uri(uri.text.to_string()), extension::URI, uri.text.as_str().into());
                Ok(())
            }
            Value::Runtime(symbol) if symbol.is_symbol() => {
                self.remember(value);
                self.packer.extension(extension::SYMBOL, &[symbol.text.as_str().into()], 0);
                Ok(())
            }
            other => Err(Error::plain(format!("No Puppet Type found for {}", names::ruby_class(other)))),
        }
    }

    fn described(&mut self, value: &Value, described: &Described) -> Result<(), Error> {
        self.kept.extend(described.attributes.iter().map(|(_, value)| value.clone()));
        let size = described.attributes.len();
        match &described.object_type {
            Some(of) if !self.options.type_by_reference => {
                self.object_start(size + 1);
                let of = Value::Type(of.clone());
                self.kept.push(of.clone());
                self.value(&of)?;
                self.remember(value);
            }
            _ => {
                self.remember(value);
                self.pcore_object_start(&described.type_name, size);
            }
        }
        described.attributes.iter().try_for_each(|(_, value)| self.value(value))
    }

    /// The number of an entry of the inner table, or nothing when it is new.
    fn known(&self, entry: &Entry) -> Option<usize> {
        if !self.options.tabulate {
            return None;
        }
        self.entries.get(entry).copied()
    }

    fn add(&mut self, entry: Entry) {
        let index = self.entries.len() + self.texts.len();
        self.entries.insert(entry, index);
    }

    /// The number of a text in the inner table, or nothing when it is new.
    fn known_text(&self, text: &str) -> Option<usize> {
        if !self.options.tabulate {
            return None;
        }
        self.texts.get(text).copied()
    }

    fn add_text(&mut self, text: Str) {
        let index = self.entries.len() + self.texts.len();
        self.texts.insert(text, index);
    }

    fn inner(&mut self, index: usize) {
        self.packer.extension(extension::INNER_TABULATION, &[count(index)], 0);
    }

    fn text(&mut self, text: &Str) {
        match self.known_text(text) {
            Some(index) => self.inner(index),
            None => {
                self.packer.text(text);
                self.add_text(text.clone());
            }
        }
    }

    fn entry(&mut self, entry: Entry, number: i64, payload: Json) {
        match self.known(&entry) {
            Some(index) => self.inner(index),
            None => {
                self.packer.extension(number, &[payload], 0);
                self.add(entry);
            }
        }
    }

    fn object_start(&mut self, size: usize) {
        let entry = Entry::ObjectStart(size);
        match self.known(&entry) {
            Some(index) => self.inner(index),
            None => {
                self.packer.extension(extension::OBJECT_START, &[count(size)], size);
                self.add(entry);
            }
        }
    }

    fn pcore_object_start(&mut self, name: &str, size: usize) {
        let entry = Entry::PcoreObjectStart(name.into(), size);
        if let Some(index) = self.known(&entry) {
            self.inner(index);
            return;
        }
        let segments: Vec<&str> = name.split("::").collect();
        let mut payload = vec![count(segments.len())];
        for segment in segments {
            match self.known_text(segment) {
                Some(index) => payload.push(count(index)),
                None => {
                    payload.push(segment.into());
                    self.add_text(segment.into());
                }
            }
        }
        payload.push(count(size));
        self.packer.extension(extension::PCORE_OBJECT_START, &payload, size);
        self.add(entry);
    }
}

/// The seconds of a time, which streams have in 64 bits.
fn stream_seconds(seconds: i128) -> Result<Json, Error> {
    serde_json::Number::from_i128(seconds).map(Json::Number).ok_or_else(too_large)
}

fn count(number: usize) -> Json {
    number.into()
}

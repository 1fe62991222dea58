//! The tabulating JSON stream of Pcore, written. Follows `serializer.rb`, `abstract_writer.rb` and `json.rb`.
//!
//! Values met before are written as their number; so are texts and beginnings of objects, in a table of their own.
//! Collections and objects are lists that begin with their extension number and size, and end when as many items
//! have been written as were announced. A Sensitive announces nothing, so that its value counts as a further item, as
//! it does in the reference.

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::identity::{Identity, identity};
use super::type_attributes::{Described, describe_object, describe_type};
use super::{DEPTH, too_deep};
use crate::diagnostic::Error;
use crate::pcore::types::TypeKind;
use crate::pcore::value::Value;
use crate::pcore::{binary, label};

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

/// A value as a JSON stream. Types of objects are written by name, or whole when `type_by_reference` is off.
///
/// # Errors
/// When a part of it cannot be written.
pub fn write_stream(value: &Value, type_by_reference: bool) -> Result<String, Error> {
    let mut writer = Writer {
        type_by_reference,
        packer: Packer { out: "[".into(), nested: Vec::new() },
        values: FxHashMap::default(),
        entries: FxHashMap::default(),
        depth: 0,
    };
    writer.value(value)?;
    writer.packer.finish();
    Ok(writer.packer.out)
}

/// What the inner table knows.
#[derive(PartialEq, Eq, Hash)]
enum Entry {
    Text(String),
    PcoreObjectStart(String, usize),
    ObjectStart(usize),
    Regexp(String),
    TypeReference(String),
    VersionRange(String),
    Binary(Vec<u8>),
    Uri(String),
}

struct Writer {
    type_by_reference: bool,
    packer: Packer,
    /// The values met so far; kept, so that their addresses stay theirs.
    values: FxHashMap<Identity, (usize, Value)>,
    entries: FxHashMap<Entry, usize>,
    depth: usize,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Undef => self.packer.scalar("null"),
            Value::Boolean(truth) => self.packer.scalar(if *truth { "true" } else { "false" }),
            Value::Integer(number) => self.packer.scalar(&number.to_string()),
            Value::Float(number) => {
                if !number.is_finite() {
                    return Err(Error::internal("not allowed in JSON"));
                }
                self.packer.scalar(&crate::pcore::number::float_to_s(*number));
            }
            Value::String(text) => self.text(text),
            Value::Default => self.packer.extension(extension::DEFAULT, &[], 0),
            other => {
                let known = identity(other).and_then(|identity| self.values.get(&identity));
                match known.map(|(index, _)| *index) {
                    Some(index) => self.packer.extension(extension::TABULATION, &[count(index)], 0),
                    None => {
                        if self.depth >= DEPTH {
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
        if let Some(identity) = identity(value) {
            let index = self.values.len();
            self.values.insert(identity, (index, value.clone()));
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
                let described = describe_object(object);
                self.described(value, &described)
            }
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
                let payload = [moment.seconds.into(), moment.nanoseconds.into()];
                self.packer.extension(extension::TIME, &payload, 0);
                Ok(())
            }
            Value::Timespan(span) => {
                self.remember(value);
                let payload = [span.seconds.into(), span.nanoseconds.into()];
                self.packer.extension(extension::TIMESPAN, &payload, 0);
                Ok(())
            }
            Value::Binary(bytes) => {
                self.remember(value);
                let text = binary::to_base64(bytes);
                self.entry(Entry::Binary(bytes.to_vec()), extension::BASE64, text.into());
                Ok(())
            }
            Value::Uri(uri) => {
                self.remember(value);
                self.entry(Entry::Uri(uri.text.to_string()), extension::URI, uri.text.as_str().into());
                Ok(())
            }
            Value::Runtime(symbol) if &*symbol.class == "Symbol" => {
                self.remember(value);
                self.packer.extension(extension::SYMBOL, &[symbol.text.as_str().into()], 0);
                Ok(())
            }
            other => Err(Error::plain(format!("No Puppet Type found for {}", label::ruby_class(other)))),
        }
    }

    fn described(&mut self, value: &Value, described: &Described) -> Result<(), Error> {
        let size = described.attributes.len();
        match &described.object_type {
            Some(of) if !self.type_by_reference => {
                self.object_start(size + 1);
                self.value(&Value::Type(of.clone()))?;
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
        self.entries.get(entry).copied()
    }

    fn add(&mut self, entry: Entry) {
        let index = self.entries.len();
        self.entries.insert(entry, index);
    }

    fn inner(&mut self, index: usize) {
        self.packer.extension(extension::INNER_TABULATION, &[count(index)], 0);
    }

    fn text(&mut self, text: &str) {
        let entry = Entry::Text(text.into());
        match self.known(&entry) {
            Some(index) => self.inner(index),
            None => {
                self.packer.scalar(&Json::from(text).to_string());
                self.add(entry);
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
            let segment_entry = Entry::Text(segment.into());
            match self.known(&segment_entry) {
                Some(index) => payload.push(count(index)),
                None => {
                    payload.push(segment.into());
                    self.add(segment_entry);
                }
            }
        }
        payload.push(count(size));
        self.packer.extension(extension::PCORE_OBJECT_START, &payload, size);
        self.add(entry);
    }
}

fn count(number: usize) -> Json {
    number.into()
}

/// Writes items and closes lists when all that was announced is written.
struct Packer {
    out: String,
    /// How many items are still to come in each open list.
    nested: Vec<usize>,
}

impl Packer {
    fn scalar(&mut self, json: &str) {
        self.out.push_str(json);
        self.delimit();
    }

    /// Writes an extension; one with `items` stays open for as many.
    fn extension(&mut self, number: i64, payload: &[Json], items: usize) {
        self.out.push('[');
        self.out.push_str(&number.to_string());
        self.out.push(',');
        for part in payload {
            self.out.push_str(&part.to_string());
            self.out.push(',');
        }
        if items > 0 {
            self.nested.push(items);
        } else {
            self.out.pop();
            self.out.push(']');
            self.delimit();
        }
    }

    fn delimit(&mut self) {
        loop {
            match self.nested.last_mut() {
                Some(1) => {
                    self.out.push(']');
                    self.nested.pop();
                }
                Some(left) => {
                    *left -= 1;
                    break;
                }
                None => break,
            }
        }
        self.out.push(',');
    }

    fn finish(&mut self) {
        if self.out.len() > 1 {
            self.out.pop();
        }
        self.out.push(']');
    }
}

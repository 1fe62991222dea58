//! The tabulating stream of Pcore, read. Follows `deserializer.rb`, `abstract_reader.rb` and `json.rb`.

use std::sync::Arc;

use serde_json::Value as Json;

use super::stream_writer::extension;
use super::type_attributes::{create, parameters};
use super::{DEPTH, msgpack, too_deep};
use crate::diagnostic::Error;
use crate::pcore::binary;
use crate::pcore::convert::Surroundings;
use crate::pcore::types::{ObjectType, Type, TypeKind, VersionRange, asserter};
use crate::pcore::value::{Hash, RegexpValue, RuntimeValue, Timespan, Timestamp, UriValue, Value, Version};

/// The value that a stream in JSON holds.
///
/// # Errors
/// When the stream is damaged or names unknown types.
pub fn read_stream(text: &str, around: &Surroundings<'_>) -> Result<Value, Error> {
    let parsed: Json = serde_json::from_str(text).map_err(|error| Error::internal(error.to_string()))?;
    let Json::Array(items) = parsed else {
        return Err(Error::plain("JSON stream is not an array. It is a StringIO"));
    };
    read(items, around)
}

/// The value that a stream in MessagePack holds.
///
/// # Errors
/// When the stream is damaged or names unknown types.
pub fn read_stream_msgpack(bytes: &[u8], around: &Surroundings<'_>) -> Result<Value, Error> {
    read(msgpack::decode_stream(bytes)?, around)
}

fn read(items: Vec<Json>, around: &Surroundings<'_>) -> Result<Value, Error> {
    let mut reader =
        Reader { around, open: vec![items.into_iter()], entries: Vec::new(), values: Vec::new(), depth: 0 };
    reader.value()
}

/// What is read from the stream at once.
#[derive(Clone, Debug)]
enum Item {
    InnerTabulation(usize),
    Tabulation(usize),
    ArrayStart(usize),
    MapStart(usize),
    PcoreObjectStart(String, usize),
    ObjectStart(usize),
    SensitiveStart,
    Default,
    Comment,
    /// Numbers, booleans and nothing, and what Ruby counts among the numbers.
    Number(Value),
    /// A text.
    Text(Value),
    /// A value of another kind, which is remembered.
    Other(Value),
}

struct Reader<'a> {
    around: &'a Surroundings<'a>,
    open: Vec<std::vec::IntoIter<Json>>,
    /// Texts, beginnings of objects and others, by their number.
    entries: Vec<Item>,
    /// Values by their number; nothing while a value is being read.
    values: Vec<Option<Value>>,
    depth: usize,
}

fn damaged(what: &str) -> Error {
    Error::internal(format!("damaged stream: {what}"))
}

impl Reader<'_> {
    /// The next piece of JSON, from the innermost list that has one.
    fn next(&mut self) -> Result<Json, Error> {
        while let Some(list) = self.open.last_mut() {
            match list.next() {
                Some(item) => return Ok(item),
                None => {
                    self.open.pop();
                }
            }
        }
        Err(Error::plain("Unexpected end of input"))
    }

    fn integer(&mut self) -> Result<i64, Error> {
        self.next()?.as_i64().ok_or_else(|| damaged("a number is missing"))
    }

    fn size(&mut self) -> Result<usize, Error> {
        Ok(usize::try_from(self.integer()?).unwrap_or(0))
    }

    fn index(&mut self) -> Result<usize, Error> {
        usize::try_from(self.integer()?).map_err(|_| damaged("a negative index"))
    }

    fn text(&mut self) -> Result<String, Error> {
        match self.next()? {
            Json::String(text) => Ok(text),
            _ => Err(damaged("a text is missing")),
        }
    }

    fn raw(&mut self) -> Result<Item, Error> {
        let list = match self.next()? {
            Json::Array(list) => list,
            text @ Json::String(_) => return Ok(Item::Text(Value::from(&text))),
            object @ Json::Object(_) => return Ok(Item::Other(Value::from(&object))),
            scalar => return Ok(Item::Number(Value::from(&scalar))),
        };
        if list.is_empty() {
            return Err(damaged("an empty list"));
        }
        self.open.push(list.into_iter());
        let number = self.next()?;
        let invalid = || Error::plain(format!("Invalid input. {number} is not a valid extension number"));
        let seconds = |reader: &mut Self| -> Result<i128, Error> {
            let (seconds, nanoseconds) = (reader.integer()?, reader.integer()?);
            Ok(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds))
        };
        Ok(match number.as_i64().ok_or_else(invalid)? {
            extension::INNER_TABULATION => Item::InnerTabulation(self.index()?),
            extension::TABULATION => Item::Tabulation(self.index()?),
            extension::ARRAY_START => Item::ArrayStart(self.size()?),
            extension::MAP_START => Item::MapStart(self.size()?),
            extension::PCORE_OBJECT_START => {
                let count = self.size()?;
                let mut segments = Vec::new();
                for _ in 0..count {
                    segments.push(self.segment()?);
                }
                Item::PcoreObjectStart(segments.join("::"), self.size()?)
            }
            extension::OBJECT_START => Item::ObjectStart(self.size()?),
            extension::SENSITIVE_START => Item::SensitiveStart,
            extension::DEFAULT => Item::Default,
            extension::COMMENT => {
                self.text()?;
                Item::Comment
            }
            extension::REGEXP => {
                let regexp = RegexpValue::new(self.text()?);
                regexp.regex()?;
                Item::Other(Value::Regexp(Arc::new(regexp)))
            }
            extension::TYPE_REFERENCE => Item::Other(Value::Type(Type::reference(self.text()?))),
            extension::SYMBOL => {
                let text = self.text()?;
                Item::Number(Value::Runtime(Arc::new(RuntimeValue {
                    runtime: "ruby".into(),
                    class: "Symbol".into(),
                    text: text.into(),
                })))
            }
            extension::TIME => Item::Number(Value::from(Timestamp::of(seconds(self)?)?)),
            extension::TIMESPAN => Item::Number(Value::from(Timespan::of(seconds(self)?)?)),
            extension::VERSION => Item::Number(Value::SemVer(Arc::new(Version::parse(&self.text()?)?))),
            extension::VERSION_RANGE => {
                Item::Other(Value::SemVerRange(Arc::new(VersionRange::parse(&self.text()?)?)))
            }
            extension::BINARY => Item::Other(Value::Binary(Arc::new(self.text()?.into_bytes()))),
            extension::BASE64 => {
                let bytes = binary::from_base64(&self.text()?)
                    .map_err(|error| Error { kind: crate::diagnostic::ErrorKind::Internal, ..error })?;
                Item::Other(Value::Binary(Arc::new(bytes)))
            }
            extension::URI => Item::Other(Value::Uri(Arc::new(UriValue::parse(&self.text()?)?))),
            _ => return Err(invalid()),
        })
    }

    /// A segment of a name: a text, or the number of one.
    fn segment(&mut self) -> Result<String, Error> {
        match self.next()? {
            Json::String(text) => {
                self.entries.push(Item::Text(text.as_str().into()));
                Ok(text)
            }
            Json::Number(number) => {
                let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
                match index.and_then(|index| self.entries.get(index)) {
                    Some(Item::Text(Value::String(text))) => Ok(text.to_string()),
                    _ => Err(damaged("a name is missing")),
                }
            }
            _ => Err(damaged("a name is missing")),
        }
    }

    fn item(&mut self) -> Result<Item, Error> {
        let item = self.raw()?;
        match &item {
            Item::InnerTabulation(index) => match self.entries.get(*index) {
                Some(item) => Ok(item.clone()),
                None => Ok(Item::Number(Value::Undef)),
            },
            Item::Text(_)
            | Item::Other(_)
            | Item::PcoreObjectStart(..)
            | Item::ObjectStart(_)
            | Item::Comment => {
                self.entries.push(item.clone());
                Ok(item)
            }
            Item::Tabulation(_)
            | Item::ArrayStart(_)
            | Item::MapStart(_)
            | Item::SensitiveStart
            | Item::Default
            | Item::Number(_) => Ok(item),
        }
    }

    fn value(&mut self) -> Result<Value, Error> {
        if self.depth >= DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        let value = self.any();
        self.depth -= 1;
        value
    }

    /// Reads a value that has a number from its beginning on.
    fn numbered(&mut self, read: impl FnOnce(&mut Self) -> Result<Value, Error>) -> Result<Value, Error> {
        let index = self.values.len();
        self.values.push(None);
        let value = read(self)?;
        if let Some(slot) = self.values.get_mut(index) {
            *slot = Some(value.clone());
        }
        Ok(value)
    }

    fn any(&mut self) -> Result<Value, Error> {
        match self.item()? {
            Item::Tabulation(index) => match self.values.get(index) {
                Some(Some(value)) => Ok(value.clone()),
                Some(None) => Err(Error::internal("stack level too deep")),
                None => Ok(Value::Undef),
            },
            Item::Default => Ok(Value::Default),
            Item::ArrayStart(size) => self.numbered(|reader| {
                let mut values = Vec::new();
                for _ in 0..size {
                    values.push(reader.value()?);
                }
                Ok(values.into())
            }),
            Item::MapStart(size) => self.numbered(|reader| {
                let mut hash = Hash::default();
                for _ in 0..size {
                    let key = reader.value()?;
                    hash.insert(key, reader.value()?);
                }
                Ok(hash.into())
            }),
            Item::SensitiveStart => self.value().map(Value::sensitive),
            Item::PcoreObjectStart(name, size) => {
                let of = Type::parse(&name, self.around.types)?;
                match of.kind() {
                    TypeKind::Object(object) => self.object(&Arc::clone(object), size),
                    TypeKind::Reference(_) => {
                        Err(Error::plain(format!("No implementation mapping found for Puppet Type {name}")))
                    }
                    _ => Err(Error::internal("undefined method `read'")),
                }
            }
            Item::ObjectStart(size) => match self.value()? {
                Value::Type(of) => match of.kind() {
                    TypeKind::Object(object) => self.object(&Arc::clone(object), size.saturating_sub(1)),
                    TypeKind::ObjectExtension { base, .. } => {
                        self.object(&Arc::clone(base), size.saturating_sub(1))
                    }
                    _ => Err(Error::internal("undefined method `read'")),
                },
                _ => Err(Error::internal("undefined method `read'")),
            },
            Item::Number(
                value @ (Value::Runtime(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_)),
            )
            | Item::Other(value) => {
                // Moments and versions are numbers for Ruby, and as such are not remembered.
                if !matches!(value, Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_)) {
                    self.values.push(Some(value.clone()));
                }
                Ok(value)
            }
            Item::Number(value) | Item::Text(value) => Ok(value),
            Item::Comment => {
                self.values.push(Some(Value::Undef));
                Ok(Value::Undef)
            }
            Item::InnerTabulation(_) => Err(damaged("a reference to a reference")),
        }
    }

    fn object(&mut self, object: &Arc<ObjectType>, size: usize) -> Result<Value, Error> {
        let (parameters, required) = parameters(object);
        if size < required || size > parameters.len() {
            // The classes of types have names, those of other objects have none.
            let class = object.name.strip_prefix("Pcore::");
            let class = class.map_or(String::new(), |name| format!("Puppet::Pops::Types::P{name}"));
            return Err(Error::plain(format!(
                "Feature count mismatch for {class}. Expected {required} - {}, actual {size}",
                parameters.len()
            )));
        }
        let attributes = object.attributes();
        let missing = parameters
            .iter()
            .skip(size)
            .map(|(name, _)| name)
            .find(|name| attributes.get(*name).is_none_or(|(_, attribute)| attribute.value.is_none()));
        if let Some(name) = missing {
            return Err(Error::plain(format!("Missing default value for {}[{name}]", object.name)));
        }
        let object = Arc::clone(object);
        self.numbered(|reader| {
            let mut arguments = Vec::with_capacity(size);
            for _ in 0..size {
                arguments.push(reader.value()?);
            }
            for ((name, expected), value) in parameters.iter().zip(&arguments) {
                if !matches!(value, Value::Default) {
                    asserter::assert_instance(&format!("{}[{name}]", object.name), expected, value)?;
                }
            }
            create(&object, &arguments)
        })
    }
}

//! The tabulating stream of Pcore, read. Follows `deserializer.rb`, `abstract_reader.rb` and `json.rb`.

use std::sync::Arc;

use num_traits::ToPrimitive as _;
use rustc_hash::FxHashMap;

use super::stream_writer::extension;
use super::{MAX_DEPTH, msgpack, too_deep};
use crate::convert::Surroundings;
use crate::data::fuel::BoundedFuel;
use crate::data::value::{Hash, RegexpValue, RuntimeValue, Timespan, Timestamp, UriValue, Value, Version};
use crate::formats::json;
use crate::formats::json_tokens::{Token, Tokens};
use crate::scalars::binary;
use crate::scalars::time::{SECOND, too_large};
use crate::types::attributes::{create_checked, expected_attributes};
use crate::types::{ObjectType, Type, TypeKind, VersionRange};
use bunraku_syntax::diagnostic::Error;

/// The value that a stream in JSON holds.
///
/// # Errors
/// When the stream is damaged or names unknown types.
pub fn read_stream(text: &str, around: &Surroundings<'_>) -> Result<Value, Error> {
    let mut tokens = Tokens::new(text);
    if tokens.next()? != Token::ListStart {
        return Err(Error::plain("JSON stream is not an array. It is a StringIO"));
    }
    read(tokens, around)
}

/// The value that a stream in MessagePack holds.
///
/// # Errors
/// When the stream is damaged or names unknown types.
pub fn read_stream_msgpack(bytes: &[u8], around: &Surroundings<'_>) -> Result<Value, Error> {
    read(msgpack::Stream::new(bytes), around)
}

fn read<'t>(source: impl Source<'t>, around: &Surroundings<'_>) -> Result<Value, Error> {
    let mut reader = Reader {
        around,
        source,
        entries: Vec::new(),
        values: Vec::new(),
        types: FxHashMap::default(),
        depth: 0,
    };
    let value = reader.value()?;
    reader.source.finish()?;
    Ok(value)
}

/// The source of a stream's pieces. An extension is a list that begins with its number, as in JSON.
pub(super) trait Source<'t> {
    /// The number of the next extension and the number that it begins with, if `is_wanted` accepts it and
    /// there is a fast path; otherwise `None`, and nothing is consumed.
    fn numbers(&mut self, _is_wanted: impl Fn(i64) -> bool) -> Option<(i64, i64)> {
        None
    }

    /// The next piece: a scalar (a map is one), a text, or the start of an extension. Ends of lists are
    /// skipped.
    ///
    /// # Errors
    /// The stream is damaged or at its end.
    fn piece(&mut self) -> Result<Token<'t>, Error>;

    /// The number of an extension, which directly follows its start.
    ///
    /// # Errors
    /// The stream is damaged, or the extension is empty.
    fn number(&mut self) -> Result<Token<'t>, Error>;

    /// The bytes that an extension holds.
    ///
    /// # Errors
    /// The stream is damaged.
    fn bytes(&mut self) -> Result<Vec<u8>, Error>;

    /// Reads to the end.
    ///
    /// # Errors
    /// The rest is damaged.
    fn finish(&mut self) -> Result<(), Error>;
}

impl<'t> Source<'t> for Tokens<'t> {
    fn numbers(&mut self, is_wanted: impl Fn(i64) -> bool) -> Option<(i64, i64)> {
        self.numbers_of_list(is_wanted)
    }

    fn piece(&mut self) -> Result<Token<'t>, Error> {
        loop {
            match self.next()? {
                Token::ListEnd => {}
                Token::End => return Err(Error::plain("Unexpected end of input")),
                object @ Token::ObjectStart => return self.data(object).map(Token::Scalar),
                piece => return Ok(piece),
            }
        }
    }

    fn number(&mut self) -> Result<Token<'t>, Error> {
        match self.next()? {
            Token::ListEnd => Err(damaged("an empty list")),
            object @ Token::ObjectStart => self.data(object).map(Token::Scalar),
            number => Ok(number),
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        match self.piece()? {
            Token::Text(text) => Ok(text.into_owned().into_bytes()),
            _ => Err(damaged("a text is missing")),
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        while self.next()? != Token::End {}
        Ok(())
    }
}

/// An item of the stream.
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

struct Reader<'a, S> {
    around: &'a Surroundings<'a>,
    source: S,
    /// Texts, beginnings of objects and others, by their number.
    entries: Vec<Item>,
    /// Values by their number; nothing while a value is being read.
    values: Vec<Option<Value>>,
    /// The types of objects by their names.
    types: FxHashMap<String, Type>,
    depth: usize,
}

pub(super) fn damaged(what: &str) -> Error {
    Error::internal(format!("damaged stream: {what}"))
}

/// The maximum capacity that is reserved at once, whatever a stream announces.
const ROOM: usize = 256;

impl<'t, S: Source<'t>> Reader<'_, S> {
    fn integer(&mut self) -> Result<i64, Error> {
        match self.source.piece()? {
            Token::Scalar(Value::Integer(number)) => Ok(number),
            _ => Err(damaged("a number is missing")),
        }
    }

    fn size(&mut self) -> Result<usize, Error> {
        Ok(usize::try_from(self.integer()?).unwrap_or(0))
    }

    fn index(&mut self) -> Result<usize, Error> {
        usize::try_from(self.integer()?).map_err(|_| damaged("a negative index"))
    }

    fn text(&mut self) -> Result<String, Error> {
        match self.source.piece()? {
            Token::Text(text) => Ok(text.into_owned()),
            _ => Err(damaged("a text is missing")),
        }
    }

    /// An extension that begins with only a number, as most of a stream: repeated values, lists and maps.
    fn plain_extension(&mut self) -> Option<Item> {
        let is_wanted = |number| {
            matches!(
                number,
                extension::INNER_TABULATION
                    | extension::TABULATION
                    | extension::ARRAY_START
                    | extension::MAP_START
            )
        };
        let (extension, number) = self.source.numbers(is_wanted)?;
        // Numbers without sign: too large ones refer to nothing that exists.
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        Some(match extension {
            extension::INNER_TABULATION => Item::InnerTabulation(number),
            extension::TABULATION => Item::Tabulation(number),
            extension::ARRAY_START => Item::ArrayStart(number),
            _ => Item::MapStart(number),
        })
    }

    fn raw(&mut self) -> Result<Item, Error> {
        if let Some(item) = self.plain_extension() {
            return Ok(item);
        }
        match self.source.piece()? {
            Token::ListStart => {}
            Token::Text(text) => return Ok(Item::Text(Value::from(&*text))),
            Token::Scalar(map @ Value::Hash(_)) => return Ok(Item::Other(map)),
            Token::Scalar(scalar) => return Ok(Item::Number(scalar)),
            _ => return Err(damaged("a value is missing")),
        }
        let number = self.source.number()?;
        let invalid = |number: &Token<'_>| {
            let mut shown = String::new();
            match number {
                Token::Scalar(value) => json::push_text(&mut shown, value),
                Token::Text(text) => json::push_quoted(&mut shown, text),
                _ => shown.push_str("a list"),
            }
            Error::plain(format!("Invalid input. {shown} is not a valid extension number"))
        };
        let Token::Scalar(Value::Integer(number)) = number else { return Err(invalid(&number)) };
        let seconds = |reader: &mut Self| -> Result<i128, Error> {
            let seconds = match reader.source.piece()? {
                Token::Scalar(value) => value.as_big_integer().and_then(|number| number.to_i128()),
                _ => None,
            };
            let seconds = seconds.ok_or_else(|| damaged("a number is missing"))?;
            let all = seconds.checked_mul(SECOND).ok_or_else(too_large)?;
            all.checked_add(i128::from(reader.integer()?)).ok_or_else(too_large)
        };
        Ok(match number {
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
                regexp.regex(&BoundedFuel::default())?;
                Item::Other(Value::Regexp(Arc::new(regexp)))
            }
            extension::TYPE_REFERENCE => Item::Other(Value::Type(Type::reference(self.text()?))),
            extension::SYMBOL => {
                let text = self.text()?;
                Item::Number(Value::Runtime(Arc::new(RuntimeValue::symbol(text))))
            }
            extension::TIME => Item::Number(Value::from(Timestamp::of(seconds(self)?))),
            extension::TIMESPAN => Item::Number(Value::from(Timespan::of(seconds(self)?))),
            extension::VERSION => Item::Number(Value::SemVer(Arc::new(Version::parse(&self.text()?)?))),
            extension::VERSION_RANGE => {
                Item::Other(Value::SemVerRange(Arc::new(VersionRange::parse(&self.text()?)?)))
            }
            extension::BINARY => Item::Other(Value::Binary(Arc::new(self.source.bytes()?))),
            extension::BASE64 => {
                let bytes = binary::from_base64(&self.text()?).map_err(|error| Error {
                    kind: bunraku_syntax::diagnostic::ErrorKind::ReferenceFails,
                    ..error
                })?;
                Item::Other(Value::Binary(Arc::new(bytes)))
            }
            extension::URI => Item::Other(Value::Uri(Arc::new(UriValue::parse(&self.text()?)?))),
            other => return Err(invalid(&Token::Scalar(other.into()))),
        })
    }

    /// A segment of a name: a text, or the number of one.
    fn segment(&mut self) -> Result<String, Error> {
        match self.source.piece()? {
            Token::Text(text) => {
                self.entries.push(Item::Text(Value::from(&*text)));
                Ok(text.into_owned())
            }
            Token::Scalar(Value::Integer(index)) => {
                let index = usize::try_from(index).ok();
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
        if self.depth >= MAX_DEPTH {
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
                Some(None) => Err(Error::internal("The stream refers to itself")),
                None => Ok(Value::Undef),
            },
            Item::Default => Ok(Value::Default),
            Item::ArrayStart(size) => self.numbered(|reader| {
                let mut values = Vec::with_capacity(size.min(ROOM));
                for _ in 0..size {
                    values.push(reader.value()?);
                }
                Ok(values.into())
            }),
            Item::MapStart(size) => self.numbered(|reader| {
                let mut hash = Hash::with_capacity(size.min(ROOM));
                for _ in 0..size {
                    let key = reader.value()?;
                    hash.insert(key, reader.value()?);
                }
                Ok(hash.into())
            }),
            Item::SensitiveStart => self.value().map(Value::sensitive),
            Item::PcoreObjectStart(name, size) => {
                let of = match self.types.get(&name) {
                    Some(of) => of.clone(),
                    None => {
                        let of = Type::parse(&name, self.around.types)?;
                        self.types.insert(name.clone(), of.clone());
                        of
                    }
                };
                match of.kind() {
                    TypeKind::Object(object) => self.object(&Arc::clone(object), size),
                    TypeKind::Reference(_) => {
                        Err(Error::plain(format!("No implementation mapping found for Puppet Type {name}")))
                    }
                    _ => Err(Error::internal("The stream has an object of a type that cannot be read")),
                }
            }
            Item::ObjectStart(size) => match self.value()? {
                Value::Type(of) => match of.kind() {
                    TypeKind::Object(object) => self.object(&Arc::clone(object), size.saturating_sub(1)),
                    TypeKind::ObjectExtension { base, .. } => {
                        self.object(&Arc::clone(base), size.saturating_sub(1))
                    }
                    _ => Err(Error::internal("The stream has an object of a type that cannot be read")),
                },
                _ => Err(Error::internal("The stream has an object of a type that cannot be read")),
            },
            Item::Number(
                value @ (Value::Runtime(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_)),
            )
            | Item::Other(value) => {
                // Timestamps and versions are numbers for Ruby, and are therefore not remembered.
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
        let parameters = expected_attributes(object, size)?;
        let object = Arc::clone(object);
        self.numbered(|reader| {
            let mut arguments = Vec::with_capacity(size);
            for _ in 0..size {
                arguments.push(reader.value()?);
            }
            create_checked(&object, &parameters, &arguments)
        })
    }
}

//! Converts between Ruby objects and data without intermediate values. Most of large data is Strings,
//! numbers, Arrays and Hashes, which only need to be copied. Any other object is converted through a value of
//! its own. Where the result depends on the context (references, losses, keys that are not names), this short
//! way ends, and the whole object is converted through values.

use bunraku::pcore::Value;
use bunraku::pcore::convert::Surroundings;
use bunraku::pcore::serialize::{DataOptions, DataReader, LOCAL_REFERENCE, TYPE_KEY, value_to_data};
use magnus::Ruby;
use rustc_hash::FxHashSet;

use crate::convert::{data_from_ruby, to_ruby, to_typed_value};
use crate::failure;
use crate::raw::{Kind, NewArray, NewHash, Raw};

/// The maximum nesting of objects on the short way.
const MAX_DEPTH: usize = 300;

/// The reason why the short way ended.
enum ShortWayError {
    /// The long way is needed.
    LongWay,
    Failed(magnus::Error),
}

impl From<magnus::Error> for ShortWayError {
    fn from(error: magnus::Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of the short way; `None` if the long one is needed.
fn outcome(made: Result<magnus::Value, ShortWayError>) -> Result<Option<magnus::Value>, magnus::Error> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(ShortWayError::LongWay) => Ok(None),
        Err(ShortWayError::Failed(error)) => Err(error),
    }
}

/// The data of an object; `None` if this needs values. The data shares the Strings of the object.
///
/// # Errors
/// A part of the object has no form as data.
pub(crate) fn data_of(
    ruby: &Ruby,
    object: magnus::Value,
    options: &DataOptions<'_>,
) -> Result<Option<magnus::Value>, magnus::Error> {
    let other = |object: Raw<'_>| {
        if !options.rich_data || !options.type_by_reference {
            return Err(ShortWayError::LongWay);
        }
        let value = to_typed_value(ruby, object.object())?;
        match value {
            Value::BigInteger(_)
            | Value::Regexp(_)
            | Value::Timestamp(_)
            | Value::Timespan(_)
            | Value::Binary(_)
            | Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Uri(_) => {
                let data = value_to_data(&value, options).map_err(|error| failure::raised(ruby, &error))?;
                Ok(to_ruby(ruby, &data)?)
            }
            _ => Err(ShortWayError::LongWay),
        }
    };
    let met = options.local_reference.then(FxHashSet::default);
    let mut copy = Copy { ruby, met, typed: |_: Raw<'_>| Err(ShortWayError::LongWay), other };
    outcome(copy.object(Raw::new(ruby, object), 0))
}

/// The object of data; `None` if this needs values. The object shares the Strings of the data.
///
/// # Errors
/// The data is damaged or names unknown types.
pub(crate) fn object_of(
    ruby: &Ruby,
    data: magnus::Value,
    around: &Surroundings<'_>,
    allow_unresolved: bool,
) -> Result<Option<magnus::Value>, magnus::Error> {
    let mut reader = DataReader::new(around, allow_unresolved);
    let typed = |object: Raw<'_>| {
        let data = data_from_ruby(ruby, object.object())?;
        if refers(&data) {
            return Err(ShortWayError::LongWay);
        }
        let value = reader.read(&data);
        Ok(to_ruby(ruby, &value.map_err(|error| failure::raised(ruby, &error))?)?)
    };
    let mut copy = Copy { ruby, met: None, typed, other: |_: Raw<'_>| Err(ShortWayError::LongWay) };
    outcome(copy.object(Raw::new(ruby, data), 0))
}

/// Whether data contains a reference.
fn refers(data: &Value) -> bool {
    match data {
        Value::Array(values) => values.iter().any(refers),
        Value::Hash(members) => members.iter().any(|(name, value)| match value {
            Value::String(of) => of == LOCAL_REFERENCE && name.as_str() == Some(TYPE_KEY),
            value => refers(value),
        }),
        _ => false,
    }
}

/// Copies objects.
struct Copy<'r, T, O> {
    ruby: &'r Ruby,
    /// The Arrays and Hashes seen so far, if it matters whether one occurs twice.
    met: Option<FxHashSet<usize>>,
    /// Converts a Hash with a type among its keys.
    typed: T,
    /// Converts an object that is not data.
    other: O,
}

impl<'r, T, O> Copy<'r, T, O>
where
    T: FnMut(Raw<'r>) -> Result<magnus::Value, ShortWayError>,
    O: FnMut(Raw<'r>) -> Result<magnus::Value, ShortWayError>,
{
    fn object(&mut self, object: Raw<'r>, depth: usize) -> Result<magnus::Value, ShortWayError> {
        match object.kind() {
            Kind::Nil | Kind::Boolean(_) | Kind::Integer(_) => Ok(object.object()),
            Kind::Float(number) if number.is_finite() => Ok(object.object()),
            Kind::Text if object.with_text(|text| text.is_some()) => Ok(object.object()),
            Kind::Float(_) | Kind::Text => Err(ShortWayError::LongWay),
            Kind::Array(size) => {
                self.enter(object, depth)?;
                let array = NewArray::new(self.ruby, size);
                for index in 0..size {
                    let Some(element) = object.element(index) else { break };
                    array.push(self.object(element, depth + 1)?);
                }
                Ok(array.object())
            }
            Kind::Hash(_) => {
                self.enter(object, depth)?;
                self.hash(object, depth)
            }
            Kind::Other => (self.other)(object),
        }
    }

    fn enter(&mut self, object: Raw<'r>, depth: usize) -> Result<(), ShortWayError> {
        let is_new = self.met.as_mut().is_none_or(|met| met.insert(object.address()));
        if depth < MAX_DEPTH && is_new { Ok(()) } else { Err(ShortWayError::LongWay) }
    }

    fn hash(&mut self, object: Raw<'r>, depth: usize) -> Result<magnus::Value, ShortWayError> {
        let hash = NewHash::new(self.ruby);
        let (mut stop, mut is_typed) = (None, false);
        object.each_pair(|key, value| {
            let is_name = matches!(key.kind(), Kind::Text) && key.is_plain_string();
            match is_name.then(|| key.with_text(|text| text.map(|text| text == TYPE_KEY))).flatten() {
                None => stop = Some(ShortWayError::LongWay),
                Some(true) => is_typed = true,
                Some(false) => match self.object(value, depth + 1) {
                    Ok(value) => hash.insert_text(key, value),
                    Err(why) => stop = Some(why),
                },
            }
            stop.is_none() && !is_typed
        });
        match stop {
            Some(stop) => Err(stop),
            None if is_typed => (self.typed)(object),
            None => Ok(hash.object()),
        }
    }
}

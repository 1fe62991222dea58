//! Generic data as values. Follows the reference's `from_data_converter.rb`.
//!
//! A path to another place is followed in the data: that place either was read before, or does not exist.
//! Values cannot contain themselves here, so a path to a value in progress is an error.

use std::sync::Arc;

use num_traits::ToPrimitive as _;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::json_path::Named;
use super::{
    LOCAL_REFERENCE, MAX_DEPTH, TYPE_KEY, VALUE_KEY, changed_elements, changed_members, json_path, too_deep,
};
use crate::convert::{Surroundings, new_instance};
use crate::data::fuel::BoundedFuel;
use crate::data::value::{Hash, RegexpValue, RuntimeValue, Str, Timestamp, Value};
use crate::formats::json_tokens;
use crate::ruby::names;
use crate::types::attributes::create;
use crate::types::{NoTypes, Type, TypeKind};
use bunraku_syntax::diagnostic::Error;

/// The value of data in JSON in which no types but those of the language are named.
///
/// # Errors
/// When the data is damaged or names unknown types.
pub fn from_data(data: &Json) -> Result<Value, Error> {
    from_data_with(
        data,
        &Surroundings { types: &NoTypes, now: &Timestamp::default, fuel: &BoundedFuel::default() },
        false,
    )
}

/// The value of data in a JSON tree, which has whole numbers of 64 bits ([`from_data_text`] accepts any).
/// With `allow_unresolved`, data of an unknown type stays a hash.
///
/// # Errors
/// The data is damaged or names unknown types.
pub fn from_data_with(
    data: &Json,
    around: &Surroundings<'_>,
    allow_unresolved: bool,
) -> Result<Value, Error> {
    value_from_data(&Value::from(data), around, allow_unresolved)
}

/// The value of data in JSON text. A whole number of any size is exact.
///
/// # Errors
/// The text is not JSON, or an error of [`from_data_with`].
pub fn from_data_text(text: &str, around: &Surroundings<'_>, allow_unresolved: bool) -> Result<Value, Error> {
    let data =
        json_tokens::parse(text).map_err(|error| Error::argument(format!("not JSON: {}", error.message)))?;
    value_from_data(&data, around, allow_unresolved)
}

/// The value of data, see [`value_to_data`](super::value_to_data). Plain data is shared with the value.
/// data.
///
/// # Errors
/// As [`from_data_with`].
pub fn value_from_data(
    data: &Value,
    around: &Surroundings<'_>,
    allow_unresolved: bool,
) -> Result<Value, Error> {
    DataReader::new(around, allow_unresolved).read(data)
}

/// Reads pieces of data, and remembers from one to the next what names and patterns mean.
pub struct DataReader<'a> {
    around: &'a Surroundings<'a>,
    allow_unresolved: bool,
    /// Types by their names.
    types: FxHashMap<Str, Type>,
    /// Regular expressions by their patterns: making one costs more than reading its name.
    patterns: FxHashMap<Str, Arc<RegexpValue>>,
}

impl<'a> DataReader<'a> {
    /// A reader that finds types and the time here. With `allow_unresolved`, data of an unknown type stays a
    /// hash.
    pub fn new(around: &'a Surroundings<'a>, allow_unresolved: bool) -> Self {
        Self { around, allow_unresolved, types: FxHashMap::default(), patterns: FxHashMap::default() }
    }

    /// The value of data, see [`value_from_data`].
    ///
    /// # Errors
    /// As there.
    pub fn read(&mut self, data: &Value) -> Result<Value, Error> {
        let mut reader = Reader { known: self, root: None, seen: None, circle: None, depth: 0 };
        let mut read = reader.value(data);
        if matches!(read, Err(Ended::NeedsPlaces)) {
            let seen = Some(FxHashMap::default());
            reader = Reader { known: self, root: None, seen, circle: None, depth: 0 };
            read = reader.value(data);
        }
        if let (Ok(_), Some(error)) = (&read, reader.circle) {
            return Err(error);
        }
        read.map(|value| value.unwrap_or_else(|| data.clone())).map_err(Ended::into_error)
    }
}

/// The reason why reading ended.
enum Ended {
    /// The data contains a reference, but places were not recorded.
    NeedsPlaces,
    /// The data cannot be read.
    Failed(Box<Error>),
}

impl Ended {
    fn into_error(self) -> Error {
        match self {
            Self::NeedsPlaces => Error::internal("a reference without places"),
            Self::Failed(error) => *error,
        }
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// The value of data; nothing when that is the data itself.
type Read = Option<Value>;

struct Reader<'r, 'a, 'd> {
    known: &'r mut DataReader<'a>,
    /// The first collection or object that was begun: where paths begin.
    root: Option<&'d Value>,
    /// The values read so far, by the address of the data; `None` while in progress. It is only recorded
    /// after a reference was found, when reading starts again.
    seen: Option<FxHashMap<usize, Option<Value>>>,
    /// The error for a reference to what it is a part of. The reference fails when it uses such a value, and
    /// thus with any other error of the data first.
    circle: Option<Error>,
    depth: usize,
}

/// The address of a collection; `None` for other data.
fn address(data: &Value) -> Option<usize> {
    match data {
        Value::Array(values) => Some(Arc::as_ptr(values) as usize),
        Value::Hash(hash) => Some(Arc::as_ptr(hash) as usize),
        _ => None,
    }
}

/// The member of a hash with this name, which is usually at the front.
fn member<'d>(hash: &'d Hash, name: &str) -> Option<&'d Value> {
    if hash.len() > FEW_MEMBERS {
        return hash.get(&Value::from(name));
    }
    hash.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

/// The maximum number of members that are searched linearly.
const FEW_MEMBERS: usize = 8;

fn type_of(members: &Hash) -> Option<&Value> {
    member(members, TYPE_KEY).filter(|of| matches!(of, Value::String(_) | Value::Hash(_)))
}

impl<'d> Reader<'_, '_, 'd> {
    fn value(&mut self, data: &'d Value) -> Result<Read, Ended> {
        let Some(address) = address(data) else { return Ok(None) };
        if self.depth >= MAX_DEPTH {
            return Err(too_deep().into());
        }
        if let Some(seen) = &mut self.seen {
            // A reference to an object that is only made after it was read completely finds nothing.
            let of = if let Value::Hash(members) = data { member(members, TYPE_KEY) } else { None };
            if !matches!(
                of.and_then(Value::as_str),
                Some(LOCAL_REFERENCE | "Sensitive" | "Default" | "Symbol")
            ) {
                seen.insert(address, None);
            }
        }
        self.depth += 1;
        let value = self.collection(data);
        self.depth -= 1;
        let value = value?;
        if let Some(seen) = &mut self.seen {
            seen.insert(address, Some(value.as_ref().unwrap_or(data).clone()));
        }
        Ok(value)
    }

    /// The value of data without references.
    fn whole(&mut self, data: &'d Value) -> Result<Value, Ended> {
        Ok(self.value(data)?.unwrap_or_else(|| data.clone()))
    }

    fn collection(&mut self, data: &'d Value) -> Result<Read, Ended> {
        match data {
            Value::Hash(members) => match type_of(members) {
                Some(of) => self.typed(data, members, of).map(Some),
                None => {
                    self.root.get_or_insert(data);
                    let made = changed_members(members, |_, value| self.value(value))?;
                    Ok(made.map(Value::from))
                }
            },
            Value::Array(values) => {
                self.root.get_or_insert(data);
                Ok(changed_elements(values, |_, value| self.value(value))?.map(Value::from))
            }
            _ => Ok(None),
        }
    }

    fn typed(&mut self, data: &'d Value, members: &'d Hash, of: &'d Value) -> Result<Value, Ended> {
        let inner = member(members, VALUE_KEY);
        match of.as_str() {
            Some("Hash") => {
                self.root.get_or_insert(data);
                let Some(Value::Array(list)) = inner else {
                    return Err(Error::internal("The items of a Hash are not an Array").into());
                };
                let mut hash = Hash::default();
                for pair in list.chunks(2) {
                    let Some(key) = pair.first() else { continue };
                    let key = self.whole(key)?;
                    let value = pair.get(1).map_or(Ok(Value::Undef), |value| self.whole(value))?;
                    hash.insert(key, value);
                }
                Ok(hash.into())
            }
            Some("Sensitive") => {
                let inner = inner.map_or(Ok(Value::Undef), |inner| self.whole(inner))?;
                Ok(Value::sensitive(inner))
            }
            Some("Default") => Ok(Value::Default),
            Some("Symbol") => {
                let text = match inner {
                    None => Str::new(),
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => crate::ruby::to_s(other).into(),
                };
                Ok(match text.as_str() {
                    "default" => Value::Default,
                    _ => Value::Runtime(Arc::new(RuntimeValue::symbol(text))),
                })
            }
            Some(LOCAL_REFERENCE) => self.reference(inner),
            Some(name) => {
                let of = match self.known.types.get(name) {
                    Some(of) => of.clone(),
                    None => {
                        let of = Type::parse(name, self.known.around.types)?;
                        self.known.types.insert(name.into(), of.clone());
                        of
                    }
                };
                if matches!(of.kind(), TypeKind::Reference(_)) {
                    return self.unresolved(data, || {
                        format!("No implementation mapping found for Puppet Type {name}")
                    });
                }
                self.instance(&of, data, members)
            }
            None => match self.whole(of)? {
                Value::Type(of) => self.instance(&of, data, members),
                other @ Value::Hash(_) => self.unresolved(data, || {
                    format!("Unable to deserialize type from {}", crate::ruby::inspect(&other))
                }),
                _ => Err(Error::internal("The data has an object of a type that makes none").into()),
            },
        }
    }

    fn unresolved(&self, data: &Value, complaint: impl FnOnce() -> String) -> Result<Value, Ended> {
        if self.known.allow_unresolved { Ok(data.clone()) } else { Err(Error::plain(complaint()).into()) }
    }

    fn instance(&mut self, of: &Type, data: &'d Value, members: &'d Hash) -> Result<Value, Ended> {
        let attributes: Vec<&'d Value> = match member(members, VALUE_KEY) {
            Some(Value::String(text)) if matches!(of.kind(), TypeKind::Regexp(None)) => {
                return self.regexp(of, text);
            }
            Some(value @ Value::String(text)) => {
                let is_moment = matches!(of.kind(), TypeKind::Timestamp { from: None, to: None });
                return match Timestamp::of_full_text(text).filter(|_| is_moment) {
                    Some(moment) => Ok(moment.into()),
                    None => self.made(of, std::slice::from_ref(value)),
                };
            }
            Some(Value::Hash(attributes)) => attributes.values().collect(),
            Some(other) => {
                let name = of.name().unwrap_or_else(|| of.kind().kind_name().into());
                let class = names::ruby_class_name(other);
                return Err(Error::plain(format!("Cannot create a {name} from a {class}")).into());
            }
            None => {
                let others = members.iter().filter(|(key, _)| key.as_str() != Some(TYPE_KEY));
                others.map(|(_, value)| value).collect()
            }
        };
        if attributes.is_empty() {
            return self.made(of, &[]);
        }
        self.root.get_or_insert(data);
        let TypeKind::Object(object_type) = of.kind() else {
            return Err(Error::internal("The data has an object of a type that makes none").into());
        };
        let arguments =
            attributes.into_iter().map(|value| self.whole(value)).collect::<Result<Vec<_>, _>>()?;
        Ok(create(object_type, &arguments)?)
    }

    /// A regular expression of its own, which shares the compiled form with others of its pattern.
    fn regexp(&mut self, of: &Type, pattern: &str) -> Result<Value, Ended> {
        if let Some(known) = self.known.patterns.get(pattern) {
            let (source, compiled) = (known.source.clone(), known.compiled.clone());
            return Ok(Value::Regexp(Arc::new(RegexpValue { source, compiled })));
        }
        let made = self.made(of, &[pattern.into()])?;
        if let Value::Regexp(regexp) = &made {
            self.known.patterns.insert(pattern.into(), regexp.clone());
        }
        Ok(made)
    }

    /// The result of the reference's `create` of a type.
    fn made(&self, of: &Type, arguments: &[Value]) -> Result<Value, Ended> {
        match of.kind() {
            TypeKind::Object(object_type) if object_type.name == "Error" => {
                Err(Error::internal("An Error cannot be made of data").into())
            }
            TypeKind::Object(object_type) => Ok(create(object_type, arguments)?),
            _ => Ok(new_instance(of, arguments, self.known.around)?),
        }
    }

    fn reference(&mut self, path: Option<&'d Value>) -> Result<Value, Ended> {
        if self.seen.is_none() {
            return Err(Ended::NeedsPlaces);
        }
        let path = path.and_then(Value::as_str).unwrap_or_default();
        self.named(json_path::parse(path)?, path)
    }

    fn named(&mut self, named: Named, path: &str) -> Result<Value, Ended> {
        match named {
            Named::Root(keys) => self.at_root(&keys, path),
            Named::Value(value, keys) => inside(value, &keys),
        }
    }

    /// What keys lead to from the root.
    fn at_root(&mut self, keys: &[Value], path: &str) -> Result<Value, Ended> {
        let Some(seen) = &self.seen else { return Err(Ended::NeedsPlaces) };
        let missing = || Error::internal("The path names nothing in the data");
        let Some(mut at) = self.root else {
            return if keys.is_empty() { Ok(Value::Undef) } else { Err(missing().into()) };
        };
        for (index, key) in keys.iter().enumerate() {
            let is_last = index + 1 == keys.len();
            let Some(next) = step(at, key) else {
                return self.step_in_value(at, keys.get(index..).unwrap_or_default());
            };
            let is_known = address(next).is_none_or(|address| seen.contains_key(&address));
            if !is_known {
                return if is_last { Ok(Value::Undef) } else { Err(missing().into()) };
            }
            at = next;
        }
        match address(at).and_then(|address| seen.get(&address)) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => {
                let message = || Error::plain(format!("Endless recursion: '{path}' is a part of itself"));
                self.circle.get_or_insert_with(message);
                Ok(Value::Undef)
            }
            None => Ok(at.clone()),
        }
    }

    /// Follows the rest of a path in a value that was read.
    fn step_in_value(&self, at: &Value, keys: &[Value]) -> Result<Value, Ended> {
        let missing = || Error::internal("The path names nothing in the data");
        let is_of_attributes = |members: &Hash| {
            type_of(members).is_some() && member(members, VALUE_KEY).is_none() && members.len() > 1
        };
        if matches!(at, Value::Hash(members) if is_of_attributes(members)) {
            // An object has the attributes that its data has, and nothing else.
            return if keys.len() == 1 { Ok(Value::Undef) } else { Err(missing().into()) };
        }
        let seen = self.seen.as_ref();
        let read = match at {
            Value::String(_) => Some(at),
            at => address(at)
                .and_then(|address| seen.and_then(|seen| seen.get(&address)))
                .and_then(Option::as_ref),
        };
        let Some(value) = read else {
            return if keys.len() == 1 { Ok(Value::Undef) } else { Err(missing().into()) };
        };
        inside(value.clone(), keys)
    }
}

/// The index of a list that a number is: a Float without its fraction.
fn index(key: &Value) -> Option<usize> {
    match key {
        Value::Integer(index) => usize::try_from(*index).ok(),
        Value::Float(index) => index.trunc().to_usize(),
        _ => None,
    }
}

/// Follows keys in a value.
fn inside(value: Value, keys: &[Value]) -> Result<Value, Ended> {
    let mut value = value;
    for key in keys {
        value = match (&value, key) {
            (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
            (Value::Array(values), Value::Integer(_) | Value::Float(_)) => {
                index(key).and_then(|index| values.get(index)).cloned().unwrap_or_default()
            }
            // Ruby's texts have characters, and its numbers bits.
            (Value::String(text), Value::Integer(_) | Value::Float(_)) => {
                let found = index(key).and_then(|index| text.chars().nth(index));
                found.map_or(Value::Undef, |found| Value::from(String::from(found)))
            }
            (Value::Integer(number), Value::Integer(bit)) => {
                let bit = u32::try_from(*bit).map_or(0, |bit| (number >> bit.min(63)) & 1);
                Value::Integer(bit)
            }
            (Value::String(text), Value::String(part)) => {
                if text.contains(part.as_str()) {
                    part.clone().into()
                } else {
                    Value::Undef
                }
            }
            (Value::Object(object), Value::String(name)) => {
                crate::types::object::attribute_value(object, name).unwrap_or_default()
            }
            _ => return Err(Error::internal("The path names nothing in the data").into()),
        };
    }
    Ok(value)
}

/// The data that a key of a path selects.
fn step<'d>(at: &'d Value, key: &Value) -> Option<&'d Value> {
    match (at, key) {
        (Value::Array(values), key) => values.get(index(key)?),
        (Value::Hash(members), key) => {
            if member(members, TYPE_KEY).and_then(Value::as_str) == Some("Hash") {
                let Value::Array(list) = member(members, VALUE_KEY)? else { return None };
                return list.chunks(2).find(|pair| pair.first().is_some_and(|k| k == key))?.get(1);
            }
            let name = key.as_str()?;
            let is_typed = matches!(name, TYPE_KEY | VALUE_KEY) && type_of(members).is_some();
            if is_typed { None } else { member(members, name) }
        }
        _ => None,
    }
}

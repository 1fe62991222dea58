//! Generic data as values. Follows the reference's `from_data_converter.rb`.
//!
//! A path to another place is followed in the data: what stands there was read before, or else is nothing. Values
//! cannot contain themselves here, so a path to what is still being read is an error.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use super::type_attributes::create;
use super::{DEPTH, LOCAL_REFERENCE, TYPE_KEY, VALUE_KEY, json_path, too_deep};
use crate::diagnostic::Error;
use crate::pcore::convert::{Surroundings, new_instance};
use crate::pcore::types::{NoTypes, Type, TypeKind};
use crate::pcore::value::{Hash, RegexpValue, RuntimeValue, Timestamp, Value};

/// The value of data in which no types but those of the language are named.
///
/// # Errors
/// When the data is damaged or names unknown types.
pub fn from_data(data: &Json) -> Result<Value, Error> {
    from_data_with(data, &Surroundings { types: &NoTypes, now: &Timestamp::default }, false)
}

/// The value of data. With `allow_unresolved`, what has an unknown type stays a hash.
///
/// # Errors
/// When the data is damaged or names unknown types.
pub fn from_data_with(
    data: &Json,
    around: &Surroundings<'_>,
    allow_unresolved: bool,
) -> Result<Value, Error> {
    let mut reader = Reader {
        around,
        allow_unresolved,
        root: None,
        seen: None,
        types: FxHashMap::default(),
        patterns: FxHashMap::default(),
        depth: 0,
    };
    match reader.value(data) {
        Err(Ended::NeedsPlaces) => {
            let mut reader = Reader { root: None, seen: Some(FxHashMap::default()), depth: 0, ..reader };
            reader.value(data).map_err(Ended::into_error)
        }
        read => read.map_err(Ended::into_error),
    }
}

/// Why reading ended.
enum Ended {
    /// There is a reference, and nobody noted what stands where.
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

struct Reader<'a, 'd> {
    around: &'a Surroundings<'a>,
    allow_unresolved: bool,
    /// The first collection or object that was begun: where paths begin.
    root: Option<&'d Json>,
    /// What was read so far, by the address of the data; nothing while it is being read. Only noted once a reference was
    /// met, when reading begins anew.
    seen: Option<FxHashMap<usize, Option<Value>>>,
    /// Types by their names.
    types: FxHashMap<&'d str, Type>,
    /// Regular expressions by their patterns: making one costs more than reading its name.
    patterns: FxHashMap<&'d str, Arc<RegexpValue>>,
    depth: usize,
}

fn address(data: &Json) -> usize {
    std::ptr::from_ref(data) as usize
}

fn type_of(members: &Map<String, Json>) -> Option<&Json> {
    members.get(TYPE_KEY).filter(|of| of.is_string() || of.is_object())
}

impl<'d> Reader<'_, 'd> {
    fn value(&mut self, data: &'d Json) -> Result<Value, Ended> {
        if !matches!(data, Json::Array(_) | Json::Object(_)) {
            return Ok(Value::from(data));
        }
        if self.depth >= DEPTH {
            return Err(too_deep().into());
        }
        if self.seen.is_some() {
            // References to what is only made when it is read whole find nothing.
            let of = data.as_object().and_then(|members| members.get(TYPE_KEY)?.as_str());
            if !matches!(of, Some(LOCAL_REFERENCE | "Sensitive" | "Default" | "Symbol")) {
                self.note(data, None);
            }
        }
        self.depth += 1;
        let value = self.collection(data);
        self.depth -= 1;
        let value = value?;
        if self.seen.is_some() {
            self.note(data, Some(value.clone()));
        }
        Ok(value)
    }

    fn note(&mut self, data: &Json, value: Option<Value>) {
        if let Some(seen) = &mut self.seen {
            seen.insert(address(data), value);
        }
    }

    fn collection(&mut self, data: &'d Json) -> Result<Value, Ended> {
        match data {
            Json::Object(members) => match type_of(members) {
                Some(of) => self.typed(data, members, of),
                None => {
                    self.root.get_or_insert(data);
                    let mut hash = Hash::with_capacity(members.len());
                    for (key, value) in members {
                        hash.insert(key.as_str().into(), self.value(value)?);
                    }
                    Ok(hash.into())
                }
            },
            Json::Array(values) => {
                self.root.get_or_insert(data);
                let mut list = Vec::with_capacity(values.len());
                for value in values {
                    list.push(self.value(value)?);
                }
                Ok(list.into())
            }
            scalar => Ok(Value::from(scalar)),
        }
    }

    fn typed(
        &mut self,
        data: &'d Json,
        members: &'d Map<String, Json>,
        of: &'d Json,
    ) -> Result<Value, Ended> {
        let inner = members.get(VALUE_KEY);
        match of.as_str() {
            Some("Hash") => {
                self.root.get_or_insert(data);
                let Some(Json::Array(list)) = inner else {
                    return Err(Error::internal("undefined method `size' for nil:NilClass").into());
                };
                let mut hash = Hash::default();
                for pair in list.chunks(2) {
                    let Some(key) = pair.first() else { continue };
                    let key = self.value(key)?;
                    let value = pair.get(1).map_or(Ok(Value::Undef), |value| self.value(value))?;
                    hash.insert(key, value);
                }
                Ok(hash.into())
            }
            Some("Sensitive") => {
                let inner = inner.map_or(Ok(Value::Undef), |inner| self.value(inner))?;
                Ok(Value::sensitive(inner))
            }
            Some("Default") => Ok(Value::Default),
            Some("Symbol") => {
                let text = inner.map_or_else(String::new, |inner| match inner {
                    Json::String(text) => text.clone(),
                    Json::Null => String::new(),
                    other => other.to_string(),
                });
                Ok(match text.as_str() {
                    "default" => Value::Default,
                    _ => Value::Runtime(Arc::new(RuntimeValue {
                        runtime: "ruby".into(),
                        class: "Symbol".into(),
                        text: text.into(),
                    })),
                })
            }
            Some(LOCAL_REFERENCE) => self.reference(inner),
            Some(name) => {
                let of = match self.types.get(name) {
                    Some(of) => of.clone(),
                    None => {
                        let of = Type::parse(name, self.around.types)?;
                        self.types.insert(name, of.clone());
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
            None => match self.value(of)? {
                Value::Type(of) => self.instance(&of, data, members),
                other @ Value::Hash(_) => self.unresolved(data, || {
                    format!("Unable to deserialize type from {}", crate::pcore::format::inspect(&other))
                }),
                _ => Err(Error::internal("undefined method `create'").into()),
            },
        }
    }

    fn unresolved(&self, data: &Json, complaint: impl FnOnce() -> String) -> Result<Value, Ended> {
        if self.allow_unresolved { Ok(Value::from(data)) } else { Err(Error::plain(complaint()).into()) }
    }

    fn instance(
        &mut self,
        of: &Type,
        data: &'d Json,
        members: &'d Map<String, Json>,
    ) -> Result<Value, Ended> {
        let attributes: Vec<&'d Json> = match members.get(VALUE_KEY) {
            Some(Json::String(text)) if matches!(of.kind(), TypeKind::Regexp(None)) => {
                return self.regexp(of, text);
            }
            Some(Json::String(text)) => return self.made(of, &[text.as_str().into()]),
            Some(Json::Object(attributes)) => attributes.values().collect(),
            Some(other) => {
                let class = match other {
                    Json::Null => "NilClass",
                    Json::Bool(true) => "TrueClass",
                    Json::Bool(false) => "FalseClass",
                    Json::Number(number) if number.is_f64() => "Float",
                    Json::Number(_) => "Integer",
                    Json::Array(_) => "Array",
                    Json::String(_) | Json::Object(_) => "String",
                };
                let name = of.name().unwrap_or_else(|| of.kind().kind_name().into());
                return Err(Error::plain(format!("Cannot create a {name} from a {class}")).into());
            }
            None => members.iter().filter(|(key, _)| *key != TYPE_KEY).map(|(_, value)| value).collect(),
        };
        if attributes.is_empty() {
            return self.made(of, &[]);
        }
        self.root.get_or_insert(data);
        let TypeKind::Object(object_type) = of.kind() else {
            return Err(Error::internal("undefined method `allocate'").into());
        };
        let arguments =
            attributes.into_iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        Ok(create(object_type, &arguments)?)
    }

    /// A regular expression of its own, which shares the compiled form with others of its pattern.
    fn regexp(&mut self, of: &Type, pattern: &'d str) -> Result<Value, Ended> {
        if let Some(known) = self.patterns.get(pattern) {
            let (source, compiled) = (known.source.clone(), known.compiled.clone());
            return Ok(Value::Regexp(Arc::new(RegexpValue { source, compiled })));
        }
        let made = self.made(of, &[pattern.into()])?;
        if let Value::Regexp(regexp) = &made {
            self.patterns.insert(pattern, regexp.clone());
        }
        Ok(made)
    }

    /// What the reference's `create` of a type gives.
    fn made(&self, of: &Type, arguments: &[Value]) -> Result<Value, Ended> {
        match of.kind() {
            TypeKind::Object(object_type) if object_type.name == "Error" => {
                Err(Error::internal("undefined method `create' for Puppet::DataTypes::Error:Class").into())
            }
            TypeKind::Object(object_type) => Ok(create(object_type, arguments)?),
            _ => Ok(new_instance(of, arguments, self.around)?),
        }
    }

    fn reference(&mut self, path: Option<&'d Json>) -> Result<Value, Ended> {
        let Some(seen) = &self.seen else { return Err(Ended::NeedsPlaces) };
        let path = path.and_then(Json::as_str).unwrap_or_default();
        let Some(keys) = json_path::parse(path) else {
            return Err(Error::plain(format!("Unable to parse jsonpath \"{path}\"")).into());
        };
        let missing = || Error::internal("undefined method `[]' for nil:NilClass");
        let Some(mut at) = self.root else {
            return if keys.is_empty() { Ok(Value::Undef) } else { Err(missing().into()) };
        };
        for (index, key) in keys.iter().enumerate() {
            let is_last = index + 1 == keys.len();
            let Some(next) = step(at, key) else {
                return self.step_in_value(at, keys.get(index..).unwrap_or_default());
            };
            let is_known =
                !matches!(next, Json::Array(_) | Json::Object(_)) || seen.contains_key(&address(next));
            if !is_known {
                return if is_last { Ok(Value::Undef) } else { Err(missing().into()) };
            }
            at = next;
        }
        match seen.get(&address(at)) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => {
                Err(Error::plain(format!("Endless recursion: '{path}' is a part of itself")).into())
            }
            None => Ok(Value::from(at)),
        }
    }

    /// Follows the rest of a path in a value that was read.
    fn step_in_value(&self, at: &Json, keys: &[Value]) -> Result<Value, Ended> {
        let missing = || Error::internal("undefined method `[]' for nil:NilClass");
        let Some(Some(value)) = self.seen.as_ref().and_then(|seen| seen.get(&address(at))) else {
            return if keys.len() == 1 { Ok(Value::Undef) } else { Err(missing().into()) };
        };
        let mut value = value.clone();
        for key in keys {
            value = match (&value, key) {
                (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
                (Value::Array(values), Value::Integer(index)) => {
                    let index = usize::try_from(*index).ok();
                    index.and_then(|index| values.get(index)).cloned().unwrap_or_default()
                }
                (Value::Object(object), Value::String(name)) => {
                    crate::pcore::types::object::attribute_value(object, name).unwrap_or_default()
                }
                _ => return Err(missing().into()),
            };
        }
        Ok(value)
    }
}

/// What a key of a path means at a place in the data.
fn step<'d>(at: &'d Json, key: &Value) -> Option<&'d Json> {
    match (at, key) {
        (Json::Array(values), Value::Integer(index)) => values.get(usize::try_from(*index).ok()?),
        (Json::Object(members), key) => {
            if members.get(TYPE_KEY).and_then(Json::as_str) == Some("Hash") {
                let list = members.get(VALUE_KEY)?.as_array()?;
                return list
                    .chunks(2)
                    .find(|pair| pair.first().is_some_and(|k| Value::from(k) == *key))?
                    .get(1);
            }
            let name = key.as_str()?;
            if name == TYPE_KEY && type_of(members).is_some() { None } else { members.get(name) }
        }
        _ => None,
    }
}

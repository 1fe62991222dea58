//! Values as generic data. Follows the reference's `to_data_converter.rb`.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use smallvec::SmallVec;

use super::identity::{Identity, identity};
use super::json_path::{self, Step};
use super::{LOCAL_REFERENCE, MAX_DEPTH, TYPE_KEY, VALUE_KEY, changed_elements, changed_members, too_deep};
use crate::convert::string::{self, to_string};
use crate::data::value::{Hash, IteratorKind, Value};
use crate::formats::json;
use crate::ruby::names;
use crate::scalars::binary;
use crate::types::attributes::{Described, describe_object, describe_type};
use crate::types::format::regexp_text;
use crate::types::{Type, TypeKind};
use bunraku_syntax::diagnostic::{Error, Report, issues};
use bunraku_syntax::pattern;

/// Receives each loss, and returns an error if it is not allowed.
pub type Reporter<'o> = dyn Fn(Report) -> Result<(), Error> + 'o;

/// How values are written as data.
pub struct DataOptions<'o> {
    /// Whether values without a form in JSON are objects with `__ptype`; otherwise they become strings, and
    /// each such loss is reported.
    pub rich_data: bool,
    /// Whether a repeated value is a path to its first place.
    pub local_reference: bool,
    /// Whether the types of objects are named; otherwise they are written out.
    pub type_by_reference: bool,
    /// Whether symbols of Ruby become strings.
    pub symbol_as_string: bool,
    /// The prefix of the path in messages.
    pub message_prefix: String,
    /// Receives losses. Without one, a loss is an error.
    pub reporter: Option<&'o Reporter<'o>>,
}

impl DataOptions<'_> {
    /// Rich data with types by name and without local references: the form of catalogs.
    pub fn rich() -> Self {
        Self {
            rich_data: true,
            local_reference: false,
            type_by_reference: true,
            symbol_as_string: false,
            message_prefix: String::new(),
            reporter: None,
        }
    }
}

/// A value as data in a JSON tree. Such a tree has whole numbers of 64 bits: larger ones become the nearest
/// float; [`to_data_text`] and [`value_to_data`] are exact.
///
/// # Errors
/// A part of the value has no form as data, or the reporter returns an error.
pub fn to_data(value: &Value, options: &DataOptions<'_>) -> Result<Json, Error> {
    value_to_data(value, options).map(|data| json::from_data(&data))
}

/// A value as data in JSON text. A whole number of any size is exact.
///
/// # Errors
/// As [`to_data`].
pub fn to_data_text(value: &Value, options: &DataOptions<'_>) -> Result<String, Error> {
    let mut text = String::new();
    json::push_text(&mut text, &value_to_data(value, options)?);
    Ok(text)
}

/// A value as data: `undef`, booleans, numbers, texts, lists, and hashes whose keys are texts. Plain data is
/// shared with the value.
///
/// # Errors
/// As [`to_data`].
pub fn value_to_data(value: &Value, options: &DataOptions<'_>) -> Result<Value, Error> {
    let mut writer = Writer {
        options,
        path: Vec::new(),
        places: vec![PathNode { parent: 0, path: 0, steps: SmallVec::new() }],
        place: 0,
        seen: FxHashMap::default(),
        references: Vec::new(),
        kept: Vec::new(),
        open: Vec::new(),
        depth: 0,
    };
    Ok(writer.data(value)?.unwrap_or_else(|| value.clone()))
}

/// The data of a value; nothing when that is the value itself.
type Data = Option<Value>;

/// The first place of a value: the number of its place or, once it was repeated, of the reference to it.
#[derive(Clone, Copy)]
enum Met {
    Value(usize),
    Reference(usize),
}

/// A place in the data: the steps to it from the place around it. The first one is the root, its own parent.
struct PathNode {
    parent: usize,
    /// The length of the path to it.
    path: usize,
    steps: SmallVec<[Step; 1]>,
}

struct Writer<'a> {
    options: &'a DataOptions<'a>,
    path: Vec<Step>,
    /// The places of the values so far.
    places: Vec<PathNode>,
    /// The innermost place.
    place: usize,
    /// The values so far.
    seen: FxHashMap<Identity, Met>,
    /// References that were written.
    references: Vec<Value>,
    /// Values that are not parts of the value that is written, so that their addresses stay theirs.
    kept: Vec<Value>,
    /// The values in progress, if there are no paths.
    open: Vec<Identity>,
    depth: usize,
}

fn typed(of: impl Into<Value>, value: Option<Value>) -> Data {
    let mut members = Hash::with_capacity(2);
    members.insert(TYPE_KEY.into(), of.into());
    if let Some(value) = value {
        members.insert(VALUE_KEY.into(), value);
    }
    Some(members.into())
}

impl Writer<'_> {
    fn report(&self, report: Report) -> Result<(), Error> {
        match self.options.reporter {
            Some(handler) => handler(report),
            None => Err(report.into_error()),
        }
    }

    fn path_text(&self) -> String {
        let path = json_path::to_text(&self.path).unwrap_or_else(|| "$".into());
        format!("{}{}", self.options.message_prefix, path.get(1..).unwrap_or_default())
    }

    fn with<T>(&mut self, step: Step, body: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.path.push(step);
        let result = body(self);
        self.path.pop();
        result
    }

    fn data(&mut self, value: &Value) -> Result<Data, Error> {
        match value {
            Value::Undef
            | Value::Boolean(_)
            | Value::Integer(_)
            | Value::BigInteger(_)
            | Value::String(_) => Ok(None),
            Value::Float(number) if number.is_finite() => Ok(None),
            Value::Float(number) => Err(Error::internal(format!(
                "{} not allowed in JSON",
                crate::scalars::number::float_to_s(*number)
            ))),
            Value::ByteString(bytes) if self.options.rich_data => {
                Ok(typed("Binary", Some(binary::to_base64(bytes.bytes()).into())))
            }
            Value::ByteString(bytes) => Ok(Some(Value::String(bytes.text().clone()))),
            Value::Default if self.options.rich_data => Ok(typed("Default", None)),
            Value::Default => {
                self.report(issues::serialization_default_converted_to_string(self.path_text()))?;
                Ok(Some("default".into()))
            }
            Value::Array(values) => self.process(value, |writer| writer.array(values)),
            Value::Hash(hash) => self.process(value, |writer| writer.hash(hash)),
            Value::Sensitive(inner) => self.process(value, |writer| {
                let data = writer.data(inner)?.unwrap_or_else(|| Value::clone(inner));
                Ok(typed("Sensitive", Some(data)))
            }),
            Value::Runtime(symbol) if symbol.is_symbol() => {
                if self.options.symbol_as_string {
                    Ok(Some(symbol.text.clone().into()))
                } else if self.options.rich_data {
                    Ok(typed("Symbol", Some(symbol.text.clone().into())))
                } else {
                    self.as_text(value)
                }
            }
            Value::Runtime(_) => self.as_text(value),
            _ if !self.options.rich_data => self.as_text(value),
            Value::Regexp(_)
            | Value::Binary(_)
            | Value::Timespan(_)
            | Value::Timestamp(_)
            | Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Uri(_) => self.in_words(value),
            Value::Type(of) => {
                let described = describe_type(of)?;
                self.keep(&described);
                self.process(value, |writer| writer.described(&described))
            }
            Value::Object(object) => {
                let described = describe_object(object)?;
                self.keep(&described);
                // The type is written before the object itself is known.
                let of = match &described.object_type {
                    Some(of) => self.type_member(&described.type_name, of)?,
                    None => described.type_name.clone().into(),
                };
                self.process(value, |writer| writer.attributes(of, &described))
            }
            // Tree iterators are Ruby objects without a known type.
            Value::Iterator(walk) if matches!(walk.kind, IteratorKind::Tree { .. }) => self.as_text(value),
            Value::Iterator(_) => Err(Error::internal("An Iterator cannot be written as data")),
        }
    }

    /// A value of a type of its own as its text.
    fn in_words(&mut self, value: &Value) -> Result<Data, Error> {
        let of = match value {
            Value::Regexp(_) if self.options.type_by_reference => "Regexp".into(),
            Value::Timestamp(_) if self.options.type_by_reference => "Timestamp".into(),
            _ => {
                let of = Type::infer(value);
                self.type_member(of.kind().kind_name(), &of)?
            }
        };
        // The result of `String.new` for the value.
        let text = match value {
            Value::Regexp(regexp) => Value::from(&*pattern::with_options(&regexp.source)),
            Value::Binary(_) => string::format(value, &Value::Default)?.into(),
            Value::Timestamp(moment) => moment.to_string().into(),
            _ => to_string(value).into(),
        };
        Ok(typed(of, Some(text)))
    }

    /// The data of a value at a step from here.
    fn data_at(&mut self, step: impl FnOnce() -> Step, value: &Value) -> Result<Data, Error> {
        if is_scalar(value) || (self.depth < MAX_DEPTH && is_plain(value)) {
            return Ok(None);
        }
        self.with(step(), |writer| writer.data(value))
    }

    fn array(&mut self, values: &[Value]) -> Result<Data, Error> {
        let made = changed_elements(values, |index, value| {
            self.data_at(|| i64::try_from(index).ok().map(Value::Integer), value)
        })?;
        Ok(made.map(Value::from))
    }

    fn hash(&mut self, hash: &Hash) -> Result<Data, Error> {
        let mut are_texts = true;
        let are_names = hash.keys().all(|key| match key {
            Value::String(name) => name != TYPE_KEY,
            key => {
                are_texts = false;
                key.as_str().is_some_and(|name| name != TYPE_KEY)
            }
        });
        if are_names {
            let made = changed_members(hash, |key, value| self.data_at(|| Some(key.clone()), value))?;
            if are_texts {
                return Ok(made.map(Value::from));
            }
            let members = made.unwrap_or_else(|| hash.clone()).into_iter();
            return Ok(Some(Value::hash(
                members.map(|(key, value)| (key.as_str().map_or(Value::Undef, Value::from), value)),
            )));
        }
        if self.options.rich_data {
            let mut list = Vec::with_capacity(hash.len() * 2);
            for (key, value) in hash {
                let key = self.data(key)?.unwrap_or_else(|| key.clone());
                let step = match &key {
                    Value::Array(_) | Value::Hash(_) => None,
                    scalar => Some(scalar.clone()),
                };
                list.push(key);
                let data = self.with(step, |writer| writer.data(value))?;
                list.push(data.unwrap_or_else(|| value.clone()));
            }
            return Ok(typed("Hash", Some(list.into())));
        }
        let mut members = Hash::with_capacity(hash.len());
        for (key, value) in hash {
            let key = match key {
                Value::String(key) => key.clone(),
                Value::ByteString(key) => key.text().clone(),
                Value::Runtime(symbol) if symbol.is_symbol() && self.options.symbol_as_string => {
                    symbol.text.clone()
                }
                Value::Default if self.options.symbol_as_string => "default".into(),
                other => {
                    let text = plain_text(other);
                    let report = issues::serialization_unknown_key_converted_to_string(
                        self.path_text(),
                        class_label(other),
                        &text,
                    );
                    self.report(report)?;
                    text.into()
                }
            };
            let key = Value::String(key);
            let data = self.with(Some(key.clone()), |writer| writer.data(value))?;
            members.insert(key, data.unwrap_or_else(|| value.clone()));
        }
        Ok(Some(members.into()))
    }

    /// The value of `__ptype`: the name, or the type itself.
    fn type_member(&mut self, name: &str, of: &Type) -> Result<Value, Error> {
        if self.options.type_by_reference || name.starts_with("Pcore::") {
            return Ok(name.into());
        }
        let of = Value::Type(of.clone());
        self.kept.push(of.clone());
        let data = self.with(Some(TYPE_KEY.into()), |writer| writer.data(&of))?;
        Ok(data.unwrap_or(of))
    }

    fn described(&mut self, described: &Described) -> Result<Data, Error> {
        self.attributes(described.type_name.clone().into(), described)
    }

    fn attributes(&mut self, of: Value, described: &Described) -> Result<Data, Error> {
        let mut members = Hash::with_capacity(described.attributes.len() + 1);
        members.insert(TYPE_KEY.into(), of);
        for (name, value) in &described.attributes {
            let name = Value::String(name.clone());
            let data = self.data_at(|| Some(name.clone()), value)?;
            members.insert(name, data.unwrap_or_else(|| value.clone()));
        }
        Ok(Some(members.into()))
    }

    /// Writes a value that may be a repetition.
    fn process(
        &mut self,
        value: &Value,
        write: impl FnOnce(&mut Self) -> Result<Data, Error>,
    ) -> Result<Data, Error> {
        if has_one_holder(value) {
            return self.deeper(write);
        }
        let Some(identity) = identity(value) else { return self.deeper(write) };
        if !self.options.local_reference {
            return self.guarded(value, identity, write);
        }
        match self.seen.get(&identity).copied() {
            None => {
                let (outer, place) = (self.place, self.new_place());
                self.seen.insert(identity, Met::Value(place));
                self.place = place;
                let result = self.deeper(write);
                self.place = outer;
                result
            }
            Some(Met::Reference(number)) => Ok(self.references.get(number).cloned()),
            Some(Met::Value(place)) => match json_path::to_text(&self.steps_to(place)) {
                Some(path) => {
                    let reference = typed(LOCAL_REFERENCE, Some(path.into()));
                    self.seen.insert(identity, Met::Reference(self.references.len()));
                    self.references.extend(reference.clone());
                    Ok(reference)
                }
                None => self.guarded(value, identity, write),
            },
        }
    }

    /// Notes the place where we are.
    fn new_place(&mut self) -> usize {
        let begun = self.places.get(self.place).map_or(0, |place| place.path);
        let steps = self.path.get(begun..).unwrap_or_default().iter().cloned().collect();
        self.places.push(PathNode { parent: self.place, path: self.path.len(), steps });
        self.places.len() - 1
    }

    /// The path to a place.
    fn steps_to(&self, mut number: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(place) = self.places.get(number) {
            steps.extend(place.steps.iter().rev().cloned());
            if number == 0 {
                break;
            }
            number = place.parent;
        }
        steps.reverse();
        steps
    }

    /// Keeps the attributes of a type or object, which nothing else may hold.
    fn keep(&mut self, described: &Described) {
        self.kept.extend(described.attributes.iter().map(|(_, value)| value.clone()));
    }

    fn guarded(
        &mut self,
        value: &Value,
        identity: Identity,
        write: impl FnOnce(&mut Self) -> Result<Data, Error>,
    ) -> Result<Data, Error> {
        if self.open.contains(&identity) {
            let class = names::ruby_class_name(value);
            return Err(issues::serialization_endless_recursion(class).into_error());
        }
        self.open.push(identity);
        let result = self.deeper(write);
        self.open.pop();
        result
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self) -> Result<Data, Error>) -> Result<Data, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        let result = write(self);
        self.depth -= 1;
        result
    }

    fn as_text(&mut self, value: &Value) -> Result<Data, Error> {
        let text = plain_text(value);
        let report =
            issues::serialization_unknown_converted_to_string(self.path_text(), class_label(value), &text);
        self.report(report)?;
        Ok(Some(text.into()))
    }
}

/// Whether a collection has only one holder, so that it cannot be repeated or contain itself and need not be
/// remembered. (Its holder can be shared; the repetition is then found there.)
fn has_one_holder(value: &Value) -> bool {
    match value {
        Value::Array(values) => Arc::strong_count(values) == 1,
        Value::Hash(hash) => Arc::strong_count(hash) == 1,
        _ => false,
    }
}

/// Whether a collection is always plain data: one that is not shared, with only scalars.
fn is_plain(value: &Value) -> bool {
    let is_name = |key: &Value| matches!(key, Value::String(name) if name != TYPE_KEY);
    has_one_holder(value)
        && match value {
            Value::Array(values) => values.iter().all(is_scalar),
            Value::Hash(hash) => hash.pairs().iter().all(|(key, value)| is_name(key) && is_scalar(value)),
            _ => false,
        }
}

/// Whether a value is always plain data.
#[inline]
fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::String(_) => true,
        Value::Float(number) => number.is_finite(),
        _ => false,
    }
}

/// The text for a value that plain data cannot represent.
fn plain_text(value: &Value) -> String {
    match value {
        Value::Regexp(regexp) => regexp_text(regexp),
        Value::Array(_) | Value::Hash(_) | Value::Undef => crate::ruby::to_s(value),
        other => to_string(other).to_string(),
    }
}

/// The class of a value as complaints call it.
fn class_label(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Type(of) => match of.kind() {
            TypeKind::ObjectExtension { .. } => "ObjectTypeExten-Type".into(),
            kind => format!("{}-Type", kind.kind_name()).into(),
        },
        Value::Object(object) => {
            names::object_class(object).unwrap_or_else(|| object.object_type.name.to_string().into())
        }
        other => names::ruby_class(other),
    }
}

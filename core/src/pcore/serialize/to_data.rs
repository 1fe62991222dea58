//! Values as generic data. Follows the reference's `to_data_converter.rb`.

use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};
use smallvec::SmallVec;

use super::identity::{Identity, identity};
use super::json_path::{self, Step};
use super::type_attributes::{Described, describe_object, describe_type};
use super::{DEPTH, LOCAL_REFERENCE, TYPE_KEY, VALUE_KEY, too_deep};
use crate::diagnostic::{Error, Report, issues};
use crate::pcore::big::{self, BigInt};
use crate::pcore::binary;
use crate::pcore::convert::string::{self, to_string};
use crate::pcore::label;
use crate::pcore::types::format::regexp_text;
use crate::pcore::types::{Type, TypeKind};
use crate::pcore::value::{Hash, Value};

/// What is told of a loss: an error when it must not be.
pub type Reporter<'o> = dyn Fn(Report) -> Result<(), Error> + 'o;

/// How values are written as data.
pub struct DataOptions<'o> {
    /// Whether values that JSON has no form for are objects with `__ptype`; otherwise they become strings, and each
    /// such loss is told.
    pub rich_data: bool,
    /// Whether a value that was met before is a path to its first place.
    pub local_reference: bool,
    /// Whether the types of objects are named; otherwise they are written out.
    pub type_by_reference: bool,
    /// Whether symbols of Ruby become strings.
    pub symbol_as_string: bool,
    /// What stands before the path in messages.
    pub message_prefix: String,
    /// Who is told of losses. None: a loss is an error.
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

/// A value as data.
///
/// # Errors
/// When a part of it has no form as data, or the reporter says so.
pub fn to_data(value: &Value, options: &DataOptions<'_>) -> Result<Json, Error> {
    let mut writer = Writer {
        options,
        path: Vec::new(),
        places: vec![Place { parent: 0, path: 0, steps: SmallVec::new() }],
        place: 0,
        seen: FxHashMap::default(),
        references: Vec::new(),
        kept: Vec::new(),
        open: Vec::new(),
        depth: 0,
    };
    writer.data(value)
}

/// Where a value was met first: the number of its place or, once it was met again, of the reference to it.
#[derive(Clone, Copy)]
enum Met {
    Place(usize),
    Reference(usize),
}

/// A place in the data: the steps to it from the place around it. The first one is the root, its own parent.
struct Place {
    parent: usize,
    /// How long the path to it is.
    path: usize,
    steps: SmallVec<[Step; 1]>,
}

struct Writer<'a> {
    options: &'a DataOptions<'a>,
    path: Vec<Step>,
    /// The places where values were met.
    places: Vec<Place>,
    /// The innermost place.
    place: usize,
    /// The values met so far.
    seen: FxHashMap<Identity, Met>,
    /// References that were written.
    references: Vec<Json>,
    /// Values that are not parts of the value that is written, so that their addresses stay theirs.
    kept: Vec<Value>,
    /// What is being written, when there are no paths.
    open: Vec<Identity>,
    depth: usize,
}

fn typed(name: &str, value: Option<Json>) -> Json {
    let mut members = Map::new();
    members.insert(TYPE_KEY.into(), name.into());
    if let Some(value) = value {
        members.insert(VALUE_KEY.into(), value);
    }
    Json::Object(members)
}

/// A number beyond 64 bits. JSON as a tree knows those without a sign, and the nearest float beyond them.
fn big_number(number: &BigInt) -> Json {
    match number.to_u64() {
        Some(number) => number.into(),
        None => serde_json::Number::from_f64(big::to_f64(number)).map_or(Json::Null, Json::Number),
    }
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

    fn data(&mut self, value: &Value) -> Result<Json, Error> {
        match value {
            Value::Undef => Ok(Json::Null),
            Value::Boolean(truth) => Ok(Json::Bool(*truth)),
            Value::Integer(number) => Ok((*number).into()),
            Value::BigInteger(number) => Ok(big_number(number)),
            Value::Float(number) => match serde_json::Number::from_f64(*number) {
                Some(number) => Ok(Json::Number(number)),
                None => Err(Error::internal(format!(
                    "{} not allowed in JSON",
                    crate::pcore::number::float_to_s(*number)
                ))),
            },
            Value::String(text) => Ok(text.as_str().into()),
            Value::Octets(octets) if self.options.rich_data => {
                Ok(typed("Binary", Some(binary::to_base64(octets.bytes()).into())))
            }
            Value::Octets(octets) => Ok(octets.text().as_str().into()),
            Value::Default if self.options.rich_data => Ok(typed("Default", None)),
            Value::Default => {
                self.report(issues::serialization_default_converted_to_string(self.path_text()))?;
                Ok("default".into())
            }
            Value::Array(values) => self.process(value, |writer| {
                let mut list = Vec::with_capacity(values.len());
                for (index, value) in values.iter().enumerate() {
                    if is_scalar(value) {
                        list.push(writer.data(value)?);
                        continue;
                    }
                    let step = i64::try_from(index).ok().map(Value::Integer);
                    list.push(writer.with(step, |writer| writer.data(value))?);
                }
                Ok(Json::Array(list))
            }),
            Value::Hash(hash) => self.process(value, |writer| writer.hash(hash)),
            Value::Sensitive(inner) => self.process(value, |writer| {
                let inner = writer.data(inner)?;
                Ok(typed("Sensitive", Some(inner)))
            }),
            Value::Runtime(symbol) if &*symbol.class == "Symbol" => {
                if self.options.symbol_as_string {
                    Ok(symbol.text.as_str().into())
                } else if self.options.rich_data {
                    Ok(typed("Symbol", Some(symbol.text.as_str().into())))
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
            | Value::Uri(_) => {
                let of = match value {
                    Value::Regexp(_) if self.options.type_by_reference => "Regexp".into(),
                    Value::Timestamp(_) if self.options.type_by_reference => "Timestamp".into(),
                    _ => {
                        let of = Type::infer(value);
                        self.type_member(of.kind().kind_name(), &of)?
                    }
                };
                let text = string::format(value, &Value::Default)?;
                let mut members = Map::new();
                members.insert(TYPE_KEY.into(), of);
                members.insert(VALUE_KEY.into(), text.into());
                Ok(Json::Object(members))
            }
            Value::Type(of) => {
                let described = describe_type(of)?;
                self.keep(&described);
                self.process(value, |writer| writer.described(&described))
            }
            Value::Object(object) => {
                let described = describe_object(object);
                self.keep(&described);
                // The type is written before the object itself is known.
                let of = match &described.object_type {
                    Some(of) => self.type_member(&described.type_name, of)?,
                    None => described.type_name.as_str().into(),
                };
                self.process(value, |writer| writer.attributes(of, &described))
            }
            Value::Iterator(_) => Err(Error::internal("undefined method `parameter_info' for an Iterator")),
        }
    }

    fn hash(&mut self, hash: &Hash) -> Result<Json, Error> {
        if hash.keys().all(|key| key.as_str().is_some_and(|key| key != TYPE_KEY)) {
            let mut members = Map::with_capacity(hash.len());
            for (key, value) in hash {
                let data = if is_scalar(value) {
                    self.data(value)?
                } else {
                    self.with(Some(key.clone()), |writer| writer.data(value))?
                };
                members.insert(key.as_str().unwrap_or_default().into(), data);
            }
            return Ok(Json::Object(members));
        }
        if self.options.rich_data {
            let mut list = Vec::with_capacity(hash.len() * 2);
            for (key, value) in hash {
                let data = self.data(key)?;
                let step = match &data {
                    Json::Array(_) | Json::Object(_) => None,
                    scalar => Some(Value::from(scalar)),
                };
                list.push(data);
                list.push(self.with(step, |writer| writer.data(value))?);
            }
            return Ok(typed("Hash", Some(Json::Array(list))));
        }
        let mut members = Map::new();
        for (key, value) in hash {
            let key = match key {
                Value::String(key) => key.to_string(),
                Value::Octets(key) => key.text().to_string(),
                Value::Runtime(symbol) if self.options.symbol_as_string => symbol.text.to_string(),
                Value::Default if self.options.symbol_as_string => "default".to_owned(),
                other => {
                    let text = plain_text(other);
                    let report = issues::serialization_unknown_key_converted_to_string(
                        self.path_text(),
                        class_label(other),
                        &text,
                    );
                    self.report(report)?;
                    text
                }
            };
            let step = Some(Value::from(key.as_str()));
            let data = self.with(step, |writer| writer.data(value))?;
            members.insert(key, data);
        }
        Ok(Json::Object(members))
    }

    /// What stands under `__ptype`: the name, or the type itself.
    fn type_member(&mut self, name: &str, of: &Type) -> Result<Json, Error> {
        if self.options.type_by_reference || name.starts_with("Pcore::") {
            return Ok(name.into());
        }
        let of = Value::Type(of.clone());
        self.kept.push(of.clone());
        self.with(Some(TYPE_KEY.into()), |writer| writer.data(&of))
    }

    fn described(&mut self, described: &Described) -> Result<Json, Error> {
        self.attributes(described.type_name.as_str().into(), described)
    }

    fn attributes(&mut self, of: Json, described: &Described) -> Result<Json, Error> {
        let mut members = Map::new();
        members.insert(TYPE_KEY.into(), of);
        for (name, value) in &described.attributes {
            let step = Some(Value::String(name.clone()));
            let data = self.with(step, |writer| writer.data(value))?;
            members.insert(name.to_string(), data);
        }
        Ok(Json::Object(members))
    }

    /// Writes a value that may have been met before.
    fn process(
        &mut self,
        value: &Value,
        write: impl FnOnce(&mut Self) -> Result<Json, Error>,
    ) -> Result<Json, Error> {
        let Some(identity) = identity(value) else { return write(self) };
        if !self.options.local_reference {
            return self.guarded(value, identity, write);
        }
        match self.seen.get(&identity).copied() {
            None => {
                let (outer, place) = (self.place, self.new_place());
                self.seen.insert(identity, Met::Place(place));
                self.place = place;
                let result = self.deeper(write);
                self.place = outer;
                result
            }
            Some(Met::Reference(number)) => Ok(self.references.get(number).cloned().unwrap_or_default()),
            Some(Met::Place(place)) => match json_path::to_text(&self.steps_to(place)) {
                Some(path) => {
                    let reference = typed(LOCAL_REFERENCE, Some(path.into()));
                    self.seen.insert(identity, Met::Reference(self.references.len()));
                    self.references.push(reference.clone());
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
        self.places.push(Place { parent: self.place, path: self.path.len(), steps });
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
        write: impl FnOnce(&mut Self) -> Result<Json, Error>,
    ) -> Result<Json, Error> {
        if self.open.contains(&identity) {
            let class = label::ruby_class(value);
            return Err(issues::serialization_endless_recursion(class).into_error());
        }
        self.open.push(identity);
        let result = self.deeper(write);
        self.open.pop();
        result
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self) -> Result<Json, Error>) -> Result<Json, Error> {
        if self.depth >= DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        let result = write(self);
        self.depth -= 1;
        result
    }

    fn as_text(&mut self, value: &Value) -> Result<Json, Error> {
        let text = plain_text(value);
        let report =
            issues::serialization_unknown_converted_to_string(self.path_text(), class_label(value), &text);
        self.report(report)?;
        Ok(text.into())
    }
}

/// Whether a value is data that says nothing of its place.
fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::String(_))
}

/// The text that stands for a value that plain data cannot hold.
fn plain_text(value: &Value) -> String {
    match value {
        Value::Regexp(regexp) => regexp_text(regexp),
        Value::Array(_) | Value::Hash(_) | Value::Undef => crate::pcore::format::to_s(value),
        other => to_string(other).to_string(),
    }
}

/// The class of a value as complaints call it.
fn class_label(value: &Value) -> String {
    match value {
        Value::Type(of) => match of.kind() {
            TypeKind::ObjectExtension { .. } => "ObjectTypeExten-Type".into(),
            kind => format!("{}-Type", kind.kind_name()),
        },
        Value::Object(object) if !object.object_type.name.is_empty() => object.object_type.name.to_string(),
        other => label::ruby_class(other),
    }
}

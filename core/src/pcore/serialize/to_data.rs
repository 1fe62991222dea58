//! Values as generic data. Follows the reference's `to_data_converter.rb` and `json_path.rb`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use super::attributes::{Part, describe};
use super::{TYPE_KEY, VALUE_KEY};
use crate::diagnostic::{Error, Report, issues};
use crate::pcore::convert::string;
use crate::pcore::format;
use crate::pcore::label::label;
use crate::pcore::types::format::{quote, regexp_text};
use crate::pcore::types::{StructMember, Type, TypeKind, object};
use crate::pcore::value::{Object, Value};

/// How deep values may be nested.
const DEPTH: usize = 1_000;

/// What is told of a loss: an error when it must not be.
pub type Reporter<'o> = dyn Fn(Report) -> Result<(), Error> + 'o;

/// How values are written as data.
pub struct DataOptions<'o> {
    /// Whether values that JSON has no form for are objects with `__ptype`; otherwise they become strings, and each such
    /// loss is told.
    pub rich_data: bool,
    /// Whether a value that was met before is a reference to its first place.
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

/// A value as generic data.
///
/// # Errors
/// A loss that must not be (see [`DataOptions::reporter`]), a value that contains itself, values nested too deep, a number
/// that JSON has no form for.
pub fn to_data(value: &Value, options: &DataOptions<'_>) -> Result<Json, Error> {
    Writer { options, path: Vec::new(), met: FxHashMap::default(), open: Vec::new(), held: Vec::new() }
        .value(value)
}

/// A step of a path.
#[derive(Clone, Debug)]
enum Step {
    Index(usize),
    Key(String),
    /// A key that is no text, as paths write it.
    Scalar(String),
    /// A key that no path can name.
    Complex,
}

struct Writer<'o> {
    options: &'o DataOptions<'o>,
    path: Vec<Step>,
    /// Where a shared value was met first, by its address.
    met: FxHashMap<usize, Vec<Step>>,
    /// The shared values that are being written, by their address.
    open: Vec<usize>,
    /// Values made while writing: kept, so that no address is given twice.
    held: Vec<Value>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<Json, Error> {
        if self.path.len() > DEPTH {
            return Err(Error::limit(format!("the value is nested deeper than {DEPTH} levels")));
        }
        match value {
            Value::Undef => Ok(Json::Null),
            Value::Boolean(truth) => Ok(Json::Bool(*truth)),
            Value::Integer(number) => Ok(Json::from(*number)),
            Value::Float(number) => {
                serde_json::Number::from_f64(*number).map(Json::Number).ok_or_else(|| {
                    Error::internal(format!("{} not allowed in JSON", format::float_to_s(*number)))
                })
            }
            Value::String(text) => Ok(Json::from(text.as_str())),
            Value::Default if self.options.rich_data => Ok(tagged("Default", None)),
            Value::Default => {
                self.tell(issues::serialization_default_converted_to_string(self.path_text()))?;
                Ok(Json::from("default"))
            }
            Value::Runtime(symbol) if symbol.class == "Symbol" && self.options.symbol_as_string => {
                Ok(Json::from(symbol.text.as_str()))
            }
            Value::Runtime(symbol) if symbol.class == "Symbol" && self.options.rich_data => {
                Ok(tagged("Symbol", Some(Json::from(symbol.text.as_str()))))
            }
            Value::Runtime(_) => self.unknown(value),
            Value::Array(values) => self.shared(Arc::as_ptr(values) as usize, |writer| {
                let mut all = Vec::with_capacity(values.len());
                for (index, value) in values.iter().enumerate() {
                    all.push(writer.at(Step::Index(index), |writer| writer.value(value))?);
                }
                Ok(Json::Array(all))
            }),
            Value::Hash(members) => self.shared(Arc::as_ptr(members) as usize, |writer| writer.hash(members)),
            Value::Sensitive(secret) => self.shared(Arc::as_ptr(secret) as usize, |writer| {
                Ok(tagged("Sensitive", Some(writer.value(secret)?)))
            }),
            _ if !self.options.rich_data => self.unknown(value),
            Value::Regexp(regexp) => self.scalar("Regexp", value, regexp.source.as_str()),
            Value::Binary(_) => self.scalar("Binary", value, &string::to_string(value)),
            Value::Timestamp(_) => self.scalar("Timestamp", value, &string::to_string(value)),
            Value::Timespan(_) => self.scalar("Timespan", value, &string::to_string(value)),
            Value::SemVer(_) => self.scalar("SemVer", value, &string::to_string(value)),
            Value::SemVerRange(_) => self.scalar("SemVerRange", value, &string::to_string(value)),
            Value::Uri(_) => self.scalar("URI", value, &string::to_string(value)),
            Value::Iterator(_) => self.unknown(value),
            Value::Type(of) => self.type_value(of),
            Value::Object(object) => self.object(object),
        }
    }

    fn hash(&mut self, members: &crate::pcore::Hash) -> Result<Json, Error> {
        let is_plain = members.keys().all(|key| key.as_str().is_some_and(|key| key != TYPE_KEY));
        if is_plain || !self.options.rich_data {
            let mut json = Map::new();
            for (key, value) in members {
                let key = match key {
                    Value::String(key) => key.to_string(),
                    Value::Runtime(symbol) if symbol.class == "Symbol" && self.options.symbol_as_string => {
                        symbol.text.to_string()
                    }
                    other => {
                        let text = plain_text(other);
                        let class = class_label(other);
                        let path = self.path_text();
                        self.tell(issues::serialization_unknown_key_converted_to_string(path, class, &text))?;
                        text
                    }
                };
                let written = self.at(Step::Key(key.clone()), |writer| writer.value(value))?;
                json.insert(key, written);
            }
            return Ok(Json::Object(json));
        }
        let mut pairs = Vec::with_capacity(members.len() * 2);
        for (key, value) in members {
            let key = self.value(key)?;
            let step = match &key {
                Json::String(text) => Step::Key(text.clone()),
                Json::Array(_) | Json::Object(_) => Step::Complex,
                scalar => Step::Scalar(scalar.to_string()),
            };
            pairs.push(key);
            pairs.push(self.at(step, |writer| writer.value(value))?);
        }
        Ok(tagged("Hash", Some(Json::Array(pairs))))
    }

    /// A value that a text stands for.
    fn scalar(&mut self, name: &str, value: &Value, text: &str) -> Result<Json, Error> {
        if self.options.type_by_reference {
            return Ok(tagged(name, Some(Json::from(text))));
        }
        let of = Type::infer(value);
        let of = self.at(Step::Key(TYPE_KEY.into()), |writer| writer.type_value(&of))?;
        let mut json = Map::new();
        json.insert(TYPE_KEY.into(), of);
        json.insert(VALUE_KEY.into(), Json::from(text));
        Ok(Json::Object(json))
    }

    fn type_value(&mut self, of: &Type) -> Result<Json, Error> {
        let address = match of.kind() {
            TypeKind::Object(object) => Arc::as_ptr(object) as usize,
            TypeKind::Alias(alias) => Arc::as_ptr(alias) as usize,
            TypeKind::TypeSet(set) => Arc::as_ptr(set) as usize,
            kind => std::ptr::from_ref(kind) as usize,
        };
        self.held.push(Value::Type(of.clone()));
        self.shared(address, |writer| {
            let description = describe(of);
            let mut json = Map::new();
            json.insert(TYPE_KEY.into(), Json::from(description.name));
            for (name, part) in description.written() {
                let written = writer.at(Step::Key(name.into()), |writer| match &part {
                    Part::Value(value) => {
                        writer.held.push(value.clone());
                        writer.value(value)
                    }
                    Part::Members(members) => writer.members(members),
                })?;
                json.insert(name.into(), written);
            }
            Ok(Json::Object(json))
        })
    }

    fn members(&mut self, members: &[StructMember]) -> Result<Json, Error> {
        let mut all = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            all.push(self.at(Step::Index(index), |writer| {
                let mut json = Map::new();
                json.insert(TYPE_KEY.into(), Json::from("Pcore::StructElement"));
                for (name, of) in [("key_type", &member.key), ("value_type", &member.value)] {
                    let written = writer.at(Step::Key(name.into()), |writer| writer.type_value(of))?;
                    json.insert(name.into(), written);
                }
                Ok(Json::Object(json))
            })?);
        }
        Ok(Json::Array(all))
    }

    fn object(&mut self, object: &Arc<Object>) -> Result<Json, Error> {
        let of = Type::from(TypeKind::Object(Arc::clone(&object.object_type)));
        let name = object.object_type.name.as_str();
        let is_named = self.options.type_by_reference || name.starts_with("Pcore::");
        let inferred = if is_named { None } else { Some(Type::infer(&Value::Object(Arc::clone(object)))) };
        let of = match inferred {
            None if name.is_empty() => Json::from(of.to_string()),
            None => Json::from(name),
            Some(of) => self.at(Step::Key(TYPE_KEY.into()), |writer| writer.type_value(&of))?,
        };
        self.shared(Arc::as_ptr(object) as usize, |writer| {
            let mut json = Map::new();
            json.insert(TYPE_KEY.into(), of);
            for (name, value) in object::instance_init_hash(object) {
                let name = name.as_str().unwrap_or_default().to_owned();
                let written = writer.at(Step::Key(name.clone()), |writer| writer.value(&value))?;
                json.insert(name, written);
            }
            Ok(Json::Object(json))
        })
    }

    fn unknown(&mut self, value: &Value) -> Result<Json, Error> {
        let text = plain_text(value);
        let (path, class) = (self.path_text(), class_label(value));
        self.tell(issues::serialization_unknown_converted_to_string(path, class, &text))?;
        Ok(Json::from(text))
    }

    /// Writes what is shared: once, and a reference from then on; or with a guard against values that contain themselves.
    fn shared(
        &mut self,
        address: usize,
        write: impl FnOnce(&mut Self) -> Result<Json, Error>,
    ) -> Result<Json, Error> {
        if self.options.local_reference {
            match self.met.get(&address) {
                None => {
                    self.met.insert(address, self.path.clone());
                    return write(self);
                }
                Some(path) => {
                    if let Some(path) = json_path(path) {
                        return Ok(tagged("LocalRef", Some(Json::from(path))));
                    }
                }
            }
        }
        if self.open.contains(&address) {
            return Err(issues::serialization_endless_recursion("Object").into_error());
        }
        self.open.push(address);
        let written = write(self);
        self.open.pop();
        written
    }

    fn at<T>(&mut self, step: Step, write: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.path.push(step);
        let written = write(self);
        self.path.pop();
        written
    }

    /// The path for messages: the prefix and the steps, without the `$`.
    fn path_text(&self) -> String {
        let path = json_path(&self.path).unwrap_or_default();
        format!("{}{}", self.options.message_prefix, path.strip_prefix('$').unwrap_or(&path))
    }

    fn tell(&self, report: Report) -> Result<(), Error> {
        match self.options.reporter {
            Some(reporter) => reporter(report),
            None => Err(report.into_error()),
        }
    }
}

/// An object with a type and perhaps a value.
fn tagged(name: &str, value: Option<Json>) -> Json {
    let mut json = Map::new();
    json.insert(TYPE_KEY.into(), Json::from(name));
    if let Some(value) = value {
        json.insert(VALUE_KEY.into(), value);
    }
    Json::Object(json)
}

/// `$['a'][0]`; `None` when a step cannot be named.
fn json_path(steps: &[Step]) -> Option<String> {
    let mut path = String::from("$");
    for step in steps {
        match step {
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Key(key) => path.push_str(&format!("[{}]", quote(key))),
            Step::Scalar(text) => path.push_str(&format!("[{text}]")),
            Step::Complex => return None,
        }
    }
    Some(path)
}

/// What messages call the class of a value: `Integer-Type`, `Regexp`, the name of an Object type.
fn class_label(value: &Value) -> String {
    match value {
        Value::Type(of) => {
            let name = describe(of).name.trim_start_matches("Pcore::");
            format!("{}-Type", name.strip_suffix("Type").unwrap_or(name))
        }
        Value::Object(object) if !object.object_type.name.is_empty() => object.object_type.name.to_string(),
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp".to_owned(),
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan".to_owned(),
        Value::SemVer(_) => "SemanticPuppet::Version".to_owned(),
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange".to_owned(),
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary".to_owned(),
        Value::Undef => "NilClass".to_owned(),
        Value::Boolean(true) => "TrueClass".to_owned(),
        Value::Boolean(false) => "FalseClass".to_owned(),
        Value::Uri(uri) => {
            let scheme = uri.text.split_once(':').map_or("", |(scheme, _)| scheme).to_uppercase();
            let known = ["FTP", "HTTP", "HTTPS", "LDAP", "LDAPS", "WS", "WSS"];
            match scheme.as_str() {
                "MAILTO" => "URI::MailTo".to_owned(),
                "FILE" => "URI::File".to_owned(),
                scheme if known.contains(&scheme) => format!("URI::{scheme}"),
                _ => "URI::Generic".to_owned(),
            }
        }
        other => label(other).into_owned(),
    }
}

/// The text of a value that data has no form for.
fn plain_text(value: &Value) -> String {
    match value {
        Value::Regexp(regexp) => regexp_text(regexp),
        other => string::to_string(other).to_string(),
    }
}

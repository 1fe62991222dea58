//! The attributes of objects and types in the order in which they are written: the reference's
//! `parameter_info` for the classes of types, and its inverse.

use std::sync::Arc;

use indexmap::IndexMap;

use super::table::{ROWS, Row, Written};
use crate::data::big::BigRange;
use crate::data::value::{Object, Str, Value};
use crate::types::compare::ruby_equals;
use crate::types::constructor::object_parameters;
use crate::types::object::{attribute_value, type_of_instance};
use crate::types::{IntRange, Member, ObjectType, Type, TypeKind, asserter, meta};
use bunraku_syntax::diagnostic::Error;

/// A value as a named list of attributes.
pub struct Described {
    /// The name of its type.
    pub type_name: Str,
    /// The type itself, if it is also written; `Pcore::` types never are.
    pub object_type: Option<Type>,
    /// Names and values, without those at the end that have their default.
    pub attributes: Vec<(Str, Value)>,
}

/// Takes an object apart.
///
/// # Errors
/// As [`object_parameters`].
pub(crate) fn describe_object(object: &Object) -> Result<Described, Error> {
    let (parameters, required) = object_parameters(&object.object_type)?;
    let defaults = object.object_type.attributes();
    let mut attributes: Vec<(Str, Value)> = parameters
        .into_iter()
        .map(|(name, _)| {
            let value = attribute_value(object, &name).unwrap_or_default();
            (name, value)
        })
        .collect();
    while attributes.len() > required {
        let Some((name, value)) = attributes.last() else { break };
        let default = defaults.get(name).and_then(|(_, attribute)| attribute.value.as_ref());
        if !default.is_some_and(|default| ruby_equals(default, value)) {
            break;
        }
        attributes.pop();
    }
    let type_name = object.object_type.name.clone();
    let object_type = (!type_name.starts_with("Pcore::")).then(|| type_of_instance(object));
    Ok(Described { type_name, object_type, attributes })
}

/// Describes a type by its attributes.
///
/// # Errors
/// The reference cannot describe the type.
pub(crate) fn describe_type(of: &Type) -> Result<Described, Error> {
    let values = of.kind().ask(|family| family.attributes())?;
    let written = of.kind().written_attributes();
    debug_assert_eq!(values.len(), written.len(), "{of}");
    let mut attributes: Vec<(&Written, Value)> = written.iter().zip(values).collect();
    while attributes.last().is_some_and(|((_, default), value)| default.as_ref() == Some(value)) {
        attributes.pop();
    }
    Ok(Described {
        type_name: format!("Pcore::{}Type", of.kind().row().meta_name).into(),
        object_type: None,
        attributes: attributes.into_iter().map(|((name, _), value)| (name.clone(), value)).collect(),
    })
}

impl Type {
    /// The attributes of the type in the order in which they are written, those with their default, too.
    ///
    /// # Errors
    /// The reference cannot describe the type.
    pub fn attribute_values(&self) -> Result<Vec<(Str, Value)>, Error> {
        let values = self.kind().ask(|family| family.attributes())?;
        let names = self.kind().written_attributes().iter().map(|(name, _)| name.clone());
        Ok(names.zip(values).collect())
    }

    /// The type of a kind (`Integer`, `TypeAlias`) from the values of its attributes in the order in which
    /// they are written.
    ///
    /// # Errors
    /// There is no such kind, or the values make no type.
    pub fn of_attributes(kind: &str, values: &[Value]) -> Result<Type, Error> {
        let row = ROWS.iter().find(|row| row.name == kind).ok_or_else(|| refused(kind))?;
        create_type(row.meta_name, values)
    }
}

impl Value {
    /// A type or object as it is written to a stream; `None` for other values.
    ///
    /// # Errors
    /// The reference cannot describe the type.
    pub fn described(&self) -> Result<Option<Described>, Error> {
        match self {
            Value::Type(of) => describe_type(of).map(Some),
            Value::Object(object) => describe_object(object).map(Some),
            _ => Ok(None),
        }
    }
}

/// The object type of a `Pcore::` name.
fn meta_object(name: &str) -> Option<Arc<ObjectType>> {
    meta::types().iter().find_map(|of| match of.kind() {
        TypeKind::Object(object) if object.name == name => Some(Arc::clone(object)),
        _ => None,
    })
}

pub(super) fn member(member: Member<'_>) -> Value {
    let Some(object_type) = meta_object("Pcore::StructElement") else { return Value::Undef };
    // Equal keys may share their type here, where each has its own in the reference: none is a reference to
    // another.
    let key = match member.key.kind() {
        kind @ TypeKind::String { value: Some(_), .. } => Type::from(kind.clone()),
        _ => member.key.clone(),
    };
    let attributes: IndexMap<Str, Value> = [
        (Str::from("key_type"), Value::Type(key)),
        (Str::from("value_type"), Value::Type(member.value.clone())),
    ]
    .into_iter()
    .collect();
    Value::Object(Arc::new(Object::new(object_type, attributes)))
}

/// The names and types of the attributes of an Object type in the order in which they are written, and the
/// number of required ones. Types write inherited attributes last.
///
/// # Errors
/// As [`object_parameters`].
pub(crate) fn parameters(object: &ObjectType) -> Result<(Vec<(Str, Type)>, usize), Error> {
    let (mut parameters, required) = object_parameters(object)?;
    if matches!(object.name.as_str(), "Pcore::ArrayType" | "Pcore::HashType") {
        parameters.sort_by_key(|(name, _)| name == "size_type");
    }
    Ok((parameters, required))
}

/// Makes an instance of an Object type from its attributes in order: a type, when the Object type describes
/// types.
///
/// # Errors
/// When the attributes are too few, too many, or make no type.
pub(crate) fn create(object_type: &Arc<ObjectType>, arguments: &[Value]) -> Result<Value, Error> {
    if let Some(kind) = object_type.name.strip_prefix("Pcore::").and_then(|name| name.strip_suffix("Type")) {
        return create_type(kind, arguments).map(Value::Type);
    }
    let (parameters, required) = object_parameters(object_type)?;
    if arguments.len() < required || arguments.len() > parameters.len() {
        let expected = if required == parameters.len() {
            required.to_string()
        } else {
            format!("{required}..{}", parameters.len())
        };
        return Err(Error::internal(format!(
            "wrong number of arguments (given {}, expected {expected})",
            arguments.len()
        )));
    }
    super::instantiate::from_arguments(object_type, arguments)
}

/// The names and types of the first attributes of an Object type, if the others have defaults.
///
/// # Errors
/// These are too few or too many attributes.
pub(crate) fn expected_attributes(object: &ObjectType, size: usize) -> Result<Vec<(Str, Type)>, Error> {
    let (parameters, required) = parameters(object)?;
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
    match missing {
        Some(name) => Err(Error::plain(format!("Missing default value for {}[{name}]", object.name))),
        None => Ok(parameters),
    }
}

/// Makes an instance of an Object type from attributes in order, each of which must be of its type.
///
/// # Errors
/// As [`create`], and when an attribute is of another type.
pub(crate) fn create_checked(
    object: &Arc<ObjectType>,
    expected: &[(Str, Type)],
    arguments: &[Value],
) -> Result<Value, Error> {
    for ((name, expected), value) in expected.iter().zip(arguments) {
        if !matches!(value, Value::Default) {
            asserter::assert_instance(format_args!("{}[{name}]", object.name), expected, value)?;
        }
    }
    create(object, arguments)
}

impl ObjectType {
    /// Makes an instance from the attributes of a stream, in order: a type, when the Object type describes
    /// types.
    ///
    /// # Errors
    /// The attributes are too few, too many, of other types, or make no type.
    pub fn create(self: &Arc<Self>, arguments: &[Value]) -> Result<Value, Error> {
        let expected = expected_attributes(self, arguments.len())?;
        create_checked(self, &expected, arguments)
    }
}

/// Makes a type by its meta type, as `new` does: the classes of the reference want their first parameter.
///
/// # Errors
/// As [`create`], and without arguments where one is wanted.
pub(crate) fn create_by_call(meta: &Arc<ObjectType>, arguments: &[Value]) -> Result<Value, Error> {
    let kind = meta.name.trim_start_matches("Pcore::").trim_end_matches("Type");
    if arguments.is_empty() && ROWS.iter().any(|row| row.meta_name == kind && row.wants_argument) {
        return Err(Error::internal("The type needs arguments"));
    }
    create(meta, arguments)
}

/// Whether the instances of an Object type are types.
pub(crate) fn is_meta_type(object: &ObjectType) -> bool {
    object.name.strip_prefix("Pcore::").is_some_and(|name| name.ends_with("Type"))
}

fn refused(kind: &str) -> Error {
    Error::internal(format!("wrong arguments for Pcore::{kind}Type"))
}

/// The values of a type's attributes, in order.
pub(crate) struct AttributeValues<'v> {
    row: &'static Row,
    values: &'v [Value],
}

impl AttributeValues<'_> {
    /// The error that the type does not exist.
    pub fn refused(&self) -> Error {
        refused(self.row.meta_name)
    }

    /// The bare type.
    pub fn bare(&self) -> Type {
        (self.row.bare)()
    }

    /// The value at an index, undef by default.
    pub fn at(&self, index: usize) -> &Value {
        self.values.get(index).unwrap_or(&Value::Undef)
    }

    /// The type at an index, if one is given.
    pub fn of(&self, index: usize) -> Result<Option<Type>, Error> {
        match self.at(index) {
            Value::Undef | Value::Default => Ok(None),
            Value::Type(of) => Ok(Some(of.clone())),
            _ => Err(self.refused()),
        }
    }

    /// The elements of the list at an index.
    pub fn list(&self, index: usize) -> Result<&[Value], Error> {
        match self.at(index) {
            Value::Array(values) => Ok(values.as_slice()),
            Value::Undef => Ok(&[]),
            _ => Err(self.refused()),
        }
    }

    /// The types of the list at an index.
    pub fn types(&self, index: usize) -> Result<Vec<Type>, Error> {
        let of = |value: &Value| match value {
            Value::Type(of) => Ok(of.clone()),
            _ => Err(self.refused()),
        };
        self.list(index)?.iter().map(of).collect()
    }

    /// The text at an index, if there is one.
    pub fn text(&self, index: usize) -> Option<Str> {
        self.at(index).as_str().map(Str::from)
    }

    /// The size at an index, which is an Integer type.
    pub fn range(&self, index: usize) -> Result<Option<IntRange>, Error> {
        let of = match self.at(index) {
            Value::Undef | Value::Default => return Ok(None),
            Value::Type(of) => BigRange::of(of),
            _ => None,
        };
        of.map(|range| Some(range.clamped())).ok_or_else(|| refused("Integer"))
    }
}

fn create_type(kind: &str, values: &[Value]) -> Result<Type, Error> {
    let row = ROWS.iter().find(|row| row.meta_name == kind).ok_or_else(|| refused(kind))?;
    let given = AttributeValues { row, values };
    (row.sample)().kind().ask(|family| family.of_attributes(&given))
}

//! The attributes of objects and types in the order in which they are written: what the reference's
//! `parameter_info` says of the classes of types, and the way back.

use std::sync::Arc;

use indexmap::IndexMap;

use super::table::{ROWS, Written};
use crate::data::big::{self};
use crate::data::value::{Object, RegexpValue, Str, Value};
use crate::types::compare::ruby_equals;
use crate::types::constructor::object_parameters;
use crate::types::factory;
use crate::types::object::{attribute_value, type_of_instance};
use crate::types::object_definition;
use crate::types::{
    CallableType, FloatRange, IntRange, Member, Members, NoTypes, ObjectType, RuntimeName, StructMember,
    Type, TypeKind, VersionRange, extension, meta,
};
use bunraku_syntax::diagnostic::Error;

/// A value as a named list of attributes.
pub(crate) struct Described {
    /// The name of its type.
    pub type_name: Str,
    /// The type itself, where it is to be written too; `Pcore::` types never are.
    pub object_type: Option<Type>,
    /// Names and values, without those at the end that have their default.
    pub attributes: Vec<(Str, Value)>,
}

/// Takes an object apart.
pub(crate) fn describe_object(object: &Object) -> Described {
    let (parameters, required) = object_parameters(&object.object_type);
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
    Described { type_name, object_type, attributes }
}

/// Takes a type apart.
///
/// # Errors
/// For the types that the reference cannot take apart.
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

/// The names and types of the attributes of an Object type in the order in which they are written, and how
/// many of them are required. Types write what they inherit last.
pub(crate) fn parameters(object: &ObjectType) -> (Vec<(Str, Type)>, usize) {
    let (mut parameters, required) = object_parameters(object);
    if matches!(object.name.as_str(), "Pcore::ArrayType" | "Pcore::HashType") {
        parameters.sort_by_key(|(name, _)| name == "size_type");
    }
    (parameters, required)
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
    let (parameters, required) = object_parameters(object_type);
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

fn range_of(value: &Value) -> Result<Option<IntRange>, Error> {
    match value {
        Value::Undef | Value::Default => Ok(None),
        Value::Type(of) => match of.kind() {
            TypeKind::Integer(range) => Ok(Some(*range)),
            TypeKind::BigInteger(range) => Ok(Some(range.clamped())),
            _ => Err(refused("Integer")),
        },
        _ => Err(refused("Integer")),
    }
}

fn create_type(kind: &str, arguments: &[Value]) -> Result<Type, Error> {
    let absent = Value::Undef;
    let at = |index: usize| arguments.get(index).unwrap_or(&absent);
    let of_at = |index: usize| match at(index) {
        Value::Undef | Value::Default => Ok(None),
        Value::Type(of) => Ok(Some(of.clone())),
        _ => Err(refused(kind)),
    };
    let list = |index: usize| match at(index) {
        Value::Array(values) => Ok(values.as_slice()),
        Value::Undef => Ok(&[][..]),
        _ => Err(refused(kind)),
    };
    let types_at = |index: usize| {
        let of = |value: &Value| match value {
            Value::Type(of) => Ok(of.clone()),
            _ => Err(refused(kind)),
        };
        list(index)?.iter().map(of).collect::<Result<Vec<Type>, Error>>()
    };
    let text_at = |index: usize| at(index).as_str().map(Str::from);
    let contained = |make: fn(Option<Type>) -> TypeKind| Ok::<Type, Error>(make(of_at(0)?).into());
    let moment = |value: &Value| match value {
        Value::Timestamp(moment) => Some(**moment),
        _ => None,
    };
    let span = |value: &Value| match value {
        Value::Timespan(span) => Some(**span),
        _ => None,
    };
    Ok(match kind {
        "Any" => Type::any(),
        "Unit" => TypeKind::Unit.into(),
        "Undef" => Type::undef(),
        "Default" => TypeKind::Default.into(),
        "Scalar" => TypeKind::Scalar.into(),
        "ScalarData" => TypeKind::ScalarData.into(),
        "Numeric" => Type::numeric(),
        "CatalogEntry" => TypeKind::CatalogEntry.into(),
        "SemVerRange" => TypeKind::SemVerRange.into(),
        "Binary" => Type::binary(),
        "Boolean" => TypeKind::Boolean(None).into(),
        "Sensitive" => contained(TypeKind::Sensitive)?,
        "Type" => contained(TypeKind::Type)?,
        "Optional" => contained(TypeKind::Optional)?,
        "NotUndef" => contained(TypeKind::NotUndef)?,
        "Iterable" => contained(TypeKind::Iterable)?,
        "Iterator" => contained(TypeKind::Iterator)?,
        "Integer" => {
            let is_bound = |value: &Value| {
                matches!(value, Value::Integer(_) | Value::BigInteger(_) | Value::Undef | Value::Default)
            };
            if !is_bound(at(0)) || !is_bound(at(1)) {
                return Err(refused(kind));
            }
            factory::integer(at(0), at(1))?
        }
        "Float" => {
            let bound = |value: &Value| match value {
                Value::Integer(number) => Ok(Some(*number as f64)),
                Value::BigInteger(number) => Ok(Some(big::to_f64(number))),
                Value::Float(number) => Ok(Some(*number)),
                Value::Undef | Value::Default => Ok(None),
                _ => Err(refused(kind)),
            };
            let range = FloatRange { from: bound(at(0))?, to: bound(at(1))? };
            Type::checked_float(range.from, range.to)?
        }
        "String" => match at(0) {
            Value::String(value) => Type::string_value(value.clone()),
            other => Type::string(range_of(other)?),
        },
        "Enum" => {
            let values: Vec<Str> =
                list(0)?.iter().filter_map(|value| value.as_str().map(Str::from)).collect();
            Type::enumeration(values, matches!(at(1), Value::Boolean(true)))
        }
        "Pattern" => {
            let pattern = |value: &Value| match value {
                Value::Regexp(pattern) => Ok(Arc::clone(pattern)),
                Value::String(source) => Ok(Arc::new(RegexpValue::new(source.clone()))),
                Value::Type(of) => match of.kind() {
                    TypeKind::Regexp(Some(pattern)) => Ok(Arc::clone(pattern)),
                    _ => Err(refused(kind)),
                },
                _ => Err(refused(kind)),
            };
            Type::pattern_of(list(0)?.iter().map(pattern).collect::<Result<Vec<_>, Error>>()?)
        }
        "Regexp" => match at(0) {
            Value::String(source) => Type::regexp(source.clone()),
            Value::Regexp(pattern) => TypeKind::Regexp(Some(Arc::clone(pattern))).into(),
            _ => TypeKind::Regexp(None).into(),
        },
        "Collection" => Type::collection(range_of(at(0))?),
        "Array" => Type::array(of_at(0)?.unwrap_or_else(Type::any), range_of(at(1))?),
        "Hash" => Type::hash(
            of_at(0)?.unwrap_or_else(Type::any),
            of_at(1)?.unwrap_or_else(Type::any),
            range_of(at(2))?,
        ),
        "Tuple" => Type::tuple(types_at(0)?, range_of(at(1))?),
        "Variant" => TypeKind::Variant(types_at(0)?).into(),
        "Struct" => Type::structure(list(0)?.iter().map(struct_member).collect::<Result<Members, _>>()?),
        "Callable" => {
            TypeKind::Callable(CallableType { parameters: of_at(0)?, block: of_at(1)?, returns: of_at(2)? })
                .into()
        }
        "Class" => TypeKind::Class(text_at(0)).into(),
        "Resource" => TypeKind::Resource {
            type_name: text_at(0).map(|name| name.to_lowercase()),
            title: text_at(1),
            is_reference: false,
        }
        .into(),
        "SemVer" => {
            let range = |value: &Value| match value {
                Value::SemVerRange(range) => Ok(Arc::clone(range)),
                Value::String(text) => VersionRange::parse(text).map(Arc::new),
                _ => Err(refused(kind)),
            };
            Type::sem_ver(list(0)?.iter().map(range).collect::<Result<_, _>>()?)
        }
        "Timestamp" => Type::timestamp(moment(at(0)), moment(at(1))),
        "Timespan" => Type::timespan(span(at(0)), span(at(1))),
        "URI" => match at(0) {
            Value::Hash(parts) if !parts.is_empty() => Type::uri(Some(
                parts
                    .iter()
                    .filter_map(|(name, value)| Some((name.as_str()?.into(), value.clone())))
                    .collect(),
            )),
            Value::String(text) => Type::uri(Some(crate::types::uri::type_parts(text))),
            _ => Type::uri(None),
        },
        "Runtime" => {
            let runtime = match at(0) {
                Value::Runtime(value) => Some(value.text.clone()),
                other => other.as_str().map(Str::from),
            };
            let name = match at(1) {
                Value::String(name) => Some(RuntimeName::Class(name.clone().into())),
                Value::Array(pair) => match pair.as_slice() {
                    [Value::Regexp(pattern), Value::String(replacement)] => {
                        Some(RuntimeName::Mapping(pattern.source.clone(), replacement.clone()))
                    }
                    _ => return Err(refused(kind)),
                },
                _ => None,
            };
            TypeKind::Runtime { runtime, name }.into()
        }
        "Init" => TypeKind::Init { of: of_at(0)?, arguments: list(1)?.to_vec() }.into(),
        "Object" => match at(0) {
            Value::Hash(hash) => match hash.get(&Value::from("name")).and_then(Value::as_str) {
                Some(name) => {
                    let object = object_definition::unresolved(name);
                    object_definition::define(&object, hash)?;
                    TypeKind::Object(object).into()
                }
                None => object_definition::anonymous(at(0), &NoTypes)?,
            },
            Value::Undef => Type::any_object(),
            _ => return Err(refused(kind)),
        },
        "ObjectTypeExten" => match (of_at(0)?.as_ref().map(Type::kind), at(1)) {
            (Some(TypeKind::Object(base)), Value::Array(parameters)) => extension::create(base, parameters)?,
            (Some(TypeKind::Object(base)), Value::Hash(_)) => {
                extension::create(base, std::slice::from_ref(at(1)))?
            }
            _ => return Err(refused(kind)),
        },
        "TypeAlias" => match (text_at(0), of_at(2)?) {
            (Some(name), Some(target)) => Type::alias(name, target),
            _ => return Err(refused(kind)),
        },
        "TypeReference" => match text_at(0) {
            Some(name) => Type::reference(name),
            None => return Err(refused(kind)),
        },
        _ => return Err(refused(kind)),
    })
}

fn struct_member(value: &Value) -> Result<StructMember, Error> {
    let attribute = |name: &str| match value {
        Value::Object(object) => match object.attributes.get(name) {
            Some(Value::Type(of)) => Ok(of.clone()),
            _ => Err(refused("Struct")),
        },
        _ => Err(refused("Struct")),
    };
    let (key, value) = (attribute("key_type")?, attribute("value_type")?);
    let named = match key.kind() {
        TypeKind::Optional(Some(of)) | TypeKind::NotUndef(Some(of)) => of.clone(),
        _ => key.clone(),
    };
    let TypeKind::String { value: Some(name), .. } = named.kind() else { return Err(refused("Struct")) };
    Ok(StructMember { name: name.clone(), key: key.clone(), value })
}

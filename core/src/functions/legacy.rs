//! The arguments of functions of the 3.x API.
//!
//! Such a function gets values that Ruby knows: `undef` at the top is an empty string, a regular expression, a version or
//! a time is its text, a reference to a resource is a resource. Follows the reference's `runtime3_converter.rb`.

use super::ruby;
use crate::catalog::reference;
use crate::diagnostic::Error;
use crate::eval::{Call, Evaluated};
use crate::pcore::convert::string;
use crate::pcore::format::inspect;
use crate::pcore::types::{Type, TypeKind};
use crate::pcore::value::{Hash, RuntimeValue};
use crate::pcore::Value;

/// The class of the values that stand for resources.
pub const RESOURCE: &str = "Puppet::Resource";

/// The arguments of a call, converted.
pub fn arguments(call: &Call<'_, '_>) -> Evaluated<Vec<Value>> {
    let convert = |argument: &Value| match argument {
        Value::Undef => Ok("".into()),
        other => convert(other),
    };
    Ok(call.arguments.iter().map(convert).collect::<Result<_, Error>>()?)
}

fn convert(value: &Value) -> Result<Value, Error> {
    Ok(match value {
        Value::Array(values) => values.iter().map(convert).collect::<Result<Vec<_>, _>>()?.into(),
        Value::Hash(hash) => {
            let pairs = hash.iter().map(|(key, value)| Ok((convert(key)?, convert(value)?)));
            pairs.collect::<Result<Hash, Error>>()?.into()
        }
        Value::Regexp(_) => inspect(value).to_string().into(),
        Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => string::to_string(value).to_string().into(),
        Value::Iterator(_) => return Err(Error::plain("Use of an Iterator is not supported here")),
        Value::Type(of) => resource(of).unwrap_or_else(|| value.clone()),
        other => other.clone(),
    })
}

/// The resource that a reference to one stands for, as a value of another runtime whose text is the reference.
fn resource(of: &Type) -> Option<Value> {
    let (type_name, title) = match of.kind() {
        TypeKind::Class(name) => ("class", name.as_deref().unwrap_or("")),
        TypeKind::Resource { type_name, title } => {
            (type_name.as_deref().unwrap_or(""), title.as_deref().unwrap_or(""))
        }
        TypeKind::Type(Some(of)) if matches!(of.kind(), TypeKind::Class(_) | TypeKind::Resource { .. }) => {
            return resource(of);
        }
        _ => return None,
    };
    let (type_name, title) = reference::canonical(type_name.trim_start_matches("::"), title);
    let text = format!("{type_name}[{title}]").into();
    Some(Value::Runtime(
        RuntimeValue { runtime: "ruby".into(), class: RESOURCE.into(), text }.into(),
    ))
}

/// The message of Ruby for something that is no string where one is needed.
pub fn no_string(value: &Value) -> Error {
    let name = match value {
        Value::Undef => "nil".to_owned(),
        Value::Boolean(truth) => truth.to_string(),
        other => ruby::class_name(other).to_owned(),
    };
    Error::internal(format!("no implicit conversion of {name} into String"))
}

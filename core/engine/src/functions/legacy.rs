//! The arguments of functions of the 3.x API.
//!
//! The evaluator has turned most of them into what Ruby knows (`undef` is an empty string, a time its text).
//! Here references to resources become resources, which these functions can do little with but show.

use crate::catalog::reference;
use crate::eval::Call;
use bunraku_pcore::Value;
use bunraku_pcore::label::in_place_of_text;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::RuntimeValue;
use bunraku_syntax::diagnostic::Error;

/// The class of the values that represent resources.
pub const RESOURCE: &str = "Puppet::Resource";

/// The arguments of a call, with resources for the references to resources in them, and all texts in UTF-8.
pub fn arguments(call: &Call<'_, '_>) -> Vec<Value> {
    call.arguments.iter().map(|value| convert(value, &|value| value.in_utf8().into_owned())).collect()
}

/// As [`arguments`]; texts without encoding stay unchanged.
pub fn arguments_in_any_encoding(call: &Call<'_, '_>) -> Vec<Value> {
    call.arguments.iter().map(|value| convert(value, &Value::clone)).collect()
}

fn convert(value: &Value, other: &dyn Fn(&Value) -> Value) -> Value {
    let inner = |value| convert(value, other);
    match value {
        Value::Array(values) => Value::array(values.iter().map(inner)),
        Value::Hash(hash) => Value::hash(hash.iter().map(|(key, value)| (inner(key), inner(value)))),
        Value::Type(of) => resource(of).unwrap_or_else(|| value.clone()),
        value => other(value),
    }
}

/// The resource of a reference, as a value of another runtime whose text is the reference. The evaluator has
/// made references canonical.
fn resource(of: &Type) -> Option<Value> {
    match of.kind() {
        TypeKind::Resource { type_name: Some(type_name), title: Some(title), is_reference: true } => {
            Some(Value::Runtime(RuntimeValue::new(RESOURCE, reference::text(type_name, title)).into()))
        }
        _ => None,
    }
}

/// Ruby's error for a value that is not a string where one is required.
pub fn no_string(value: &Value) -> Error {
    Error::internal(format!("no implicit conversion of {} into String", in_place_of_text(value)))
}

//! Instances of Object types, from positional arguments or a hash of attributes.

use std::sync::Arc;

use indexmap::IndexMap;

use super::constructor::object_parameters;
use crate::data::value::{Hash, Object, Str, Value};
use crate::types::{AttributeKind, ObjectType, ast};
use bunraku_syntax::diagnostic::Error;

/// An instance of the attributes in a hash. The hash is right already.
pub fn from_hash(object_type: &Arc<ObjectType>, hash: &Hash) -> Value {
    make(object_type, |name| hash.get(&Value::String(name.clone())).cloned())
}

/// An instance of positional arguments, which are right already.
///
/// # Errors
/// When an argument without a default is missing whose type allows that: the reference's class insists on it;
/// as `object_parameters`.
pub fn from_arguments(object_type: &Arc<ObjectType>, arguments: &[Value]) -> Result<Value, Error> {
    let (parameters, _) = object_parameters(object_type)?;
    let least =
        object_type.init_attributes().iter().filter(|(_, _, attribute)| attribute.value.is_none()).count();
    if arguments.len() < least {
        let (given, most) = (arguments.len(), parameters.len());
        let expected = if least == most { least.to_string() } else { format!("{least}..{most}") };
        return Err(Error::argument(format!(
            "wrong number of arguments (given {given}, expected {expected})"
        )));
    }
    let given: IndexMap<&Str, &Value> = parameters.iter().map(|(name, _)| name).zip(arguments).collect();
    Ok(make(object_type, |name| given.get(name).map(|value| (*value).clone())))
}

fn make(object_type: &Arc<ObjectType>, given: impl Fn(&Str) -> Option<Value>) -> Value {
    let mut attributes = IndexMap::new();
    for (name, (_, attribute)) in object_type.attributes() {
        if matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived) {
            continue;
        }
        let value = given(&name).or_else(|| attribute.value.clone()).unwrap_or_default();
        attributes.insert(name, value);
    }
    let mut object = Object::new(Arc::clone(object_type), attributes);
    if object_type.is_locator() {
        let begins = ast::line_index(&object);
        object.attributes.insert("line_index".into(), begins);
    }
    Value::Object(Arc::new(object))
}

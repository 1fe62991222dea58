//! Instances of Object types, from positional arguments or a hash of attributes.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::constructor::making;
use super::guard::Pending;
use crate::data::pairs::FEW;
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
    let making = making(object_type, Pending::default())?;
    let least = making.least;
    if arguments.len() < least {
        let (given, most) = (arguments.len(), making.names.len());
        let expected = if least == most { least.to_string() } else { format!("{least}..{most}") };
        return Err(Error::argument(format!(
            "wrong number of arguments (given {given}, expected {expected})"
        )));
    }
    let given = |name: &Str| making.names.iter().zip(arguments).find(|(known, _)| *known == name);
    if arguments.len() > FEW {
        let given: FxHashMap<&Str, &Value> = making.names.iter().zip(arguments).collect();
        return Ok(make(object_type, |name| given.get(name).map(|value| (*value).clone())));
    }
    Ok(make(object_type, |name| given(name).map(|(_, value)| value.clone())))
}

fn make(object_type: &Arc<ObjectType>, given: impl Fn(&Str) -> Option<Value>) -> Value {
    let mut attributes = IndexMap::new();
    for (name, _, attribute) in object_type.listed_attributes() {
        if matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived) {
            continue;
        }
        let value = given(name).or_else(|| attribute.value.clone()).unwrap_or_default();
        attributes.insert(name.clone(), value);
    }
    let mut object = Object::new(Arc::clone(object_type), attributes);
    if object_type.is_locator() {
        let begins = ast::line_index(&object);
        object.attributes.insert("line_index".into(), begins);
    }
    Value::Object(Arc::new(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Attribute, ObjectDefinition, Type, TypeKind};

    fn attribute(attribute_type: Type, value: Option<Value>) -> Attribute {
        let kind = AttributeKind::Normal;
        Attribute { attribute_type, kind, value, is_final: false, is_override: false, annotations: None }
    }

    fn object(parent: Option<&Type>, attributes: Vec<(&str, Attribute)>) -> Arc<ObjectType> {
        let attributes = attributes.into_iter().map(|(name, attribute)| (name.into(), attribute)).collect();
        let definition = ObjectDefinition { parent: parent.cloned(), attributes, ..Default::default() };
        Arc::new(ObjectType::defined("Some::Object", definition))
    }

    #[test]
    fn overridden_attributes_keep_their_places() {
        let one = || attribute(Type::any_integer(), None);
        let parent = object(None, vec![("a", one()), ("b", one())]);
        let parent = TypeKind::Object(parent).into();
        let two = attribute(Type::any_integer(), Some(Value::Integer(2)));
        let child = object(Some(&parent), vec![("a", two), ("c", one())]);
        let listed: Vec<&Str> = child.listed_attributes().iter().map(|(name, ..)| *name).collect();
        assert_eq!(listed, child.attributes().keys().collect::<Vec<_>>());
        for _ in 0..2 {
            let made = from_arguments(&child, &[Value::Integer(7), Value::Integer(8)]).expect("it is made");
            let Value::Object(made) = made else { panic!("{made:?}") };
            let of = |name: &str| made.attributes.get(name).cloned();
            assert_eq!([of("a"), of("b"), of("c")], [2, 7, 8].map(|number| Some(Value::Integer(number))));
        }
        let refused = from_arguments(&child, &[Value::Integer(7)]).expect_err("an argument is missing");
        assert_eq!(refused.message, "wrong number of arguments (given 1, expected 2..3)");
    }

    #[test]
    fn types_that_have_made_instances_nest_as_deep_as_others() {
        let mut of = Type::any_integer();
        for _ in 0..20_000 {
            let made = object(None, vec![("inner", attribute(of, None))]);
            making(&made, Pending::default()).expect("it has a constructor");
            assert!(made.making.get().is_some());
            of = TypeKind::Object(made).into();
        }
        drop(of);
    }
}

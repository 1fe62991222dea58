//! Object types with their parameters given. Follows the reference's `p_object_type_extension.rb`.

use std::sync::Arc;

use super::{ObjectType, Type, TypeKind, asserter};
use crate::data::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

/// An Object type with parameters: in order, or one hash by name. `default` leaves one out.
///
/// # Errors
/// When the type has no parameters, one is unknown or of the wrong type, or none is given.
pub fn create(base: &Arc<ObjectType>, given: &[Value]) -> Result<Type, Error> {
    let label = base.label();
    let declared = base.type_parameters();
    let Some((_, (_, first))) = declared.first() else {
        return Err(Error::plain(format!("The {label}-Type cannot be parameterized using []")));
    };
    let mut parameters: Vec<(Str, Value)> = Vec::new();
    let mut add = |name: &Str, value: &Value| -> Result<(), Error> {
        if matches!(value, Value::Default) {
            return Ok(());
        }
        if let Some((owner, parameter)) = declared.get(name) {
            let subject = format!("type_parameter {}[{name}]", owner.label());
            asserter::assert_instance(&subject, &parameter.attribute_type, value)?;
            parameters.push((name.clone(), value.clone()));
        }
        Ok(())
    };
    match given {
        [hash @ Value::Hash(named)] if !first.attribute_type.is_instance(hash) => {
            for (name, value) in named.iter() {
                let name = name.as_str().map(Str::from).unwrap_or_default();
                if !declared.contains_key(&name) {
                    let message = format!("'{name}' is not a known type parameter for {label}-Type");
                    return Err(Error::plain(message));
                }
                add(&name, value)?;
            }
        }
        _ => {
            for (name, value) in declared.keys().zip(given) {
                add(name, value)?;
            }
        }
    }
    if parameters.is_empty() {
        return Err(Error::plain(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        )));
    }
    Ok(TypeKind::ObjectExtension { base: base.clone(), parameters }.into())
}

/// The bare Object without parameters given.
pub(super) fn any() -> Type {
    match Type::any_object().kind() {
        TypeKind::Object(base) => {
            TypeKind::ObjectExtension { base: base.clone(), parameters: Vec::new() }.into()
        }
        _ => Type::any_object(),
    }
}

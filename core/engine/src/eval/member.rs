//! `object.attribute`: members of instances of Object types and of URIs, found before functions of that name.
//!
//! Follows `InvocableMember` of the reference's `pops/types/type_with_members.rb` and `p_object_type.rb`.

use super::{Evaluated, Signature};
use bunraku_pcore::Value;
use bunraku_pcore::types::object::{Member, attribute_value};
use bunraku_pcore::types::{AttributeKind, IntRange, Type, TypeKind, ast, mismatch, uri};
use bunraku_syntax::diagnostic::Error;

/// The value of a member of a value; `None` if it has no such member. `arguments` are only evaluated for an
/// existing member.
pub(super) fn invoke(
    receiver: &Value,
    name: &str,
    arguments: impl FnOnce() -> Evaluated<Vec<Value>>,
) -> Evaluated<Option<Value>> {
    match receiver {
        Value::Uri(of) => match uri::part(&of.text, name) {
            Some(part) => arguments().map(|_| Some(part)),
            None => Ok(None),
        },
        Value::Object(object) => match object.object_type.member(name) {
            Some(Member::Attribute(declared, attribute)) => {
                let arguments = arguments()?;
                if !arguments.is_empty() {
                    let nothing = Type::tuple(Vec::new(), Some(IntRange::exactly(0)));
                    let callable =
                        Type::callable(Some(nothing), None, Some(attribute.attribute_type.clone()));
                    let label = format!("attribute {}[{name}]", declared.label());
                    return Err(refuse(&label, callable, &arguments));
                }
                if attribute.kind == AttributeKind::Derived {
                    if let Some(value) = ast::derived(object, name) {
                        return Ok(Some(value));
                    }
                    let label = format!("derived attribute {}[{name}]", declared.label());
                    return Err(Error::plain(format!("no method is implemented for {label}")).into());
                }
                Ok(Some(attribute_value(object, name).unwrap_or_default()))
            }
            Some(Member::Function(declared, function)) => {
                let arguments = arguments()?;
                let label = format!("function {}[{name}]", declared.label());
                let TypeKind::Callable(_) = function.function_type.kind() else {
                    return Err(Error::internal(format!("{label} is not callable")).into());
                };
                let given = Value::array(arguments.iter().cloned());
                if !function.function_type.check_callable_with(&given, None)? {
                    return Err(refuse(&label, function.function_type.clone(), &arguments));
                }
                // The one function of an object that the language itself brings.
                if declared.name == "Error" && name == "message" {
                    return Ok(attribute_value(object, "msg"));
                }
                Err(Error::plain(format!("no method is implemented for {label}")).into())
            }
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Checks a call of a member whose implementation is elsewhere.
///
/// # Errors
/// The arguments do not fit.
pub(super) fn check(
    receiver: &Value,
    name: &str,
    arguments: &[Value],
    block: Option<&Type>,
) -> Evaluated<()> {
    let Value::Object(object) = receiver else { return Ok(()) };
    let Some(Member::Function(declared, function)) = object.object_type.member(name) else { return Ok(()) };
    let callables = match function.function_type.kind() {
        TypeKind::Variant(members) => members.clone(),
        _ => vec![function.function_type.clone()],
    };
    let given = Value::array(arguments.iter().cloned());
    for callable in &callables {
        if callable.check_callable_with(&given, block)? {
            return Ok(());
        }
    }
    let signature = |callable| Signature {
        callable,
        parameter_names: Vec::new(),
        block_name: None,
        captures_rest: false,
    };
    let signatures: Vec<Signature> = callables.into_iter().map(signature).collect();
    let signatures: Vec<&Signature> = signatures.iter().collect();
    let label = format!("function {}[{name}]", declared.label());
    let actual = Type::of_arguments(arguments, block);
    Err(Error::argument(mismatch::describe_signatures(&label, &signatures, &actual)).into())
}

/// The failure of a call with arguments that do not fit.
fn refuse(label: &str, callable: Type, arguments: &[Value]) -> super::Unwind {
    let signature =
        Signature { callable, parameter_names: Vec::new(), block_name: None, captures_rest: false };
    let actual = Type::of_arguments(arguments, None);
    Error::argument(mismatch::describe_signatures(label, &[&signature], &actual)).into()
}

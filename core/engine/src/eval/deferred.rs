//! Values that are computed later: resolving `Deferred` in values, and what their functions return.
//!
//! Follows `resolve` of the reference's `pops/evaluator/deferred_resolver.rb`, and
//! `get_deferred_function_return_type` of `pops/types/type_mismatch_describer.rb`.

use std::rc::Rc;

use super::invoke::accepts;
use super::{Evaluated, Evaluator, Scope, Site};
use bunraku_pcore::Value;
use bunraku_pcore::ruby::inspect;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::Object;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// What a function declares to return.
pub enum DeclaredResult {
    /// This type.
    Type(Type),
    /// Nothing.
    None,
    /// The function is in Ruby that does not run here.
    Unknown,
}

impl Evaluator<'_> {
    /// Replaces every Deferred in a value, also in arrays, hashes and Sensitive, by the result of its call.
    /// Calls are made from the top scope.
    ///
    /// # Errors
    /// A call fails.
    pub fn resolve_deferred(&self, scope: &Rc<Scope>, value: &Value, location: &Location) -> Evaluated {
        Ok(match value {
            Value::Object(object) if object.object_type.name == "Deferred" => {
                return self.resolve_call(Scope::top_of(scope), object, location);
            }
            Value::Array(values) => {
                let values = values.iter().map(|value| self.resolve_deferred(scope, value, location));
                Value::from(values.collect::<Evaluated<Vec<_>>>()?)
            }
            Value::Hash(hash) => {
                let entries = hash.iter();
                let entry = |(key, value): (&Value, &Value)| {
                    Ok((key.clone(), self.resolve_deferred(scope, value, location)?))
                };
                Value::from(entries.map(entry).collect::<Evaluated<bunraku_pcore::Hash>>()?)
            }
            Value::Sensitive(value) => Value::sensitive(self.resolve_deferred(scope, value, location)?),
            other => other.clone(),
        })
    }

    /// What a function that a Deferred names declares to return for its arguments. Nothing is called.
    ///
    /// # Errors
    /// The function does not exist, or no signature accepts the arguments.
    pub fn declared_result(
        &self,
        top: &Rc<Scope>,
        name: &str,
        arguments: Option<&Value>,
    ) -> Result<DeclaredResult, Error> {
        let signatures = match self.signatures_of(top, name) {
            Ok(Some(signatures)) => signatures,
            Ok(None) => return Err(Error::argument(format!("Unknown function '{name}'"))),
            Err(error) if error.kind.is_limit() => return Err(error),
            Err(_) => return Ok(DeclaredResult::Unknown),
        };
        let Some(signatures) = signatures else { return Ok(DeclaredResult::None) };
        if let Some(Value::Array(given)) = arguments {
            for signature in signatures.iter() {
                if accepts(signature, given, None, &self.usage)? {
                    let TypeKind::Callable(callable) = signature.callable.kind() else { continue };
                    let returned = callable.returns.clone();
                    return Ok(returned.map_or(DeclaredResult::None, DeclaredResult::Type));
                }
            }
        }
        let given = arguments.filter(|given| !given.is_undef()).map(inspect).unwrap_or_default();
        Err(Error::argument(format!("No matching arity found for {name} with arguments {given}")))
    }

    fn resolve_call(&self, top: &Rc<Scope>, deferred: &Object, location: &Location) -> Evaluated {
        let name = deferred.attributes.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut arguments = match deferred.attributes.get("arguments") {
            Some(Value::Array(arguments)) => arguments
                .iter()
                .map(|argument| self.resolve_deferred(top, argument, location))
                .collect::<Evaluated<Vec<_>>>()?,
            _ => Vec::new(),
        };
        let name = match name.strip_prefix('$') {
            Some(variable) => {
                arguments.insert(0, self.look_up_variable(top, variable)?.unwrap_or_default());
                "dig"
            }
            None => name,
        };
        self.call_external(top, name, &arguments, None, Site::At(location))
    }
}

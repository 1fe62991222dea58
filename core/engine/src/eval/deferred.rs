//! Values that are computed later: resolving `Deferred` in values.
//!
//! Follows `resolve` of the reference's `pops/evaluator/deferred_resolver.rb`.

use std::rc::Rc;

use super::{Evaluated, Evaluator, Scope, Site};
use bunraku_pcore::Value;
use bunraku_pcore::value::Object;
use bunraku_syntax::source::Location;

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

//! Values that are computed later: resolving `Deferred` in values.
//!
//! Follows `resolve` of the reference's `pops/evaluator/deferred_resolver.rb`.

use std::rc::Rc;

use super::variable::Variable;
use super::{Evaluated, Evaluator, Scope, Site};
use crate::diagnostic::{Error, LogEntry, LogLevel};
use crate::loader::Strictness;
use crate::pcore::Value;
use crate::pcore::value::Object;
use crate::source::Location;

impl Evaluator<'_> {
    /// The value with what is Deferred in it, in arrays, hashes and Sensitive too, replaced by what it stands for. Calls
    /// are made from the top scope.
    ///
    /// # Errors
    /// What the calls fail with.
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
                Value::from(entries.map(entry).collect::<Evaluated<crate::pcore::Hash>>()?)
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
                let value = match self.find_variable(top, variable)? {
                    Variable::Known(value) => value,
                    Variable::Unknown(reason) => self.undefined_variable(variable, reason.as_deref())?,
                };
                arguments.insert(0, value);
                "dig"
            }
            None => name,
        };
        self.call_external(top, name, &arguments, None, Site::At(location))
    }

    /// What code outside of the language gets for a variable that there is not: an error, or `undef` where the setting
    /// `strict` lets it pass.
    fn undefined_variable(&self, name: &str, reason: Option<&str>) -> Evaluated {
        let message = format!("Undefined variable '{name}'; {}", reason.unwrap_or_default());
        match self.environment.settings.strict {
            Strictness::Off => Ok(Value::Undef),
            Strictness::Error => Err(Error::argument(message).into()),
            Strictness::Warning => {
                let entry = LogEntry {
                    level: LogLevel::Warning,
                    message: format!("{message}\n   (file & line not available)"),
                    source: "Puppet".into(),
                    location: Location::default(),
                    issue: None,
                };
                self.journal.log_once(&format!("Variable: {name}"), entry);
                Ok(Value::Undef)
            }
        }
    }
}

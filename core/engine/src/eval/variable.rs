//! Variables: `$a`, `$a::b`, `$0`, and missing ones.

use std::rc::Rc;

use super::constant::place_of;
use super::evaluator::{Demotion, Env};
use super::{Evaluated, Evaluator, Lookup, Scope, ScopeKind, Unwind};
use bunraku_host::MissingVariable;
use bunraku_pcore::Value;
use bunraku_pcore::format::to_s;
use bunraku_syntax::ast::{Node, NodeId};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel, Strictness, issues};
use bunraku_syntax::names::{is_qualified, split_last};

/// The result of a variable's lookup.
#[derive(Debug)]
pub enum Variable {
    /// Its value.
    Known(Value),
    /// The variable does not exist.
    Unknown(MissingVariable),
}

impl Evaluator<'_> {
    pub(super) fn variable_expression(&self, env: Env<'_>, id: NodeId, expr: NodeId) -> Evaluated {
        match *env.node(expr) {
            Node::QualifiedName { value } | Node::LiteralString { value } => {
                let name = env.program.text(value);
                match self.read_qualified(env, id, name, Value::clone) {
                    Some(value) => Ok(value),
                    None => self.variable(env, id, name),
                }
            }
            _ => match self.eval(env, expr)?.in_utf8().into_owned() {
                Value::String(name) => self.variable(env, id, &name),
                Value::Integer(number) => self.variable(env, id, &number.to_string()),
                number @ Value::Float(_) => self.variable(env, id, &to_s(&number)),
                _ => {
                    let label = env.program.label(expr);
                    Err(env.fail(expr, issues::illegal_variable_expression(label)))
                }
            },
        }
    }

    /// The value of a variable by its name without `$`. An unknown one is `UNKNOWN_VARIABLE` of the node,
    /// unless settings demote that.
    pub(super) fn variable(&self, env: Env<'_>, id: NodeId, name: &str) -> Evaluated {
        match self.find_variable(env.scope, name)? {
            Variable::Known(value) => Ok(value),
            Variable::Unknown(_) => {
                let settings = &self.environment.settings;
                let demotion =
                    if settings.strict_variables { Demotion::Fail } else { Demotion::from(settings.strict) };
                self.report(env, id, demotion, issues::unknown_variable(name))?;
                Ok(Value::Undef)
            }
        }
    }

    /// The value of a variable as the reference's `Scope#lookupvar` returns it to code outside of the
    /// language: an unknown one is a warning or an error, depending on the setting `strict`.
    ///
    /// # Errors
    /// Those of [`find_variable`](Self::find_variable), and the variable is unknown.
    pub fn look_up_variable(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<Value>> {
        let MissingVariable { name, reason } = match self.find_variable(scope, name)? {
            Variable::Known(value) => return Ok(Some(value)),
            Variable::Unknown(missing) => missing,
        };
        let message = format!("Undefined variable '{name}'; {}", reason.unwrap_or_default());
        match self.environment.settings.strict {
            Strictness::Error => return Err(Error::argument(message).into()),
            Strictness::Warning => {
                let message = format!("{message}\n   (file & line not available)");
                let entry = LogEntry::of_puppet(LogLevel::Warning, message);
                self.loaded.log.add_once(&format!("Variable: {name}"), entry);
            }
            Strictness::Off => {}
        }
        Ok(None)
    }

    /// Looks for a variable by its name without `$`, as seen from a scope.
    ///
    /// # Errors
    /// The name is that of a parameter which has no value yet, or the class that is named cannot be loaded.
    pub fn find_variable(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Variable> {
        if is_qualified(name) {
            return self.qualified_variable(scope, name.strip_prefix("::").unwrap_or(name));
        }
        match scope.find(name) {
            Lookup::Found(value) => Ok(Variable::Known(value)),
            Lookup::Unevaluated(error) => Err(Unwind::Unevaluated(Box::new(error))),
            Lookup::Missing if is_always_there(name) => Ok(Variable::Known(Value::Undef)),
            Lookup::Missing => Ok(unknown(name.to_owned(), None)),
        }
    }

    /// Puts another value in the place of one that Ruby code has changed: in the variable itself, in those of
    /// this scope and the scopes around it that hold the same list, hash or text, and in the parameters of
    /// the resources they belong to.
    pub fn change_variable(&self, scope: &Rc<Scope>, name: &str, old: &Value, new: &Value) {
        self.changes.set(self.changes.get() + 1);
        if let Some((class, leaf)) = split_last(name)
            && let Some(class_scope) = self.context.class_scope(class)
        {
            class_scope.replace(Some(leaf), old, new);
            self.context.replace_parameter(&class_scope, old, new);
        }
        let mut around = Some(scope);
        while let Some(scope) = around {
            scope.replace(Some(name), old, new);
            self.context.replace_parameter(scope, old, new);
            around = scope.next();
        }
    }

    /// Reads a variable of another class in place, by its name without `$`. `None` for a name without `::`,
    /// and for anything unusual. Nothing can be evaluated while it is read.
    pub(super) fn read_qualified<T>(
        &self,
        env: Env<'_>,
        id: NodeId,
        name: &str,
        read: impl FnOnce(&Value) -> T,
    ) -> Option<T> {
        let (class, leaf) = split_last(name)?;
        let class = class.strip_prefix("::").unwrap_or(class);
        if class.is_empty() || !Scope::top_of(env.scope).has_plain_names() {
            return None;
        }
        self.context.class_scope(class)?.read_own(leaf, place_of(env.program, id), read)
    }

    fn qualified_variable(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Variable> {
        if let Some(value) = Scope::top_of(scope).own_odd(name) {
            return Ok(Variable::Known(value));
        }
        let Some((class, leaf)) = split_last(name) else {
            return Ok(unknown(format!("::{name}"), None));
        };
        let Some(mut class_scope) = self.context.class_scope(class) else {
            let known = self.environment.find_class(class, self.loaded)?.is_some();
            let reason = if known { "has not been evaluated" } else { "could not be found" };
            return Ok(unknown(name.to_owned(), Some(format!("class {class} {reason}"))));
        };
        loop {
            match class_scope.own(leaf).map_or_else(|| class_scope.find_here(leaf), Lookup::Found) {
                Lookup::Found(value) => return Ok(Variable::Known(value)),
                Lookup::Unevaluated(error) => return Err(Unwind::Unevaluated(Box::new(error))),
                Lookup::Missing => match &class_scope.inherited {
                    Some(inherited) => class_scope = Rc::clone(inherited),
                    None => {
                        let class = match &class_scope.kind {
                            ScopeKind::Class(definition) => &*definition.name,
                            _ => class,
                        };
                        return Ok(unknown(format!("::{class}::{leaf}"), None));
                    }
                },
            }
        }
    }
}

fn unknown(name: String, reason: Option<String>) -> Variable {
    Variable::Unknown(MissingVariable { name, reason })
}

/// Whether an unset variable with this name is `undef`: the groups of matches and two names that Puppet sets
/// where it can.
fn is_always_there(name: &str) -> bool {
    let numeric =
        || name == "0" || (!name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit()));
    matches!(name, "module_name" | "caller_module_name") || (!name.is_empty() && numeric())
}

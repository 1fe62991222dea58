//! Assignments: `$a = 1`, `[$a, $b] = [1, 2]`, from hashes and from classes.

use super::evaluator::{Env, text_constant};
use super::{Evaluated, Evaluator, Scope};
use bunraku_pcore::Value;
use bunraku_pcore::format::to_s;
use bunraku_pcore::types::TypeKind;
use bunraku_pcore::value::{Str, shared};
use bunraku_syntax::ast::nodes::AssignmentOperator;
use bunraku_syntax::ast::{Node, NodeId};
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::names::split_last;

/// The left side of an assignment.
enum Target {
    /// The name of a variable.
    Name(Str),
    /// `$1`
    Number(i64),
    /// Anything else that a variable expression gave.
    Other,
    /// Several.
    List(Vec<Target>),
}

/// The nodes of an assignment, for messages.
#[derive(Clone, Copy)]
struct Assignment {
    whole: NodeId,
    left: NodeId,
    right: NodeId,
}

impl Evaluator<'_> {
    pub(super) fn assignment(
        &self,
        env: Env<'_>,
        id: NodeId,
        operator: AssignmentOperator,
        left: NodeId,
        right: NodeId,
    ) -> Evaluated {
        let target = self.target(env, left)?;
        let value = self.eval(env, right)?;
        match operator {
            AssignmentOperator::Assign => {
                self.assign(env, Assignment { whole: id, left, right }, &target, &value)?;
                Ok(value)
            }
            AssignmentOperator::Append | AssignmentOperator::Delete => {
                Err(issues::unsupported_operator(operator.text()).into())
            }
        }
    }

    /// `$name = …`, whose value is not needed.
    pub(super) fn assignment_unused(
        &self,
        env: Env<'_>,
        id: NodeId,
        operator: AssignmentOperator,
        left: NodeId,
        right: NodeId,
    ) -> Evaluated {
        let name = match (operator, *env.node(left)) {
            (AssignmentOperator::Assign, Node::VariableExpression { expr }) => match *env.node(expr) {
                Node::QualifiedName { value } => Some((expr, value)),
                _ => None,
            },
            _ => None,
        };
        let Some((at, name)) = name.filter(|_| self.recorder.is_none()) else {
            return self.assignment(env, id, operator, left, right);
        };
        let value = self.eval(env, right)?;
        let make_name = || match text_constant(env, at, name) {
            Value::String(name) => name,
            _ => shared(env.program.text(name)),
        };
        if let Err(value) = env.scope.assign_plain(env.program.text(name), make_name, value) {
            let nodes = Assignment { whole: id, left, right };
            self.assign(env, nodes, &Target::Name(make_name()), &value)?;
        }
        Ok(Value::Undef)
    }

    fn target(&self, env: Env<'_>, left: NodeId) -> Evaluated<Target> {
        match *env.node(left) {
            Node::VariableExpression { expr } => match *env.node(expr) {
                Node::QualifiedName { value } => Ok(Target::Name(shared(env.program.text(value)))),
                Node::LiteralInteger { value, .. } => Ok(Target::Number(value)),
                _ => Ok(Target::Other),
            },
            Node::LiteralList { values } => {
                let targets = env.list(values).iter().map(|&value| self.target(env, value));
                Ok(Target::List(targets.collect::<Evaluated<_>>()?))
            }
            _ => Err(env.fail(left, issues::illegal_assignment(env.program.label(left)))),
        }
    }

    fn assign(&self, env: Env<'_>, at: Assignment, target: &Target, value: &Value) -> Evaluated<()> {
        match target {
            Target::Name(name) if name.contains(':') => {
                Err(env.fail(at.left, issues::cross_scope_assignment(name)))
            }
            Target::Name(name) => self.set_variable(env, at, name, value.clone()),
            Target::Number(number) => Err(env.fail(at.left, issues::illegal_numeric_assignment(number))),
            Target::Other => Err(env.fail(at.whole, issues::illegal_assignment(env.program.label(at.whole)))),
            Target::List(targets) => self.assign_list(env, at, targets, value),
        }
    }

    fn set_variable(&self, env: Env<'_>, at: Assignment, name: &Str, value: Value) -> Evaluated<()> {
        if name == "server_facts" {
            return Err(env.fail(at.whole, issues::illegal_reserved_assignment(name)));
        }
        if env.scope.is_bound(name) {
            let reserved = matches!(name.as_str(), "trusted" | "facts");
            return Err(env.fail(
                at.whole,
                if reserved {
                    issues::illegal_reserved_assignment(name)
                } else {
                    issues::illegal_reassignment(name)
                },
            ));
        }
        env.scope.add(name.clone(), value)?;
        if let Some(recorder) = self.recorder {
            recorder.assigned(self, env, at.left, at.right, name);
        }
        Ok(())
    }

    fn assign_list(&self, env: Env<'_>, at: Assignment, targets: &[Target], value: &Value) -> Evaluated<()> {
        match value {
            Value::Hash(hash) => {
                for target in targets {
                    let key = match target {
                        Target::Name(name) => Value::String(name.clone()),
                        Target::Number(number) => Value::Integer(*number),
                        Target::Other | Target::List(_) => target_key(target),
                    };
                    let Some(value) = hash.get(&key) else {
                        let key = to_s(&key);
                        return Err(env.fail(at.whole, issues::missing_multi_assignment_key(key)));
                    };
                    self.assign(env, at, target, value)?;
                }
                Ok(())
            }
            Value::Type(of) => match of.kind() {
                TypeKind::Class(Some(name)) => self.assign_from_class(env, at, targets, name),
                TypeKind::Class(None) => {
                    let message = "No title provided and \"class\" is not a valid resource reference";
                    Err(Error::argument(message).into())
                }
                _ => self.assign_each(env, at, targets, std::slice::from_ref(value)),
            },
            Value::Array(values) => self.assign_each(env, at, targets, values),
            other => self.assign_each(env, at, targets, std::slice::from_ref(other)),
        }
    }

    fn assign_each(
        &self,
        env: Env<'_>,
        at: Assignment,
        targets: &[Target],
        values: &[Value],
    ) -> Evaluated<()> {
        if targets.len() != values.len() {
            let report = issues::illegal_multi_assignment_size(targets.len(), values.len());
            return Err(env.fail(at.whole, report));
        }
        targets.iter().zip(values).try_for_each(|(target, value)| self.assign(env, at, target, value))
    }

    fn assign_from_class(
        &self,
        env: Env<'_>,
        at: Assignment,
        targets: &[Target],
        class: &str,
    ) -> Evaluated<()> {
        if self.environment.settings.tasks {
            let report =
                issues::catalog_operation_not_supported_when_scripting("multi var assignment from class");
            return Err(env.fail(at.whole, report));
        }
        if !self.context.has_resource("Class", class) {
            return Err(env.fail(at.right, issues::unknown_resource("Class", class)));
        }
        let members = match *env.node(at.left) {
            Node::LiteralList { values } => env.list(values),
            _ => &[],
        };
        for (index, target) in targets.iter().enumerate() {
            let variable = match target {
                Target::Name(name) => format!("{}::{name}", class.to_lowercase()),
                Target::Number(number) => format!("{}::{number}", class.to_lowercase()),
                Target::Other | Target::List(_) => String::new(),
            };
            if !self.variable_exists(env.scope, &variable)? {
                let at = members.get(index).copied().unwrap_or(at.left);
                return Err(env.fail(at, issues::missing_multi_assignment_variable(variable)));
            }
            let value = self.variable(env, at.whole, &variable)?;
            self.assign(env, at, target, &value)?;
        }
        Ok(())
    }

    /// Whether a variable is known by a name with or without `::`, whatever its value.
    ///
    /// # Errors
    /// A failure to load the class that is named.
    pub fn variable_exists(&self, scope: &std::rc::Rc<Scope>, name: &str) -> Evaluated<bool> {
        let built_in = |name: &str| matches!(name, "module_name" | "caller_module_name");
        let Some((class, leaf)) = split_last(name) else {
            return Ok(built_in(name) || scope.exists(name));
        };
        if class.is_empty() {
            return Ok(built_in(leaf) || Scope::top_of(scope).exists(leaf));
        }
        let class = class.strip_prefix("::").unwrap_or(class);
        Ok(self.context.class_scope(&class.to_lowercase()).is_some_and(|scope| scope.exists(leaf)))
    }
}

/// The key that a nested list of targets would be in a hash.
fn target_key(target: &Target) -> Value {
    match target {
        Target::Name(name) => Value::String(name.clone()),
        Target::Number(number) => Value::Integer(*number),
        Target::Other => Value::Undef,
        Target::List(targets) => Value::array(targets.iter().map(target_key)),
    }
}

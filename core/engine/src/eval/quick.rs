//! Fast paths: values that can be read in place, and whole numbers and Booleans that are computed from such
//! values.
//!
//! A fast path evaluates nothing with an effect, and gives up at anything unusual: an unknown variable, an
//! overflow, a value of another type. The expression is then evaluated from its beginning on the general
//! path, which also makes the errors; so a fast path must only return what the general path would return.

use std::cell::Ref;

use super::Evaluator;
use super::access::text_entry;
use super::constant::place_of;
use super::evaluator::Env;
use bunraku_pcore::Value;
use bunraku_pcore::compare::puppet_equals;
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_syntax::ast::nodes::{ArithmeticOperator, ComparisonOperator};
use bunraku_syntax::ast::{Node, NodeId};

/// The outcome of a short cut.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quick {
    Integer(i64),
    Boolean(bool),
    /// The general path must decide.
    No,
}

impl Quick {
    fn of(value: &Value) -> Self {
        match value {
            Value::Integer(number) => Self::Integer(*number),
            Value::Boolean(truth) => Self::Boolean(*truth),
            _ => Self::No,
        }
    }

    const fn is_truthy(self) -> Option<bool> {
        match self {
            Self::Integer(_) => Some(true),
            Self::Boolean(truth) => Some(truth),
            Self::No => None,
        }
    }
}

impl From<Option<i64>> for Quick {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::No, Self::Integer)
    }
}

impl From<Option<bool>> for Quick {
    fn from(truth: Option<bool>) -> Self {
        truth.map_or(Self::No, Self::Boolean)
    }
}

/// The maximum nesting of operations and elements on a fast path. It avoids repeated computation of a long
/// expression whose end gives up, and limits the use of the stack.
const MAX_DEPTH: u32 = 16;

impl Evaluator<'_> {
    /// The value of a variable, or of an element of it, read in place. Nothing can be evaluated while it is
    /// borrowed.
    pub(super) fn peek<'h>(&self, env: Env<'h>, id: NodeId) -> Option<Ref<'h, Value>> {
        self.peek_within(env, id, 0)
    }

    fn peek_within<'h>(&self, env: Env<'h>, id: NodeId, depth: u32) -> Option<Ref<'h, Value>> {
        match *env.node(id) {
            Node::VariableExpression { expr } => {
                let Node::QualifiedName { value } = *env.node(expr) else { return None };
                let name = env.program.text(value);
                if is_group(name) {
                    env.scope.peek_group(name)
                } else {
                    env.scope.peek(name, || place_of(env.program, id))
                }
            }
            Node::AccessExpression { left_expr, keys } if depth < MAX_DEPTH => {
                let [key] = *env.list(keys) else { return None };
                if !is_read_in_place(env.node(key)) {
                    return None;
                }
                let collection = self.peek_within(env, left_expr, depth + 1)?;
                match *env.node(key) {
                    Node::LiteralString { value } | Node::QualifiedName { value } => {
                        let key = env.program.text(value);
                        Ref::filter_map(collection, |collection| match collection {
                            Value::Hash(hash) => text_entry(hash, key),
                            _ => None,
                        })
                        .ok()
                    }
                    Node::LiteralInteger { value, .. } => element(collection, &Value::Integer(value)),
                    Node::VariableExpression { .. } => {
                        element(collection, &*self.peek_within(env, key, depth + 1)?)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The text of a variable that is a group of a match.
    pub(super) fn peek_group<'h>(&self, env: Env<'h>, id: NodeId) -> Option<Ref<'h, str>> {
        env.scope.peek_group_text(group(env, id)?)
    }

    /// A whole number or a truth, when an expression plainly is one.
    pub(super) fn quick(&self, env: Env<'_>, id: NodeId) -> Quick {
        self.quick_within(env, id, 0)
    }

    #[inline]
    fn quick_within(&self, env: Env<'_>, id: NodeId, depth: u32) -> Quick {
        match *env.node(id) {
            Node::LiteralInteger { value, .. } => Quick::Integer(value),
            Node::LiteralBoolean { value } => Quick::Boolean(value),
            Node::VariableExpression { .. } | Node::AccessExpression { .. } => {
                self.peek(env, id).map_or(Quick::No, |value| Quick::of(&value))
            }
            _ if depth > MAX_DEPTH => Quick::No,
            _ => self.quick_operation(env, id, depth),
        }
    }

    /// Whether an expression is true, if this is known without evaluating it.
    pub(super) fn truth(&self, env: Env<'_>, id: NodeId) -> Option<bool> {
        self.truth_within(env, id, 0)
    }

    fn truth_within(&self, env: Env<'_>, id: NodeId, depth: u32) -> Option<bool> {
        match *env.node(id) {
            Node::VariableExpression { .. } | Node::AccessExpression { .. } => {
                self.peek(env, id).map(|value| value.is_truthy())
            }
            Node::LiteralUndef {} => Some(false),
            _ => self.quick_within(env, id, depth).is_truthy(),
        }
    }

    fn quick_operation(&self, env: Env<'_>, id: NodeId, depth: u32) -> Quick {
        let inner = |id| self.quick_within(env, id, depth + 1);
        let truth = |id| self.truth_within(env, id, depth + 1);
        match *env.node(id) {
            Node::ParenthesizedExpression { expr } => inner(expr),
            Node::NotExpression { expr } => truth(expr).map(|truth| !truth).into(),
            Node::AndExpression { left_expr, right_expr } => match truth(left_expr) {
                Some(true) => truth(right_expr).into(),
                other => other.into(),
            },
            Node::OrExpression { left_expr, right_expr } => match truth(left_expr) {
                Some(false) => truth(right_expr).into(),
                other => other.into(),
            },
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                let Quick::Integer(left) = inner(left_expr) else { return Quick::No };
                let Quick::Integer(right) = inner(right_expr) else { return Quick::No };
                integers(operator, left, right).into()
            }
            // Texts are compared more often than numbers, and groups of matches are texts.
            Node::ComparisonExpression {
                operator: operator @ (ComparisonOperator::Equal | ComparisonOperator::NotEqual),
                left_expr,
                right_expr,
            } if matches!(env.node(right_expr), Node::LiteralString { .. } | Node::LiteralUndef {}) => {
                self.quick_equality(env, operator, left_expr, right_expr)
            }
            Node::ComparisonExpression { operator, left_expr, right_expr }
                if group(env, left_expr).is_some() =>
            {
                self.quick_equality(env, operator, left_expr, right_expr)
            }
            Node::ComparisonExpression { operator, left_expr, right_expr } => match inner(left_expr) {
                Quick::Integer(left) => match inner(right_expr) {
                    Quick::Integer(right) => Quick::Boolean(match operator {
                        ComparisonOperator::Equal => left == right,
                        ComparisonOperator::NotEqual => left != right,
                        ComparisonOperator::Less => left < right,
                        ComparisonOperator::LessEqual => left <= right,
                        ComparisonOperator::Greater => left > right,
                        ComparisonOperator::GreaterEqual => left >= right,
                    }),
                    Quick::Boolean(_) | Quick::No => Quick::No,
                },
                Quick::Boolean(_) | Quick::No => self.quick_equality(env, operator, left_expr, right_expr),
            },
            _ => Quick::No,
        }
    }

    /// `==` and `!=` of values that can be read in place. Types have their own equality.
    fn quick_equality(
        &self,
        env: Env<'_>,
        operator: ComparisonOperator,
        left_expr: NodeId,
        right_expr: NodeId,
    ) -> Quick {
        let negated = match operator {
            ComparisonOperator::Equal => false,
            ComparisonOperator::NotEqual => true,
            ComparisonOperator::Less
            | ComparisonOperator::LessEqual
            | ComparisonOperator::Greater
            | ComparisonOperator::GreaterEqual => return Quick::No,
        };
        if let Some(equal) = self.group_equality(env, left_expr, right_expr) {
            return Quick::Boolean(equal != negated);
        }
        let Some(left) = self.peek(env, left_expr) else { return Quick::No };
        let equal = match (&*left, env.node(right_expr)) {
            (Value::Type(_), _) => return Quick::No,
            (left, Node::LiteralString { value }) => {
                left.as_str().is_some_and(|left| left.eq_ignore_ascii_case(env.program.text(*value)))
            }
            (left, Node::LiteralUndef {}) => left.is_undef(),
            (left, Node::VariableExpression { .. }) => match self.peek(env, right_expr) {
                Some(right) if left.price() > 0 && right.price() > 0 => return Quick::No,
                Some(right) => puppet_equals(left, &right),
                None => return Quick::No,
            },
            _ => return Quick::No,
        };
        Quick::Boolean(equal != negated)
    }

    /// Whether a group of a match is a literal or a further group, of which no values are made.
    fn group_equality(&self, env: Env<'_>, left_expr: NodeId, right_expr: NodeId) -> Option<bool> {
        let left = self.peek_group(env, left_expr)?;
        match *env.node(right_expr) {
            Node::LiteralString { value } => Some(left.eq_ignore_ascii_case(env.program.text(value))),
            _ => {
                let right = self.peek_group(env, right_expr)?;
                let is_short = (left.len().min(right.len()) as u64) < BYTES_IN_STEP;
                is_short.then(|| left.eq_ignore_ascii_case(&right))
            }
        }
    }
}

/// The name of a variable that is a group of a match.
#[inline]
fn group<'h>(env: Env<'h>, id: NodeId) -> Option<&'h str> {
    let Node::VariableExpression { expr } = *env.node(id) else { return None };
    let Node::QualifiedName { value } = *env.node(expr) else { return None };
    Some(env.program.text(value)).filter(|name| is_group(name))
}

#[inline]
fn is_group(name: &str) -> bool {
    name.as_bytes().first().is_none_or(u8::is_ascii_digit)
}

/// Whether a key is one of those that [`Evaluator::peek`] reads. It is asked before the collection is looked
/// up, which would be in vain.
const fn is_read_in_place(key: &Node) -> bool {
    matches!(
        key,
        Node::LiteralString { .. }
            | Node::QualifiedName { .. }
            | Node::LiteralInteger { .. }
            | Node::VariableExpression { .. }
    )
}

/// The element of a collection with a key; `None` also for an invalid key.
fn element<'h>(collection: Ref<'h, Value>, key: &Value) -> Option<Ref<'h, Value>> {
    if key.price() > 0 {
        return None;
    }
    let found = Ref::filter_map(collection, |collection| match (collection, key) {
        (Value::Hash(hash), key) => hash.get(key),
        (Value::Array(values), Value::Integer(index)) => {
            usize::try_from(*index).ok().and_then(|index| values.get(index))
        }
        _ => None,
    });
    found.ok()
}

/// An operation on whole numbers, when its result is one of 64 bits.
pub(super) fn integers(operator: ArithmeticOperator, left: i64, right: i64) -> Option<i64> {
    match operator {
        ArithmeticOperator::Plus => left.checked_add(right),
        ArithmeticOperator::Minus => left.checked_sub(right),
        ArithmeticOperator::Multiply => left.checked_mul(right),
        ArithmeticOperator::Divide => {
            let quotient = left.checked_div(right)?;
            let is_cut = left % right != 0 && (left < 0) != (right < 0);
            Some(if is_cut { quotient - 1 } else { quotient })
        }
        ArithmeticOperator::Modulo => {
            let rest = left.checked_rem(right)?;
            Some(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
        }
        ArithmeticOperator::ShiftLeft | ArithmeticOperator::ShiftRight => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_down_and_the_rest_has_the_sign_of_the_divisor() {
        use ArithmeticOperator::{Divide, Modulo};
        for (left, right, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1)]
        {
            assert_eq!(integers(Divide, left, right), Some(quotient));
            assert_eq!(integers(Modulo, left, right), Some(rest));
        }
        assert_eq!(integers(Divide, i64::MIN, -1), None);
        assert_eq!(integers(Modulo, 1, 0), None);
    }
}

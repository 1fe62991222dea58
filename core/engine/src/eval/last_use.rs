//! Finds the last use of a parameter in a closure, so that `+`, `<<` and `"${memo}…"` can change its value in
//! place.
//!
//! `reduce` with a growing memo (`|$memo, $each| { $memo + { … } }`) would copy the memo for each element.
//! After an operator in the tail of the body nothing can read the variable any more: its value is taken from
//! the variable, and from the function that waits to pass on the next one ([`Evaluator::memos`]). A value
//! without another holder is then changed in place.

use super::constant::{keep, kept};
use super::evaluator::Env;
use super::{Evaluated, Evaluator};
use bunraku_pcore::Value;
use bunraku_pcore::value::Str;
use bunraku_syntax::ast::nodes::ArithmeticOperator;
use bunraku_syntax::ast::{List, Node, NodeId, Program};

/// Notes the operators in the tail of a body whose left side is one of these parameters, and the texts that
/// begin with one.
pub(super) fn note(program: &Program, parameters: &[Str], body: Option<NodeId>) {
    let is_parameter =
        |id: NodeId| variable(program, id).is_some_and(|name| parameters.iter().any(|known| known == name));
    let mut tails: Vec<NodeId> = body.into_iter().collect();
    while let Some(id) = tails.pop() {
        match *program.node(id) {
            Node::BlockExpression { statements } => tails.extend(program.list(statements).last()),
            Node::ParenthesizedExpression { expr } => tails.push(expr),
            Node::IfExpression { then_expr, else_expr, .. }
            | Node::UnlessExpression { then_expr, else_expr, .. } => {
                tails.extend(then_expr);
                tails.extend(else_expr);
            }
            Node::CaseExpression { options, .. } => tails.extend(program.list(options)),
            Node::CaseOption { then_expr, .. } => tails.extend(then_expr),
            Node::ArithmeticExpression { operator, left_expr, .. }
                if matches!(operator, ArithmeticOperator::Plus | ArithmeticOperator::ShiftLeft)
                    && is_parameter(left_expr) =>
            {
                keep(program, id, &Value::Boolean(true));
            }
            Node::ConcatenatedString { segments }
                if first(program, segments).is_some_and(is_parameter)
                    && program.list(segments).iter().all(|&segment| is_plain(program, segment)) =>
            {
                keep(program, id, &Value::Boolean(true));
            }
            _ => {}
        }
    }
}

/// The expression that a text begins with.
fn first(program: &Program, segments: List) -> Option<NodeId> {
    match *program.node(*program.list(segments).first()?) {
        Node::TextExpression { expr } => Some(expr),
        _ => None,
    }
}

/// Whether a segment of a text calls nothing, so that the previous one can be read after it.
fn is_plain(program: &Program, segment: NodeId) -> bool {
    match *program.node(segment) {
        Node::LiteralString { .. } => true,
        Node::TextExpression { expr } => {
            matches!(program.node(expr), Node::VariableExpression { .. } | Node::QualifiedName { .. })
        }
        _ => false,
    }
}

/// Whether two values are one list, hash or long text.
fn is_one(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.as_ptr() == b.as_ptr(),
        _ => a.is_same_object(b),
    }
}

fn variable(program: &Program, id: NodeId) -> Option<&str> {
    let Node::VariableExpression { expr } = *program.node(id) else { return None };
    match *program.node(expr) {
        Node::QualifiedName { value } => Some(program.text(value)),
        _ => None,
    }
}

impl Evaluator<'_> {
    /// Takes the left operand from its variable, if the variable is not used again.
    pub(super) fn let_go(&self, env: Env<'_>, operator: NodeId, left_expr: NodeId, value: &Value) {
        if kept(env.program, operator).is_none() {
            return;
        }
        let Some(name) = variable(env.program, left_expr) else { return };
        env.scope.let_go(name);
        if let Some(memo) = self.memos.borrow_mut().last_mut()
            && is_one(memo, value)
        {
            *memo = Value::Undef;
        }
    }

    /// The text that a text in the tail of a closure begins with and that nothing else needs, as is known
    /// before the other segments are evaluated.
    pub(super) fn growing_text(&self, env: Env<'_>, id: NodeId, segments: List) -> Option<NodeId> {
        kept(env.program, id)?;
        let first = first(env.program, segments)?;
        self.peek(env, first).is_some_and(|value| matches!(&*value, Value::String(_))).then_some(first)
    }

    /// Calls a block with a value that the block can change in place, and that is restored if `break` leaves
    /// the block.
    ///
    /// # Errors
    /// The call fails.
    pub fn lending<T>(&self, memo: &mut Value, call: impl FnOnce(Value) -> Evaluated<T>) -> Evaluated<T> {
        let value = std::mem::take(memo);
        self.memos.borrow_mut().push(value.clone());
        let result = call(value);
        if let Some(kept) = self.memos.borrow_mut().pop() {
            *memo = kept;
        }
        result
    }
}

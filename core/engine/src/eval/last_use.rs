//! Where a closure uses a parameter for the last time, so that `+` and `<<` change its value in place.
//!
//! `reduce` with a memo that grows (`|$memo, $each| { $memo + { … } }`) would copy the memo for each element.
//! Behind an operator in the tail of the body nothing can ask for the variable any more: its value is taken
//! from the variable, and from the function that waits to pass the next one on ([`Evaluator::memos`]). What
//! then has no other holder is changed where it is.

use super::constant::{keep, kept};
use super::evaluator::Env;
use super::{Evaluated, Evaluator};
use bunraku_pcore::Value;
use bunraku_pcore::value::Str;
use bunraku_syntax::ast::nodes::ArithmeticOperator;
use bunraku_syntax::ast::{Node, NodeId, Program};

/// Notes the operators in the tail of a body whose left side is one of these parameters.
pub(super) fn note(program: &Program, parameters: &[Str], body: Option<NodeId>) {
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
                    && variable(program, left_expr)
                        .is_some_and(|name| parameters.iter().any(|known| known == name)) =>
            {
                keep(program, id, &Value::Boolean(true));
            }
            _ => {}
        }
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
    /// Takes the left side of an operator from the variable that it is, where that is not used again.
    pub(super) fn let_go(&self, env: Env<'_>, operator: NodeId, left_expr: NodeId, value: &Value) {
        if kept(env.program, operator).is_none() {
            return;
        }
        let Some(name) = variable(env.program, left_expr) else { return };
        env.scope.let_go(name);
        if let Some(memo) = self.memos.borrow_mut().last_mut()
            && memo.is_same_object(value)
        {
            *memo = Value::Undef;
        }
    }

    /// Calls a block with a value that is there again when the block is left by `break`, and that the block
    /// may change in place.
    ///
    /// # Errors
    /// What the call fails with.
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

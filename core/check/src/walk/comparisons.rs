//! Comparisons: those that fail, and those that always have the same result.

use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::nodes::{ComparisonOperator, MatchOperator};
use bunraku_syntax::ast::{Node, NodeId};

use super::Walker;
use super::operators::{boolean, described};
use crate::codes::Code;
use crate::finding::{Finding, Severity};
use crate::narrow::{Ordered, equality, is_single, is_text, leaves, ordered, subtract};
use crate::overlap::overlap;

impl Walker<'_, '_> {
    /// Tells of a comparison that always has the same result; the type of the result.
    fn result(&mut self, id: NodeId, truth: Option<bool>, operands: &[&Type], why: &str) -> Type {
        let Some(truth) = truth else { return boolean() };
        let is_constant = operands.iter().all(|of| is_single(of));
        let severity = if is_constant || (truth && self.is_last_choice(id)) {
            Severity::Note
        } else {
            Severity::Warning
        };
        let message = format!("this is always {truth}: {why}");
        let finding = Finding::new(Code::ConstantCondition, severity, self.place(id), message);
        self.tell(finding);
        Type::boolean(truth)
    }

    pub(super) fn comparison(
        &mut self,
        id: NodeId,
        operator: ComparisonOperator,
        left: NodeId,
        right: NodeId,
    ) -> Type {
        let (one, other) = (self.eval(left), self.eval(right));
        let truth = match operator {
            ComparisonOperator::Equal => equality(&one, &other),
            ComparisonOperator::NotEqual => equality(&one, &other).map(|equal| !equal),
            _ => {
                if !self.check_order(operator, (left, &one), (right, &other)) {
                    return boolean();
                }
                order(operator, &one, &other)
            }
        };
        let why = format!("the left side is {}, the right side {}", self.shown(&one), self.shown(&other));
        self.result(id, truth, &[&one, &other], &why)
    }

    /// Tells of values that have no order.
    fn check_order(
        &mut self,
        operator: ComparisonOperator,
        (left_id, left): (NodeId, &Type),
        (right_id, right): (NodeId, &Type),
    ) -> bool {
        let sorts = |of: &Type| -> Option<Vec<Ordered>> { Some(leaves(of)?.iter().map(ordered).collect()) };
        let (lefts, rights) = (sorts(left), sorts(right));
        for (id, of, sorts) in [(left_id, left, &lefts), (right_id, right, &rights)] {
            if sorts.as_ref().is_some_and(|sorts| sorts.iter().all(|sort| *sort == Ordered::None)) {
                let (text, of) = (operator.text(), described(of));
                self.error(Code::WrongOperand, id, format!("the operator '{text}' has no order for {of}"));
                return false;
            }
        }
        let (Some(lefts), Some(rights)) = (lefts, rights) else { return true };
        let may_be = |one: Ordered, other: Ordered| {
            one != Ordered::None
                && other != Ordered::None
                && (one == other || one == Ordered::Others || other == Ordered::Others)
        };
        if lefts.iter().any(|&one| rights.iter().any(|&other| may_be(one, other))) {
            return true;
        }
        let message = format!(
            "the operator '{}' does not compare {} with {}",
            operator.text(),
            described(left),
            described(right)
        );
        self.error(Code::WrongOperand, right_id, message);
        false
    }

    /// `left =~ right`, `left !~ right`
    pub(super) fn matching(
        &mut self,
        id: NodeId,
        operator: MatchOperator,
        left: NodeId,
        right: NodeId,
    ) -> Type {
        let of = self.eval(left);
        self.eval(right);
        let Some(with) = self.literal_type(right) else {
            if let Node::LiteralRegularExpression { .. } = self.program.node(self.peeled(right))
                && leaves(&of).is_some_and(|leaves| !leaves.iter().any(is_text))
            {
                let of = described(&of);
                let message = format!("the operator '{}' takes a text, not {of}", operator.text());
                self.error(Code::WrongOperand, left, message);
            }
            return boolean();
        };
        let is_known = leaves(&of).is_some();
        let truth = match () {
            () if !overlap(&with, &of) => Some(false),
            () if is_known && subtract(&of, &with).is_none() => Some(true),
            () => None,
        };
        let truth = truth.map(|truth| truth == (operator == MatchOperator::Match));
        let why = format!("the left side is {}, the type {with}", self.shown(&of));
        self.result(id, truth, &[&of], &why)
    }

    /// `left in right`
    pub(super) fn inside(&mut self, id: NodeId, left: NodeId, right: NodeId) -> Type {
        let (of, list) = (self.eval(left), self.eval(right));
        if leaves(&list).is_some_and(|all| all.iter().all(is_no_collection)) {
            let why = format!("the right side is {}", self.shown(&list));
            return self.result(id, Some(false), &[&list], &why);
        }
        let TypeKind::Tuple { types, size: None } = list.kind() else { return boolean() };
        // Types and patterns in the list match more than equal values.
        let is_other = |one: &Type| equality(one, &of) == Some(false) && leaves(one).is_some();
        let truth = (!types.is_empty() && types.iter().all(is_other)).then_some(false);
        let why = format!("the left side is {}, which the list does not have", self.shown(&of));
        self.result(id, truth, &[&of], &why)
    }
}

/// Whether nothing can be in a value.
fn is_no_collection(of: &Type) -> bool {
    matches!(
        of.kind(),
        TypeKind::Undef
            | TypeKind::Boolean(_)
            | TypeKind::Integer(_)
            | TypeKind::Float(_)
            | TypeKind::Numeric
    )
}

/// The result of `<` and its like on whole numbers.
fn order(operator: ComparisonOperator, left: &Type, right: &Type) -> Option<bool> {
    let (TypeKind::Integer(left), TypeKind::Integer(right)) = (left.kind(), right.kind()) else {
        return None;
    };
    let is_below = |high: Option<i64>, low: Option<i64>| high.zip(low).is_some_and(|(high, low)| high < low);
    let is_at_most =
        |high: Option<i64>, low: Option<i64>| high.zip(low).is_some_and(|(high, low)| high <= low);
    let (always, never) = match operator {
        ComparisonOperator::Less => (is_below(left.to, right.from), is_at_most(right.to, left.from)),
        ComparisonOperator::LessEqual => (is_at_most(left.to, right.from), is_below(right.to, left.from)),
        ComparisonOperator::Greater => (is_below(right.to, left.from), is_at_most(left.to, right.from)),
        ComparisonOperator::GreaterEqual => (is_at_most(right.to, left.from), is_below(left.to, right.from)),
        ComparisonOperator::Equal | ComparisonOperator::NotEqual => return None,
    };
    (always || never).then_some(always)
}

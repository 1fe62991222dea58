//! Operators.

use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::nodes::{ArithmeticOperator, AssignmentOperator};
use bunraku_syntax::ast::{Node, NodeId};

use super::names::absolute;
use super::{Walker, any};
use crate::codes::Code;
use crate::narrow::truth;

pub(super) fn boolean() -> Type {
    TypeKind::Boolean(None).into()
}

impl Walker<'_, '_> {
    pub(super) fn operator(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::NotExpression { expr } => {
                let of = self.test(expr);
                truth(&of).map_or_else(boolean, |truth| Type::boolean(!truth))
            }
            Node::UnaryMinusExpression { expr } => {
                let of = self.eval(expr);
                self.number(expr, &of, "-");
                negated(&of)
            }
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                let left = self.eval(left_expr);
                let right = self.eval(right_expr);
                self.arithmetic(operator, (left_expr, &left), (right_expr, &right))
            }
            Node::AndExpression { left_expr, right_expr } => self.both(id, left_expr, right_expr, true),
            Node::OrExpression { left_expr, right_expr } => self.both(id, left_expr, right_expr, false),
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                self.comparison(id, operator, left_expr, right_expr)
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                self.matching(id, operator, left_expr, right_expr)
            }
            Node::InExpression { left_expr, right_expr } => self.inside(id, left_expr, right_expr),
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                let of = self.eval(right_expr);
                match (operator, self.program.node(left_expr)) {
                    (AssignmentOperator::Assign, Node::VariableExpression { expr }) => {
                        if let Node::QualifiedName { value } = *self.program.node(*expr) {
                            let name = self.program.text(value).to_owned();
                            self.set(&name, of.clone());
                        }
                    }
                    _ => self.set_all(left_expr),
                }
                of
            }
            _ => any(),
        }
    }

    /// `[$a, $b] = …`
    fn set_all(&mut self, left: NodeId) {
        let mut names = Vec::new();
        let mut open = vec![left];
        while let Some(id) = open.pop() {
            match *self.program.node(id) {
                Node::VariableExpression { expr } => {
                    if let Node::QualifiedName { value } = *self.program.node(expr) {
                        names.push(self.program.text(value).to_owned());
                    }
                }
                _ => open.extend(self.program.children(id)),
            }
        }
        for name in names {
            self.set(&name, any());
        }
    }

    /// Tells of an operand that can be no number.
    fn number(&mut self, id: NodeId, of: &Type, operator: &str) -> bool {
        let can_be = match of.kind() {
            TypeKind::String { value: Some(text), .. } => is_number(text),
            TypeKind::Boolean(_)
            | TypeKind::Undef
            | TypeKind::Default
            | TypeKind::Array { .. }
            | TypeKind::Tuple { .. }
            | TypeKind::Hash { .. }
            | TypeKind::Struct { .. }
            | TypeKind::Regexp(_) => false,
            _ => true,
        };
        if !can_be {
            let of = described(of);
            self.error(Code::WrongOperand, id, format!("the operator '{operator}' takes a number, not {of}"));
        }
        can_be
    }

    fn arithmetic(
        &mut self,
        operator: ArithmeticOperator,
        (left_id, left): (NodeId, &Type),
        (right_id, right): (NodeId, &Type),
    ) -> Type {
        let is_collection = |of: &Type| {
            matches!(
                of.kind(),
                TypeKind::Array { .. }
                    | TypeKind::Tuple { .. }
                    | TypeKind::Hash { .. }
                    | TypeKind::Struct { .. }
                    | TypeKind::Collection { .. }
            )
        };
        let is_list = |of: &Type| matches!(of.kind(), TypeKind::Array { .. } | TypeKind::Tuple { .. });
        let takes_collections = matches!(
            operator,
            ArithmeticOperator::Plus | ArithmeticOperator::Minus | ArithmeticOperator::ShiftLeft
        );
        if takes_collections && is_collection(left) {
            return match is_list(left) {
                true => Type::array(any(), None),
                false => any(),
            };
        }
        if operator == ArithmeticOperator::ShiftLeft && !is_number_type(left) {
            return any();
        }
        if !matches!(left.kind(), TypeKind::Integer(_) | TypeKind::Float(_) | TypeKind::Numeric)
            && !self.number(left_id, left, operator.text())
        {
            return any();
        }
        if is_number_type(left) {
            self.number(right_id, right, operator.text());
        }
        match (left.kind(), right.kind()) {
            (TypeKind::Integer(_), TypeKind::Integer(_)) => TypeKind::Integer(Default::default()).into(),
            (TypeKind::Float(_), other) | (other, TypeKind::Float(_))
                if matches!(other, TypeKind::Integer(_) | TypeKind::Float(_) | TypeKind::Numeric) =>
            {
                TypeKind::Numeric.into()
            }
            _ => any(),
        }
    }

    /// Notes the names that a condition asks for with `defined` and its like.
    pub(super) fn guard(&mut self, test: NodeId) {
        for id in self.program.descendants(test) {
            let (functor, arguments) = match *self.program.node(id) {
                Node::CallNamedFunctionExpression { functor_expr, arguments, .. } => {
                    (functor_expr, arguments)
                }
                _ => continue,
            };
            let Node::QualifiedName { value } = *self.program.node(functor) else { continue };
            if !matches!(
                self.program.text(value),
                "defined" | "is_function_available" | "defined_with_params"
            ) {
                continue;
            }
            for &argument in self.program.list(arguments) {
                for inner in self.program.descendants(argument) {
                    let name = match *self.program.node(inner) {
                        Node::LiteralString { value } | Node::QualifiedName { value } => {
                            self.program.text(value)
                        }
                        Node::QualifiedReference { cased_value } => self.program.text(cased_value),
                        _ => continue,
                    };
                    self.guards.push(absolute(name.trim_start_matches('$')));
                }
            }
        }
    }

    /// Whether a condition around asks whether something is defined.
    pub(super) fn has_guard(&self) -> bool {
        !self.guards.is_empty()
    }
}

fn is_number_type(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::Integer(_) | TypeKind::Float(_) | TypeKind::Numeric)
}

fn negated(of: &Type) -> Type {
    match of.kind() {
        TypeKind::Integer(range) if range.from == range.to => {
            let number = range.from.and_then(i64::checked_neg);
            number.map_or_else(any, |number| Type::integer(Some(number), Some(number)))
        }
        TypeKind::Float(range) if range.from == range.to => {
            let number = range.from.map(|number| -number);
            Type::float(number, number)
        }
        _ => any(),
    }
}

/// Whether arithmetic takes a text for a number.
fn is_number(text: &str) -> bool {
    let text = text.trim();
    let digits = text.trim_start_matches(['-', '+']).trim_start();
    digits.starts_with(|first: char| first.is_ascii_digit())
}

/// A type in messages: its literal text or number, or its name.
pub(super) fn described(of: &Type) -> String {
    match of.kind() {
        TypeKind::String { value: Some(text), .. } => format!("the text '{text}'"),
        TypeKind::Integer(range) if range.from.is_some() && range.from == range.to => {
            format!("{}", range.from.unwrap_or_default())
        }
        TypeKind::Undef => "undef".to_owned(),
        TypeKind::Boolean(Some(truth)) => truth.to_string(),
        _ => {
            let general = of.generalize().to_string();
            let article = if general.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
            format!("{article} {general}")
        }
    }
}

/// Whether `undef` is the only value of a type.
pub(super) fn is_undef(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::Undef)
}

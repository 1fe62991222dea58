//! Checks whether an expression fits a role: left of an assignment, a value, a hostname, a part of a query;
//! whether it has an effect; and the shapes of names (the reference's `pops/patterns.rb`).

use super::super::ast::nodes::ComparisonOperator;
use super::super::ast::{List, Node, NodeId};
use super::Checker;
use crate::diagnostic::issues;
use crate::lexer::{is_word, word_end};

impl Checker<'_> {
    /// Checks the left side of `=`.
    pub(super) fn assignable(&mut self, id: NodeId) {
        match *self.node(id) {
            Node::VariableExpression { expr } => {
                let name = match *self.node(expr) {
                    Node::QualifiedName { value } => self.program.text(value),
                    Node::QualifiedReference { cased_value } => {
                        &self.program.text(cased_value).to_lowercase()
                    }
                    _ => return,
                };
                if is_decimal_variable(name) {
                    self.error(issues::illegal_numeric_assignment(name), id);
                }
                if name.contains("::") {
                    self.error(issues::cross_scope_assignment(name), id);
                }
            }
            Node::AccessExpression { .. } => self.error(issues::illegal_indexed_assignment(), id),
            Node::LiteralList { values } => {
                for &value in self.program.list(values) {
                    self.assignable(value);
                }
            }
            _ => self.error(issues::illegal_assignment(self.label(id)), id),
        }
    }

    /// Checks that an expression has a value.
    #[inline]
    pub(super) fn rvalue(&mut self, id: NodeId) {
        if !is_plain_value(self.node(id)) {
            self.special_rvalue(id);
        }
    }

    fn special_rvalue(&mut self, mut id: NodeId) {
        loop {
            match *self.node(id) {
                Node::CollectExpression { .. }
                | Node::FunctionDefinition { .. }
                | Node::PlanDefinition { .. }
                | Node::ResourceTypeDefinition { .. }
                | Node::HostClassDefinition { .. }
                | Node::TypeAlias { .. }
                | Node::TypeMapping { .. }
                | Node::TypeDefinition { .. }
                | Node::NodeDefinition { .. } => {
                    return self.error(issues::not_rvalue(self.label(id)), id);
                }
                Node::ParenthesizedExpression { expr }
                | Node::NotExpression { expr }
                | Node::UnaryMinusExpression { expr }
                | Node::UnfoldExpression { expr }
                | Node::TextExpression { expr }
                | Node::VariableExpression { expr }
                | Node::RenderExpression { expr } => id = expr,
                _ => return,
            }
        }
    }

    /// Checks that expressions have values.
    pub(super) fn rvalues(&mut self, list: List) {
        for &value in self.program.list(list) {
            self.rvalue(value);
        }
    }

    /// Checks a side of `->` and its like.
    pub(super) fn relation_operand(&mut self, id: NodeId) {
        match self.node(id) {
            Node::CollectExpression { .. } | Node::RelationshipExpression { .. } => {}
            _ => self.rvalue(id),
        }
    }

    /// Checks a name of a node definition.
    pub(super) fn hostname(&mut self, id: NodeId, definition: NodeId) {
        match *self.node(id) {
            Node::LiteralString { value } | Node::RenderStringExpression { value } => {
                self.hostname_text(self.program.text(value), id);
            }
            Node::QualifiedName { value } => self.hostname_text(self.program.text(value), id),
            Node::QualifiedReference { cased_value } => {
                self.hostname_text(&self.program.text(cased_value).to_lowercase(), id);
            }
            Node::ConcatenatedString { segments } => {
                let segments = self.program.list(segments);
                let interpolated = segments.iter().find_map(|&segment| match *self.node(segment) {
                    Node::TextExpression { expr } => Some(expr),
                    _ => None,
                });
                if let Some(place) = interpolated.or((segments.len() != 1).then_some(id)) {
                    self.error(issues::illegal_hostname_interpolation(), place);
                }
            }
            Node::LiteralInteger { .. }
            | Node::LiteralFloat { .. }
            | Node::LiteralBoolean { .. }
            | Node::ReservedWord { .. }
            | Node::LiteralDefault {}
            | Node::LiteralRegularExpression { .. } => {}
            _ => self.illegal_expression(id, "hostname", definition),
        }
    }

    fn hostname_text(&mut self, name: &str, id: NodeId) {
        if !name.bytes().all(|byte| is_word(byte) || matches!(byte, b'-' | b'.')) {
            self.error(issues::illegal_hostname_chars(name), id);
        }
    }

    /// Checks an expression of a collector's query.
    pub(super) fn query(&mut self, expression: NodeId) {
        let (mut next, mut pending) = (Some(expression), Vec::new());
        while let Some(id) = next.take().or_else(|| pending.pop()) {
            match *self.node(id) {
                Node::AndExpression { left_expr, right_expr }
                | Node::OrExpression { left_expr, right_expr } => {
                    pending.extend([right_expr, left_expr]);
                }
                Node::ParenthesizedExpression { expr } => pending.push(expr),
                Node::ComparisonExpression {
                    operator: ComparisonOperator::Equal | ComparisonOperator::NotEqual,
                    ..
                }
                | Node::VariableExpression { .. }
                | Node::QualifiedName { .. }
                | Node::LiteralInteger { .. }
                | Node::LiteralFloat { .. }
                | Node::LiteralString { .. }
                | Node::RenderStringExpression { .. }
                | Node::LiteralBoolean { .. } => {}
                _ => self.error(issues::illegal_query_expression(self.label(id)), id),
            }
        }
    }

    /// Whether an expression is known to have no effect. No expression has no effect.
    pub(super) fn is_idem(&self, expression: Option<NodeId>) -> bool {
        let (mut next, mut pending) = (expression, Vec::new());
        while let Some(id) = next.take().or_else(|| pending.pop()) {
            match *self.node(id) {
                Node::Nop {}
                | Node::LiteralRegularExpression { .. }
                | Node::LiteralString { .. }
                | Node::LiteralInteger { .. }
                | Node::LiteralFloat { .. }
                | Node::LiteralUndef {}
                | Node::LiteralDefault {}
                | Node::LiteralBoolean { .. }
                | Node::QualifiedName { .. }
                | Node::ReservedWord { .. }
                | Node::QualifiedReference { .. }
                | Node::LiteralList { .. }
                | Node::LiteralHash { .. }
                | Node::AccessExpression { .. }
                | Node::ArithmeticExpression { .. }
                | Node::ComparisonExpression { .. }
                | Node::InExpression { .. }
                | Node::AndExpression { .. }
                | Node::OrExpression { .. }
                | Node::NamedAccessExpression { .. }
                | Node::NotExpression { .. }
                | Node::UnaryMinusExpression { .. }
                | Node::UnfoldExpression { .. }
                | Node::TextExpression { .. }
                | Node::VariableExpression { .. }
                | Node::ConcatenatedString { .. }
                | Node::HeredocExpression { .. }
                | Node::SelectorExpression { .. } => {}
                Node::ParenthesizedExpression { expr } => pending.push(expr),
                Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                    pending.extend(self.program.list(statements));
                }
                Node::IfExpression { test, then_expr, else_expr }
                | Node::UnlessExpression { test, then_expr, else_expr } => {
                    pending.push(test);
                    pending.extend(then_expr);
                    pending.extend(else_expr);
                }
                Node::CaseExpression { test, options } => {
                    pending.push(test);
                    pending.extend(self.program.list(options));
                }
                Node::CaseOption { values, then_expr } => {
                    pending.extend(self.program.list(values));
                    pending.extend(then_expr);
                }
                Node::AssignmentExpression { .. }
                | Node::RelationshipExpression { .. }
                | Node::MatchExpression { .. }
                | Node::KeyedEntry { .. }
                | Node::ExportedQuery { .. }
                | Node::VirtualQuery { .. }
                | Node::AttributeOperation { .. }
                | Node::AttributesOperation { .. }
                | Node::CollectExpression { .. }
                | Node::Parameter { .. }
                | Node::FunctionDefinition { .. }
                | Node::ResourceTypeDefinition { .. }
                | Node::TypeAlias { .. }
                | Node::TypeMapping { .. }
                | Node::TypeDefinition { .. }
                | Node::NodeDefinition { .. }
                | Node::HostClassDefinition { .. }
                | Node::PlanDefinition { .. }
                | Node::LambdaExpression { .. }
                | Node::ApplyExpression { .. }
                | Node::CallFunctionExpression { .. }
                | Node::CallNamedFunctionExpression { .. }
                | Node::CallMethodExpression { .. }
                | Node::EppExpression { .. }
                | Node::RenderStringExpression { .. }
                | Node::RenderExpression { .. }
                | Node::ResourceBody { .. }
                | Node::ResourceExpression { .. }
                | Node::ResourceDefaultsExpression { .. }
                | Node::ResourceOverrideExpression { .. }
                | Node::SelectorEntry { .. }
                | Node::Error {} => return false,
            }
        }
        true
    }
}

/// Whether an expression is one of the most frequent that have a value.
#[inline]
fn is_plain_value(node: &Node) -> bool {
    matches!(
        node,
        Node::LiteralString { .. }
            | Node::QualifiedName { .. }
            | Node::QualifiedReference { .. }
            | Node::VariableExpression { .. }
            | Node::ConcatenatedString { .. }
            | Node::LiteralBoolean { .. }
            | Node::LiteralInteger { .. }
            | Node::LiteralUndef {}
            | Node::LiteralList { .. }
            | Node::LiteralHash { .. }
            | Node::AccessExpression { .. }
            | Node::CallNamedFunctionExpression { .. }
            | Node::ComparisonExpression { .. }
    )
}

/// `a::b`, the name of a definition.
pub(super) fn is_class_name(name: &str) -> bool {
    is_qualified(name.as_bytes(), |first| first.is_ascii_lowercase())
}

/// `A::B`, the name of a defined type.
pub(super) fn is_type_name(name: &str) -> bool {
    is_qualified(name.as_bytes(), |first| first.is_ascii_uppercase())
}

/// `A::B` or `::A`, a reference to a type.
pub(super) fn is_classref(name: &str) -> bool {
    is_type_name(name.strip_prefix("::").unwrap_or(name))
}

/// `a::_b` or `::a`, the name of a variable.
pub(super) fn is_variable_name(name: &str) -> bool {
    let mut name = name.strip_prefix("::").unwrap_or(name).as_bytes();
    loop {
        let Some(end) = segment_end(name, |first| first.is_ascii_lowercase() || first == b'_') else {
            return false;
        };
        match &name[end..] {
            [] => return true,
            // Only the last segment starts with an underscore.
            [b':', b':', rest @ ..] if name[0] != b'_' => name = rest,
            _ => return false,
        }
    }
}

/// `a` or `_a`, the name of a parameter, and of most variables. Returns it with the text after it.
#[inline]
pub(super) fn is_parameter_name((length, bytes): (usize, &[u8])) -> bool {
    length > 0 && matches!(bytes.first(), Some(b'a'..=b'z' | b'_')) && word_end(bytes, 0) >= length
}

/// Whether the segments form a name with `::` between them, where `first` decides how a segment can begin.
fn is_qualified(mut name: &[u8], first: impl Fn(u8) -> bool) -> bool {
    loop {
        let Some(end) = segment_end(name, &first) else { return false };
        match &name[end..] {
            [] => return true,
            [b':', b':', rest @ ..] => name = rest,
            _ => return false,
        }
    }
}

/// The end of a segment of a name, if `first` accepts its beginning: letters, digits and underscores follow.
#[inline]
fn segment_end(name: &[u8], first: impl Fn(u8) -> bool) -> Option<usize> {
    let (&start, rest) = name.split_first()?;
    if !first(start) {
        return None;
    }
    Some(1 + word_end(rest, 0))
}

/// `0` or a decimal number, the name of a match variable.
pub(super) fn is_decimal_variable(name: &str) -> bool {
    name == "0"
        || (!name.starts_with('0') && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_have_small_segments_and_an_underscore_before_the_last_only() {
        for name in ["a", "_a", "::a", "a::b_1", "a::_b", "::_"] {
            assert!(is_variable_name(name), "{name}");
        }
        for name in ["", "::", "A", "a::B", "_a::b", "a::", "a:::b", "a:b", "a::::b", "1a", "a-b", "\u{e4}"] {
            assert!(!is_variable_name(name), "{name}");
        }
    }
}

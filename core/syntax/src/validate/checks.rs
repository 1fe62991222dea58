//! The check of each kind of node, under the rules for catalogs.

use super::super::ast::nodes::{AssignmentOperator, AttributeOperator, ResourceForm};
use super::super::ast::{List, Node, NodeId, Text};
use super::repeated::repeated;
use super::roles::{is_classref, is_decimal_variable, is_parameter_name, is_variable_name};
use super::{Checker, Container};
use crate::diagnostic::{Severity, Strictness, issues};

/// The maximum number of digits that are converted for the message about a too large integer.
const MAX_DIGITS: usize = 50_000;

impl Checker<'_> {
    /// Checks one node under the rules for compiling catalogs.
    pub(super) fn check_for_catalogs(&mut self, id: NodeId) {
        match *self.node(id) {
            Node::AssignmentExpression { operator, left_expr, right_expr } => match operator {
                AssignmentOperator::Assign => {
                    self.assignable(left_expr);
                    self.rvalue(right_expr);
                }
                AssignmentOperator::Append | AssignmentOperator::Delete => {
                    self.error(issues::appends_deletes_no_longer_supported(operator.text()), id);
                }
            },
            Node::AttributeOperation { attribute_name, operator, value_expr } => {
                if operator == AttributeOperator::Append {
                    self.check_append(id, self.program.text(attribute_name));
                }
                self.rvalue(value_expr);
            }
            Node::AttributesOperation { expr } => {
                self.check_unfolded_attributes(id);
                self.rvalue(expr);
            }
            Node::ArithmeticExpression { left_expr, right_expr, .. }
            | Node::ComparisonExpression { left_expr, right_expr, .. }
            | Node::MatchExpression { left_expr, right_expr, .. }
            | Node::InExpression { left_expr, right_expr }
            | Node::AndExpression { left_expr, right_expr }
            | Node::OrExpression { left_expr, right_expr } => {
                self.rvalue(left_expr);
                self.rvalue(right_expr);
            }
            Node::ParenthesizedExpression { expr }
            | Node::NotExpression { expr }
            | Node::UnaryMinusExpression { expr }
            | Node::UnfoldExpression { expr }
            | Node::TextExpression { expr }
            | Node::RenderExpression { expr } => self.rvalue(expr),
            Node::RelationshipExpression { left_expr, right_expr, .. } => {
                self.relation_operand(left_expr);
                self.relation_operand(right_expr);
            }
            Node::NamedAccessExpression { right_expr, .. } => self.check_method_name(right_expr),
            Node::BlockExpression { statements } => match self.resource_without_title(id) {
                Some(name) => self.error(issues::resource_without_title(name), id),
                None => self.check_statements(statements),
            },
            Node::ApplyBlockExpression { statements } => self.check_statements(statements),
            Node::CallNamedFunctionExpression { functor_expr, .. } => self.check_call(id, functor_expr),
            Node::CaseExpression { test, options } => {
                self.rvalue(test);
                self.check_case_defaults(id, options);
            }
            Node::CaseOption { values, .. } | Node::LiteralList { values } => self.rvalues(values),
            Node::CollectExpression { type_expr, .. } => {
                if !matches!(self.node(type_expr), Node::QualifiedReference { .. }) {
                    self.illegal_expression(type_expr, "type name", id);
                }
            }
            Node::EppExpression { .. } => self.check_template_parameters(id),
            Node::HeredocExpression { syntax, text_expr } => self.check_heredoc(syntax, text_expr),
            Node::FunctionDefinition { name, parameters, return_type, .. }
            | Node::PlanDefinition { name, parameters, return_type, .. } => {
                self.check_named_definition(id, name);
                self.check_return_type(id, return_type);
                self.check_unique_parameters(parameters);
            }
            Node::HostClassDefinition { name, parameters, body, .. } => {
                self.check_resource_definition(id, name, parameters, body);
                self.check_literal_types(parameters);
            }
            Node::ResourceTypeDefinition { name, parameters, body } => {
                self.check_resource_definition(id, name, parameters, body);
            }
            Node::NodeDefinition { parent, host_matches, body } => {
                self.check_node_definition(id, parent, host_matches, body);
            }
            Node::TypeAlias { name, type_expr } => self.check_type_alias(id, name, type_expr),
            Node::TypeMapping { type_expr, mapping_expr } => {
                self.check_type_mapping(id, type_expr, mapping_expr);
            }
            Node::TypeDefinition { name, .. } => {
                self.check_top(id);
                self.check_reserved_type_name(id, self.program.text(name));
                self.error(issues::unsupported_expression(self.label(id)), id);
            }
            Node::IfExpression { test, .. } | Node::UnlessExpression { test, .. } => self.rvalue(test),
            Node::KeyedEntry { key, value } => {
                self.rvalue(key);
                self.rvalue(value);
            }
            Node::LambdaExpression { parameters, return_type, .. } => {
                self.check_captures_rest_last(parameters);
                self.check_return_type(id, return_type);
            }
            Node::LiteralInteger { value, .. } => self.check_integer(id, value),
            Node::LiteralHash { entries } => self.check_unique_keys(entries),
            Node::QualifiedReference { cased_value } => {
                let name = self.program.text(cased_value);
                if !is_classref(name) {
                    self.error(issues::illegal_classref(name), id);
                }
            }
            Node::ExportedQuery { expr } | Node::VirtualQuery { expr } => {
                if let Some(expr) = expr {
                    self.query(expr);
                }
            }
            Node::Parameter { name, value, .. } => self.check_parameter(id, name, value),
            Node::ResourceExpression { form, type_name, .. } => {
                let is_class = matches!(*self.node(type_name),
                    Node::QualifiedName { value } if self.program.text(value) == "class");
                if form != ResourceForm::Regular && is_class {
                    self.error(issues::class_not_virtualizable(), id);
                }
            }
            Node::ResourceBody { operations, .. } => self.check_single_unfolding(operations),
            Node::ResourceDefaultsExpression { form, .. } | Node::ResourceOverrideExpression { form, .. } => {
                if form != ResourceForm::Regular {
                    self.error(issues::not_virtualizeable(), id);
                }
            }
            Node::ReservedWord { word, future } => {
                let word = self.program.text(word);
                if future {
                    self.accept(issues::future_reserved_word(word), Severity::Deprecation, id);
                } else {
                    self.error(issues::reserved_word(word), id);
                }
            }
            Node::SelectorExpression { left_expr, selectors } => {
                self.rvalue(left_expr);
                self.check_selector_defaults(id, selectors);
            }
            Node::SelectorEntry { matching_expr, .. } => self.rvalue(matching_expr),
            Node::VariableExpression { expr } => self.check_variable(id, expr),
            Node::Nop {}
            | Node::AccessExpression { .. }
            | Node::ApplyExpression { .. }
            | Node::CallFunctionExpression { .. }
            | Node::CallMethodExpression { .. }
            | Node::LiteralRegularExpression { .. }
            | Node::LiteralString { .. }
            | Node::LiteralFloat { .. }
            | Node::LiteralUndef {}
            | Node::LiteralDefault {}
            | Node::LiteralBoolean { .. }
            | Node::ConcatenatedString { .. }
            | Node::QualifiedName { .. }
            | Node::RenderStringExpression { .. }
            | Node::Error {} => {}
        }
    }

    /// Reports an expression that cannot have this role in the container.
    #[cold]
    pub(super) fn illegal_expression(&mut self, expression: NodeId, feature: &str, container: NodeId) {
        let report = issues::illegal_expression(self.label(expression), feature, self.label(container));
        self.error(report, expression);
    }

    /// `name +> value` is only valid in overrides and collectors.
    fn check_append(&mut self, id: NodeId, name: &str) {
        let Some(parent) = self.parent() else { return };
        match self.node(parent) {
            Node::CollectExpression { .. } | Node::ResourceOverrideExpression { .. } => {}
            _ => self.error(issues::illegal_attribute_append(name, self.label(parent)), id),
        }
    }

    /// `* => hash` is only valid in resources and collectors.
    fn check_unfolded_attributes(&mut self, id: NodeId) {
        let Container::Node(parent) = self.container(1) else {
            return self.error(issues::unsupported_operator_in_context("* =>", self.label(id)), id);
        };
        if self.is_resource(parent) || matches!(self.node(parent), Node::CollectExpression { .. }) {
            return;
        }
        if let Container::Node(grandparent) = self.container(2)
            && !self.is_resource(grandparent)
        {
            self.error(issues::unsupported_operator_in_context("* =>", self.label(grandparent)), grandparent);
        }
    }

    fn is_resource(&self, id: NodeId) -> bool {
        matches!(
            self.node(id),
            Node::ResourceExpression { .. }
                | Node::ResourceDefaultsExpression { .. }
                | Node::ResourceOverrideExpression { .. }
        )
    }

    /// A block of a name and a hash is a resource without its title: returns the name.
    pub(super) fn resource_without_title(&self, id: NodeId) -> Option<&str> {
        if self.options.tasks {
            return None;
        }
        let Node::BlockExpression { statements } = *self.node(id) else { return None };
        match *self.program.list(statements) {
            [first, second] => match (self.node(first), self.node(second)) {
                (&Node::QualifiedName { value }, Node::LiteralHash { .. }) => Some(self.program.text(value)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reports the first statement, except the last, that has no effect.
    fn check_statements(&mut self, statements: List) {
        let [statements @ .., _] = self.program.list(statements) else { return };
        if let Some(&idle) = statements.iter().find(|&&statement| self.is_idem(Some(statement))) {
            self.error(issues::idem_expression_not_last(self.label(idle)), idle);
        }
    }

    /// The callee must be a name, or a reference to a type.
    fn check_call(&mut self, id: NodeId, functor: NodeId) {
        match *self.node(functor) {
            Node::QualifiedReference { .. } | Node::QualifiedName { .. } => {}
            Node::AccessExpression { left_expr, .. }
                if matches!(self.node(left_expr), Node::QualifiedReference { .. }) => {}
            Node::RenderStringExpression { .. } => self.error(issues::illegal_epp_parameters(), id),
            _ => self.illegal_expression(functor, "function name", id),
        }
    }

    /// The operand after a dot must be a name.
    fn check_method_name(&mut self, name: NodeId) {
        if matches!(self.node(name), Node::QualifiedName { .. }) {
            return;
        }
        if let Some(parent) = self.parent() {
            self.illegal_expression(name, "function name", parent);
        }
    }

    fn check_case_defaults(&mut self, id: NodeId, options: List) {
        let mut found = false;
        for &option in self.program.list(options) {
            let Node::CaseOption { values, .. } = *self.node(option) else { continue };
            for &value in self.program.list(values) {
                if !matches!(self.node(value), Node::LiteralDefault {}) {
                    continue;
                }
                if found {
                    self.error(issues::duplicate_default(self.label(id)), value);
                }
                found = true;
            }
        }
    }

    /// Only the second default of a selector is reported.
    fn check_selector_defaults(&mut self, id: NodeId, selectors: List) {
        let second = self
            .program
            .list(selectors)
            .iter()
            .filter_map(|&entry| match *self.node(entry) {
                Node::SelectorEntry { matching_expr, .. } => Some(matching_expr),
                _ => None,
            })
            .filter(|&matching| matches!(self.node(matching), Node::LiteralDefault {}))
            .nth(1);
        if let Some(second) = second {
            self.error(issues::duplicate_default(self.label(id)), second);
        }
    }

    /// The parameters of a template: of the lambda around it.
    fn check_template_parameters(&mut self, id: NodeId) {
        if let Some(parent) = self.parent()
            && let Node::LambdaExpression { parameters, .. } = *self.node(parent)
        {
            self.check_no_captures_rest(parameters, id);
            self.check_unique_parameters(parameters);
        }
    }

    /// Integers have 64 bits. For a number that is too large the parser keeps the nearest one; the text has
    /// the digits.
    fn check_integer(&mut self, id: NodeId, value: i64) {
        if value != i64::MAX && value != i64::MIN {
            return;
        }
        let text = self.program.source_text(id);
        // Converting more digits takes minutes.
        let text = text.get(..MAX_DIGITS).unwrap_or(text);
        let digits = super::literal::hexadecimal_digits(text);
        if digits.len() > 16 || (digits.len() == 16 && !digits.starts_with(|first: char| first < '8')) {
            self.error(issues::numeric_overflow_digits(self.label(id), false, &digits), id);
        }
    }

    /// Literal keys of a hash must be unique.
    fn check_unique_keys(&mut self, entries: List) {
        let severity = match self.options.strict {
            Strictness::Off => return,
            Strictness::Warning => Severity::Warning,
            Strictness::Error => Severity::Error,
        };
        if entries.len() < 2 {
            return;
        }
        let program = self.program;
        let keys = program.list(entries).iter().filter_map(|&entry| match *program.node(entry) {
            Node::KeyedEntry { key, .. } => Some((entry, super::literal::literal(program, key)?)),
            _ => None,
        });
        for (entry, key) in repeated(keys, entries.len()) {
            self.accept(issues::duplicate_key(key.to_string()), severity, entry);
        }
    }

    fn check_parameter(&mut self, id: NodeId, name: Text, value: Option<NodeId>) {
        if !is_parameter_name(self.program.text_with_rest(name)) {
            let name = self.program.text(name);
            let digits = name.strip_prefix("0x").unwrap_or(name);
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                self.error(issues::illegal_numeric_parameter(name), id);
            }
            self.error(issues::illegal_param_name(name), id);
        }
        if let Some(value) = value {
            self.check_no_assignment(value);
        }
    }

    /// The default value of a parameter must not assign to a variable, except in the body of a lambda.
    fn check_no_assignment(&mut self, value: NodeId) {
        let (mut next, mut pending) = (Some(value), Vec::new());
        while let Some(id) = next.take().or_else(|| pending.pop()) {
            match self.node(id) {
                Node::AssignmentExpression { .. } => self.error(issues::illegal_assignment_context(), id),
                Node::LambdaExpression { .. } => {}
                node => {
                    let first = pending.len();
                    node.children(self.program, |child| pending.push(child));
                    pending[first..].reverse();
                }
            }
        }
    }

    fn check_single_unfolding(&mut self, operations: List) {
        let mut seen = false;
        for &operation in self.program.list(operations) {
            if !matches!(self.node(operation), Node::AttributesOperation { .. }) {
                continue;
            }
            if seen {
                self.error(issues::multiple_attributes_unfold(), operation);
            }
            seen = true;
        }
    }

    /// `$0`, `$12`, `$a::b`
    fn check_variable(&mut self, id: NodeId, name: NodeId) {
        match *self.node(name) {
            Node::LiteralInteger { .. } => {}
            Node::QualifiedName { value } => {
                if is_parameter_name(self.program.text_with_rest(value)) {
                    return;
                }
                let name = self.program.text(value);
                if is_variable_name(name) || is_decimal_variable(name) {
                    return;
                }
                if name.starts_with(|first: char| first.is_ascii_digit()) {
                    self.error(issues::illegal_numeric_var_name(name), id);
                } else {
                    self.error(issues::illegal_var_name(name), id);
                }
            }
            _ => {
                let label = self.label(id);
                self.error(issues::illegal_expression(&label, "name", &label), id);
            }
        }
    }
}

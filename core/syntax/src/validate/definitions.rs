//! Checks of classes, defined types, functions, plans, nodes and types.

use super::super::ast::{List, Node, NodeId, Program, Text};
use super::repeated::repeated;
use super::roles::{is_class_name, is_type_name};
use super::{Checker, Container};
use crate::diagnostic::{Severity, issues};

/// The names of the language's types.
const RESERVED_TYPE_NAMES: &[&str] = &[
    "type",
    "any",
    "unit",
    "scalar",
    "boolean",
    "numeric",
    "integer",
    "float",
    "collection",
    "array",
    "hash",
    "tuple",
    "struct",
    "variant",
    "optional",
    "enum",
    "regexp",
    "pattern",
    "runtime",
    "init",
    "object",
    "sensitive",
    "semver",
    "semverrange",
    "string",
    "timestamp",
    "timespan",
    "typeset",
];

/// The definitions that are top-level statements of a program, in order of their ids. These are all allowed.
pub(super) fn at_top(program: &Program) -> Vec<NodeId> {
    let statements = match *program.node(program.body()) {
        Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
            program.list(statements)
        }
        _ => &[],
    };
    let mut found: Vec<NodeId> =
        statements.iter().copied().filter(|&statement| is_definition(program.node(statement))).collect();
    found.sort_unstable();
    found
}

fn is_definition(node: &Node) -> bool {
    matches!(
        node,
        Node::HostClassDefinition { .. }
            | Node::ResourceTypeDefinition { .. }
            | Node::NodeDefinition { .. }
            | Node::FunctionDefinition { .. }
            | Node::PlanDefinition { .. }
            | Node::TypeAlias { .. }
            | Node::TypeMapping { .. }
            | Node::TypeDefinition { .. }
    )
}

impl Checker<'_> {
    /// Checks that a definition is at the top level or in a class.
    pub(super) fn check_top(&mut self, definition: NodeId) {
        if definition == self.program.body() || self.top_definitions.binary_search(&definition).is_ok() {
            return;
        }
        for level in 1.. {
            let Container::Node(container) = self.container(level) else { return };
            match self.node(container) {
                Node::ApplyExpression { .. } | Node::HostClassDefinition { .. } => return,
                Node::BlockExpression { .. } | Node::ApplyBlockExpression { .. } => {
                    let absolute = matches!(
                        self.node(definition),
                        Node::FunctionDefinition { .. }
                            | Node::PlanDefinition { .. }
                            | Node::TypeAlias { .. }
                            | Node::TypeDefinition { .. }
                    );
                    if absolute && !matches!(self.container(level + 1), Container::Program) {
                        let report = issues::not_absolute_top_level(self.label(definition));
                        return self.error(report, definition);
                    }
                }
                _ => return self.error(issues::not_top_level(), definition),
            }
        }
    }

    /// Checks every definition with a lower-case name.
    pub(super) fn check_named_definition(&mut self, id: NodeId, name: Text) {
        let name = self.program.text(name);
        self.check_top(id);
        if !is_class_name(name) {
            self.error(issues::illegal_definition_name(name, self.label(id)), id);
        }
        self.check_file_namespace(id, name);
        self.check_reserved_type_name(id, name);
        self.check_future_reserved_word(id, name);
    }

    /// Checks classes and defined types.
    pub(super) fn check_resource_definition(
        &mut self,
        id: NodeId,
        name: Text,
        parameters: List,
        body: Option<NodeId>,
    ) {
        self.check_named_definition(id, name);
        self.check_no_captures_rest(parameters, id);
        self.check_unique_parameters(parameters);
        self.check_reserved_parameters(parameters, id);
        self.check_no_idem_last(id, body);
    }

    pub(super) fn check_node_definition(
        &mut self,
        id: NodeId,
        parent: Option<NodeId>,
        host_matches: List,
        body: Option<NodeId>,
    ) {
        for &host in self.program.list(host_matches) {
            self.hostname(host, id);
        }
        self.check_top(id);
        self.check_no_idem_last(id, body);
        if let Some(parent) = parent {
            self.error(issues::illegal_node_inheritance(), parent);
        }
    }

    pub(super) fn check_type_alias(&mut self, id: NodeId, name: Text, type_expr: Option<NodeId>) {
        let name = self.program.text(name);
        self.check_top(id);
        if !is_type_name(name) {
            self.error(issues::illegal_definition_name(name, self.label(id)), id);
        }
        self.check_reserved_type_name(id, name);
        if let Some(type_expr) = type_expr {
            self.check_type_reference(id, type_expr);
        }
    }

    /// `type Runtime[…] = …`: a type for one class of the runtime, or a replacement for a pattern of names.
    pub(super) fn check_type_mapping(&mut self, id: NodeId, left: Option<NodeId>, right: Option<NodeId>) {
        self.check_top(id);
        let runtime_keys = left.and_then(|left| match *self.node(left) {
            Node::AccessExpression { left_expr, keys } => match *self.node(left_expr) {
                Node::QualifiedReference { cased_value } if self.program.text(cased_value) == "Runtime" => {
                    Some(keys)
                }
                _ => None,
            },
            _ => None,
        });
        let Some(keys) = runtime_keys else {
            return self.error(issues::unsupported_expression(self.label(id)), id);
        };
        let is_pattern =
            matches!(*self.program.list(keys), [_, second] if self.is_pattern_with_replacement(second));
        let fits = right.is_some_and(|right| {
            if is_pattern { self.is_pattern_with_replacement(right) } else { self.is_type_reference(right) }
        });
        if !fits {
            let report = if is_pattern {
                issues::illegal_regexp_type_mapping(self.label(id))
            } else {
                issues::illegal_single_type_mapping(self.label(id))
            };
            self.error(report, id);
        }
    }

    /// `[/pattern/, 'replacement']`
    fn is_pattern_with_replacement(&self, id: NodeId) -> bool {
        let Node::LiteralList { values } = *self.node(id) else { return false };
        let [pattern, replacement] = *self.program.list(values) else { return false };
        matches!(self.node(pattern), Node::LiteralRegularExpression { .. })
            && matches!(
                self.node(replacement),
                Node::LiteralString { .. } | Node::RenderStringExpression { .. }
            )
    }

    /// `Name` or `Name[…]`
    fn is_type_reference(&self, id: NodeId) -> bool {
        let id = match *self.node(id) {
            Node::AccessExpression { left_expr, .. } => left_expr,
            _ => id,
        };
        matches!(self.node(id), Node::QualifiedReference { .. })
    }

    pub(super) fn check_return_type(&mut self, id: NodeId, return_type: Option<NodeId>) {
        if let Some(return_type) = return_type {
            self.check_type_reference(id, return_type);
        }
    }

    /// The return type or the target of an alias must be a type name.
    fn check_type_reference(&mut self, id: NodeId, reference: NodeId) {
        let name = match *self.node(reference) {
            Node::AccessExpression { left_expr, .. } => left_expr,
            _ => reference,
        };
        match *self.node(name) {
            Node::QualifiedReference { cased_value } => {
                let name = self.program.text(cased_value).to_lowercase();
                self.check_future_reserved_word(reference, &name);
            }
            _ => self.illegal_expression(reference, "a type reference", id),
        }
    }

    pub(super) fn check_reserved_type_name(&mut self, id: NodeId, name: &str) {
        if RESERVED_TYPE_NAMES.contains(&name) {
            self.error(issues::reserved_type_name(name, self.label(id)), id);
        }
    }

    fn check_future_reserved_word(&mut self, id: NodeId, name: &str) {
        if name == "plan" {
            self.accept(issues::future_reserved_word(name), Severity::Deprecation, id);
        }
    }

    /// The types of a class's parameters must be literal.
    pub(super) fn check_literal_types(&mut self, parameters: List) {
        for &parameter in self.program.list(parameters) {
            let Node::Parameter { name, type_expr: Some(type_expr), .. } = *self.node(parameter) else {
                continue;
            };
            if super::literal::literal(self.program, type_expr).is_none_or(|value| value.is_nil()) {
                let class = format!("Puppet::Pops::Model::{}", self.node(type_expr).kind().name());
                let report = issues::illegal_nonliteral_parameter_type(self.program.text(name), class);
                self.accept(report, Severity::Deprecation, parameter);
            }
        }
    }

    /// The body must not end with an expression that has no effect and whose value is unused.
    fn check_no_idem_last(&mut self, id: NodeId, body: Option<NodeId>) {
        let Some(body) = body else { return };
        let last = match *self.node(body) {
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                match self.program.list(statements).last() {
                    Some(&last) => last,
                    None => return,
                }
            }
            _ => body,
        };
        if self.is_idem(Some(last)) && self.resource_without_title(last).is_none() {
            self.error(issues::idem_not_allowed_last(self.label(last), self.label(id)), last);
        }
    }

    /// Only the last parameter of a lambda can take the rest.
    pub(super) fn check_captures_rest_last(&mut self, parameters: List) {
        let [parameters @ .., _] = self.program.list(parameters) else { return };
        for &parameter in parameters {
            if let Node::Parameter { name, captures_rest: true, .. } = *self.node(parameter) {
                self.error(issues::captures_rest_not_last(self.program.text(name)), parameter);
            }
        }
    }

    /// No parameter of `container` can take the rest.
    pub(super) fn check_no_captures_rest(&mut self, parameters: List, container: NodeId) {
        for &parameter in self.program.list(parameters) {
            if let Node::Parameter { name, captures_rest: true, .. } = *self.node(parameter) {
                let report =
                    issues::captures_rest_not_supported(self.program.text(name), self.label(container));
                self.error(report, parameter);
            }
        }
    }

    fn check_reserved_parameters(&mut self, parameters: List, container: NodeId) {
        for &parameter in self.program.list(parameters) {
            if let Node::Parameter { name, .. } = *self.node(parameter)
                && let name @ ("name" | "title") = self.program.text(name)
            {
                self.error(issues::reserved_parameter(name, self.label(container)), parameter);
            }
        }
    }

    pub(super) fn check_unique_parameters(&mut self, parameters: List) {
        if parameters.len() < 2 {
            return;
        }
        let program = self.program;
        let names = program.list(parameters).iter().filter_map(|&parameter| match *program.node(parameter) {
            Node::Parameter { name, .. } => Some((parameter, program.text(name))),
            _ => None,
        });
        for (parameter, name) in repeated(names, parameters.len()) {
            self.error(issues::duplicate_parameter(name), parameter);
        }
    }
}

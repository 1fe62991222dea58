//! The validator: what a program that parses may still not say.
//!
//! Every node is checked in isolation, parents before children, in source order; the order of the diagnostics is the
//! order of the checks. A check may look at the containers of its node and at its children, but complains about the
//! role of a child only: the child's own content has its own check. Follows the reference's
//! `pops/validation/checker4_0.rb`, `tasks_checker.rb` and `validator_factory_4_0.rb`.

mod checks;
mod definitions;
pub mod external;
pub mod json;
mod literal;
mod place;
mod roles;
mod tasks;

use super::ast::{FieldValue, Node, NodeId, Program};
use crate::diagnostic::{Diagnostic, Report, Severity, Strictness};

/// What the validator has to know besides the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValidateOptions<'a> {
    /// The setting `strict`: how bad repeated keys of a hash are.
    pub strict: Strictness,
    /// The setting `tasks`: plans instead of catalogs.
    pub tasks: bool,
    /// The environment's `manifest`: a file or directory whose files may hold anything.
    pub manifest: Option<&'a str>,
    /// The environment's whole module path: files in it hold what their names say.
    pub modulepath: &'a [String],
    /// How many texts with a syntax of Puppet stand around the program (heredocs in heredocs).
    pub nesting: u8,
}

/// Checks a program. Gives every complaint in the order of the reference; the program is refused when there is
/// an [error](Severity::Error) among them.
pub fn validate(program: &Program, options: &ValidateOptions<'_>) -> Vec<Diagnostic> {
    let mut checker = Checker { program, options, path: Vec::new(), diagnostics: Vec::new(), refused: None };
    checker.check_top_constructs();
    checker.walk();
    match checker.refused {
        Some(refused) => vec![refused],
        None => checker.diagnostics,
    }
}

/// What stands around a node.
#[derive(Clone, Copy)]
enum Container {
    /// Nothing: beyond the program.
    Nothing,
    /// The program itself.
    Program,
    /// A node.
    Node(NodeId),
}

/// One run of the validator.
struct Checker<'a> {
    program: &'a Program,
    options: &'a ValidateOptions<'a>,
    /// The nodes around the one that is being checked, outermost first.
    path: Vec<NodeId>,
    diagnostics: Vec<Diagnostic>,
    /// The complaint that ends the validation and is then the only one.
    refused: Option<Diagnostic>,
}

impl<'a> Checker<'a> {
    /// Checks the body and everything in it.
    fn walk(&mut self) {
        let mut pending = vec![(self.program.body(), 0)];
        while let Some((id, depth)) = pending.pop() {
            self.path.truncate(depth);
            self.check(id);
            if self.refused.is_some() {
                return;
            }
            self.path.push(id);
            let first = pending.len();
            each_child(self.program, id, |child| pending.push((child, depth + 1)));
            pending[first..].reverse();
        }
    }

    /// Checks one node, by the rules for catalogs or for tasks.
    fn check(&mut self, id: NodeId) {
        if !(self.options.tasks && self.check_for_tasks(id)) {
            self.check_for_catalogs(id);
        }
    }

    /// The container that is `level` levels up: 1 is the direct one.
    fn container(&self, level: usize) -> Container {
        match self.path.len().checked_sub(level) {
            Some(index) => Container::Node(self.path[index]),
            None if level == self.path.len() + 1 => Container::Program,
            None => Container::Nothing,
        }
    }

    /// The node that directly holds the one that is being checked.
    fn parent(&self) -> Option<NodeId> {
        self.path.last().copied()
    }

    fn node(&self, id: NodeId) -> &'a Node {
        self.program.node(id)
    }

    /// The label of a node.
    fn label(&self, id: NodeId) -> std::borrow::Cow<'static, str> {
        self.program.label(id)
    }

    /// Notes an error about a node.
    fn error(&mut self, report: Report, id: NodeId) {
        self.accept(report, Severity::Error, id);
    }

    /// Notes a complaint about a node.
    fn accept(&mut self, report: Report, severity: Severity, id: NodeId) {
        self.diagnostics.push(report.at(severity, self.program.source(), self.program.span(id)));
    }
}

/// Calls `visit` with the children of a node, in order.
fn each_child(program: &Program, id: NodeId, mut visit: impl FnMut(NodeId)) {
    program.node(id).fields(|field| match field.value {
        FieldValue::Node(child) => visit(child),
        FieldValue::Nodes(list) => program.list(list).iter().copied().for_each(&mut visit),
        FieldValue::Absent
        | FieldValue::Text(_)
        | FieldValue::Symbol(_)
        | FieldValue::Integer(_)
        | FieldValue::Float(_)
        | FieldValue::Boolean(_) => {}
    });
}

//! The rules for plans: expressions about catalogs are only allowed in the block of an `apply`. Follows the
//! reference's `pops/validation/tasks_checker.rb`.

use super::super::ast::{Node, NodeId};
use super::Checker;
use crate::diagnostic::issues;

impl Checker<'_> {
    /// Checks a node under the rules for plans. Returns false if the ordinary rules decide.
    pub(super) fn check_for_tasks(&mut self, id: NodeId) -> bool {
        let in_apply = || {
            let path = self.path().unwrap_or_default();
            path.iter().any(|&container| matches!(self.node(container), Node::ApplyBlockExpression { .. }))
        };
        match *self.node(id) {
            Node::HostClassDefinition { .. } | Node::ResourceTypeDefinition { .. } => self.needs_catalog(id),
            Node::NodeDefinition { .. }
            | Node::RelationshipExpression { .. }
            | Node::ResourceDefaultsExpression { .. }
            | Node::ResourceExpression { .. }
            | Node::ResourceOverrideExpression { .. } => {
                if in_apply() {
                    return false;
                }
                self.needs_catalog(id);
            }
            Node::CollectExpression { query, .. } => {
                if !in_apply() {
                    self.needs_catalog(id);
                } else if matches!(self.node(query), Node::VirtualQuery { .. }) {
                    return false;
                } else {
                    self.error(issues::expression_not_supported_when_compiling(self.label(id)), id);
                }
            }
            Node::ApplyExpression { .. } => {
                if in_apply() {
                    self.error(issues::expression_not_supported_when_compiling(self.label(id)), id);
                }
            }
            _ => return false,
        }
        true
    }

    fn needs_catalog(&mut self, id: NodeId) {
        self.error(issues::expression_not_supported_when_scripting(self.label(id)), id);
    }
}

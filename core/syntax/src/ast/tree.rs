//! The tree of the nodes: children, parents, and the extent of a node with its descendants.

use super::{Kind, Node, NodeId, Program};
use crate::source::Span;

/// The start of nodes without a place, in [`Program::starts`].
pub const NOWHERE: u32 = u32::MAX;

impl Program {
    /// Calls `visit` with the children of a node, in the order of its fields, which is usually that of the
    /// source.
    pub fn each_child(&self, id: NodeId, mut visit: impl FnMut(NodeId)) {
        self.node(id).children(self, &mut visit);
    }

    /// The children of a node.
    pub fn children(&self, id: NodeId) -> Vec<NodeId> {
        let mut children = Vec::new();
        self.each_child(id, |child| children.push(child));
        children
    }

    /// A node and its descendants, each before its own descendants: nearly always the order of the source.
    pub fn descendants(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            found.push(id);
            let first = open.len();
            self.each_child(id, |child| open.push(child));
            if let Some(children) = open.get_mut(first..) {
                children.reverse();
            }
        }
        found
    }

    /// The parent of a node; none for the body, and for nodes outside of the tree. The first call walks
    /// through the whole tree, later calls are cheap.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parents = self.parents.get_or_init(|| {
            let mut parents = vec![None; self.node_count()];
            let mut open = vec![self.body()];
            while let Some(id) = open.pop() {
                self.each_child(id, |child| {
                    parents[child.index()] = Some(id);
                    open.push(child);
                });
            }
            parents
        });
        parents.get(id.index()).copied().flatten()
    }

    /// The ancestors of a node, innermost first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&above| self.parent(above))
    }

    /// The innermost enclosing definition of a node: of a class, a type, a function, a plan or a node.
    pub fn enclosing_definition(&self, id: NodeId) -> Option<NodeId> {
        self.ancestors(id).find(|&above| self.node(above).kind().is_definition())
    }

    /// The previous and the next sibling of a node.
    pub fn siblings(&self, id: NodeId) -> (Option<NodeId>, Option<NodeId>) {
        let children = self.parent(id).map(|above| self.children(above)).unwrap_or_default();
        let place = children.iter().position(|&child| child == id);
        let at = |place: Option<usize>| place.and_then(|place| children.get(place).copied());
        (at(place.and_then(|place| place.checked_sub(1))), at(place.map(|place| place + 1)))
    }

    /// The beginning of each node with its descendants, by index: the smallest start of their spans, or
    /// [`NOWHERE`] without a place. For some nodes it differs from the start of their [`span`](Self::span),
    /// which is that of an operator.
    pub fn starts(&self) -> Vec<u32> {
        let own = |id: NodeId| {
            let span = self.span(id);
            if span.is_empty() { NOWHERE } else { span.start }
        };
        let mut starts: Vec<u32> = self.ids().map(own).collect();
        // Nodes are made after their children, with few exceptions.
        for _ in 0..2 {
            for id in self.ids() {
                let mut start = starts[id.index()];
                self.each_child(id, |child| start = start.min(starts[child.index()]));
                starts[id.index()] = start;
            }
        }
        for id in self.ids() {
            if matches!(self.node(id).kind(), Kind::TypeAlias | Kind::TypeMapping | Kind::TypeDefinition) {
                starts[id.index()] = self.extent(id).start;
            }
        }
        starts
    }

    /// The smallest span that contains a node and its descendants. The [`span`](Self::span) of some nodes
    /// covers only a part, as in the reference: that of a parameter is its name, without type and default,
    /// and that of a type definition excludes the word `type`. The text of a heredoc is separate from its
    /// expression, and is not included.
    pub fn extent(&self, id: NodeId) -> Span {
        let mut extent = self.span(id);
        if let Node::TypeAlias { .. } | Node::TypeMapping { .. } | Node::TypeDefinition { .. } = self.node(id)
        {
            let before = self.source().slice(Span::new(0, extent.start)).trim_end();
            if before.ends_with("type") {
                extent.start = (before.len() - "type".len()) as u32;
            }
        }
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let span = self.span(id);
            if !span.is_empty() {
                extent = extent.to(span);
            }
            if !matches!(self.node(id), Node::HeredocExpression { .. }) {
                self.each_child(id, |child| open.push(child));
            }
        }
        extent
    }

    /// The source text of a node with its descendants: `String $name = 'x'` for a parameter.
    pub fn extent_text(&self, id: NodeId) -> &str {
        self.source().slice(self.extent(id))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Source;
    use crate::{ParseOptions, parse};

    #[test]
    fn parameters_reach_from_type_to_default() {
        let text = "define d(Optional[String] $a = @(E).strip, $b = { x => [1, 2] }) { }\n  text\n  | E\n";
        let source = Arc::new(Source::new(None, text));
        let program = parse(source, &ParseOptions::default()).expect("the text parses");
        let Node::ResourceTypeDefinition { parameters, .. } = *program.node(program.body()) else {
            panic!("{:?}", program.node(program.body()));
        };
        let shown: Vec<&str> =
            program.list(parameters).iter().map(|&parameter| program.extent_text(parameter)).collect();
        assert_eq!(shown, ["Optional[String] $a = @(E).strip", "$b = { x => [1, 2] }"]);
        assert_eq!(program.parent(program.list(parameters)[0]), Some(program.body()));
        assert_eq!(program.parent(program.body()), None);
        let all = program.descendants(program.body());
        assert_eq!((all.len(), all.first()), (program.node_count(), Some(&program.body())));
        let parameters = program.list(parameters);
        let within = program.children(parameters[0])[0];
        assert_eq!(program.enclosing_definition(within), Some(program.body()));
        assert_eq!(program.enclosing_definition(program.body()), None);
        assert_eq!(program.siblings(parameters[0]), (None, Some(parameters[1])));
        assert_eq!(program.siblings(parameters[1]).0, Some(parameters[0]));
        assert!(all.iter().skip(1).all(|&id| program.parent(id).is_some()));
    }
}

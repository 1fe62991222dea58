//! The parts of a sequence during parsing: which characters form one text.

use super::ast::Node;
use crate::case;

/// The relation of an atom to the preceding one. Adjacent characters form one text, and a text compared
/// without case can match with fewer or more characters (`ss` and `ß`).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Join {
    /// It is not part of a text.
    #[default]
    Apart,
    /// It begins a text.
    Begin,
    /// It continues a text, or begins one.
    Go,
}

/// The parts of a sequence in order.
pub(super) struct Run {
    parts: Vec<Node>,
    /// The number of parts at the end that form one text.
    text: usize,
    /// Whether this is in a look-behind, where characters stay separate.
    is_behind: bool,
}

impl Run {
    pub fn new(is_behind: bool) -> Self {
        Self { parts: Vec::new(), text: 0, is_behind }
    }

    pub fn push(&mut self, node: Node, join: Join) {
        match join {
            Join::Go => self.text += 1,
            Join::Begin => {
                self.close();
                self.text = 1;
            }
            Join::Apart => self.close(),
        }
        self.parts.push(node);
    }

    /// Ends a text: characters that can match with another length become one part.
    fn close(&mut self) {
        let text = std::mem::take(&mut self.text);
        let begin = self.parts.len() - text;
        let Some(parts) = self.parts.get(begin..) else { return };
        if text < 2 || self.is_behind {
            return;
        }
        let mut folded = Vec::new();
        for part in parts {
            match part {
                Node::Literal { character, fold: true } => folded.extend(case::fold([*character])),
                Node::Folded(text) => folded.extend_from_slice(text),
                _ => return,
            }
        }
        if case::has_other_lengths(&folded) {
            self.parts.truncate(begin);
            self.parts.push(Node::Folded(folded.into()));
        }
    }

    pub fn finish(mut self) -> Node {
        self.close();
        match self.parts.len() {
            0 => Node::Empty,
            1 => self.parts.remove(0),
            _ => Node::Concat(self.parts),
        }
    }
}

/// A group with options: its alternatives and its text are separate from the enclosing ones.
pub(super) fn apart(body: Node) -> Node {
    match body {
        Node::Alternatives(_) | Node::Literal { .. } | Node::Folded(_) => Node::Concat(vec![body]),
        body => body,
    }
}

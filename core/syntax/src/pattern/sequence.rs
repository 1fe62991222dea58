//! The parts of a sequence while a pattern is read: which characters are one text.

use super::ast::Node;
use crate::case;

/// How an atom stands to what was read before it. Characters in a row are one text, and a text compared
/// without case may match with fewer or more characters (`ss` and `ß`).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Join {
    /// It is no part of a text.
    #[default]
    Apart,
    /// It begins a text.
    Begin,
    /// It goes on with one, or begins one.
    Go,
}

/// The parts of a sequence as they come.
pub(super) struct Run {
    parts: Vec<Node>,
    /// How many of the last parts are one text.
    text: usize,
    /// Whether this stands in a look-behind, where a character stays one.
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

    /// Ends a text: what may match with another number of characters becomes one part.
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

/// A group with options: neither its alternatives nor its text are those of what it stands in.
pub(super) fn apart(body: Node) -> Node {
    match body {
        Node::Alternatives(_) | Node::Literal { .. } | Node::Folded(_) => Node::Concat(vec![body]),
        body => body,
    }
}

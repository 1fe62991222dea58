//! The parts of a sequence during parsing: which characters form one text.

use super::ast::Node;
use super::behind::expanded;
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

/// What becomes of texts without case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// They are compared in their folded form.
    Fold,
    /// Their characters stay separate, in look-behinds.
    Keep,
    /// They become alternatives, in look-behinds of Unicode patterns.
    Expand,
}

/// The parts of a sequence in order.
pub(super) struct Run {
    parts: Vec<Node>,
    /// The number of parts at the end that form one text.
    text: usize,
    texts: Texts,
}

impl Run {
    pub fn new(texts: Texts) -> Self {
        Self { parts: Vec::new(), text: 0, texts }
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
        match self.texts {
            Texts::Fold if text < 2 => return,
            Texts::Fold => {}
            Texts::Keep => return,
            Texts::Expand => return self.expand(begin),
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

    /// Writes out the other forms of a text.
    fn expand(&mut self, begin: usize) {
        let characters = self.parts.iter().skip(begin).map(|part| match part {
            Node::Literal { character, fold: true } => Some(*character),
            _ => None,
        });
        if let Some(text) = characters.collect::<Option<Vec<char>>>() {
            self.parts.truncate(begin);
            self.parts.extend(expanded(&text));
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

//! Which comments belong to a node.

use super::{Comment, NodeId, Program};
use crate::source::Span;

impl Program {
    /// The comments right above a node, without an empty line between: what documents a definition.
    pub fn leading_comments(&self, id: NodeId) -> &[Comment] {
        let comments = self.comments();
        let last = comments.partition_point(|comment| comment.span.end <= self.span(id).start);
        let mut below = self.span(id).start;
        let mut first = last;
        while let Some(comment) = first.checked_sub(1).and_then(|at| comments.get(at)) {
            if !self.is_line_above(comment.span, below) {
                break;
            }
            below = comment.span.start;
            first -= 1;
        }
        comments.get(first..last).unwrap_or_default()
    }

    /// The comment behind a node on its last line.
    pub fn trailing_comment(&self, id: NodeId) -> Option<Comment> {
        let end = self.span(id).end;
        let comments = self.comments();
        let comment = *comments.get(comments.partition_point(|comment| comment.span.start < end))?;
        let between = self.source().slice(Span::new(end, comment.span.start));
        // What may stand between an element and its comment.
        let is_behind = between.chars().all(|character| matches!(character, ' ' | '\t' | ',' | ';' | '{'));
        is_behind.then_some(comment)
    }

    /// Whether a comment has a line of its own, right above what starts at `below`.
    fn is_line_above(&self, comment: Span, below: u32) -> bool {
        let text = self.source().text();
        let between = text.get(comment.end as usize..below as usize).unwrap_or("x");
        let before = text.get(..comment.start as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        between.trim().is_empty() && between.matches('\n').count() <= 1 && line.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::source::Source;
    use crate::syntax::{ParseOptions, parse};

    #[test]
    fn comments_belong_to_what_stands_below_or_before_them() {
        let text = "# apart\n\n# one\n# two\nclass a { # behind\n}\n";
        let source = Arc::new(Source::new(None, text));
        let program = parse(source, &ParseOptions::default()).expect("the text parses");
        let shown = |span| program.source().slice(span);
        let above = program.leading_comments(program.body());
        assert_eq!(above.iter().map(|comment| shown(comment.span)).collect::<Vec<_>>(), ["# one", "# two"]);
        assert!(program.trailing_comment(program.body()).is_none());
    }
}

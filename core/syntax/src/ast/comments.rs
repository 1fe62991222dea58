//! Which comments belong to a node.

use super::{Comment, NodeId, Program};
use crate::source::Span;

impl Program {
    /// The comments directly above a node, each on a line of its own, without an empty line between: the
    /// documentation of a definition or a parameter.
    pub fn leading_comments(&self, id: NodeId) -> &[Comment] {
        let (first, last) = self.leading_range(id);
        self.comments().get(first..last).unwrap_or_default()
    }

    /// As [`leading_comments`](Self::leading_comments), as indices into [`comments`](Self::comments): the
    /// first, and the one after the last.
    pub fn leading_range(&self, id: NodeId) -> (usize, usize) {
        let comments = self.comments();
        let mut below = self.extent(id).start;
        let last = comments.partition_point(|comment| comment.span.end <= below);
        let mut first = last;
        while let Some(comment) = first.checked_sub(1).and_then(|at| comments.get(at)) {
            if !self.is_line_above(comment.span, below) {
                break;
            }
            below = comment.span.start;
            first -= 1;
        }
        (first, last)
    }

    /// The comment after a node on its last line.
    pub fn trailing_comment(&self, id: NodeId) -> Option<Comment> {
        let end = self.extent(id).end;
        let comments = self.comments();
        let comment = *comments.get(comments.partition_point(|comment| comment.span.start < end))?;
        let between = self.source().slice(Span::new(end, comment.span.start));
        // The characters that can separate an element from its comment.
        let is_behind = between.chars().all(|character| matches!(character, ' ' | '\t' | ',' | ';' | '{'));
        is_behind.then_some(comment)
    }

    /// The text of the comments above a node, or else of the one after it, without the marks of comments and
    /// with its lines separated by `\n`. The marks are `#` with a space, `/*` and `*/` with the `*` at the
    /// start of the lines between them.
    pub fn documentation(&self, id: NodeId) -> Option<String> {
        let leading = self.leading_comments(id);
        if leading.is_empty() {
            return self.trailing_comment(id).map(|comment| self.comment_text(comment));
        }
        let texts: Vec<String> = leading.iter().map(|&comment| self.comment_text(comment)).collect();
        Some(texts.join("\n"))
    }

    /// The text of a comment, without its marks.
    pub fn comment_text(&self, comment: Comment) -> String {
        let text = self.source().slice(comment.span);
        let Some(block) = text.strip_prefix("/*") else {
            let line = text.strip_prefix('#').unwrap_or(text);
            return line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
        };
        let block = block.strip_suffix("*/").unwrap_or(block).trim_start_matches('*');
        let lines = block.lines().enumerate().map(|(number, line)| {
            let marked = line.trim_start().strip_prefix('*').filter(|_| number > 0);
            let line = marked.unwrap_or(line);
            line.strip_prefix(' ').unwrap_or(line).trim_end()
        });
        lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
    }

    /// Whether a comment has a line of its own, directly above the node that starts at `below`.
    fn is_line_above(&self, comment: Span, below: u32) -> bool {
        let text = self.source().text();
        let between = text.get(comment.end as usize..below as usize).unwrap_or("x");
        let before = text.get(..comment.start as usize).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        between.trim().is_empty() && between.matches('\n').count() <= 1 && line.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::ast::{Kind, NodeId, Program};
    use crate::source::Source;
    use crate::{ParseOptions, parse};

    fn program(text: &str) -> Program {
        let source = Arc::new(Source::new(None, text));
        parse(source, &ParseOptions { tasks: true, ..ParseOptions::default() }).expect("the text parses")
    }

    fn nodes(program: &Program, kind: Kind) -> Vec<NodeId> {
        let ids = (0..program.node_count() as u32).filter_map(NodeId::from_index);
        ids.filter(|&id| program.node(id).kind() == kind).collect()
    }

    #[test]
    fn comments_belong_to_what_stands_below_or_before_them() {
        let program = program("# apart\n\n# one\n# two\nclass a { # behind\n}\n");
        assert_eq!(program.leading_comments(program.body()).len(), 2);
        assert_eq!(program.documentation(program.body()).as_deref(), Some("one\ntwo"));
        assert!(program.trailing_comment(program.body()).is_none());
    }

    #[test]
    fn every_definition_and_parameter_has_its_comment() {
        let program = program(
            "# the class\nclass a (\n  # first\n  Integer $a, # not second\n  Optional[String] $b = undef, # second\n\
             \x20 # third\n  # more\n  $c = [1,\n  2],\n  $d) { }\n\
             # the define\ndefine b() { }\n# the function\nfunction c() >> Any { }\n# the alias\ntype D = Integer\n\
             /**\n * the plan\n *   in two\n */\nplan e() { }\n# the node\nnode 'x' { }\n",
        );
        let told = |kind| -> Vec<Option<String>> {
            nodes(&program, kind).into_iter().map(|id| program.documentation(id)).collect()
        };
        let some = |text: &str| vec![Some(text.to_owned())];
        assert_eq!(told(Kind::HostClassDefinition), some("the class"));
        assert_eq!(told(Kind::ResourceTypeDefinition), some("the define"));
        assert_eq!(told(Kind::FunctionDefinition), some("the function"));
        assert_eq!(told(Kind::TypeAlias), some("the alias"));
        assert_eq!(told(Kind::PlanDefinition), some("the plan\n  in two"));
        assert_eq!(told(Kind::NodeDefinition), some("the node"));
        let parameters: Vec<Option<String>> = told(Kind::Parameter);
        let parameters: Vec<Option<&str>> = parameters.iter().map(Option::as_deref).collect();
        assert_eq!(parameters, [Some("first"), Some("second"), Some("third\nmore"), None]);
    }
}

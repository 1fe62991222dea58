//! Assigns each comment of a text to a node, with its position relative to the node.
//!
//! The spans of nodes are not sufficient: some nodes end too early, as in the reference. So this walks the
//! tokens, whose brackets and separators determine the neighbours of a comment.

use std::collections::VecDeque;

use super::tree::NOWHERE;
use super::{Kind, Node, NodeId, Program};
use crate::source::Span;
use crate::token::TokenKind as Token;
use crate::tokens::{StretchKind, Tokens};

/// The position of a comment relative to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On a line of its own before the node.
    Leading,
    /// After the node: on its line, or on the lines below it if nothing else follows in the same brackets.
    Trailing,
    /// Inside the node, with no other node beside it: after its opening bracket, or in empty brackets.
    Dangling,
}

impl Placement {
    /// The name of the position in other languages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leading => "leading",
            Self::Trailing => "trailing",
            Self::Dangling => "dangling",
        }
    }
}

/// A comment with the node that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedComment {
    /// The place of the comment.
    pub span: Span,
    /// The node.
    pub node: NodeId,
    /// The position relative to the node.
    pub placement: Placement,
}

impl Program {
    /// The comments with their nodes, in the order of the text; those in interpolations of heredocs belong to
    /// the heredoc. This lexes the text again.
    pub fn placed_comments(&self) -> Vec<PlacedComment> {
        if self.comments().is_empty() {
            return Vec::new();
        }
        let tokens = Tokens::of_program(self);
        let mut walk = Walk::new(self);
        for stretch in tokens.stretches() {
            match stretch.kind {
                StretchKind::Comment => walk.comment(stretch.span),
                StretchKind::LineEnd => walk.end_line(),
                StretchKind::HeredocText => walk.heredoc(stretch.span),
                StretchKind::Token(kind) => walk.token(kind, stretch.span),
                StretchKind::TemplateOpen | StretchKind::TemplateClose | StretchKind::TemplateText => {
                    walk.token(Token::Semic, stretch.span);
                }
                _ => {}
            }
        }
        walk.token(Token::End, Span::new(u32::MAX, u32::MAX));
        walk.placed.sort_by_key(|placed| placed.span.start);
        walk.placed
    }
}

/// Brackets around the place, or the whole text.
struct Around {
    /// The node that the brackets belong to.
    node: NodeId,
    /// The current member.
    member: Option<NodeId>,
    /// Whether the next token begins a member.
    begins: bool,
}

struct Walk<'p> {
    program: &'p Program,
    /// The outermost node that begins at an offset, in the order of the offsets.
    starting: Vec<(u32, NodeId)>,
    /// Where members begin without a separator before them: statements, options of cases.
    members: Vec<u32>,
    around: Vec<Around>,
    /// Comments that wait for the next token, and whether they have lines of their own.
    waiting: Vec<(Span, bool)>,
    in_line: bool,
    /// The offsets of heredoc tags whose texts follow.
    tags: VecDeque<u32>,
    placed: Vec<PlacedComment>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        let starts = program.starts();
        let mut starting: Vec<(u32, NodeId)> = program
            .ids()
            .map(|id| (starts[id.index()], id))
            .filter(|&(start, id)| start != NOWHERE && !is_block(program, id))
            .collect();
        // If several nodes begin at an offset, the last one encloses the others.
        starting.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        starting.dedup_by_key(|&mut (start, _)| start);
        let mut members: Vec<u32> = Vec::new();
        for id in program.ids() {
            match *program.node(id) {
                Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                    members.extend(program.list(statements).iter().map(|one| starts[one.index()]));
                }
                Node::CaseOption { .. } => members.push(starts[id.index()]),
                _ => {}
            }
        }
        members.sort_unstable();
        let whole = Around { node: program.body(), member: None, begins: true };
        Self {
            program,
            starting,
            members,
            around: vec![whole],
            waiting: Vec::new(),
            in_line: false,
            tags: VecDeque::new(),
            placed: Vec::new(),
        }
    }

    fn node_at(&self, offset: u32) -> Option<NodeId> {
        let found = self.starting.binary_search_by_key(&offset, |&(start, _)| start).ok()?;
        self.starting.get(found).map(|&(_, id)| id)
    }

    fn top(&mut self) -> Option<&mut Around> {
        self.around.last_mut()
    }

    fn comment(&mut self, span: Span) {
        self.waiting.push((span, !self.in_line));
        self.in_line = true;
    }

    fn end_line(&mut self) {
        self.in_line = false;
    }

    fn heredoc(&mut self, span: Span) {
        self.in_line = false;
        let node = self.tags.pop_front().and_then(|tag| self.node_at(tag)).unwrap_or(self.program.body());
        let comments = self.program.comments();
        let first = comments.partition_point(|comment| comment.span.start < span.start);
        let within = comments.iter().skip(first).take_while(|comment| comment.span.start < span.end);
        self.placed.extend(within.map(|comment| PlacedComment {
            span: comment.span,
            node,
            placement: Placement::Dangling,
        }));
    }

    fn token(&mut self, kind: Token, span: Span) {
        let closes = matches!(
            kind,
            Token::RBrace
                | Token::RBrack
                | Token::RParen
                | Token::RCollect
                | Token::RrCollect
                | Token::DqPost
        );
        let node = self.node_at(span.start);
        let begins = self.around.last().is_some_and(|around| around.begins)
            || self.members.binary_search(&span.start).is_ok();
        self.place_waiting(closes || kind == Token::End, node.filter(|_| begins));
        self.in_line = true;
        if closes && self.around.len() > 1 {
            self.around.pop();
            return;
        }
        if kind == Token::Heredoc {
            self.tags.push_back(span.start);
        }
        let separates = matches!(kind, Token::Comma | Token::Semic | Token::Colon | Token::DqMid);
        let Some(top) = self.top() else { return };
        if begins && !separates {
            top.member = node.or(top.member);
            top.begins = false;
        }
        top.begins |= separates;
        let opens = matches!(
            kind,
            Token::LBrace
                | Token::SelBrace
                | Token::LBrack
                | Token::ListStart
                | Token::LParen
                | Token::WsLParen
                | Token::LCollect
                | Token::LlCollect
                | Token::DqPre
        );
        if opens {
            let own =
                node.filter(|_| !begins || matches!(kind, Token::LBrack | Token::ListStart | Token::LBrace));
            let node = own.or(top.member).unwrap_or(top.node);
            self.around.push(Around { node, member: None, begins: true });
        }
    }

    /// Places the comments before a token, which closes brackets or begins a member.
    fn place_waiting(&mut self, closes: bool, next: Option<NodeId>) {
        let Some(around) = self.around.last() else { return };
        let (node, member) = (around.node, around.member);
        for (span, is_own_line) in std::mem::take(&mut self.waiting) {
            let (node, placement) = match (is_own_line, member, next) {
                (true, _, Some(next)) if !closes => (next, Placement::Leading),
                (_, Some(member), _) => (member, Placement::Trailing),
                _ => (node, Placement::Dangling),
            };
            self.placed.push(PlacedComment { span, node, placement });
        }
    }
}

/// Whether a node is a sequence of statements, whose comments belong to the statements.
fn is_block(program: &Program, id: NodeId) -> bool {
    matches!(
        program.node(id).kind(),
        Kind::BlockExpression | Kind::ApplyBlockExpression | Kind::ResourceBody | Kind::Nop
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::source::Source;
    use crate::{ParseOptions, parse};

    #[test]
    fn comments_have_nodes() {
        let text = "# a\nclass a { # b\n  # c\n  $x = [ # d\n    1, # e\n    # f\n  ] # g\n  # h\n}\n# i\n\
                    notify { 'n': } # j\nif $y { # k\n}\n$z = @(\"E\")\n  ${1 # l\n  }\n  | E\n# m\n";
        let source = Arc::new(Source::new(None, text));
        let options = ParseOptions::default();
        let program = parse(source, &options).expect("the text parses");
        let told: Vec<String> = program
            .placed_comments()
            .into_iter()
            .map(|placed| {
                let text = program.source().slice(placed.span);
                format!("{text} {} {}", placed.placement.name(), program.node(placed.node).kind().name())
            })
            .collect();
        assert_eq!(
            told,
            [
                "# a leading HostClassDefinition",
                "# b dangling HostClassDefinition",
                "# c leading AssignmentExpression",
                "# d dangling LiteralList",
                "# e trailing LiteralInteger",
                "# f trailing LiteralInteger",
                "# g trailing AssignmentExpression",
                "# h trailing AssignmentExpression",
                "# i leading ResourceExpression",
                "# j trailing ResourceExpression",
                "# k dangling IfExpression",
                "# l dangling HeredocExpression",
                "# m trailing AssignmentExpression",
            ]
        );
    }
}

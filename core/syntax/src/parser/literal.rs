//! Literals: numbers, variables, arrays, hashes, strings with interpolations, heredocs.

use super::call::Members;
use super::{Failed, Lexer, Node, NodeId, Parsed, Parser, Span, Token, TokenKind};
use crate::ast::nodes::Radix;
use crate::diagnostic::{Issue, Report};
use crate::lexer::{Content, Sublocation};

impl Parser<'_, '_> {
    /// The name in a variable starts after the `$`, in the reference even if there is none. For `${true}` the
    /// reference uses the value of the keyword as the name.
    pub(super) fn variable(&mut self, token: Token) -> NodeId {
        let span = token.span;
        let is_bare = token.text.len() == span.len();
        let name = match is_bare.then(|| self.text(token.text)) {
            Some("true") => Node::LiteralBoolean { value: true },
            Some("false") => Node::LiteralBoolean { value: false },
            _ => Node::QualifiedName { value: token.text },
        };
        let expr = self.node(name, Span::new(span.start + 1, span.end.max(span.start + 1)));
        self.node(Node::VariableExpression { expr }, span)
    }

    /// A number whose form the lexer has checked.
    pub(super) fn number(&mut self, token: Token) -> Parsed<NodeId> {
        let text = self.text(token.text);
        let bytes = text.as_bytes();
        let (radix, digits) = match bytes {
            [b'0', b'x' | b'X', ..] => (Radix::Hexadecimal, &text[2..]),
            [b'0', b'0'..=b'9', ..] => (Radix::Octal, &text[1..]),
            _ => (Radix::Decimal, text),
        };
        if radix == Radix::Decimal && memchr::memchr3(b'.', b'e', b'E', bytes).is_some() {
            let value =
                text.parse::<f64>().ok().filter(|value| value.is_finite() && !is_zero_with_exponent(text));
            return match value {
                Some(value) => Ok(self.node(Node::LiteralFloat { value }, token.span)),
                None => {
                    let message =
                        format!("Internal Error, NUMBER token does not contain a valid number, {text}");
                    let report = Report { issue: Issue::NONE, message };
                    let diagnostic = report.unplaced(self.lexer.source(), token.span);
                    Err(self.fail(diagnostic))
                }
            };
        }
        match i64::from_str_radix(digits, radix as u32) {
            Ok(value) => Ok(self.node(Node::LiteralInteger { radix, value }, token.span)),
            Err(_) => {
                let id = self.node(Node::LiteralInteger { radix, value: i64::MAX }, token.span);
                self.state.tree.big_integer(id, token.text);
                Ok(id)
            }
        }
    }

    /// `[value, …]`; the bracket has been read.
    pub(super) fn array(&mut self, open: Token) -> Parsed<NodeId> {
        let mark = self.mark();
        if !self.is_at(TokenKind::RBrack) {
            self.members(Members::Entries, true)?;
        }
        let end = self.expect(TokenKind::RBrack)?.span.end;
        let values = self.list(mark);
        Ok(self.node(Node::LiteralList { values }, Span::new(open.span.start, end)))
    }

    /// `{ key => value, … }`; the brace has been read.
    pub(super) fn hash(&mut self, open: Token) -> Parsed<NodeId> {
        let mark = self.mark();
        if !self.is_at(TokenKind::RBrace) {
            let key = self.hash_member()?;
            self.hash_entries(key)?;
        }
        self.end_of_hash(open, mark)
    }

    /// The entries of a hash whose first key has been read, left on the scratch stack.
    pub(super) fn hash_entries(&mut self, mut key: NodeId) -> Parsed<()> {
        loop {
            let entry = self.entry(key)?;
            self.push(entry);
            if !self.accept(TokenKind::Comma) || !self.token.kind.starts_expression() {
                return Ok(());
            }
            key = self.hash_member()?;
        }
    }

    /// The closing brace of a hash.
    pub(super) fn end_of_hash(&mut self, open: Token, mark: usize) -> Parsed<NodeId> {
        let end = self.expect(TokenKind::RBrace)?.span.end;
        let entries = self.list(mark);
        Ok(self.node(Node::LiteralHash { entries }, Span::new(open.span.start, end)))
    }

    /// A string with interpolations, whose first piece has been read. Empty pieces are omitted.
    pub(super) fn interpolated(&mut self, first: Token) -> Parsed<NodeId> {
        let start = first.span.start;
        let mark = self.mark();
        let mut piece = first;
        loop {
            if !piece.text.is_empty() {
                let literal = self.node(Node::LiteralString { value: piece.text }, piece.span);
                self.push(literal);
            }
            if piece.kind == TokenKind::DqPost {
                break;
            }
            let expr = self.assignment()?;
            let expr = self.interpolate(expr);
            if !matches!(self.token.kind, TokenKind::DqMid | TokenKind::DqPost) {
                return Err(self.syntax_error());
            }
            let text = self.node(Node::TextExpression { expr }, Span::new(start, start));
            self.push(text);
            piece = self.take();
        }
        let segments = self.list(mark);
        Ok(self.node(Node::ConcatenatedString { segments }, Span::new(start, piece.span.end)))
    }

    /// The content of `${}` can name a variable without its `$`: a name, a number, and the same at the root
    /// of keys, names and calls after it.
    fn interpolate(&mut self, id: NodeId) -> NodeId {
        match self.peek_node(id) {
            Node::QualifiedName { .. } | Node::LiteralInteger { .. } => {
                self.node(Node::VariableExpression { expr: id }, self.span(id))
            }
            _ => {
                self.interpolate_root(id);
                id
            }
        }
    }

    fn interpolate_root(&mut self, mut id: NodeId) {
        loop {
            let node = self.peek_node(id);
            let root = match node {
                Node::AccessExpression { left_expr, .. } | Node::NamedAccessExpression { left_expr, .. } => {
                    left_expr
                }
                Node::CallMethodExpression { functor_expr, .. } => functor_expr,
                _ => return,
            };
            let names = match self.peek_node(root) {
                Node::QualifiedName { .. } => true,
                Node::LiteralInteger { radix, .. } => radix == Radix::Decimal,
                _ => false,
            };
            if names {
                let variable = self.node(Node::VariableExpression { expr: root }, self.span(root));
                let node = match node {
                    Node::AccessExpression { keys, .. } => {
                        Node::AccessExpression { left_expr: variable, keys }
                    }
                    Node::NamedAccessExpression { right_expr, .. } => {
                        Node::NamedAccessExpression { left_expr: variable, right_expr }
                    }
                    other => other,
                };
                self.set_node(id, node);
                return;
            }
            id = root;
        }
    }

    /// `@(TAG)` and its text; the tag has been read.
    pub(super) fn heredoc(&mut self, tag: Token) -> Parsed<NodeId> {
        let Some(heredoc) = self.lexer.take_heredoc() else { return Err(self.syntax_error()) };
        let margins = heredoc.margins.as_deref();
        let parent = self.lexer.sublocation();
        let text_expr = match heredoc.content {
            Content::Text { text, length } => {
                let raw = if margins.is_some() { self.text(text) } else { "" };
                let place = Sublocation::new(parent, heredoc.offset, raw, margins);
                self.node(Node::LiteralString { value: text }, place.to_global(Span::new(0, length)))
            }
            Content::Interpolated { ref text, base, escapes } => {
                let place = Sublocation::new(parent, heredoc.offset, text, margins);
                let first = self.state.tree.program().node_count();
                let output = self.take_output();
                let comments = output.comments.len();
                let source = self.lexer.source();
                let lexer = Lexer::of_heredoc(source, text, &place, base, escapes, &self.lexer, output);
                let mut parser = Parser::new(lexer, &mut *self.state);
                let result = parser.heredoc_text();
                let mut output = parser.take_output();
                for comment in &mut output.comments[comments..] {
                    comment.span = place.to_global(comment.span);
                }
                self.lexer.output = output;
                self.state.tree.move_spans(first, |span| place.to_global(span));
                match result {
                    Ok(text) => text,
                    Err(Failed) => {
                        if let Some(error) = self.lexer.drain() {
                            self.state.failure = Some(error);
                        }
                        return Err(Failed);
                    }
                }
            }
        };
        Ok(self.node(Node::HeredocExpression { syntax: Some(heredoc.syntax), text_expr }, tag.span))
    }

    /// The whole text of a heredoc.
    fn heredoc_text(&mut self) -> Parsed<NodeId> {
        let token = self.take();
        let text = match token.kind {
            TokenKind::String => self.node(Node::LiteralString { value: token.text }, token.span),
            TokenKind::DqPre => self.interpolated(token)?,
            _ => {
                self.token = token;
                return Err(self.syntax_error());
            }
        };
        if self.token.kind == TokenKind::End { Ok(text) } else { Err(self.syntax_error()) }
    }
}

/// Whether a number is a zero with an exponent, which the reference does not parse as one.
fn is_zero_with_exponent(text: &str) -> bool {
    text.split_once(['e', 'E'])
        .is_some_and(|(number, _)| number.bytes().all(|byte| matches!(byte, b'0' | b'.')))
}

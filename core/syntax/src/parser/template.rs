//! Templates: their parameters, their body, and `<%= %>`.

use super::{List, Node, NodeId, Parsed, Parser, Span, Token, TokenKind};

impl Parser<'_, '_> {
    /// A whole template: a lambda of its parameters.
    pub(super) fn template(&mut self) -> Parsed<NodeId> {
        let parameters_specified = self.accept(TokenKind::Pipe);
        let mut parameters = List::EMPTY;
        if parameters_specified {
            let mark = self.mark();
            if !self.is_at(TokenKind::Pipe) {
                self.parameters()?;
            }
            self.parameters_end(TokenKind::Pipe)?;
            parameters = self.list(mark);
        }
        let start = Span::new(0, 0);
        let body = if self.is_at(TokenKind::End) {
            None
        } else {
            let mark = self.all_statements()?;
            Some(self.block(mark, start))
        };
        let body = self.node(Node::EppExpression { parameters_specified, body }, start);
        Ok(self.node(Node::LambdaExpression { parameters, body: Some(body), return_type: None }, start))
    }

    /// `<%= expression %>` or `<%= { statements } %>`; the opening has been read.
    pub(super) fn render_expression(&mut self, open: Token) -> Parsed<NodeId> {
        let start = open.span.start;
        let expr = if self.is_at(TokenKind::LBrace) {
            let brace = self.take();
            match self.hash_or_statements(brace)? {
                Braced::Statements(expr) => {
                    let end = self.template_tag_end()?;
                    return Ok(self.node(Node::RenderExpression { expr }, Span::new(start, end)));
                }
                Braced::Hash(hash) => self.climb(Some(hash), 1)?,
            }
        } else {
            self.expression()?
        };
        let end = self.template_tag_end()?;
        Ok(self.node(Node::RenderExpression { expr }, Span::new(start, end)))
    }

    fn template_tag_end(&mut self) -> Parsed<u32> {
        match self.token.kind {
            TokenKind::EppEnd | TokenKind::EppEndTrim => Ok(self.take().span.end),
            _ => Err(self.syntax_error()),
        }
    }

    /// `{ … }` is a hash if it is empty or a `=>` follows its first expression.
    fn hash_or_statements(&mut self, open: Token) -> Parsed<Braced> {
        let mark = self.mark();
        if self.is_at(TokenKind::RBrace) {
            return self.end_of_hash(open, mark).map(Braced::Hash);
        }
        let first = self.hash_member()?;
        if self.is_at(TokenKind::FArrow) {
            self.hash_entries(first)?;
            return self.end_of_hash(open, mark).map(Braced::Hash);
        }
        self.statements_from(Some(first))?;
        let close = self.block_end()?;
        Ok(Braced::Statements(self.block_or_expression(mark, Some(open.span.to(close)))))
    }
}

/// The content of braces after `<%=`.
enum Braced {
    Hash(NodeId),
    Statements(NodeId),
}

//! Control flow: `if`, `unless`, `case`, selectors.

use super::{Node, NodeId, Parsed, Parser, Span, Token, TokenKind};

/// An `if` or `elsif` up to its closing brace.
struct IfPart {
    start: u32,
    test: NodeId,
    then_expr: Option<NodeId>,
    end: u32,
}

impl Parser<'_, '_> {
    /// `if test { … } elsif test { … } else { … }`; the word has been read. An `elsif` is an `if` in the
    /// `else`.
    pub(super) fn if_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let mut part = self.if_part(word)?;
        let mut outer: Vec<IfPart> = Vec::new();
        while self.is_at(TokenKind::Elsif) {
            self.grow()?;
            let word = self.take();
            let next = self.if_part(word)?;
            outer.push(std::mem::replace(&mut part, next));
        }
        let else_expr = if self.accept(TokenKind::Else) { self.braced_statements()?.0 } else { None };
        let mut node = self.finish_if(part, else_expr);
        while let Some(part) = outer.pop() {
            node = self.finish_if(part, Some(node));
        }
        Ok(node)
    }

    /// The part after `if` and `elsif`.
    fn if_part(&mut self, word: Token) -> Parsed<IfPart> {
        let test = self.expression()?;
        let (then_expr, close) = self.braced_statements()?;
        Ok(IfPart { start: word.span.start, test, then_expr, end: close.end })
    }

    /// The node starts at its word, but has the length from its test, as in the reference.
    fn finish_if(&mut self, part: IfPart, else_expr: Option<NodeId>) -> NodeId {
        let IfPart { start, test, then_expr, end } = part;
        let end = else_expr.map_or(end, |node| self.span(node).end);
        let length = Span::new(self.span(test).start, end).len();
        self.node(Node::IfExpression { test, then_expr, else_expr }, Span::new(start, start + length))
    }

    /// `unless test { … } else { … }`; the word has been read.
    pub(super) fn unless_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let test = self.expression()?;
        let (then_expr, brace) = self.braced_statements()?;
        let else_expr = if self.accept(TokenKind::Else) { self.braced_statements()?.0 } else { None };
        // Without statements, the end is where the reference (wrongly) looks for it.
        let end = match (then_expr, else_expr) {
            (Some(_), _) => brace.end,
            (None, Some(node)) => self.span(node).end,
            (None, None) => word.span.end,
        };
        let span = Span::new(word.span.start, end);
        Ok(self.node(Node::UnlessExpression { test, then_expr, else_expr }, span))
    }

    /// `{ statements }`, possibly empty: the only statement, or a block from brace to brace. Returns it and
    /// the closing brace.
    fn braced_statements(&mut self) -> Parsed<(Option<NodeId>, Span)> {
        let open = self.expect(TokenKind::LBrace)?.span;
        if self.is_at(TokenKind::RBrace) {
            return Ok((None, self.take().span));
        }
        let mark = self.statements()?;
        let close = self.block_end()?;
        Ok((Some(self.block_or_expression(mark, Some(open.to(close)))), close))
    }

    /// `case test { value, …: { … } … }`; the word has been read.
    pub(super) fn case_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let test = self.expression()?;
        self.expect(TokenKind::LBrace)?;
        let mark = self.mark();
        loop {
            let option = self.case_option()?;
            self.push(option);
            if matches!(self.token.kind, TokenKind::RBrace | TokenKind::End) {
                break;
            }
        }
        let end = self.block_end()?.end;
        let options = self.list(mark);
        Ok(self.node(Node::CaseExpression { test, options }, Span::new(word.span.start, end)))
    }

    fn case_option(&mut self) -> Parsed<NodeId> {
        let mark = self.mark();
        loop {
            let value = self.expression()?;
            self.push(value);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        let start = self.expect(TokenKind::Colon)?.span.start;
        let values = self.list(mark);
        let (then_expr, end) = self.body(start)?;
        Ok(self.node(Node::CaseOption { values, then_expr }, Span::new(start, end.end)))
    }

    /// `left ? { match => value, … }`, `left ? match => value`
    pub(super) fn selector(&mut self, left_expr: NodeId) -> Parsed<NodeId> {
        self.take();
        let mark = self.mark();
        if self.accept(TokenKind::SelBrace) {
            loop {
                let entry = self.selector_entry()?;
                self.push(entry);
                if !self.accept(TokenKind::Comma) || !self.token.kind.starts_expression() {
                    break;
                }
            }
            self.expect(TokenKind::RBrace)?;
        } else {
            let entry = self.nested(Self::selector_entry)?;
            self.push(entry);
        }
        let selectors = self.list(mark);
        let span = self.span(left_expr);
        Ok(self.node(Node::SelectorExpression { left_expr, selectors }, span))
    }

    fn selector_entry(&mut self) -> Parsed<NodeId> {
        let matching_expr = self.expression()?;
        let span = self.expect(TokenKind::FArrow)?.span;
        let value_expr = self.expression()?;
        Ok(self.node(Node::SelectorEntry { matching_expr, value_expr }, span))
    }
}

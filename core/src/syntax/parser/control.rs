//! Control flow: `if`, `unless`, `case`, selectors.

use super::{Node, NodeId, Parsed, Parser, Span, Token, TokenKind};

impl Parser<'_, '_> {
    /// `if test { … } elsif test { … } else { … }`; the word has been read.
    pub(super) fn if_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let node = self.if_part()?;
        self.relocate(node, word.span.start);
        Ok(node)
    }

    /// What stands behind `if` and `elsif`.
    fn if_part(&mut self) -> Parsed<NodeId> {
        let test = self.expression()?;
        let (then_expr, mut end) = self.braced_statements()?;
        let else_expr = match self.token.kind {
            TokenKind::Elsif => {
                let word = self.take();
                self.enter()?;
                let node = self.if_expression(word)?;
                self.leave();
                Some(node)
            }
            TokenKind::Else => {
                self.take();
                self.braced_statements()?.0
            }
            _ => None,
        };
        if let Some(node) = else_expr {
            end = self.span(node);
        }
        let span = Span::new(self.span(test).start, end.end);
        Ok(self.node(Node::IfExpression { test, then_expr, else_expr }, span))
    }

    /// `unless test { … } else { … }`; the word has been read.
    pub(super) fn unless_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let test = self.expression()?;
        let (then_expr, brace) = self.braced_statements()?;
        let else_expr = if self.accept(TokenKind::Else) { self.braced_statements()?.0 } else { None };
        // The place of one without statements ends where the reference (wrongly) looks for it.
        let end = match (then_expr, else_expr) {
            (Some(_), _) => brace.end,
            (None, Some(node)) => self.span(node).end,
            (None, None) => word.span.end,
        };
        let span = Span::new(word.span.start, end);
        Ok(self.node(Node::UnlessExpression { test, then_expr, else_expr }, span))
    }

    /// `{ statements }` with nothing or something in it: the only statement, or a block from brace to brace. Gives it
    /// and the closing brace.
    fn braced_statements(&mut self) -> Parsed<(Option<NodeId>, Span)> {
        let open = self.expect(TokenKind::LBrace)?.span;
        if self.is_at(TokenKind::RBrace) {
            return Ok((None, self.take().span));
        }
        let mark = self.statements()?;
        let close = self.expect(TokenKind::RBrace)?.span;
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
            if self.is_at(TokenKind::RBrace) {
                break;
            }
        }
        let end = self.take().span.end;
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
            self.enter()?;
            let entry = self.selector_entry()?;
            self.leave();
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

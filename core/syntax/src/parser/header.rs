//! Definitions that are typed or damaged: if parsing continues after errors, the name and the parameters of a
//! definition are kept whatever follows them.

use super::recovery::Checkpoint;
use super::{Failed, List, NodeId, Parsed, Parser, Span, Token, TokenKind};

/// Where the header of a definition continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// At its parameters, at `inherits`, or at the body.
    Any,
    /// At the body.
    Body,
}

impl TokenKind {
    /// Whether this word begins a definition.
    const fn is_definition(self) -> bool {
        matches!(self, Self::Class | Self::Define | Self::Function | Self::Node | Self::Type | Self::Plan)
    }
}

impl Parser<'_, '_> {
    /// Skips words of the definition that are written again, if parsing continues after errors.
    pub(super) fn doubled_word(&mut self, word: Token) -> Parsed<()> {
        while self.is_recovering() && self.is_at(word.kind) {
            let failed = self.syntax_error();
            self.tolerate(failed)?;
            self.take();
        }
        Ok(())
    }

    /// A part of the header of the definition that starts at `start`. If it is invalid and parsing continues
    /// after errors, the header is skipped up to its next part, and nothing of the invalid one is kept.
    #[inline]
    pub(super) fn header_part<T>(
        &mut self,
        checkpoint: &Checkpoint,
        start: u32,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        let position = self.position();
        match read(self) {
            Ok(part) => Ok(Some(part)),
            Err(Failed) => {
                if self.is_recovering() {
                    self.go_back(&position);
                }
                self.recover_header(checkpoint, start, Part::Any).map(|()| None)
            }
        }
    }

    /// `(parameters)` of the definition that starts at `start`, as far as they are valid. The parentheses can
    /// be missing.
    pub(super) fn recovered_parameters(&mut self, checkpoint: &Checkpoint, start: u32) -> Parsed<List> {
        use TokenKind as Kind;
        let mark = self.mark();
        let is_open = |kind| matches!(kind, Kind::LParen | Kind::WsLParen);
        let is_parameter = |kind| matches!(kind, Kind::Variable | Kind::ClassRef);
        match self.token.kind {
            Kind::LBrace | Kind::Inherits | Kind::RShift => return Ok(List::EMPTY),
            kind if is_open(kind) => {}
            kind if is_parameter(kind) => {
                let failed = self.syntax_error();
                self.tolerate(failed)?;
                self.refresh();
            }
            _ => {
                self.syntax_error();
                self.recover_header(checkpoint, start, Part::Any)?;
            }
        }
        let has_parameters = is_open(self.token.kind) || is_parameter(self.token.kind);
        if !has_parameters {
            return Ok(List::EMPTY);
        }
        if is_open(self.token.kind) {
            self.take();
        }
        let end = self.is_at(Kind::RParen).then_some(()).map_or_else(|| self.parameters(), Ok);
        if end.and_then(|()| self.parameters_end(Kind::RParen)).is_err() {
            self.recover_header(checkpoint, start, Part::Any)?;
        }
        Ok(self.list(mark))
    }

    /// Skips an invalid part of a header: up to the next one, to the end of the text or the block, or to the
    /// line of another statement.
    #[cold]
    fn recover_header(&mut self, checkpoint: &Checkpoint, start: u32, part: Part) -> Parsed<()> {
        self.tolerate(Failed)?;
        self.restore(checkpoint);
        self.refresh();
        let first = self.token.span.start;
        loop {
            let kind = self.token.kind;
            let level = self.lexer.level(&self.token);
            let is_here = level == checkpoint.level();
            let is_behind = self.token.span.start > first;
            let is_part = matches!(kind, TokenKind::LParen | TokenKind::WsLParen | TokenKind::Inherits);
            if kind == TokenKind::End
                || kind == TokenKind::LBrace && is_here
                || kind == TokenKind::RBrace && self.lexer.braces() < checkpoint.level()
                || level < checkpoint.level()
                || is_behind && is_here && is_part && part == Part::Any
                || is_behind && is_here && kind.starts_expression() && self.lexer.is_first(&self.token)
                || self.is_at_other_definition(start)
            {
                return Ok(());
            }
            self.take();
            self.refresh();
        }
    }

    /// Whether the line of another definition than that from `start` begins here, as far left or farther.
    pub(super) fn is_at_other_definition(&self, start: u32) -> bool {
        self.token.kind.is_definition()
            && self.token.span.start >= start
            && self.lexer.is_first(&self.token)
            && self.lexer.column(self.token.span.start) <= self.lexer.column(start)
    }

    /// The body of the definition that starts at `start`. It can be missing or incomplete if parsing
    /// continues after errors.
    #[inline]
    pub(super) fn definition_body(
        &mut self,
        checkpoint: &Checkpoint,
        start: u32,
    ) -> Parsed<(Option<NodeId>, Span)> {
        if !self.is_recovering() {
            return self.body(start);
        }
        self.recovered_body(checkpoint, start)
    }

    fn recovered_body(&mut self, checkpoint: &Checkpoint, start: u32) -> Parsed<(Option<NodeId>, Span)> {
        if !self.is_at(TokenKind::LBrace) {
            self.syntax_error();
            self.recover_header(checkpoint, start, Part::Body)?;
        }
        if !self.is_at(TokenKind::LBrace) {
            let end = self.lexer.end_before(&self.token).max(start);
            return Ok((None, Span::new(end, end)));
        }
        let mark = self.mark();
        match self.body(start) {
            Ok(body) => Ok(body),
            Err(Failed) => {
                // The text around the body goes on with the current token.
                self.tolerate(Failed)?;
                self.restore(checkpoint);
                self.refresh();
                let end = self.lexer.end_before(&self.token).max(start);
                Ok((Some(self.block(mark, Span::new(start, start))), Span::new(end, end)))
            }
        }
    }
}

//! Parsing that goes on behind errors, for editors and for reports of more than the first error.
//!
//! A statement that cannot be read becomes an [`Error`](Node::Error) node. Reading goes on behind it: at the brace that
//! closes the block, behind a `;`, or with the next statement that starts a line on the same level of braces. The first
//! error is the one that [`parse`](super::parse) reports.

use std::sync::Arc;

use super::{
    Diagnostic, Failed, Lexer, Node, NodeId, ParseOptions, Parsed, Parser, Program, Source, Span, State,
    TokenKind, byte_order_mark,
};

/// What is enough of errors.
const MAX_ERRORS: usize = 100;

/// A program as far as it could be read.
#[derive(Debug)]
pub struct Recovered {
    /// The program; [`Node::Error`] stands for what could not be read.
    pub program: Program,
    /// The errors, in the order in which they were met; none when the text is sound.
    pub errors: Vec<Diagnostic>,
}

/// Parses a text to its end, errors or not.
pub fn parse_recovering(source: Arc<Source>, options: &ParseOptions) -> Recovered {
    let mut state = State::new(Arc::clone(&source));
    let report = byte_order_mark(source.text().as_bytes());
    state.recovered = Some(report.into_iter().map(super::Report::nowhere).collect());
    let (body, output) = if source.text().len() > super::MAX_LENGTH {
        state.recovered.get_or_insert_default().push(super::too_long().nowhere());
        (state.tree.node(Node::Error {}, Span::default()), super::Output::default())
    } else {
        let lexer = Lexer::new(&source, options.tasks, options.epp);
        let mut parser = Parser::new(lexer, &mut state);
        let body = parser.recovered_program(options.epp);
        (body, parser.take_output())
    };
    let errors = state.recovered.take().unwrap_or_default();
    Recovered {
        program: state.tree.finish_parsed(body, output.pool, output.comments, output.warnings),
        errors,
    }
}

/// What to go back to when a statement fails.
pub(super) struct Checkpoint {
    depth: u32,
    height: u32,
    namespace: usize,
    /// How many braces are open around the statements.
    level: u32,
}

/// Where a statement starts, and what was there before it.
pub(super) struct Position {
    start: u32,
    mark: usize,
    definitions: usize,
}

impl Parser<'_, '_> {
    /// The position of the statement that starts here.
    #[inline]
    pub(super) fn position(&self) -> Position {
        let definitions = self.state.tree.program().definitions().len();
        Position { start: self.token.span.start, mark: self.mark(), definitions }
    }

    /// Forgets what belongs to a statement.
    fn go_back(&mut self, position: &Position) {
        self.state.scratch.truncate(position.mark);
        self.state.tree.forget_definitions(position.definitions);
    }

    #[inline]
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            depth: self.state.depth,
            height: self.state.height,
            namespace: self.state.namespace.len(),
            level: self.lexer.level(&self.token),
        }
    }

    fn recovered_program(&mut self, epp: bool) -> NodeId {
        if epp || self.is_at(TokenKind::End) {
            return self.program(epp).unwrap_or_else(|failed| {
                // Without parameters and statements there is nothing to go on with.
                let _ = self.tolerate(failed);
                self.state.tree.forget_definitions(0);
                self.error_node(0)
            });
        }
        let mark = self.mark();
        loop {
            let start = self.position();
            if self.token.kind.starts_expression() && self.statements().is_err() {
                self.go_back(&start);
                break;
            }
            if self.is_at(TokenKind::End) {
                break;
            }
            // A token that fits nowhere.
            let failed = self.syntax_error();
            if self.tolerate(failed).is_err() {
                break;
            }
            self.refresh();
            let span = self.token.span;
            if !self.is_at(TokenKind::End) {
                self.take();
                self.refresh();
            }
            let error = self.node(Node::Error {}, span);
            self.push(error);
        }
        if self.mark() == mark { self.error_node(0) } else { self.block_or_expression(mark, None) }
    }

    /// Notes an error and goes on, if that is wanted.
    #[cold]
    pub(super) fn tolerate(&mut self, failed: Failed) -> Parsed<()> {
        let Some(errors) = &mut self.state.recovered else { return Err(failed) };
        if let Some(failure) = self.state.failure.take() {
            // Several levels may stumble over the same token.
            if errors.last().is_none_or(|last| last.location != failure.location || last.span != failure.span)
            {
                errors.push(*failure);
            }
        }
        if errors.len() < MAX_ERRORS { Ok(()) } else { Err(failed) }
    }

    /// Makes an error of the statement that started at `start` and has failed, and skips what is left of it.
    #[cold]
    pub(super) fn recover(&mut self, checkpoint: &Checkpoint, statement: &Position) -> Parsed<()> {
        self.tolerate(Failed)?;
        self.state.depth = checkpoint.depth;
        self.state.height = checkpoint.height;
        self.state.namespace.truncate(checkpoint.namespace);
        self.go_back(statement);
        self.refresh();
        let level = checkpoint.level;
        let start = statement.start;
        let mut end = start;
        loop {
            let kind = self.token.kind;
            let braces = self.lexer.braces();
            let closes = kind == TokenKind::RBrace && braces == level.wrapping_sub(1);
            if closes || kind == TokenKind::End {
                break;
            }
            if self.lexer.level(&self.token) < level {
                // The block is over, inside a string say: an outer one goes on.
                return Err(Failed);
            }
            let is_here = self.lexer.level(&self.token) == level;
            if is_here && kind == TokenKind::Semic {
                break;
            }
            let is_behind = self.token.span.start > start;
            if is_here && is_behind && kind.starts_expression() && self.lexer.is_first(&self.token) {
                break;
            }
            end = self.token.span.end.max(end);
            self.take();
            self.refresh();
        }
        let error = self.node(Node::Error {}, Span::new(start, end));
        self.push(error);
        Ok(())
    }

    /// Makes the token the one that the lexer is at: not one inside a string that is over, nor a lexical error.
    fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) && self.lexer.is_ahead(&self.token) {
            self.lexer.forget();
            self.take();
        }
        while self.token.kind == TokenKind::Bad {
            let is_tolerated = self.lexical_error().is_none() || self.tolerate(Failed).is_ok();
            if !is_tolerated || !self.lexer.resume() {
                self.token.kind = TokenKind::End;
                return;
            }
            self.take();
        }
    }

    fn error_node(&mut self, start: u32) -> NodeId {
        let end = self.lexer.source().text().len() as u32;
        self.node(Node::Error {}, Span::new(start.min(end), end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{parse, pn};

    fn recovered(text: &str) -> (String, Vec<String>) {
        let source = Arc::new(Source::new(None, text));
        let Recovered { program, errors } = parse_recovering(Arc::clone(&source), &ParseOptions::default());
        let first = parse(source, &ParseOptions::default()).err();
        assert_eq!(errors.first(), first.as_ref());
        (
            pn::to_text(&program, program.body()).expect("it has a notation"),
            errors.into_iter().map(|error| error.message).collect(),
        )
    }

    #[test]
    fn statements_around_an_error_are_read() {
        let (tree, errors) =
            recovered("$a = 1\nclass c {\n  $b = )\n  file { '/x': ensure => , }\n  $d = 2\n}\n$e = 3\n");
        assert_eq!(
            tree,
            "(block (= (var \"a\") 1) (class {:name \"c\" :body [(error) (error) (= (var \"d\") 2)]}) (= (var \"e\") 3))"
        );
        assert_eq!(errors, ["Syntax error at ')'", "Syntax error at ','"]);
    }

    #[test]
    fn lexical_errors_end_with_their_line() {
        let (tree, errors) = recovered("$a = 0x\n$b = 2\n");
        assert_eq!(tree, "(block (error) (= (var \"b\") 2))");
        assert_eq!(errors, ["Not a valid hex number 0x"]);
    }

    #[test]
    fn what_closes_nothing_is_skipped() {
        let (tree, errors) = recovered("}\n$b = \"${)} x\"\n$c = 1 }");
        assert_eq!(tree, "(block (error) (error) (= (var \"c\") 1) (error))");
        assert_eq!(errors, ["Syntax error at '}'", "Syntax error at ')'", "Syntax error at '}'"]);
    }
}

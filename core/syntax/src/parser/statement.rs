//! Statements in sequence, and calls without parentheses.
//!
//! `notice a, b` is not in the grammar: it is a name and a list of expressions, two statements. When a
//! sequence is finished, a name of [`STATEMENT_FUNCTIONS`] takes the next one as its arguments (the
//! reference's `transform_calls`).

use super::recovery::{Checkpoint, Position};
use super::{Failed, Node, NodeId, Parsed, Parser, Span, TokenKind};

/// Whether a function can be called without parentheses.
pub(super) fn is_statement_function(name: &str) -> bool {
    matches!(
        name,
        "require"
            | "realize"
            | "include"
            | "contain"
            | "tag"
            | "debug"
            | "info"
            | "notice"
            | "warning"
            | "err"
            | "fail"
            | "import"
            | "break"
            | "next"
            | "return"
    )
}

/// A list of expressions after something that does not accept one: found immediately, reported at the end of
/// the sequence.
struct Stray {
    comma: Span,
    name: Option<NodeId>,
}

/// Statements that are being parsed.
struct Sequence {
    /// Their start on the scratch stack.
    mark: usize,
    stray: Option<Stray>,
    /// Whether the last statement is the name of a function that takes the next one.
    takes_arguments: bool,
}

impl Parser<'_, '_> {
    /// One or more statements, left on the scratch stack; returns the mark of their start.
    pub(super) fn statements(&mut self) -> Parsed<usize> {
        self.statements_from(None)
    }

    /// Statements, of which the first expression may have been read.
    pub(super) fn statements_from(&mut self, first: Option<NodeId>) -> Parsed<usize> {
        self.nested(|own| own.sequence(first))
    }

    fn sequence(&mut self, mut first: Option<NodeId>) -> Parsed<usize> {
        let mut sequence = Sequence { mark: self.mark(), stray: None, takes_arguments: false };
        let checkpoint = self.checkpoint();
        loop {
            let mut position = self.position();
            if let Err(Failed) = self.next_statement(first.take(), &mut sequence, &mut position) {
                self.recover(&checkpoint, &position)?;
                sequence.takes_arguments = false;
            }
            if !self.accept(TokenKind::Semic)
                && !self.token.kind.starts_expression()
                && !self.skip_strays(&checkpoint, &mut sequence)?
            {
                break;
            }
        }
        self.report_stray_list(&mut sequence)?;
        Ok(sequence.mark)
    }

    /// If parsing continues after errors: skips tokens that neither start a statement nor end the statements.
    /// Returns whether another statement follows.
    #[cold]
    fn skip_strays(&mut self, checkpoint: &Checkpoint, sequence: &mut Sequence) -> Parsed<bool> {
        if !self.is_recovering() {
            return Ok(false);
        }
        while !matches!(self.token.kind, TokenKind::RBrace | TokenKind::End) {
            if self.token.kind.starts_expression() {
                return Ok(true);
            }
            self.report_stray_list(sequence)?;
            sequence.takes_arguments = false;
            let position = self.position();
            self.syntax_error();
            self.recover(checkpoint, &position)?;
            self.accept(TokenKind::Semic);
        }
        Ok(false)
    }

    /// Fails if there was a list of expressions in an invalid place.
    fn report_stray_list(&mut self, sequence: &mut Sequence) -> Parsed<()> {
        let Some(stray) = sequence.stray.take() else { return Ok(()) };
        let failed = self.stray_list(&stray);
        self.tolerate(failed)?;
        self.refresh();
        Ok(())
    }

    /// Parses one statement and adds it to a sequence. Its first expression may have been read. `position` is
    /// its start; after a failure, the start of the invalid part.
    #[inline]
    fn next_statement(
        &mut self,
        first: Option<NodeId>,
        sequence: &mut Sequence,
        position: &mut Position,
    ) -> Parsed<()> {
        let expression = match first {
            Some(first) => first,
            None => self.assignment()?,
        };
        if self.is_at(TokenKind::Comma) {
            self.expression_list(expression, sequence, position)?;
            sequence.takes_arguments = false;
        } else if sequence.takes_arguments {
            let arguments = self.mark();
            self.push(expression);
            self.statement_call(arguments);
            sequence.takes_arguments = false;
        } else {
            sequence.takes_arguments = self.statement(expression);
            self.push(expression);
        }
        Ok(())
    }

    /// Records that an expression is a statement. Returns whether it is a name that takes the next one as
    /// arguments.
    #[inline]
    fn statement(&mut self, id: NodeId) -> bool {
        match self.peek_node(id) {
            Node::QualifiedName { value } => is_statement_function(self.text(value)),
            Node::CallNamedFunctionExpression { functor_expr, arguments, lambda, .. } => {
                let rval_required = false;
                self.set_node(
                    id,
                    Node::CallNamedFunctionExpression { rval_required, functor_expr, arguments, lambda },
                );
                false
            }
            _ => false,
        }
    }

    /// The rest of `first, second, …`
    fn expression_list(
        &mut self,
        first: NodeId,
        sequence: &mut Sequence,
        position: &mut Position,
    ) -> Parsed<()> {
        let comma = self.token.span;
        let arguments = self.mark();
        self.push(first);
        if !sequence.takes_arguments {
            // The first expression is a statement even if the others fail.
            *position = self.position();
        }
        while self.accept(TokenKind::Comma) {
            let next = self.assignment()?;
            self.push(next);
        }
        if sequence.takes_arguments {
            self.statement_call(arguments);
            return Ok(());
        }
        let name = (arguments > sequence.mark).then(|| self.state.scratch[arguments - 1]);
        sequence.stray.get_or_insert(Stray { comma, name });
        self.state.scratch.truncate(arguments + 1);
        self.state.tree.forget_definitions(position.definitions());
        Ok(())
    }

    /// Makes the name before the arguments (which are on the stack since `arguments`) a call of them.
    fn statement_call(&mut self, arguments: usize) {
        let Some(&last) = self.state.scratch.last() else { return };
        let end = self.span(last).end;
        let list = self.list(arguments);
        let Some(name) = self.state.scratch.pop() else { return };
        let span = Span::new(self.span(name).start, end);
        let call = self.node(
            Node::CallNamedFunctionExpression {
                rval_required: false,
                functor_expr: name,
                arguments: list,
                lambda: None,
            },
            span,
        );
        self.push(call);
    }

    #[cold]
    fn stray_list(&mut self, stray: &Stray) -> Failed {
        if let Some(failed) = self.lexical_error() {
            return failed;
        }
        let name = match stray.name.map(|name| self.peek_node(name)) {
            Some(Node::QualifiedName { value }) => Some(self.text(value).to_owned()),
            _ => None,
        };
        let message = match name {
            Some(name) => format!(
                "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
            ),
            None => "illegal comma separated argument list".to_owned(),
        };
        self.fail_at(&message, stray.comma)
    }

    /// The statements since `mark`: the only one, or a block of them. The block extends from `braces` (left
    /// and right) or from the first to the last.
    pub(super) fn block_or_expression(&mut self, mark: usize, braces: Option<Span>) -> NodeId {
        if let [only] = self.state.scratch[mark..] {
            self.state.scratch.truncate(mark);
            return only;
        }
        let span = braces.unwrap_or_else(|| {
            let statements = &self.state.scratch[mark..];
            match (statements.first(), statements.last()) {
                (Some(&first), Some(&last)) => Span::new(self.span(first).start, self.span(last).end),
                _ => Span::default(),
            }
        });
        self.block(mark, span)
    }

    /// The statements since `mark` as a block.
    pub(super) fn block(&mut self, mark: usize, span: Span) -> NodeId {
        let statements = self.list(mark);
        self.node(Node::BlockExpression { statements }, span)
    }

    /// `{ statements }`, possibly empty, as the body of the construct that starts at `container`: bodies are
    /// always blocks, without a place of their own. Returns the body and the closing brace.
    pub(super) fn body(&mut self, container: u32) -> Parsed<(Option<NodeId>, Span)> {
        self.expect(TokenKind::LBrace)?;
        if self.is_at(TokenKind::RBrace) {
            let end = self.take().span;
            return Ok((None, end));
        }
        let mark = self.statements()?;
        let end = self.block_end()?;
        let body = self.block(mark, Span::new(container, container));
        Ok((Some(body), end))
    }
}

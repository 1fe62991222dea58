//! The parser: recursive descent over the tokens, a precedence climb for operators.
//!
//! Accepts what the reference's grammar (`egrammar.ra`, LALR) accepts, reports the same errors at the same
//! tokens, and gives nodes the same places. Its conflicts are all resolved in favour of continuing the
//! current construct: a `(`, `[`, `{`, `-` or `*` after an expression belongs to it, unless the lexer saw
//! that a `(` is first on its line or a `[` follows a space. Errors that the reference raises while it
//! reduces are raised here when the same tokens have been read.
//!
//! Nodes are added to the arena of a [`ProgramBuilder`] in the order in which they are finished, so children
//! precede their parents. Lists are collected on one scratch stack.

mod call;
mod control;
mod definition;
mod expression;
mod header;
mod literal;
mod recovery;
mod resource;
mod room;
mod statement;
mod template;

use std::sync::Arc;

pub use recovery::{Recovered, parse_recovering, parse_recovering_watched};

use super::ast::{List, Node, NodeId, Program, ProgramBuilder, Text};
use super::lexer::{Lexer, Output, byte_order_mark};
use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Error, Issue, Report, Severity, issues};
use crate::source::{Source, Span};
use crate::stack::Stacks;
use crate::watch::Watch;

/// How to parse a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// The text is a template (EPP).
    pub epp: bool,
    /// `plan` and `apply` are keywords (the setting `tasks`).
    pub tasks: bool,
    /// The stack on which a deeply nested text continues.
    pub stacks: Stacks,
}

/// The maximum nesting of expressions. Most constructs count once or twice, so that more than a thousand of
/// each can be nested. The parser's stacks then need about ten megabytes.
const MAX_DEPTH: u32 = 5_000;
/// The maximum height of a tree: chains of operators and calls are not nested while parsing, but in the tree.
const MAX_HEIGHT: u32 = 20_000;
/// Texts are addressed with 31 bits.
const MAX_LENGTH: usize = i32::MAX as usize;

/// Parses a text.
///
/// # Errors
/// The first lexical or syntactical error, as the reference reports it.
pub fn parse(source: Arc<Source>, options: &ParseOptions) -> Result<Program, Diagnostic> {
    parse_with_warnings(source, options, &mut Vec::new())
}

/// Parses a text and adds the warnings of the lexer (doubtful escapes) to `warnings`, even if parsing fails.
///
/// # Errors
/// The first lexical or syntactical error, as the reference reports it.
pub fn parse_with_warnings(
    source: Arc<Source>,
    options: &ParseOptions,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Program, Diagnostic> {
    read(source, options, warnings, &Watch::default())
}

/// As [`parse_with_warnings`]; the watch can cancel it.
///
/// # Errors
/// The reason for the cancellation, with the place that was reached. Inner result: the first lexical or
/// syntactical error.
pub fn parse_watched(
    source: Arc<Source>,
    options: &ParseOptions,
    warnings: &mut Vec<Diagnostic>,
    watch: &Watch<'_>,
) -> Result<Result<Program, Diagnostic>, Error> {
    let parsed = read(source, options, warnings, watch);
    watch.result().map(|()| parsed)
}

fn read(
    source: Arc<Source>,
    options: &ParseOptions,
    warnings: &mut Vec<Diagnostic>,
    watch: &Watch<'_>,
) -> Result<Program, Diagnostic> {
    if let Some(report) = byte_order_mark(source.text().as_bytes()) {
        return Err(report.nowhere());
    }
    if source.text().len() > MAX_LENGTH {
        return Err(too_long().nowhere());
    }
    let mut state = ParserState::new(Arc::clone(&source), options.stacks);
    let (body, output, failure) = {
        let lexer = Lexer::new(&source, options.tasks, options.epp, watch);
        let mut parser = Parser::new(lexer, &mut state);
        let body = parser.program(options.epp);
        (body, std::mem::take(&mut parser.lexer.output), parser.failure())
    };
    warnings.extend_from_slice(&output.warnings);
    state.tree.set_depth(state.deepest);
    match body {
        Ok(body) => Ok(state.tree.finish_parsed(
            body,
            output.pool,
            output.comments,
            output.warnings,
            output.has_odd_variables,
        )),
        Err(Failed) => Err(failure),
    }
}

/// The state that parsers of heredocs share with the parser of the enclosing text.
pub(super) struct ParserState {
    tree: ProgramBuilder,
    scratch: Vec<NodeId>,
    /// The names of the classes and plans around the current place.
    namespace: Vec<Text>,
    depth: u32,
    /// The maximum of `depth` so far.
    deepest: u32,
    height: u32,
    room: room::Room,
    failure: Option<Box<Diagnostic>>,
    /// The errors so far, if parsing continues after them.
    recovered: Option<Vec<Diagnostic>>,
}

impl ParserState {
    fn new(source: Arc<Source>, stacks: Stacks) -> Self {
        Self {
            tree: ProgramBuilder::new(source),
            scratch: Vec::with_capacity(64),
            namespace: Vec::new(),
            depth: 0,
            deepest: 0,
            height: 0,
            room: room::Room::of_caller(stacks),
            failure: None,
            recovered: None,
        }
    }
}

/// Parsing has failed; [`ParserState::failure`] contains the reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// A parser of one text.
pub(super) struct Parser<'s, 'p> {
    lexer: Lexer<'s>,
    /// The current token.
    token: Token,
    state: &'p mut ParserState,
    /// Whether the lexer can be ahead of the token, after the end of a string.
    is_stale: bool,
    /// Whether the last [`assignment`](Self::assignment) was an `expression` of the grammar, which most
    /// places without statements require.
    is_expression: bool,
}

impl<'s, 'p> Parser<'s, 'p> {
    fn new(mut lexer: Lexer<'s>, state: &'p mut ParserState) -> Self {
        let token = lexer.next();
        Self { lexer, token, state, is_stale: false, is_expression: true }
    }

    /// The whole of a text.
    fn program(&mut self, epp: bool) -> Parsed<NodeId> {
        let body = if epp {
            self.template()?
        } else if self.token.kind == TokenKind::End {
            let end = self.token.span.end;
            return Ok(self.node(Node::Nop {}, Span::new(end, end)));
        } else {
            let mark = self.all_statements()?;
            self.block_or_expression(mark, None)
        };
        if self.token.kind != TokenKind::End {
            return Err(self.syntax_error());
        }
        Ok(body)
    }

    /// Advances to the next token and returns the previous one.
    #[inline]
    fn take(&mut self) -> Token {
        let token = self.token;
        self.token = self.lexer.next();
        token
    }

    /// Advances over a token that must be of this kind.
    #[inline]
    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.token.kind == kind { Ok(self.take()) } else { Err(self.syntax_error()) }
    }

    /// Advances over a token if it is of this kind.
    #[inline]
    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.take();
        }
        found
    }

    #[inline]
    fn is_at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    #[inline]
    fn node(&mut self, node: Node, span: Span) -> NodeId {
        if self.state.tree.is_full() {
            self.state.tree.grow_watched(self.lexer.watch(), span.start);
        }
        self.state.tree.node(node, span)
    }

    #[inline]
    fn peek_node(&self, id: NodeId) -> Node {
        *self.state.tree.program().node(id)
    }

    #[inline]
    fn span(&self, id: NodeId) -> Span {
        self.state.tree.program().span(id)
    }

    /// Replaces the fields of a node.
    fn set_node(&mut self, id: NodeId, node: Node) {
        let span = self.span(id);
        self.state.tree.replace(id, node, span);
    }

    /// Moves a node.
    fn set_span(&mut self, id: NodeId, span: Span) {
        let node = self.peek_node(id);
        self.state.tree.replace(id, node, span);
    }

    /// Moves a node to where a word before it starts. Its length stays, as in the reference.
    fn relocate(&mut self, id: NodeId, start: u32) {
        let length = self.span(id).len();
        self.set_span(id, Span::new(start, start + length));
    }

    /// The nodes on the scratch stack since `mark`, as a list.
    #[inline]
    fn list(&mut self, mark: usize) -> List {
        let list = self.state.tree.list(&self.state.scratch[mark..]);
        self.state.scratch.truncate(mark);
        list
    }

    #[inline]
    fn mark(&self) -> usize {
        self.state.scratch.len()
    }

    #[inline]
    fn push(&mut self, id: NodeId) {
        self.state.scratch.push(id);
    }

    /// The characters of a text.
    fn text(&self, text: Text) -> &str {
        let (text, range) = text.find(self.lexer.source().text(), &self.lexer.output.pool);
        text.get(range).unwrap_or_default()
    }

    /// A text that the source does not contain.
    fn pooled(&mut self, text: &str) -> Text {
        let start = self.lexer.output.pool.len() as u32 | Text::IN_POOL;
        self.lexer.output.pool.push_str(text);
        Text::new(start, text.len() as u32)
    }

    /// Parses something that is nested in the current construct.
    #[inline]
    fn nested<T: Send>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T> + Send) -> Parsed<T> {
        self.state.depth += 1;
        if self.state.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.state.deepest = self.state.deepest.max(self.state.depth);
        let read = if self.state.room.is_left() { read(self)? } else { self.on_another_stack(read)? };
        self.state.depth -= 1;
        Ok(read)
    }

    /// Records that the tree has grown by a level without nesting.
    #[inline]
    fn grow(&mut self) -> Parsed<()> {
        self.state.height += 1;
        if self.state.height > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(()) }
    }

    #[cold]
    fn too_deep(&mut self) -> Failed {
        let message = "the expression is nested too deeply".to_owned();
        let report = Report { issue: Issue::LIMIT, message };
        let diagnostic = self.lexer.diagnostic(report, Severity::Error, self.token.span.start);
        self.fail(diagnostic)
    }

    /// Fails at the current token, which is unexpected.
    #[cold]
    fn syntax_error(&mut self) -> Failed {
        if let Some(failed) = self.lexical_error() {
            return failed;
        }
        let token = self.token;
        let diagnostic = if token.kind == TokenKind::End && self.lexer.sublocation().is_none() {
            let source = self.lexer.source();
            let end = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
            let mut diagnostic = issues::syntax_error("end of input").unplaced(source, Span::new(end, end));
            diagnostic.location.file = source.path().cloned();
            diagnostic
        } else {
            let value = match token.kind {
                TokenKind::Regex => crate::pattern::to_s(self.text(token.text)),
                TokenKind::Other => String::new(),
                kind if kind.text().is_empty() => self.text(token.text).to_owned(),
                kind => kind.text().to_owned(),
            };
            self.lexer.diagnostic_of(issues::syntax_error(format!("'{value}'")), Severity::Error, token.span)
        };
        self.fail(diagnostic)
    }

    /// Fails if the current token is a lexical error. The reference needs to see a token before most of its
    /// actions.
    fn lexical_error(&mut self) -> Option<Failed> {
        if self.token.kind != TokenKind::Bad {
            return None;
        }
        if let Some(error) = self.lexer.take_error() {
            self.state.failure = Some(error);
        }
        Some(Failed)
    }

    /// Fails with a message without an issue.
    #[cold]
    fn fail_at(&mut self, message: &str, span: Span) -> Failed {
        let report = Report { issue: Issue::NONE, message: message.to_owned() };
        let diagnostic = self.lexer.diagnostic_of(report, Severity::Error, span);
        self.fail(diagnostic)
    }

    /// Fails where the reference reports an error before it looks at the current token: with any lexical
    /// error in the string, or after the tag, that starts with it.
    #[cold]
    fn fail_before(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.lexer.has_begun_with(&self.token) {
            return self.fail(diagnostic);
        }
        self.state.failure = Some(Box::new(diagnostic));
        Failed
    }

    /// Fails, unless the open string has a lexical error: the reference finds that first.
    #[cold]
    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        let error = self.lexer.drain();
        self.is_stale = true;
        self.state.failure = Some(error.unwrap_or_else(|| Box::new(diagnostic)));
        Failed
    }

    fn failure(&mut self) -> Diagnostic {
        match self.state.failure.take() {
            Some(failure) => *failure,
            None => issues::syntax_error("end of input").nowhere(),
        }
    }

    /// Passes the lexer's output to another lexer, for a heredoc.
    fn take_output(&mut self) -> Output {
        std::mem::take(&mut self.lexer.output)
    }
}

fn too_long() -> Report {
    Report { issue: Issue::LIMIT, message: "the source is too long".into() }
}

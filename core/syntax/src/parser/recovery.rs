//! Parsing that continues after errors, for editors and for reports of more than the first error.
//!
//! An invalid statement becomes an [`Error`](Node::Error) node. Parsing continues after it: at the brace that
//! closes the block, after a `;`, or with the next statement on the same level of braces that starts a line
//! or follows a closing bracket. The first error is the one that [`parse`](super::parse) reports.
//! [`header`](super::header) keeps the headers of definitions. If braces do not match, the text is parsed
//! again with those that its layout suggests.

use std::sync::Arc;

use super::{
    Diagnostic, Failed, Lexer, Node, NodeId, ParseOptions, Parsed, Parser, ParserState, Program, Source,
    Span, TokenKind, byte_order_mark,
};
use crate::diagnostic::Error;
use crate::lexer::{Repair, repairs};
use crate::watch::Watch;

/// The maximum number of reported errors. Parsing continues after them, but reports no more.
const MAX_ERRORS: usize = 10_000;

/// The valid parts of a program.
#[derive(Debug)]
pub struct Recovered {
    /// The program; a [`Node::Error`] replaces each invalid part.
    pub program: Program,
    /// The errors, in the order in which they were found; empty for a valid text. At most the first ten
    /// thousand.
    pub errors: Vec<Diagnostic>,
}

impl Recovered {
    /// Makes the error of [`parse`](super::parse) the first one. Parsing that continues can report another:
    /// after `$x =`, it takes a `class` on a line of its own for the next definition.
    fn put_first(&mut self, error: Diagnostic) {
        if self.errors.first() != Some(&error) {
            self.errors.retain(|other| other.location != error.location);
            self.errors.insert(0, error);
        }
    }
}

/// Parses a text to its end, even after errors.
pub fn parse_recovering(source: Arc<Source>, options: &ParseOptions) -> Recovered {
    read(source, options, &Watch::default())
}

/// As [`parse_recovering`]; the watch can cancel it.
///
/// # Errors
/// The reason for the cancellation, with the place that was reached.
pub fn parse_recovering_watched(
    source: Arc<Source>,
    options: &ParseOptions,
    watch: &Watch<'_>,
) -> Result<Recovered, Error> {
    let recovered = read(source, options, watch);
    watch.result().map(|()| recovered)
}

fn read(source: Arc<Source>, options: &ParseOptions, watch: &Watch<'_>) -> Recovered {
    let is_short = source.text().len() <= super::MAX_LENGTH;
    let mut first = read_with(Arc::clone(&source), options, &[], watch);
    if !first.errors.is_empty() {
        let parsed = super::parse_watched(Arc::clone(&source), options, &mut Vec::new(), watch);
        if let Ok(Err(error)) = parsed {
            first.put_first(error);
        }
    }
    let Some(error) = first.errors.first().filter(|_| is_short && !options.epp) else { return first };
    let repairs = repairs(&source, options.tasks, error.span, watch);
    if repairs.is_empty() {
        return first;
    }
    // The first error is that of the text as it is.
    let mut second = read_with(source, options, &repairs, watch);
    second.errors.retain(|other| other.location != error.location);
    second.errors.insert(0, error.clone());
    second
}

fn read_with(
    source: Arc<Source>,
    options: &ParseOptions,
    repairs: &[Repair],
    watch: &Watch<'_>,
) -> Recovered {
    let mut state = ParserState::new(Arc::clone(&source), options.stacks);
    let report = byte_order_mark(source.text().as_bytes());
    state.recovered = Some(report.into_iter().map(super::Report::nowhere).collect());
    let (body, output) = if source.text().len() > super::MAX_LENGTH {
        state.recovered.get_or_insert_default().push(super::too_long().nowhere());
        (state.tree.node(Node::Error {}, Span::default()), super::Output::default())
    } else {
        let mut lexer = Lexer::new(&source, options.tasks, options.epp, watch);
        lexer.repair(repairs);
        let mut parser = Parser::new(lexer, &mut state);
        let body = parser.recovered_program(options.epp);
        (body, parser.take_output())
    };
    state.tree.set_depth(state.deepest);
    let errors = state.recovered.take().unwrap_or_default();
    Recovered {
        program: state.tree.finish_parsed(
            body,
            output.pool,
            output.comments,
            output.warnings,
            output.has_odd_variables,
        ),
        errors,
    }
}

/// The state to restore when a statement fails.
pub(super) struct Checkpoint {
    depth: u32,
    height: u32,
    namespace: usize,
    /// The number of open braces around the statements.
    level: u32,
}

impl Checkpoint {
    /// The number of open braces around the statements.
    pub(super) const fn level(&self) -> u32 {
        self.level
    }
}

/// The start of a statement, and the state before it.
pub(super) struct Position {
    start: u32,
    mark: usize,
    definitions: usize,
}

impl Position {
    /// The number of definitions before the statement.
    pub(super) const fn definitions(&self) -> usize {
        self.definitions
    }
}

impl TokenKind {
    /// Whether a list of parameters ends before this token, rightly or wrongly.
    pub(super) const fn follows_parameters(self) -> bool {
        matches!(self, Self::RParen | Self::Pipe | Self::LBrace | Self::Inherits | Self::End)
    }

    /// Whether a parameter can start with this token.
    pub(super) const fn starts_parameter(self) -> bool {
        matches!(self, Self::Variable | Self::ClassRef)
    }

    /// Whether this token, preceded by `previous`, starts another statement on the same line.
    const fn starts_statement_behind(self, previous: Self) -> bool {
        matches!(previous, Self::RParen | Self::RBrack | Self::RBrace)
            && matches!(
                self,
                Self::Name
                    | Self::Variable
                    | Self::ClassRef
                    | Self::At
                    | Self::AtAt
                    | Self::If
                    | Self::Unless
                    | Self::Case
                    | Self::Class
                    | Self::Define
                    | Self::Function
                    | Self::Node
                    | Self::Type
            )
    }
}

impl Parser<'_, '_> {
    /// The position of the statement that starts here.
    #[inline]
    pub(super) fn position(&self) -> Position {
        let definitions = self.state.tree.program().definitions().len();
        Position { start: self.token.span.start, mark: self.mark(), definitions }
    }

    /// Discards the data of an invalid part: its nodes on the scratch stack and its definitions.
    pub(super) fn go_back(&mut self, position: &Position) {
        self.state.scratch.truncate(position.mark);
        self.state.tree.forget_definitions(position.definitions);
    }

    /// The definitions that are complete in an invalid statement, without those in others of them.
    fn outermost_definitions(&self, statement: &Position) -> Vec<NodeId> {
        let program = self.state.tree.program();
        let found = program.definitions().get(statement.definitions..).unwrap_or_default();
        let mut outermost: Vec<NodeId> = Vec::new();
        for &id in found.iter().rev() {
            let start = self.span(id).start;
            if outermost.last().is_none_or(|&outer| start < self.span(outer).start) {
                outermost.push(id);
            }
        }
        outermost.reverse();
        outermost
    }

    /// Leaves the classes and plans since a checkpoint.
    pub(super) fn restore_names(&mut self, checkpoint: &Checkpoint) {
        self.state.namespace.truncate(checkpoint.namespace);
    }

    /// Discards the nesting since a checkpoint.
    pub(super) fn restore(&mut self, checkpoint: &Checkpoint) {
        self.state.depth = checkpoint.depth;
        self.state.height = checkpoint.height;
        self.restore_names(checkpoint);
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
        self.program(epp).unwrap_or_else(|failed| {
            let _ = self.tolerate(failed);
            self.state.tree.forget_definitions(0);
            self.error_node(0)
        })
    }

    /// Whether parsing continues after errors.
    pub(super) fn is_recovering(&self) -> bool {
        self.state.recovered.is_some()
    }

    /// The statements of a whole text, left on the scratch stack. If parsing continues after errors, all of
    /// the text is parsed.
    pub(super) fn all_statements(&mut self) -> Parsed<usize> {
        if !self.is_recovering() {
            return self.statements();
        }
        let mark = self.mark();
        loop {
            let start = self.token.span.start;
            if self.token.kind.starts_expression() && self.statements().is_err() {
                self.give_up(start);
                break;
            }
            if self.is_at(TokenKind::End) {
                break;
            }
            // An unexpected token.
            let failed = self.syntax_error();
            if self.tolerate(failed).is_err() {
                self.give_up(start);
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
        if self.mark() == mark {
            self.give_up(0);
        }
        Ok(mark)
    }

    /// Makes an error node of the rest of the text.
    fn give_up(&mut self, start: u32) {
        self.token.kind = TokenKind::End;
        let error = self.error_node(start);
        self.push(error);
    }

    /// The brace that closes a block. At the end of the text it can be missing if parsing continues after
    /// errors.
    #[inline]
    pub(super) fn block_end(&mut self) -> Parsed<Span> {
        if self.is_at(TokenKind::RBrace) { Ok(self.take().span) } else { self.missing_block_end() }
    }

    #[cold]
    fn missing_block_end(&mut self) -> Parsed<Span> {
        let failed = self.syntax_error();
        if !self.is_recovering() {
            return Err(failed);
        }
        self.tolerate(failed)?;
        self.refresh();
        if self.is_at(TokenKind::End) { Ok(self.token.span) } else { Err(Failed) }
    }

    /// The token that closes a list of parameters. Before the next part of the definition, and at the end of
    /// the text, it can be missing if parsing continues after errors.
    pub(super) fn parameters_end(&mut self, close: TokenKind) -> Parsed<()> {
        if self.accept(close) {
            return Ok(());
        }
        let failed = self.syntax_error();
        if !self.is_recovering() {
            return Err(failed);
        }
        self.tolerate(failed)?;
        self.refresh();
        let follows = matches!(self.token.kind, TokenKind::LBrace | TokenKind::Inherits | TokenKind::End);
        if follows { Ok(()) } else { Err(Failed) }
    }

    /// Skips the rest of the invalid parameter that started at `start`: up to a comma before another
    /// parameter, to another parameter without one, or to a token that can end the list. Behind its name
    /// (`is_named`), another parameter without a comma starts on another line.
    #[cold]
    pub(super) fn recover_parameter(
        &mut self,
        checkpoint: &Checkpoint,
        start: &Position,
        is_named: bool,
    ) -> Parsed<()> {
        if !self.is_recovering() {
            return Err(Failed);
        }
        self.go_back(start);
        self.tolerate(Failed)?;
        self.restore(checkpoint);
        self.refresh();
        // The number of open parentheses and brackets.
        let mut open = 0;
        let mut previous = TokenKind::End;
        let column = self.lexer.column(start.start);
        loop {
            let kind = self.token.kind;
            let level = self.lexer.level(&self.token);
            if kind == TokenKind::End || level < checkpoint.level || self.is_at_other_definition(start.start)
            {
                return Err(Failed);
            }
            if level == checkpoint.level {
                let is_behind = self.token.span.start > start.start;
                let is_first = self.lexer.is_first(&self.token);
                match kind {
                    // A bracket that does not belong to the parameter is not closed.
                    TokenKind::LParen | TokenKind::WsLParen if previous == TokenKind::End && !is_behind => {}
                    TokenKind::LParen | TokenKind::WsLParen | TokenKind::LBrack | TokenKind::ListStart => {
                        open += 1
                    }
                    TokenKind::RParen | TokenKind::RBrack if open > 0 => open -= 1,
                    TokenKind::Comma | TokenKind::RParen | TokenKind::Pipe if open == 0 => return Ok(()),
                    TokenKind::Inherits => return Ok(()),
                    // The body of the definition: the end of the parameters is missing.
                    TokenKind::LBrace if is_behind && (is_first || previous == TokenKind::RParen) => {
                        return Ok(());
                    }
                    kind if kind.starts_parameter() && (is_first || is_behind && !is_named) => {
                        // Types contain no variables.
                        let is_name = !is_named && kind == TokenKind::Variable;
                        if open == 0 || is_name || self.lexer.column(self.token.span.start) <= column {
                            return Ok(());
                        }
                    }
                    _ => {}
                }
            }
            previous = kind;
            self.take();
            self.refresh();
        }
    }

    /// Records an error and continues, if errors are recovered.
    #[cold]
    pub(super) fn tolerate(&mut self, failed: Failed) -> Parsed<()> {
        let Some(errors) = &mut self.state.recovered else { return Err(failed) };
        if let Some(failure) = self.state.failure.take() {
            // Several levels can fail at the same token.
            let is_new = errors
                .last()
                .is_none_or(|last| last.location != failure.location || last.span != failure.span);
            if is_new && errors.len() < MAX_ERRORS {
                errors.push(*failure);
            }
        }
        Ok(())
    }

    /// Makes an error node of the invalid statement that started at `start`, and skips the rest of it.
    #[cold]
    pub(super) fn recover(&mut self, checkpoint: &Checkpoint, statement: &Position) -> Parsed<()> {
        if !self.is_recovering() {
            return Err(Failed);
        }
        let definitions = self.outermost_definitions(statement);
        self.state.scratch.truncate(statement.mark);
        // An error about an expression as a whole is reported after it has been parsed: the current token
        // does not belong to it.
        let failure = self.state.failure.as_ref().and_then(|failure| failure.span);
        let is_whole = failure.is_some_and(|span| span.start < self.token.span.start);
        self.tolerate(Failed)?;
        self.restore(checkpoint);
        self.refresh();
        let start = statement.start;
        let previous = if is_whole { TokenKind::RBrace } else { TokenKind::End };
        let skipped = self.skip_statement(checkpoint, start, previous);
        let Ok(mut end) = skipped else {
            // An outer statement discards them again, and finds them itself.
            self.state.scratch.extend(definitions);
            return Err(Failed);
        };
        if let Some(&first) = definitions.first() {
            end = end.min(self.span(first).start).max(start);
        }
        let error = self.node(Node::Error {}, Span::new(start, end));
        self.push(error);
        self.state.scratch.extend(definitions);
        Ok(())
    }

    /// Skips the rest of the invalid statement that started at `start`; returns its end. `previous` is the
    /// token before.
    pub(super) fn skip_statement(
        &mut self,
        checkpoint: &Checkpoint,
        start: u32,
        mut previous: TokenKind,
    ) -> Parsed<u32> {
        let level = checkpoint.level;
        let mut end = start;
        loop {
            let kind = self.token.kind;
            let braces = self.lexer.braces();
            let closes = kind == TokenKind::RBrace && braces == level.wrapping_sub(1);
            if closes || kind == TokenKind::End {
                return Ok(end);
            }
            if self.lexer.level(&self.token) < level {
                // The block has ended, for instance inside a string: an outer one continues.
                return Err(Failed);
            }
            let is_here = self.lexer.level(&self.token) == level;
            if is_here && kind == TokenKind::Semic {
                return Ok(end);
            }
            let is_behind = self.token.span.start > start;
            if is_here && is_behind && kind.starts_expression() && self.lexer.is_first(&self.token) {
                return Ok(end);
            }
            if is_here && kind.starts_statement_behind(previous) {
                return Ok(end);
            }
            previous = kind;
            end = self.token.span.end.max(end);
            self.take();
            self.refresh();
        }
    }

    /// Replaces the current token with the lexer's: not one inside a string that has ended, nor a lexical
    /// error.
    pub(super) fn refresh(&mut self) {
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
    use crate::{binary, parse, pn};

    fn recovered(text: &str) -> (String, Vec<String>) {
        let source = Arc::new(Source::new(None, text));
        let Recovered { program, errors } = parse_recovering(Arc::clone(&source), &ParseOptions::default());
        let first = parse(source, &ParseOptions::default()).err();
        assert_eq!(errors.first(), first.as_ref());
        assert!(binary::read(&binary::write(&program)).is_ok(), "the nodes are no tree");
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

    #[test]
    fn a_block_that_does_not_end_is_kept() {
        let (tree, errors) = recovered("class a {\n  if $b {\n    $c = 1\n    file { '/x': ens");
        assert_eq!(
            tree,
            "(class {:name \"a\" :body [(if {:test (var \"b\") :then [(= (var \"c\") 1) (error)]})]})"
        );
        assert_eq!(errors, ["Syntax error at end of input"]);
    }

    #[test]
    fn a_parameter_that_cannot_be_read_spares_the_others_and_the_body() {
        let (tree, _) = recovered("class a($b = , String $c = [1, ], $d $e, 7, $f {\n  $g = 1\n}\n");
        assert_eq!(
            tree,
            "(class {:name \"a\" :params {:b {} :c {:type (qr \"String\") :value (array 1)} :d {} :f {}} \
             :body [(= (var \"g\") 1)]})"
        );
    }

    #[test]
    fn what_starts_no_statement_is_skipped_in_its_block() {
        let (tree, errors) = recovered("class a {\n  $b = 1, 2\n  ) => x\n  $c = 2\n}\n");
        assert_eq!(tree, "(class {:name \"a\" :body [(= (var \"b\") 1) (error) (= (var \"c\") 2)]})");
        assert_eq!(errors, ["illegal comma separated argument list", "Syntax error at ')'"]);
    }

    #[test]
    fn statements_on_the_line_of_an_error_are_read() {
        let (tree, errors) = recovered("$a = f([1 2], 3) notice($a) if $b { g(, 1) h(2) } k()\n");
        assert_eq!(
            tree,
            "(block (error) (invoke {:functor (qn \"notice\") :args [(var \"a\")]}) \
             (if {:test (var \"b\") :then [(error) (invoke {:functor (qn \"h\") :args [2]})]}) (invoke {:functor (qn \"k\") :args []}))"
        );
        assert_eq!(errors, ["Syntax error at '2'", "Syntax error at ','"]);
        let (tree, _) = recovered("class a { } { b => 1 } include c");
        assert_eq!(
            tree,
            "(block (error) (class {:name \"a\"}) (invoke {:functor (qn \"include\") :args [(qn \"c\")]}))"
        );
    }

    #[test]
    fn headers_are_kept_while_they_are_typed() {
        let (tree, errors) = recovered("class a (\n Integer $x,\n String $y\n");
        assert_eq!(
            tree,
            "(class {:name \"a\" :params {:x {:type (qr \"Integer\")} :y {:type (qr \"String\")}}})"
        );
        assert_eq!(errors, ["Syntax error at end of input"]);
        let (tree, _) = recovered("class a inherits {\n  $b = 1\n}\ndefine c($d) {\n");
        assert_eq!(
            tree,
            "(block (class {:name \"a\" :body [(= (var \"b\") 1)]}) (define {:name \"c\" :params {:d {}} :body [(error)]}))"
        );
        let (tree, _) = recovered("define a B\n1}*}");
        assert_eq!(tree, "(block (define {:name \"a\"}) (error))");

        let (_, errors) = recovered("class a($b =\nclass");
        assert_eq!(errors[0], "Syntax error at end of input");

        let (tree, _) = recovered("class a (\n  $b = ,\n  $c = {},\nclass d ($e) {\n}\n");
        assert_eq!(
            tree,
            "(block (class {:name \"a\" :params {:b {} :c {:value (hash)}}}) (class {:name \"d\" :params {:e {}}}))"
        );
        let (tree, _) = recovered("type A = Enum[\n\nfunction f() >> {\n  1\n}\n");
        assert_eq!(tree, "(block (error) (type-alias \"A\" (nop)) (function {:name \"f\" :body [1]}))");
    }

    #[test]
    fn nothing_is_kept_of_an_invalid_part_of_a_header() {
        for (text, wanted) in [
            (
                "function f() >> Array[Integer, class a {}, )] {\n  1\n}\n",
                "(function {:name \"f\" :body [1]})",
            ),
            (
                "node \"${[1, class a {}, )]}\" {\n  $b = 1\n}\n",
                "(node {:matches [] :body [(= (var \"b\") 1)]})",
            ),
            ("node c, \"${[1, )]}\" {\n}\n", "(node {:matches [\"c\"]})"),
            (
                "node c inherits \"${[1, class a {}, )]}\" {\n  $b = 1\n}\n",
                "(node {:matches [\"c\"] :body [(= (var \"b\") 1)]})",
            ),
        ] {
            assert_eq!(recovered(text).0, wanted, "{text}");
        }
    }

    #[test]
    fn braces_follow_the_layout_if_they_do_not_match() {
        // The first `}` closes the class: that of the condition is missing.
        let (tree, errors) = recovered("class a {\n  if $b {\n    $c = 1\n}\nclass b {}\n");
        assert_eq!(
            tree,
            "(block (class {:name \"a\" :body [(if {:test (var \"b\") :then [(= (var \"c\") 1)]})]}) \
             (class {:name \"b\"}))"
        );
        assert_eq!(errors, ["Syntax error at end of input"]);
        let (tree, _) = recovered("if $a {\n  $c = 1\n\nclass b {\n}\n");
        assert_eq!(tree, "(block (if {:test (var \"a\") :then [(= (var \"c\") 1)]}) (class {:name \"b\"}))");
        let (tree, _) = recovered("class a {\n  if $b\n    $c = 1\n  }\n  class d {\n  }\n}\n");
        assert!(tree.contains("\"a::d\""), "{tree}");
        let (tree, _) = recovered("class a {\n  class b {\n  } }\n  class d {\n  }\n}\n");
        assert!(tree.contains("\"a::d\""), "{tree}");
    }

    #[test]
    fn templates_are_read_behind_errors() {
        let source = Arc::new(Source::new(None, "<%| $a, |%>\nx<% } %>y<%= $a %>"));
        let options = ParseOptions { epp: true, ..ParseOptions::default() };
        let Recovered { program, errors } = parse_recovering(Arc::clone(&source), &options);
        assert_eq!(errors.first(), parse(source, &options).err().as_ref());
        let tree = pn::to_text(&program, program.body()).expect("it has a notation");
        assert!(tree.contains("(render (var \"a\"))") && tree.contains("(render-s \"y\")"), "{tree}");
    }

    #[test]
    fn reading_never_goes_back() {
        let (tree, errors) = recovered("6.2E+\n$a = 1\n");
        assert!(tree.ends_with("(= (var \"a\") 1))"), "{tree}");
        assert_eq!(errors.first().map(String::as_str), Some("Not a valid decimal number 6.2E"));
    }

    #[test]
    fn what_is_sound_is_kept_however_many_errors_follow() {
        let (tree, errors) = recovered(&("$a = 1\n".to_owned() + &"'b': c => 1;\n".repeat(500) + "$d = 2\n"));
        assert!(
            tree.starts_with("(block (= (var \"a\") 1)") && tree.ends_with("(= (var \"d\") 2))"),
            "{tree}"
        );
        assert_eq!(errors.len(), 500);
        let (tree, errors) = recovered(&("$a = 1\n".to_owned() + &"$b = @(C)\n".repeat(2000)));
        assert!(tree.starts_with("(block (= (var \"a\") 1)"), "{tree}");
        assert!((100..2000).contains(&errors.len()), "{}", errors.len());
    }
}

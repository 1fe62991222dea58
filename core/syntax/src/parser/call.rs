//! Calls, their arguments, lambdas and parameters.

use super::{Failed, List, Node, NodeId, Parsed, Parser, Span, Token, TokenKind};

/// Collects members of a list. Adjacent `key => value` without braces form one hash.
#[derive(Default)]
struct Pairs {
    /// The start of the entries on the scratch stack, and the place of the hash.
    open: Option<(usize, Span)>,
}

/// One member of a list.
enum Member {
    Plain(NodeId),
    /// An entry of a hash without braces.
    Pair(NodeId),
}

/// The members that a list allows besides assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    /// Arguments of a call: `key => value`.
    Arguments,
    /// Members of an array: `key => value`, and the words `type` and `function`.
    Entries,
    /// Keys of an access: `key => value`, otherwise only expressions.
    Keys,
}

impl Parser<'_, '_> {
    /// `name(arguments) |lambda|`; the callee is always a named function.
    pub(super) fn call(&mut self, functor_expr: NodeId) -> Parsed<NodeId> {
        self.take();
        let mark = self.mark();
        if !self.is_at(TokenKind::RParen) {
            self.members(Members::Arguments, true)?;
        }
        let mut end = self.expect(TokenKind::RParen)?.span.end;
        let arguments = self.list(mark);
        let lambda = self.optional_lambda()?;
        if let Some(lambda) = lambda {
            end = self.span(lambda).end;
        }
        let span = Span::new(self.span(functor_expr).start, end);
        let node = Node::CallNamedFunctionExpression { rval_required: true, functor_expr, arguments, lambda };
        Ok(self.node(node, span))
    }

    /// `receiver.name(arguments) |lambda|`
    pub(super) fn method_call(&mut self, left_expr: NodeId) -> Parsed<NodeId> {
        let dot = self.take().span;
        if !matches!(self.token.kind, TokenKind::Name | TokenKind::Type) {
            return Err(self.syntax_error());
        }
        let name = self.take();
        let right_expr = self.node(Node::QualifiedName { value: name.text }, Span::new(dot.start, dot.start));
        let mut span = Span::new(dot.start, name.span.end);
        let functor_expr = self.node(Node::NamedAccessExpression { left_expr, right_expr }, span);
        let mut arguments = List::EMPTY;
        if self.is_at(TokenKind::LParen) {
            span = self.take().span;
            if self.is_at(TokenKind::RParen) {
                self.take();
            } else {
                let mark = self.mark();
                self.members(Members::Arguments, false)?;
                span.end = self.expect(TokenKind::RParen)?.span.end;
                arguments = self.list(mark);
            }
        }
        let lambda = self.optional_lambda()?;
        Ok(self
            .node(Node::CallMethodExpression { rval_required: true, functor_expr, arguments, lambda }, span))
    }

    /// One or more members of a list, left on the scratch stack, and an optional trailing comma.
    pub(super) fn members(&mut self, members: Members, trailing_comma: bool) -> Parsed<()> {
        let mut pairs = Pairs::default();
        loop {
            match self.member(members)? {
                Member::Plain(member) => {
                    self.close_pairs(&mut pairs);
                    self.push(member);
                }
                Member::Pair(entry) => {
                    if pairs.open.is_none() {
                        pairs.open = Some((self.mark(), self.span(entry)));
                    }
                    self.push(entry);
                }
            }
            if !self.accept(TokenKind::Comma) {
                break;
            }
            if !self.token.kind.starts_expression() {
                if !trailing_comma {
                    return Err(self.syntax_error());
                }
                break;
            }
        }
        self.close_pairs(&mut pairs);
        Ok(())
    }

    fn member(&mut self, members: Members) -> Parsed<Member> {
        let start = self.token.kind;
        let key = self.hash_member()?;
        if self.is_at(TokenKind::FArrow) {
            return self.entry(key).map(Member::Pair);
        }
        let is_word = matches!(start, TokenKind::Type | TokenKind::Function)
            && matches!(self.peek_node(key), Node::LiteralString { .. });
        let fits = match members {
            Members::Entries => true,
            Members::Arguments => !is_word,
            Members::Keys => !is_word && self.is_expression,
        };
        if fits { Ok(Member::Plain(key)) } else { Err(self.syntax_error()) }
    }

    /// `=> value` behind a key.
    pub(super) fn entry(&mut self, key: NodeId) -> Parsed<NodeId> {
        let span = self.expect(TokenKind::FArrow)?.span;
        let value = self.hash_member()?;
        Ok(self.node(Node::KeyedEntry { key, value }, span))
    }

    /// A key or a value in a hash: an assignment, or the word `type` or `function`.
    pub(super) fn hash_member(&mut self) -> Parsed<NodeId> {
        use TokenKind as Kind;
        if !matches!(self.token.kind, Kind::Type | Kind::Function) {
            return self.assignment();
        }
        let word = self.take();
        let starts_expression = matches!(
            (word.kind, self.token.kind),
            (Kind::Type, Kind::LParen | Kind::ClassRef)
                | (Kind::Function, Kind::Name | Kind::Word | Kind::ClassRef | Kind::Class | Kind::String)
        );
        if !starts_expression {
            return Ok(self.node(Node::LiteralString { value: word.text }, word.span));
        }
        let start = self.start(word)?;
        self.assignment_from(Some(start))
    }

    /// Completes the hash of the collected entries.
    fn close_pairs(&mut self, pairs: &mut Pairs) {
        if let Some((mark, span)) = pairs.open.take() {
            let entries = self.list(mark);
            let hash = self.node(Node::LiteralHash { entries }, span);
            self.push(hash);
        }
    }

    /// `|parameters| >> return_type { body }`, if there is one.
    fn optional_lambda(&mut self) -> Parsed<Option<NodeId>> {
        if self.is_at(TokenKind::Pipe) { self.lambda().map(Some) } else { Ok(None) }
    }

    fn lambda(&mut self) -> Parsed<NodeId> {
        let start = self.take().span.start;
        let mark = self.mark();
        if !self.is_at(TokenKind::Pipe) {
            self.parameters()?;
        }
        self.parameters_end(TokenKind::Pipe)?;
        let parameters = self.list(mark);
        let return_type = self.return_type()?;
        let (body, end) = self.body(start)?;
        Ok(self.node(Node::LambdaExpression { parameters, body, return_type }, Span::new(start, end.end)))
    }

    /// `>> Type`, if there is one.
    pub(super) fn return_type(&mut self) -> Parsed<Option<NodeId>> {
        if self.accept(TokenKind::RShift) { self.parameter_type().map(Some) } else { Ok(None) }
    }

    /// `Type` or `Type[key, …]`
    pub(super) fn parameter_type(&mut self) -> Parsed<NodeId> {
        let name = self.expect(TokenKind::ClassRef)?;
        let left_expr = self.start(name)?;
        if !self.is_at(TokenKind::LBrack) {
            return Ok(left_expr);
        }
        self.take();
        let mark = self.mark();
        self.members(Members::Keys, false)?;
        let end = self.expect(TokenKind::RBrack)?.span.end;
        let keys = self.list(mark);
        Ok(self.node(Node::AccessExpression { left_expr, keys }, Span::new(name.span.start, end)))
    }

    /// `(parameters)`, if there is one.
    pub(super) fn parameter_list(&mut self) -> Parsed<List> {
        if !matches!(self.token.kind, TokenKind::LParen | TokenKind::WsLParen) {
            return Ok(List::EMPTY);
        }
        self.take();
        let mark = self.mark();
        if !self.is_at(TokenKind::RParen) {
            self.parameters()?;
        }
        self.parameters_end(TokenKind::RParen)?;
        Ok(self.list(mark))
    }

    /// One or more parameters and an optional trailing comma, left on the scratch stack.
    pub(super) fn parameters(&mut self) -> Parsed<()> {
        let checkpoint = self.checkpoint();
        loop {
            let position = self.position();
            match self.parameter() {
                Ok(parameter) => self.push(parameter),
                Err(Failed) => {
                    self.recover_parameter(&checkpoint, &position, false)?;
                    if self.token.kind.starts_parameter() {
                        continue;
                    }
                }
            }
            if self.is_recovering() && !self.is_at(TokenKind::Comma) && !self.token.kind.follows_parameters()
            {
                let position = self.position();
                self.syntax_error();
                self.recover_parameter(&checkpoint, &position, true)?;
                if self.token.kind.starts_parameter() {
                    continue;
                }
            }
            if !self.accept(TokenKind::Comma) {
                return Ok(());
            }
            let is_parameter =
                matches!(self.token.kind, TokenKind::Variable | TokenKind::Times | TokenKind::ClassRef);
            if !is_parameter && (!self.is_recovering() || self.token.kind.follows_parameters()) {
                return Ok(());
            }
        }
    }

    /// `Type *$name = value`
    fn parameter(&mut self) -> Parsed<NodeId> {
        let type_expr = if self.is_at(TokenKind::ClassRef) { Some(self.parameter_type()?) } else { None };
        let captures_rest = self.accept(TokenKind::Times);
        let name = self.expect(TokenKind::Variable)?;
        let value = if self.accept(TokenKind::Equals) { self.default_value(name)? } else { None };
        Ok(self.node(Node::Parameter { name: name.text, value, type_expr, captures_rest }, name.span))
    }

    /// The default of a parameter with this name. If it is invalid and parsing continues after errors, the
    /// parameter has none.
    fn default_value(&mut self, name: Token) -> Parsed<Option<NodeId>> {
        let (checkpoint, position) = (self.checkpoint(), self.position());
        if !self.is_recovering() {
            return self.expression().map(Some);
        }
        let value = match self.is_at_other_definition(name.span.start) {
            true => Err(self.syntax_error()),
            false => self.expression(),
        };
        match value {
            Ok(value) => Ok(Some(value)),
            Err(Failed) => self.recover_parameter(&checkpoint, &position, true).map(|()| None),
        }
    }
}

//! Resources in all their forms: declarations, defaults, overrides, virtual ones, classes, queries.

use super::statement::is_statement_function;
use super::{List, Node, NodeId, Parsed, Parser, Span, Token, TokenKind};
use crate::ast::nodes::{AttributeOperator, ResourceForm};
use crate::diagnostic::{Issue, Report, Severity};

impl Parser<'_, '_> {
    /// `resource` of the grammar: an expression, optionally followed by `{ … }`.
    pub(super) fn resource(&mut self, start: Option<NodeId>) -> Parsed<NodeId> {
        let mut left = match (start, self.token.kind) {
            (None, TokenKind::At) => return self.virtual_resource(ResourceForm::Virtual),
            (None, TokenKind::AtAt) => return self.virtual_resource(ResourceForm::Exported),
            (None, TokenKind::Class) => {
                let class = self.take();
                if self.is_at(TokenKind::LBrace) {
                    let resource = self.class_resource(class)?;
                    self.is_expression = false;
                    resource
                } else {
                    let start = self.start(class)?;
                    let expression = self.climb(Some(start), 1)?;
                    self.is_expression = true;
                    expression
                }
            }
            _ => {
                let expression = self.climb(start, 1)?;
                self.is_expression = true;
                expression
            }
        };
        while self.is_at(TokenKind::LBrace) {
            left = self.resource_behind(left)?;
            self.grow()?;
            self.is_expression = false;
        }
        Ok(left)
    }

    /// `@resource`, `@@resource`
    fn virtual_resource(&mut self, form: ResourceForm) -> Parsed<NodeId> {
        let at = self.take().span;
        let resource = self.nested(|own| own.resource(None))?;
        if let Some(failed) = self.lexical_error() {
            return Err(failed);
        }
        self.is_expression = false;
        let place = self.span(resource);
        match self.peek_node(resource) {
            Node::ResourceExpression { type_name, bodies, .. } => {
                self.set_node(resource, Node::ResourceExpression { form, type_name, bodies });
                // A node without a place of its own moves along.
                if self.span(type_name) == Span::new(place.start, place.start) {
                    self.set_span(type_name, Span::new(at.start, at.start));
                }
                for index in 0..bodies.len() {
                    let body = self.state.tree.program().list(bodies)[index];
                    self.set_span(body, Span::new(at.start, at.start));
                }
            }
            Node::ResourceDefaultsExpression { type_ref, operations, .. } => {
                self.set_node(resource, Node::ResourceDefaultsExpression { form, type_ref, operations });
            }
            Node::ResourceOverrideExpression { resources, operations, .. } => {
                self.set_node(resource, Node::ResourceOverrideExpression { form, resources, operations });
            }
            _ => {
                let message = match form {
                    ResourceForm::Exported => "Exported (@@) can only be applied to a Resource Expression",
                    _ => "Virtual (@) can only be applied to a Resource Expression",
                };
                return Err(self.fail_at(message, at));
            }
        }
        self.relocate(resource, at.start);
        Ok(resource)
    }

    /// `class { title: … }`; the word has been read.
    fn class_resource(&mut self, class: Token) -> Parsed<NodeId> {
        self.take();
        let start = class.span.start;
        let type_name = self.node(Node::QualifiedName { value: class.text }, Span::new(start, start));
        let mark = self.mark();
        self.resource_bodies(start)?;
        self.accept(TokenKind::Semic);
        let end = self.expect(TokenKind::RBrace)?.span.end;
        let bodies = self.list(mark);
        let form = ResourceForm::Regular;
        Ok(self.node(Node::ResourceExpression { form, type_name, bodies }, Span::new(start, end)))
    }

    /// One or more `title: operations` with `;` between them, left on the scratch stack.
    fn resource_bodies(&mut self, container: u32) -> Parsed<()> {
        loop {
            let title = self.expression()?;
            self.resource_body(container, title)?;
            if !self.is_at(TokenKind::Semic) {
                return Ok(());
            }
            self.take();
            if !self.token.kind.starts_expression() {
                // It ends the list. A caller that accepts another one does not find one.
                return if self.is_at(TokenKind::Semic) { Err(self.syntax_error()) } else { Ok(()) };
            }
        }
    }

    /// `: operations` after a title.
    fn resource_body(&mut self, container: u32, title: NodeId) -> Parsed<()> {
        self.expect(TokenKind::Colon)?;
        let mark = self.mark();
        self.attribute_operations()?;
        let operations = self.list(mark);
        let body = Node::ResourceBody { title: Some(title), operations };
        let body = self.node(body, Span::new(container, container));
        self.push(body);
        Ok(())
    }

    /// `{ … }` after an expression: bodies with titles, or only operations.
    fn resource_behind(&mut self, left: NodeId) -> Parsed<NodeId> {
        let brace = self.take();
        let mark = self.mark();
        let title = match self.token.kind {
            TokenKind::RBrace | TokenKind::Comma => return self.untitled(left, brace, mark),
            TokenKind::Times => {
                let times = self.take();
                if self.is_at(TokenKind::FArrow) {
                    let operation = self.attributes_operation(times)?;
                    self.push(operation);
                    return self.untitled(left, brace, mark);
                }
                let start = self.prefixed(times)?;
                self.climb(Some(start), 1)?
            }
            kind if kind == TokenKind::Name || kind.is_keyword() => {
                let name = self.take();
                if matches!(self.token.kind, TokenKind::FArrow | TokenKind::PArrow) {
                    let operation = self.attribute_operation(name)?;
                    self.push(operation);
                    return self.untitled(left, brace, mark);
                }
                if !kind.starts_expression() {
                    return Err(self.syntax_error());
                }
                let start = self.start(name)?;
                self.climb(Some(start), 1)?
            }
            _ => self.expression()?,
        };
        let start = self.span(left).start;
        self.resource_body(start, title)?;
        if self.accept(TokenKind::Semic) && self.token.kind.starts_expression() {
            self.resource_bodies(start)?;
        }
        let end = self.expect(TokenKind::RBrace)?.span.end;
        let bodies = self.list(mark);
        let form = ResourceForm::Regular;
        Ok(self.node(Node::ResourceExpression { form, type_name: left, bodies }, Span::new(start, end)))
    }

    /// The rest of `left { operations }`; the first operation may already be on the scratch stack.
    fn untitled(&mut self, left: NodeId, brace: Token, mark: usize) -> Parsed<NodeId> {
        self.more_attribute_operations()?;
        let end = self.expect(TokenKind::RBrace)?.span;
        let operations = self.list(mark);
        let form = ResourceForm::Regular;
        let span = Span::new(self.span(left).start, end.end);
        let node = match self.peek_node(left) {
            Node::QualifiedName { .. } => return self.name_and_hash(left, operations, brace, end),
            Node::QualifiedReference { .. } => {
                Node::ResourceDefaultsExpression { form, type_ref: Some(left), operations }
            }
            Node::AccessExpression { .. } => {
                Node::ResourceOverrideExpression { form, resources: left, operations }
            }
            _ => {
                let message = "Expression is not valid as a resource, resource-default, or resource-override";
                let report = Report { issue: Issue::NONE, message: message.to_owned() };
                // The reference uses the offset in a heredoc as one in the file.
                let place = self.span(left);
                let diagnostic =
                    report.at(Severity::Error, self.lexer.source(), Span::new(place.start, place.start));
                return Err(self.fail_before(diagnostic));
            }
        };
        Ok(self.node(node, span))
    }

    /// `name { key => value }`, which is a name and a hash: two statements, or a call.
    fn name_and_hash(&mut self, name: NodeId, operations: List, brace: Token, end: Span) -> Parsed<NodeId> {
        let mark = self.mark();
        let place = Span::new(brace.span.start, brace.span.start);
        for index in 0..operations.len() {
            let operation = self.state.tree.program().list(operations)[index];
            let (key, value) = match self.peek_node(operation) {
                Node::AttributeOperation { attribute_name, operator: AttributeOperator::Set, value_expr } => {
                    (self.node(Node::LiteralString { value: attribute_name }, place), value_expr)
                }
                Node::AttributesOperation { .. } => {
                    // The reference loses the expression.
                    (self.node(Node::Nop {}, place), self.node(Node::Nop {}, place))
                }
                _ => {
                    let message = "Syntax error resource body without title or hash with +>";
                    let report = Report { issue: Issue::NONE, message: message.to_owned() };
                    let diagnostic = self.lexer.diagnostic(report, Severity::Error, brace.span.start);
                    return Err(self.fail_before(diagnostic));
                }
            };
            let entry = self.node(Node::KeyedEntry { key, value }, place);
            self.push(entry);
        }
        let entries = self.list(mark);
        let hash = self.node(Node::LiteralHash { entries }, Span::new(brace.span.start, end.end));
        let span = Span::new(self.span(name).start, end.end);
        let is_call = match self.peek_node(name) {
            Node::QualifiedName { value } => is_statement_function(self.text(value)),
            _ => false,
        };
        if !is_call {
            let statements = self.state.tree.list(&[name, hash]);
            return Ok(self.node(Node::BlockExpression { statements }, span));
        }
        let arguments = self.state.tree.list(&[hash]);
        let call = Node::CallNamedFunctionExpression {
            rval_required: false,
            functor_expr: name,
            arguments,
            lambda: None,
        };
        Ok(self.node(call, span))
    }

    /// Operations with commas between and around them, left on the scratch stack.
    pub(super) fn attribute_operations(&mut self) -> Parsed<()> {
        self.optional_attribute_operation()?;
        self.more_attribute_operations()
    }

    /// The operations after the first one, if there was one.
    fn more_attribute_operations(&mut self) -> Parsed<()> {
        while self.accept(TokenKind::Comma) {
            if !self.optional_attribute_operation()? {
                break;
            }
        }
        Ok(())
    }

    /// An operation, pushed on the scratch stack, if there is one.
    fn optional_attribute_operation(&mut self) -> Parsed<bool> {
        let operation = match self.token.kind {
            TokenKind::Times => {
                let times = self.take();
                self.attributes_operation(times)?
            }
            kind if kind == TokenKind::Name || kind.is_keyword() => {
                let name = self.take();
                self.attribute_operation(name)?
            }
            _ => return Ok(false),
        };
        self.push(operation);
        Ok(true)
    }

    /// `=> value`, `+> value` after the name of an attribute.
    fn attribute_operation(&mut self, name: Token) -> Parsed<NodeId> {
        let operator = match self.token.kind {
            TokenKind::FArrow => AttributeOperator::Set,
            TokenKind::PArrow => AttributeOperator::Append,
            _ => return Err(self.syntax_error()),
        };
        self.take();
        let value_expr = self.expression()?;
        let span = Span::new(name.span.start, self.span(value_expr).end);
        Ok(self.node(Node::AttributeOperation { attribute_name: name.text, operator, value_expr }, span))
    }

    /// `=> value` after `*`.
    fn attributes_operation(&mut self, times: Token) -> Parsed<NodeId> {
        self.expect(TokenKind::FArrow)?;
        let expr = self.expression()?;
        let span = Span::new(times.span.start, self.span(expr).end);
        Ok(self.node(Node::AttributesOperation { expr }, span))
    }

    /// `Type <| query |> { operations }`
    pub(super) fn collection(&mut self, type_expr: NodeId) -> Parsed<NodeId> {
        let open = self.take();
        let is_exported = open.kind == TokenKind::LlCollect;
        let close = if is_exported { TokenKind::RrCollect } else { TokenKind::RCollect };
        let expr = if self.is_at(close) { None } else { Some(self.expression()?) };
        let mut end = self.expect(close)?.span.end;
        let query = if is_exported { Node::ExportedQuery { expr } } else { Node::VirtualQuery { expr } };
        let query = self.node(query, Span::new(open.span.start, end));
        let mark = self.mark();
        if self.accept(TokenKind::LBrace) {
            self.attribute_operations()?;
            end = self.expect(TokenKind::RBrace)?.span.end;
        }
        let operations = self.list(mark);
        let span = Span::new(self.span(type_expr).start, end);
        Ok(self.node(Node::CollectExpression { type_expr, query, operations }, span))
    }
}

//! Definitions: classes, defined types, functions, plans, nodes and types.

use super::call::Members;
use super::recovery::Checkpoint;
use super::{List, Node, NodeId, Parsed, Parser, Span, Text, Token, TokenKind};

/// The total number of bytes in the names of nested classes in any text, and the additional number for each
/// byte of text.
const MAX_NAMES: usize = 4 << 20;
const NAMES_BY_TEXT: usize = 16;

impl Parser<'_, '_> {
    /// `class name(parameters) inherits parent { body }`; the word has been read.
    pub(super) fn class_definition(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        let checkpoint = self.checkpoint();
        let name = self.definition_name(word)?;
        self.state.namespace.push(name);
        let inside = self.checkpoint();
        let parameters = self.header_parameters(&inside, start)?;
        let parent_class = if self.accept(TokenKind::Inherits) {
            self.header_part(&inside, start, Self::parent_class)?
        } else {
            None
        };
        let (body, end) = self.definition_body(&inside, start)?;
        self.restore_names(&checkpoint);
        let name = self.full_name(name)?;
        let node = Node::HostClassDefinition { name, parameters, body, parent_class };
        Ok(self.definition(node, Span::new(start, end.end)))
    }

    fn parent_class(&mut self) -> Parsed<Text> {
        if self.is_at(TokenKind::Default) { Ok(self.take().text) } else { self.class_name() }
    }

    /// `define name(parameters) { body }`; the word has been read.
    pub(super) fn define_definition(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        let checkpoint = self.checkpoint();
        let name = self.definition_name(word)?;
        let parameters = self.header_parameters(&checkpoint, start)?;
        let (body, end) = self.definition_body(&checkpoint, start)?;
        let name = self.full_name(name)?;
        Ok(self
            .definition(Node::ResourceTypeDefinition { name, parameters, body }, Span::new(start, end.end)))
    }

    /// `plan name(parameters) { body }`; the word has been read.
    pub(super) fn plan_definition(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        let checkpoint = self.checkpoint();
        let name = self.definition_name(word)?;
        self.state.namespace.push(name);
        let inside = self.checkpoint();
        let parameters = self.header_parameters(&inside, start)?;
        let (body, end) = self.definition_body(&inside, start)?;
        self.restore_names(&checkpoint);
        let name = self.full_name(name)?;
        let node = Node::PlanDefinition { name, parameters, body, return_type: None };
        Ok(self.definition(node, Span::new(start, end.end)))
    }

    /// `function name(parameters) >> Type { body }`; the word has been read.
    pub(super) fn function_definition(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        let checkpoint = self.checkpoint();
        let name = self.definition_name(word)?;
        let parameters = self.header_parameters(&checkpoint, start)?;
        let return_type = self.header_part(&checkpoint, start, Self::return_type)?.flatten();
        let (body, end) = self.definition_body(&checkpoint, start)?;
        let node = Node::FunctionDefinition { name, parameters, body, return_type };
        Ok(self.definition(node, Span::new(start, end.end)))
    }

    /// `apply(arguments) { body }`; the word has been read.
    pub(super) fn apply_expression(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        self.expect(TokenKind::LParen)?;
        let mark = self.mark();
        self.members(Members::Arguments, true)?;
        self.expect(TokenKind::RParen)?;
        let arguments = self.list(mark);
        self.expect(TokenKind::LBrace)?;
        let mark = self.mark();
        if !self.is_at(TokenKind::RBrace) {
            self.statements()?;
        }
        let end = self.block_end()?.end;
        let statements = self.list(mark);
        let body = self.node(Node::ApplyBlockExpression { statements }, Span::new(start, start));
        Ok(self.node(Node::ApplyExpression { arguments, body: Some(body) }, Span::new(start, end)))
    }

    /// `node host, … inherits parent { body }`; the word has been read.
    pub(super) fn node_definition(&mut self, word: Token) -> Parsed<NodeId> {
        let start = word.span.start;
        let mark = self.mark();
        let checkpoint = self.checkpoint();
        self.doubled_word(word)?;
        self.host_names(&checkpoint, start)?;
        let host_matches = self.list(mark);
        let parent = if self.accept(TokenKind::Inherits) {
            self.header_part(&checkpoint, start, Self::host_name)?
        } else {
            None
        };
        let (body, end) = self.definition_body(&checkpoint, start)?;
        Ok(self.definition(Node::NodeDefinition { parent, host_matches, body }, Span::new(start, end.end)))
    }

    /// The names of the node that starts at `start`, left on the scratch stack: those before an invalid one.
    fn host_names(&mut self, checkpoint: &Checkpoint, start: u32) -> Parsed<()> {
        loop {
            let Some(host) = self.header_part(checkpoint, start, Self::host_name)? else { return Ok(()) };
            self.push(host);
            if !self.accept(TokenKind::Comma) {
                return Ok(());
            }
            if matches!(self.token.kind, TokenKind::Inherits | TokenKind::LBrace) {
                return Ok(());
            }
        }
    }

    /// The name of a node: a name with dots, a string, `default`, or a regular expression.
    fn host_name(&mut self) -> Parsed<NodeId> {
        let token = self.token;
        match token.kind {
            TokenKind::Name | TokenKind::Number => {}
            TokenKind::String
            | TokenKind::Word
            | TokenKind::DqPre
            | TokenKind::Heredoc
            | TokenKind::Default
            | TokenKind::Regex => {
                self.take();
                return self.start(token);
            }
            _ => return Err(self.syntax_error()),
        }
        self.take();
        let mut value = token.text;
        let mut span = token.span;
        while self.accept(TokenKind::Dot) {
            if !matches!(self.token.kind, TokenKind::Name | TokenKind::Number) {
                return Err(self.syntax_error());
            }
            let part = self.take();
            value = if value.start() + value.len() + 1 == part.text.start() {
                Text::new(value.start(), value.len() + 1 + part.text.len())
            } else {
                let name = format!("{}.{}", self.text(value), self.text(part.text));
                self.pooled(&name)
            };
            span.end = part.span.end;
        }
        Ok(self.node(Node::LiteralString { value }, span))
    }

    /// The name of a definition behind its word.
    fn definition_name(&mut self, word: Token) -> Parsed<Text> {
        if self.is_at(word.kind) && self.is_recovering() {
            self.class_name().err().map_or(Ok(()), |failed| self.tolerate(failed))?;
            self.doubled_word(word)?;
        }
        self.class_name()
    }

    /// `(parameters)` of a definition, if there are any.
    fn header_parameters(&mut self, checkpoint: &Checkpoint, start: u32) -> Parsed<List> {
        if self.is_recovering() {
            self.recovered_parameters(checkpoint, start)
        } else {
            self.parameter_list()
        }
    }

    /// The name of the definition.
    fn class_name(&mut self) -> Parsed<Text> {
        match self.token.kind {
            TokenKind::Name | TokenKind::Word | TokenKind::ClassRef => Ok(self.take().text),
            TokenKind::Class => {
                Err(self.fail_at("'class' keyword not allowed at this location", self.token.span))
            }
            TokenKind::String => {
                Err(self.fail_at("A quoted string is not valid as a name here", self.token.span))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// A name prefixed with those of the enclosing classes. Each is written in full, so a deep nesting of
    /// long names takes more and more memory: names out of proportion to the text are rejected.
    fn full_name(&mut self, name: Text) -> Parsed<Text> {
        if self.state.namespace.is_empty() {
            return Ok(name);
        }
        let outer: u32 = self.state.namespace.iter().map(|part| part.len()).sum();
        let pool = &self.lexer.output.pool;
        if pool.len() + outer as usize > MAX_NAMES + NAMES_BY_TEXT * self.lexer.source().text().len() {
            return Err(self.fail_at("the names of nested classes are too long", self.token.span));
        }
        let mut full = String::new();
        for &part in &self.state.namespace {
            full.push_str(self.text(part));
            full.push_str("::");
        }
        full.push_str(self.text(name));
        // The reference removes one leading `::` from the whole.
        let full = full.strip_prefix("::").unwrap_or(&full);
        Ok(self.pooled(full))
    }

    fn definition(&mut self, node: Node, span: Span) -> NodeId {
        let id = self.node(node, span);
        self.state.tree.definition(id);
        id
    }

    /// A construct that starts with `type`: a call, or a type definition.
    pub(super) fn type_start(&mut self, word: Token) -> Parsed<NodeId> {
        if self.is_at(TokenKind::LParen) {
            let name = self.node(Node::QualifiedName { value: word.text }, word.span);
            return self.call(name);
        }
        self.doubled_word(word)?;
        if !self.is_at(TokenKind::ClassRef) {
            return Err(self.syntax_error());
        }
        let name = self.take();
        match self.token.kind {
            TokenKind::LBrace => return self.type_definition(word, name, None),
            TokenKind::Inherits => {
                self.take();
                let parent = self.expect(TokenKind::ClassRef)?;
                return self.type_definition(word, name, Some(parent.text));
            }
            _ => {}
        }
        let is_kept = self.is_recovering() && !self.is_at(TokenKind::LBrack);
        let position = self.position();
        self.named_type(name).inspect_err(|_| {
            if is_kept {
                // The name is kept of an invalid definition.
                let node = self.node(Node::TypeAlias { name: name.text, type_expr: None }, name.span);
                self.state.tree.definition_before(node, position.definitions());
            }
        })
    }

    /// The rest of `type Name = Type` and `type Name[…] = Type`.
    fn named_type(&mut self, name: Token) -> Parsed<NodeId> {
        let mut left = self.node(Node::QualifiedReference { cased_value: name.text }, name.span);
        if self.is_at(TokenKind::LBrack) {
            left = self.keyed_type(left, false)?;
        }
        self.expect(TokenKind::Equals)?;
        self.type_alias(left)
    }

    /// `type Name inherits Parent { statements }`
    fn type_definition(&mut self, word: Token, name: Token, parent: Option<Text>) -> Parsed<NodeId> {
        let start = word.span.start;
        let checkpoint = self.checkpoint();
        let (body, end) = self.definition_body(&checkpoint, start)?;
        let node = Node::TypeDefinition { name: name.text, parent, body };
        Ok(self.definition(node, Span::new(start, end.end)))
    }

    /// `[key, …]` behind a type.
    fn keyed_type(&mut self, left_expr: NodeId, trailing_comma: bool) -> Parsed<NodeId> {
        self.take();
        let mark = self.mark();
        self.members(Members::Keys, trailing_comma)?;
        let end = self.expect(TokenKind::RBrack)?.span.end;
        let keys = self.list(mark);
        let span = Span::new(self.span(left_expr).start, end);
        Ok(self.node(Node::AccessExpression { left_expr, keys }, span))
    }

    /// The definition of a type: `Type`, `Type[…]`, `Parent { … }`, `{ … }` or `[ … ]`.
    fn type_alias(&mut self, left: NodeId) -> Parsed<NodeId> {
        let place = self.span(left);
        let start = Span::new(place.start, place.start);
        let (right, span) = match self.token.kind {
            TokenKind::ClassRef => {
                let token = self.take();
                let name = self.start(token)?;
                match self.token.kind {
                    TokenKind::LBrace => {
                        let brace = self.take();
                        let hash = self.hash(brace)?;
                        (
                            self.inheriting(left, name, hash, start),
                            Span::new(place.start, self.span(hash).end),
                        )
                    }
                    TokenKind::LBrack => {
                        let keyed = self.keyed_type(name, true)?;
                        self.set_span(keyed, start);
                        (keyed, place)
                    }
                    _ => (name, Span::new(place.start, token.span.end)),
                }
            }
            TokenKind::LBrace => {
                let brace = self.take();
                let hash = self.hash(brace)?;
                let span = Span::new(place.start, self.span(hash).end);
                (if self.is_mapping(left) { hash } else { self.object(hash, start) }, span)
            }
            TokenKind::LBrack | TokenKind::ListStart => {
                let bracket = self.take();
                (self.array(bracket)?, place)
            }
            _ => return Err(self.syntax_error()),
        };
        let node = match self.peek_node(left) {
            Node::QualifiedReference { cased_value } => {
                Node::TypeAlias { name: cased_value, type_expr: Some(right) }
            }
            _ => Node::TypeMapping { type_expr: Some(left), mapping_expr: Some(right) },
        };
        Ok(self.definition(node, span))
    }

    fn is_mapping(&self, left: NodeId) -> bool {
        matches!(self.peek_node(left), Node::AccessExpression { .. })
    }

    /// `Object[hash]`
    fn object(&mut self, hash: NodeId, place: Span) -> NodeId {
        let cased_value = self.pooled("Object");
        let object = self.node(Node::QualifiedReference { cased_value }, place);
        let keys = self.state.tree.list(&[hash]);
        self.node(Node::AccessExpression { left_expr: object, keys }, place)
    }

    /// `Parent { … }`: an object with that parent, or the hash as key of `Object` and `TypeSet`.
    fn inheriting(&mut self, left: NodeId, parent: NodeId, hash: NodeId, place: Span) -> NodeId {
        if self.is_mapping(left) {
            return self.node(Node::KeyedEntry { key: parent, value: hash }, place);
        }
        let is_own = match self.peek_node(parent) {
            Node::QualifiedReference { cased_value } => {
                matches!(self.text(cased_value), "Object" | "TypeSet")
            }
            _ => false,
        };
        if is_own {
            let keys = self.state.tree.list(&[hash]);
            return self.node(Node::AccessExpression { left_expr: parent, keys }, place);
        }
        if let Node::LiteralHash { entries } = self.peek_node(hash) {
            let start = self.span(hash).start;
            let at = Span::new(start, start);
            let word = self.pooled("parent");
            let key = self.node(Node::QualifiedName { value: word }, at);
            let entry = self.node(Node::KeyedEntry { key, value: parent }, at);
            let mark = self.mark();
            for index in 0..entries.len() {
                let member = self.state.tree.program().list(entries)[index];
                self.push(member);
            }
            self.push(entry);
            let entries = self.list(mark);
            self.set_node(hash, Node::LiteralHash { entries });
        }
        self.object(hash, place)
    }
}

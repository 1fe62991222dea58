//! Expressions: assignment, relationships, operators by precedence, prefixes, and what follows an operand.

use super::call::Members;
use super::{Node, NodeId, Parsed, Parser, Span, Token, TokenKind};
use crate::ast::nodes::{
    ArithmeticOperator, AssignmentOperator, ComparisonOperator, MatchOperator, RelationshipOperator,
};

impl TokenKind {
    /// The precedence of a binary operator; 0 for other tokens. All of them associate to the left.
    #[inline]
    const fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::QMark => 3,
            Self::GreaterThan | Self::GreaterEqual | Self::LessThan | Self::LessEqual => 4,
            Self::IsEqual | Self::NotEqual => 5,
            Self::LShift | Self::RShift => 6,
            Self::Plus | Self::Minus => 7,
            Self::Times | Self::Div | Self::Modulo => 8,
            Self::Match | Self::NoMatch => 9,
            Self::In => 10,
            _ => 0,
        }
    }

    /// Whether a single token is an operand: a literal, a name, a variable.
    #[inline]
    const fn is_operand(self) -> bool {
        matches!(
            self,
            Self::Variable
                | Self::Name
                | Self::String
                | Self::Word
                | Self::ClassRef
                | Self::Number
                | Self::True
                | Self::False
                | Self::Default
                | Self::Undef
                | Self::Regex
        )
    }

    /// Whether an operand can continue when this token follows it.
    #[inline]
    const fn continues_operand(self) -> bool {
        self.precedence() > 0
            || matches!(
                self,
                Self::LBrack
                    | Self::LParen
                    | Self::LBrace
                    | Self::Dot
                    | Self::LCollect
                    | Self::LlCollect
                    | Self::Equals
                    | Self::Appends
                    | Self::Deletes
                    | Self::InEdge
                    | Self::InEdgeSub
                    | Self::OutEdge
                    | Self::OutEdgeSub
            )
    }
}

/// The result of parsing the beginning of an expression with two tokens of lookahead.
enum Beginning {
    /// The whole expression: most are one token, and need not pass all levels of the grammar.
    Whole(NodeId),
    /// The first operand.
    Operand(NodeId),
    Nothing,
}

/// The node of a binary operator.
fn binary(kind: TokenKind, left_expr: NodeId, right_expr: NodeId) -> Node {
    use TokenKind as Kind;
    let arithmetic = |operator| Node::ArithmeticExpression { operator, left_expr, right_expr };
    let comparison = |operator| Node::ComparisonExpression { operator, left_expr, right_expr };
    let matching = |operator| Node::MatchExpression { operator, left_expr, right_expr };
    match kind {
        Kind::Or => Node::OrExpression { left_expr, right_expr },
        Kind::And => Node::AndExpression { left_expr, right_expr },
        Kind::GreaterThan => comparison(ComparisonOperator::Greater),
        Kind::GreaterEqual => comparison(ComparisonOperator::GreaterEqual),
        Kind::LessThan => comparison(ComparisonOperator::Less),
        Kind::LessEqual => comparison(ComparisonOperator::LessEqual),
        Kind::IsEqual => comparison(ComparisonOperator::Equal),
        Kind::NotEqual => comparison(ComparisonOperator::NotEqual),
        Kind::LShift => arithmetic(ArithmeticOperator::ShiftLeft),
        Kind::RShift => arithmetic(ArithmeticOperator::ShiftRight),
        Kind::Plus => arithmetic(ArithmeticOperator::Plus),
        Kind::Minus => arithmetic(ArithmeticOperator::Minus),
        Kind::Times => arithmetic(ArithmeticOperator::Multiply),
        Kind::Div => arithmetic(ArithmeticOperator::Divide),
        Kind::Modulo => arithmetic(ArithmeticOperator::Modulo),
        Kind::Match => matching(MatchOperator::Match),
        Kind::NoMatch => matching(MatchOperator::NotMatch),
        _ => Node::InExpression { left_expr, right_expr },
    }
}

impl Parser<'_, '_> {
    /// `assignment` of the grammar: a statement, an argument or a member of a list.
    #[inline]
    pub(super) fn assignment(&mut self) -> Parsed<NodeId> {
        match self.beginning()? {
            Beginning::Whole(expression) => {
                self.is_expression = true;
                Ok(expression)
            }
            Beginning::Operand(start) => self.assignment_from(Some(start)),
            Beginning::Nothing => self.assignment_from(None),
        }
    }

    #[inline]
    fn beginning(&mut self) -> Parsed<Beginning> {
        if !self.token.kind.is_operand() {
            return Ok(Beginning::Nothing);
        }
        let token = self.take();
        let operand = match token.kind {
            TokenKind::String => self.node(Node::LiteralString { value: token.text }, token.span),
            TokenKind::Name => self.node(Node::QualifiedName { value: token.text }, token.span),
            TokenKind::Variable => self.variable(token),
            _ => self.primary(token)?,
        };
        let continues = self.token.kind.continues_operand();
        Ok(if continues { Beginning::Operand(operand) } else { Beginning::Whole(operand) })
    }

    /// An assignment whose first operand has been read.
    pub(super) fn assignment_from(&mut self, start: Option<NodeId>) -> Parsed<NodeId> {
        let left_expr = self.relationship(start)?;
        let operator = match self.token.kind {
            TokenKind::Equals => AssignmentOperator::Assign,
            TokenKind::Appends => AssignmentOperator::Append,
            TokenKind::Deletes => AssignmentOperator::Delete,
            _ => return Ok(left_expr),
        };
        let span = self.take().span;
        let right_expr = self.nested(Self::assignment)?;
        self.is_expression = false;
        Ok(self.node(Node::AssignmentExpression { operator, left_expr, right_expr }, span))
    }

    fn relationship(&mut self, start: Option<NodeId>) -> Parsed<NodeId> {
        let height = std::mem::take(&mut self.state.height);
        let mut left_expr = self.resource(start)?;
        loop {
            let operator = match self.token.kind {
                TokenKind::InEdge => RelationshipOperator::Before,
                TokenKind::InEdgeSub => RelationshipOperator::Notify,
                TokenKind::OutEdge => RelationshipOperator::After,
                TokenKind::OutEdgeSub => RelationshipOperator::Subscribe,
                _ => break,
            };
            let span = self.take().span;
            let right_expr = self.resource(None)?;
            self.grow()?;
            self.is_expression = false;
            left_expr = self.node(Node::RelationshipExpression { operator, left_expr, right_expr }, span);
        }
        self.state.height = self.state.height.max(height);
        Ok(left_expr)
    }

    /// `expression` of the grammar: operators, but no assignment, relationship or resource.
    #[inline]
    pub(super) fn expression(&mut self) -> Parsed<NodeId> {
        self.operation(1)
    }

    /// An expression of operators that bind at least as strongly as `least`.
    #[inline]
    fn operation(&mut self, least: u8) -> Parsed<NodeId> {
        match self.beginning()? {
            Beginning::Whole(expression) => Ok(expression),
            Beginning::Operand(start) => self.climb(Some(start), least),
            Beginning::Nothing => self.climb(None, least),
        }
    }

    /// An expression of operators that bind at least as strongly as `least`, whose first operand may have
    /// been read, but not what follows it.
    pub(super) fn climb(&mut self, start: Option<NodeId>, least: u8) -> Parsed<NodeId> {
        self.nested(|own| own.climb_here(start, least))
    }

    fn climb_here(&mut self, start: Option<NodeId>, least: u8) -> Parsed<NodeId> {
        let height = std::mem::take(&mut self.state.height);
        let mut left = match start {
            None => self.operand()?,
            Some(start) => self.postfix(start)?,
        };
        loop {
            let kind = self.token.kind;
            let precedence = kind.precedence();
            if precedence < least {
                break;
            }
            if kind == TokenKind::QMark {
                let selector = self.selector(left)?;
                self.grow()?;
                left = self.postfix(selector)?;
                continue;
            }
            let span = self.take().span;
            let right = self.operation(precedence + 1)?;
            self.grow()?;
            left = self.node(binary(kind, left, right), span);
        }
        self.state.height = self.state.height.max(height);
        Ok(left)
    }

    /// An operand with its prefixes and everything that follows it.
    fn operand(&mut self) -> Parsed<NodeId> {
        let token = self.take_start()?;
        match token.kind {
            TokenKind::Not | TokenKind::Minus | TokenKind::Times => self.prefixed(token),
            _ => {
                let primary = self.primary(token)?;
                self.postfix(primary)
            }
        }
    }

    /// The operand after a prefix that has been read.
    pub(super) fn prefixed(&mut self, token: Token) -> Parsed<NodeId> {
        let expr = self.nested(Self::operand)?;
        let node = match token.kind {
            TokenKind::Not => Node::NotExpression { expr },
            TokenKind::Minus => Node::UnaryMinusExpression { expr },
            _ => Node::UnfoldExpression { expr },
        };
        Ok(self.node(node, token.span))
    }

    /// Steps over a token that starts an expression.
    #[inline]
    fn take_start(&mut self) -> Parsed<Token> {
        match self.token.kind {
            TokenKind::At | TokenKind::AtAt => Err(self.syntax_error()),
            kind if kind.starts_expression() => Ok(self.take()),
            _ => Err(self.syntax_error()),
        }
    }

    /// The start of an expression whose first token has been read, where [`climb`](Self::climb) follows.
    pub(super) fn start(&mut self, token: Token) -> Parsed<NodeId> {
        self.nested(|own| own.primary(token))
    }

    /// The expression that starts with `token`, which has been read, without what can follow it.
    fn primary(&mut self, token: Token) -> Parsed<NodeId> {
        use TokenKind as Kind;
        let span = token.span;
        match token.kind {
            Kind::Variable => Ok(self.variable(token)),
            Kind::Name => Ok(self.node(Node::QualifiedName { value: token.text }, span)),
            Kind::String | Kind::Word => Ok(self.node(Node::LiteralString { value: token.text }, span)),
            Kind::ClassRef => Ok(self.node(Node::QualifiedReference { cased_value: token.text }, span)),
            Kind::Number => self.number(token),
            Kind::DqPre => self.interpolated(token),
            Kind::Heredoc => self.heredoc(token),
            Kind::Regex => Ok(self.node(Node::LiteralRegularExpression { pattern: token.text }, span)),
            Kind::True | Kind::False => {
                Ok(self.node(Node::LiteralBoolean { value: token.kind == Kind::True }, span))
            }
            Kind::Default => Ok(self.node(Node::LiteralDefault {}, span)),
            Kind::Undef => Ok(self.node(Node::LiteralUndef {}, span)),
            Kind::LBrack | Kind::ListStart => self.array(token),
            Kind::LBrace => self.hash(token),
            Kind::LParen | Kind::WsLParen => {
                let expr = self.assignment()?;
                self.expect(Kind::RParen)?;
                Ok(self.node(Node::ParenthesizedExpression { expr }, span))
            }
            Kind::If => self.if_expression(token),
            Kind::Unless => self.unless_expression(token),
            Kind::Case => self.case_expression(token),
            Kind::Class => self.class_definition(token),
            Kind::Define => self.define_definition(token),
            Kind::Node => self.node_definition(token),
            Kind::Function => self.function_definition(token),
            Kind::Type => self.type_start(token),
            Kind::Plan => self.plan_definition(token),
            Kind::Apply => self.apply_expression(token),
            Kind::Attr | Kind::Private => {
                Ok(self.node(Node::ReservedWord { word: token.text, future: false }, span))
            }
            Kind::RenderString => Ok(self.node(Node::RenderStringExpression { value: token.text }, span)),
            Kind::RenderExpr => self.render_expression(token),
            _ => Err(self.syntax_error()),
        }
    }

    /// The continuation of an operand: keys, arguments, a name, a query.
    pub(super) fn postfix(&mut self, mut left: NodeId) -> Parsed<NodeId> {
        loop {
            left = match self.token.kind {
                TokenKind::LBrack => self.access(left)?,
                TokenKind::LParen => self.call(left)?,
                TokenKind::Dot => self.method_call(left)?,
                TokenKind::LCollect | TokenKind::LlCollect => self.collection(left)?,
                _ => return Ok(left),
            };
            self.grow()?;
        }
    }

    /// `left[key, …]`
    fn access(&mut self, left_expr: NodeId) -> Parsed<NodeId> {
        self.take();
        let mark = self.mark();
        self.members(Members::Keys, true)?;
        let end = self.expect(TokenKind::RBrack)?.span.end;
        let keys = self.list(mark);
        let span = Span::new(self.span(left_expr).start, end);
        Ok(self.node(Node::AccessExpression { left_expr, keys }, span))
    }
}

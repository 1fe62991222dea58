//! The roles of pieces in the tree: what brackets contain, where statements begin, which operators are
//! prefixes.

use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::token::TokenKind as Token;

use crate::pieces::Pieces;

/// The content of a pair of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Statements, on lines of their own.
    Block,
    /// Statements that can stay on the enclosing line.
    SmallBlock,
    /// Options of a case.
    Case,
    /// Entries of a selector.
    Selector,
    /// Entries of a hash.
    Hash,
    /// Titles and attributes of resources.
    Resource,
    /// Only attributes: of defaults, overrides, collectors.
    Attributes,
    /// Values of a list.
    List,
    /// Keys of an access, or parameters of a type.
    Access,
    /// An expression.
    Parentheses,
    /// Arguments of a call.
    Arguments,
    /// Parameters of a definition.
    Parameters,
    /// Parameters of a lambda.
    Pipes,
    /// The query of a collector.
    Query,
}

impl Role {
    /// Whether its members are separated by commas.
    pub fn has_commas(self) -> bool {
        use Role::{Access, Arguments, Attributes, Hash, List, Parameters, Pipes, Resource, Selector};
        matches!(
            self,
            Access | Arguments | Attributes | Hash | List | Parameters | Pipes | Resource | Selector
        )
    }

    /// Whether a comma follows the last member if each has a line of its own.
    pub fn ends_with_comma(self) -> bool {
        use Role::{Attributes, Hash, List, Parameters, Resource, Selector};
        matches!(self, Attributes | Hash | List | Parameters | Resource | Selector)
    }

    /// Whether its members are a name and a value with an arrow between them.
    pub fn has_arrows(self) -> bool {
        matches!(self, Role::Attributes | Role::Hash | Role::Resource | Role::Selector)
    }

    /// Whether there is a space after the opening and before the closing bracket.
    pub fn is_spaced(self) -> bool {
        use Role::{Access, Arguments, List, Parameters, Parentheses, Pipes};
        !matches!(self, Access | Arguments | List | Parameters | Parentheses | Pipes)
    }

    pub fn is_block(self) -> bool {
        matches!(self, Role::Block | Role::SmallBlock)
    }
}

/// The piece has no partner.
pub(crate) const NONE: u32 = u32::MAX;

/// The properties of each piece.
#[derive(Debug)]
pub(crate) struct Roles {
    /// The role of each opening bracket.
    roles: Vec<Option<Role>>,
    /// The partner of each bracket; [`NONE`] for all other pieces.
    partners: Vec<u32>,
    starts: Vec<bool>,
    prefixes: Vec<bool>,
}

impl Roles {
    pub fn of(pieces: &Pieces<'_>, program: &Program) -> Self {
        let count = pieces.all.len();
        let mut roles = Self {
            roles: vec![None; count],
            partners: vec![NONE; count],
            starts: vec![false; count],
            prefixes: vec![false; count],
        };
        roles.match_brackets(pieces);
        roles.ask_tree(pieces, program);
        roles.find_statements(pieces, program);
        roles
    }

    /// The role of an opening bracket; `None` for all other pieces.
    pub fn opens(&self, piece: usize) -> Option<Role> {
        self.roles.get(piece).copied().flatten()
    }

    /// The partner of a bracket.
    pub fn partner(&self, piece: usize) -> Option<usize> {
        self.partners.get(piece).copied().filter(|&partner| partner != NONE).map(|partner| partner as usize)
    }

    /// Whether the piece closes a bracket.
    pub fn closes(&self, piece: usize) -> bool {
        self.partner(piece).is_some_and(|partner| partner < piece)
    }

    /// Whether a statement that follows another one begins with the piece.
    pub fn starts_statement(&self, piece: usize) -> bool {
        self.starts[piece]
    }

    /// Whether the piece is a prefix operator.
    pub fn is_prefix(&self, piece: usize) -> bool {
        self.prefixes[piece]
    }

    fn match_brackets(&mut self, pieces: &Pieces<'_>) {
        let mut open: Vec<usize> = Vec::new();
        for (index, piece) in pieces.all.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).map(|at| pieces.all[at].kind);
            let role = match piece.kind {
                Token::LBrack => Role::Access,
                Token::ListStart => Role::List,
                Token::SelBrace => Role::Selector,
                Token::LBrace => match before(1) {
                    Some(Token::Colon) => Role::SmallBlock,
                    // The name of the type has no place here.
                    Some(Token::Class) => Role::Resource,
                    _ => Role::Block,
                },
                Token::LParen | Token::WsLParen => match before(2) {
                    Some(Token::Class | Token::Define | Token::Function | Token::Plan) => Role::Parameters,
                    _ => Role::Arguments,
                },
                Token::LCollect | Token::LlCollect => Role::Query,
                Token::Pipe => {
                    if open.last().is_none_or(|&last| pieces.all[last].kind != Token::Pipe) {
                        Role::Pipes
                    } else {
                        self.close(&mut open, index);
                        continue;
                    }
                }
                Token::RBrack | Token::RBrace | Token::RParen | Token::RCollect | Token::RrCollect => {
                    self.close(&mut open, index);
                    continue;
                }
                Token::Not | Token::At | Token::AtAt => {
                    self.prefixes[index] = true;
                    continue;
                }
                _ => continue,
            };
            self.roles[index] = Some(role);
            open.push(index);
        }
        // A bracket that is never closed does not count.
        for index in open {
            self.roles[index] = None;
        }
    }

    fn close(&mut self, open: &mut Vec<usize>, index: usize) {
        if let Some(opening) = open.pop() {
            self.partners[opening] = index as u32;
            self.partners[index] = opening as u32;
        }
    }

    fn set(&mut self, piece: Option<usize>, role: Role) {
        if let Some(role_of) = piece.and_then(|piece| self.roles.get_mut(piece)).filter(|role| role.is_some())
        {
            *role_of = Some(role);
        }
    }

    /// Records the brackets and operators of nodes.
    fn ask_tree(&mut self, pieces: &Pieces<'_>, program: &Program) {
        let behind = |id: NodeId| pieces.ending_at(program.span(id).end).map(|piece| piece + 1);
        for id in program.ids() {
            let span = program.span(id);
            match *program.node(id) {
                Node::LiteralHash { .. } => self.set(pieces.starting_at(span.start), Role::Hash),
                Node::LiteralList { .. } => self.set(pieces.starting_at(span.start), Role::List),
                Node::ParenthesizedExpression { .. } => {
                    self.set(pieces.starting_at(span.start), Role::Parentheses);
                }
                Node::ResourceExpression { type_name, .. } => self.set(behind(type_name), Role::Resource),
                Node::ResourceDefaultsExpression { type_ref: Some(reference), .. } => {
                    self.set(behind(reference), Role::Attributes);
                }
                Node::ResourceOverrideExpression { resources, .. } => {
                    self.set(behind(resources), Role::Attributes);
                }
                Node::CollectExpression { query, operations, .. } if !operations.is_empty() => {
                    self.set(behind(query), Role::Attributes);
                }
                Node::CaseExpression { .. } => {
                    let opening = pieces.ending_at(span.end).and_then(|closing| self.partner(closing));
                    self.set(opening, Role::Case);
                }
                Node::LambdaExpression { .. }
                | Node::FunctionDefinition { .. }
                | Node::NodeDefinition { .. } => {
                    let opening = pieces.ending_at(span.end).and_then(|closing| self.partner(closing));
                    self.set(opening, Role::SmallBlock);
                }
                Node::UnaryMinusExpression { .. }
                | Node::UnfoldExpression { .. }
                | Node::NotExpression { .. } => {
                    if let Some(sign) = pieces.starting_at(span.start)
                        && matches!(pieces.all[sign].kind, Token::Minus | Token::Times | Token::Not)
                    {
                        self.prefixes[sign] = true;
                    }
                }
                Node::Parameter { captures_rest: true, .. } => {
                    let name = pieces.starting_at(span.start);
                    if let Some(sign) = name.and_then(|name| name.checked_sub(1))
                        && pieces.all[sign].kind == Token::Times
                    {
                        self.prefixes[sign] = true;
                    }
                }
                _ => {}
            }
        }
    }

    /// Records where statements begin that follow others.
    fn find_statements(&mut self, pieces: &Pieces<'_>, program: &Program) {
        let starts = program.starts();
        for id in program.ids() {
            let (Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements }) =
                *program.node(id)
            else {
                continue;
            };
            for &statement in program.list(statements).iter().skip(1) {
                let Some(start) = starts.get(statement.index()) else { continue };
                if let Some(piece) = pieces.starting_at(*start) {
                    self.starts[piece] = true;
                }
            }
        }
    }
}

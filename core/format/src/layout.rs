//! Properties that do not depend on the position in the line: widths, spaces, and which brackets the author
//! has broken.

use bunraku_syntax::token::TokenKind as Token;

use crate::FormatOptions;
use crate::pieces::Pieces;
use crate::roles::{Role, Roles};

/// The pieces with their properties.
pub(crate) struct Layout<'p> {
    pub pieces: &'p Pieces<'p>,
    pub roles: &'p Roles,
    pub options: &'p FormatOptions,
    /// The number of characters of each piece up to the end of its first line.
    widths: Vec<u32>,
    /// Pieces that contain line ends.
    is_long: Vec<bool>,
    /// Opening brackets with a line end between their members, or with a comment that needs one.
    broken: Vec<bool>,
}

impl<'p> Layout<'p> {
    pub fn new(pieces: &'p Pieces<'p>, roles: &'p Roles, options: &'p FormatOptions) -> Self {
        let mut widths = Vec::with_capacity(pieces.all.len());
        let mut is_long = Vec::with_capacity(pieces.all.len());
        for piece in &pieces.all {
            let text = pieces.slice(piece.span);
            let may_be_long = matches!(piece.kind, Token::String | Token::DqPre | Token::Regex);
            let end = if may_be_long { memchr::memchr(b'\n', text.as_bytes()) } else { None };
            widths.push(characters(text.get(..end.unwrap_or(text.len())).unwrap_or_default()));
            is_long.push(end.is_some());
        }
        let mut layout =
            Self { pieces, roles, options, widths, is_long, broken: vec![false; pieces.all.len()] };
        layout.find_broken();
        layout.break_around();
        layout
    }

    pub fn kind(&self, piece: usize) -> Token {
        self.pieces.all[piece].kind
    }

    /// The kind of the previous piece.
    pub fn kind_before(&self, piece: usize) -> Token {
        piece.checked_sub(1).map_or(Token::End, |before| self.kind(before))
    }

    pub fn width(&self, piece: usize) -> usize {
        self.widths[piece] as usize
    }

    /// Whether a piece contains the end of a line.
    pub fn is_long(&self, piece: usize) -> bool {
        self.is_long[piece]
    }

    /// Whether the author has broken the line between the members of these brackets.
    pub fn is_broken(&self, opening: usize) -> bool {
        self.broken[opening]
    }

    /// Whether a piece opens a block, a `case`, or a resource that has several lines wherever it is.
    pub fn has_several_lines(&self, opening: usize) -> bool {
        match self.roles.opens(opening) {
            Some(Role::Block | Role::Case) => self.roles.partner(opening) != Some(opening + 1),
            Some(Role::Resource | Role::Attributes) => {
                let count =
                    |is: fn(Token) -> bool| self.members(opening).filter(|&at| is(self.kind(at))).count();
                self.is_broken(opening)
                    || count(|kind| matches!(kind, Token::FArrow | Token::PArrow)) > 1
                    || count(|kind| kind == Token::Colon) > 1
            }
            _ => false,
        }
    }

    /// Whether a comment before a piece needs a line end.
    pub fn has_line_comment_before(&self, piece: usize) -> bool {
        let comments = self.pieces.comments_before(piece);
        !comments.is_empty()
            && self.pieces.comments[comments]
                .iter()
                .any(|comment| comment.lines > 0 || self.pieces.slice(comment.span).starts_with('#'))
    }

    /// Whether the author has a line end before a piece.
    pub fn has_line_end_before(&self, piece: usize) -> bool {
        self.pieces.all[piece].lines > 0 || self.has_line_comment_before(piece)
    }

    fn find_broken(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for piece in 0..self.pieces.all.len() {
            let closes = self.roles.closes(piece);
            if let Some(&around) = open.last() {
                let is_empty = closes && around + 1 == piece && !self.pieces.has_comments_before(piece);
                let may_break = piece == around + 1
                    || closes
                    || matches!(self.kind_before(piece), Token::Comma | Token::Semic)
                    || matches!(self.kind(piece), Token::Comma | Token::Semic);
                if self.roles.starts_statement(piece)
                    || may_break && !is_empty && self.has_line_end_before(piece)
                {
                    self.broken[around] = true;
                }
            }
            if closes {
                open.pop();
            } else if self.roles.opens(piece).is_some() {
                open.push(piece);
            }
        }
    }

    /// Breaks lists of several members if one of them is broken.
    fn break_around(&mut self) {
        for list in (0..self.pieces.all.len()).rev() {
            if !self.broken[list] && self.has_several_members(list) {
                let is_broken = self.lists_in(list).any(|member| self.broken[member]);
                self.broken[list] = is_broken;
            }
        }
    }

    /// Whether a piece opens a list of several members of which one is a list or a hash that can break.
    pub fn is_list_of_lists(&self, list: usize) -> bool {
        self.has_several_members(list)
            && self.lists_in(list).any(|member| self.roles.partner(member) != Some(member + 1))
    }

    fn has_several_members(&self, list: usize) -> bool {
        let closing = self.roles.partner(list);
        self.roles.opens(list) == Some(Role::List)
            && self
                .members(list)
                .any(|member| self.kind(member) == Token::Comma && Some(member + 1) != closing)
    }

    /// The members of a list that are lists or hashes: whole members, not operands.
    fn lists_in(&self, list: usize) -> impl Iterator<Item = usize> + '_ {
        let closing = self.roles.partner(list);
        self.members(list).filter(move |&member| {
            let behind = self.roles.partner(member).map(|end| end + 1);
            matches!(self.roles.opens(member), Some(Role::Hash | Role::List))
                && matches!(self.kind_before(member), Token::Comma | Token::ListStart)
                && behind.is_some_and(|at| Some(at) == closing || self.kind(at) == Token::Comma)
        })
    }

    /// Whether a space separates a piece from the previous piece on the same line.
    pub fn is_spaced(&self, piece: usize) -> bool {
        let Some(before) = piece.checked_sub(1) else { return false };
        if let Some(role) = self.roles.opens(before) {
            let is_empty = self.roles.partner(before) == Some(piece);
            return role.is_spaced() && (!is_empty || role == Role::Query);
        }
        if self.roles.closes(piece) {
            let role = self.roles.partner(piece).and_then(|opening| self.roles.opens(opening));
            return role.is_some_and(Role::is_spaced);
        }
        if self.roles.is_prefix(before) || self.kind(before) == Token::Dot {
            return false;
        }
        match self.kind(piece) {
            Token::Comma | Token::Semic | Token::Colon | Token::Dot => false,
            _ => match self.roles.opens(piece) {
                Some(Role::Access | Role::Arguments) => false,
                Some(Role::Parameters) => {
                    matches!(
                        piece.checked_sub(2).map(|word| self.kind(word)),
                        Some(Token::Class | Token::Define)
                    )
                }
                _ => true,
            },
        }
    }

    /// Whether a piece is an operator between two operands, where the author can break the line.
    pub fn is_operator(&self, piece: usize) -> bool {
        use Token::{
            And, Div, GreaterEqual, GreaterThan, In, IsEqual, LShift, LessEqual, LessThan, Match, Minus,
            Modulo, NoMatch, NotEqual, Or, Plus, RShift, Times,
        };
        match self.kind(piece) {
            And | Div | GreaterEqual | GreaterThan | In | IsEqual | LShift | LessEqual | LessThan | Match
            | Modulo | NoMatch | NotEqual | Or | Plus | RShift => true,
            Minus | Times => !self.roles.is_prefix(piece),
            _ => false,
        }
    }

    /// Whether a piece is an arrow between resources.
    pub fn is_edge(&self, piece: usize) -> bool {
        matches!(self.kind(piece), Token::InEdge | Token::InEdgeSub | Token::OutEdge | Token::OutEdgeSub)
    }

    /// Whether the author's line end before a piece is kept, in the middle of an expression.
    pub fn keeps_line_end(&self, piece: usize) -> bool {
        piece > 0
            && self.pieces.all[piece].lines > 0
            && (self.is_operator(piece) || self.is_operator(piece - 1) || self.kind(piece) == Token::Dot)
    }

    /// Whether the author has a line end before or behind an arrow between resources.
    pub fn is_broken_edge(&self, piece: usize) -> bool {
        let is_edge_with_line =
            |edge: usize, piece: usize| self.is_edge(edge) && self.has_line_end_before(piece);
        is_edge_with_line(piece, piece) || is_edge_with_line(piece, piece + 1)
    }

    /// The pieces from one on; of nested brackets only the opening one, and those that close what is around.
    pub fn behind(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let step = |&at: &usize| {
            let last = self.roles.opens(at).and_then(|_| self.roles.partner(at)).unwrap_or(at);
            (last + 1 < self.pieces.all.len()).then_some(last + 1)
        };
        std::iter::successors(Some(from), step)
    }

    /// The pieces directly within brackets; for nested brackets, only the opening one.
    pub fn members(&self, opening: usize) -> impl Iterator<Item = usize> + '_ {
        let closing = self.roles.partner(opening).unwrap_or(opening);
        let step = move |&at: &usize| {
            let next = if self.roles.opens(at).is_some() {
                self.roles.partner(at).unwrap_or(at) + 1
            } else {
                at + 1
            };
            (next < closing).then_some(next)
        };
        std::iter::successors((opening + 1 < closing).then_some(opening + 1), step)
    }

    /// The width of the widest name before an arrow, among the members from a piece on. A `;` ends a
    /// resource.
    pub fn widest_name(&self, from: usize, closing: usize) -> usize {
        let mut widest = 0;
        let mut at = from;
        while at < closing {
            let (mut width, mut is_one_line) = (0, true);
            let first = at;
            while at < closing && !matches!(self.kind(at), Token::FArrow | Token::PArrow) {
                if matches!(self.kind(at), Token::Comma | Token::Semic) {
                    break;
                }
                let last =
                    if self.roles.opens(at).is_some() { self.roles.partner(at).unwrap_or(at) } else { at };
                for piece in at..=last {
                    width += self.width(piece) + usize::from(piece > first && self.is_spaced(piece));
                    is_one_line &= !(self.is_long(piece)
                        || self.is_broken(piece)
                        || piece > first && self.has_line_comment_before(piece));
                }
                at = last + 1;
            }
            if at < closing && matches!(self.kind(at), Token::FArrow | Token::PArrow) && is_one_line {
                widest = widest.max(width);
            }
            while at < closing && !matches!(self.kind(at), Token::Comma | Token::Semic) {
                at = if self.roles.opens(at).is_some() { self.roles.partner(at).unwrap_or(at) } else { at }
                    + 1;
            }
            if at < closing && self.kind(at) == Token::Semic {
                break;
            }
            at += 1;
        }
        widest
    }
}

/// The number of characters in a text.
pub(crate) fn characters(text: &str) -> u32 {
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count() as u32
}

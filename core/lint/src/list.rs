//! The tokens of a text as they are mended: a list into which tokens are put and from which they are taken.
//!
//! Two orders are kept apart, as puppet-lint does: the one in which the tokens are written, and the
//! neighbours that a token knows. Some tokens that are put in are known to no neighbour.

use std::ops::{Index, IndexMut};

use crate::token::{Kind, Token};

/// The number of a token; those of the text have their places.
pub(crate) type Id = usize;

/// Neighbours of a token.
#[derive(Clone, Copy, Debug, Default)]
struct Links {
    prev: Option<Id>,
    next: Option<Id>,
    prev_code: Option<Id>,
    next_code: Option<Id>,
    /// In the order in which tokens are written.
    before: Option<Id>,
    behind: Option<Id>,
}

pub(crate) struct List<'t> {
    tokens: Vec<Token<'t>>,
    links: Vec<Links>,
    first: Option<Id>,
    last: Option<Id>,
}

impl<'t> Index<Id> for List<'t> {
    type Output = Token<'t>;

    fn index(&self, at: Id) -> &Token<'t> {
        &self.tokens[at]
    }
}

impl<'t> IndexMut<Id> for List<'t> {
    fn index_mut(&mut self, at: Id) -> &mut Token<'t> {
        &mut self.tokens[at]
    }
}

impl<'t> List<'t> {
    pub fn of(tokens: Vec<Token<'t>>) -> Self {
        let count = tokens.len();
        let mut links: Vec<Links> = (0..count)
            .map(|at| {
                let (before, behind) = (at.checked_sub(1), Some(at + 1).filter(|&next| next < count));
                Links { prev: before, next: behind, before, behind, ..Links::default() }
            })
            .collect();
        let mut last: Option<Id> = None;
        for at in (0..count).filter(|&at| !tokens[at].kind.is_formatting()) {
            links[at].prev_code = last;
            if let Some(last) = last {
                links[last].next_code = Some(at);
            }
            last = Some(at);
        }
        Self { tokens, links, first: Some(0).filter(|_| count > 0), last: count.checked_sub(1) }
    }

    pub fn prev(&self, at: Id) -> Option<Id> {
        self.links[at].prev
    }

    pub fn next(&self, at: Id) -> Option<Id> {
        self.links[at].next
    }

    pub fn prev_code(&self, at: Id) -> Option<Id> {
        self.links[at].prev_code
    }

    pub fn next_code(&self, at: Id) -> Option<Id> {
        self.links[at].next_code
    }

    /// The token that is written behind one.
    pub fn order_next(&self, at: Id) -> Option<Id> {
        self.links[at].behind
    }

    /// The next token of some kinds, where the text in brackets is stepped over.
    pub fn next_of(&self, at: Id, wanted: &[Kind]) -> Option<Id> {
        let mut depth = 0_u32;
        let mut next = self.links[at].behind;
        while let Some(at) = next {
            let kind = self.tokens[at].kind;
            if depth == 0 && wanted.contains(&kind) {
                return Some(at);
            }
            match kind {
                Kind::LBrace | Kind::LBrack | Kind::LParen => depth += 1,
                Kind::RBrace | Kind::RBrack | Kind::RParen => depth = depth.checked_sub(1)?,
                _ => {}
            }
            next = self.links[at].behind;
        }
        None
    }

    /// Makes a token known in front of another one, or at the end.
    pub fn insert(&mut self, at: Option<Id>, token: Token<'t>) {
        let id = self.add(token);
        self.place(at, id);
        self.know(id);
    }

    /// Puts a token that was taken away in front of another one.
    pub fn insert_known(&mut self, at: Id, id: Id) {
        self.place(Some(at), id);
        self.know(id);
    }

    /// Writes a token in front of another one, or at the end; its neighbours do not know it.
    pub fn insert_unlinked(&mut self, at: Option<Id>, token: Token<'t>) {
        let id = self.add(token);
        self.place(at, id);
    }

    fn add(&mut self, token: Token<'t>) -> Id {
        self.tokens.push(token);
        self.links.push(Links::default());
        self.tokens.len() - 1
    }

    /// Puts a token into the order.
    fn place(&mut self, at: Option<Id>, id: Id) {
        let before = at.map_or(self.last, |at| self.links[at].before);
        (self.links[id].before, self.links[id].behind) = (before, at);
        match before {
            Some(before) => self.links[before].behind = Some(id),
            None => self.first = Some(id),
        }
        match at {
            Some(at) => self.links[at].before = Some(id),
            None => self.last = Some(id),
        }
    }

    /// Makes a token known to its neighbours.
    fn know(&mut self, id: Id) {
        let (before, behind) = (self.links[id].before, self.links[id].behind);
        (self.links[id].prev, self.links[id].next) = (before, behind);
        if let Some(before) = before {
            self.links[before].next = Some(id);
        }
        if let Some(behind) = behind {
            self.links[behind].prev = Some(id);
        }
        if self.tokens[id].kind.is_formatting() {
            return;
        }
        let is_code = |list: &Self, at: &Id| !list.tokens[*at].kind.is_formatting();
        let before = std::iter::successors(before, |&at| self.links[at].before).find(|at| is_code(self, at));
        let behind = std::iter::successors(behind, |&at| self.links[at].behind).find(|at| is_code(self, at));
        (self.links[id].prev_code, self.links[id].next_code) = (before, behind);
        if let Some(before) = before {
            self.links[before].next_code = Some(id);
        }
        if let Some(behind) = behind {
            self.links[behind].prev_code = Some(id);
        }
    }

    /// Takes a token away. What it knew, it still knows.
    pub fn delete(&mut self, at: Id) {
        let Links { prev, next, prev_code, next_code, before, behind } = self.links[at];
        if let Some(next) = next {
            self.links[next].prev = prev;
        }
        if let Some(prev) = prev {
            self.links[prev].next = next;
        }
        if !self.tokens[at].kind.is_formatting() {
            if let Some(prev_code) = prev_code {
                self.links[prev_code].next_code = next_code;
            }
            if let Some(next_code) = next_code {
                self.links[next_code].prev_code = prev_code;
            }
        }
        match before {
            Some(before) => self.links[before].behind = behind,
            None => self.first = behind,
        }
        match behind {
            Some(behind) => self.links[behind].before = before,
            None => self.last = before,
        }
    }

    /// Swaps two stretches of tokens, each up to a token that stays: `first` up to `first_end`, and `second`,
    /// which is behind it, up to `second_end`.
    pub fn swap(&mut self, first: Id, first_end: Id, second: Id, second_end: Id) {
        let stretch = |list: &Self, from: Id, to: Id| -> Vec<Id> {
            let next = |&at: &Id| list.links[at].behind.filter(|&next| next != to);
            std::iter::successors(Some(from), next).collect()
        };
        let firsts = stretch(self, first, first_end);
        let seconds = stretch(self, second, second_end);
        firsts.iter().chain(&seconds).for_each(|&at| self.delete(at));
        for at in firsts {
            self.insert_known(second_end, at);
        }
        for at in seconds {
            self.insert_known(first_end, at);
        }
    }

    fn kind_of(&self, at: Option<Id>) -> Option<Kind> {
        at.map(|at| self.tokens[at].kind)
    }

    fn written_token(&self, at: Id) -> String {
        let Links { prev, next, prev_code, .. } = self.links[at];
        self.tokens[at].written(self.kind_of(prev), self.kind_of(prev_code), self.kind_of(next))
    }

    /// How many characters a token takes.
    pub fn width(&self, at: Id) -> usize {
        self.written_token(at).chars().count()
    }

    /// The text.
    pub fn written(&self) -> String {
        let ids = std::iter::successors(self.first, |&at| self.links[at].behind);
        ids.map(|at| self.written_token(at)).collect()
    }
}

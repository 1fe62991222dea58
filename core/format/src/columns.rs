//! Columns that the author has aligned with spaces: names of parameters and their defaults, assignments,
//! attributes after titles. Existing columns are kept, and all members are aligned to them.

use bunraku_syntax::token::TokenKind as Token;

use crate::layout::Layout;

/// The widths before columns; `None` if the author has no column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Columns {
    /// Types before names of parameters; titles before attributes.
    pub first: Option<usize>,
    /// Parameters before their defaults.
    pub second: Option<usize>,
}

impl Columns {
    /// The columns of the parameters in brackets, which begin in a column. Types that span several lines have
    /// none.
    pub fn of_parameters(layout: &Layout<'_>, opening: usize, indent: usize) -> Self {
        let members: Vec<(usize, usize)> = parameters(layout, opening);
        let (mut types, mut is_aligned) = (0, false);
        let type_width = |first: usize, name: usize| {
            let is_flat = !(first..name).any(|piece| layout.is_broken(piece) || layout.is_long(piece));
            let width = if first < name { layout.flat_width(first, name - 1) } else { 0 };
            Some(width).filter(|width| is_flat && width + indent <= layout.options.width)
        };
        for &(first, name) in &members {
            types = types.max(type_width(first, name).unwrap_or(0));
            is_aligned |= first < name && layout.has_wide_gap_before(name);
        }
        let first = is_aligned.then_some(types);
        let (mut names, mut is_aligned) = (0, false);
        for &(first_piece, name) in &members {
            let last = if layout.kind(name) == Token::Times { name + 1 } else { name };
            if layout.kind(last + 1) != Token::Equals {
                continue;
            }
            is_aligned |= layout.has_wide_gap_before(last + 1);
            let before = match (type_width(first_piece, name), first) {
                _ if first_piece == name => 0,
                (None, _) => continue,
                (_, Some(types)) => types + 1,
                (Some(width), None) => width + 1,
            };
            names = names.max(before + layout.flat_width(name, last));
        }
        let columns = Self { first, second: is_aligned.then_some(names) };
        // Columns that make lines too long give way.
        let narrower = [columns, Self { second: None, ..columns }];
        let fits =
            |columns: &Self| members.iter().all(|&member| columns.fit(layout, member, opening, indent));
        narrower.into_iter().find(fits).unwrap_or_default()
    }

    /// Whether a parameter is no longer than a line, or is too long without columns, too.
    fn fit(self, layout: &Layout<'_>, (first, name): (usize, usize), opening: usize, indent: usize) -> bool {
        let closing = layout.roles.partner(opening).unwrap_or(opening);
        let last_name = if layout.kind(name) == Token::Times { name + 1 } else { name };
        let mut last = last_name;
        while last + 1 < closing && layout.kind(last + 1) != Token::Comma {
            last += 1;
            last = layout.roles.opens(last).and_then(|_| layout.roles.partner(last)).unwrap_or(last);
        }
        let is_flat = !(first..=last).any(|piece| layout.is_broken(piece) || layout.is_long(piece));
        let types = if first < name { layout.flat_width(first, name - 1) + 1 } else { 0 };
        let names = layout.flat_width(name, last_name);
        let value = if last > last_name { layout.flat_width(last_name + 1, last) + 1 } else { 0 };
        let before = self.first.filter(|_| first < name).map_or(types, |column| types.max(column + 1));
        let before_value =
            self.second.filter(|_| value > 0).map_or(before + names, |column| column.max(before + names));
        let fits = |width: usize| indent + width < layout.options.width;
        !is_flat || fits(before_value + value) || !fits(types + names + value)
    }

    /// The column of the attributes of resources that have one each, after their titles.
    pub fn of_titles(layout: &Layout<'_>, opening: usize) -> Self {
        let closing = layout.roles.partner(opening).unwrap_or(opening);
        let (mut widest, mut is_aligned) = (0, false);
        let mut first = opening + 1;
        for member in layout.members(opening) {
            match layout.kind(member) {
                Token::Semic => first = member + 1,
                Token::Colon if layout.has_one_attribute(member + 1, closing) => {
                    widest = widest.max(layout.flat_width(first, member));
                    is_aligned |= layout.has_wide_gap_before(member + 1);
                }
                _ => {}
            }
        }
        Self { first: is_aligned.then_some(widest), second: None }
    }
}

/// The first piece of each parameter, and that of its name (or the `*` before it).
fn parameters(layout: &Layout<'_>, opening: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut first, mut is_named) = (opening + 1, false);
    for member in layout.members(opening) {
        match layout.kind(member) {
            Token::Comma => (first, is_named) = (member + 1, false),
            Token::Variable if !is_named => {
                is_named = true;
                let has_star = member > first && layout.kind(member - 1) == Token::Times;
                found.push((first, if has_star { member - 1 } else { member }));
            }
            _ => {}
        }
    }
    found
}

impl Layout<'_> {
    /// The width of pieces on one line.
    pub fn flat_width(&self, first: usize, last: usize) -> usize {
        let width = |piece| self.width(piece) + usize::from(piece > first && self.is_spaced(piece));
        (first..=last).map(width).sum()
    }

    /// Whether the author has more than one space before a piece, on the line of the previous piece.
    pub fn has_wide_gap_before(&self, piece: usize) -> bool {
        let Some(before) = piece.checked_sub(1) else { return false };
        let (before, piece) = (self.pieces.all[before], self.pieces.all[piece]);
        piece.lines == 0
            && piece.span.start > before.span.end + 1
            && !self.pieces.text.as_bytes()[before.span.end as usize..piece.span.start as usize]
                .contains(&b'#')
    }

    /// Whether there is exactly one attribute from a piece on, up to the next `;` or the end of the
    /// resources.
    pub fn has_one_attribute(&self, from: usize, closing: usize) -> bool {
        let mut arrows = 0;
        let mut at = from;
        while at < closing && self.kind(at) != Token::Semic {
            arrows += usize::from(matches!(self.kind(at), Token::FArrow | Token::PArrow));
            if arrows > 1 {
                return false;
            }
            at = if self.roles.opens(at).is_some() { self.roles.partner(at).unwrap_or(at) } else { at } + 1;
        }
        arrows == 1
    }

    /// The assignments from one on that follow each other without empty lines and comments between: the piece
    /// after the last one's operator, and the width of their variables, if the author has a column.
    pub fn assignments(&self, first: usize) -> (usize, Option<usize>) {
        let (mut widest, mut is_aligned) = (0, false);
        let mut variable = first;
        loop {
            widest = widest.max(self.width(variable));
            is_aligned |= self.has_wide_gap_before(variable + 1);
            let Some(next) = self.next_assignment(variable) else { break };
            variable = next;
        }
        (variable + 2, is_aligned.then_some(widest))
    }

    fn next_assignment(&self, variable: usize) -> Option<usize> {
        let mut at = variable + 1;
        let count = self.pieces.all.len();
        while at < count && !self.roles.starts_statement(at) {
            if self.roles.closes(at) {
                return None;
            }
            at = if self.roles.opens(at).is_some() { self.roles.partner(at)? } else { at } + 1;
        }
        let is_assignment =
            at + 1 < count && self.kind(at) == Token::Variable && self.kind(at + 1) == Token::Equals;
        let is_below = self.pieces.all.get(at)?.lines < 2
            && self.pieces.comments_before(at).all(|comment| self.pieces.comments[comment].lines == 0);
        (is_assignment && is_below).then_some(at)
    }
}

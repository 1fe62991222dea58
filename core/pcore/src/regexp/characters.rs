//! Sets of characters: the content of a pattern's set, prepared for lookups.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A set of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Characters {
    /// Those of ASCII, as bits.
    ascii: u128,
    /// All others: ranges in order, both ends included.
    others: Box<[(char, char)]>,
}

impl Characters {
    /// The set that a text in the syntax of the `regex` crate describes; it may also be a single character.
    ///
    /// # Errors
    /// The crate's complaint.
    pub fn new(source: &str) -> Result<Self, String> {
        let read = regex_syntax::parse(source).map_err(|error| error.to_string())?;
        let mut set = Self::default();
        set.others = set.add(&read).into_boxed_slice();
        Ok(set)
    }

    /// Adds the ASCII part; returns the other ranges.
    fn add(&mut self, read: &Hir) -> Vec<(char, char)> {
        let ranges: Vec<(char, char)> = match read.kind() {
            HirKind::Class(Class::Unicode(class)) => {
                class.iter().map(|range| (range.start(), range.end())).collect()
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
            }
            HirKind::Literal(literal) => {
                String::from_utf8_lossy(&literal.0).chars().map(|c| (c, c)).collect()
            }
            _ => Vec::new(),
        };
        let mut others = Vec::new();
        for (first, last) in ranges {
            for code in u32::from(first)..=u32::from(last).min(0x7f) {
                self.ascii |= 1 << code;
            }
            if last > '\u{7f}' {
                others.push((first.max('\u{80}'), last));
            }
        }
        others
    }

    /// Whether a character is in the set.
    #[inline]
    pub fn contains(&self, c: char) -> bool {
        let code = u32::from(c);
        if code < 0x80 {
            return self.ascii & (1 << code) != 0;
        }
        let after = self.others.partition_point(|(first, _)| *first <= c);
        after.checked_sub(1).and_then(|index| self.others.get(index)).is_some_and(|(_, last)| c <= *last)
    }

    /// Whether a byte can begin a character of the set.
    pub fn may_begin_with(&self, byte: u8) -> bool {
        if byte < 0x80 { self.ascii & (1 << byte) != 0 } else { byte >= 0xc2 && !self.others.is_empty() }
    }
}

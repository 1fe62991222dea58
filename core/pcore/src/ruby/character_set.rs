//! Sets of characters as `String#count`, `delete`, `squeeze` and `tr` write them: `a-z`, `^0-9`.

use std::str::Chars;

use bunraku_syntax::diagnostic::Error;

use crate::data::fuel::{BYTES_IN_STEP, Fuel};

/// How many ranges are added before those that overlap become one.
const BETWEEN_MERGES: usize = 1 << 12;

/// The number of ranges that are added in one step.
const RANGES_IN_STEP: u64 = 1 << 8;

/// A set of characters.
#[derive(Debug)]
pub struct CharacterSet {
    is_negated: bool,
    /// Those of ASCII, as bits.
    ascii: u128,
    /// In order, and apart from each other.
    ranges: Vec<(char, char)>,
}

impl CharacterSet {
    /// The set that a text writes.
    ///
    /// # Errors
    /// A range ends before it begins, or the fuel runs out.
    pub fn new(text: &str, fuel: &dyn Fuel) -> Result<Self, Error> {
        let (is_negated, written) = split_negation(text);
        let mut ranges = Vec::new();
        let mut most = BETWEEN_MERGES;
        for range in Ranges::of(written) {
            ranges.push(forward(range)?);
            if ranges.len() >= most {
                fuel.charge(ranges.len() as u64 / RANGES_IN_STEP)?;
                ranges = merged(ranges);
                most = ranges.len() * 2 + BETWEEN_MERGES;
            }
        }
        let ranges = merged(ranges);
        let mut ascii = 0;
        for &(first, last) in ranges.iter().filter(|(first, _)| first.is_ascii()) {
            for code in u32::from(first)..=u32::from(last).min(0x7f) {
                ascii |= 1_u128 << code;
            }
        }
        Ok(Self { is_negated, ascii, ranges })
    }

    /// Whether a character is in the set.
    #[must_use]
    pub fn has(&self, character: char) -> bool {
        let code = u32::from(character);
        let is_named = if code < 0x80 {
            self.ascii & (1 << code) != 0
        } else {
            let begun = self.ranges.partition_point(|(first, _)| *first <= character);
            let range = begun.checked_sub(1).and_then(|at| self.ranges.get(at));
            range.is_some_and(|(_, last)| character <= *last)
        };
        is_named != self.is_negated
    }
}

/// The characters of a set in the order in which they are written, as `tr` counts them.
#[derive(Debug)]
pub struct Sequence {
    /// Whether all other characters are meant.
    pub is_negated: bool,
    /// Ranges, and how many characters are before each.
    ranges: Vec<(char, char, u64)>,
}

impl Sequence {
    /// The characters of the first argument of `tr`.
    ///
    /// # Errors
    /// A range ends before it begins, or the fuel runs out.
    pub fn new(text: &str, fuel: &dyn Fuel) -> Result<Self, Error> {
        let (is_negated, written) = split_negation(text);
        Ok(Self { is_negated, ..Self::of(written, fuel)? })
    }

    /// The characters of the second argument of `tr`, where a leading `^` means itself.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(written: &str, fuel: &dyn Fuel) -> Result<Self, Error> {
        let (mut ranges, mut before) = (Vec::new(), 0);
        for range in Ranges::of(written) {
            let (first, last) = forward(range)?;
            ranges.push((first, last, before));
            before += (first..=last).count() as u64;
            if ranges.len().is_multiple_of(BETWEEN_MERGES) {
                fuel.charge(BETWEEN_MERGES as u64 / RANGES_IN_STEP)?;
            }
        }
        Ok(Self { is_negated: false, ranges })
    }

    /// The place of a character: the last one, where it is written several times.
    ///
    /// # Errors
    /// The fuel runs out.
    pub fn place(&self, character: char, fuel: &dyn Fuel) -> Result<Option<u64>, Error> {
        fuel.charge(self.ranges.len() as u64 / BYTES_IN_STEP)?;
        let found = self.ranges.iter().rfind(|(first, last, _)| (*first..=*last).contains(&character));
        Ok(found.map(|(first, _, before)| before + ((*first..=character).count() as u64 - 1)))
    }

    /// The character at a place, or the last one where there are fewer. `None`: there is none.
    #[must_use]
    pub fn at(&self, place: u64) -> Option<char> {
        let begun = self.ranges.partition_point(|(_, _, before)| *before <= place);
        let (first, last, before) = self.ranges.get(begun.checked_sub(1)?)?;
        let within = usize::try_from(place - before).unwrap_or(usize::MAX);
        Some((*first..=*last).nth(within).unwrap_or(*last))
    }
}

/// The text without `^`, and whether there is one that negates what follows.
fn split_negation(text: &str) -> (bool, &str) {
    match text.strip_prefix('^') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, text),
    }
}

fn forward((first, last): (char, char)) -> Result<(char, char), Error> {
    if first <= last {
        return Ok((first, last));
    }
    // Ruby shows the characters of ASCII only.
    Err(Error::argument(if first.is_ascii() {
        format!("invalid range \"{first}-{last}\" in string transliteration")
    } else {
        "invalid range in string transliteration".to_owned()
    }))
}

/// The ranges in order, those that overlap as one.
fn merged(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let overlaps = next.0 <= before.1;
        if overlaps {
            before.1 = before.1.max(next.1);
        }
        overlaps
    });
    ranges
}

/// The ranges as they are written; a single character is one.
struct Ranges<'t> {
    rest: Chars<'t>,
}

impl<'t> Ranges<'t> {
    fn of(written: &'t str) -> Self {
        Self { rest: written.chars() }
    }
}

impl Iterator for Ranges<'_> {
    type Item = (char, char);

    fn next(&mut self) -> Option<(char, char)> {
        let first = match self.rest.next()? {
            '\\' => self.rest.next().unwrap_or('\\'),
            first => first,
        };
        let mut ahead = self.rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                self.rest = ahead;
                Some((first, last))
            }
            _ => Some((first, first)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fuel::Unmetered;

    fn members(set: &str) -> String {
        let set = CharacterSet::new(set, &Unmetered).expect("a set");
        "-09Zabcz\\^éß".chars().filter(|character| set.has(*character)).collect()
    }

    #[test]
    fn sets_have_what_ruby_says() {
        // Each answer is that of `"-09Zabcz\\^éß".chars.select { |c| c.count(set) == 1 }.join` in Ruby 3.1.
        for (set, expected) in [
            ("a-c", "abc"),
            ("^a-c", "-09Zz\\^éß"),
            ("^", "^"),
            ("a^", "a^"),
            ("\\^a", "a^"),
            ("a-", "-a"),
            ("-a", "-a"),
            ("\\a-c", "abc"),
            ("a\\-c", "-ac"),
            ("\\\\", "\\"),
            ("a\\", "a\\"),
            ("0-9a-bß-é", "09abéß"),
            ("", ""),
        ] {
            assert_eq!(members(set), expected, "{set}");
        }
    }

    #[test]
    fn ranges_that_run_backwards_are_refused() {
        for (set, expected) in [
            ("b-a", "invalid range \"b-a\" in string transliteration"),
            ("a-\\z", "invalid range \"a-\\\" in string transliteration"),
            ("é-a", "invalid range in string transliteration"),
        ] {
            let error = CharacterSet::new(set, &Unmetered).expect_err("it runs backwards");
            assert_eq!(error.message, expected);
        }
    }

    #[test]
    fn many_ranges_become_few() {
        let set = CharacterSet::new(&"a-cb-zé0".repeat(BETWEEN_MERGES), &Unmetered).expect("a set");
        assert_eq!(set.ranges, [('0', '0'), ('a', 'z'), ('é', 'é')]);
    }

    #[test]
    fn sequences_have_places() {
        let sequence = Sequence::new("a-cxb0-9", &Unmetered).expect("a sequence");
        let place = |character| sequence.place(character, &Unmetered).expect("there is fuel");
        assert_eq!(
            (place('a'), place('b'), place('x'), place('9'), place('y')),
            (Some(0), Some(4), Some(3), Some(14), None)
        );
        let text: String = (0..17).filter_map(|at| sequence.at(at)).collect();
        assert_eq!(text, "abcxb012345678999");
    }
}

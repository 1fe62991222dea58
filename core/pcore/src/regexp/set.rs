//! Many patterns that are searched for at once.

use regex_automata::{Input, MatchKind, PatternSet as Found};

use super::{MAX_PROGRAM_SIZE, Meta, SHORT_TEXT, SMALL, emit, linear};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern;

/// Patterns of which the first one that matches a short text is wanted. One search finds all regular ones
/// that match; the others are asked one by one.
#[derive(Clone, Debug)]
pub struct PatternSet {
    /// The regular patterns, for texts without newlines.
    regex: Meta,
    /// The numbers of these patterns.
    regular: Vec<usize>,
    /// The numbers of the others.
    others: Vec<usize>,
}

impl PatternSet {
    /// The set of these patterns; `None` if one search for them would be too large.
    pub fn new<'s>(sources: impl Iterator<Item = &'s str>) -> Option<Self> {
        let (mut texts, mut regular, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (number, source) in sources.enumerate() {
            match of_one_line(source) {
                Some(text) => {
                    texts.push(text);
                    regular.push(number);
                }
                None => others.push(number),
            }
        }
        let config = Meta::config().nfa_size_limit(Some(MAX_PROGRAM_SIZE)).match_kind(MatchKind::All);
        let regex = Meta::builder().configure(config).build_many(&texts).ok()?;
        Some(Self { regex, regular, others })
    }

    /// The number of the first pattern that matches a text; `asked` says whether one that is not regular
    /// does. `None` if the text is long or has several lines: then each pattern must be asked.
    ///
    /// # Errors
    /// As `asked`.
    pub fn first_match(
        &self,
        text: &str,
        mut asked: impl FnMut(usize) -> Result<bool, Error>,
    ) -> Result<Option<Option<usize>>, Error> {
        if text.len() > SHORT_TEXT || text.contains('\n') {
            return Ok(None);
        }
        let mut found = Found::new(self.regular.len());
        self.regex.which_overlapping_matches(&Input::new(text), &mut found);
        let first = found.iter().next().and_then(|found| self.regular.get(found.as_usize()).copied());
        for &other in self.others.iter().take_while(|&&other| first.is_none_or(|first| other < first)) {
            if asked(other)? {
                return Ok(Some(Some(other)));
            }
        }
        Ok(Some(first))
    }
}

/// A pattern in the syntax of the `regex` crate, for texts without newlines; `None` if it is not regular.
fn of_one_line(source: &str) -> Option<String> {
    let mut pattern = pattern::parse(source).ok()?;
    if pattern::has_fixed_encoding(source) {
        super::folding::lower(&mut pattern.root);
    }
    let text = emit::emit(&pattern).filter(|_| linear::weight(&pattern.root) <= SMALL)?;
    Some(emit::of_one_line(&text).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::super::Regex;
    use super::*;
    use crate::data::fuel::Unmetered;

    #[test]
    fn the_first_of_all_patterns_is_found() {
        let sources = [r"^a\d+$", r"(?<!x)b", r"^a1", "b", r"\Ac\z", "^", "(?i)É"];
        let set = PatternSet::new(sources.into_iter()).expect("it is small");
        assert!(!set.others.is_empty());
        for text in ["a1", "a12", "a1x", "xb", "ab", "c", "cc", "", "é", "x b"] {
            let one_by_one = sources
                .iter()
                .position(|source| Regex::new(source).unwrap().is_match(text, &Unmetered).unwrap());
            let asked = |number: usize| Regex::new(sources[number]).unwrap().is_match(text, &Unmetered);
            assert_eq!(set.first_match(text, asked).unwrap(), Some(one_by_one), "{text}");
        }
        assert_eq!(set.first_match("a1\nb", |_| Ok(true)).unwrap(), None);
    }
}

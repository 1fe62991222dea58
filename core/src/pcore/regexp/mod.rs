//! Regular expressions as Ruby has them, on the engines of the `regex` and `fancy-regex` crates.
//!
//! `syntax` reads Ruby's patterns, [`emit`] writes them for `regex` when the pattern is regular (matching is then linear
//! in time) and for `fancy-regex` otherwise, whose backtracking has a limit. Positions are byte offsets.

mod emit;
mod replace;

use std::sync::Arc;

use crate::diagnostic::Error;
use crate::pcore::meter::{Meter, Unmetered};
use crate::pcore::value::RegexpValue;
use crate::syntax::pattern;

use replace::Replaced;
pub use replace::Replacement;

/// How often `fancy-regex` may go back in one search.
const BACKTRACK_LIMIT: usize = 2_000_000;
/// How large the program of an engine may become, in bytes.
const SIZE_LIMIT: usize = 20 << 20;

/// How many bytes make a text long.
const LONG_TEXT: usize = 1 << 16;
/// What a search in a long text counts in steps, so that the limits are looked at more often.
const STEPS_IN_LONG_TEXT: u64 = 16;

/// The spans of a match: the whole, then each group that captures.
pub type Captures = Vec<Option<(usize, usize)>>;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Regex {
    engine: Engine,
    names: Vec<(String, usize)>,
}

#[derive(Clone, Debug)]
enum Engine {
    Regular(Box<regex::Regex>),
    Fancy(Arc<fancy_regex::Regex>),
}

impl Regex {
    /// Compiles a pattern in Ruby's syntax. The error reads as Ruby's: `premature end of char-class: /[a/`.
    pub fn new(source: &str) -> Result<Self, String> {
        let failed = |message: String| format!("{message}: /{source}/");
        let pattern = pattern::parse(source).map_err(failed)?;
        let emitted = emit::emit(&pattern);
        let engine = if emitted.is_fancy {
            let compiled = fancy_regex::RegexBuilder::new(&emitted.text)
                .backtrack_limit(BACKTRACK_LIMIT)
                .delegate_size_limit(SIZE_LIMIT)
                .max_prog_size(1 << 18)
                .build();
            Engine::Fancy(Arc::new(compiled.map_err(|error| failed(error.to_string()))?))
        } else {
            let compiled = regex::RegexBuilder::new(&emitted.text).size_limit(SIZE_LIMIT).build();
            Engine::Regular(Box::new(compiled.map_err(|error| failed(error.to_string()))?))
        };
        Ok(Self { engine, names: pattern.names })
    }

    /// The names of groups with their numbers, in order; a name may stand several times.
    pub fn names(&self) -> &[(String, usize)] {
        &self.names
    }

    /// The number of the group of this name: the last one that matched, as Ruby's `MatchData#[]` has it.
    pub fn group(&self, name: &str, captures: &Captures) -> Option<usize> {
        let mut groups = self.names.iter().filter(|(n, _)| n == name).map(|(_, group)| *group).rev();
        let last = groups.clone().next()?;
        let matched = |group: &usize| captures.get(*group).copied().flatten().is_some();
        Some(groups.find(matched).unwrap_or(last))
    }

    /// How many groups capture.
    pub fn groups(&self) -> usize {
        match &self.engine {
            Engine::Regular(regex) => regex.captures_len() - 1,
            Engine::Fancy(regex) => regex.captures_len().saturating_sub(1),
        }
    }

    /// Whether the pattern matches anywhere.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        match &self.engine {
            Engine::Regular(regex) => Ok(regex.is_match(text)),
            Engine::Fancy(regex) => regex.is_match(text).map_err(too_much),
        }
    }

    /// The first match with its groups.
    pub fn captures(&self, text: &str) -> Result<Option<Captures>, Error> {
        self.captures_at(text, 0, &Unmetered)
    }

    /// The first match at or behind a position; what stands before it is seen by anchors and look-behind.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn captures_at(
        &self,
        text: &str,
        start: usize,
        meter: &dyn Meter,
    ) -> Result<Option<Captures>, Error> {
        meter.work(if text.len() > LONG_TEXT { STEPS_IN_LONG_TEXT } else { 1 })?;
        if start > text.len() || !text.is_char_boundary(start) {
            return Ok(None);
        }
        match &self.engine {
            Engine::Regular(regex) => Ok(regex
                .captures_at(text, start)
                .map(|found| found.iter().map(|group| group.map(|m| (m.start(), m.end()))).collect())),
            Engine::Fancy(regex) => Ok(regex
                .captures_from_pos(text, start)
                .map_err(too_much)?
                .map(|found| found.iter().map(|group| group.map(|m| (m.start(), m.end()))).collect())),
        }
    }

    /// The span of the first match at or behind a position.
    pub fn find_at(&self, text: &str, start: usize) -> Result<Option<(usize, usize)>, Error> {
        if start > text.len() || !text.is_char_boundary(start) {
            return Ok(None);
        }
        match &self.engine {
            Engine::Regular(regex) => Ok(regex.find_at(text, start).map(|m| (m.start(), m.end()))),
            Engine::Fancy(regex) => {
                Ok(regex.find_from_pos(text, start).map_err(too_much)?.map(|m| (m.start(), m.end())))
            }
        }
    }

    /// All matches in turn, as Ruby's `scan` and `gsub` walk them: an empty match may stand behind another match.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn all_captures(&self, text: &str, meter: &dyn Meter) -> Result<Vec<Captures>, Error> {
        let mut found = Vec::new();
        self.each_match(text, meter, |captures| {
            meter.check_size((found.len() + 1) * size_of_val(captures.as_slice()))?;
            found.push(captures);
            Ok(())
        })?;
        Ok(found)
    }

    /// Goes through all matches in turn.
    fn each_match(
        &self,
        text: &str,
        meter: &dyn Meter,
        mut visit: impl FnMut(Captures) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut at = 0;
        while let Some(captures) = self.captures_at(text, at, meter)? {
            let Some((start, end)) = captures.first().copied().flatten() else { break };
            visit(captures)?;
            at = if start == end { next_boundary(text, end) } else { end };
            if at > text.len() {
                break;
            }
        }
        Ok(())
    }

    /// The first match replaced, as Ruby's `sub` does.
    ///
    /// # Errors
    /// A reference to a group that is not there; a limit is reached.
    pub fn replace_first(
        &self,
        text: &str,
        replacement: &Replacement<'_>,
        meter: &dyn Meter,
    ) -> Result<String, Error> {
        let mut replaced = Replaced::new(self, text, replacement, meter);
        if let Some(captures) = self.captures_at(text, 0, meter)? {
            replaced.add(&captures)?;
        }
        replaced.finish()
    }

    /// All matches replaced, as Ruby's `gsub` does.
    ///
    /// # Errors
    /// As [`replace_first`](Self::replace_first).
    pub fn replace_all(
        &self,
        text: &str,
        replacement: &Replacement<'_>,
        meter: &dyn Meter,
    ) -> Result<String, Error> {
        let mut replaced = Replaced::new(self, text, replacement, meter);
        self.each_match(text, meter, |captures| replaced.add(&captures))?;
        replaced.finish()
    }

    /// The parts between matches, as Ruby's `split` gives them: groups are parts too, empty parts at the end are
    /// dropped when the limit is 0 and kept when it is negative.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn split(&self, text: &str, limit: i64, meter: &dyn Meter) -> Result<Vec<String>, Error> {
        let mut parts: Vec<String> = Vec::new();
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_string();
        if text.is_empty() {
            return Ok(parts);
        }
        if limit == 1 {
            return Ok(vec![text.to_string()]);
        }
        let (mut begin, mut at, mut count, mut passed_empty) = (0, 0, 1, false);
        while let Some(captures) = self.captures_at(text, at, meter)? {
            let Some((start, end)) = captures.first().copied().flatten() else { break };
            meter.check_size(parts.len() * size_of::<String>())?;
            if start == at && start == end {
                // An empty match does not cut where the part begins, but behind the next character.
                if !passed_empty {
                    at = next_boundary(text, at);
                    passed_empty = true;
                    continue;
                }
                parts.push(part(begin, at));
                begin = at;
            } else {
                parts.push(part(begin, start));
                begin = end;
                at = end;
            }
            passed_empty = false;
            push_groups(text, &captures, &mut parts);
            count += 1;
            if limit > 0 && count >= limit {
                break;
            }
        }
        if begin < text.len() || limit != 0 {
            parts.push(part(begin, text.len()));
        }
        if limit == 0 {
            while parts.last().is_some_and(String::is_empty) {
                parts.pop();
            }
        }
        Ok(parts)
    }
}

fn push_groups(text: &str, captures: &Captures, parts: &mut Vec<String>) {
    for (start, end) in captures.iter().skip(1).flatten() {
        parts.push(text.get(*start..*end).unwrap_or_default().to_string());
    }
}

/// The next place behind `at` where a character may begin; behind the text when there is none.
fn next_boundary(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(text.len() + 1, |c| at + c.len_utf8())
}

fn too_much(error: fancy_regex::Error) -> Error {
    Error::limit(format!("regular expression: {error}"))
}

impl RegexpValue {
    /// The compiled form. Fails with Ruby's text when the pattern is wrong.
    pub fn regex(&self) -> Result<&Regex, Error> {
        match self.compiled.get_or_init(|| Regex::new(&self.source)) {
            Ok(regex) => Ok(regex),
            Err(message) => Err(Error::argument(message.clone())),
        }
    }
}

/// A text with everything escaped that means something in a pattern, as Ruby's `Regexp.escape` does.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let letter = match c {
            '\n' => 'n',
            '\t' => 't',
            '\r' => 'r',
            '\u{c}' => 'f',
            '\u{b}' => 'v',
            '.' | '*' | '?' | '+' | '^' | '$' | '|' | '\\' | '(' | ')' | '[' | ']' | '{' | '}' | '-'
            | ' ' | '#' => c,
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push('\\');
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
        let regex = Regex::new(pattern).unwrap();
        regex.find_at(text, 0).unwrap().map(|(start, end)| &text[start..end])
    }

    #[test]
    fn shorthands_are_ascii_and_brackets_unicode() {
        assert_eq!(found(r"\w", "é"), None);
        assert_eq!(found(r"(?u)\w", "é"), Some("é"));
        assert_eq!(found("[[:alpha:]]", "é"), Some("é"));
        assert_eq!(found("(?a)[[:alpha:]]", "é"), None);
        assert_eq!(found(r"\bé", "é"), Some("é"));
        assert_eq!(found(r"[[:digit:]]", "٣"), Some("٣"));
        assert_eq!(found(r"\d", "٣"), None);
    }

    #[test]
    fn anchors_are_of_lines() {
        assert_eq!(Regex::new("^").unwrap().all_captures("a\n", &Unmetered).unwrap().len(), 1);
        assert_eq!(Regex::new("$").unwrap().all_captures("a\n", &Unmetered).unwrap().len(), 2);
        assert_eq!(found(r"a\Z", "a\n"), Some("a"));
        assert_eq!(found(r"a\z", "a\n"), None);
    }

    #[test]
    fn quantifiers_read_as_in_ruby() {
        assert_eq!(found("a{2}?", "aaaa"), Some("aa"));
        assert_eq!(found("a{2}+", "aaaa"), Some("aaaa"));
        assert_eq!(found("a{1,2}?", "aaaa"), Some("a"));
        assert_eq!(found("a{,2}", "aaaa"), Some("aa"));
        assert_eq!(found("a{,}", "a{,}"), Some("a{,}"));
        assert_eq!(found("a*+a", "aaaa"), None);
    }

    #[test]
    fn classes_nest_and_intersect() {
        assert_eq!(found("[a-z&&[^aeiou]]+", "aebcde"), Some("bcd"));
        assert_eq!(found("[]a]+", "a]"), Some("a]"));
        assert_eq!(found(r"[\d\-x]+", "a1-x"), Some("1-x"));
        assert_eq!(found(r"\p{^Alpha}+", "ab12"), Some("12"));
    }

    #[test]
    fn groups_and_references() {
        assert_eq!(found(r"(?<a>x|y)\k<a>", "xyyx"), Some("yy"));
        assert_eq!(found(r"\((?:[^()]|\g<0>)*\)", "a(b(c)d)e"), Some("(b(c)d)"));
        let regex = Regex::new("(?<n>a)(b)").unwrap();
        assert_eq!(regex.captures("ab").unwrap().unwrap().len(), 2);
    }

    #[test]
    fn errors_read_as_in_ruby() {
        for (pattern, message) in [
            ("(", "end pattern with unmatched parenthesis"),
            ("a)", "unmatched close parenthesis"),
            ("[a", "premature end of char-class"),
            ("[]", "empty char-class"),
            ("*", "target of repeat operator is not specified"),
            ("(?z)", "undefined group option"),
            ("(?<=a*)b", "invalid pattern in look-behind"),
            (r"\1", "invalid backref number/name"),
            (r"(?<x>a)\1", "numbered backref/call is not allowed. (use name)"),
            (r"\p{Foo}", "invalid character property name {Foo}"),
            ("[b-a]", "empty range in char class"),
        ] {
            assert_eq!(Regex::new(pattern).unwrap_err(), format!("{message}: /{pattern}/"));
        }
    }

    #[test]
    fn replaces_and_splits_as_ruby() {
        let all = |pattern: &str, text: &str, by: &str| {
            Regex::new(pattern).unwrap().replace_all(text, &Replacement::Template(by), &Unmetered).unwrap()
        };
        assert_eq!(all("b*", "abc", "-"), "-a--c-");
        assert_eq!(all("(?<n>b)", "abc", r"[\k<n>]"), "a[b]c");
        assert_eq!(all("b", "abc", r"\0\9\&\`\'\x"), r"abbac\xc");
        assert_eq!(all("^", "a\n\nb", ">"), ">a\n>\n>b");
        let split = |pattern: &str, text: &str, limit| {
            Regex::new(pattern).unwrap().split(text, limit, &Unmetered).unwrap()
        };
        assert_eq!(split(",", "a,b,c,,", 0), ["a", "b", "c"]);
        assert_eq!(split(",", "a,b,,", -1), ["a", "b", "", ""]);
        assert_eq!(split("", "aéb", 0), ["a", "é", "b"]);
        assert_eq!(split(r"\s*", "a b", 0), ["a", "b"]);
        assert_eq!(split("(?=b)", "abc", 0), ["a", "bc"]);
        assert_eq!(split(r"(\d)", "a1b2", 0), ["a", "1", "b", "2"]);
        assert_eq!(split("b?", "abc", 0), ["a", "c"]);
        assert_eq!(split("", "abc", 2), ["a", "bc"]);
    }
}

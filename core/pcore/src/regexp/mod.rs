//! Ruby's regular expressions.
//!
//! `syntax` parses Ruby's patterns. `emit` writes them for the `regex` crate if the pattern is regular;
//! matching is then linear in time, and where it can still take long, `linear` does it with fuel. Other
//! patterns become a `program` that `search` runs. Positions are byte offsets.

mod characters;
mod emit;
mod folding;
mod linear;
mod program;
mod replace;
mod search;
mod set;

use std::sync::{Arc, OnceLock};

use regex_automata::Input;
use regex_automata::meta::Regex as Meta;
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::primitives::NonMaxUsize;
use smallvec::{SmallVec, smallvec};

use crate::data::fuel::{self, BoundedFuel, Fuel};
use crate::data::value::{CompiledPattern, RegexpValue};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern;

use program::Program;
use replace::Replaced;
pub use replace::Replacement;
pub use set::PatternSet;

/// About how many states a pattern may take that the `regex` crate is asked to compile, which nothing can
/// stop: a second's work in the worst case.
const MAX_WEIGHT: usize = 1 << 19;
/// So many states are one step when a pattern is compiled.
const WEIGHT_IN_STEP: usize = 100;
/// About how much memory a character of a pattern takes while it is read.
const TREE_OF_BYTE: usize = size_of::<char>() + size_of::<pattern::ast::Node>();
/// How large the program of the `regex` crate may become, in bytes.
const MAX_PROGRAM_SIZE: usize = 8 << 20;

/// The maximum product of the sizes of a regular pattern and a text for a search that cannot be cancelled:
/// about half a second in the worst case.
const LONG_SEARCH: usize = 1 << 27;
/// The number of bytes in a step of fuel for a search that is not long, multiplied by the states of the
/// pattern.
const BYTES_IN_STEP: usize = 1 << 12;
const VISITS_IN_STEP: usize = 1 << 17;
/// So many states of a pattern are one step of a search: to make them takes longer than to search a short
/// text.
const STATES_IN_STEP: usize = 1 << 8;

/// The maximum weight of a pattern that is compiled for texts of one line, too.
const SMALL: usize = 1 << 12;
/// The maximum number of bytes of a text in which newlines are looked for before a search.
const SHORT_TEXT: usize = 1 << 8;

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
    Regular(Arc<Regular>),
    Backtracking(Arc<Program>),
}

/// The reason why a pattern was not compiled.
#[derive(Debug)]
enum PatternError {
    /// It is wrong.
    Wrong(String),
    /// A limit was reached.
    Ended(Error),
}

impl From<String> for PatternError {
    fn from(message: String) -> Self {
        Self::Wrong(message)
    }
}

impl From<Error> for PatternError {
    fn from(error: Error) -> Self {
        Self::Ended(error)
    }
}

/// A regular pattern.
#[derive(Debug)]
struct Regular {
    /// The compiled pattern; for short texts without newlines if `in_lines` is set.
    regex: Meta,
    /// The compiled pattern for other texts, made when the first comes. Nearly all texts are one line, where
    /// the beginning of a line is that of the text, and a search can begin nowhere else.
    in_lines: Option<OnceLock<Option<Meta>>>,
    /// The pattern in the syntax of the `regex` crate.
    text: Box<str>,
    /// About how many states the pattern takes.
    weight: usize,
    /// For long searches, made when the first comes.
    automaton: OnceLock<Option<NFA>>,
}

impl Regular {
    /// Compiles a pattern in the syntax of the `regex` crate; nothing when that refuses it.
    fn new(text: String, weight: usize) -> Option<Self> {
        let of_line = (weight <= SMALL).then(|| emit::of_one_line(&text)).flatten();
        let regex = build(of_line.as_deref().unwrap_or(&text))?;
        let in_lines = of_line.map(|_| OnceLock::new());
        Some(Self { regex, in_lines, text: text.into(), weight, automaton: OnceLock::new() })
    }

    /// The compiled pattern for a search from a position on.
    fn regex_for(&self, text: &str, start: usize) -> Result<&Meta, Error> {
        let Some(in_lines) = &self.in_lines else { return Ok(&self.regex) };
        let seen = text.as_bytes().get(start.saturating_sub(1)..).unwrap_or_default();
        if seen.len() <= SHORT_TEXT && !seen.contains(&b'\n') {
            return Ok(&self.regex);
        }
        let made = in_lines.get_or_init(|| build(&self.text)).as_ref();
        made.ok_or_else(|| Error::internal("a pattern is larger than that of one line"))
    }

    /// The first match at or after a position.
    fn captures_at(&self, text: &str, start: usize) -> Result<Option<Captures>, Error> {
        let regex = self.regex_for(text, start)?;
        let mut slots: SmallVec<[Option<NonMaxUsize>; 16]> = smallvec![None; 2 * regex.captures_len()];
        if regex.search_slots(&Input::new(text).range(start..), &mut slots).is_none() {
            return Ok(None);
        }
        let span = |pair: &[Option<NonMaxUsize>; 2]| match *pair {
            [Some(start), Some(end)] => Some((start.get(), end.get())),
            _ => None,
        };
        Ok(Some(slots.as_chunks().0.iter().map(span).collect()))
    }

    /// The steps of a search in this number of bytes.
    fn price(&self, bytes: usize) -> u64 {
        let visits = self.weight.saturating_mul(bytes);
        (self.weight / STATES_IN_STEP + bytes / BYTES_IN_STEP + visits / VISITS_IN_STEP) as u64
    }

    /// The automaton for a search in this number of bytes; `None` if it is not long.
    fn for_long(&self, bytes: usize) -> Option<&NFA> {
        if self.weight.saturating_mul(bytes) <= LONG_SEARCH {
            return None;
        }
        self.automaton.get_or_init(|| linear::automaton(&self.text)).as_ref()
    }
}

/// Compiles a pattern in the syntax of the `regex` crate; nothing when that refuses it.
fn build(text: &str) -> Option<Meta> {
    let limits = Meta::config().nfa_size_limit(Some(MAX_PROGRAM_SIZE));
    Meta::builder().configure(limits).build(text).ok()
}

impl Regex {
    /// Compiles a pattern in Ruby's syntax that its makers keep small. The error reads as Ruby's: `premature
    /// end of char-class: /[a/`.
    pub fn new(source: &str) -> Result<Self, String> {
        Self::compile(source, &BoundedFuel::default()).map_err(|refused| match refused {
            PatternError::Wrong(message) => message,
            PatternError::Ended(error) => error.message,
        })
    }

    /// Compiles a pattern in Ruby's syntax with fuel.
    fn compile(source: &str, fuel: &dyn Fuel) -> Result<Self, PatternError> {
        let failed = |message: String| PatternError::Wrong(pattern::refused(&message, source, ""));
        fuel.charge((source.len() / fuel::BYTES_IN_STEP as usize) as u64)?;
        fuel.check_size(source.len().saturating_mul(TREE_OF_BYTE))?;
        let mut pattern = pattern::parse(source).map_err(failed)?;
        if pattern::has_fixed_encoding(source) {
            folding::lower(&mut pattern.root);
        }
        // A pattern that is too large for the other engine is also too large for the backtracking one.
        let regular = match emit::emit(&pattern).map(|text| (text, linear::weight(&pattern.root))) {
            Some((text, weight)) if weight <= MAX_WEIGHT => {
                fuel.charge((weight / WEIGHT_IN_STEP) as u64)?;
                Regular::new(text, weight)
            }
            _ => None,
        };
        let engine =
            match regular {
                Some(regular) => Engine::Regular(Arc::new(regular)),
                None => Engine::Backtracking(Arc::new(Program::new(&pattern, fuel).map_err(|refused| {
                    match refused {
                        PatternError::Wrong(message) => failed(message),
                        ended => ended,
                    }
                })?)),
            };
        Ok(Self { engine, names: pattern.names })
    }

    /// The names of groups with their numbers, in order; a name can occur several times.
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

    /// Whether the pattern matches anywhere.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn is_match(&self, text: &str, fuel: &dyn Fuel) -> Result<bool, Error> {
        match &self.engine {
            Engine::Regular(regular) if regular.for_long(text.len()).is_none() => {
                fuel.charge(1 + regular.price(text.len()))?;
                Ok(regular.regex_for(text, 0)?.is_match(text))
            }
            _ => Ok(self.captures(text, fuel)?.is_some()),
        }
    }

    /// The first match with its groups.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn captures(&self, text: &str, fuel: &dyn Fuel) -> Result<Option<Captures>, Error> {
        self.captures_at(text, 0, fuel)
    }

    /// The first match at or after a position; anchors and look-behind see the text before it.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn captures_at(&self, text: &str, start: usize, fuel: &dyn Fuel) -> Result<Option<Captures>, Error> {
        if start > text.len() || !text.is_char_boundary(start) {
            return Ok(None);
        }
        let bytes = text.len() - start;
        fuel.charge(1)?;
        match &self.engine {
            Engine::Regular(regular) => {
                if let Some(automaton) = regular.for_long(bytes) {
                    return linear::search(automaton, text, start, fuel);
                }
                let found = regular.captures_at(text, start)?;
                let whole = found.as_ref().and_then(|found| found.first().copied().flatten());
                let end = whole.map_or(text.len(), |(_, end)| end);
                fuel.charge(regular.price(end.saturating_sub(start)))?;
                Ok(found)
            }
            Engine::Backtracking(program) => search::search(program, text, start, fuel),
        }
    }

    /// The span of the first match at or after a position.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn find_at(
        &self,
        text: &str,
        start: usize,
        fuel: &dyn Fuel,
    ) -> Result<Option<(usize, usize)>, Error> {
        Ok(self.captures_at(text, start, fuel)?.and_then(|found| found.first().copied().flatten()))
    }

    /// All matches in order, as in Ruby's `scan` and `gsub`: an empty match can directly follow another
    /// match.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn all_captures(&self, text: &str, fuel: &dyn Fuel) -> Result<Vec<Captures>, Error> {
        let mut found = Vec::new();
        self.each_match(text, fuel, |captures| {
            fuel.check_size((found.len() + 1) * size_of_val(captures.as_slice()))?;
            found.push(captures);
            Ok(())
        })?;
        Ok(found)
    }

    /// Goes through all matches in turn.
    fn each_match(
        &self,
        text: &str,
        fuel: &dyn Fuel,
        mut visit: impl FnMut(Captures) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut at = 0;
        while let Some(captures) = self.captures_at(text, at, fuel)? {
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
        fuel: &dyn Fuel,
    ) -> Result<String, Error> {
        let mut replaced = Replaced::new(self, text, replacement, fuel);
        if let Some(captures) = self.captures_at(text, 0, fuel)? {
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
        fuel: &dyn Fuel,
    ) -> Result<String, Error> {
        let mut replaced = Replaced::new(self, text, replacement, fuel);
        self.each_match(text, fuel, |captures| replaced.add(&captures))?;
        replaced.finish()
    }

    /// The parts between matches, as in Ruby's `split`: groups are also parts, empty parts at the end are
    /// dropped if the limit is 0 and kept if it is negative.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn split(&self, text: &str, limit: i64, fuel: &dyn Fuel) -> Result<Vec<String>, Error> {
        let mut parts: Vec<String> = Vec::new();
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_string();
        if text.is_empty() {
            return Ok(parts);
        }
        if limit == 1 {
            return Ok(vec![text.to_string()]);
        }
        let (mut begin, mut at, mut count, mut passed_empty) = (0, 0, 1, false);
        while let Some(captures) = self.captures_at(text, at, fuel)? {
            let Some((start, end)) = captures.first().copied().flatten() else { break };
            fuel.check_size(parts.len() * size_of::<String>())?;
            if start == at && start == end {
                // An empty match does not split at the beginning of a part, but after the next character.
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

/// The next character boundary after `at`; after the text if there is none.
fn next_boundary(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(text.len() + 1, |c| at + c.len_utf8())
}

impl RegexpValue {
    /// The compiled form, made on first use; a compilation that a limit has ended is repeated.
    ///
    /// # Errors
    /// The pattern is invalid, in Ruby's words, or a limit is exceeded.
    pub fn regex(&self, fuel: &dyn Fuel) -> Result<&Regex, Error> {
        let compiled = match self.compiled.get() {
            Some(compiled) => compiled,
            None => {
                let made = match Regex::compile(&self.source, fuel) {
                    Ok(regex) => Ok(CompiledPattern::new(regex)),
                    Err(PatternError::Wrong(message)) => Err(message),
                    Err(PatternError::Ended(error)) => return Err(error),
                };
                self.compiled.get_or_init(|| made)
            }
        };
        match compiled {
            Ok(pattern) => pattern.get().ok_or_else(|| Error::internal("a pattern is of another engine")),
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
    use crate::data::fuel::{BoundedFuel, Unmetered};

    fn found<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
        let regex = Regex::new(pattern).unwrap();
        regex.find_at(text, 0, &Unmetered).unwrap().map(|(start, end)| &text[start..end])
    }

    #[test]
    fn texts_of_one_line_are_searched_as_others_are() {
        let patterns =
            ["^a", "a$", "^a$", "^", "$", "(^|x)b", "b(y|$)", "^a|b$", "(?:^)*a", r"\Aa$", "^(a+?)(b*)$"];
        let texts = ["", "a", "b", "ab", "xb", "by", "aab", "ba", "é", "aé", "xab"];
        let long = "\n".to_string() + &"c".repeat(SHORT_TEXT);
        for pattern in patterns {
            let regex = Regex::new(pattern).unwrap();
            for text in texts {
                for start in 0..=text.len() {
                    let alone = regex.captures_at(text, start, &Unmetered).unwrap();
                    // The further lines are found by the pattern for any text.
                    let more = regex.captures_at(&format!("{text}{long}"), start, &Unmetered).unwrap();
                    let within = |found: &Captures| found[0].is_some_and(|(_, end)| end <= text.len());
                    assert_eq!(alone, more.filter(within), "{pattern} in {text:?} from {start}");
                }
            }
        }
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
        assert_eq!(regex.captures("ab", &Unmetered).unwrap().unwrap().len(), 2);
    }

    #[test]
    fn looks_and_cuts() {
        assert_eq!(found(r"(?<=a|bc)d", "bcd"), Some("d"));
        assert_eq!(found(r"(?<!a)b", "abcb").map(str::len), Some(1));
        assert_eq!(found(r"(?>a+)ab", "aaab"), None);
        assert_eq!(found(r"foo\Kbar", "foobar"), Some("bar"));
        assert_eq!(found(r"(?~ab)", "xxabx"), Some("xxa"));
        assert_eq!(found(r"(a)?b(?(1)c|d)", "bc abc"), Some("abc"));
        assert_eq!(found(r"(?:a|(?=b)){2,}b\Z", "aab\n"), Some("aab"));
        // A group that has begun again keeps its previous text.
        assert_eq!(found(r"(?<x>a|b\g<x>c)\z", "bbacc"), Some("bbacc"));
    }

    #[test]
    fn long_searches_ask_the_meter() {
        let text = "a".repeat(40);
        for pattern in [r"(a|aa)+\Zb", r"(?:a?){40}(?=b)", r"(x+x+)+y\1|(a*)*\2b"] {
            let error = Regex::new(pattern).unwrap().captures(&text, &BoundedFuel::default()).unwrap_err();
            assert_eq!(error.message, "This takes too long");
        }
        let (pattern, text) = ("(?:a?){900}{900}b", "a".repeat(1 << 20));
        let error = Regex::new(pattern).map(|regex| regex.is_match(&text, &BoundedFuel::default()));
        assert!(error.is_err() || error.is_ok_and(|found| found.is_err()));
    }

    /// The parallel walk finds the same as the `regex` crate.
    #[test]
    fn both_engines_of_regular_patterns_agree() {
        for pattern in ["a(b|c)*?d", "(a|ab)(c|bcd)(d*)", r"\bx*\b", "(?:)", "é|[^a]+$", "(a*)(a*)"] {
            let regex = Regex::new(pattern).unwrap();
            let Engine::Regular(regular) = &regex.engine else { panic!("{pattern} is regular") };
            let automaton = linear::automaton(&regular.text).unwrap();
            for text in ["", "abcbd", "abcd", "xxé xx", "aaaa", "\u{e9}\n"] {
                for start in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                    let one = regex.captures_at(text, start, &Unmetered).unwrap();
                    let other = linear::search(&automaton, text, start, &Unmetered).unwrap();
                    assert_eq!(one, other, "{pattern} in {text:?} at {start}");
                }
            }
        }
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

    /// Fuel of a number of steps that counts those used.
    struct Counted {
        left: std::cell::Cell<u64>,
    }

    impl Fuel for Counted {
        fn charge(&self, steps: u64) -> Result<(), Error> {
            let left = self.left.get().checked_sub(steps).ok_or_else(|| Error::limit("over"))?;
            self.left.set(left);
            Ok(())
        }

        fn check_size(&self, bytes: usize) -> Result<(), Error> {
            BoundedFuel::default().check_size(bytes)
        }
    }

    /// Compiling charges fuel for patterns of both engines; a compilation that a limit has ended succeeds
    /// later.
    #[test]
    fn compiling_is_paid_for_once() {
        for (unit, least) in [("a", 1), (r"\p{L}", 100), (r"\p{L}(?=x)", 100), ("[[:alpha:]]?", 100)] {
            let regexp = RegexpValue::new(unit.repeat(100));
            let poor = Counted { left: (least - 1).into() };
            assert_eq!(regexp.regex(&poor).unwrap_err().message, "over", "{unit}");
            let rich = Counted { left: 10_000.into() };
            assert!(regexp.regex(&rich).is_ok(), "{unit}");
            assert!(10_000 - rich.left.get() >= least, "{unit}");
            assert!(regexp.regex(&Counted { left: 0.into() }).is_ok(), "{unit}");
        }
        let long = RegexpValue::new("a".repeat(8 << 20));
        assert_eq!(long.regex(&BoundedFuel::default()).unwrap_err().message, "This takes too much memory");
    }

    /// A long sequence is compiled in linear rather than quadratic time.
    #[test]
    fn long_patterns_compile_soon() {
        for unit in ["a?", r"\b", "(^|a)", "(?=a)", r"\g<1>", "(?<", "(?<a>"] {
            let pattern = format!("(a){}", unit.repeat(20_000 / unit.len()));
            let _ = Regex::new(&pattern);
        }
        let many = "(a)".repeat(32_768);
        assert_eq!(
            Regex::new(&many).unwrap_err(),
            format!("too many capture groups are specified: /{many}/")
        );
        assert!(Regex::new(&"(a)".repeat(32_767)).is_ok());
        let named = "(?<a>)".repeat(1000) + &r"\k<a>".repeat(1000);
        assert!(Regex::new(&named).unwrap_err().starts_with("too many references to groups"));
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

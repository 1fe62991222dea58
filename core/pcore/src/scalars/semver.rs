//! Semantic versions and ranges of them, as the reference's `semantic_puppet` library has them.
//!
//! A range is a list of alternatives. An alternative is a conjunction: none (`*`), one comparison, or a lower
//! and an upper bound. Ranges of ranges are merged where they touch.

use std::cmp::Ordering;
use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{anychar, char, one_of};
use nom::combinator::{eof, map, opt, recognize, value};
use nom::multi::{fold_many0, separated_list1};
use nom::sequence::{preceded, separated_pair, terminated};
use nom::{IResult, Parser as _};

use crate::data::types::{VersionComparison, VersionOperator, VersionRange};
use crate::data::value::{PrereleasePart, Str, Version};
use bunraku_syntax::diagnostic::Error;

/// The number that represents infinity: the largest version is `Infinity.0.0`.
const INFINITY: u64 = u64::MAX;

/// The parts of a version as they are written: parts can be missing, or `x`.
#[derive(Clone, Copy)]
struct Written<'t> {
    numbers: [Option<&'t str>; 3],
    prerelease: Option<&'t str>,
    build: Option<&'t str>,
}

/// A whole number without leading zeros.
fn number(input: &str) -> IResult<&str, &str> {
    let digits = take_while(|digit: char| digit.is_ascii_digit());
    alt((tag("0"), recognize((one_of("123456789"), digits)))).parse(input)
}

/// The part after a sign: identifiers separated by dots.
fn identifiers(sign: char) -> impl FnMut(&str) -> IResult<&str, Option<&str>> {
    move |input| {
        let is_of_identifier = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let identifiers = separated_list1(char('.'), take_while1(is_of_identifier));
        opt(preceded(char(sign), recognize(identifiers))).parse(input)
    }
}

/// A whole version. A newline can follow it.
fn version(input: &str) -> IResult<&str, Written<'_>> {
    let numbers = (number, preceded(char('.'), number), preceded(char('.'), number));
    let version = (numbers, identifiers('-'), identifiers('+'), opt(char('\n')), eof);
    map(version, |((major, minor, patch), prerelease, build, ..)| Written {
        numbers: [Some(major), Some(minor), Some(patch)],
        prerelease,
        build,
    })
    .parse(input)
}

/// A version whose end can be missing, and whose numbers can be `x`.
fn partial(input: &str) -> IResult<&str, Written<'_>> {
    let part = || alt((value(None, one_of("xX*")), map(number, Some)));
    let next = |input| preceded(char('.'), part()).parse(input);
    let patch = (next, identifiers('-'), identifiers('+'));
    map((part(), opt((next, opt(patch)))), |(major, rest)| {
        let (minor, patch) = rest.unwrap_or_default();
        let (patch, prerelease, build) = patch.unwrap_or_default();
        Written { numbers: [major, minor, patch], prerelease, build }
    })
    .parse(input)
}

/// From one version to another: `1.0 - 2.0`.
fn hyphenated(input: &str) -> IResult<&str, (Written<'_>, Written<'_>)> {
    let hyphen = (take_while1(is_blank), char('-'), take_while1(is_blank));
    terminated(separated_pair(partial, hyphen, partial), eof).parse(input)
}

/// A version, compared.
fn simple(input: &str) -> IResult<&str, (Option<&str>, Written<'_>)> {
    let operator = alt((tag("<="), tag(">="), tag("~>"), tag("~="), recognize(one_of("<>=~^"))));
    terminated((opt(operator), partial), eof).parse(input)
}

/// A range with its operators directly before their operands: without blanks after them, or a `v`.
fn squeezed(range: &str) -> String {
    let operator = terminated(one_of("><=~^"), opt(alt((take_while1(is_blank), tag("v")))));
    let pieces: IResult<&str, String> =
        fold_many0(alt((operator, anychar)), String::new, |mut all, letter| {
            all.push(letter);
            all
        })
        .parse(range);
    pieces.map_or_else(|_| range.to_owned(), |(_, all)| all)
}

fn digits(text: &str) -> Result<u64, Error> {
    text.parse()
        .ok()
        .filter(|&number| number < INFINITY)
        .ok_or_else(|| Error::argument(format!("version number too large: {text}")))
}

impl Version {
    /// A version of three numbers.
    pub const fn of(major: u64, minor: u64, patch: u64) -> Self {
        Self { numbers: [major, minor, patch], prerelease: None, build: None }
    }

    /// The least version, before all pre-releases of `0.0.0`.
    pub const fn least() -> Self {
        Self { numbers: [0, 0, 0], prerelease: Some(Vec::new()), build: None }
    }

    /// The greatest version.
    pub const fn greatest() -> Self {
        Self::of(INFINITY, 0, 0)
    }

    /// Reads a version.
    ///
    /// # Errors
    /// When the text is not a semantic version.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let Ok((_, written)) = version(text) else {
            return Err(Error::argument(format!(
                "Unable to parse '{text}' as a semantic version identifier"
            )));
        };
        Partial::read(written).map(Partial::version)
    }

    /// Whether this is a stable release.
    pub fn is_stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }

    /// The order of versions; builds do not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(mine), Some(theirs)) => mine.cmp(theirs),
        })
    }

    /// The pre-release as text.
    pub fn prerelease_text(&self) -> Option<String> {
        let parts = self.prerelease.as_ref().filter(|parts| !parts.is_empty())?;
        Some(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("."))
    }

    fn next_patch(&self) -> Self {
        let [major, minor, patch] = self.numbers;
        Self::of(major, minor, patch.saturating_add(1))
    }
}

fn prerelease(text: Option<&str>) -> Result<Option<Vec<PrereleasePart>>, Error> {
    let Some(text) = text else { return Ok(None) };
    let part = |part: &str| {
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            if part.len() > 1 && part.starts_with('0') {
                return Err(Error::argument(
                    "Numeric pre-release identifiers MUST NOT contain leading zeroes",
                ));
            }
            return digits(part).map(PrereleasePart::Number);
        }
        Ok(PrereleasePart::Text(part.into()))
    };
    text.split('.').map(part).collect::<Result<Vec<_>, _>>().map(Some)
}

impl fmt::Display for PrereleasePart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(text),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        if major == INFINITY {
            write!(out, "Infinity.{minor}.{patch}")?;
        } else {
            write!(out, "{major}.{minor}.{patch}")?;
        }
        if let Some(parts) = &self.prerelease {
            out.write_str("-")?;
            for (index, part) in parts.iter().enumerate() {
                let separator = if index > 0 { "." } else { "" };
                write!(out, "{separator}{part}")?;
            }
        }
        match &self.build {
            Some(build) => write!(out, "+{build}"),
            None => Ok(()),
        }
    }
}

/// An alternative of a range.
type Conjunction = Vec<VersionComparison>;

fn compared(operator: VersionOperator, version: Version) -> VersionComparison {
    VersionComparison { operator, version }
}

fn between(least: Version, below: Version) -> Conjunction {
    vec![compared(VersionOperator::GreaterEqual, least), compared(VersionOperator::Less, below)]
}

fn nothing() -> Conjunction {
    vec![compared(VersionOperator::Less, Version::least())]
}

fn begin(range: &Conjunction) -> Version {
    match range.first() {
        Some(VersionComparison { operator: VersionOperator::Less | VersionOperator::LessEqual, .. })
        | None => Version::least(),
        Some(comparison) => comparison.version.clone(),
    }
}

fn end(range: &Conjunction) -> Version {
    match range.last() {
        Some(VersionComparison {
            operator: VersionOperator::Greater | VersionOperator::GreaterEqual,
            ..
        })
        | None => Version::greatest(),
        Some(comparison) => comparison.version.clone(),
    }
}

fn excludes_begin(range: &Conjunction) -> bool {
    range.first().is_some_and(|c| c.operator == VersionOperator::Greater)
}

fn excludes_end(range: &Conjunction) -> bool {
    range.last().is_some_and(|c| c.operator == VersionOperator::Less)
}

fn has_lower_bound(range: &Conjunction) -> bool {
    match range.first() {
        None => false,
        Some(c) => match c.operator {
            VersionOperator::Greater => true,
            VersionOperator::GreaterEqual | VersionOperator::Equal => c.version != Version::least(),
            VersionOperator::Less | VersionOperator::LessEqual => false,
        },
    }
}

fn has_upper_bound(range: &Conjunction) -> bool {
    match range.last() {
        None => false,
        Some(c) => match c.operator {
            VersionOperator::Less => true,
            VersionOperator::LessEqual | VersionOperator::Equal => c.version != Version::greatest(),
            VersionOperator::Greater | VersionOperator::GreaterEqual => false,
        },
    }
}

fn includes(range: &Conjunction, version: &Version) -> bool {
    let build = version.build.as_deref();
    range.iter().all(|c| {
        let order = version.compare(&c.version);
        match c.operator {
            VersionOperator::Equal => order.is_eq() && c.version.build.as_deref() == build,
            VersionOperator::Greater => order.is_gt(),
            VersionOperator::GreaterEqual => order.is_ge(),
            VersionOperator::Less => order.is_lt(),
            VersionOperator::LessEqual => order.is_le(),
        }
    })
}

/// Whether a pre-release may be in a range: only when the range names a pre-release of the same version.
fn tests_prerelease(range: &Conjunction, version: &Version) -> bool {
    range.is_empty() || range.iter().any(|c| !c.version.is_stable() && c.version.numbers == version.numbers)
}

/// The lower bound when two ranges are joined.
fn min_max(min: &Conjunction, max: &Conjunction) -> Conjunction {
    min.first().into_iter().chain(max.last()).cloned().collect()
}

fn intersection(a: &Conjunction, b: &Conjunction) -> Option<Conjunction> {
    if a.is_empty() {
        return Some(b.clone());
    }
    let equal = |version| Some(vec![compared(VersionOperator::Equal, version)]);
    match begin(a).compare(&end(b)) {
        Ordering::Greater => return None,
        Ordering::Equal => {
            return if excludes_begin(a) || excludes_end(b) { None } else { equal(begin(a)) };
        }
        Ordering::Less => {}
    }
    match begin(b).compare(&end(a)) {
        Ordering::Greater => return None,
        Ordering::Equal => {
            return if excludes_begin(b) || excludes_end(a) { None } else { equal(begin(b)) };
        }
        Ordering::Less => {}
    }
    let min = match begin(a).compare(&begin(b)) {
        Ordering::Less => b,
        Ordering::Greater => a,
        Ordering::Equal => {
            if excludes_begin(a) {
                a
            } else {
                b
            }
        }
    };
    let max = match end(a).compare(&end(b)) {
        Ordering::Greater => b,
        Ordering::Less => a,
        Ordering::Equal => {
            if excludes_end(a) {
                a
            } else {
                b
            }
        }
    };
    Some(if !has_upper_bound(max) {
        min.clone()
    } else if !has_lower_bound(min) {
        max.clone()
    } else {
        min_max(min, max)
    })
}

fn bounds(least: Version, is_open: bool, most: Version, is_open_above: bool) -> Option<Conjunction> {
    let low = if is_open { VersionOperator::Greater } else { VersionOperator::GreaterEqual };
    let high = if is_open_above { VersionOperator::Less } else { VersionOperator::LessEqual };
    intersection(&vec![compared(low, least)], &vec![compared(high, most)])
}

fn merge(a: &Conjunction, b: &Conjunction) -> Option<Conjunction> {
    if a.is_empty() {
        return Some(Vec::new());
    }
    let from_to =
        |a: &Conjunction, b: &Conjunction| bounds(begin(a), excludes_begin(a), end(b), excludes_end(b));
    if includes(a, &begin(b)) || includes(b, &begin(a)) {
        let (min, is_open) = match begin(a).compare(&begin(b)) {
            Ordering::Less => (begin(a), excludes_begin(a)),
            Ordering::Greater => (begin(b), excludes_begin(b)),
            Ordering::Equal => (begin(a), excludes_begin(a) && excludes_begin(b)),
        };
        let (max, is_open_above) = match end(a).compare(&end(b)) {
            Ordering::Greater => (end(a), excludes_end(a)),
            Ordering::Less => (end(b), excludes_end(b)),
            Ordering::Equal => (end(a), excludes_end(a) && excludes_end(b)),
        };
        bounds(min, is_open, max, is_open_above)
    } else if excludes_end(a) && !excludes_begin(b) && end(a) == begin(b) {
        from_to(a, b)
    } else if excludes_end(b) && !excludes_begin(a) && end(b) == begin(a) {
        from_to(b, a)
    } else if !excludes_end(a) && !excludes_begin(b) && end(a).next_patch() == begin(b) {
        from_to(a, b)
    } else if !excludes_end(b) && !excludes_begin(a) && end(b).next_patch() == begin(a) {
        from_to(b, a)
    } else {
        None
    }
}

/// A version whose parts can be missing or `x`.
struct Partial {
    numbers: [Option<u64>; 3],
    prerelease: Option<Vec<PrereleasePart>>,
    build: Option<Str>,
    has_prerelease: bool,
}

impl Partial {
    /// Reads the numbers and identifiers.
    fn read(written: Written<'_>) -> Result<Self, Error> {
        let [major, minor, patch] = written.numbers.map(|number| number.map(digits).transpose());
        Ok(Self {
            numbers: [major?, minor?, patch?],
            prerelease: prerelease(written.prerelease)?,
            build: written.build.map(Str::from),
            has_prerelease: written.prerelease.is_some(),
        })
    }

    /// The version, with 0 for missing parts.
    fn version(self) -> Version {
        let numbers = self.numbers.map(|number| number.unwrap_or(0));
        Version { numbers, prerelease: self.prerelease, build: self.build }
    }

    fn patch_updates(self, is_range: bool) -> Conjunction {
        let [Some(major), minor, patch] = self.numbers else { return Vec::new() };
        let Some(minor) = minor else {
            return between(Version::of(major, 0, 0), Version::of(major + 1, 0, 0));
        };
        if patch.is_none() {
            return between(Version::of(major, minor, 0), Version::of(major, minor + 1, 0));
        }
        let version = self.version();
        if is_range {
            between(version, Version::of(major, minor + 1, 0))
        } else {
            vec![compared(VersionOperator::Equal, version)]
        }
    }

    fn minor_updates(self) -> Conjunction {
        let [Some(major), minor, patch] = self.numbers else { return Vec::new() };
        let least = match (minor, patch) {
            (None, _) => Version::of(major, 0, 0),
            (Some(minor), None) => Version::of(major, minor, 0),
            (Some(minor), Some(patch)) if !self.has_prerelease => Version::of(major, minor, patch),
            _ => self.version(),
        };
        between(least, Version::of(major + 1, 0, 0))
    }

    fn greater(self) -> Conjunction {
        match self.numbers {
            [None, ..] => nothing(),
            [Some(major), None, _] => {
                vec![compared(VersionOperator::GreaterEqual, Version::of(major + 1, 0, 0))]
            }
            [Some(major), Some(minor), None] => {
                vec![compared(VersionOperator::GreaterEqual, Version::of(major, minor + 1, 0))]
            }
            _ => vec![compared(VersionOperator::Greater, self.version())],
        }
    }

    fn less_equal(self) -> Conjunction {
        match self.numbers {
            [None, ..] => Vec::new(),
            [Some(major), None, _] => vec![compared(VersionOperator::Less, Version::of(major + 1, 0, 0))],
            [Some(major), Some(minor), None] => {
                vec![compared(VersionOperator::Less, Version::of(major, minor + 1, 0))]
            }
            _ => vec![compared(VersionOperator::LessEqual, self.version())],
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

fn parse_alternative(text: &str, whole: &str) -> Result<Option<Conjunction>, Error> {
    if let Ok((_, (least, most))) = hyphenated(text) {
        let version = |written| Partial::read(written).map(Partial::version);
        return Ok(bounds(version(least)?, false, version(most)?, false));
    }
    if text.chars().all(is_blank) && !text.is_empty() {
        return Ok(None);
    }
    let mut simples = Vec::new();
    for (index, word) in text.split(is_blank).enumerate() {
        if word.is_empty() && (index > 0 || text.is_empty()) {
            continue;
        }
        let Ok((_, (operator, written))) = simple(word) else {
            return Err(Error::argument(format!("Unparsable version range: \"{whole}\"")));
        };
        let partial = Partial::read(written)?;
        simples.push(match operator {
            Some("~" | "~>" | "~=") => partial.patch_updates(true),
            Some("^") if partial.numbers.first() == Some(&Some(0)) => partial.patch_updates(true),
            // The reference fails on this one.
            Some("^") if partial.numbers.first() == Some(&None) => {
                return Err(Error::internal(format!("'{word}' is no version range")));
            }
            Some("^") => partial.minor_updates(),
            Some(">") => partial.greater(),
            Some(">=") => vec![compared(VersionOperator::GreaterEqual, partial.version())],
            Some("<") => vec![compared(VersionOperator::Less, partial.version())],
            Some("<=") => partial.less_equal(),
            _ => partial.patch_updates(false),
        });
    }
    let mut simples = simples.into_iter();
    let Some(mut joined) = simples.next() else { return Ok(None) };
    for simple in simples {
        match intersection(&joined, &simple) {
            Some(next) => joined = next,
            None => return Ok(None),
        }
    }
    Ok(Some(joined))
}

impl VersionRange {
    /// Reads a range: versions, partial versions, comparisons, `~`, `^`, `a - b`, and `||` between
    /// alternatives.
    ///
    /// # Errors
    /// When the text is not a range.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let squeezed = squeezed(text);
        // Blanks around what separates alternatives belong to it.
        let last = squeezed.matches("||").count();
        let mut parts: Vec<&str> = Vec::with_capacity(last + 1);
        for (index, part) in squeezed.split("||").enumerate() {
            let part = if index > 0 { part.trim_start_matches(is_blank) } else { part };
            parts.push(if index < last { part.trim_end_matches(is_blank) } else { part });
        }
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        if parts.is_empty() {
            return Ok(Self { text: "*".into(), alternatives: vec![Vec::new()] });
        }
        let mut alternatives = Vec::new();
        for part in parts {
            if let Some(alternative) = parse_alternative(part, text)?
                && !alternatives.contains(&alternative)
            {
                alternatives.push(alternative);
            }
        }
        Ok(Self::merged(alternatives, Some(text.into())))
    }

    /// The versions from one to another.
    pub fn between(least: &Version, most: &Version, exclude_end: bool) -> Self {
        // The reference writes the bounds in this order.
        let text = if exclude_end { format!(">={most} <{least}") } else { format!("{most} - {least}") };
        let range = bounds(least.clone(), false, most.clone(), exclude_end);
        Self::merged(range.into_iter().collect(), Some(text.into()))
    }

    /// A range of alternatives, those that touch made one.
    fn merged(mut ranges: Vec<Conjunction>, text: Option<Str>) -> Self {
        let mut has_merged = true;
        while ranges.len() > 1 && has_merged {
            has_merged = false;
            let mut result = Vec::new();
            while let Some(mut memo) = ranges.pop() {
                let mut unmerged = Vec::new();
                for range in ranges {
                    match merge(&memo, &range) {
                        Some(merged) => {
                            has_merged = true;
                            memo = merged;
                        }
                        None => unmerged.push(range),
                    }
                }
                result.push(memo);
                ranges = unmerged;
            }
            result.reverse();
            ranges = result;
        }
        if ranges.is_empty() {
            ranges.push(nothing());
        }
        let text = text.unwrap_or_else(|| describe(&ranges).into());
        Self { text, alternatives: ranges }
    }

    /// Whether a version is in the range. A pre-release only is when the range names one of the same version.
    pub fn includes(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|range| {
            includes(range, version) && (version.is_stable() || tests_prerelease(range, version))
        })
    }

    /// The intersection of both ranges.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut result = Vec::new();
        for a in &self.alternatives {
            for b in &other.alternatives {
                if let Some(range) = intersection(a, b)
                    && !result.contains(&range)
                {
                    result.push(range);
                }
            }
        }
        Self::merged(result, None)
    }

    /// The first version, when the range is one stretch.
    pub fn begin(&self) -> Option<Version> {
        match self.alternatives.as_slice() {
            [one] => Some(begin(one)),
            _ => None,
        }
    }

    /// The last version, when the range is one stretch.
    pub fn end(&self) -> Option<Version> {
        match self.alternatives.as_slice() {
            [one] => Some(end(one)),
            _ => None,
        }
    }

    /// Whether the last version is not in the range itself.
    pub fn excludes_end(&self) -> bool {
        matches!(self.alternatives.as_slice(), [one] if excludes_end(one))
    }

    /// Whether all of this range is in the other one, as the reference compares SemVer types.
    pub fn is_covered_by(&self, other: &Self) -> bool {
        let (Some(a_begin), Some(a_end)) = (self.begin(), self.end()) else { return false };
        let (Some(b_begin), Some(b_end)) = (other.begin(), other.end()) else { return false };
        let order = b_end.compare(&a_end);
        b_begin.compare(&a_begin).is_le()
            && (order.is_gt() || (order.is_eq() && (!other.excludes_end() || self.excludes_end())))
    }

    /// One range of two that overlap or touch, as the reference merges the ranges of SemVer types.
    pub fn merge(&self, other: &Self) -> Option<Self> {
        let (a_begin, a_end) = (self.begin()?, self.end()?);
        let (b_begin, b_end) = (other.begin()?, other.end()?);
        if self.includes(&b_begin) || other.includes(&a_begin) {
            let order = a_end.compare(&b_end);
            let max = if order.is_ge() { &a_end } else { &b_end };
            let exclude = if self.excludes_end() {
                order.is_ge() && (order.is_gt() || other.excludes_end())
            } else if other.excludes_end() {
                order.is_le() && (order.is_lt() || self.excludes_end())
            } else {
                false
            };
            let min = if a_begin.compare(&b_begin).is_le() { &a_begin } else { &b_begin };
            Some(Self::between(min, max, exclude))
        } else if self.excludes_end() && a_end == b_begin {
            Some(Self::between(&a_begin, &b_end, other.excludes_end()))
        } else if other.excludes_end() && b_end == a_begin {
            Some(Self::between(&b_begin, &a_end, self.excludes_end()))
        } else {
            None
        }
    }

    /// The range in its plainest words, as the reference's `inspect` has it.
    pub fn describe(&self) -> String {
        describe(&self.alternatives)
    }
}

fn describe(ranges: &[Conjunction]) -> String {
    let comparison = |c: &VersionComparison| match c.operator {
        VersionOperator::Equal => c.version.to_string(),
        VersionOperator::Greater => format!(">{}", c.version),
        VersionOperator::GreaterEqual => format!(">={}", c.version),
        VersionOperator::Less if c.version == Version::least() => "<0.0.0".into(),
        VersionOperator::Less => format!("<{}", c.version),
        VersionOperator::LessEqual => format!("<={}", c.version),
    };
    let range = |range: &Conjunction| {
        if range.is_empty() {
            return "*".to_string();
        }
        range.iter().map(comparison).collect::<Vec<_>>().join(" ")
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(" || ")
}

impl fmt::Display for VersionRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_order() {
        let version = |text| Version::parse(text).unwrap();
        let sorted = ["1.0.0-1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.1"];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]).compare(&version(pair[1])).is_lt(), "{pair:?}");
        }
        assert!(Version::parse("1.2").is_err());
        assert!(Version::parse("1.0.0-01").is_err());
        assert_eq!(version("1.2.3-a.1+b.2").to_string(), "1.2.3-a.1+b.2");
    }

    #[test]
    fn ranges_hold_versions() {
        let has = |range: &str, version: &str| {
            VersionRange::parse(range).unwrap().includes(&Version::parse(version).unwrap())
        };
        assert!(has("~1.2", "1.2.9") && !has("~1.2", "1.3.0"));
        assert!(has("^1.2.3", "1.9.0") && !has("^1.2.3", "2.0.0"));
        assert!(has(">= 1.0.0 < 2.0.0", "1.5.0") && !has(">=1.0.0 <2.0.0", "2.0.0"));
        assert!(has("1.0.0 - 1.3.9", "1.3.9") && !has("1.0.0 - 1.3.9", "1.4.0"));
        assert!(has("1.x || 3.x", "3.1.0") && !has("1.x || 3.x", "2.0.0"));
        assert!(!has(">1.0.0", "1.5.0-rc1") && has(">1.5.0-alpha", "1.5.0-rc1"));
        assert!(VersionRange::parse("nonsense").is_err());
    }
}

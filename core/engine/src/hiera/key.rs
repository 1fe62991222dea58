//! Keys with dots: splitting them, and restoring the structure around a selected value.
//!
//! Follows the reference's `pops/lookup/lookup_key.rb`.

use nom::branch::alt;
use nom::bytes::complete::{is_not, take_while};
use nom::character::complete::char;
use nom::combinator::{all_consuming, map};
use nom::multi::separated_list1;
use nom::sequence::delimited;
use nom::{IResult, Parser as _};

use super::error::{LookupError, lookup_error};
use bunraku_pcore::value::{Str, Value, shared};
use bunraku_syntax::names::split_first;

/// The key whose data are options for other keys.
pub(super) const LOOKUP_OPTIONS: &str = "lookup_options";

/// A segment of a key after its first dot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Segment {
    /// An index, or a number as the key of a hash.
    Number(i64),
    /// A name.
    Name(Str),
}

impl Segment {
    /// The segment as a value.
    pub fn value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Integer(*number),
            Self::Name(name) => Value::String(name.clone()),
        }
    }
}

impl std::fmt::Display for Segment {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Name(name) => out.write_str(name),
        }
    }
}

/// A parsed key.
#[derive(Clone, Debug)]
pub(super) struct LookupKey {
    /// As it was given.
    pub text: Str,
    /// The part before the first dot.
    pub root: Str,
    /// The parts after it.
    pub segments: Vec<Segment>,
}

impl LookupKey {
    /// Takes a key apart. Errors: quotes and dots that do not fit.
    pub fn new(key: &str) -> Result<Self, LookupError> {
        if is_plain(key) {
            let text = shared(key);
            return Ok(Self { root: text.clone(), text, segments: Vec::new() });
        }
        let mut segments =
            split_key(key).ok_or_else(|| lookup_error(format!("Syntax error in key: '{key}'")))?.into_iter();
        let root = match segments.next() {
            Some(segment) => segment.to_string().into(),
            None => Str::new(),
        };
        Ok(Self { text: key.into(), root, segments: segments.collect() })
    }

    /// The module that a key with a namespace belongs to.
    pub fn module_name(&self) -> Option<Str> {
        split_first(&self.root).map(|(module, _)| shared(module))
    }

    /// The value inside hashes and arrays in which the segments select it.
    pub fn undig(&self, value: Value) -> Value {
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Segment::Number(index) if (0..1_000_000).contains(index) => {
                let mut list = vec![Value::Undef; *index as usize];
                list.push(inner);
                Value::from(list)
            }
            segment => Value::hash([(segment.value(), inner)]),
        })
    }

    /// All segments, the root first.
    pub fn to_array(&self) -> Value {
        let root = std::iter::once(Value::String(self.root.clone()));
        Value::array(root.chain(self.segments.iter().map(Segment::value)))
    }
}

/// Whether a key is one segment without quotes.
fn is_plain(key: &str) -> bool {
    !key.bytes().any(|byte| matches!(byte, b'\'' | b'"' | b'.'))
}

/// Takes a key apart at its dots; quoted segments may hold dots. `None` when it is malformed.
pub(super) fn split_key(key: &str) -> Option<Vec<Segment>> {
    if is_plain(key) {
        return Some(vec![Segment::Name(key.into())]);
    }
    let segments: IResult<&str, Vec<Segment>> =
        all_consuming(separated_list1(char('.'), alt((quoted_segment, plain_segment)))).parse(key);
    segments.ok().map(|(_, segments)| segments)
}

/// A segment in quotes, with blanks around them.
fn quoted_segment(input: &str) -> IResult<&str, Segment> {
    let blanks = || take_while(char::is_whitespace);
    let quoted =
        alt((delimited(char('"'), is_not("\""), char('"')), delimited(char('\''), is_not("'"), char('\''))));
    map(delimited(blanks(), quoted, blanks()), |name: &str| Segment::Name(name.into())).parse(input)
}

/// A segment without quotes: a number, or a name.
fn plain_segment(input: &str) -> IResult<&str, Segment> {
    let segment = |text: &str| {
        let name = text.trim();
        let digits = name.strip_prefix(['-', '+']).unwrap_or(name);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match name.parse() {
            Ok(number) if is_number => Segment::Number(number),
            _ => Segment::Name(name.into()),
        }
    };
    map(is_not("'\"."), segment).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(key: &str) -> Option<Vec<String>> {
        split_key(key).map(|segments| segments.iter().map(Segment::to_string).collect())
    }

    #[test]
    fn keys_split_at_dots_outside_of_quotes() {
        assert_eq!(split("a.b.0"), Some(vec!["a".into(), "b".into(), "0".into()]));
        assert_eq!(split("a.'b.c'.\"d\""), Some(vec!["a".into(), "b.c".into(), "d".into()]));
        assert_eq!(split("'x.y'"), Some(vec!["x.y".into()]));
        assert_eq!(split("a..b"), None);
        assert_eq!(split("a."), None);
        assert_eq!(split(".a"), None);
        assert_eq!(split("a'b'"), None);
        assert_eq!(split_key("a.-1").unwrap()[1], Segment::Number(-1));
    }
}

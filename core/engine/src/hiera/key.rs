//! Keys with dots: taking them apart, digging with them and putting back what was dug.
//!
//! Follows the reference's `pops/lookup/lookup_key.rb` and `sub_lookup.rb`.

use super::invocation::{Found, Invocation, Stop, lookup_error};
use super::text;
use bunraku_pcore::value::{Hash, Str, Value};

/// A segment of a key behind its first dot.
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

/// A key, taken apart.
#[derive(Clone, Debug)]
pub(super) struct LookupKey {
    /// As it was given.
    pub text: Str,
    /// What stands before the first dot.
    pub root: Str,
    /// What stands behind it.
    pub segments: Vec<Segment>,
}

impl LookupKey {
    /// Takes a key apart. Errors: quotes and dots that do not fit.
    pub fn new(key: &str) -> Result<Self, Stop> {
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
        self.root.split_once("::").map(|(module, _)| Str::from(module))
    }

    /// What the segments find in a value.
    pub fn dig(&self, invocation: &Invocation, value: Value) -> Found {
        if self.segments.is_empty() {
            return Ok(value);
        }
        sub_lookup(&self.text, invocation, &self.segments, value)
    }

    /// The value in hashes and arrays such that the segments find it.
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

/// Takes a key apart at its dots; quoted segments may hold dots. `None` when it is malformed.
pub(super) fn split_key(key: &str) -> Option<Vec<Segment>> {
    if !key.contains(['\'', '"', '.']) {
        return Some(vec![Segment::Name(key.into())]);
    }
    // The text between segments must be nothing at first, and then exactly one dot.
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let (segment, behind) = next_segment(rest)?;
        segments.push(segment);
        rest = match behind.strip_prefix('.') {
            Some(rest) => rest,
            None if behind.is_empty() => return Some(segments),
            None => return None,
        };
    }
}

/// The segment at the start of a text and what is behind it.
fn next_segment(text: &str) -> Option<(Segment, &str)> {
    let trimmed = text.trim_start();
    if let Some(quote) = trimmed.chars().next().filter(|char| matches!(char, '"' | '\'')) {
        let end = trimmed[1..].find(quote).filter(|&end| end > 0)? + 1;
        let behind = trimmed[end + 1..].trim_start();
        return Some((Segment::Name(trimmed[1..end].into()), behind));
    }
    let end = text.find(['\'', '"', '.']).unwrap_or(text.len());
    if end == 0 {
        return None;
    }
    let name = text[..end].trim();
    let digits = name.strip_prefix(['-', '+']).unwrap_or(name);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let segment = match name.parse() {
        Ok(number) if is_number => Segment::Number(number),
        _ => Segment::Name(name.into()),
    };
    Some((segment, &text[end..]))
}

/// What segments find in a value. Errors: a value on the way that is no collection.
pub(super) fn sub_lookup(key: &str, invocation: &Invocation, segments: &[Segment], value: Value) -> Found {
    invocation.with_sub_lookup(segments, || {
        let mut value = value;
        for segment in segments {
            value = invocation.with_segment(segment, || {
                let found = step(key, segment, &value)?;
                match found {
                    Some(found) => Ok(invocation.report_found(segment, found)),
                    None => {
                        invocation.report_not_found(segment);
                        Err(Stop::NoSuchKey)
                    }
                }
            })?;
        }
        Ok(value)
    })
}

/// One step into a value; `None` when nothing is there.
fn step(key: &str, segment: &Segment, value: &Value) -> Result<Option<Value>, Stop> {
    match (value, segment) {
        (Value::Undef, _) => Ok(None),
        (Value::Array(list), Segment::Number(index)) => {
            Ok(usize::try_from(*index).ok().and_then(|index| list.get(index)).cloned())
        }
        (Value::Hash(hash), segment) => Ok(find_in(hash, segment).cloned()),
        (Value::Integer(_), segment) => {
            let message = format!("An Integer has no '{segment}' in it");
            Err(bunraku_syntax::diagnostic::Error::internal(message).into())
        }
        (value, segment) => Err(lookup_error(format!(
            "Data Provider type mismatch: Got {} when a hash-like object was expected to access value using '{segment}' \
             from key '{key}'",
            text::ruby_class(value)
        ))),
    }
}

fn find_in<'h>(hash: &'h Hash, segment: &Segment) -> Option<&'h Value> {
    hash.get(&segment.value())
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

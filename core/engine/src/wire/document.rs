//! Documents from outside: JSON and MessagePack read strictly, and the rules of a format checked piece by piece.
//!
//! Against a plain JSON parser, a key that stands twice in an object is told, and nesting has a limit. Every violation of a
//! rule is told with the place where it is, as a JSON path (`$.resources[3].title`); reading goes on as far as it can, so
//! that one pass tells all.

use std::cell::RefCell;
use std::fmt::{self, Write as _};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

/// How deep a document may be nested.
const DEPTH: usize = 450;

/// How many violations are told of one document.
const MOST_VIOLATIONS: usize = 1000;

/// A rule of a format that a document breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, as a JSON path; `$` is the whole document.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// A place in a document, as a chain up to its root.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Root,
    Member(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(super) fn member(&'a self, name: &'a str) -> Place<'a> {
        Place::Member(self, name)
    }

    pub(super) fn element(&'a self, number: usize) -> Place<'a> {
        Place::Element(self, number)
    }

    /// The steps from here up to the root.
    fn steps(&'a self) -> impl Iterator<Item = &'a Place<'a>> {
        std::iter::successors(Some(self), |place| match place {
            Place::Root => None,
            Place::Member(parent, _) | Place::Element(parent, _) => Some(parent),
        })
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<&Place<'_>> = self.steps().collect();
        for step in steps.into_iter().rev() {
            match step {
                Place::Root => f.write_char('$')?,
                Place::Element(_, number) => write!(f, "[{number}]")?,
                Place::Member(_, name) if is_word(name) => write!(f, ".{name}")?,
                Place::Member(_, name) => {
                    write!(f, "['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a key needs no quotes in a path.
fn is_word(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The violations that were found so far.
#[derive(Default)]
pub(super) struct Violations {
    found: Vec<Violation>,
    left_out: usize,
}

impl Violations {
    pub(super) fn add(&mut self, place: &Place<'_>, message: impl Into<String>) {
        if self.found.len() < MOST_VIOLATIONS {
            self.found.push(Violation { path: place.to_string(), message: message.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// What was read, unless rules are broken.
    pub(super) fn unless_broken<T>(mut self, value: Option<T>) -> Result<T, Vec<Violation>> {
        if self.left_out > 0 {
            let message = format!("{} more violations", self.left_out);
            self.found.push(Violation { path: "$".to_owned(), message });
        }
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(self.found),
        }
    }

    /// An object, or a violation.
    pub(super) fn object(&mut self, value: Json, place: &Place<'_>) -> Option<Map<String, Json>> {
        match value {
            Json::Object(members) => Some(members),
            other => self.refuse(place, "an object", &other),
        }
    }

    /// An array, or a violation.
    pub(super) fn array(&mut self, value: Json, place: &Place<'_>) -> Option<Vec<Json>> {
        match value {
            Json::Array(values) => Some(values),
            other => self.refuse(place, "an array", &other),
        }
    }

    /// A string, or a violation.
    pub(super) fn string(&mut self, value: Json, place: &Place<'_>) -> Option<String> {
        match value {
            Json::String(text) => Some(text),
            other => self.refuse(place, "a string", &other),
        }
    }

    /// An array of strings, or violations.
    pub(super) fn strings(&mut self, value: Json, place: &Place<'_>) -> Option<Vec<String>> {
        let values = self.array(value, place)?;
        let values = values.into_iter().enumerate();
        let strings: Vec<_> =
            values.map(|(number, value)| self.string(value, &place.element(number))).collect();
        strings.into_iter().collect()
    }

    /// A boolean, or a violation.
    pub(super) fn boolean(&mut self, value: Json, place: &Place<'_>) -> Option<bool> {
        match value {
            Json::Bool(truth) => Some(truth),
            other => self.refuse(place, "a boolean", &other),
        }
    }

    /// An integer from 1, or a violation.
    pub(super) fn line(&mut self, value: Json, place: &Place<'_>) -> Option<u32> {
        let line = value.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|&line| line > 0);
        match line {
            Some(line) => Some(line),
            None => self.refuse(place, "a positive integer", &value),
        }
    }

    /// The value of a key that must be there.
    pub(super) fn required(
        &mut self,
        members: &mut Map<String, Json>,
        key: &str,
        place: &Place<'_>,
    ) -> Option<Json> {
        let value = members.remove(key);
        if value.is_none() {
            self.add(place, format!("the key \"{key}\" is missing"));
        }
        value
    }

    /// Tells of the keys that are left in an object when all known ones were taken out.
    pub(super) fn no_more(&mut self, members: &Map<String, Json>, place: &Place<'_>) {
        for key in members.keys() {
            self.add(&place.member(key), "the key is unknown in this format");
        }
    }

    fn refuse<T>(&mut self, place: &Place<'_>, expected: &str, value: &Json) -> Option<T> {
        let found = match value {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(number) if number.is_f64() => "a float",
            Json::Number(_) => "an integer",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        };
        self.add(place, format!("expected {expected}, got {found}"));
        None
    }
}

/// A document in JSON: strict UTF-8, no key twice in an object, nesting limited, nothing behind the end.
///
/// # Errors
/// The violations.
pub(super) fn from_json(bytes: &[u8]) -> Result<Json, Vec<Violation>> {
    let mut violations = Violations::default();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("invalid UTF-8 at byte {}", error.valid_up_to());
            violations.add(&Place::Root, message);
            return violations.unless_broken(None);
        }
    };
    let told = RefCell::new(violations);
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let read = Strict { place: Place::Root, told: &told }.deserialize(&mut reader);
    let read = read.and_then(|value| reader.end().map(|()| value));
    finish(read.map_err(|error| error.to_string()), told)
}

/// A document in MessagePack, under the same rules.
///
/// # Errors
/// The violations.
pub(super) fn from_message_pack(bytes: &[u8]) -> Result<Json, Vec<Violation>> {
    let told = RefCell::new(Violations::default());
    let mut rest = bytes;
    let mut reader = rmp_serde::Deserializer::new(&mut rest);
    reader.set_max_depth(DEPTH + 2);
    let read = Strict { place: Place::Root, told: &told }.deserialize(&mut reader);
    drop(reader);
    let read = read.map_err(|error| error.to_string());
    let read = match read {
        Ok(_) if !rest.is_empty() => Err(format!("{} bytes behind the end", rest.len())),
        other => other,
    };
    finish(read, told)
}

fn finish(read: Result<Json, String>, told: RefCell<Violations>) -> Result<Json, Vec<Violation>> {
    let mut violations = told.into_inner();
    if let Err(message) = &read {
        violations.add(&Place::Root, message.clone());
    }
    violations.unless_broken(read.ok())
}

/// Reads a value at a place.
struct Strict<'a> {
    place: Place<'a>,
    told: &'a RefCell<Violations>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Json, E> {
        Number::from_f64(number)
            .map(Json::Number)
            .ok_or_else(|| E::custom("a number that JSON does not have"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let mut values = Vec::new();
        let next = |number| Strict { place: self.place.element(number), told: self.told };
        while let Some(value) = elements.next_element_seed(next(values.len()))? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let place = self.place.member(&key);
            let value = members.next_value_seed(Strict { place, told: self.told })?;
            if map.contains_key(&key) {
                self.told.borrow_mut().add(&place, "the key stands twice");
            }
            map.insert(key, value);
        }
        Ok(Json::Object(map))
    }
}

impl Strict<'_> {
    fn check_depth<E: serde::de::Error>(&self) -> Result<(), E> {
        if self.place.steps().count() <= DEPTH {
            return Ok(());
        }
        Err(E::custom(format!("nested deeper than {DEPTH} at {:.200}", self.place.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> Vec<String> {
        from_json(text).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn tells_where_a_key_stands_twice() {
        assert_eq!(
            told(br#"{"a": [1, {"b c": 1, "b c": 2}], "a": 3}"#),
            ["$.a[1]['b c']: the key stands twice", "$.a: the key stands twice"]
        );
    }

    #[test]
    fn refuses_what_is_no_json() {
        assert_eq!(told(b"[1] x"), ["$: trailing characters at line 1 column 5"]);
        assert_eq!(told(b"[\"\xff\"]"), ["$: invalid UTF-8 at byte 2"]);
        assert_eq!(told(b"{\"a\": "), ["$: EOF while parsing a value at line 1 column 6"]);
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let read = || {
            let text = "[".repeat(1_000_000);
            assert!(told(text.as_bytes())[0].starts_with("$: nested deeper than 450 at $[0][0]"));
            assert!(from_message_pack(&vec![0x91; 1_000_000]).is_err());
        };
        // Without optimisation this takes more stack than the threads of tests have.
        std::thread::Builder::new().stack_size(8 << 20).spawn(read).unwrap().join().unwrap();
    }
}

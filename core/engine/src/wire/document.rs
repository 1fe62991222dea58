//! Documents from outside: strict parsers of JSON and MessagePack, and checks of a format's rules piece by
//! piece.
//!
//! Unlike a plain JSON parser, this reports repeated keys of an object and limits nesting. Every violation of
//! a rule is reported with its place, as a JSON path (`$.resources[3].title`); reading continues as far as
//! possible, so that one pass reports all violations.

use std::cell::RefCell;
use std::fmt::{self, Write as _};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use super::form::ConversionError;
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_syntax::diagnostic::Error;

/// The maximum nesting of a document.
const MAX_DEPTH: usize = 450;

/// The maximum number of reported violations of one document.
const MAX_VIOLATIONS: usize = 1000;

/// The maximum number of characters of a key in a path.
const MAX_KEY_LENGTH: usize = 200;

/// A rule of a format that a document breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place, as a JSON path; `$` is the whole document.
    pub path: String,
    /// The violation.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// A place in a document, as a chain up to its root.
#[derive(Clone, Copy)]
pub(super) enum DocumentPath<'a> {
    Root,
    Member(&'a DocumentPath<'a>, &'a str),
    Element(&'a DocumentPath<'a>, usize),
}

impl<'a> DocumentPath<'a> {
    pub(super) fn member(&'a self, name: &'a str) -> DocumentPath<'a> {
        DocumentPath::Member(self, name)
    }

    pub(super) fn element(&'a self, number: usize) -> DocumentPath<'a> {
        DocumentPath::Element(self, number)
    }

    /// The steps from here up to the root.
    fn steps(&'a self) -> impl Iterator<Item = &'a DocumentPath<'a>> {
        std::iter::successors(Some(self), |place| match place {
            DocumentPath::Root => None,
            DocumentPath::Member(parent, _) | DocumentPath::Element(parent, _) => Some(parent),
        })
    }
}

impl fmt::Display for DocumentPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<&DocumentPath<'_>> = self.steps().collect();
        for step in steps.into_iter().rev() {
            match step {
                DocumentPath::Root => f.write_char('$')?,
                DocumentPath::Element(_, number) => write!(f, "[{number}]")?,
                DocumentPath::Member(_, name) => {
                    let (name, more) = match name.char_indices().nth(MAX_KEY_LENGTH) {
                        Some((end, _)) => (name.get(..end).unwrap_or_default(), "…"),
                        None => (*name, ""),
                    };
                    if is_word(name) {
                        write!(f, ".{name}{more}")?;
                    } else {
                        let name = name.replace('\\', "\\\\").replace('\'', "\\'");
                        write!(f, "['{name}{more}']")?;
                    }
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
pub(super) struct Violations<'m> {
    found: Vec<Violation>,
    left_out: usize,
    fuel: &'m dyn Fuel,
    /// The reason why the reading has ended.
    ended: Option<Error>,
}

impl<'m> Violations<'m> {
    /// None yet; `fuel` watches over the reading.
    pub(super) fn new(fuel: &'m dyn Fuel) -> Self {
        Self { found: Vec::new(), left_out: 0, fuel, ended: None }
    }

    /// Counts the steps of reading this number of bytes, and one more. Returns whether the reading can
    /// continue.
    pub(super) fn goes_on(&mut self, bytes: usize) -> bool {
        if self.ended.is_none() {
            self.ended = self.fuel.charge(1 + bytes as u64 / BYTES_IN_STEP).err();
        }
        self.ended.is_none()
    }

    pub(super) fn add(&mut self, place: &DocumentPath<'_>, message: impl Into<String>) {
        if self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation { path: place.to_string(), message: message.into() });
        } else {
            self.left_out += 1;
        }
    }

    /// The result, unless rules are violated or the reading has ended.
    pub(super) fn unless_broken<T>(mut self, value: Option<T>) -> Result<T, ConversionError> {
        if let Some(error) = self.ended {
            return Err(error.into());
        }
        if self.left_out > 0 {
            let message = format!("{} more violations", self.left_out);
            self.found.push(Violation { path: "$".to_owned(), message });
        }
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(self.found.into()),
        }
    }

    /// An object, or a violation.
    pub(super) fn object(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<Map<String, Json>> {
        match value {
            Json::Object(members) => Some(members),
            other => self.refuse(place, "an object", &other),
        }
    }

    /// An array, or a violation.
    pub(super) fn array(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<Vec<Json>> {
        match value {
            Json::Array(values) => Some(values),
            other => self.refuse(place, "an array", &other),
        }
    }

    /// A string, or a violation.
    pub(super) fn string(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<String> {
        match value {
            Json::String(text) => Some(text),
            other => self.refuse(place, "a string", &other),
        }
    }

    /// An array of strings, or violations.
    pub(super) fn strings(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<Vec<String>> {
        let values = self.array(value, place)?;
        let values = values.into_iter().enumerate();
        let strings: Vec<_> =
            values.map(|(number, value)| self.string(value, &place.element(number))).collect();
        strings.into_iter().collect()
    }

    /// A boolean, or a violation.
    pub(super) fn boolean(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<bool> {
        match value {
            Json::Bool(truth) => Some(truth),
            other => self.refuse(place, "a boolean", &other),
        }
    }

    /// An integer from 1, or a violation.
    pub(super) fn line(&mut self, value: Json, place: &DocumentPath<'_>) -> Option<u32> {
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
        place: &DocumentPath<'_>,
    ) -> Option<Json> {
        let value = members.remove(key);
        if value.is_none() {
            self.add(place, format!("the key \"{key}\" is missing"));
        }
        value
    }

    /// Tells of the keys that are left in an object when all known ones were taken out.
    pub(super) fn no_more(&mut self, members: &Map<String, Json>, place: &DocumentPath<'_>) {
        for key in members.keys() {
            self.add(&place.member(key), "the key is unknown in this format");
        }
    }

    fn refuse<T>(&mut self, place: &DocumentPath<'_>, expected: &str, value: &Json) -> Option<T> {
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

/// Parses a JSON document: strict UTF-8, unique keys in objects, limited nesting, nothing after the end.
///
/// # Errors
/// The violations, or the fuel runs out.
pub(super) fn from_json(bytes: &[u8], fuel: &dyn Fuel) -> Result<Json, ConversionError> {
    let mut violations = Violations::new(fuel);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("invalid UTF-8 at byte {}", error.valid_up_to());
            violations.add(&DocumentPath::Root, message);
            return violations.unless_broken(None);
        }
    };
    let told = RefCell::new(violations);
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let read = Strict { place: DocumentPath::Root, told: &told }.deserialize(&mut reader);
    let read = read.and_then(|value| reader.end().map(|()| value));
    finish(read.map_err(|error| error.to_string()), told)
}

/// A document in MessagePack, under the same rules.
///
/// # Errors
/// The violations; the fuel runs out.
pub(super) fn from_message_pack(bytes: &[u8], fuel: &dyn Fuel) -> Result<Json, ConversionError> {
    let told = RefCell::new(Violations::new(fuel));
    let mut rest = bytes;
    let mut reader = rmp_serde::Deserializer::new(&mut rest);
    reader.set_max_depth(MAX_DEPTH + 2);
    let read = Strict { place: DocumentPath::Root, told: &told }.deserialize(&mut reader);
    drop(reader);
    let read = read.map_err(|error| error.to_string());
    let read = match read {
        Ok(_) if !rest.is_empty() => Err(format!("{} bytes behind the end", rest.len())),
        other => other,
    };
    finish(read, told)
}

fn finish(read: Result<Json, String>, told: RefCell<Violations<'_>>) -> Result<Json, ConversionError> {
    let mut violations = told.into_inner();
    if let Err(message) = &read {
        violations.add(&DocumentPath::Root, message.clone());
    }
    violations.unless_broken(read.ok())
}

/// Reads a value at a place.
struct Strict<'a, 'm> {
    place: DocumentPath<'a>,
    told: &'a RefCell<Violations<'m>>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_, '_> {
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

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Json, E> {
        self.goes_on(text.len())?;
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let mut values = Vec::new();
        let next = |number| Strict { place: self.place.element(number), told: self.told };
        while let Some(value) = elements.next_element_seed(next(values.len()))? {
            self.goes_on(0)?;
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        self.check_depth()?;
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            self.goes_on(key.len())?;
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

impl Strict<'_, '_> {
    fn goes_on<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        if self.told.borrow_mut().goes_on(bytes) { Ok(()) } else { Err(E::custom("ended")) }
    }

    fn check_depth<E: serde::de::Error>(&self) -> Result<(), E> {
        if self.place.steps().count() <= MAX_DEPTH {
            return Ok(());
        }
        Err(E::custom(format!("nested deeper than {MAX_DEPTH} at {:.200}", self.place.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use bunraku_pcore::fuel::Unmetered;

    use super::*;

    fn told(text: &[u8]) -> Vec<String> {
        match from_json(text, &Unmetered) {
            Err(ConversionError::Invalid(violations)) => violations.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        }
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
            assert!(from_message_pack(&vec![0x91; 1_000_000], &Unmetered).is_err());
        };
        // Without optimisation this takes more stack than the threads of tests have.
        std::thread::Builder::new().stack_size(8 << 20).spawn(read).unwrap().join().unwrap();
    }
}

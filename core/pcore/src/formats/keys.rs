//! Objects of requests and options in JSON, with declared keys.
//!
//! An unknown key is misspelt, and ignoring it would silently drop its setting, such as a limit.

use std::ops::Index;

use bunraku_syntax::diagnostic::Error;
use serde_json::{Map, Value as Json};

/// Names, declared beside the code that reads them.
pub type Names = &'static [&'static str];

/// An object that only has declared keys. Others cannot be read: reading an undeclared key fails in debug
/// builds, and finds nothing in others.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'r> {
    members: &'r Map<String, Json>,
    known: &'static [Names],
}

impl<'r> Keyed<'r> {
    /// Reads an object; `what` is its name in messages, such as `the request`.
    ///
    /// # Errors
    /// It is not an object, or has an undeclared key.
    pub fn new(object: &'r Json, what: &str, known: &'static [Names]) -> Result<Self, Error> {
        match object {
            Json::Object(members) => Self::of(members, what, known),
            _ => Err(Error::argument(format!("{what} must be an object"))),
        }
    }

    /// As [`Keyed::new`], for the members of an object.
    ///
    /// # Errors
    /// One of the keys is undeclared.
    pub fn of(members: &'r Map<String, Json>, what: &str, known: &'static [Names]) -> Result<Self, Error> {
        check(members.keys().map(String::as_str), what, known)?;
        Ok(Self { members, known })
    }

    /// The value of a key, if it exists.
    pub fn get(&self, key: &str) -> Option<&'r Json> {
        debug_assert!(names(self.known).any(|name| name == key), "the key '{key}' is read and not declared");
        self.members.get(key)
    }
}

impl Index<&str> for Keyed<'_> {
    type Output = Json;

    /// The value of a key; null if it does not exist.
    fn index(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&Json::Null)
    }
}

/// Rejects undeclared keys.
///
/// # Errors
/// A key is undeclared. The message contains `what` and the most similar declared name.
pub fn check<'k>(keys: impl IntoIterator<Item = &'k str>, what: &str, known: &[Names]) -> Result<(), Error> {
    match keys.into_iter().find(|key| !names(known).any(|name| name == *key)) {
        None => Ok(()),
        Some(key) => Err(unknown(format!("there is no '{key}' in {what}"), key, names(known))),
    }
}

/// The error about an unknown name: a message, and the most similar name.
pub fn unknown<'n>(message: String, name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    // Only the beginning of a name that is longer than all known ones is compared.
    let given = name.get(..64).unwrap_or(name).to_lowercase();
    let near = known.map(|known| (strsim::damerau_levenshtein(known, &given), known)).min();
    match near.filter(|(distance, _)| *distance <= 1 + given.chars().count() / 4) {
        Some((_, meant)) => Error::argument(format!("{message} (did you mean '{meant}'?)")),
        None => Error::argument(message),
    }
}

fn names(known: &[Names]) -> impl Iterator<Item = &'static str> {
    known.iter().copied().flatten().copied()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KNOWN: &[Names] = &[&["limits", "facts"], &["seed", "file_size"]];

    fn said(object: &Json) -> String {
        Keyed::new(object, "the request", KNOWN).err().map(|error| error.message).unwrap_or_default()
    }

    #[test]
    fn misspelt_keys_are_named_with_what_was_meant() {
        for (key, message) in [
            ("limts", "there is no 'limts' in the request (did you mean 'limits'?)"),
            ("Limits", "there is no 'Limits' in the request (did you mean 'limits'?)"),
            ("fcats", "there is no 'fcats' in the request (did you mean 'facts'?)"),
            ("filesize", "there is no 'filesize' in the request (did you mean 'file_size'?)"),
            ("quite different", "there is no 'quite different' in the request"),
            ("", "there is no '' in the request"),
        ] {
            assert_eq!(said(&json!({ "seed": 1, key: {} })), message);
        }
        assert!(said(&json!({ "ä".repeat(100_000): 1 })).starts_with("there is no 'ää"));
        assert_eq!(said(&json!({ "seed": 1, "limits": { "anything": 1 } })), "");
        assert_eq!(said(&json!(["limits"])), "the request must be an object");
    }

    #[test]
    fn what_is_declared_is_read() {
        let object = json!({ "seed": 1 });
        let keyed = Keyed::new(&object, "the request", KNOWN).expect("its keys are known");
        assert_eq!((keyed.get("seed"), keyed.get("limits")), (Some(&json!(1)), None));
        assert_eq!((&keyed["seed"], &keyed["limits"]), (&json!(1), &Json::Null));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "the key 'node' is read and not declared")]
    fn what_is_not_declared_is_not_read() {
        let object = json!({});
        let _ = Keyed::new(&object, "the request", KNOWN).expect("it has no keys")["node"];
    }
}

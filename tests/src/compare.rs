//! Decides whether an answer agrees with the reference's.
//!
//! The rules are those of the golden vectors' README and of the environments' FORMAT: everything is compared,
//! including the order of members, except for errors and messages in a reply, whose members have no order.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Longer texts of foreign code are masked in goldens.
const MASKED_FROM: usize = 64;

/// A UUID of version 4.
pub static UUID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        .expect("the pattern is valid")
});

// Masks of goldens that others have made.
static WILDCARD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("<(?:opaque|ruby|VERSION)>").expect("the pattern is valid"));
static MASKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^sha256:([0-9]+):([0-9a-f]{64})$").expect("the pattern is valid"));

/// Whether a reply to a golden vector's question agrees with the expected one.
pub fn vector_agrees(want: &Value, got: &Value) -> bool {
    if !got.is_object() {
        return false;
    }
    let Some(want) = want.as_object() else { return false };
    let unwanted: BTreeSet<&str> = unwanted(want).chain(unwanted_of(got)).collect();
    same_told(want, got, |key, want, got| unwanted.contains(key) || same_member(key, want, got))
}

/// Whether the reference has crashed over a question.
pub fn is_crash(want: &Value) -> bool {
    let diagnostics = want["diagnostics"].as_array().into_iter().flatten();
    want["error"]["internal"] == true || diagnostics.into_iter().any(|told| told["internal"] == true)
}

/// Whether a reply refuses what the reference has crashed over.
pub fn refuses(want: &Value, got: &Value) -> bool {
    match want["error"].is_object() {
        true => got["error"].is_object(),
        false => got["diagnostics"].as_array().is_some_and(|told| !told.is_empty()),
    }
}

/// Whether a member of a reply to a golden vector's question agrees.
fn same_member(key: &str, want: &Value, got: &Value) -> bool {
    match (key, want, got) {
        ("error", Value::Object(want), got) => same_told(want, got, |_, want, got| same(want, got)),
        ("diagnostics" | "logs", Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| said_the_same(want, got))
        }
        _ => same(want, got),
    }
}

/// Whether two entries of a log or two diagnostics agree.
fn said_the_same(want: &Value, got: &Value) -> bool {
    want.as_object().is_some_and(|want| same_told(want, got, |_, want, got| same(want, got)))
}

/// Whether error members of a reply agree, in any order. An absent one is null; only goldens use the word
/// `internal`.
fn same_told(want: &Map<String, Value>, got: &Value, agrees: impl Fn(&str, &Value, &Value) -> bool) -> bool {
    let Some(got) = got.as_object() else { return false };
    let keys: BTreeSet<&String> = want.keys().chain(got.keys()).collect();
    keys.into_iter()
        .filter(|key| *key != "internal")
        .all(|key| agrees(key, want.get(key).unwrap_or(&Value::Null), got.get(key).unwrap_or(&Value::Null)))
}

/// Whether two JSON values are the same, members of objects in the same order.
pub fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            want.len() == got.len()
                && want.iter().zip(got).all(|((name, want), (key, got))| name == key && same(want, got))
        }
        (Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| same(want, got))
        }
        (Value::String(want), Value::String(got)) => same_text(want, got),
        (Value::Number(want), Value::Number(got)) => {
            want.is_f64() == got.is_f64() && (want == got || want.as_f64() == got.as_f64() && want.is_f64())
        }
        _ => want == got,
    }
}

/// Members that `X_error: true` takes out of the comparison.
fn unwanted(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    members.iter().filter(|(key, value)| **value == Value::Bool(true) && key.ends_with("_error")).flat_map(
        |(key, _)| match key.as_str() {
            "generic_error" => vec!["generic_error", "generic", "msgpack_base64", "plain"],
            other => vec![other, other.trim_end_matches("_error")],
        },
    )
}

fn unwanted_of(reply: &Value) -> impl Iterator<Item = &str> {
    reply.as_object().into_iter().flat_map(unwanted)
}

/// Whether a text agrees with the expected one, in which `<opaque>` and similar marks match any text, and
/// long texts of foreign code can be masked by their digest.
pub fn same_text(want: &str, got: &str) -> bool {
    if want == got {
        return true;
    }
    if let Some(masked) = MASKED.captures(want) {
        return masked[1] == got.chars().count().to_string()
            && masked[2] == hex(&Sha256::digest(got.as_bytes()));
    }
    if !WILDCARD.is_match(want) {
        return false;
    }
    let parts: Vec<String> = WILDCARD.split(want).map(regex::escape).collect();
    Regex::new(&format!("(?s)\\A{}\\z", parts.join(".*?"))).is_ok_and(|pattern| pattern.is_match(got))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A JSON text with the texts in it that goldens of foreign code have as digests (see [`same_text`]) masked
/// so, and nothing else changed.
pub fn masked(json: &str) -> String {
    static TEXTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*""#).expect("the pattern is valid"));
    let mask = |text: &regex::Captures<'_>| match serde_json::from_str::<String>(&text[0]) {
        Ok(plain) if plain.chars().count() > MASKED_FROM => {
            format!("\"sha256:{}:{}\"", plain.chars().count(), hex(&Sha256::digest(plain.as_bytes())))
        }
        _ => text[0].to_owned(),
    };
    TEXTS.replace_all(json, mask).into_owned()
}

/// Whether a catalog agrees with its golden. Values that differ in each compilation must have the right form:
/// a golden version of 0 matches a time, and the uuid is one of version 4, which the golden has as `<uuid>`
/// (or null, if it was masked).
pub fn catalog_agrees(want: &Value, got: &Value) -> bool {
    let (mut want, got) = (want.clone(), got.clone());
    let (Some(members), Some(given)) = (want.as_object_mut(), got.as_object()) else { return want == got };
    if members.get("version").zip(given.get("version")).is_some_and(|(want, got)| is_time(want, got)) {
        members.insert("version".to_owned(), given["version"].clone());
    }
    let has_uuid = |uuid: &Value| uuid.as_str().is_some_and(|uuid| UUID.is_match(uuid));
    if let Some(masked) = members.get_mut("catalog_uuid").filter(|uuid| uuid.is_null() || *uuid == "<uuid>") {
        match given.get("catalog_uuid").filter(|uuid| has_uuid(uuid)) {
            Some(uuid) => *masked = uuid.clone(),
            None => return false,
        }
    }
    same(&want, &got)
}

/// Whether a golden version represents the time, and the other one is a time in the same form.
fn is_time(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Number(want), Value::Number(got)) => want.as_i64() == Some(0) && got.is_i64(),
        (Value::String(want), Value::String(got)) => want == "0" && got.parse::<i64>().is_ok(),
        _ => false,
    }
}

/// Whether an error of an environment agrees with its golden: either form of the message; places that the
/// golden has only in its text may be given as well, where they are those.
pub fn error_agrees(want: &Value, got: &Value) -> bool {
    if !got.is_object() {
        return false;
    }
    let message = got["message"].as_str().unwrap_or_default();
    let forms = [&want["message"], &want["basic_message"]];
    let says_the_same = forms.iter().any(|form| form.as_str().is_some_and(|form| same_text(form, message)));
    let text = want["message"].as_str().unwrap_or_default();
    let places_agree =
        [("file", "file: "), ("line", "line: "), ("pos", "column: ")].iter().all(|(key, label)| {
            let (want, got) = (&want[*key], &got[*key]);
            match got {
                Value::Null => want.is_null(),
                _ if !want.is_null() => same(want, got),
                Value::String(got) => text.contains(&format!("{label}{got}")),
                got => text.contains(&format!("{label}{got}")),
            }
        });
    says_the_same && want["issue_code"] == got["issue_code"] && places_agree
}

/// Whether logs agree: all keys, in order, apart from the error that ends the compilation, which may be
/// logged or not.
pub fn logs_agree(want: &Value, got: &Value, error: Option<&str>) -> bool {
    let empty = Vec::new();
    let want = want.as_array().unwrap_or(&empty);
    let mut got = got.as_array().unwrap_or(&empty).as_slice();
    if let (Some(error), Some((last, rest))) = (error, got.split_last()) {
        let closes =
            last["level"] == "err" && last["message"].as_str().is_some_and(|text| error.contains(text));
        if got.len() == want.len() + 1 && closes {
            got = rest;
        }
    }
    want.len() == got.len() && want.iter().zip(got).all(|(want, got)| said_the_same(want, got))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wildcards_stand_for_any_text_and_the_rest_must_be_equal() {
        assert!(same_text("a <ruby> b", "a NilClass b"));
        assert!(!same_text("a <ruby> b", "a NilClass c"));
    }

    #[test]
    fn an_integer_never_equals_a_float() {
        assert!(!same(&json!(1), &json!(1.0)));
        assert!(!same(&json!({ "a": null }), &json!({})));
        assert!(!same(&json!({ "a": 1, "b": 2 }), &json!({ "b": 2, "a": 1 })));
    }

    #[test]
    fn an_error_that_was_expected_is_not_met_by_another_one() {
        let want = json!({ "error": { "message": "no", "line": 1 } });
        assert!(vector_agrees(&want, &json!({ "error": { "message": "no", "line": 1 } })));
        assert!(!vector_agrees(&want, &json!({ "error": { "message": "no", "line": 2 } })));
        assert!(!vector_agrees(&want, &json!({ "value": 1 })));
    }
}

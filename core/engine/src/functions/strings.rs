//! Strings: case, white space, line ends; `shellquote`, `sprintf`, `versioncmp`.
//!
//! Functions that take a string take numbers too, which they give back as they are, and sequences of both.

use super::{legacy, ruby};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::value::Hash;
use bunraku_pcore::{Value, format, iterate, package_version};
use bunraku_syntax::case::{capitalize, downcase, upcase};
use bunraku_syntax::diagnostic::Error;

/// A function of one string, and of a sequence of strings.
macro_rules! mapped {
    ($name:literal, $body:ident) => {
        BuiltIn::new(
            $name,
            &[
                Dispatch::new("Numeric $arg", given),
                Dispatch::new("String $arg", |call| Ok(changed(call, $body))),
                Dispatch::new("Iterable[Variant[String, Numeric]] $arg", |call| map(call, $body)),
            ],
        )
    };
}

/// A function of one string, and of all strings in arrays and hashes.
macro_rules! nested {
    ($name:literal, $body:ident) => {
        BuiltIn::new(
            $name,
            &[
                Dispatch::new("Numeric $arg", given),
                Dispatch::new("String $arg", |call| Ok(changed(call, $body))),
                Dispatch::new("Array[StringData] $arg", |call| map_all(call, $body)),
                Dispatch::new("Hash[StringData, StringData] $arg", |call| map_all(call, $body)),
            ],
        )
        .with_local_types(&[
            "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]",
        ])
    };
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    mapped!("camelcase", camelcase),
    mapped!("capitalize", capitalize),
    mapped!("chomp", chomp),
    mapped!("chop", chop),
    mapped!("lstrip", lstrip),
    mapped!("rstrip", rstrip),
    mapped!("strip", strip),
    nested!("downcase", downcase),
    nested!("upcase", upcase),
    BuiltIn::new(
        "versioncmp",
        &[Dispatch::new("String $a, String $b, Boolean? $ignore_trailing_zeroes", versioncmp)],
    ),
    BuiltIn::legacy("shellquote", -1, true, &[Dispatch::new("", shellquote)]),
    BuiltIn::legacy("sprintf", -2, true, &[Dispatch::new("", sprintf)]),
];

fn given(call: &Call<'_, '_>) -> Evaluated {
    Ok(call.argument(0).clone())
}

fn changed(call: &Call<'_, '_>, body: fn(&str) -> String) -> Value {
    call.argument(0).map_text(body).unwrap_or_default()
}

fn map(call: &Call<'_, '_>, body: fn(&str) -> String) -> Evaluated {
    let argument = call.argument(0);
    if matches!(argument, Value::Type(_)) {
        return Err(Error::internal(format!(
            "{}(): {} has no values to go through",
            call.name,
            ruby::to_s(argument)
        ))
        .into());
    }
    let map = |value: Value| value.map_text(body).unwrap_or(value);
    let elements = iterate::elements(argument).map(iterate::Elements::gather).transpose()?;
    Ok(elements.into_iter().flatten().map(map).collect::<Vec<_>>().into())
}

fn map_all(call: &Call<'_, '_>, body: fn(&str) -> String) -> Evaluated {
    fn map(value: &Value, body: fn(&str) -> String) -> Value {
        match value {
            Value::Array(values) => Value::array(values.iter().map(|value| map(value, body))),
            Value::Hash(hash) => {
                let hash: Hash = hash.iter().map(|(key, value)| (map(key, body), map(value, body))).collect();
                hash.into()
            }
            other => other.map_text(body).unwrap_or_else(|| other.clone()),
        }
    }
    Ok(map(call.argument(0), body))
}

fn camelcase(text: &str) -> String {
    text.split('_').map(capitalize).collect()
}

fn chomp(text: &str) -> String {
    let stripped = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r']));
    stripped.unwrap_or(text).to_owned()
}

fn chop(text: &str) -> String {
    let mut characters = text.chars();
    characters.next_back();
    text.strip_suffix("\r\n").unwrap_or(characters.as_str()).to_owned()
}

fn is_blank(character: char) -> bool {
    character == '\0' || character.is_ascii() && ruby::is_space(character as u8)
}

fn lstrip(text: &str) -> String {
    text.trim_start_matches(is_blank).to_owned()
}

fn rstrip(text: &str) -> String {
    text.trim_end_matches(is_blank).to_owned()
}

fn strip(text: &str) -> String {
    text.trim_matches(is_blank).to_owned()
}

fn versioncmp(call: &Call<'_, '_>) -> Evaluated {
    let (a, b) = (call.text(0), call.text(1));
    let ordering = if call.arguments.get(2).is_some_and(Value::is_truthy) {
        package_version::compare(&without_zeroes(a)?, &without_zeroes(b)?)
    } else {
        package_version::compare(a, b)
    };
    Ok((ordering as i64).into())
}

/// A version without the zeroes and dots at the end of its part before the first dash.
fn without_zeroes(version: &str) -> Result<String, Error> {
    let version = version.trim_end_matches('-');
    if version.is_empty() {
        return Err(Error::internal("versioncmp(): a version of dashes alone cannot be compared"));
    }
    let (first, rest) = version.split_at(version.find('-').unwrap_or(version.len()));
    let mut lines: Vec<&str> = first.split('\n').collect();
    if let Some(line) = lines.iter_mut().find(|line| line.ends_with(['.', '0'])) {
        *line = line.trim_end_matches(['.', '0']);
    }
    Ok(lines.join("\n") + rest)
}

fn shellquote(call: &Call<'_, '_>) -> Evaluated {
    let arguments = legacy::arguments(call);
    let words = ruby::flatten(&arguments);
    let quoted: Result<Vec<String>, Error> = words.iter().map(quote).collect();
    Ok(quoted?.join(" ").into())
}

fn quote(word: &Value) -> Result<String, Error> {
    let Value::String(word) = word else {
        let message = format!(
            "shellquote(): {} of the class {} is no String",
            ruby::to_s(word),
            ruby::class_name(word)
        );
        return Err(Error::internal(message));
    };
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    let is_dangerous = |c: char| "!\"`$\\".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) {
        return Ok(word.to_string());
    }
    if !word.contains(is_dangerous) {
        return Ok(format!("\"{word}\""));
    }
    if !word.contains('\'') {
        return Ok(format!("'{word}'"));
    }
    let mut quoted = String::from("\"");
    for character in word.chars() {
        if is_dangerous(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    Ok(quoted)
}

fn sprintf(call: &Call<'_, '_>) -> Evaluated {
    let arguments = legacy::arguments(call);
    let Some((Value::String(template), values)) = arguments.split_first() else {
        return Err(legacy::no_string(arguments.first().unwrap_or(&Value::Undef)).into());
    };
    Ok(format::sprintf(template, values)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroes_at_the_end_of_versions_are_ignored() {
        assert_eq!(without_zeroes("1.0.0-0").unwrap(), "1-0");
        assert!(without_zeroes("").is_err());
    }

    #[test]
    fn texts_change() {
        assert_eq!(camelcase("hello_WORLD__x_"), "HelloWorldX");
        assert_eq!(chop("a\r\n"), "a");
        assert_eq!(chomp("a\r\n"), "a");
    }
}

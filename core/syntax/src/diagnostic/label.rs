//! Words around labels: articles, plurals, lists of alternatives. Follows the reference's
//! `pops/label_provider.rb`.
//!
//! A label is the name of a thing in messages. [`Program::label`](crate::ast::Program::label) makes the
//! labels of nodes, `pcore::label` those of values.

use std::fmt::Display;

/// The indefinite article of a text: `an` if its first letter, after an optional quote, is one of `aeiouy`.
pub fn article(text: &str) -> &'static str {
    let mut characters = text.chars();
    let first = match characters.next() {
        Some('"' | '\'') => characters.next(),
        first => first,
    };
    match first {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'A' | 'E' | 'I' | 'O' | 'U' | 'Y') => "an",
        Some(_) | None => "a",
    }
}

/// `a Hash Entry`
pub fn a_an(label: impl Display) -> String {
    let label = label.to_string();
    format!("{} {label}", article(&label))
}

/// `A Hash Entry`
pub fn a_an_uc(label: impl Display) -> String {
    let label = label.to_string();
    let article = if article(&label) == "an" { "An" } else { "A" };
    format!("{article} {label}")
}

/// `the Hash Entry`
pub fn the(label: impl Display) -> String {
    format!("the {label}")
}

/// The text, with an `s` unless the count is one.
pub fn plural_s(count: usize, text: &str) -> String {
    if count == 1 { text.to_owned() } else { format!("{text}s") }
}

/// `a`, `a or b`, `a, b, or c`; the conjunction is usually `or`.
pub fn combine_strings<T: AsRef<str>>(strings: &[T], conjunction: &str) -> String {
    match strings {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [one, two] => format!("{} {conjunction} {}", one.as_ref(), two.as_ref()),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{}, {conjunction} {}", first.join(", "), last.as_ref())
        }
    }
}

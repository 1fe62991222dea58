//! Texts in quotes, as Ruby's `String#inspect` writes them.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// A text in double quotes as Ruby's `String#inspect` writes it.
pub fn inspect_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '#' if matches!(characters.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            '\u{8}' => out.push_str("\\b"),
            '\u{7}' => out.push_str("\\a"),
            '\u{1b}' => out.push_str("\\e"),
            _ if is_printable(c) => out.push(c),
            _ if u32::from(c) > 0xffff => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(c));
            }
            _ => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// Characters that Ruby does not show as themselves: controls, unassigned ones and separators of lines.
static HIDDEN: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new(r"[\p{Cc}\p{Cn}\p{Zl}\p{Zp}]").ok());

fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let mut buffer = [0; 4];
    HIDDEN.as_ref().is_none_or(|hidden| !hidden.is_match(c.encode_utf8(&mut buffer)))
}

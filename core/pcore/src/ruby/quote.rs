//! Texts in quotes, as Ruby's `String#inspect` and `String#dump` write them.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// A text in double quotes as Ruby's `String#inspect` writes it.
pub fn inspect_string(text: &str) -> String {
    quoted(text, false)
}

/// A text as Ruby's `String#dump` writes it: in ASCII.
pub fn dump_string(text: &str) -> String {
    quoted(text, true)
}

fn quoted(text: &str, is_ascii: bool) -> String {
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
            _ if (c.is_ascii() || !is_ascii) && is_printable(c) => out.push(c),
            _ if is_ascii && c.is_ascii() => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
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

/// Bytes as Ruby inspects a string without encoding.
pub fn inspect_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'#' && matches!(bytes.get(at + 1), Some(b'{' | b'$' | b'@')) {
            out.push_str("\\#");
        } else if byte.is_ascii() {
            let shown = inspect_string(&char::from(byte).to_string());
            let inner = shown.get(1..shown.len() - 1).unwrap_or_default();
            match inner.strip_prefix("\\u00") {
                Some(code) => out.push_str(&format!("\\x{code}")),
                None => out.push_str(inner),
            }
        } else {
            out.push_str(&format!("\\x{byte:02X}"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_ascii() {
        assert_eq!(dump_string("a\u{1}\u{85}\u{fb01}\u{1f600}\n#{"), r#""a\x01\u0085\uFB01\u{1F600}\n\#{""#);
        assert_eq!(inspect_bytes("x\u{1}#{\u{df}".as_bytes()), r##""x\x01\#{\xC3\x9F""##);
        assert_eq!(inspect_string("\u{1}\u{fb01}"), "\"\\u0001\u{fb01}\"");
    }
}

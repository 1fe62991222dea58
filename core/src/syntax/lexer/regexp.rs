//! `/`: a regular expression where one is acceptable, else a division.

use super::{Lexer, Token, TokenKind};
use crate::diagnostic::{Issue, Report};
use crate::source::Span;

impl Lexer<'_> {
    /// Lexes what starts with a `/` that opens no comment. A regular expression ends at the next `/` that no backslash
    /// escapes, on whatever line; without one the `/` divides.
    pub(super) fn regexp(&mut self, start: usize) -> Token {
        if self.after.ends_operand() {
            return self.emit(TokenKind::Div, start, 1);
        }
        let mut at = start + 1;
        let mut escaped_slash = false;
        while let Some(length) = memchr::memchr2(b'/', b'\\', &self.bytes[at..]) {
            at += length;
            if self.bytes[at] == b'\\' {
                escaped_slash |= self.bytes.get(at + 1) == Some(&b'/');
                at = (at + 2).min(self.bytes.len());
                continue;
            }
            let end = at + 1;
            let pattern = &self.text[start + 1..at];
            if let Err(mistake) = check(pattern) {
                let message = format!("{mistake}: /{pattern}/");
                return self.fail(Report { issue: Issue::NONE, message }, start);
            }
            let text = if escaped_slash {
                let pattern = pattern.replace("\\/", "/");
                self.pooled(&pattern)
            } else {
                self.slice(start + 1, at)
            };
            self.pos = end;
            self.after = TokenKind::Regex;
            return Token { kind: TokenKind::Regex, span: Span::new(start as u32, end as u32), text };
        }
        self.emit(TokenKind::Div, start, 1)
    }
}

/// Finds the mistakes of a pattern that keep Ruby from making a regular expression of it. Says them in Ruby's words.
fn check(pattern: &str) -> Result<(), &'static str> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    let mut groups = 0;
    // Whether there is something that a `*` could repeat.
    let mut repeatable = false;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        repeatable = match byte {
            b'\\' => {
                if at >= bytes.len() {
                    return Err("too short escape sequence");
                }
                at += 1;
                true
            }
            b'[' => {
                at = class(bytes, at)?;
                true
            }
            b'(' => {
                groups += 1;
                if bytes[at..].starts_with(b"?#") {
                    let end = memchr::memchr(b')', &bytes[at..]).ok_or("end pattern in group")?;
                    at += end + 1;
                    groups -= 1;
                    repeatable
                } else {
                    if bytes.get(at) == Some(&b'?') {
                        at = group(bytes, at + 1)?;
                        // `(?i)` has ended already.
                        if bytes.get(at.wrapping_sub(1)) == Some(&b')') {
                            groups -= 1;
                        }
                    }
                    false
                }
            }
            b')' => {
                if groups == 0 {
                    return Err("unmatched close parenthesis");
                }
                groups -= 1;
                true
            }
            b'*' | b'+' | b'?' => {
                if !repeatable {
                    return Err("target of repeat operator is not specified");
                }
                true
            }
            b'|' => false,
            _ => true,
        };
    }
    if groups > 0 { Err("end pattern with unmatched parenthesis") } else { Ok(()) }
}

/// Checks what stands behind `(?`, and gives where the pattern in the group starts.
fn group(bytes: &[u8], at: usize) -> Result<usize, &'static str> {
    let name_end = |start: usize, close: u8| match memchr::memchr(close, &bytes[start..]) {
        None | Some(0) => Err("group name is empty"),
        Some(length) => Ok(start + length + 1),
    };
    match bytes.get(at) {
        None => Err("end pattern in group"),
        Some(b':' | b'=' | b'!' | b'>' | b'~') => Ok(at + 1),
        Some(b'<') if matches!(bytes.get(at + 1), Some(b'=' | b'!')) => Ok(at + 2),
        Some(b'<') => name_end(at + 1, b'>'),
        Some(b'\'') => name_end(at + 1, b'\''),
        Some(b'(') => name_end(at + 1, b')'),
        Some(_) => {
            let length = bytes[at..].iter().take_while(|byte| b"imxadu-".contains(byte)).count();
            match bytes.get(at + length) {
                Some(b':') => Ok(at + length + 1),
                Some(b')') if length > 0 => Ok(at + length + 1),
                None => Err("end pattern in group"),
                Some(_) => Err("undefined group option"),
            }
        }
    }
}

/// Checks a class of characters, and gives where it ends.
fn class(bytes: &[u8], start: usize) -> Result<usize, &'static str> {
    const UNFINISHED: &str = "premature end of char-class";
    let mut at = start;
    if bytes.get(at) == Some(&b'^') {
        at += 1;
    }
    if bytes.get(at) == Some(&b']') {
        // Ruby takes it for a member when the class ends later.
        if memchr::memchr(b']', &bytes[at + 1..]).is_none() {
            return Err("empty char-class");
        }
        at += 1;
    }
    // How many classes are open inside of this one.
    let mut depth = 0;
    // The last member, if it may start a range.
    let mut last = None;
    loop {
        let byte = *bytes.get(at).ok_or(UNFINISHED)?;
        at += 1;
        match byte {
            b'\\' => {
                if at >= bytes.len() {
                    return Err("end pattern at escape");
                }
                at += 1;
                last = None;
            }
            b'[' if bytes.get(at) == Some(&b':') && has_posix_name(&bytes[at + 1..]) => {
                at += memchr::memmem::find(&bytes[at + 1..], b":]").unwrap_or(0) + 3;
                last = None;
            }
            b'[' => {
                depth += 1;
                last = None;
                if bytes.get(at) == Some(&b'^') {
                    at += 1;
                }
            }
            b']' if depth == 0 => return Ok(at),
            b']' => {
                depth -= 1;
                last = None;
            }
            b'-' => match (last.take(), bytes.get(at)) {
                (Some(low), Some(&high)) if !matches!(high, b']' | b'[' | b'\\') && high.is_ascii() => {
                    if low > high {
                        return Err("empty range in char class");
                    }
                    at += 1;
                }
                _ => {}
            },
            other => last = other.is_ascii().then_some(other),
        }
    }
}

fn has_posix_name(bytes: &[u8]) -> bool {
    let name = bytes.strip_prefix(b"^").unwrap_or(bytes);
    let length = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    length > 0 && name[length..].starts_with(b":]")
}

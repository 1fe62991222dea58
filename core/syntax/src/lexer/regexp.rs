//! `/`: a regular expression where one is acceptable, otherwise a division.

use super::{Lexer, Token, TokenKind};
use crate::diagnostic::{Issue, Report};
use crate::pattern;
use crate::source::Span;

impl Lexer<'_> {
    /// Lexes a `/` that opens no comment. A regular expression ends at the next unescaped `/`, on any line;
    /// without one the `/` is a division.
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
            let source = &self.text[start + 1..at];
            if let Err(mistake) = check(source) {
                let message = pattern::refused(&mistake, &source.replace("\\/", "/"), "");
                // The end is known: lexing can continue there.
                self.pos = end;
                return self.fail(Report { issue: Issue::NONE, message }, start);
            }
            let text = if escaped_slash {
                let pattern = source.replace("\\/", "/");
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

/// Finds the errors for which Ruby rejects a regular expression, with Ruby's messages.
fn check(text: &str) -> Result<(), String> {
    // Most patterns have no character that could cause an error.
    let is_plain = |byte: u8| byte.is_ascii() && !b"\\()[]{}*+?".contains(&byte);
    if text.bytes().all(is_plain) { Ok(()) } else { pattern::check(text) }
}

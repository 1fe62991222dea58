//! Words: names, bare words, keywords, references to types and classes, variables.

use super::characters::is_word;
use super::{Lexer, Token, TokenKind};
use crate::diagnostic::issues;

impl Lexer<'_> {
    /// A name, a keyword or a bare word, which starts with a lower-case letter or `_`.
    #[inline]
    pub(super) fn name(&mut self, start: usize) -> Token {
        let end = self.word_end(start);
        let next = self.bytes.get(end).copied().unwrap_or(0);
        if next == b'-' || next == b':' || self.bytes[start] == b'_' {
            return self.long_name(start, true);
        }
        self.pos = end;
        let kind = TokenKind::of_word(&self.bytes[start..end], self.tasks).unwrap_or(TokenKind::Name);
        self.after = kind;
        self.token_at(kind, start, end)
    }

    /// A name of several segments or a bare word with dashes. `start` can be a `::`.
    fn long_name(&mut self, start: usize, keywords: bool) -> Token {
        let mut at = start;
        let mut is_name = true;
        let mut segments = 0;
        loop {
            let qualified = self.bytes[at..].starts_with(b"::");
            let first = if qualified { at + 2 } else { at };
            match self.bytes.get(first) {
                Some(b'a'..=b'z') => {}
                Some(b'_') => is_name = false,
                _ => break,
            }
            segments += 1;
            let mut end = first + 1;
            let mut next = end;
            while let Some(&byte) = self.bytes.get(next) {
                next += 1;
                if is_word(byte) {
                    end = next;
                } else if byte != b'-' {
                    break;
                }
            }
            is_name &= !self.bytes[first..end].contains(&b'-');
            at = end;
        }
        if segments == 0 {
            self.pos = start + 2;
            return self.fail(issues::illegal_fully_qualified_name(), self.pos);
        }
        self.pos = at;
        let kind = if !is_name {
            TokenKind::Word
        } else if keywords {
            TokenKind::of_word(&self.bytes[start..at], self.tasks).unwrap_or(TokenKind::Name)
        } else {
            TokenKind::Name
        };
        self.after = kind;
        self.token_at(kind, start, at)
    }

    /// A token that starts with `::`.
    pub(super) fn qualified(&mut self, start: usize) -> Token {
        if self.bytes.get(start + 2).is_some_and(u8::is_ascii_uppercase) {
            let end = self.reference_end(start + 2);
            if self.bytes[end..].starts_with(b"::") {
                self.pos = end;
                return self.fail(issues::illegal_fully_qualified_class_reference(), end + 3);
            }
            return self.emit(TokenKind::ClassRef, start, end - start);
        }
        self.long_name(start, false)
    }

    /// A reference, which starts with an upper-case letter.
    pub(super) fn class_reference(&mut self, start: usize) -> Token {
        let end = self.reference_end(start);
        if self.bytes[end..].starts_with(b"::") {
            self.pos = end;
            return self.fail(issues::illegal_class_reference(), end + 1);
        }
        self.emit(TokenKind::ClassRef, start, end - start)
    }

    fn reference_end(&self, start: usize) -> usize {
        let mut end = self.word_end(start);
        while self.bytes[end..].starts_with(b"::")
            && self.bytes.get(end + 2).is_some_and(u8::is_ascii_uppercase)
        {
            end = self.word_end(end + 2);
        }
        end
    }

    /// `$name`. A `$` without a name is a variable with an empty name, which validation rejects.
    pub(super) fn variable(&mut self, start: usize) -> Token {
        self.after = TokenKind::Variable;
        let end = self.variable_end(start + 1).unwrap_or(start + 1);
        self.pos = end;
        let mut token = self.token_at(TokenKind::Variable, start, end);
        token.text = self.slice(start + 1, end);
        token
    }

    /// The end of a variable's name, which can start with `::`; `None` if there is none. Records whether the
    /// validator must check the name.
    pub(super) fn variable_end(&mut self, start: usize) -> Option<usize> {
        let mut at = if self.is_qualifier(start) { start + 2 } else { start };
        let mut end = self.word_end(at);
        if end == at {
            self.output.has_odd_variables = true;
            return None;
        }
        self.output.has_odd_variables |= !matches!(self.bytes[at], b'a'..=b'z' | b'_');
        while self.is_qualifier(end) {
            let next = self.word_end(end + 2);
            if next == end + 2 {
                break;
            }
            self.output.has_odd_variables |=
                self.bytes[at] == b'_' || !self.bytes[end + 2].is_ascii_lowercase();
            at = end + 2;
            end = next;
        }
        Some(end)
    }

    #[inline]
    fn is_qualifier(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b':') && self.bytes.get(at + 1) == Some(&b':')
    }
}

//! Numbers: decimal, octal, hexadecimal and with a fraction or an exponent, and errors in text that looks
//! like a number.

use super::characters::continues_word;
use super::{Lexer, Token, TokenKind};
use crate::diagnostic::{Report, issues};

impl Lexer<'_> {
    /// A number. Only its form is checked here; its value is computed with the node.
    pub(super) fn number(&mut self, start: usize) -> Token {
        let Some(end) = self.number_end(start) else { return self.bad_number(start) };
        if let Some(report) = misformed(&self.bytes[start..end], &self.text[start..end]) {
            return self.fail(report, start);
        }
        self.emit(TokenKind::Number, start, end - start)
    }

    /// The end of the longest number that is not followed by further word characters.
    fn number_end(&self, start: usize) -> Option<usize> {
        let bytes = self.bytes;
        if bytes[start] == b'0' && matches!(bytes.get(start + 1), Some(b'x' | b'X')) {
            let digits = bytes[start + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            let end = start + 2 + digits;
            return (digits > 0 && self.is_word_end(end)).then_some(end);
        }
        let whole = self.digits_end(start);
        let fraction = (bytes.get(whole) == Some(&b'.')).then(|| self.digits_end(whole + 1));
        let fraction = fraction.filter(|&end| end > whole + 1);
        [fraction, Some(whole)].into_iter().flatten().find_map(|end| {
            let exponent = self.exponent_end(end);
            [exponent, Some(end)].into_iter().flatten().find(|&end| self.is_word_end(end))
        })
    }

    fn digits_end(&self, start: usize) -> usize {
        start + self.bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn exponent_end(&self, at: usize) -> Option<usize> {
        if !matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            return None;
        }
        let digits = if self.bytes.get(at + 1) == Some(&b'-') { at + 2 } else { at + 1 };
        Some(self.digits_end(digits)).filter(|&end| end > digits)
    }

    fn is_word_end(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            None => true,
            Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric() && *byte != b'_',
            Some(_) => !continues_word(self.character(at)),
        }
    }

    /// Digits followed by word characters. If they are the fraction of a number, the whole is the invalid
    /// number.
    #[cold]
    fn bad_number(&mut self, start: usize) -> Token {
        let end = self.word_end(start);
        let mut first = start;
        if start > 1 && self.bytes[start - 1] == b'.' {
            while first > 0 {
                let before = if first == start { start - 2 } else { first - 1 };
                if !self.bytes[before].is_ascii_digit() {
                    break;
                }
                first = before;
            }
        }
        let text = self.text.get(first..end).unwrap_or_default();
        let report = misformed(text.as_bytes(), text);
        self.pos = first + 1;
        match report {
            Some(report) => self.fail(report, first),
            None => self.fail(issues::illegal_number(text), first + 1),
        }
    }
}

/// The error in the form of a number, if there is one.
fn misformed(bytes: &[u8], text: &str) -> Option<Report> {
    match bytes {
        [b'0', b'x' | b'X', digits @ ..] => (digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit))
            .then(|| issues::invalid_hex_number(text)),
        [b'0', next, ..] if *next != b'.' => (!bytes.iter().all(|byte| matches!(byte, b'0'..=b'7')))
            .then(|| issues::invalid_octal_number(text)),
        _ => {
            let whole = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match bytes.get(whole) {
                None => None,
                Some(b'e' | b'E' | b'.') => {
                    (!is_decimal(&bytes[whole..])).then(|| issues::invalid_decimal_number(text))
                }
                Some(_) => Some(issues::illegal_number(text)),
            }
        }
    }
}

/// Whether the text after the whole part is a fraction, an exponent, or both.
fn is_decimal(mut rest: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if let [b'.', tail @ ..] = rest {
        let count = digits(tail);
        if count == 0 {
            return false;
        }
        rest = &tail[count..];
    }
    if let [b'e' | b'E', tail @ ..] = rest {
        let tail = tail.strip_prefix(b"-").unwrap_or(tail);
        let count = digits(tail);
        return count > 0 && count == tail.len();
    }
    rest.is_empty()
}

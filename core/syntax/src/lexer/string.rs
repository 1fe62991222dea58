//! Strings: where they end, the meaning of their escapes, and the expressions interpolated in them.
//!
//! Follows the reference's `slurp_support.rb` and `interpolation_support.rb`. A string with interpolations is
//! a [`TokenKind::DqPre`], the tokens of an expression, any number of [`TokenKind::DqMid`] with expressions
//! behind them, and a [`TokenKind::DqPost`]; the braces of `${}` are not tokens.

use std::borrow::Cow;

use super::{Detour, Lexer, Text, Token, TokenKind};
use crate::diagnostic::{Report, issues};
use crate::source::Span;

/// A string around the current expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenString {
    /// The number of open braces before the `${`.
    pub braces: u32,
    /// Whether the string ends with a quote (otherwise with the text: a heredoc).
    pub quoted: bool,
    /// The start of the expression, after the `${`.
    pub code: usize,
}

/// The end of a piece of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terminator {
    /// The end of the string.
    End,
    /// `$`, which may start the name of a variable.
    Dollar,
    /// `${`
    DollarBrace,
}

/// The quotation in an error before the text that does not end.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// The quote that opened the string.
    Quote(&'static str),
    /// The last match inside the interpolation of this string.
    Interpolation(OpenString),
}

/// The supported escapes of a string: a set of the characters after the backslash. A line feed in it means
/// both kinds of line ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escapes(u128);

impl Escapes {
    const DOUBLE_QUOTED: Escapes = Escapes::NONE.with(b"\\$'\"rntsu\n");
    pub const NONE: Escapes = Escapes(0);

    /// The set with more characters.
    pub const fn with(self, characters: &[u8]) -> Self {
        let mut set = self.0;
        let mut at = 0;
        while at < characters.len() {
            set |= 1 << (characters[at] & 127);
            at += 1;
        }
        Self(set)
    }

    /// Whether a character is in the set.
    pub const fn has(self, character: u8) -> bool {
        character < 128 && self.0 & (1 << character) != 0
    }
}

impl Lexer<'_> {
    /// `'text'`, in which only `\\` and `\'` are escapes.
    pub(super) fn single_quoted(&mut self, start: usize) -> Token {
        let mut at = start + 1;
        let mut escaped = false;
        let is_quote = |at: usize| self.bytes.get(at) == Some(&b'\'');
        let swallowing = if is_quote(at) { self.swallowing(at) } else { None };
        if let Some(end) = swallowing.filter(|&end| is_quote(end)) {
            escaped = end > at + 1;
            at = end;
        }
        while let Some(length) = memchr::memchr2(b'\'', b'\\', &self.bytes[at..]) {
            at += length;
            if self.bytes[at] == b'\\' {
                escaped |= matches!(self.bytes.get(at + 1), Some(b'\\' | b'\''));
                at = (at + 2).min(self.bytes.len());
                continue;
            }
            let text = if escaped { self.unescaped_single(start + 1, at) } else { self.slice(start + 1, at) };
            self.pos = at + 1;
            self.after = TokenKind::String;
            return Token { kind: TokenKind::String, span: Span::new(start as u32, self.pos as u32), text };
        }
        self.unclosed(start + 1, Some("'"))
    }

    fn unescaped_single(&mut self, start: usize, end: usize) -> Text {
        let mut text = String::with_capacity(end - start);
        let mut rest = &self.text[start..end];
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.as_bytes().first() {
                Some(b'\\') => text.push('\\'),
                Some(b'\'') => text.push('\''),
                _ => {
                    text.push('\\');
                    continue;
                }
            }
            rest = &rest[1..];
        }
        text.push_str(rest);
        self.pooled(&text)
    }

    /// `"text"`
    pub(super) fn double_quoted(&mut self, start: usize) -> Token {
        let piece = match memchr::memchr3(b'"', b'$', b'\\', &self.bytes[start + 1..]) {
            Some(length) if length > 0 && self.bytes[start + 1 + length] == b'"' => {
                self.pos = start + length + 2;
                self.after = TokenKind::String;
                return Token {
                    kind: TokenKind::String,
                    span: Span::new(start as u32, self.pos as u32),
                    text: self.slice(start + 1, start + 1 + length),
                };
            }
            _ => self.piece(start + 1, true, Before::Quote("\"")),
        };
        match piece {
            Ok(piece) => self.emit_piece(start, piece, true, true),
            Err(token) => token,
        }
    }

    /// The start of a text without quotes.
    pub(super) fn unquoted(&mut self) -> Token {
        match self.piece(self.pos, false, Before::Quote("")) {
            Ok(piece) => self.emit_piece(self.pos, piece, false, true),
            Err(token) => token,
        }
    }

    /// The rest of the innermost string, from the current position.
    pub(super) fn string_tail(&mut self) -> Token {
        let Some(string) = self.strings.pop() else {
            return self.fail(issues::no_input_to_lexer(), self.pos);
        };
        let start = self.pos;
        match self.piece(start, string.quoted, Before::Interpolation(string)) {
            Ok(piece) => {
                self.failed_in_string = false;
                self.emit_piece(start, piece, string.quoted, false)
            }
            Err(token) => {
                // The string began before this token.
                self.failed_in_string = true;
                token
            }
        }
    }

    /// The first token of an interpolated expression. A single word, or one followed by `.` or `[`, is the
    /// name of a variable.
    pub(super) fn interpolation(&mut self) -> Token {
        let token = self.code();
        if !token.kind.names_variable() || !matches!(self.detour, Detour::None) {
            return token;
        }
        let names = match self.bytes.get(token.span.end as usize) {
            Some(b'}' | b'.' | b'[') => true,
            Some(b' ' | b'\t' | b'\r' | b'\n' | b'#' | b'/' | 0x80..) => {
                let next = self.code();
                self.behind = std::mem::replace(&mut self.detour, Detour::Queued(next));
                matches!(next.kind, TokenKind::DqMid | TokenKind::DqPost | TokenKind::Dot | TokenKind::LBrack)
            }
            _ => false,
        };
        if !names {
            return token;
        }
        self.output.has_odd_variables |= token.kind != TokenKind::Name && !token.kind.is_keyword();
        Token { kind: TokenKind::Variable, ..token }
    }

    /// The end of the text inside an interpolation: the enclosing string is not closed.
    #[cold]
    pub(super) fn unclosed_interpolation(&mut self, string: OpenString) -> Token {
        self.failed_in_string = true;
        let after = self.last_match(string.code, self.pos);
        self.unclosed(self.pos, after.as_deref())
    }

    fn unclosed(&mut self, at: usize, after: Option<&str>) -> Token {
        let after = match after {
            Some("'") => "\"'\"".into(),
            after => format!("'{}'", after.unwrap_or_default()),
        };
        let followed_by = self.followed_by(at);
        self.fail(issues::unclosed_quote(after, followed_by), at)
    }

    /// Makes the token of a piece, and records what follows it.
    fn emit_piece(&mut self, start: usize, piece: Piece, quoted: bool, first: bool) -> Token {
        let Piece { text, end, terminator } = piece;
        let outermost = self.strings.is_empty();
        let (kind, span_end) = match terminator {
            Terminator::End => {
                self.pos = end;
                let kind = if first { TokenKind::String } else { TokenKind::DqPost };
                if first || outermost {
                    self.after = kind;
                }
                (kind, end)
            }
            Terminator::DollarBrace => {
                self.pos = end;
                self.strings.push(OpenString { braces: self.braces, quoted, code: end });
                self.braces += 1;
                self.detour = Detour::Interpolation;
                (if first { TokenKind::DqPre } else { TokenKind::DqMid }, end)
            }
            Terminator::Dollar => {
                let name_end = self.variable_end(end).unwrap_or(end);
                self.pos = name_end;
                self.strings.push(OpenString { braces: u32::MAX, quoted, code: end });
                self.detour = Detour::Variable(Token {
                    kind: TokenKind::Variable,
                    span: Span::new(end as u32 - 1, name_end as u32),
                    text: self.slice(end, name_end),
                });
                (if first { TokenKind::DqPre } else { TokenKind::DqMid }, end - 1)
            }
        };
        Token { kind, span: Span::new(start as u32, span_end as u32), text }
    }

    /// Lexes a piece of a string: up to its end, or to a `$` that starts an interpolation. Any other `$` is
    /// text.
    fn piece(&mut self, from: usize, quoted: bool, before: Before) -> Result<Piece, Token> {
        let escapes = if quoted { Escapes::DOUBLE_QUOTED } else { self.escapes };
        let mut owned: Option<String> = None;
        let mut begin = from;
        loop {
            let Some((end, terminator)) = self.scan(begin, quoted, escapes.has(b'$')) else {
                return Err(self.endless(begin, quoted, (begin == from).then_some(before)));
            };
            let length = match terminator {
                Terminator::End => usize::from(quoted),
                Terminator::Dollar => 1,
                Terminator::DollarBrace => 2,
            };
            let raw = &self.text[begin..end];
            let interpolates = terminator != Terminator::Dollar || self.variable_end(end).is_some();
            if escapes.has(b'\\') && memchr::memchr(b'\\', raw.as_bytes()).is_some() {
                let mut text = owned.take().unwrap_or_else(|| self.text[from..begin].to_owned());
                match self.unescape(raw, escapes, quoted, end) {
                    Ok(piece) => text.push_str(cut(&piece, length)),
                    Err(report) => return Err(self.fail(report, end)),
                }
                if !interpolates {
                    text.push('$');
                }
                owned = Some(text);
            } else if let Some(text) = &mut owned {
                text.push_str(if interpolates { &raw[..raw.len() - length] } else { raw });
            }
            if interpolates {
                let text = match owned {
                    Some(text) => self.pooled(&text),
                    None => self.slice(from, end - length),
                };
                return Ok(Piece { text, end, terminator });
            }
            begin = end;
        }
    }

    #[cold]
    fn endless(&mut self, at: usize, quoted: bool, before: Option<Before>) -> Token {
        let after = match before {
            None => None,
            Some(Before::Quote(quote)) => Some(quote.to_owned()),
            Some(Before::Interpolation(string)) => self.last_match(string.code, at),
        };
        if quoted {
            self.unclosed(at, after.as_deref())
        } else {
            self.fail(issues::illegal_unicode_escape(), at)
        }
    }

    /// The reference treats any first character of a piece as text if a terminator, with pairs of
    /// backslashes, follows it. Returns the offset of that terminator.
    fn swallowing(&self, from: usize) -> Option<usize> {
        let backslashes = self.bytes.get(from + 1..)?.iter().take_while(|&&byte| byte == b'\\').count();
        (backslashes % 2 == 0).then_some(from + 1 + backslashes)
    }

    fn is_terminator(&self, at: usize, quoted: bool) -> bool {
        match self.bytes.get(at) {
            Some(b'"') => quoted,
            Some(b'$') => true,
            Some(_) => false,
            None => !quoted,
        }
    }

    /// The end of a piece, after its terminator.
    fn scan(&self, from: usize, quoted: bool, escape_protects: bool) -> Option<(usize, Terminator)> {
        let mut at = from;
        if escape_protects && from < self.bytes.len() && self.is_terminator(from, quoted) {
            at = self.swallowing(from).filter(|&end| self.is_terminator(end, quoted)).unwrap_or(from);
        }
        loop {
            let rest = self.bytes.get(at..)?;
            let found = if quoted {
                memchr::memchr3(b'"', b'$', b'\\', rest)
            } else {
                memchr::memchr2(b'$', b'\\', rest)
            };
            let Some(length) = found else {
                return (!quoted).then_some((self.bytes.len(), Terminator::End));
            };
            at += length;
            match self.bytes[at] {
                b'\\' if escape_protects => {
                    at += 2;
                    if at > self.bytes.len() {
                        return None;
                    }
                }
                b'\\' => at += 1,
                b'"' => return Some((at + 1, Terminator::End)),
                _ if self.bytes.get(at + 1) == Some(&b'{') => return Some((at + 2, Terminator::DollarBrace)),
                _ => return Some((at + 1, Terminator::Dollar)),
            }
        }
    }

    /// Resolves the escapes of a piece with its terminator.
    fn unescape(&mut self, raw: &str, escapes: Escapes, warns: bool, at: usize) -> Result<String, Report> {
        let mut source: Cow<'_, str> = Cow::Borrowed(raw);
        if escapes.has(b'u') {
            while let Some(replaced) = unicode_escapes(&source)? {
                source = Cow::Owned(replaced);
            }
        }
        let mut text = String::with_capacity(source.len());
        let mut rest: &str = &source;
        while let Some(position) = memchr::memchr(b'\\', rest.as_bytes()) {
            text.push_str(&rest[..position]);
            rest = &rest[position + 1..];
            let Some(escaped) = rest.chars().next() else {
                text.push('\\');
                break;
            };
            let length = match escaped {
                '\r' if rest.as_bytes().get(1) == Some(&b'\n') => 2,
                '\r' => {
                    text.push('\\');
                    continue;
                }
                other => other.len_utf8(),
            };
            let known = match escaped {
                '\r' => escapes.has(b'\n'),
                other => other.is_ascii() && escapes.has(other as u8),
            };
            match escaped {
                _ if !known => {
                    if warns {
                        self.warn(issues::unrecognized_escape(&rest[..length]), at, 1 + length);
                    }
                    text.push('\\');
                    text.push_str(&rest[..length]);
                }
                'r' => text.push('\r'),
                'n' => text.push('\n'),
                't' => text.push('\t'),
                's' => text.push(' '),
                // The reference cannot place this warning in a heredoc, and fails.
                'u' if !warns => return Err(issues::illegal_unicode_escape()),
                'u' => {
                    self.warn(issues::illegal_unicode_escape(), at, 1 + length);
                    text.push_str("\\u");
                }
                '\n' | '\r' => {}
                other => text.push(other),
            }
            rest = &rest[length..];
        }
        text.push_str(rest);
        Ok(text)
    }
}

/// A piece of a string.
struct Piece {
    text: Text,
    /// The offset after the terminator.
    end: usize,
    terminator: Terminator,
}

/// A text without its last `length` bytes (which are ASCII, unless they are part of an escape).
fn cut(text: &str, length: usize) -> &str {
    let mut end = text.len();
    for _ in 0..length {
        end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    &text[..end]
}

/// One pass over the `\uXXXX` and `\u{X}` of a text; `None` without any. The result of a pass can be part of
/// an escape for the next.
fn unicode_escapes(text: &str) -> Result<Option<String>, Report> {
    if memchr::memmem::find(text.as_bytes(), b"\\u").is_none() {
        return Ok(None);
    }
    let bytes = text.as_bytes();
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let run = if bytes[at] != b'\\' {
            at + 1
        } else if at == 0 || bytes[at - 1] == b'\n' {
            at
        } else {
            at += 1;
            continue;
        };
        let backslashes = bytes[run..].iter().take_while(|&&byte| byte == b'\\').count();
        let after = run + backslashes;
        let escape = (backslashes % 2 == 1).then(|| hex_escape(&bytes[after..])).flatten();
        match escape {
            Some((code, length)) => {
                let character = char::from_u32(code).ok_or_else(issues::illegal_unicode_escape)?;
                replaced.push_str(&text[copied..after - 1]);
                replaced.push(character);
                at = after + length;
                copied = at;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return Ok(None);
    }
    replaced.push_str(&text[copied..]);
    Ok(Some(replaced))
}

/// The code and the length of `uXXXX` or `u{X}`.
fn hex_escape(bytes: &[u8]) -> Option<(u32, usize)> {
    let bytes = bytes.strip_prefix(b"u")?;
    let value = |digits: &[u8]| {
        digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
    };
    if let Some(braced) = bytes.strip_prefix(b"{") {
        let length = braced.iter().take(7).position(|&byte| byte == b'}').filter(|&length| length > 0)?;
        return Some((value(&braced[..length])?, length + 3));
    }
    Some((value(bytes.get(..4)?)?, 5))
}

impl Lexer<'_> {
    /// Resolves the escapes of a whole text without interpolations, from the source of a heredoc.
    pub(super) fn unescape_all(&mut self, text: &str, escapes: Escapes, at: usize) -> Result<String, Report> {
        self.unescape(text, escapes, false, at)
    }
}

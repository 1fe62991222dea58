//! A text becomes the tokens that the checks see.
//!
//! The lexer of the language reads it. What puppet-lint takes together or apart is joined or split here: a
//! variable has its accesses (`$a['b']`) and its dashes in it, a word before `(` is the name of a function,
//! and the text of a heredoc has its interpolations.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bunraku_syntax::ParseOptions;
use bunraku_syntax::source::Source;
use bunraku_syntax::token::TokenKind;
use bunraku_syntax::tokens::{Stretch, StretchKind, Tokens};

use crate::heredoc::{self, Segment};
use crate::token::{Kind, Token};

/// The names of the language's types.
const TYPES: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Enum",
    "Error",
    "Float",
    "Hash",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Runtime",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Tuple",
    "Type",
    "Undef",
    "Variant",
];

/// How deep heredocs in the interpolations of heredocs are taken apart.
const DEPTH: u32 = 16;

/// How many comments that begin with `//` behind other text are looked for in a text.
const SLASH_COMMENTS: usize = 64;

/// What cannot be read, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub line: u32,
    pub column: u32,
    /// Whether it is a string that does not end.
    pub is_string: bool,
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Unreadable> {
    let mut read = text.to_owned();
    for _ in 0..SLASH_COMMENTS {
        let found = Tokens::new(Arc::new(Source::new(None, read.as_str())), &ParseOptions::default());
        let Some(at) = slash_comment(&read, found.stretches()) else {
            return tokens_of(text, &read, found.stretches());
        };
        read = without_slash_comments(&read, at);
    }
    let found = Tokens::new(Arc::new(Source::new(None, read.as_str())), &ParseOptions::default());
    tokens_of(text, &read, found.stretches())
}

fn tokens_of<'t>(text: &'t str, read: &str, stretches: &[Stretch]) -> Result<Vec<Token<'t>>, Unreadable> {
    let tokens = Vec::with_capacity(stretches.len());
    let mut lexing = Lexing { text, tokens, at: 0, line: 1, column: 1, depth: 0, unreadable: None };
    debug_assert_eq!(text.len(), read.len(), "places stay the same");
    lexing.take(0, stretches);
    lexing.unreadable.map_or(Ok(lexing.tokens), Err)
}

/// Where the first comment begins that starts with two slashes: the language reads an empty regular
/// expression or two divisions.
fn slash_comment(text: &str, stretches: &[Stretch]) -> Option<usize> {
    let is_sign = |one: &Stretch| {
        matches!(one.kind, StretchKind::Token(TokenKind::Regex | TokenKind::Div) | StretchKind::Unreadable)
    };
    let found =
        stretches.iter().find(|one| is_sign(one) && text[one.span.start as usize..].starts_with("//"));
    found.map(|one| one.span.start as usize)
}

/// The text with a comment that starts with `//`, and those that stand alone on later lines, as other
/// comments. It has the same length.
fn without_slash_comments(text: &str, first: usize) -> String {
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    out.push_str("# ");
    for (number, line) in text[first + 2..].split_inclusive('\n').enumerate() {
        let blank = line.len() - line.trim_start().len();
        match line[blank..].strip_prefix("//") {
            Some(rest) if number > 0 => {
                out.push_str(&line[..blank]);
                out.push_str("# ");
                out.push_str(rest);
            }
            _ => out.push_str(line),
        }
    }
    out
}

struct Lexing<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    /// How far the tokens reach, as offset, line and column.
    at: usize,
    line: u32,
    column: u32,
    depth: u32,
    unreadable: Option<Unreadable>,
}

impl<'t> Lexing<'t> {
    /// Makes the text up to `end` a token.
    fn push(&mut self, kind: Kind, value: impl Into<Cow<'t, str>>, end: usize) {
        let (line, column) = (self.line, self.column);
        self.tokens.push(Token { kind, value: value.into(), raw: None, line, column });
        self.advance(end);
    }

    fn push_raw(&mut self, kind: Kind, value: impl Into<Cow<'t, str>>, raw: &'t str, end: usize) {
        self.push(kind, value, end);
        if let Some(last) = self.tokens.last_mut() {
            last.raw = Some(Cow::Borrowed(raw));
        }
    }

    fn advance(&mut self, end: usize) {
        let passed = &self.text[self.at..end];
        match passed.rfind('\n') {
            Some(last) => {
                self.line += passed.matches('\n').count() as u32;
                self.column = passed[last + 1..].chars().count() as u32 + 1;
            }
            None => self.column += passed.chars().count() as u32,
        }
        self.at = end;
    }

    /// Takes what the language's lexer found in the text from `base` on.
    fn take(&mut self, base: usize, stretches: &[Stretch]) {
        // Whether the token is the first one of an interpolation, and whether strings were opened by `${`.
        let mut is_first = base > 0;
        let mut braces = Vec::new();
        let mut tags: std::collections::VecDeque<&'t str> = std::collections::VecDeque::new();
        for stretch in stretches {
            let end = base + stretch.span.end as usize;
            if end <= self.at {
                continue;
            }
            let text = &self.text[self.at..end];
            let first = std::mem::take(&mut is_first);
            match stretch.kind {
                StretchKind::Space => {
                    let at_start = self.tokens.last().is_some_and(|last| last.kind == Kind::Newline);
                    self.push(if at_start { Kind::Indent } else { Kind::Whitespace }, text, end);
                }
                StretchKind::LineEnd => self.push(Kind::Newline, text, end),
                StretchKind::Comment => self.comment(text, end),
                StretchKind::HeredocText => {
                    let tag = tags.pop_front().unwrap_or_default();
                    self.heredoc(tag, end);
                }
                StretchKind::Token(TokenKind::Heredoc) => {
                    let tag = text.strip_prefix("@(").unwrap_or(text);
                    let tag = tag.strip_suffix(')').unwrap_or(tag);
                    tags.push_back(tag);
                    self.push(Kind::HeredocOpen, tag, end);
                }
                StretchKind::Token(kind @ (TokenKind::DqPre | TokenKind::DqMid | TokenKind::DqPost)) => {
                    if kind == TokenKind::DqPre {
                        braces.push(false);
                    }
                    let was_open = braces.pop().unwrap_or_default();
                    let value = if was_open { text.strip_prefix('}') } else { None }.unwrap_or(text);
                    let (kind, value, opens) = piece(kind, value);
                    self.push(kind, value, end);
                    if kind != Kind::DqPost {
                        braces.push(opens);
                        is_first = opens;
                    }
                }
                StretchKind::Token(TokenKind::Variable) if text.starts_with('$') => {
                    let in_string = braces.last() == Some(&false)
                        && self.tokens.last().is_some_and(|last| last.kind.opens_interpolation());
                    self.variable(end, base, stretches, in_string);
                }
                StretchKind::Token(kind) => self.token(kind, text, end, first),
                _ => {
                    let (line, column) = (self.line, self.column);
                    let is_string = text.starts_with(['"', '\'']);
                    self.unreadable.get_or_insert(Unreadable { line, column, is_string });
                    self.push(Kind::Operator, text, end);
                }
            }
        }
    }

    fn comment(&mut self, text: &'t str, end: usize) {
        // What is read may have `# ` where the text has `//`.
        if let Some(value) = text.strip_prefix("//") {
            self.push(Kind::SlashComment, value, end);
        } else if let Some(value) = text.strip_prefix('#') {
            self.push(Kind::Comment, value, end);
        } else {
            self.push_raw(Kind::StarComment, star_comment(text), text, end);
        }
    }

    /// A variable with its dashes and accesses.
    fn variable(&mut self, end: usize, base: usize, stretches: &[Stretch], in_string: bool) {
        let start = self.at;
        let mut end = end + dashes(&self.text[end..]);
        if in_string {
            let value = &self.text[start + 1..end];
            return self.push(Kind::UnenclosedVariable, value, end);
        }
        let limit = base + stretches.last().map_or(0, |last| last.span.end as usize);
        while let Some(access) = access(&self.text[end..limit]) {
            // A bracket in a string ends nothing.
            let bracket = end + access - 1;
            let from = stretches.partition_point(|one| base + (one.span.end as usize) <= bracket);
            let is_bracket =
                stretches.get(from).is_some_and(|one| one.kind == StretchKind::Token(TokenKind::RBrack));
            if !is_bracket {
                break;
            }
            end += access;
        }
        let raw = &self.text[start..end];
        self.push_raw(Kind::Variable, &raw[1..], raw, end);
    }

    fn token(&mut self, kind: TokenKind, text: &'t str, end: usize, is_first: bool) {
        let is_word = kind.is_keyword()
            || matches!(
                kind,
                TokenKind::Name
                    | TokenKind::Word
                    | TokenKind::True
                    | TokenKind::False
                    | TokenKind::Variable
                    | TokenKind::Plan
                    | TokenKind::Apply
            );
        if is_word && text.starts_with(|first: char| first.is_ascii_digit()) {
            return self.push(Kind::Number, text, end);
        }
        if is_word {
            let kind = match Kind::of_keyword(text) {
                _ if self.text[end..].starts_with('(') => Kind::FunctionName,
                _ if is_first => Kind::Variable,
                Some(keyword) => keyword,
                None => Kind::Name,
            };
            return self.push(kind, text, end);
        }
        let own = match kind {
            TokenKind::String if text.starts_with('\'') => {
                return self.push(Kind::SingleQuoted, inside(text, '\''), end);
            }
            TokenKind::String => return self.push(Kind::DoubleQuoted, inside(text, '"'), end),
            TokenKind::Regex => return self.push(Kind::Regex, inside(text, '/'), end),
            TokenKind::ClassRef => return self.class_ref(text, end),
            TokenKind::AtAt | TokenKind::Deletes => {
                self.push(Kind::Operator, &text[..1], self.at + 1);
                let second = if kind == TokenKind::AtAt { Kind::Operator } else { Kind::Equals };
                return self.push(second, &text[1..], end);
            }
            TokenKind::Number => Kind::Number,
            TokenKind::LBrack | TokenKind::ListStart => Kind::LBrack,
            TokenKind::RBrack => Kind::RBrack,
            TokenKind::LBrace | TokenKind::SelBrace => Kind::LBrace,
            TokenKind::RBrace => Kind::RBrace,
            TokenKind::LParen | TokenKind::WsLParen => Kind::LParen,
            TokenKind::RParen => Kind::RParen,
            TokenKind::Equals => Kind::Equals,
            TokenKind::FArrow => Kind::FArrow,
            TokenKind::InEdge => Kind::InEdge,
            TokenKind::InEdgeSub => Kind::InEdgeSub,
            TokenKind::OutEdge => Kind::OutEdge,
            TokenKind::Comma => Kind::Comma,
            TokenKind::Colon => Kind::Colon,
            TokenKind::Semic => Kind::Semic,
            TokenKind::QMark => Kind::QMark,
            TokenKind::Pipe => Kind::Pipe,
            TokenKind::IsEqual => Kind::IsEqual,
            TokenKind::NotEqual => Kind::NotEqual,
            TokenKind::GreaterEqual | TokenKind::GreaterThan | TokenKind::LessEqual | TokenKind::LessThan => {
                Kind::Order
            }
            TokenKind::Match | TokenKind::NoMatch => Kind::Match,
            TokenKind::RShift => Kind::RShift,
            TokenKind::LCollect => Kind::LCollect,
            TokenKind::RCollect => Kind::RCollect,
            TokenKind::Dot => Kind::Dot,
            _ => Kind::Operator,
        };
        self.push(own, text, end);
    }

    fn class_ref(&mut self, text: &'t str, end: usize) {
        let end = end + dashes(&self.text[end..]);
        let (first, rest) = text.split_once("::").unwrap_or((text, ""));
        if TYPES.contains(&first) {
            self.push(Kind::Type, first, self.at + first.len());
            if rest.is_empty() {
                return;
            }
        }
        let rest = &self.text[self.at..end];
        self.push(Kind::ClassRef, rest, end);
    }

    /// The text of a heredoc, from here to `end`, where the line of its end tag ends.
    fn heredoc(&mut self, tag: &str, end: usize) {
        let start = self.at;
        let whole = &self.text[start..end];
        let ending = if whole.ends_with("\r\n") { 2 } else { usize::from(whole.ends_with('\n')) };
        let whole = &whole[..whole.len() - ending];
        let last_line = whole.rfind('\n').map_or(0, |last| last + 1);
        // White space before a bar is text; without a bar, white space before the tag is none.
        let margin = whole[last_line..].trim_start();
        let closing = match margin.starts_with('|') {
            true => whole.len() - margin.len(),
            false => whole[..last_line].trim_end().len(),
        };
        let segments = match tag.trim_start().starts_with('"') && self.depth < DEPTH {
            true => heredoc::segments(&whole[..closing]),
            false => vec![Segment::Text(0..closing)],
        };
        let shift = |range: Range<usize>| range.start + start..range.end + start;
        let last = segments.len() - 1;
        for (number, segment) in segments.into_iter().enumerate() {
            match segment {
                Segment::Text(range) => {
                    let value = &self.text[shift(range.clone())];
                    let to = start + range.end;
                    let kind = match number {
                        0 if last == 0 => Kind::Heredoc,
                        0 => Kind::HeredocPre,
                        _ if number == last => Kind::HeredocPost,
                        _ => Kind::HeredocMid,
                    };
                    if number == last {
                        let raw = &self.text[shift(range.start..whole.len())];
                        self.push_raw(kind, value, raw, start + whole.len());
                    } else {
                        let opens = self.text[to..].starts_with("${");
                        self.push(kind, value, to + if opens { 2 } else { 0 });
                    }
                }
                Segment::Variable(range) => {
                    let range = shift(range);
                    self.push(Kind::UnenclosedVariable, &self.text[range.start + 1..range.end], range.end);
                }
                Segment::Code(range) => self.code(shift(range)),
            }
        }
        if ending > 0 {
            self.push(Kind::Newline, &self.text[end - ending..end], end);
        }
    }

    /// The tokens of an interpolation.
    fn code(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let found = Tokens::new(Arc::new(Source::new(None, text)), &ParseOptions::default());
        self.depth += 1;
        self.take(range.start, found.stretches());
        self.depth -= 1;
    }
}

/// A part of a string with interpolations: its kind, its text, and whether `${` ends it.
fn piece(kind: TokenKind, text: &str) -> (Kind, &str, bool) {
    if kind == TokenKind::DqPost {
        return (Kind::DqPost, text.strip_suffix('"').unwrap_or(text), false);
    }
    let (kind, text) = match kind {
        TokenKind::DqPre => (Kind::DqPre, text.strip_prefix('"').unwrap_or(text)),
        _ => (Kind::DqMid, text),
    };
    match text.strip_suffix("${") {
        Some(before) if (before.len() - before.trim_end_matches('\\').len()) % 2 == 0 => (kind, before, true),
        _ => (kind, text, false),
    }
}

/// A text without the quotes around it.
fn inside(text: &str, quote: char) -> &str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

/// How long the dashes with words behind them are that a text begins with.
pub(crate) fn dashes(text: &str) -> usize {
    let mut length = 0;
    while let Some(rest) = text[length..].strip_prefix('-') {
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        if word == 0 {
            break;
        }
        length += word + 1;
    }
    length
}

/// Whether a character belongs to words.
pub(crate) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// How long an access in brackets is that a text begins with: it ends on the same line.
fn access(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('[')?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let first = line.chars().next()?.len_utf8();
    Some(line[first..].find(']')? + first + 2)
}

/// What a comment `/* … */` says: without the stars, and those that lines begin with.
fn star_comment(text: &str) -> String {
    let text = text.strip_prefix("/*").unwrap_or(text);
    let text = text.strip_prefix(' ').unwrap_or(text);
    let text = text.strip_suffix("*/").unwrap_or(text);
    let text = text.strip_suffix(' ').unwrap_or(text);
    let lines = text.split('\n').map(|line| line.trim_start_matches(' ').strip_prefix('*').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

//! Heredocs: the tag `@(END:syntax/escapes)`, the text on the lines below, and the places of its parts.
//!
//! Follows the reference's `heredoc_support.rb` and the `SubLocator` of its `locator.rb`.

use super::characters::{is_blank, is_word};
use super::string::Escapes;
use super::{Detour, Lexer, Output, Text, Token, TokenKind};
use crate::diagnostic::{Report, issues};
use crate::source::{Source, Span};
use crate::watch::BYTES_BETWEEN_LOOKS;

/// A lexed heredoc, whose text must still be parsed if it has interpolations.
#[derive(Debug)]
pub(crate) struct Heredoc {
    /// The syntax in the tag; empty if there is none.
    pub syntax: Text,
    /// The text.
    pub content: Content,
    /// Offset of the first byte of the text in the enclosing text.
    pub offset: usize,
    /// The number of characters removed from the start of each line; `None` without a margin.
    pub margins: Option<Vec<u32>>,
}

/// The text of a heredoc.
#[derive(Debug)]
pub(crate) enum Content {
    /// Finished, and its length in bytes before escapes were resolved.
    Text { text: Text, length: u32 },
    /// With interpolations: the text without margin, the base of its offsets in a [`Text`], and the escapes.
    Interpolated { text: String, base: u32, escapes: Escapes },
}

/// The place of a heredoc's text in the enclosing text.
#[derive(Debug)]
pub(crate) struct Sublocation<'p> {
    parent: Option<&'p Sublocation<'p>>,
    offset: u32,
    /// For each line of the text: its start, and the number of margin characters before it.
    lines: Option<Vec<(u32, u32)>>,
}

impl<'p> Sublocation<'p> {
    /// The place of a heredoc's text in the enclosing text.
    pub fn new(
        parent: Option<&'p Sublocation<'p>>,
        offset: usize,
        text: &str,
        margins: Option<&[u32]>,
    ) -> Self {
        let lines = margins.map(|margins| {
            let starts =
                std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
            let mut total = 0;
            let mut lines = Vec::new();
            for (number, start) in starts.enumerate() {
                total += margins.get(number).copied().unwrap_or(0);
                lines.push((start, total));
            }
            lines
        });
        Self { parent, offset: offset as u32, lines }
    }

    /// The span in the enclosing text of a span in the heredoc's text.
    pub fn to_global(&self, span: Span) -> Span {
        let Some(lines) = &self.lines else {
            return Span::new(span.start + self.offset, span.end + self.offset);
        };
        let margin = |at: u32| {
            let line = lines.partition_point(|&(start, _)| start <= at);
            lines.get(line.saturating_sub(1)).map_or(0, |&(_, total)| total)
        };
        let (first, last) = (margin(span.start), margin(span.end));
        let start = if span.start == 0 { self.offset } else { span.start + self.offset + first };
        let length = span.len() + last.saturating_sub(first);
        Span::new(start, start + length)
    }

    /// The span in the source of a span in the heredoc's text.
    pub fn to_outermost(&self, span: Span) -> Span {
        let span = self.to_global(span);
        self.parent.map_or(span, |parent| parent.to_outermost(span))
    }
}

/// The content of a tag's parentheses.
struct Tag<'t> {
    name: &'t str,
    syntax: &'t str,
    /// Where the syntax starts in the tag.
    syntax_at: usize,
    escapes: Option<&'t str>,
}

impl<'s> Lexer<'s> {
    /// A lexer for the text of a heredoc with interpolations.
    pub fn of_heredoc(
        source: &'s Source,
        text: &'s str,
        sublocation: &'s Sublocation<'s>,
        base: u32,
        escapes: Escapes,
        around: &Lexer<'s>,
        output: Output,
    ) -> Self {
        let mut lexer = Lexer::at_start(source, around.tasks, false, around.watch);
        if text.len() >= BYTES_BETWEEN_LOOKS {
            // The text can be a copy, in a heredoc in a heredoc …
            lexer.next_look = 0;
        }
        lexer.text = text;
        lexer.bytes = text.as_bytes();
        lexer.detour = Detour::Unquoted;
        lexer.base = base;
        lexer.escapes = escapes;
        lexer.sublocation = Some(sublocation);
        lexer.output = output;
        if let Some(report) = super::byte_order_mark(lexer.bytes) {
            lexer.fail(report, 0);
        }
        lexer
    }

    /// Lexes `@(...)` and its text, which is skipped at the end of the line.
    pub(super) fn heredoc(&mut self, start: usize) -> Token {
        let Some(length) = memchr::memchr(b')', &self.bytes[start..]) else {
            let followed_by = self.followed_by(start);
            return self.fail(issues::heredoc_unclosed_parenthesis(followed_by), start);
        };
        let end = start + length + 1;
        match self.heredoc_text(start, end) {
            Ok(heredoc) => {
                self.pos = end;
                if self.strings.is_empty() {
                    self.after = TokenKind::Heredoc;
                }
                let token = Token { text: heredoc.syntax, ..self.token_at(TokenKind::Heredoc, start, end) };
                self.heredocs.push_back(heredoc);
                token
            }
            Err((report, at)) => self.fail(report, at),
        }
    }

    fn heredoc_text(&mut self, start: usize, end: usize) -> Result<Heredoc, (Report, usize)> {
        let full: &'s str = self.text;
        let tag = tag(&full[start..end]).ok_or_else(|| (issues::heredoc_invalid_syntax(), end))?;
        let quoted = tag.name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = quoted.map_or(tag.name, strip);
        if name.is_empty() {
            return Err((issues::heredoc_empty_endtag(), end));
        }
        let escapes = escapes(tag.escapes).map_err(|report| (report, end))?;
        let offset = match self.newline_jump {
            0 => match memchr::memchr(b'\n', &self.bytes[end..]) {
                Some(length) => end + length + 1,
                None => return Err((issues::heredoc_without_text(), end)),
            },
            jump => jump,
        };
        let syntax = self.slice(start + tag.syntax_at, start + tag.syntax_at + tag.syntax.len());

        let mut line_start = offset;
        let (text_end, closing) = loop {
            if line_start >= full.len() {
                return Err((issues::heredoc_without_end_tagged_line(), offset));
            }
            let line_end = memchr::memchr(b'\n', &self.bytes[line_start..])
                .map_or(full.len(), |length| line_start + length + 1);
            if let Some(closing) = closing_line(&full[line_start..line_end], name) {
                self.newline_jump = line_end;
                break (line_start, closing);
            }
            line_start = line_end;
        };
        let raw = &full[offset..text_end];
        let margin = if closing.has_margin { closing.leading } else { "" };
        let (without_margin, margins) = match margin {
            "" => (None, closing.has_margin.then(Vec::new)),
            margin => {
                let width = margin.chars().count() as u32;
                let mut text = String::with_capacity(raw.len());
                let mut margins = Vec::new();
                for line in raw.split_inclusive('\n') {
                    let rest = line.strip_prefix(margin);
                    margins.push(if rest.is_some() { width } else { 0 });
                    text.push_str(rest.unwrap_or(line));
                }
                (Some(text), Some(margins))
            }
        };
        let mut text = without_margin.as_deref().unwrap_or(raw);
        if closing.removes_break {
            text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        }
        let length = text.len();
        let content = if quoted.is_some() && memchr::memchr(b'$', text.as_bytes()).is_some() {
            let base = match &without_margin {
                Some(_) => self.pooled(text).start(),
                None => self.base + offset as u32,
            };
            Content::Interpolated { text: text.to_owned(), base, escapes }
        } else if escapes.has(b'\\') && memchr::memchr(b'\\', text.as_bytes()).is_some() {
            let odd = text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1;
            if odd && quoted.is_some() && escapes.has(b'$') {
                return Err((issues::heredoc_invalid_syntax(), offset));
            }
            let text = self.unescape_all(text, escapes, offset).map_err(|report| (report, offset))?;
            Content::Text { text: self.pooled(&text), length: length as u32 }
        } else {
            let text = match &without_margin {
                Some(_) => self.pooled(text),
                None => self.slice(offset, offset + length),
            };
            Content::Text { text, length: length as u32 }
        };
        Ok(Heredoc { syntax, content, offset, margins })
    }
}

/// Splits a tag: `@(NAME:syntax/escapes)`.
fn tag(text: &str) -> Option<Tag<'_>> {
    memchr::memmem::find_iter(text.as_bytes(), b"@(").find_map(|at| {
        let body = text[at + 2..].strip_suffix(')')?;
        let name_end = body.find([':', '/', '\r', '\n']).unwrap_or(body.len());
        if name_end == 0 {
            return None;
        }
        let (name, mut rest) = body.split_at(name_end);
        let mut syntax = "";
        let mut syntax_at = 0;
        if let Some(behind) = rest.strip_prefix(':') {
            let behind = behind.trim_start_matches(is_blank);
            let length = behind
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+'))
                .count();
            if length < 2 || !behind.as_bytes()[0].is_ascii_lowercase() {
                return None;
            }
            syntax_at = text.len() - 1 - behind.len();
            (syntax, rest) = behind.split_at(length);
            rest = rest.trim_start_matches(is_blank);
        }
        let mut escapes = None;
        if let Some(behind) = rest.strip_prefix('/') {
            let length = behind.bytes().take_while(|&byte| is_word(byte) || byte == b'$').count();
            let (letters, behind) = behind.split_at(length);
            escapes = Some(letters);
            rest = behind.trim_start_matches(is_blank);
        }
        rest.is_empty().then_some(Tag { name: strip(name), syntax, syntax_at, escapes })
    })
}

/// Ruby's `strip`.
fn strip(text: &str) -> &str {
    let space = |character: char| matches!(character, ' ' | '\t'..='\r' | '\0');
    text.trim_start_matches(space).trim_end_matches(space)
}

/// The escapes of a tag. None without a `/`, all if nothing follows it.
fn escapes(letters: Option<&str>) -> Result<Escapes, Report> {
    let Some(letters) = letters else { return Ok(Escapes::NONE) };
    let letters = if letters.is_empty() { "trnsuL$" } else { letters };
    let each: Vec<&str> = letters.split("").filter(|letter| !letter.is_empty()).collect();
    if each.iter().enumerate().any(|(at, letter)| each[..at].contains(letter)) {
        return Err(issues::heredoc_multiple_at_escapes(&each));
    }
    let mut escapes = Escapes::NONE.with(b"\\");
    for letter in each {
        escapes = match letter {
            "t" | "r" | "n" | "s" | "u" | "$" => escapes.with(letter.as_bytes()),
            "L" => escapes.with(b"\n"),
            other => return Err(issues::heredoc_invalid_escape(other)),
        };
    }
    Ok(escapes)
}

/// The content of the line that ends a heredoc.
struct Closing<'t> {
    leading: &'t str,
    has_margin: bool,
    removes_break: bool,
}

/// Whether a line ends the heredoc of this name. Anything can precede the name (the reference does not
/// check).
fn closing_line<'t>(line: &'t str, name: &str) -> Option<Closing<'t>> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let before = line.trim_end_matches(is_blank).strip_suffix(name)?;
    let mut leading = before;
    let dash = before.trim_end_matches(is_blank).strip_suffix('-');
    if let Some(before_dash) = dash {
        leading = before_dash;
    }
    let pipe = leading.trim_end_matches(is_blank).strip_suffix('|');
    if let Some(before_pipe) = pipe {
        leading = before_pipe;
    }
    let leading = &leading[leading.trim_end_matches(is_blank).len()..];
    Some(Closing { leading, has_margin: pipe.is_some(), removes_break: dash.is_some() })
}

//! Splits a text into tokens, white space and comments. Nothing is left out, even of invalid text.
//!
//! The parser's lexer provides the tokens. This module inspects the text between them, so that the parser has
//! no cost for it.

use std::sync::Arc;

use super::characters::is_blank;
use super::{Lexer, byte_order_mark};
use crate::ast::{Node, Program};
use crate::parser::ParseOptions;
use crate::source::{Source, Span};
use crate::token::TokenKind;
use crate::watch::Watch;

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StretchKind {
    /// A token of the language. A string with interpolations is a [`TokenKind::DqPre`] up to and with `${`,
    /// tokens of an expression, a [`TokenKind::DqMid`] from `}` on or a [`TokenKind::DqPost`].
    Token(TokenKind),
    /// The text of a heredoc with the line that ends it, on the lines below its tag.
    HeredocText,
    /// Text of a template, outside of tags.
    TemplateText,
    /// `<%`, `<%-` or `<%=`
    TemplateOpen,
    /// `%>` or `-%>`
    TemplateClose,
    /// Text that cannot be lexed: the text of a lexical error.
    Unreadable,
    /// Spaces and tabs.
    Space,
    /// The end of a line: `\n` or `\r\n`.
    LineEnd,
    /// A comment, `# …` without the end of its line, or `/* … */`.
    Comment,
    /// `<%# … %>`
    TemplateComment,
}

impl StretchKind {
    /// Whether the parser ignores it: white space or a comment.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Space | Self::LineEnd | Self::Comment | Self::TemplateComment)
    }

    /// Whether it is a comment.
    pub const fn is_comment(self) -> bool {
        matches!(self, Self::Comment | Self::TemplateComment)
    }

    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        use StretchKind::{
            Comment, HeredocText, LineEnd, Space, TemplateClose, TemplateComment, TemplateOpen, TemplateText,
            Unreadable,
        };
        let others = [
            HeredocText,
            TemplateText,
            TemplateOpen,
            TemplateClose,
            Unreadable,
            Space,
            LineEnd,
            Comment,
            TemplateComment,
        ];
        TokenKind::ALL.iter().map(|&kind| Self::Token(kind)).chain(others)
    }

    /// The name: that of the kind of token, or its own.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Token(kind) => kind.name(),
            Self::HeredocText => "HeredocText",
            Self::TemplateText => "TemplateText",
            Self::TemplateOpen => "TemplateOpen",
            Self::TemplateClose => "TemplateClose",
            Self::Unreadable => "Unreadable",
            Self::Space => "Space",
            Self::LineEnd => "LineEnd",
            Self::Comment => "Comment",
            Self::TemplateComment => "TemplateComment",
        }
    }
}

/// A piece of a text, which ends where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The kind.
    pub kind: StretchKind,
    /// The place.
    pub span: Span,
}

/// A token with its trivia.
#[derive(Clone, Copy, Debug)]
pub struct LosslessToken<'t> {
    /// The kind; never trivia. [`TokenKind::End`] is the last one, without text.
    pub kind: StretchKind,
    /// The place.
    pub span: Span,
    /// White space and comments between the token and the trailing trivia of the previous token.
    pub leading: &'t [Stretch],
    /// White space and comments after the token, up to the end of its line.
    pub trailing: &'t [Stretch],
}

/// All of a text, in order: the joined texts of the stretches are the text. Immutable, `Send + Sync`.
#[derive(Debug)]
pub struct Tokens {
    source: Arc<Source>,
    stretches: Vec<Stretch>,
}

impl Tokens {
    /// The tokens of a text, whatever errors it has. `options` determine how it is lexed.
    pub fn new(source: Arc<Source>, options: &ParseOptions) -> Self {
        let stretches = Stretches::of(&source, options);
        Self { source, stretches }
    }

    /// The text.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The tokens of the text of a program.
    pub fn of_program(program: &Program) -> Self {
        let epp = match *program.node(program.body()) {
            Node::LambdaExpression { body: Some(body), .. } => {
                matches!(program.node(body), Node::EppExpression { .. })
            }
            _ => false,
        };
        let options = ParseOptions { epp, tasks: true, ..ParseOptions::default() };
        Self::new(Arc::clone(program.source()), &options)
    }

    /// Tokens and trivia in order.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The tokens, each with its trivia. All trivia belongs to a token: trivia after a token on its line to
    /// that token, other trivia to the next one.
    pub fn iter(&self) -> impl Iterator<Item = LosslessToken<'_>> {
        let mut rest = self.stretches.as_slice();
        let end = self.source.text().len() as u32;
        let mut ended = false;
        std::iter::from_fn(move || {
            let before = rest.iter().position(|one| !one.kind.is_trivia()).unwrap_or(rest.len());
            let (leading, from) = rest.split_at(before);
            let Some((token, behind)) = from.split_first() else {
                rest = from;
                let (kind, span) = (StretchKind::Token(TokenKind::End), Span::new(end, end));
                let last = LosslessToken { kind, span, leading, trailing: &[] };
                return (!std::mem::replace(&mut ended, true)).then_some(last);
            };
            let trails = |one: &Stretch| one.kind.is_trivia() && one.kind != StretchKind::LineEnd;
            let length = behind.iter().position(|one| !trails(one)).unwrap_or(behind.len());
            let (trailing, next) = behind.split_at(length);
            rest = next;
            Some(LosslessToken { kind: token.kind, span: token.span, leading, trailing })
        })
    }
}

/// The stretches so far.
struct Stretches<'t> {
    text: &'t str,
    found: Vec<Stretch>,
    /// The end of the last stretch.
    at: usize,
    /// Texts of heredocs whose tags were lexed.
    heredocs: Vec<Span>,
    /// The number of heredocs that were passed.
    passed: usize,
    /// The end of the text of the last lexical error.
    unreadable: usize,
    is_template: bool,
    /// Whether the lexer is outside of the tags of a template.
    is_outside: bool,
}

impl<'t> Stretches<'t> {
    fn of(source: &'t Source, options: &ParseOptions) -> Vec<Stretch> {
        let text = source.text();
        let mut made = Self {
            text,
            found: Vec::with_capacity(text.len() / 4),
            at: 0,
            heredocs: Vec::new(),
            passed: 0,
            unreadable: 0,
            is_template: options.epp,
            is_outside: options.epp,
        };
        if byte_order_mark(text.as_bytes()).is_some() || u32::try_from(text.len()).is_err() {
            made.push(StretchKind::Unreadable, text.len());
            return made.found;
        }
        let watch = Watch::default();
        let mut lexer = Lexer::new(source, options.tasks, options.epp, &watch);
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::End => break,
                TokenKind::Bad => {
                    let resumed = lexer.resume();
                    made.unreadable = if resumed { lexer.pos } else { text.len() };
                    if resumed {
                        continue;
                    }
                    break;
                }
                TokenKind::RenderString
                | TokenKind::RenderExpr
                | TokenKind::EppEnd
                | TokenKind::EppEndTrim
                | TokenKind::EppStart => continue,
                _ => {}
            }
            made.token(token.kind, token.span);
            if token.kind == TokenKind::Heredoc
                && let Some(heredoc) = lexer.take_heredoc()
            {
                made.heredocs.push(Span::new(heredoc.offset as u32, lexer.newline_jump as u32));
            }
        }
        made.fill(text.len(), false);
        made.found
    }

    fn token(&mut self, kind: TokenKind, span: Span) {
        self.fill(span.start as usize, matches!(kind, TokenKind::DqMid | TokenKind::DqPost));
        let mut end = span.end as usize;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.push(StretchKind::Token(kind), end);
    }

    /// Adds a stretch up to `end`.
    fn push(&mut self, kind: StretchKind, end: usize) {
        if end > self.at {
            self.found.push(Stretch { kind, span: Span::new(self.at as u32, end as u32) });
            self.at = end;
        }
    }

    /// Adds stretches up to the next token, at `to`. The end of an interpolation is left to a token that
    /// `joins` it.
    fn fill(&mut self, to: usize, joins: bool) {
        while self.at < to {
            let at = self.at;
            if self.is_outside {
                self.outside(to);
                continue;
            }
            while self.heredocs.get(self.passed).is_some_and(|text| text.end as usize <= at) {
                self.passed += 1;
            }
            if let Some(text) = self.heredocs.get(self.passed).filter(|text| text.start as usize <= at) {
                let end = (text.end as usize).min(to);
                self.push(StretchKind::HeredocText, end);
                continue;
            }
            let bytes = &self.text.as_bytes()[at..to];
            match *bytes {
                [b'\n', ..] => self.push(StretchKind::LineEnd, at + 1),
                [b'\r', b'\n', ..] => self.push(StretchKind::LineEnd, at + 2),
                [b'#', ..] => {
                    let length = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
                    let ends_with_return = length < bytes.len() && bytes[length - 1] == b'\r';
                    self.push(StretchKind::Comment, at + length - usize::from(ends_with_return));
                }
                [b'/', b'*', ref rest @ ..] => match memchr::memmem::find(rest, b"*/") {
                    Some(length) => self.push(StretchKind::Comment, at + length + 4),
                    None => self.push(StretchKind::Unreadable, to),
                },
                [b'-', b'%', b'>', ..] if self.is_template => self.tag_end(at + 3),
                [b'%', b'>', ..] if self.is_template => self.tag_end(at + 2),
                // The end of an interpolation belongs to the string after it.
                [b'}'] if joins => return,
                _ => self.other(to),
            }
        }
    }

    /// White space, or unreadable text.
    fn other(&mut self, to: usize) {
        let rest = &self.text[self.at..to];
        let blank = |character: char| is_blank(character) || character == '\r';
        let spaces = rest.trim_start_matches(blank);
        if spaces.len() < rest.len() {
            let mut end = to - spaces.len();
            if spaces.starts_with('\n') && self.text[..end].ends_with('\r') && end > self.at + 1 {
                end -= 1;
            }
            return self.push(StretchKind::Space, end);
        }
        let length = rest.find(|character| blank(character) || character == '\n').unwrap_or(rest.len());
        let end = if self.unreadable > self.at { self.unreadable.min(to) } else { self.at + length };
        self.push(StretchKind::Unreadable, end);
    }

    fn tag_end(&mut self, end: usize) {
        self.push(StretchKind::TemplateClose, end);
        self.is_outside = true;
    }

    /// Text of a template, up to and including a tag.
    fn outside(&mut self, to: usize) {
        let rest = &self.text.as_bytes()[self.at..to];
        let mut tags = memchr::memmem::find_iter(rest, b"<%");
        let Some(tag) = tags.find(|&tag| rest.get(tag + 2) != Some(&b'%')) else {
            return self.push(StretchKind::TemplateText, to);
        };
        self.push(StretchKind::TemplateText, self.at + tag);
        let rest = &rest[tag..];
        match rest.get(2) {
            Some(b'#') => {
                let ends = memchr::memmem::find_iter(&rest[2..], b"%>");
                let end = ends.map(|at| at + 2).find(|&at| at > 2 && rest[at - 1] != b'%');
                let end = end.map_or(to, |end| self.at + end + 2);
                self.push(StretchKind::TemplateComment, end);
            }
            sign => {
                self.is_outside = false;
                let length = if matches!(sign, Some(b'-' | b'=')) { 3 } else { 2 };
                self.push(StretchKind::TemplateOpen, self.at + length);
            }
        }
    }
}

//! The lexer: converts text to tokens, one at a time and on demand.
//!
//! Follows the reference's `lexer2.rb` and the modules around it. The reference lexes a string with all its
//! interpolations before the parser sees its first token. Here the parser receives each token immediately,
//! and [`Lexer::drain`] compensates for the difference when the parser fails inside a string. A lexical error
//! is a token ([`TokenKind::Bad`]) that only fails when the parser needs to look at it.
//!
//! This file contains the main loop and the lexing of single bytes; [`names`], [`numbers`], [`regexp`],
//! [`string`], [`heredoc`] and [`epp`] contain the rest. [`layout`] finds braces that are missing.

mod bom;
mod characters;
mod epp;
mod heredoc;
mod last_match;
mod layout;
pub mod lossless;
mod names;
mod numbers;
mod regexp;
mod string;

use std::collections::VecDeque;

pub(crate) use bom::byte_order_mark;
pub(crate) use heredoc::{Content, Heredoc, Sublocation};
pub(crate) use layout::{Repair, repairs};

use super::ast::{Comment, Text};
use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Issue, Report, Severity, issues};
use crate::source::{Source, Span};
use crate::watch::{BYTES_BETWEEN_LOOKS, Watch};
use characters::{is_blank, spaces_end};
pub(crate) use characters::{is_word, word_end};
use epp::EppMode;
use string::{Escapes, OpenString};

/// The output of the lexer besides tokens.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Texts that differ from the source.
    pub pool: String,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// Doubtful escapes.
    pub warnings: Vec<Diagnostic>,
    /// Whether there can be variables whose names the validator must check.
    pub has_odd_variables: bool,
}

/// The next action of the lexer, if it is not simply the next token of the text.
#[derive(Clone, Copy, Debug)]
enum Detour {
    /// Nothing special.
    None,
    /// A token that was lexed ahead.
    Queued(Token),
    /// The first token of an interpolated expression.
    Interpolation,
    /// A variable in a string, written without braces.
    Variable(Token),
    /// The rest of a string behind an interpolation.
    Tail,
    /// The start of a text without quotes (a heredoc).
    Unquoted,
    /// The text of a template. Its start is trimmed if the previous tag says so.
    Template { trim: bool },
    /// Nothing more: lexing has failed.
    Failed,
}

/// The number of errors after which lexing can continue in any text. Each can require a scan of the remaining
/// text to find that something does not end; with more of them in short texts only, the time stays linear.
const MAX_RESUMPTIONS: usize = 100;
/// The number of bytes that can be scanned because of more errors.
const MAX_RESUMPTION_BYTES: usize = 5_000_000;

/// The initial count of braces. More can be closed than were opened.
const NO_BRACES: u32 = 1 << 30;

/// Turns a text into tokens.
#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    bytes: &'s [u8],
    text: &'s str,
    pos: usize,
    /// The kind of the last token, which determines the meaning of a `/`.
    after: TokenKind,
    detour: Detour,
    /// The detour after a queued token.
    behind: Detour,
    /// The number of open braces, plus [`NO_BRACES`].
    braces: u32,
    /// The start of the line, to recognize a `(` that is first on its line.
    line_start: usize,
    /// The end of the heredoc texts of the current line; 0 without any.
    newline_jump: usize,
    /// The open strings around the current expression.
    strings: Vec<OpenString>,
    /// The base of offsets in a [`Text`].
    base: u32,
    tasks: bool,
    epp: EppMode,
    /// Whether a tag of a template is open.
    epp_open: bool,
    /// The heredocs whose tokens were lexed, and that the parser has not taken yet.
    heredocs: VecDeque<Heredoc>,
    /// Set when the text is that of a heredoc.
    sublocation: Option<&'s Sublocation<'s>>,
    /// The escapes of the heredoc, if the text is an interpolated heredoc.
    escapes: Escapes,
    source: &'s Source,
    /// Can cancel the lexing.
    watch: &'s Watch<'s>,
    /// The offset from which to check it next.
    next_look: usize,
    /// The changes of braces to come.
    repairs: &'s [Repair],
    error: Option<Box<Diagnostic>>,
    /// The offset at which lexing continued after the last error.
    resumed: usize,
    /// The number of errors after which it continued.
    resumptions: usize,
    /// Whether lexing has failed after the first token of a string.
    failed_in_string: bool,
    pub output: Output,
}

impl<'s> Lexer<'s> {
    /// A lexer for a whole source; for a template with `epp`.
    pub fn new(source: &'s Source, tasks: bool, epp: bool, watch: &'s Watch<'s>) -> Self {
        let mut lexer = Self::at_start(source, tasks, epp, watch);
        lexer.output.comments.reserve_exact(source.text().len() / 128);
        lexer
    }

    fn at_start(source: &'s Source, tasks: bool, epp: bool, watch: &'s Watch<'s>) -> Self {
        let text = source.text();
        Self {
            bytes: text.as_bytes(),
            text,
            pos: 0,
            after: TokenKind::End,
            detour: if epp { Detour::Template { trim: false } } else { Detour::None },
            behind: Detour::None,
            braces: NO_BRACES,
            line_start: 0,
            newline_jump: 0,
            strings: Vec::new(),
            base: 0,
            tasks,
            epp: if epp { EppMode::Text } else { EppMode::Off },
            epp_open: false,
            heredocs: VecDeque::new(),
            sublocation: None,
            escapes: Escapes::NONE,
            source,
            watch,
            next_look: BYTES_BETWEEN_LOOKS,
            repairs: &[],
            error: None,
            resumed: 0,
            resumptions: 0,
            failed_in_string: false,
            output: Output::default(),
        }
    }

    /// The next token; repeatedly [`TokenKind::End`] at the end.
    #[inline]
    pub fn next(&mut self) -> Token {
        if self.pos >= self.next_look
            && let Some(token) = self.look()
        {
            return token;
        }
        match self.detour {
            Detour::None => self.code(),
            detour => self.follow(detour),
        }
    }

    /// Checks whether lexing can continue; if not, it fails permanently.
    #[cold]
    fn may_go_on(&mut self) -> bool {
        self.next_look = self.pos.saturating_add(BYTES_BETWEEN_LOOKS).min(self.next_repair());
        let report = Report { issue: Issue::NONE, message: String::new() };
        let place = || self.diagnostic(report, Severity::Error, self.pos as u32).location;
        let may_go_on = self.watch.may_go_on(place);
        if !may_go_on {
            self.next_look = 0;
            self.detour = Detour::Failed;
            self.error = None;
        }
        may_go_on
    }

    /// The check that can end the lexing.
    pub(crate) fn watch(&self) -> &'s Watch<'s> {
        self.watch
    }

    /// The error of a [`TokenKind::Bad`].
    pub fn take_error(&mut self) -> Option<Box<Diagnostic>> {
        self.error.take()
    }

    /// The heredoc of the first [`TokenKind::Heredoc`] whose heredoc was not taken.
    pub fn take_heredoc(&mut self) -> Option<Heredoc> {
        self.heredocs.pop_front()
    }

    /// Lexes to the end of the open string, or of the text after a tag, and returns the error found there.
    /// The reference has lexed that far before it parses.
    pub fn drain(&mut self) -> Option<Box<Diagnostic>> {
        if self.failed_in_string {
            return self.take_error();
        }
        while !self.strings.is_empty() || !matches!(self.detour, Detour::None | Detour::Failed) {
            if let Detour::Template { trim } = self.detour
                && self.strings.is_empty()
            {
                return if self.template_scan(trim).is_err() { self.take_error() } else { None };
            }
            match self.next().kind {
                TokenKind::Bad => return self.take_error(),
                TokenKind::End => break,
                _ => {}
            }
        }
        None
    }

    /// Whether the outermost open string, or the text after a tag, began with the last token.
    pub fn has_begun_with(&self, last: &Token) -> bool {
        match last.kind {
            TokenKind::DqPre => self.strings.len() == 1,
            TokenKind::EppEnd | TokenKind::EppEndTrim => self.strings.is_empty(),
            _ => false,
        }
    }

    /// The number of open braces around the last token.
    pub fn level(&self, last: &Token) -> u32 {
        match last.kind {
            TokenKind::LBrace | TokenKind::SelBrace => self.braces.wrapping_sub(1),
            TokenKind::RBrace => self.braces.wrapping_add(1),
            _ => self.braces,
        }
    }

    /// The number of open braces after the last token.
    pub fn braces(&self) -> u32 {
        self.braces
    }

    /// Whether a token is not the last one that was lexed.
    pub fn is_ahead(&self, token: &Token) -> bool {
        self.pos as u32 > token.span.end && !matches!(self.detour, Detour::Queued(_))
    }

    /// Discards what was lexed but not used.
    pub fn forget(&mut self) {
        self.heredocs.clear();
    }

    /// Continues after an error: after the word, or on the next line if a string, a comment or the like does
    /// not end. Returns false at the end of the text, and after too many errors.
    pub fn resume(&mut self) -> bool {
        self.resumptions += 1;
        if self.watch.is_over()
            || self.resumptions > MAX_RESUMPTIONS + MAX_RESUMPTION_BYTES / self.bytes.len().max(1)
        {
            return false;
        }
        // The place of an error can precede the place where lexing continued the last time.
        let from = self.pos.max(self.resumed);
        let rest = self.bytes.get(from..).unwrap_or_default();
        let Some(&first) = rest.first() else { return false };
        let is_text = self.failed_in_string || matches!(first, b'\'' | b'"' | b'@' | b'/');
        self.pos = if is_text || self.epp.is_on() {
            memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |length| from + length)
        } else {
            self.word_end(from)
        };
        if self.pos == self.resumed {
            self.pos += self.character(self.pos).len_utf8();
        }
        self.resumed = self.pos;
        self.detour = Detour::None;
        self.behind = Detour::None;
        self.failed_in_string = false;
        self.error = None;
        true
    }

    /// Whether a token is the first one on its line.
    pub fn is_first(&self, token: &Token) -> bool {
        let before = self.bytes.get(..token.span.start as usize).unwrap_or_default();
        let space = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        matches!(before.get(..before.len() - space).and_then(<[u8]>::last), None | Some(b'\n'))
    }

    /// A diagnostic at an offset of the lexed text.
    pub fn diagnostic(&self, report: Report, severity: Severity, at: u32) -> Diagnostic {
        self.diagnostic_of(report, severity, Span::new(at, at))
    }

    /// A complaint about a stretch of this text.
    pub fn diagnostic_of(&self, report: Report, severity: Severity, span: Span) -> Diagnostic {
        let span = self.sublocation.map_or(span, |sublocation| sublocation.to_outermost(span));
        report.at(severity, self.source, span)
    }

    /// The place of the lexed text, if it is a heredoc.
    pub fn sublocation(&self) -> Option<&'s Sublocation<'s>> {
        self.sublocation
    }

    /// The source that all positions refer to.
    pub fn source(&self) -> &'s Source {
        self.source
    }

    #[cold]
    fn follow(&mut self, detour: Detour) -> Token {
        self.detour = Detour::None;
        match detour {
            Detour::None => self.code(),
            Detour::Queued(token) => {
                self.detour = std::mem::replace(&mut self.behind, Detour::None);
                token
            }
            Detour::Interpolation => self.interpolation(),
            Detour::Variable(token) => {
                self.detour = Detour::Tail;
                token
            }
            Detour::Tail => self.string_tail(),
            Detour::Unquoted => self.unquoted(),
            Detour::Template { trim } => self.template_text(trim),
            Detour::Failed => {
                self.detour = Detour::Failed;
                self.token_at(TokenKind::Bad, self.pos, self.pos)
            }
        }
    }

    /// Lexes one token of ordinary code.
    fn code(&mut self) -> Token {
        use TokenKind as Kind;
        let bytes = self.bytes;
        loop {
            let mut start = self.pos;
            let byte = loop {
                match bytes.get(start) {
                    Some(b' ') => start = spaces_end(bytes, start + 1),
                    Some(b'\n') => start = spaces_end(bytes, self.newline(start)),
                    Some(b'\t' | b'\r') => start += 1,
                    Some(&byte) => break byte,
                    None => {
                        self.pos = start;
                        return self.end();
                    }
                }
            };
            self.pos = start;
            match byte {
                b'a'..=b'z' | b'_' => return self.name(start),
                b'$' => return self.variable(start),
                b'\'' => return self.single_quoted(start),
                b'"' => return self.double_quoted(start),
                b'A'..=b'Z' => return self.class_reference(start),
                b'0'..=b'9' => return self.number(start),
                b'#' => {
                    if start >= self.next_look && !self.may_go_on() {
                        return self.token_at(Kind::Bad, start, start);
                    }
                    let rest = &self.bytes[start..];
                    let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |length| start + length);
                    // The end of a line can have two characters.
                    let ends_with_return = end < self.bytes.len() && self.bytes[end - 1] == b'\r';
                    self.comment(start, end - usize::from(ends_with_return));
                }
                b'/' if self.peek(1) == b'*' => {
                    if let Some(token) = self.long_comment(start) {
                        return token;
                    }
                }
                b'/' => return self.regexp(start),
                0x21..=0x7e => return self.operator(byte, start),
                _ => {
                    let character = self.character(start);
                    if !is_blank(character) {
                        return self.other(start);
                    }
                    self.pos += character.len_utf8();
                }
            }
        }
    }

    /// A character that cannot begin a token.
    #[cold]
    fn other(&mut self, start: usize) -> Token {
        self.pos = start + 1;
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        self.after = TokenKind::Other;
        self.token_at(TokenKind::Other, start, start + 1)
    }

    /// A comment that begins with `/*`; an error token if it has no end.
    fn long_comment(&mut self, start: usize) -> Option<Token> {
        // A lone `/*/` is not closed: the search for the end begins after the opening.
        match memchr::memmem::find(&self.bytes[start + 2..], b"*/") {
            Some(length) => {
                self.comment(start, start + length + 4);
                None
            }
            None => {
                // It extends to the end of the text.
                self.pos = self.bytes.len();
                Some(self.fail(issues::unclosed_mlcomment(), start))
            }
        }
    }

    /// An operator, or another mark.
    #[inline(always)]
    fn operator(&mut self, byte: u8, start: usize) -> Token {
        use TokenKind as Kind;
        match byte {
            b',' => self.emit(Kind::Comma, start, 1),
            b'=' => match self.peek(1) {
                b'>' => self.emit(Kind::FArrow, start, 2),
                b'=' => self.emit(Kind::IsEqual, start, 2),
                b'~' => self.emit(Kind::Match, start, 2),
                _ => self.emit(Kind::Equals, start, 1),
            },
            b'{' => {
                self.braces += 1;
                let kind = if self.after == Kind::QMark { Kind::SelBrace } else { Kind::LBrace };
                self.emit(kind, start, 1)
            }
            b'}' => {
                self.braces = self.braces.wrapping_sub(1);
                let token = self.emit(Kind::RBrace, start, 1);
                if self.strings.last().is_some_and(|string| string.braces == self.braces) {
                    return self.string_tail();
                }
                token
            }
            b'[' => {
                let kind = if self.is_behind_space(start) { Kind::ListStart } else { Kind::LBrack };
                self.emit(kind, start, 1)
            }
            b']' => self.emit(Kind::RBrack, start, 1),
            b'(' => {
                let kind = if self.is_first_on_line(start) { Kind::WsLParen } else { Kind::LParen };
                self.emit(kind, start, 1)
            }
            b')' => self.emit(Kind::RParen, start, 1),
            b':' => {
                if self.peek(1) == b':' {
                    return self.qualified(start);
                }
                self.emit(Kind::Colon, start, 1)
            }
            b';' => self.emit(Kind::Semic, start, 1),
            b'.' => self.emit(Kind::Dot, start, 1),
            b'?' => self.emit(Kind::QMark, start, 1),
            b'*' => self.emit(Kind::Times, start, 1),
            b'|' => match (self.peek(1), self.peek(2)) {
                (b'>', b'>') => self.emit(Kind::RrCollect, start, 3),
                (b'>', _) => self.emit(Kind::RCollect, start, 2),
                _ => self.emit(Kind::Pipe, start, 1),
            },
            b'-' => match self.peek(1) {
                b'>' => self.emit(Kind::InEdge, start, 2),
                b'=' => self.emit(Kind::Deletes, start, 2),
                b'%' if self.epp.is_on() && self.peek(2) == b'>' => self.template_tag_end(start, true),
                _ => self.emit(Kind::Minus, start, 1),
            },
            b'+' => match self.peek(1) {
                b'=' => self.emit(Kind::Appends, start, 2),
                b'>' => self.emit(Kind::PArrow, start, 2),
                _ => self.emit(Kind::Plus, start, 1),
            },
            b'!' => match self.peek(1) {
                b'=' => self.emit(Kind::NotEqual, start, 2),
                b'~' => self.emit(Kind::NoMatch, start, 2),
                _ => self.emit(Kind::Not, start, 1),
            },
            b'~' => match self.peek(1) {
                b'>' => self.emit(Kind::InEdgeSub, start, 2),
                _ => self.emit(Kind::Tilde, start, 1),
            },
            b'<' => match (self.peek(1), self.peek(2)) {
                (b'<', b'|') => self.emit(Kind::LlCollect, start, 3),
                (b'<', _) => self.emit(Kind::LShift, start, 2),
                (b'=', _) => self.emit(Kind::LessEqual, start, 2),
                (b'|', _) => self.emit(Kind::LCollect, start, 2),
                (b'-', _) => self.emit(Kind::OutEdge, start, 2),
                (b'~', _) => self.emit(Kind::OutEdgeSub, start, 2),
                _ => self.emit(Kind::LessThan, start, 1),
            },
            b'>' => match self.peek(1) {
                b'>' => self.emit(Kind::RShift, start, 2),
                b'=' => self.emit(Kind::GreaterEqual, start, 2),
                _ => self.emit(Kind::GreaterThan, start, 1),
            },
            b'%' => {
                if self.epp.is_on() && self.peek(1) == b'>' {
                    return self.template_tag_end(start, false);
                }
                self.emit(Kind::Modulo, start, 1)
            }
            b'@' => match self.peek(1) {
                b'@' => self.emit(Kind::AtAt, start, 2),
                b'(' => self.heredoc(start),
                _ => self.emit(Kind::At, start, 1),
            },
            _ => self.other(start),
        }
    }

    /// The position after a line end: after it, or after the heredocs of its line.
    #[inline]
    fn newline(&mut self, at: usize) -> usize {
        let next = match self.newline_jump {
            0 => at + 1,
            jump => {
                self.newline_jump = 0;
                jump
            }
        };
        self.line_start = next;
        next
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.pos = end;
        self.output.comments.push(Comment { span: Span::new(start as u32, end as u32) });
    }

    #[cold]
    fn end(&mut self) -> Token {
        if let Some(&string) = self.strings.last() {
            // In a text without quotes, the end of the text closes open strings.
            return if string.quoted { self.unclosed_interpolation(string) } else { self.string_tail() };
        }
        if self.epp_open {
            return self.fail(issues::epp_unbalanced_tag(), self.pos);
        }
        self.token_at(TokenKind::End, self.pos, self.pos)
    }

    fn is_behind_space(&self, at: usize) -> bool {
        match at.checked_sub(1).and_then(|before| self.bytes.get(before)) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => true,
            Some(byte) if byte.is_ascii() => false,
            Some(_) => self.text.get(..at).and_then(|text| text.chars().next_back()).is_some_and(is_blank),
        }
    }

    fn is_first_on_line(&self, at: usize) -> bool {
        match at.checked_sub(1).and_then(|before| self.bytes.get(before)) {
            Some(byte) if byte.is_ascii_graphic() => self.line_start == at,
            _ => self
                .text
                .get(self.line_start..at)
                .is_some_and(|text| text.chars().all(|character| character == '\r' || is_blank(character))),
        }
    }

    /// The byte `ahead` of the current position; 0 after the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// The character at an offset; NUL after the end.
    fn character(&self, at: usize) -> char {
        self.text.get(at..).and_then(|text| text.chars().next()).unwrap_or('\0')
    }

    /// A token of `length` bytes from `start`; the position moves to its end.
    #[inline]
    fn emit(&mut self, kind: TokenKind, start: usize, length: usize) -> Token {
        self.pos = start + length;
        self.after = kind;
        self.token_at(kind, start, self.pos)
    }

    #[inline]
    fn token_at(&self, kind: TokenKind, start: usize, end: usize) -> Token {
        Token { kind, span: Span::new(start as u32, end as u32), text: self.slice(start, end) }
    }

    /// The text of a range of the lexed text.
    #[inline]
    fn slice(&self, start: usize, end: usize) -> Text {
        Text::new(self.base + start as u32, (end - start) as u32)
    }

    /// Puts a text into the pool.
    fn pooled(&mut self, text: &str) -> Text {
        let start = self.output.pool.len() as u32 | Text::IN_POOL;
        self.output.pool.push_str(text);
        Text::new(start, text.len() as u32)
    }

    /// Ends lexing with an error at an offset.
    #[cold]
    fn fail(&mut self, report: Report, at: usize) -> Token {
        let diagnostic = self.diagnostic(report, Severity::Error, at as u32);
        self.fail_with(diagnostic)
    }

    #[cold]
    fn fail_with(&mut self, diagnostic: Diagnostic) -> Token {
        self.error = Some(Box::new(diagnostic));
        self.failed_in_string |= !self.strings.is_empty();
        self.detour = Detour::Failed;
        self.strings.clear();
        self.token_at(TokenKind::Bad, self.pos, self.pos)
    }

    #[cold]
    fn warn(&mut self, report: Report, at: usize, length: usize) {
        let span = Span::new(at as u32, (at + length) as u32);
        let warning = self.diagnostic_of(report, Severity::Warning, span);
        self.output.warnings.push(warning);
    }

    /// The part of the following text that an error quotes.
    fn followed_by(&self, at: usize) -> String {
        let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) else { return "<eof>".into() };
        let mut quoted: String = rest.chars().take(5).collect();
        quoted.push_str("...");
        quoted.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }

    /// The end of a run of word characters.
    #[inline]
    fn word_end(&self, at: usize) -> usize {
        word_end(self.bytes, at)
    }
}

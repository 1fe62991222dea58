//! The lexer: text becomes tokens, one at a time and on demand.
//!
//! Follows the reference's `lexer2.rb` and the modules around it. The reference lexes a string with all that
//! is interpolated in it before the parser sees its first token; here the parser gets each token at once, and
//! [`Lexer::drain`] makes up for the difference when it gives up inside a string. A lexical error is a token
//! ([`TokenKind::Bad`]) that the parser stumbles over when, and only when, it needs to look at it.
//!
//! This file has the main loop and what is lexed byte by byte; [`names`], [`numbers`], [`regexp`],
//! [`string`], [`heredoc`] and [`epp`] have the rest.

mod bom;
mod characters;
mod epp;
mod heredoc;
mod last_match;
pub mod lossless;
mod names;
mod numbers;
mod regexp;
mod string;

use std::collections::VecDeque;

pub(crate) use bom::byte_order_mark;
pub(crate) use heredoc::{Content, Heredoc, Sublocation};

use super::ast::{Comment, Text};
use super::token::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Issue, Report, Severity, issues};
use crate::source::{Source, Span};
use crate::watch::{BYTES_BETWEEN_LOOKS, Watch};
use characters::{is_blank, spaces_end};
pub(crate) use characters::{is_word, word_end};
use epp::EppMode;
use string::{Escapes, OpenString};

/// What lexing leaves behind besides tokens.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Texts that the source says differently.
    pub pool: String,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// Doubtful escapes.
    pub warnings: Vec<Diagnostic>,
    /// Whether there may be variables whose names the validator has to look at.
    pub has_odd_variables: bool,
}

/// What comes next when it is not simply the next token of the text.
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
    /// The text of a template. Trimmed at its start when the tag before it said so.
    Template { trim: bool },
    /// Nothing more: lexing has failed.
    Failed,
}

/// How many errors lexing may go on behind in any text. It may take a look at all that follows to find that
/// something does not end; with more of them in short texts only, the time stays linear.
const MAX_RESUMPTIONS: usize = 100;
/// The bytes that may be looked at because of more errors.
const MAX_RESUMPTION_BYTES: usize = 5_000_000;

/// The count of braces at the start. More may be closed than were open.
const NO_BRACES: u32 = 1 << 30;

/// Turns a text into tokens.
#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    bytes: &'s [u8],
    text: &'s str,
    pos: usize,
    /// The kind of the last token, which decides what a `/` is.
    after: TokenKind,
    detour: Detour,
    /// The detour behind a queued token.
    behind: Detour,
    /// How many braces are open, from [`NO_BRACES`] up.
    braces: u32,
    /// Where the line starts, for telling a `(` that is first on its line.
    line_start: usize,
    /// Behind the heredoc texts that belong to the current line; 0 when there are none.
    newline_jump: usize,
    /// The strings that are open around the current expression.
    strings: Vec<OpenString>,
    /// What is added to an offset to make it the start of a [`Text`].
    base: u32,
    tasks: bool,
    epp: EppMode,
    /// Whether a tag of a template is open.
    epp_open: bool,
    /// The heredocs whose tokens were lexed, and that the parser has not taken.
    heredocs: VecDeque<Heredoc>,
    /// Set when the text is that of a heredoc.
    sublocation: Option<&'s Sublocation<'s>>,
    /// Set when the text is an interpolated heredoc: the escapes that it knows.
    escapes: Escapes,
    source: &'s Source,
    /// What may end the lexing in the middle.
    watch: &'s Watch<'s>,
    /// From which offset on to ask it.
    next_look: usize,
    error: Option<Box<Diagnostic>>,
    /// Where lexing went on behind the last error.
    resumed: usize,
    /// Behind how many errors it went on.
    resumptions: usize,
    /// Whether lexing has failed behind the first token of a string.
    failed_in_string: bool,
    pub output: Output,
}

impl<'s> Lexer<'s> {
    /// A lexer for a whole source; of a template with `epp`.
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
            error: None,
            resumed: 0,
            resumptions: 0,
            failed_in_string: false,
            output: Output::default(),
        }
    }

    /// The next token; [`TokenKind::End`] again and again at the end.
    #[inline]
    pub fn next(&mut self) -> Token {
        if self.pos >= self.next_look && !self.may_go_on() {
            return self.token_at(TokenKind::Bad, self.pos, self.pos);
        }
        match self.detour {
            Detour::None => self.code(),
            detour => self.follow(detour),
        }
    }

    /// Asks whether lexing may go on; if not, it has failed for good.
    #[cold]
    fn may_go_on(&mut self) -> bool {
        self.next_look = self.pos.saturating_add(BYTES_BETWEEN_LOOKS);
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

    /// What may end the lexing.
    pub(crate) fn watch(&self) -> &'s Watch<'s> {
        self.watch
    }

    /// The error behind a [`TokenKind::Bad`].
    pub fn take_error(&mut self) -> Option<Box<Diagnostic>> {
        self.error.take()
    }

    /// The heredoc behind the first [`TokenKind::Heredoc`] whose heredoc was not taken.
    pub fn take_heredoc(&mut self) -> Option<Heredoc> {
        self.heredocs.pop_front()
    }

    /// Lexes on to the end of the string that is open, or of the text behind a tag, and gives the error met
    /// there. The reference has lexed that far before it parses.
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

    /// Whether the outermost string that is open, or the text behind a tag, began with the token that was
    /// lexed last.
    pub fn has_begun_with(&self, last: &Token) -> bool {
        match last.kind {
            TokenKind::DqPre => self.strings.len() == 1,
            TokenKind::EppEnd | TokenKind::EppEndTrim => self.strings.is_empty(),
            _ => false,
        }
    }

    /// How many braces are open around the token that was lexed last.
    pub fn level(&self, last: &Token) -> u32 {
        match last.kind {
            TokenKind::LBrace | TokenKind::SelBrace => self.braces.wrapping_sub(1),
            TokenKind::RBrace => self.braces.wrapping_add(1),
            _ => self.braces,
        }
    }

    /// How many braces are open behind the token that was lexed last.
    pub fn braces(&self) -> u32 {
        self.braces
    }

    /// Whether a token is not the one that was lexed last.
    pub fn is_ahead(&self, token: &Token) -> bool {
        self.pos as u32 > token.span.end && !matches!(self.detour, Detour::Queued(_))
    }

    /// Forgets what was lexed and not used.
    pub fn forget(&mut self) {
        self.heredocs.clear();
    }

    /// Goes on behind an error: behind the word, or with the next line when a string, a comment or the like
    /// does not end. At the end, there is nothing to go on with; and behind very many errors it does not go
    /// on.
    pub fn resume(&mut self) -> bool {
        self.resumptions += 1;
        if self.watch.is_over()
            || self.resumptions > MAX_RESUMPTIONS + MAX_RESUMPTION_BYTES / self.bytes.len().max(1)
        {
            return false;
        }
        // The place of an error may lie before the place where lexing went on the last time.
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
        let span = Span::new(at, at);
        let span = self.sublocation.map_or(span, |sublocation| sublocation.to_outermost(span));
        report.at(severity, self.source, span)
    }

    /// Where the lexed text belongs, when it is a heredoc.
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
                    // The end of a line may have two characters.
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

    /// What no token begins with.
    #[cold]
    fn other(&mut self, start: usize) -> Token {
        self.pos = start + 1;
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        self.after = TokenKind::Other;
        self.token_at(TokenKind::Other, start, start + 1)
    }

    /// A comment that begins with `/*`; a token when it has no end.
    fn long_comment(&mut self, start: usize) -> Option<Token> {
        // A lone `/*/` is not closed: the end is searched behind the opening.
        match memchr::memmem::find(&self.bytes[start + 2..], b"*/") {
            Some(length) => {
                self.comment(start, start + length + 4);
                None
            }
            None => {
                // It takes all that is left.
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

    /// Where to go on from a line end: behind it, or behind the heredocs of its line.
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
            // In a text without quotes, the end of the text closes what is open.
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

    /// The byte `ahead` of the current position; 0 behind the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// The character at an offset; NUL behind the end.
    fn character(&self, at: usize) -> char {
        self.text.get(at..).and_then(|text| text.chars().next()).unwrap_or('\0')
    }

    /// A token of `length` bytes from `start`, which ends there.
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

    /// The text of a stretch of the lexed text.
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
    fn warn(&mut self, report: Report, at: usize) {
        let warning = self.diagnostic(report, Severity::Warning, at as u32);
        self.output.warnings.push(warning);
    }

    /// What an error quotes of the text that follows.
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

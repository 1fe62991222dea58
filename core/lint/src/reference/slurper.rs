//! The texts of strings and heredocs, taken apart as puppet-lint does.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::lexer::variable_name;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment<'t> {
    Text(Cow<'t, str>),
    /// `$name`, and the end of a line before it.
    Variable(&'t str),
    /// The text between `${` and `}`.
    Code(&'t str),
}

impl<'t> Segment<'t> {
    /// How it is written.
    pub fn text(self) -> Cow<'t, str> {
        match self {
            Self::Text(text) => text,
            Self::Variable(text) | Self::Code(text) => Cow::Borrowed(text),
        }
    }
}

/// The parts of a string behind its first quote, and its length with the last one.
pub(super) fn string(text: &str) -> Option<(Vec<Segment<'_>>, usize)> {
    let mut slurper = Slurper::new(text);
    while slurper.at < text.len() {
        if slurper.interpolation() || slurper.brace() || slurper.interpolation_end() || slurper.variable() {
            continue;
        }
        if let Some(length) = string_end(slurper.rest()) {
            let end = slurper.at + length;
            if slurper.depth == 0 {
                slurper.segments.push(Segment::Text(Cow::Borrowed(&text[slurper.from..end - 1])));
                return Some((slurper.segments, end));
            }
            slurper.pass(length);
        } else {
            let rest = slurper.rest();
            let backslashes = rest.bytes().take_while(|&byte| byte == b'\\').count();
            if backslashes > 0 && rest[backslashes..].starts_with('"') {
                slurper.pass(backslashes + 1);
            } else {
                slurper.character();
            }
        }
    }
    None
}

/// The parts of a heredoc, where the last of them begins, and where the line of its tag ends.
pub(super) fn heredoc<'t>(tag: &str, text: &'t str) -> Option<(Vec<Segment<'t>>, usize, usize)> {
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"\A"?(.+?)"?(?::.+?)?[\t\x0B\f\p{Zs}]*(?:/.*)?\z"#).ok());
    let name = NAME.as_ref()?.captures(tag)?.get(1)?.as_str();
    let pattern = format!(r"\A\|?[ \t\r\n\x0C\x0B]*-?[ \t\r\n\x0C\x0B]*{}(?m:$)", regex::escape(name));
    let ending = Regex::new(&pattern).ok()?;
    let first = name.chars().next()?;
    let may_end = |one: char| one.is_ascii_whitespace() || matches!(one, '|' | '-' | '\u{b}') || one == first;
    let interpolates = tag.starts_with('"');
    let mut slurper = Slurper::new(text);
    while slurper.at < text.len() {
        let rest = slurper.rest();
        if rest.starts_with(may_end)
            && let Some(found) = ending.find(rest)
        {
            if slurper.depth > 0 {
                return None;
            }
            let (from, at) = (slurper.from, slurper.at);
            slurper.segments.push(Segment::Text(Cow::Borrowed(&text[from..at])));
            return Some((slurper.segments, from, at + found.end()));
        }
        let is_special = interpolates
            && (slurper.interpolation()
                || slurper.brace()
                || slurper.variable()
                || slurper.interpolation_end());
        if !is_special {
            slurper.character();
        }
    }
    None
}

struct Slurper<'t> {
    text: &'t str,
    at: usize,
    /// Where the part begins that is being read.
    from: usize,
    /// Where the piece begins that was read last, if it belongs to the same part.
    last: Option<usize>,
    /// How many braces are open in an interpolation.
    depth: usize,
    segments: Vec<Segment<'t>>,
}

impl<'t> Slurper<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, from: 0, last: None, depth: 0, segments: Vec::new() }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The piece that was read last.
    fn last_piece(&self) -> Option<&'t str> {
        self.last.map(|last| &self.text[last..self.at])
    }

    /// Reads a piece.
    fn pass(&mut self, length: usize) {
        self.last = Some(self.at);
        self.at += length;
    }

    fn character(&mut self) {
        let Some(first) = self.rest().chars().next() else { return };
        self.pass(first.len_utf8());
        match first {
            '{' if self.depth > 0 => self.depth += 1,
            '}' if self.depth > 0 => self.depth -= 1,
            _ => {}
        }
    }

    /// Ends a part here; the next one begins `skipped` bytes behind.
    fn end_part(&mut self, make: impl Fn(&'t str) -> Segment<'t>, skipped: usize) {
        self.segments.push(make(&self.text[self.from..self.at]));
        self.at += skipped;
        self.from = self.at;
        self.last = None;
    }

    fn interpolation(&mut self) -> bool {
        if !self.rest().starts_with("${") {
            return false;
        }
        if self.last_piece() == Some("\\") {
            self.character();
            return true;
        }
        if self.depth == 0 {
            self.end_part(|text| Segment::Text(Cow::Borrowed(text)), 2);
        } else {
            self.pass(2);
        }
        self.depth += 1;
        true
    }

    fn brace(&mut self) -> bool {
        let is_brace = self.depth > 0 && self.rest().starts_with('{');
        if is_brace {
            self.character();
        }
        is_brace
    }

    fn interpolation_end(&mut self) -> bool {
        if !self.rest().starts_with('}') {
            return false;
        }
        if self.depth == 1 {
            self.depth = 0;
            self.end_part(Segment::Code, 1);
        } else {
            self.depth = self.depth.saturating_sub(1);
            self.pass(1);
        }
        true
    }

    fn variable(&mut self) -> bool {
        if self.depth > 0 || self.last_piece().is_some_and(|piece| piece.ends_with('\\')) {
            return false;
        }
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        let named = |from: usize| {
            let name = rest[from..].strip_prefix('$').and_then(variable_name)?;
            Some(from + 1 + name)
        };
        let at_once = named(0);
        let behind = || named(first.len_utf8()).filter(|_| first != '\\');
        let Some(mut length) = at_once.or_else(behind) else { return false };
        if first != '\n' && rest[first.len_utf8()..].starts_with('$') {
            self.character();
            length -= first.len_utf8();
        }
        self.end_part(|text| Segment::Text(Cow::Borrowed(text)), 0);
        self.segments.push(Segment::Variable(&self.rest()[..length]));
        self.at += length;
        self.from = self.at;
        true
    }
}

/// How long the end of a string is that a text begins with: pairs of backslashes and the quote, or those
/// behind a character.
fn string_end(text: &str) -> Option<usize> {
    let ending = |from: usize| {
        let backslashes = text[from..].bytes().take_while(|&byte| byte == b'\\').count();
        let is_end = backslashes.is_multiple_of(2) && text[from + backslashes..].starts_with('"');
        is_end.then_some(from + backslashes + 1)
    };
    let first = text.chars().next()?;
    ending(0).or_else(|| if first == '\\' { None } else { ending(first.len_utf8()) })
}

//! The text of a heredoc with interpolations, taken apart.

use std::ops::Range;

use crate::lex::{dashes, is_word};

/// A part of a text. Texts stand first and last, and between all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Text; the brace of an interpolation before it belongs to it, but is not in the range.
    Text(Range<usize>),
    /// `$name`
    Variable(Range<usize>),
    /// The text between `${` and `}`.
    Code(Range<usize>),
}

/// The parts of a text. An interpolation that does not end is text.
pub(crate) fn segments(text: &str) -> Vec<Segment> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(length) = text[at..].find('$') {
        let dollar = at + length;
        at = dollar + 1;
        if text[..dollar].ends_with('\\') {
            continue;
        }
        let rest = &text[at..];
        if rest.starts_with('{') {
            let Some(end) = closing(text, at + 1) else { break };
            found.extend([Segment::Text(from..dollar), Segment::Code(at + 1..end)]);
            (from, at) = (end + 1, end + 1);
        } else if let Some(length) = name(rest) {
            found.extend([Segment::Text(from..dollar), Segment::Variable(dollar..at + length)]);
            (from, at) = (at + length, at + length);
        }
    }
    found.push(Segment::Text(from..text.len()));
    found
}

/// Where the brace is that closes an interpolation.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut depth = 1_u32;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// How long the name of a variable is that a text begins with.
fn name(text: &str) -> Option<usize> {
    let mut at = if text.starts_with("::") { 2 } else { 0 };
    loop {
        let rest = &text[at..];
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        if word == 0 {
            return None;
        }
        at += word;
        at += dashes(&text[at..]);
        let Some(next) = text[at..].strip_prefix("::") else { return Some(at) };
        if !next.starts_with(is_word) {
            return Some(at);
        }
        at += 2;
    }
}

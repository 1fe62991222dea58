//! The indentation of lines, counted from the brackets that are open.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::problem::Fixing;
use crate::token::Kind;

const LOST: &str = "Error calculating indent. Please file an issue at https://github.com/relud/puppet-lint-indent-check/issues";

/// What the lines up to here say of the next one.
#[derive(Default)]
struct Indentation {
    levels: i64,
    /// The line of the colon behind a title whose attributes are indented.
    colon: Option<u32>,
}

pub(crate) fn strict_indent(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let partners = partners(text);
    let mut state = Indentation::default();
    for newline in text.of_kind(|kind| kind == Kind::Newline) {
        text.step()?;
        let first = newline + 1;
        if first >= text.tokens.len() {
            break;
        }
        let here = state.line(text, newline, &partners);
        if state.levels < 0 {
            found.error(first, LOST);
            break;
        }
        let expected = (state.levels + here) * i64::from(text.options.chars_per_indent);
        let actual = actual(text, first) as i64;
        if expected != actual && !matches!(text.kind(first), Kind::Comment | Kind::Newline) {
            let message = format!("indent should be {expected} chars and is {actual}");
            found.fixable(first, message, Fixing::Indent { expected, actual });
        }
    }
    Ok(())
}

/// For each bracket the one that it belongs to.
fn partners(text: &Manifest<'_>) -> Vec<Option<usize>> {
    let mut partners = vec![None; text.tokens.len()];
    let (mut braces, mut brackets, mut parens) = (Vec::new(), Vec::new(), Vec::new());
    for (at, token) in text.tokens.iter().enumerate() {
        let open = match token.kind {
            Kind::LBrace => {
                braces.push(at);
                continue;
            }
            Kind::LBrack => {
                brackets.push(at);
                continue;
            }
            Kind::LParen => {
                parens.push(at);
                continue;
            }
            Kind::RBrace => braces.pop(),
            Kind::RBrack => brackets.pop(),
            Kind::RParen => parens.pop(),
            _ => continue,
        };
        if let Some(open) = open {
            (partners[open], partners[at]) = (Some(at), Some(open));
        }
    }
    partners
}

impl Indentation {
    /// Takes the line before the end of a line, and the closing brackets of the line behind it. The levels
    /// that only the line behind has.
    fn line(&mut self, text: &Manifest<'_>, newline: usize, partners: &[Option<usize>]) -> i64 {
        let line_of = |at: usize| text.tokens[at].line;
        let (mut here, mut opened, mut lines) = (0, 0, Vec::new());
        for at in (0..newline).rev().take_while(|&at| text.kind(at) != Kind::Newline) {
            match text.kind(at) {
                Kind::HeredocOpen => here += 1,
                Kind::LBrace | Kind::LBrack | Kind::LParen => match partners[at].map(line_of) {
                    None => opened += 1,
                    // Brackets that end on one line indent once.
                    Some(end) if end > line_of(at) && !lines.contains(&end) => {
                        opened += 1;
                        lines.push(end);
                    }
                    Some(_) => {}
                },
                _ => {}
            }
        }
        self.levels += opened;
        let last = (0..newline).rev().find(|&at| !matches!(text.kind(at), Kind::Whitespace | Kind::Comment));
        match last.map(|last| (last, text.kind(last))) {
            Some((last, Kind::Colon)) if opened == 0 && self.colon.is_none() => {
                self.colon = Some(line_of(last));
                self.levels += 1;
            }
            Some((_, Kind::Semic)) if self.colon.is_some() => {
                self.colon = None;
                self.levels -= 1;
            }
            Some((_, Kind::Equals | Kind::FArrow)) => here += 1,
            _ => {}
        }
        here + self.closed(text, newline, partners)
    }

    /// Takes the brackets that the next line closes.
    fn closed(&mut self, text: &Manifest<'_>, newline: usize, partners: &[Option<usize>]) -> i64 {
        let (mut here, mut lines) = (0, Vec::new());
        let line = newline + 1..text.tokens.len();
        for at in line.take_while(|&at| text.kind(at) != Kind::Newline) {
            let kind = text.kind(at);
            if matches!(kind, Kind::RBrace | Kind::RBrack | Kind::RParen) {
                let start = partners[at].map(|open| text.tokens[open].line);
                if let Some(start) = start
                    && start < text.tokens[at].line
                    && !lines.contains(&start)
                {
                    self.levels -= 1;
                    lines.push(start);
                }
                // The end of a resource is that of its attributes.
                if kind == Kind::RBrace
                    && self.colon.is_some_and(|colon| start.is_some_and(|start| start < colon))
                {
                    self.levels -= 1;
                    self.colon = None;
                }
            } else if kind == Kind::Semic
                && self.colon.is_some()
                && at
                    .checked_sub(1)
                    .is_some_and(|before| matches!(text.kind(before), Kind::Indent | Kind::Newline))
                && text.tokens.get(at + 1).is_none_or(|next| next.kind == Kind::Newline)
            {
                here -= 1;
            }
        }
        here
    }
}

/// How far the line is indented that a token begins.
fn actual(text: &Manifest<'_>, first: usize) -> usize {
    let length = |value: &str| value.chars().count();
    let last_line = |value: &str| value.trim_end_matches('\n').rsplit('\n').next().map_or(0, length);
    match text.kind(first) {
        Kind::Indent => length(text.value(first)),
        // The last line of a heredoc's text is the white space before the bar.
        Kind::Heredoc if text.value(first).ends_with('\n') => 0,
        Kind::Heredoc => last_line(text.value(first)),
        Kind::HeredocPre => {
            let ends = |kind: Kind| matches!(kind, Kind::Newline | Kind::HeredocPost);
            let end = (first + 1..text.tokens.len()).find(|&at| ends(text.kind(at)));
            end.filter(|&end| text.kind(end) == Kind::HeredocPost).map_or(0, |end| last_line(text.value(end)))
        }
        _ => 0,
    }
}

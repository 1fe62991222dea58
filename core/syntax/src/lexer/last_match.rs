//! The last match of the reference's scanner, which its error about an unclosed string quotes.
//!
//! The scanner remembers the match of its last pattern. Punctuation is not matched by patterns, and space
//! often fails to match a second time. Only an error needs the match, so this lexes the interpolated
//! expression again to find it.

use super::characters::is_blank;
use super::epp::EppMode;
use super::{Lexer, TokenKind};

impl Lexer<'_> {
    /// The last match in the expression that starts at `code`, as of `end`; `None` if the last pattern
    /// failed.
    pub(super) fn last_match(&self, code: usize, end: usize) -> Option<String> {
        if self.sublocation.is_some() {
            return None;
        }
        if self.bytes.get(code.wrapping_sub(1)) == Some(&b'$') {
            return self.text.get(code..end).map(str::to_owned);
        }
        // The closing brace is not part of the expression.
        let end = if self.bytes.get(end.wrapping_sub(1)) == Some(&b'}') { end - 1 } else { end };
        let mut lexer = Lexer::at_start(self.source, self.tasks, false, self.watch);
        lexer.pos = code;
        lexer.epp = if self.epp.is_on() { EppMode::Code } else { EppMode::Off };
        let mut matched = None;
        let mut position = code;
        let mut after = TokenKind::End;
        loop {
            let token = lexer.next();
            let start = (token.span.start as usize).min(end);
            let gap = self.text.get(position..start);
            if let Some(gap) = gap.filter(|gap| !gap.is_empty() || position == code) {
                // A comment extends to the end of its line, including space.
                let comment = lexer.output.comments.last().map_or(0, |comment| comment.span.end as usize);
                let behind_comment = comment.saturating_sub(position).min(gap.len());
                let is_fresh = behind_comment > 0 || position == code;
                let gap = gap.get(behind_comment..).unwrap_or_default();
                let space = gap.trim_end_matches(|character| character == '\r' || is_blank(character));
                let run = &gap[space.len()..];
                matched = ((is_fresh || !space.is_empty()) && !run.is_empty()).then(|| run.to_owned());
            }
            if start >= end || matches!(token.kind, TokenKind::End | TokenKind::Bad) {
                return matched;
            }
            position = token.span.end as usize;
            let text = self.text.get(start..position).unwrap_or_default();
            matched = match token.kind {
                TokenKind::Variable => (text != "$").then(|| text.to_owned()),
                TokenKind::Name | TokenKind::Word | TokenKind::ClassRef | TokenKind::Number => {
                    Some(text.to_owned())
                }
                TokenKind::True | TokenKind::False => Some(text.to_owned()),
                TokenKind::String => Some(closing(text.get(1..).unwrap_or_default())),
                TokenKind::DqPost => Some(closing(text)),
                TokenKind::Div if !after.ends_operand() => None,
                // The text of a template is not matched by the patterns of code.
                TokenKind::Other | TokenKind::RenderString => None,
                TokenKind::Regex => Some(text.to_owned()),
                kind if kind.is_keyword() => Some(text.to_owned()),
                _ => matched,
            };
            after = token.kind;
        }
    }
}

/// The closing quote of a string, with the preceding backslashes and character, in the text after the opening
/// quote.
fn closing(text: &str) -> String {
    let body = &text[..text.len().saturating_sub(1)];
    let before = body.trim_end_matches('\\');
    let start = before.char_indices().next_back().map_or(0, |(at, _)| at);
    text[start..].to_owned()
}

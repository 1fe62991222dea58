//! Templates: the text between tags, and the tags.
//!
//! Follows the reference's `epp_support.rb`, with its peculiarities: text before a comment at the very end is
//! lost, and `-%>` removes the following space even if more text follows on the line.

use super::{Detour, Lexer, Token, TokenKind};
use crate::diagnostic::issues;
use crate::source::Span;

/// The position of the lexer in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EppMode {
    /// Not in a template.
    Off,
    /// In text.
    Text,
    /// In `<% code %>`.
    Code,
    /// In `<%= expression %>`.
    Expression,
}

impl EppMode {
    pub(super) fn is_on(self) -> bool {
        self != EppMode::Off
    }
}

/// The end of a piece of text.
pub(super) enum Next {
    End,
    Code,
    Expression,
}

impl Lexer<'_> {
    /// The end of a tag: `%>` or `-%>`.
    #[cold]
    pub(super) fn template_tag_end(&mut self, start: usize, trim: bool) -> Token {
        let kind = if trim { TokenKind::EppEndTrim } else { TokenKind::EppEnd };
        let was_expression = self.epp == EppMode::Expression;
        self.pos = start + kind.text().len();
        if !trim {
            self.epp = EppMode::Text;
        }
        if was_expression {
            self.after = kind;
            self.detour = Detour::Template { trim };
            return self.token_at(kind, start, self.pos);
        }
        self.template_text(trim)
    }

    /// The text up to the next tag, and the tag. This is the first token of a template.
    #[cold]
    pub(super) fn template_text(&mut self, trim: bool) -> Token {
        let start = self.pos;
        let (text, next) = match self.template_scan(trim) {
            Ok(scanned) => scanned,
            Err(token) => return token,
        };
        let (mode, is_kept) = match next {
            Next::End => {
                self.epp_open = false;
                (self.epp, text.is_some())
            }
            Next::Code => (EppMode::Code, text.as_deref().is_some_and(|text| !text.is_empty())),
            Next::Expression => (EppMode::Expression, text.as_deref().is_some_and(|text| !text.is_empty())),
        };
        self.epp = mode;
        self.epp_open |= !matches!(next, Next::End);
        let opening = matches!(next, Next::Expression).then(|| Token {
            kind: TokenKind::RenderExpr,
            span: Span::new(start as u32, start as u32),
            text: self.slice(start, start),
        });
        self.after = if opening.is_some() {
            TokenKind::RenderExpr
        } else if is_kept {
            TokenKind::RenderString
        } else {
            self.after
        };
        match (is_kept, opening) {
            (false, None) => self.next(),
            (false, Some(opening)) => opening,
            (true, opening) => {
                if let Some(opening) = opening {
                    self.behind = std::mem::replace(&mut self.detour, Detour::Queued(opening));
                }
                let text = self.pooled(&text.unwrap_or_default());
                Token { kind: TokenKind::RenderString, span: Span::new(start as u32, self.pos as u32), text }
            }
        }
    }

    /// Reads text up to a tag that is not a comment, and the opening of the tag.
    pub(super) fn template_scan(&mut self, mut trim: bool) -> Result<(Option<String>, Next), Token> {
        let source = self.text;
        let mut text = String::new();
        while self.pos < source.len() {
            let rest = &source[self.pos..];
            let length = memchr::memmem::find(rest.as_bytes(), b"<%").map_or(rest.len(), |at| at + 2);
            let mut part = &rest[..length];
            self.pos += length;
            if std::mem::take(&mut trim) {
                part = part.trim_start_matches([' ', '\t']);
                part = part.strip_prefix('\r').unwrap_or(part);
                part = part.strip_prefix('\n').unwrap_or(part);
            }
            text.push_str(&part.replace("%%>", "%>"));
            let opening = text.len().saturating_sub(2);
            match self.bytes.get(self.pos) {
                None => {
                    if text.ends_with("<%") {
                        return Err(self.fail(issues::epp_unbalanced_expression(), self.pos));
                    }
                    return Ok((Some(text), Next::End));
                }
                Some(b'-') => {
                    self.pos += 1;
                    text.truncate(opening);
                    text.truncate(text.trim_end_matches([' ', '\t']).len());
                    return Ok((Some(text), Next::Code));
                }
                Some(b'%') => self.pos += 1,
                Some(b'=') => {
                    self.pos += 1;
                    text.truncate(opening);
                    return Ok((Some(text), Next::Expression));
                }
                Some(b'#') => {
                    text.truncate(opening);
                    let comment = &source[self.pos..];
                    let ends = memchr::memmem::find_iter(comment.as_bytes(), b"%>");
                    let end = ends.filter(|&at| at > 0).find(|&at| comment.as_bytes()[at - 1] != b'%');
                    let Some(end) = end else {
                        return Err(self.fail(issues::epp_unbalanced_comment(), self.pos));
                    };
                    if comment[1..].starts_with('-') {
                        text.truncate(text.trim_end_matches([' ', '\t']).len());
                    }
                    trim = comment[..end].ends_with('-');
                    self.pos += end + 2;
                }
                Some(_) => {
                    text.truncate(opening);
                    return Ok((Some(text), Next::Code));
                }
            }
        }
        Ok((None, Next::End))
    }
}

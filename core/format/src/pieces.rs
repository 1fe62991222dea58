//! Splits a text into the units of the layout: tokens as pieces, and the comments between them.

use bunraku_syntax::source::Span;
use bunraku_syntax::token::TokenKind;
use bunraku_syntax::tokens::{StretchKind, Tokens};

/// A unit that is never split: a token, or a whole string with its interpolations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The kind of its first token.
    pub kind: TokenKind,
    pub span: Span,
    /// The number of line ends between the preceding piece or comment and this piece, at most two.
    pub lines: u8,
    /// The number of heredocs whose tags are in it.
    pub heredocs: u16,
    /// The index of the first comment after the previous piece.
    pub first_comment: u32,
}

/// A comment between two pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub span: Span,
    /// The number of line ends between the preceding piece or comment and this comment, at most two.
    pub lines: u8,
}

/// All pieces of a text, with one of the kind [`TokenKind::End`] at its end.
#[derive(Debug)]
pub(crate) struct Pieces<'t> {
    pub text: &'t str,
    pub all: Vec<Piece>,
    pub comments: Vec<Comment>,
    /// The texts of heredocs, in order.
    pub heredocs: Vec<Span>,
    /// Whether the first line outside of strings ends with `\r\n`.
    pub has_returns: bool,
}

impl<'t> Pieces<'t> {
    /// Splits a text without errors. `None` if it cannot be laid out: texts of heredocs begin in the middle
    /// of strings, or it is a template.
    pub fn of(text: &'t str, tokens: &Tokens) -> Option<Self> {
        let mut made = Self {
            text,
            all: Vec::with_capacity(text.len() / 5),
            comments: Vec::new(),
            heredocs: Vec::new(),
            has_returns: false,
        };
        let mut is_first_line = true;
        let (mut lines, mut first_comment, mut nested) = (0_u8, 0, 0_u32);
        let mut tags = 0;
        for stretch in tokens.stretches() {
            let kind = match stretch.kind {
                StretchKind::Token(kind) => kind,
                _ if nested > 0 => {
                    if stretch.kind == StretchKind::HeredocText {
                        return None;
                    }
                    continue;
                }
                StretchKind::Space => continue,
                StretchKind::LineEnd => {
                    made.has_returns |=
                        is_first_line && made.text.as_bytes()[..stretch.span.end as usize].ends_with(b"\r\n");
                    is_first_line = false;
                    lines = lines.saturating_add(1).min(2);
                    continue;
                }
                StretchKind::HeredocText => {
                    made.heredocs.push(stretch.span);
                    lines = 1;
                    continue;
                }
                StretchKind::Comment => {
                    made.comments.push(Comment { span: stretch.span, lines: std::mem::take(&mut lines) });
                    continue;
                }
                _ => return None,
            };
            tags += usize::from(kind == TokenKind::Heredoc);
            if nested == 0 {
                let heredocs = u16::from(kind == TokenKind::Heredoc);
                made.all.push(Piece { kind, span: stretch.span, lines, heredocs, first_comment });
                lines = 0;
                first_comment = made.comments.len() as u32;
                nested = u32::from(kind == TokenKind::DqPre);
                continue;
            }
            if let Some(string) = made.all.last_mut() {
                string.span.end = stretch.span.end;
                string.heredocs += u16::from(kind == TokenKind::Heredoc);
            }
            match kind {
                TokenKind::DqPre => nested += 1,
                TokenKind::DqPost => nested -= 1,
                _ => {}
            }
        }
        let end = Span::new(text.len() as u32, text.len() as u32);
        made.all.push(Piece { kind: TokenKind::End, span: end, lines, heredocs: 0, first_comment });
        (made.heredocs.len() == tags).then_some(made)
    }

    pub fn text_of(&self, piece: usize) -> &'t str {
        self.slice(self.all[piece].span)
    }

    pub fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The comments between the previous piece and a piece, as indices.
    pub fn comments_before(&self, piece: usize) -> std::ops::Range<usize> {
        let first = self.all[piece].first_comment as usize;
        let last = self.all.get(piece + 1).map_or(self.comments.len(), |next| next.first_comment as usize);
        first..last
    }

    pub fn has_comments_before(&self, piece: usize) -> bool {
        !self.comments_before(piece).is_empty()
    }

    /// The piece that starts at an offset.
    pub fn starting_at(&self, offset: u32) -> Option<usize> {
        self.all.binary_search_by_key(&offset, |piece| piece.span.start).ok()
    }

    /// The piece that ends at an offset.
    pub fn ending_at(&self, offset: u32) -> Option<usize> {
        let (_, tokens) = self.all.split_last()?;
        tokens.binary_search_by_key(&offset, |piece| piece.span.end).ok()
    }
}

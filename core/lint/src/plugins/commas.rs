//! The comma behind the last element of a list that ends on a line of its own.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::token::Kind;

pub(crate) fn trailing_comma(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()? {
        missing(text, resource.end, Kind::Colon, found);
    }
    let brackets = next_of_each(text, Kind::RBrack);
    for at in text.of_kind(|kind| kind == Kind::LBrack) {
        let is_access = matches!(text.prev_kind(at), Some(Kind::ClassRef | Kind::Type));
        if let Some(end) = brackets[at].filter(|_| !is_access) {
            missing(text, end, Kind::LBrack, found);
        }
    }
    for at in text.of_kind(|kind| kind == Kind::LBrace) {
        let before = text.prev_kind(at);
        if matches!(before, Some(Kind::Equals | Kind::IsEqual | Kind::FArrow | Kind::LParen))
            && let Some(end) = closing_brace(text, at)?
        {
            missing(text, end, Kind::LBrace, found);
        }
    }
    let braces = next_of_each(text, Kind::RBrace);
    for at in text.of_kind(|kind| kind == Kind::ClassRef) {
        let is_default = text.next_kind(at) == Some(Kind::LBrace)
            && text.prev_kind(at).is_some_and(|before| !matches!(before, Kind::RShift | Kind::Match));
        if let Some(end) = braces[at].filter(|_| is_default) {
            missing(text, end, Kind::LBrace, found);
        }
    }
    Ok(())
}

/// For each token, the first one of a kind behind it; without any, the last token.
fn next_of_each(text: &Manifest<'_>, wanted: Kind) -> Vec<Option<usize>> {
    let count = text.tokens.len();
    let mut next = count.checked_sub(1);
    let mut found = vec![None; count];
    for at in (0..count).rev() {
        found[at] = next.filter(|&next| next > at);
        if text.kind(at) == wanted {
            next = Some(at);
        }
    }
    found
}

/// The brace that closes another one; without one, the last token.
fn closing_brace(text: &Manifest<'_>, open: usize) -> Result<Option<usize>, CheckError> {
    let mut depth = 0_u32;
    for at in open + 1..text.tokens.len() {
        text.step()?;
        match text.kind(at) {
            Kind::LBrace => depth += 1,
            Kind::RBrace if depth == 0 => return Ok(Some(at)),
            Kind::RBrace => depth -= 1,
            _ => {}
        }
    }
    Ok(text.tokens.len().checked_sub(1).filter(|&last| last > open))
}

/// Reports the end of the last element before a bracket, unless there is none, or what follows is on its
/// line.
fn missing(text: &Manifest<'_>, end: usize, start: Kind, found: &mut Problems<'_>) {
    let mut last = text.prev_code(end);
    // The comma belongs to the line where a heredoc begins.
    if last.is_some_and(|last| matches!(text.kind(last), Kind::Heredoc | Kind::HeredocPost)) {
        while let Some(at) = last.filter(|&at| text.kind(at) != Kind::HeredocOpen) {
            last = text.prev_code(at);
        }
    }
    if text.kind(end) == Kind::Semic {
        return;
    }
    if let Some(last) = last.filter(|&last| text.kind(last) != start && text.kind(last) != Kind::Comma)
        && text.tokens.get(last + 1).is_some_and(|next| next.kind == Kind::Newline)
    {
        found.at(last + 1, "missing trailing comma after last element");
    }
}

//! Checks of lines and white space.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::token::Kind;

fn long_lines(text: &Manifest<'_>, limit: u32, found: &mut Problems<'_>) {
    for (number, line) in text.text.split('\n').enumerate() {
        let is_excepted = || line.contains("://") || line.contains("template(");
        let is_long = line.len() > limit as usize && line.chars().count() > limit as usize;
        if is_long && !is_excepted() {
            found.line(number as u32 + 1, limit, format!("line has more than {limit} characters"));
        }
    }
}

pub(crate) fn chars_140(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    long_lines(text, 140, found);
    Ok(())
}

pub(crate) fn chars_80(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    long_lines(text, 80, found);
    Ok(())
}

pub(crate) fn soft_tabs(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::Indent) {
        if text.value(at).chars().count() % 2 == 1 {
            found.at(at, "two-space soft tabs not used");
        }
    }
    Ok(())
}

pub(crate) fn hard_tabs(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| matches!(kind, Kind::Indent | Kind::Whitespace)) {
        if text.value(at).contains('\t') {
            found.at(at, "tab character found");
        }
    }
    Ok(())
}

pub(crate) fn trailing_whitespace(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| matches!(kind, Kind::Indent | Kind::Whitespace)) {
        if text.tokens.get(at + 1).is_none_or(|next| next.kind == Kind::Newline) {
            found.at(at, "trailing whitespace found");
        }
    }
    Ok(())
}

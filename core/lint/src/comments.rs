//! Checks of comments.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::token::Kind;

pub(crate) fn slash_comments(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    text.of_kind(|kind| kind == Kind::SlashComment).for_each(|at| found.at(at, "// comment found"));
    Ok(())
}

pub(crate) fn star_comments(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    text.of_kind(|kind| kind == Kind::StarComment).for_each(|at| found.at(at, "/* */ comment found"));
    Ok(())
}

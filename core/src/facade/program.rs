//! Manifests as syntax trees.

use std::sync::Arc;

use bunraku_engine::eval::limits::{Cancel, Usage};
use bunraku_host::disk::DiskHost;
use bunraku_syntax::ast::Program;
#[cfg(doc)]
use bunraku_syntax::diagnostic::ErrorKind;
use bunraku_syntax::diagnostic::{Diagnostic, Error, Strictness};
use bunraku_syntax::parse_watched;
use bunraku_syntax::source::Source;
use bunraku_syntax::watch::Watch;

use super::text::{TextOptions, validate_text};

/// Parses the text of a manifest.
///
/// `path` is the file name for places in errors; the file is not read. A text whose path ends with `.epp` is
/// a template; a text whose path is below a directory `plans` may have plans and `apply`.
/// [`syntax::parse`](bunraku_syntax::parse) has options for both. Parsing takes time and memory
/// in proportion to the text; [`parse_cancellable`] limits both.
///
/// # Errors
/// The first error of the lexer or the parser, with the message and the place that the reference gives.
pub fn parse(text: impl Into<String>, path: Option<&str>) -> Result<Program, Diagnostic> {
    bunraku_syntax::parse(Arc::new(Source::new(path, text)), &TextOptions::of_path(path).parsing())
}

/// Parses the text of a manifest as [`parse`] does, and stops when `cancel` is set. Parsing may use 300
/// seconds of the thread's processor time and 1 GiB of memory.
///
/// # Errors
/// The first error of the lexer or the parser, or an error of the kind [`Cancelled`](ErrorKind::Cancelled) or
/// [`Limit`](ErrorKind::Limit) at the place that the parser had reached.
///
/// ```
/// let cancel = bunraku::Cancel::new();
/// assert!(bunraku::parse_cancellable("notice(1)", None, &cancel).is_ok());
/// cancel.cancel();
/// let error = bunraku::parse_cancellable("notice(1)", None, &cancel).unwrap_err();
/// assert_eq!(error.kind, bunraku::ErrorKind::Cancelled);
/// ```
pub fn parse_cancellable(
    text: impl Into<String>,
    path: Option<&str>,
    cancel: &Cancel,
) -> Result<Program, Error> {
    let usage = Usage::of_reading(Some(cancel.clone()), &DiskHost);
    usage.ends.check()?;
    let (source, options) = (Arc::new(Source::new(path, text)), TextOptions::of_path(path).parsing());
    Ok(parse_watched(source, &options, &mut Vec::new(), &Watch::new(&usage.ends))??)
}

/// Parses and validates the text of a manifest as [`validate`] does, and stops when `cancel` is set. The
/// limits are those of [`parse_cancellable`].
///
/// # Errors
/// The work was stopped: an error of the kind [`Cancelled`](ErrorKind::Cancelled) or
/// [`Limit`](ErrorKind::Limit).
pub fn validate_cancellable(
    text: impl Into<String>,
    path: Option<&str>,
    cancel: &Cancel,
) -> Result<Vec<Diagnostic>, Error> {
    let usage = Usage::of_reading(Some(cancel.clone()), &DiskHost);
    usage.ends.check()?;
    let source = Arc::new(Source::new(path, text));
    validate_text(source, TextOptions::of_path(path), Strictness::default(), false, &Watch::new(&usage.ends))
}

/// Parses and validates the text of a manifest. Returns the warnings of the lexer and either the first syntax
/// error or everything that the validator finds, parameters with names of metaparameters, and duplicate
/// definitions. A valid manifest gives an empty list. The path has the same meaning as for [`parse`].
///
/// A diagnostic of [`Severity::Error`](bunraku_syntax::diagnostic::Severity::Error) means that the reference
/// rejects the manifest.
pub fn validate(text: impl Into<String>, path: Option<&str>) -> Vec<Diagnostic> {
    let source = Arc::new(Source::new(path, text));
    let options = TextOptions::of_path(path);
    validate_text(source, options, Strictness::default(), false, &Watch::default()).unwrap_or_default()
}

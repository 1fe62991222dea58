//! Formats programs according to the style guide of Puppet's language.
//!
//! A text is split into pieces (tokens, whole strings) and the comments between them. The syntax tree
//! determines what brackets contain and where statements begin (`roles`). The printer walks the pieces once
//! and decides for each pair of brackets whether its content stays on one line: if the source has no line end
//! between its members, and it fits (`print`). The result is parsed again. If it does not have the same tree
//! and the same comments, nothing is returned (`same`).
//!
//! This is a document algebra in the form of a list: a bracket is a group, a separator of members is a line
//! that may break. The existing crates first build a tree of boxes for each document, and have no text that
//! waits for the next end of a line, as heredocs do.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

mod columns;
mod layout;
mod part;
mod pieces;
mod print;
mod roles;
mod same;
mod template;

use std::ops::RangeInclusive;
use std::sync::Arc;

use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Source;
use bunraku_syntax::tokens::Tokens;
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};

use pieces::Pieces;

/// The style of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// The maximum number of characters in a line, where possible.
    pub width: usize,
    /// The number of spaces by which the content of brackets is indented.
    pub indentation: usize,
    /// Whether the arrows of a resource, hash or selector are aligned.
    pub align_arrows: bool,
    /// Whether strings without interpolation and escapes get single quotes.
    pub single_quotes: bool,
    /// Whether the text is a template (EPP).
    pub epp: bool,
    /// Whether `plan` and `apply` are keywords.
    pub tasks: bool,
    /// The lines whose statements are formatted, from 1; the others stay as they are. A statement is
    /// formatted whole. In a template, the tags on these lines are.
    pub lines: Option<RangeInclusive<u32>>,
    /// Whether a text that cannot be parsed is formatted but for the statements with errors. A template is
    /// not.
    pub recover: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            width: 140,
            indentation: 2,
            align_arrows: true,
            single_quotes: true,
            epp: false,
            tasks: false,
            lines: None,
            recover: false,
        }
    }
}

/// Formats a text.
///
/// # Errors
/// The text cannot be parsed: the first error, with its place.
///
/// ```
/// use bunraku_format::{FormatOptions, format};
///
/// let text = "file{'/etc/motd':ensure=>file,mode=>\"0644\"}";
/// let expected = "file { '/etc/motd':\n  ensure => file,\n  mode   => '0644',\n}\n";
/// assert_eq!(format(text, &FormatOptions::default())?, expected);
/// # Ok::<(), bunraku_syntax::diagnostic::Error>(())
/// ```
pub fn format(text: impl Into<String>, options: &FormatOptions) -> Result<String, Error> {
    format_watched(Arc::new(Source::new(None, text)), options, &Watch::default())
}

/// Formats a text; the watch can cancel it.
///
/// # Errors
/// The text cannot be parsed, or the work was cancelled.
pub fn format_watched(
    source: Arc<Source>,
    options: &FormatOptions,
    watch: &Watch<'_>,
) -> Result<String, Error> {
    let parse_options = ParseOptions { epp: options.epp, tasks: options.tasks, ..ParseOptions::default() };
    let program = match parse_watched(Arc::clone(&source), &parse_options, &mut Vec::new(), watch)? {
        Err(_) if options.recover && !options.epp => return part::around_damage(&source, options, watch),
        program => program?,
    };
    let tokens = Tokens::new(Arc::clone(&source), &parse_options);
    watch.check()?;
    let written = match &options.lines {
        _ if options.epp => Some(template::print(&tokens, options, watch)?),
        Some(lines) => Some(part::lines(&program, &tokens, lines, options, watch)?),
        None => Pieces::of(source.text(), &tokens).map(|pieces| print::print(&pieces, &program, options)),
    };
    drop(tokens);
    let Some(written) = written.filter(|written| written != source.text()) else {
        return Ok(source.text().to_owned());
    };
    let changed = || Error { kind: ErrorKind::Bug, ..Error::plain(CHANGED) };
    let again = Arc::new(Source::new(source.path().map(|path| &**path), written));
    let again = parse_watched(again, &parse_options, &mut Vec::new(), watch)?.map_err(|_| changed())?;
    if !same::is_same(&program, &again) {
        return Err(changed());
    }
    let source = Arc::clone(again.source());
    drop(again);
    Ok(Arc::try_unwrap(source).map_or_else(|shared| shared.text().to_owned(), Source::into_text))
}

/// The message of a fault in the formatter.
const CHANGED: &str = "the formatted text would not mean the same as before; it is left as it is";

#[cfg(test)]
mod tests;

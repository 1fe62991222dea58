//! Programs written as the style guide of Puppet's language has them.
//!
//! A text is taken apart into pieces (tokens, whole strings) and the comments between them; the syntax tree
//! says what brackets stand for and where statements begin (`roles`). The printer walks the pieces once and
//! decides for each pair of brackets whether what is in it stays in one line: when there was no line end
//! between its members, and it fits (`print`). What was written is read again: it has the same tree and the
//! same comments, or nothing is answered (`same`).
//!
//! It is an algebra of documents in the form of a list: a bracket is a group, what separates its members is a
//! line that may be broken. The crates that have one build a tree of boxes for each document first, and have
//! no text that waits for the next end of a line, which heredocs are.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

mod columns;
mod layout;
mod pieces;
mod print;
mod roles;
mod same;
mod template;

use std::sync::Arc;

use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Source;
use bunraku_syntax::tokens::Tokens;
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};

use pieces::Pieces;

/// How programs are to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// How many characters a line should have at most.
    pub width: usize,
    /// How many spaces deeper what is in brackets stands.
    pub indentation: usize,
    /// Whether the arrows of a resource, hash or selector stand below each other.
    pub align_arrows: bool,
    /// Whether strings without interpolation and escapes are put in single quotes.
    pub single_quotes: bool,
    /// Whether the text is a template (EPP).
    pub epp: bool,
    /// Whether `plan` and `apply` are keywords.
    pub tasks: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self { width: 140, indentation: 2, align_arrows: true, single_quotes: true, epp: false, tasks: false }
    }
}

/// Formats a text.
///
/// # Errors
/// It cannot be parsed: the first error, with its place.
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

/// Formats a text; what watches may end it.
///
/// # Errors
/// It cannot be parsed, or the work was ended.
pub fn format_watched(
    source: Arc<Source>,
    options: &FormatOptions,
    watch: &Watch<'_>,
) -> Result<String, Error> {
    let parse_options = ParseOptions { epp: options.epp, tasks: options.tasks, ..ParseOptions::default() };
    let program = parse_watched(Arc::clone(&source), &parse_options, &mut Vec::new(), watch)??;
    let tokens = Tokens::new(Arc::clone(&source), &parse_options);
    watch.check()?;
    let written = match options.epp {
        true => Some(template::print(&tokens)),
        false => Pieces::of(source.text(), &tokens).map(|pieces| print::print(&pieces, &program, options)),
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

/// What a fault of the formatter says.
const CHANGED: &str = "the formatted text would not mean the same as before; it is left as it is";

#[cfg(test)]
mod tests;

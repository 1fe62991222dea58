//! Manifests as syntax trees.

use std::sync::Arc;

use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::Diagnostic;
use bunraku_syntax::source::Source;
use bunraku_syntax::validate::ValidateOptions;
use bunraku_syntax::{ParseOptions, parse_with_warnings};

/// Parses the text of a manifest.
///
/// `path` is the name of the file for places in errors; it is not read.
/// [`syntax::parse`](bunraku_syntax::parse) takes options (templates in EPP, plans).
///
/// # Errors
/// The first error of the lexer or the parser, with the message and the place that the reference gives.
pub fn parse(text: impl Into<String>, path: Option<&str>) -> Result<Program, Diagnostic> {
    bunraku_syntax::parse(Arc::new(Source::new(path, text)), &ParseOptions::default())
}

/// Parses and validates the text of a manifest, and returns all that there is to say about it: warnings of
/// the lexer, the first syntax error or, if there is none, everything that the validator finds. A sound
/// manifest gives an empty list.
///
/// A diagnostic of [`Severity::Error`](bunraku_syntax::diagnostic::Severity::Error) means that the reference
/// refuses the manifest.
pub fn validate(text: impl Into<String>, path: Option<&str>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let source = Arc::new(Source::new(path, text));
    match parse_with_warnings(source, &ParseOptions::default(), &mut diagnostics) {
        Ok(program) => {
            diagnostics.extend(bunraku_syntax::validate::validate(&program, &ValidateOptions::default()));
        }
        Err(error) => diagnostics.push(error),
    }
    diagnostics
}

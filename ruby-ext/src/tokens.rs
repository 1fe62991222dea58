//! `Bunraku.tokens`, `Bunraku.format` and `Bunraku.lint`.

use std::sync::Arc;

use bunraku::formatter::{FormatOptions, format_watched};
use bunraku::requests;
use bunraku::source::Source;
use bunraku::syntax::ParseOptions;
use bunraku::syntax::tokens::Tokens;
use bunraku::syntax::watch::Watch;
use magnus::{Error, RModule, Ruby, Value, prelude::*};

use crate::convert::json_to_ruby;
use crate::crossing::watched_reading;
use crate::entry::function;
use crate::modules::answer;
use crate::raw::NewArray;
use crate::{failure, gvl};

/// `[kind, offset, length, line, column]` of each token and each piece of trivia, followed for a token by the
/// number of its trailing pieces, for trivia by nil.
fn tokens(ruby: &Ruby, source: String, epp: bool, tasks: bool) -> Result<Value, Error> {
    let source = Arc::new(Source::new(None, source));
    let options = ParseOptions { epp, tasks, ..ParseOptions::default() };
    let tokens = gvl::without(move || Tokens::new(source, &options))?;
    let rows = NewArray::new(ruby, tokens.stretches().len());
    let number = |number: usize| ruby.integer_from_u64(number as u64).as_value();
    for token in tokens.iter() {
        let own = (!token.span.is_empty()).then_some((token.kind, token.span, Some(token.trailing.len())));
        let leading = token.leading.iter().map(|one| (one.kind, one.span, None));
        let trailing = token.trailing.iter().map(|one| (one.kind, one.span, None));
        for (kind, span, trails) in leading.chain(own).chain(trailing) {
            let place = tokens.source().position(span.start);
            let row = NewArray::new(ruby, 6);
            row.push(ruby.to_symbol(kind.name()).as_value());
            row.push(number(span.start as usize));
            row.push(number(span.len() as usize));
            row.push(number(place.line as usize));
            row.push(number(place.column as usize));
            row.push(trails.map_or(ruby.qnil().as_value(), number));
            rows.push(row.object());
        }
    }
    Ok(rows.object())
}

/// Formats a text; `layout` is the width and the indentation, `part` the lines and whether damage is passed
/// over.
fn format(
    ruby: &Ruby,
    source: String,
    syntax: (bool, bool),
    layout: (usize, usize),
    style: (bool, bool),
    part: (Option<(u32, u32)>, bool),
) -> Result<String, Error> {
    let (epp, tasks) = syntax;
    let (width, indentation) = layout;
    let (align_arrows, single_quotes) = style;
    let (lines, recover) = (part.0.map(|(from, to)| from..=to), part.1);
    let options =
        FormatOptions { width, indentation, align_arrows, single_quotes, epp, tasks, lines, recover };
    let source = Arc::new(Source::new(None, source));
    let written =
        watched_reading(ruby, move |usage| format_watched(source, &options, &Watch::new(&usage.ends)))?;
    written.map_err(|error| failure::raised(ruby, &error))
}

/// Checks a text as puppet-lint does; `request` is JSON text.
fn lint(ruby: &Ruby, source: String, request: String) -> Result<Value, Error> {
    answer(ruby, &request, |request, check| requests::lint(&source, request, &Watch::new(check)))
}

/// The checks of texts.
fn lint_checks(ruby: &Ruby) -> Result<Value, Error> {
    let checks = requests::lint_checks().map_err(|error| failure::raised(ruby, &error))?;
    json_to_ruby(ruby, &checks)
}

/// Defines the functions.
pub(crate) fn define(_: &Ruby, module: RModule) -> Result<(), Error> {
    module.define_singleton_method("native_tokens", function!(tokens, 3))?;
    module.define_singleton_method("native_format", function!(format, 5))?;
    module.define_singleton_method("native_lint", function!(lint, 2))?;
    module.define_singleton_method("native_lint_checks", function!(lint_checks, 0))
}

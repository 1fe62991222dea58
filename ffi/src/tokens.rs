//! Texts as tokens with white space and comments, formatting, and checks of style.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use bunraku_core::formatter::{FormatOptions, format_watched};
use bunraku_core::pcore::keys::{Keyed, Names};
use bunraku_core::requests;
use bunraku_core::source::Source;
use bunraku_core::syntax::tokens::{StretchKind, Tokens};
use bunraku_core::syntax::watch::Watch;
use serde_json::Value as Json;

use crate::boundary::{CallError, ask, free, give, guard, guard_or, misuse, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::error::bunraku_error;
use crate::node::{bunraku_span, write_span};
use crate::program::{options_of, source_of};
use crate::text::{bunraku_string, bunraku_text};

/// All tokens of a text, with the white space and the comments between them. Immutable: any number of threads
/// can read it.
pub struct bunraku_tokens {
    tokens: Tokens,
    /// For each token and each piece of trivia, the index of the token that it belongs to.
    owners: Vec<usize>,
}

/// A token, or white space or a comment between tokens. A plain value that is not freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct bunraku_token {
    /// The kind: "Name", "ClassRef", "FArrow", "HeredocText", "Comment", "Space", "LineEnd", "Unreadable"
    /// ..., NUL-terminated and static; NULL if the token does not exist.
    pub kind: *const c_char,
    /// The text, which ends where the next one's begins. Valid until the tokens are freed; not
    /// NUL-terminated.
    pub text: bunraku_text,
    /// The beginning in bytes.
    pub offset: u32,
    /// Whether this is white space or a comment.
    pub is_trivia: bool,
    /// The index of the token that it belongs to. Trivia that follows a token on its line belongs to that
    /// token, other trivia to the next one. A token belongs to itself. Trivia after the last token belongs to
    /// none: the index is that of bunraku_tokens_count.
    pub owner: usize,
}

/// The names of kinds, as C strings.
static KINDS: LazyLock<BTreeMap<&'static str, CString>> = LazyLock::new(|| {
    StretchKind::all().filter_map(|kind| Some((kind.name(), CString::new(kind.name()).ok()?))).collect()
});

/// Splits a text into tokens, whatever errors it has. The text is copied.
///
/// @param source  the text, UTF-8
/// @param syntax  the kind of text: one of bunraku_syntax
/// @param tokens  receives the tokens, to be freed with bunraku_tokens_free
/// @return NULL on success, even if the text has errors
///
/// # Safety
/// The text is valid for reads of its length, `tokens` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_tokens_new(
    source: bunraku_text,
    syntax: u32,
    tokens: *mut *mut bunraku_tokens,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let source = unsafe { source_of(source, bunraku_text::NONE) }?;
        let options = options_of(syntax, &source)?;
        let made = Tokens::new(source, &options);
        let owners = owners(&made);
        // SAFETY: by the contract of this function.
        unsafe { give(tokens, bunraku_tokens { tokens: made, owners }) }
    })
}

fn owners(tokens: &Tokens) -> Vec<usize> {
    let mut owners = Vec::with_capacity(tokens.stretches().len());
    for token in tokens.iter() {
        let own = owners.len() + token.leading.len();
        let own_length = usize::from(!token.span.is_empty());
        owners.resize(own + own_length + token.trailing.len(), own);
    }
    owners
}

/// Frees tokens. NULL is allowed.
///
/// # Safety
/// `tokens` is NULL or came from bunraku_tokens_new, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_tokens_free(tokens: *mut bunraku_tokens) {
    // SAFETY: by the contract of this function.
    unsafe { free(tokens) }
}

/// The number of tokens and pieces of trivia.
///
/// # Safety
/// `tokens` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_tokens_count(tokens: *const bunraku_tokens) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { ask(tokens, 0, |own| Some(own.tokens.stretches().len())) }
}

/// A token or a piece of trivia by its index, from 0, in the order of the text.
///
/// # Safety
/// `tokens` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_tokens_token(tokens: *const bunraku_tokens, index: usize) -> bunraku_token {
    let none = bunraku_token {
        kind: std::ptr::null(),
        text: bunraku_text::NONE,
        offset: 0,
        is_trivia: false,
        owner: 0,
    };
    // SAFETY: by the contract of this function.
    unsafe {
        ask(tokens, none, |own| {
            let stretch = own.tokens.stretches().get(index)?;
            Some(bunraku_token {
                kind: KINDS.get(stretch.kind.name()).map_or(std::ptr::null(), |name| name.as_ptr()),
                text: bunraku_text::of(own.tokens.source().slice(stretch.span)),
                offset: stretch.span.start,
                is_trivia: stretch.kind.is_trivia(),
                owner: own.owners.get(index).copied()?,
            })
        })
    }
}

/// The place of a token or a piece of trivia.
///
/// @param unit  the unit: one of bunraku_unit
/// @param span  receives the place
/// @return whether it exists; otherwise nothing is written
///
/// # Safety
/// `tokens` is NULL or live, `span` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_tokens_span(
    tokens: *const bunraku_tokens,
    index: usize,
    unit: u32,
    span: *mut bunraku_span,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function.
        let Some(own) = (unsafe { tokens.as_ref() }) else { return false };
        let Some(stretch) = own.tokens.stretches().get(index) else { return false };
        // SAFETY: by the contract of this function.
        unsafe { write_span(own.tokens.source(), stretch.span, unit, span) }
    })
}

/// The members of the options that bunraku_format reads.
const OPTIONS: Names = &["align_arrows", "indentation", "lines", "recover", "single_quotes", "width"];

/// Formats a text according to the style guide. The result means the same and has the same comments.
///
/// @param source  the text, UTF-8
/// @param syntax  the kind of text: one of bunraku_syntax
/// @param options_json  a JSON object with "width" (the maximum number of characters in a line where
///     possible: 140), "indentation" (2), "align_arrows" (true), "single_quotes" (true), "lines" (the first
///     and the last line, from 1, whose statements are formatted: all), "recover" (whether a text that cannot
///     be parsed is formatted but for the statements with errors: false); BUNRAKU_NO_TEXT for none
/// @param formatted  receives the text, to be freed with bunraku_string_free
/// @return NULL on success; the first error if the text cannot be parsed
///
/// # Safety
/// The texts are valid for reads of their lengths, `formatted` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_format(
    source: bunraku_text,
    syntax: u32,
    options_json: bunraku_text,
    formatted: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (source, options) =
            unsafe { (source_of(source, bunraku_text::NONE)?, text(options_json, "options_json")?) };
        let options = format_options(syntax, &source, options)?;
        let usage = watch_reading();
        let text = format_watched(Arc::clone(&source), &options, &Watch::new(&usage.ends))?;
        // SAFETY: by the contract of this function.
        unsafe { give(formatted, bunraku_string::new(text)) }
    })
}

/// Checks a text as puppet-lint does, and mends what can be mended.
///
/// @param source  the text, UTF-8
/// @param request_json  a JSON object, or an empty text: "path" (the absolute path of the file, for
///     autoloader_layout), "relative" (whether the layout of a module counts from its root), "only_checks"
///     (names of the checks that run), "plugins" (names of plug-ins of puppet-lint whose checks run, too, or
///     "voxpupuli-puppet-lint-plugins"), "checks" (an object: names of checks, and whether they run),
///     "top_scope_variables" (names), "docs_allowed_styles" (of "doc", "kafo", "strings"),
///     "chars_per_indent" (a number), "fix" (whether the text is mended). A text whose path ends with .yaml
///     or .yml is data, where old names of facts are found.
/// @param json  receives a JSON object with "findings" (objects with "check", "kind": "error", "warning",
///     "fixed" or "ignored", "message", "line", "column", and "reason" of ignored ones), "warnings" (of
///     comments that do not fit together) and "fixed" (the mended text); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The texts point to as many bytes as told, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_lint_json(
    source: bunraku_text,
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (source, request) = unsafe { (text(source, "source")?, text(request_json, "request_json")?) };
        let request = if request.is_empty() { Json::Null } else { data::parse(request)? };
        let usage = watch_reading();
        let answer = requests::lint(source, &request, &Watch::new(&usage.ends))?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(answer.to_string())) }
    })
}

/// The checks of bunraku_lint_json.
///
/// @param json  receives a JSON array of objects with "check", "severity" ("error" or "warning"), "on"
///     (whether it runs unless the request says otherwise), "fixed" (whether what it finds can be mended),
///     "about" and "plugin" (the plug-in of puppet-lint that has it, or null); to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_lint_checks_json(json: *mut *mut bunraku_string) -> *mut bunraku_error {
    guard(|| {
        let checks = requests::lint_checks()?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(checks.to_string())) }
    })
}

/// The first and the last line of a range.
fn lines(range: &Json) -> Result<RangeInclusive<u32>, CallError> {
    let number = |at: usize| range[at].as_u64().and_then(|number| u32::try_from(number).ok());
    let both = number(0).zip(number(1)).filter(|_| range.as_array().is_some_and(|range| range.len() == 2));
    both.map(|(from, to)| from..=to).ok_or_else(|| misuse("lines is no array of two numbers"))
}

fn format_options(syntax: u32, source: &Source, json: &str) -> Result<FormatOptions, CallError> {
    let syntax = options_of(syntax, source)?;
    let json = data::parse(json)?;
    let given = Keyed::new(&json, "options_json", &[OPTIONS])?;
    let plain = FormatOptions::default();
    let number = |key: &str, or: usize| match given.get(key) {
        None => Ok(or),
        Some(number) => number
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| misuse(&format!("{key} is no number from 0"))),
    };
    let flag = |key: &str, or: bool| match given.get(key) {
        None => Ok(or),
        Some(flag) => flag.as_bool().ok_or_else(|| misuse(&format!("{key} is neither true nor false"))),
    };
    Ok(FormatOptions {
        width: number("width", plain.width)?,
        indentation: number("indentation", plain.indentation)?,
        align_arrows: flag("align_arrows", plain.align_arrows)?,
        single_quotes: flag("single_quotes", plain.single_quotes)?,
        epp: syntax.epp,
        tasks: syntax.tasks,
        lines: given.get("lines").map(lines).transpose()?,
        recover: flag("recover", plain.recover)?,
    })
}

//! Checks of strings.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::problem::Fixing;
use crate::token::Kind;

pub(crate) fn double_quoted_strings(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::DoubleQuoted) {
        let value = text.value(at);
        // As many spaces as stand before the string count as the end of a line.
        let indentation = " ".repeat(text.tokens[at].column as usize);
        if !has_escape(value) && !value.contains(&indentation) {
            found.at(at, "double quoted string containing no variables");
        }
    }
    Ok(())
}

/// Whether a text has what means something else between single quotes.
fn has_escape(text: &str) -> bool {
    text.contains(['\'', '\r', '\t', '\n'])
        || ["\\$", "\\\"", "\\t", "\\s", "\\n", "\\\\"].iter().any(|escape| text.contains(escape))
}

pub(crate) fn only_variable_string(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for start in text.of_kind(|kind| kind == Kind::DqPre) {
        let variable = start + 1;
        let is_variable = text.tokens.get(variable).is_some_and(|token| token.kind.is_variable());
        if !text.value(start).is_empty() || !is_variable {
            continue;
        }
        // Accesses are three tokens each.
        let mut end = start + 2;
        while text.tokens.get(end).is_some_and(|token| token.kind == Kind::LBrack) {
            end += 3;
        }
        let is_end = text.tokens.get(end).is_some_and(|token| token.kind == Kind::DqPost);
        if is_end && text.value(end).is_empty() && text.next_kind(end) != Some(Kind::FArrow) {
            found.fixable(variable, "string containing only a variable", Fixing::Quotes(start, end));
        }
    }
    Ok(())
}

pub(crate) fn puppet_url_without_modules(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| matches!(kind, Kind::SingleQuoted | Kind::DoubleQuoted | Kind::DqPre)) {
        if let Some(rest) = text.value(at).strip_prefix(URL)
            && !path_of_url(rest).is_some_and(|path| path.starts_with("modules/"))
        {
            found.at(at, "puppet:// URL without modules/ found");
        }
    }
    Ok(())
}

/// How addresses of files on the server begin.
pub(crate) const URL: &str = "puppet://";

/// The path of an address, behind the server's name.
fn path_of_url(rest: &str) -> Option<&str> {
    let line = rest.lines().next()?;
    let slash = line.find('/')?;
    Some(&line[slash + 1..]).filter(|path| !path.is_empty())
}

pub(crate) fn quoted_booleans(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| matches!(kind, Kind::SingleQuoted | Kind::DoubleQuoted)) {
        if matches!(text.value(at), "true" | "false") {
            found.at(at, "quoted boolean value found");
        }
    }
    Ok(())
}

pub(crate) fn single_quote_string_with_variables(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::SingleQuoted) {
        let before = at.checked_sub(2).map_or("", |before| text.value(before));
        let is_template = before.contains("inline_epp") || before.contains("inline_template");
        if text.value(at).contains("${") && !is_template {
            found.at(at, "single quoted string containing a variable found");
        }
    }
    Ok(())
}

pub(crate) fn variables_not_enclosed(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::UnenclosedVariable) {
        found.at(at, "variable not enclosed in {}");
    }
    Ok(())
}

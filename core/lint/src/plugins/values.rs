//! Checks of strings, numbers and comparisons.

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::token::Kind;

pub(crate) fn unquoted_string_in_case(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    unquoted(text, Kind::Case, Kind::Colon, "unquoted string in case", found)
}

pub(crate) fn unquoted_string_in_selector(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    unquoted(text, Kind::QMark, Kind::FArrow, "unquoted string in selector", found)
}

/// Reports words in front of the signs that end the options of a case or selector.
fn unquoted(
    text: &Manifest<'_>,
    of: Kind,
    sign: Kind,
    message: &'static str,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for of in text.of_kind(|kind| kind == of) {
        for (start, end) in option_ranges(text, of)? {
            for sign in (start..=end).filter(|&at| text.kind(at) == sign) {
                for at in (0..sign).rev() {
                    text.step()?;
                    match text.kind(at) {
                        Kind::Newline | Kind::LBrace => break,
                        Kind::Name => found.at(at, message),
                        Kind::ClassRef if !text.value(at).contains("::") => found.at(at, message),
                        _ => {}
                    }
                }
            }
        }
    }
    Ok(())
}

/// The text between the braces of a case or selector, but for blocks in it.
fn option_ranges(text: &Manifest<'_>, of: usize) -> Result<Vec<(usize, usize)>, CheckError> {
    let (mut ranges, mut depth, mut start) = (Vec::new(), 0_i64, of);
    for at in of + 1..text.tokens.len() {
        text.step()?;
        match text.kind(at) {
            Kind::LBrace => {
                depth += 1;
                if depth == 2 {
                    ranges.push((start, at));
                }
            }
            Kind::RBrace => {
                if depth == 2 {
                    start = at;
                }
                depth -= 1;
                if depth == 0 {
                    ranges.push((start, at));
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(ranges)
}

pub(crate) fn leading_zero(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::Number) {
        let is_octal = |rest: &str| rest.starts_with(|digit: char| digit.is_ascii_digit());
        if text.value(at).strip_prefix('0').is_some_and(is_octal) {
            found.at(at, "unquoted number with leading zero");
        }
    }
    Ok(())
}

pub(crate) fn version_comparison(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::Variable) {
        let is_version = ["version", "release"].iter().any(|end| text.value(at).ends_with(end));
        let Some(sign) = text.next_code(at).filter(|_| is_version) else { continue };
        let is_numeric = match text.kind(sign) {
            Kind::Order => true,
            Kind::IsEqual | Kind::NotEqual => text.next_kind(sign) == Some(Kind::Number),
            _ => false,
        };
        if is_numeric {
            found.at(at, "version compared as number");
        }
    }
    Ok(())
}

pub(crate) fn empty_string_assignment(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::SingleQuoted) {
        if text.value(at).is_empty() && text.prev_kind(at) == Some(Kind::Equals) {
            found.at(at, "variable assigned to the empty string");
        }
    }
    Ok(())
}

pub(crate) fn undef_in_function(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for start in text.of_kind(|kind| kind == Kind::Name) {
        let before = start.checked_sub(1).map(|before| text.kind(before));
        let is_first = match before {
            None | Some(Kind::Newline | Kind::Indent) => true,
            Some(Kind::Whitespace) if start == 1 => true,
            _ => text.prev_kind(start) == Some(Kind::LParen),
        };
        if !is_first || text.next_kind(start) == Some(Kind::FArrow) {
            continue;
        }
        let (mut depth, mut has_parenthesis) = (0_i64, false);
        for at in start + 1..text.tokens.len() {
            text.step()?;
            let kind = text.kind(at);
            if depth == 0 && (has_parenthesis || kind == Kind::Newline) {
                break;
            }
            match kind {
                Kind::LParen => (depth, has_parenthesis) = (depth + 1, true),
                Kind::RParen => depth -= 1,
                Kind::Undef => found.at(at, "undef passed to a function"),
                _ => {}
            }
        }
    }
    Ok(())
}

//! Checks of white space around brackets, arrows and names, and of empty lines.

use crate::Problems;
use crate::manifest::{CheckError, Definition, Manifest};
use crate::token::Kind;

type Checked = Result<(), CheckError>;

/// The last token before one that is no space.
fn before(text: &Manifest<'_>, at: usize) -> Option<usize> {
    (0..at).rev().find(|&before| !text.kind(before).is_space())
}

/// The next token behind one that is no space.
fn behind(text: &Manifest<'_>, at: usize) -> Option<usize> {
    (at + 1..text.tokens.len()).find(|&behind| !text.kind(behind).is_space())
}

fn kind_at(text: &Manifest<'_>, at: usize) -> Option<Kind> {
    text.tokens.get(at).map(|token| token.kind)
}

/// Whether a token is one space.
fn is_single(text: &Manifest<'_>, at: usize) -> bool {
    kind_at(text, at) == Some(Kind::Whitespace) && text.value(at) == " "
}

/// Whether one space is between two tokens, and nothing else.
fn is_single_between(text: &Manifest<'_>, first: usize, second: usize) -> bool {
    first + 2 == second && is_single(text, first + 1)
}

const fn starts_line(kind: Kind) -> bool {
    matches!(kind, Kind::Indent | Kind::Newline)
}

/// What may stand right behind a closing bracket.
pub(crate) const fn follows_bracket(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::RBrack
            | Kind::RParen
            | Kind::Semic
            | Kind::Comma
            | Kind::Colon
            | Kind::Dot
            | Kind::Newline
            | Kind::DqMid
            | Kind::DqPost
            | Kind::LBrack
            | Kind::HeredocMid
            | Kind::HeredocPost
    )
}

pub(crate) fn arrows_single_space_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::FArrow) {
        if at + 1 < text.tokens.len() && !is_single(text, at + 1) {
            found.at(at + 1, "there should be a single space after an arrow");
        }
    }
    Ok(())
}

pub(crate) fn inherits_name_single_space_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::Inherits) {
        let name = text.next_of(at, &[Kind::Name, Kind::FunctionName])?;
        if name.is_some_and(|name| !is_single_between(text, at, name)) {
            found.at(at + 1, "there should be a single space between the inherits statement and the name");
        }
    }
    Ok(())
}

/// The names behind the words `class` and `define`.
fn name_of(text: &Manifest<'_>, one: &Definition) -> Result<Option<usize>, CheckError> {
    text.next_of(one.start, &[Kind::Name, Kind::FunctionName])
}

pub(crate) fn class_name_single_space_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for one in text.definitions()? {
        if name_of(text, one)?.is_some_and(|name| !is_single_between(text, one.start, name)) {
            let message =
                "there should be a single space between the class or defined resource statement and the name";
            found.at(one.start + 1, message);
        }
    }
    Ok(())
}

pub(crate) fn class_name_single_space_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for one in text.definitions()? {
        let Some(name) = name_of(text, one)? else { continue };
        if behind(text, name).is_some_and(|behind| !is_single_between(text, name, behind)) {
            let message =
                "there should be a single space between the class or resource name and the next item";
            found.at(name, message);
        }
    }
    Ok(())
}

/// Reports white space before closing brackets that is no new line; between braces one space is right, too.
fn before_closing(text: &Manifest<'_>, bracket: Kind, message: &'static str, found: &mut Problems<'_>) {
    for at in text.of_kind(|kind| kind == bracket) {
        let Some(last) = before(text, at) else { continue };
        let previous = text.kind(at - 1);
        let is_right = match (bracket, text.kind(last)) {
            (Kind::RBrace, Kind::LBrace) => last + 1 == at,
            (Kind::RBrace, _) => is_single_between(text, last, at),
            _ => !previous.is_space(),
        };
        let is_on_line =
            previous == Kind::Indent && last + 3 == at || previous == Kind::Newline && last + 2 == at;
        if !is_right && !is_on_line {
            found.at(last + 1, message);
        }
    }
}

fn after_closing(text: &Manifest<'_>, bracket: Kind, message: &'static str, found: &mut Problems<'_>) {
    for at in text.of_kind(|kind| kind == bracket) {
        let Some(next) = kind_at(text, at + 1).filter(|&next| !follows_bracket(next)) else { continue };
        let is_right = next == Kind::Whitespace
            && behind(text, at).is_none_or(|behind| !follows_bracket(text.kind(behind)));
        if !is_right {
            found.at(at + 1, message);
        }
    }
}

pub(crate) fn closing_brace_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    let message = "there should be a single space or newline before a closing brace";
    before_closing(text, Kind::RBrace, message, found);
    Ok(())
}

pub(crate) fn closing_brace_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    let message = "there should be either a bracket, punctuation mark, closing quote or a newline after a \
                   closing brace, or whitespace and none of the aforementioned";
    after_closing(text, Kind::RBrace, message, found);
    Ok(())
}

pub(crate) fn closing_bracket_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    let message = "there should be no whitespace or a single newline before a closing bracket";
    before_closing(text, Kind::RBrack, message, found);
    Ok(())
}

pub(crate) fn closing_bracket_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    let message = "there should be either a bracket, punctuation mark, closing quote or a newline after a \
                   closing bracket, or whitespace and none of the aforementioned";
    after_closing(text, Kind::RBrack, message, found);
    Ok(())
}

pub(crate) fn two_empty_lines(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    let mut newlines = 0_u32;
    for (at, token) in text.tokens.iter().enumerate() {
        match token.kind {
            Kind::Newline => {
                newlines += 1;
                if newlines > 2 {
                    found.at(at, "there should be no two consecutive empty lines");
                }
            }
            kind if kind.is_space() => {}
            _ => newlines = 0,
        }
    }
    Ok(())
}

pub(crate) fn newline_beginning_of_file(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for (at, _) in text.tokens.iter().enumerate().take_while(|(_, token)| token.kind == Kind::Newline) {
        found.at(at, "there should not be a newline at the beginning of a manifest");
    }
    Ok(())
}

const ONE_AT_END: &str = "there should be a single newline at the end of a manifest";

pub(crate) fn missing_newline_end_of_file(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    if let Some(last) = text.tokens.len().checked_sub(1).filter(|&last| text.kind(last) != Kind::Newline) {
        found.at(last, ONE_AT_END);
    }
    Ok(())
}

pub(crate) fn double_newline_end_of_file(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in (1..text.tokens.len()).rev() {
        if text.kind(at) != Kind::Newline || text.kind(at - 1) != Kind::Newline {
            break;
        }
        found.at(at, ONE_AT_END);
    }
    Ok(())
}

pub(crate) fn opening_brace_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::LBrace) {
        let Some(last) = before(text, at) else { continue };
        let has_newline = || (last..at).any(|at| text.kind(at) == Kind::Newline);
        let is_right = match text.kind(last) {
            Kind::Comment | Kind::Colon => true,
            Kind::Comma if starts_line(text.kind(at - 1)) => true,
            Kind::LParen | Kind::LBrack => last + 1 == at || has_newline(),
            Kind::LBrace => has_newline() || is_single_between(text, last, at),
            _ => is_single_between(text, last, at),
        };
        if !is_right {
            found.at(at, "there should be a single space before an opening brace");
        }
    }
    Ok(())
}

pub(crate) fn opening_brace_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::LBrace) {
        let mut next = at + 1;
        match kind_at(text, next) {
            None | Some(Kind::RBrace | Kind::LBrack | Kind::LBrace) => continue,
            Some(Kind::Newline) if kind_at(text, next + 1) != Some(Kind::Newline) => continue,
            Some(Kind::Newline) => next += 1,
            Some(_) if is_single(text, next) => continue,
            Some(_) => {}
        }
        found.at(next, "there should be a single space or single newline after an opening brace");
    }
    Ok(())
}

pub(crate) fn opening_bracket_before(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::LBrack) {
        if !is_bracket_placed(text, at) {
            found.at(at, "there should be a single space before an opening bracket");
        }
    }
    Ok(())
}

/// Whether the text before an opening bracket is as it should be.
fn is_bracket_placed(text: &Manifest<'_>, at: usize) -> bool {
    let Some(last) = before(text, at) else { return true };
    let (previous, kind) = (text.kind(at - 1), text.kind(last));
    let is_first = starts_line(previous);
    let is_single = is_single_between(text, last, at);
    if matches!(previous, Kind::ClassRef | Kind::Variable | Kind::Name) || kind == Kind::Comment {
        return true;
    }
    let opens_line = match kind {
        Kind::Semic | Kind::Comma | Kind::Colon | Kind::Name => is_first,
        Kind::RBrack
        | Kind::RBrace
        | Kind::RParen
        | Kind::LParen
        | Kind::LBrack
        | Kind::LBrace
        | Kind::Type => is_first || last + 1 == at,
        _ => false,
    };
    if opens_line {
        return true;
    }
    match kind {
        Kind::RBrack | Kind::RBrace | Kind::RParen | Kind::LParen | Kind::LBrack | Kind::Type => false,
        Kind::ClassRef | Kind::Variable => false,
        // The body of a block or lambda.
        Kind::LBrace => before(text, last)
            .is_none_or(|outer| matches!(text.kind(outer), Kind::Name | Kind::Pipe) && is_single),
        _ => is_single,
    }
}

pub(crate) fn opening_bracket_after(text: &Manifest<'_>, found: &mut Problems<'_>) -> Checked {
    for at in text.of_kind(|kind| kind == Kind::LBrack) {
        let mut next = at + 1;
        match kind_at(text, next) {
            Some(Kind::Whitespace | Kind::Indent) => {}
            Some(Kind::Newline) if kind_at(text, next + 1) == Some(Kind::Newline) => next += 1,
            _ => continue,
        }
        found.at(next, "there should be no whitespace or a single newline after an opening bracket");
    }
    Ok(())
}

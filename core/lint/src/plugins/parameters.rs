//! Checks of the parameters of classes and defined types.

use std::sync::LazyLock;

use regex::Regex;

use crate::Problems;
use crate::classes::described;
use crate::manifest::{CheckError, Definition, Manifest};
use crate::token::Kind;

/// Styles in which comments document parameters, with what a comment of each looks like.
static STYLES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let styles = [
        ("doc", r"^(?-u:\s)*\[\*([a-zA-Z0-9_]+)\*\]"),
        ("kafo", r"^(?-u:\s)*\$([a-zA-Z0-9_]+):: "),
        ("strings", r"^(?-u:\s)*@param (?:\[.+\] )?([a-zA-Z0-9_]+)(?: |$)"),
    ];
    styles.into_iter().filter_map(|(name, pattern)| Some((name, Regex::new(pattern).ok()?))).collect()
});

/// The styles of [`parameter_documentation`], unless options say otherwise.
pub(crate) const DOCUMENTATION_STYLES: [&str; 3] = ["doc", "kafo", "strings"];

/// A comment that documents a parameter.
struct Documented<'m> {
    at: usize,
    style: &'static str,
    name: &'m str,
}

/// What a comment says of a parameter, or that a definition is private.
enum Said<'m> {
    Private,
    Of(Documented<'m>),
}

/// What puppet-lint takes for white space in comments.
const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

/// What the comments of a text say.
fn said<'m>(text: &'m Manifest<'_>) -> Vec<(usize, Said<'m>)> {
    let comments = text.of_kind(|kind| kind == Kind::Comment);
    let said = comments.filter_map(|at| {
        let value = text.value(at);
        let api = value.trim_start_matches(is_blank).strip_prefix("@api ");
        if api.is_some_and(|rest| rest.trim_start_matches(' ').trim_end_matches(is_blank) == "private") {
            return Some((at, Said::Private));
        }
        let (style, found) =
            STYLES.iter().find_map(|(style, pattern)| Some((*style, pattern.captures(value)?.get(1)?)))?;
        Some((at, Said::Of(Documented { at, style, name: found.as_str() })))
    });
    said.collect()
}

pub(crate) fn parameter_documentation(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    let said = said(text);
    for one in text.definitions()? {
        documentation_of(text, one, &said, found)?;
    }
    Ok(())
}

/// What the comments before a definition say of its parameters, the nearest one first.
#[derive(Default)]
struct Documentation<'d> {
    is_private: bool,
    parameters: Vec<(&'d str, &'d Documented<'d>)>,
    /// Parameters that more than one comment documents, with all of those.
    again: Vec<(&'d str, Vec<usize>)>,
}

impl<'d> Documentation<'d> {
    fn of(text: &Manifest<'_>, one: &Definition, said: &'d [(usize, Said<'d>)]) -> Result<Self, CheckError> {
        let mut made = Self::default();
        // All comments before a definition count.
        let said = &said[..said.partition_point(|(at, _)| *at < one.start)];
        for (_, said) in said.iter().rev() {
            text.step()?;
            let Said::Of(comment) = said else {
                made.is_private = true;
                continue;
            };
            let is_title = !one.is_class && matches!(comment.name, "name" | "title");
            let name = if is_title { TITLE } else { comment.name };
            let Some((_, first)) = made.parameters.iter().find(|(known, _)| *known == name) else {
                made.parameters.push((name, comment));
                continue;
            };
            match made.again.iter_mut().find(|(known, _)| *known == name) {
                Some((_, places)) => places.push(comment.at),
                None => made.again.push((name, vec![first.at, comment.at])),
            }
        }
        Ok(made)
    }
}

fn documentation_of(
    text: &Manifest<'_>,
    one: &Definition,
    said: &[(usize, Said<'_>)],
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    let (kind, class) = (described(one), text.value(one.name));
    let documentation = Documentation::of(text, one, said)?;
    let parameters = parameters(text, one, true)?;
    for (name, places) in documentation.again {
        for at in places {
            at_name(text, at, format!("Duplicate {kind} parameter documentation for {class}::{name}"), found);
        }
    }
    for (name, comment) in &documentation.parameters {
        let is_title = *name == TITLE && !one.is_class;
        if !is_title && !parameters.iter().any(|&at| text.value(at) == *name) {
            let message = format!("No matching {kind} parameter for documentation of {class}::{name}");
            at_name(text, comment.at, message, found);
        }
    }
    if documentation.is_private {
        return Ok(());
    }
    let styles = &text.options.docs_allowed_styles;
    for at in parameters {
        let name = text.value(at);
        let known = documentation.parameters.iter().find(|(known, _)| *known == name);
        let message = match known.map(|(_, comment)| comment.style) {
            None => format!("missing documentation for {kind} parameter {class}::{name}"),
            Some(style) if styles.iter().any(|allowed| allowed == style) => continue,
            Some(style) => {
                format!("invalid documentation style for {kind} parameter {class}::{name} ({style})")
            }
        };
        found.at(at, message);
    }
    Ok(())
}

/// What a defined type's title and name are called together.
const TITLE: &str = "name/title";

/// A finding at the name of a parameter in a comment.
fn at_name(text: &Manifest<'_>, at: usize, message: String, found: &mut Problems<'_>) {
    let (token, value) = (&text.tokens[at], text.value(at));
    let mut rest = value.trim_start_matches(is_blank);
    rest = rest.strip_prefix("@param").map_or(rest, |rest| rest.trim_start_matches(is_blank));
    let before = value[..value.len() - rest.len()].chars().count() as u32;
    found.line(token.line, token.column + before + 1, message);
}

/// The names of the parameters of a definition: of each list up to the next comma outside brackets, the first
/// variable. Braces are no brackets for some checks: variables in default values are parameters for those.
fn parameters(text: &Manifest<'_>, one: &Definition, with_braces: bool) -> Result<Vec<usize>, CheckError> {
    let Some((first, end)) = one.parameters else { return Ok(Vec::new()) };
    let (mut found, mut depth, mut is_inside) = (Vec::new(), 0_i64, false);
    for at in first..end {
        text.step()?;
        match text.kind(at) {
            Kind::Variable if !is_inside => {
                found.push(at);
                (depth, is_inside) = (0, true);
            }
            Kind::LParen | Kind::LBrack => depth += 1,
            Kind::RParen | Kind::RBrack => depth -= 1,
            Kind::LBrace if with_braces => depth += 1,
            Kind::RBrace if with_braces => depth -= 1,
            Kind::Comma if depth <= 0 => is_inside = false,
            _ => {}
        }
    }
    Ok(found)
}

/// The tokens of the default value of a parameter; empty without one.
fn default_value(text: &Manifest<'_>, parameter: usize) -> Result<std::ops::Range<usize>, CheckError> {
    let (mut depth, mut first) = (0_i64, None);
    let from = text.next_code(parameter).unwrap_or(text.tokens.len());
    for at in from..text.tokens.len() {
        text.step()?;
        match text.kind(at) {
            Kind::LParen | Kind::LBrack => depth += 1,
            Kind::RBrack => depth -= 1,
            Kind::RParen => depth -= 1,
            Kind::Equals => first = text.next_code(at),
            _ => {}
        }
        let ends = match text.kind(at) {
            Kind::RParen => depth < 0,
            Kind::Comma => depth <= 0,
            _ => false,
        };
        if ends {
            let last = text.prev_code(at);
            return Ok(first.zip(last).map_or(0..0, |(first, last)| first..last + 1));
        }
    }
    Ok(0..0)
}

/// The tokens of the type of a parameter; empty without one.
fn type_of(text: &Manifest<'_>, parameter: usize) -> Result<std::ops::Range<usize>, CheckError> {
    let (mut depth, mut at) = (0_i64, text.prev_code(parameter));
    while let Some(here) = at {
        text.step()?;
        let mut is_start = false;
        match text.kind(here) {
            Kind::LBrack => depth += 1,
            Kind::LParen => {
                depth += 1;
                is_start = depth > 0;
            }
            Kind::RBrack | Kind::RParen => depth -= 1,
            Kind::Comma => is_start = depth == 0,
            _ => {}
        }
        if is_start {
            let (first, last) = (text.next_code(here), text.prev_code(parameter));
            return Ok(first.zip(last).map_or(0..0, |(first, last)| first..last + 1));
        }
        at = text.prev_code(here);
    }
    Ok(0..0)
}

/// The parameters of all definitions that have a type of the language, with that type and the default value.
fn typed<'m>(
    text: &'m Manifest<'_>,
    mut each: impl FnMut(&'m Definition, usize, std::ops::Range<usize>, std::ops::Range<usize>),
) -> Result<(), CheckError> {
    for one in text.definitions()? {
        for at in parameters(text, one, false)? {
            let of = type_of(text, at)?;
            if !of.is_empty() && text.kind(of.start) == Kind::Type {
                each(one, at, of, default_value(text, at)?);
            }
        }
    }
    Ok(())
}

fn has_call(text: &Manifest<'_>, mut value: std::ops::Range<usize>) -> bool {
    value.any(|at| matches!(text.kind(at), Kind::Dot | Kind::LParen))
}

pub(crate) fn params_empty_string_assignment(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    typed(text, |_, at, of, value| {
        let is_empty = !value.is_empty()
            && text.kind(value.start) == Kind::SingleQuoted
            && text.value(value.start).is_empty();
        if is_empty && matches!(text.value(of.start), "String" | "Variant") {
            found.at(at, "class parameter with String type defaults to empty string");
        }
    })
}

pub(crate) fn optional_default(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    typed(text, |one, at, of, value| {
        if text.value(of.start) != "Optional" {
            return;
        }
        if value.is_empty() {
            if !one.is_class {
                found.at(at, "Optional defined type parameter doesn't have a default");
            }
        } else if !matches!(text.kind(value.start), Kind::Undef | Kind::Variable) && !has_call(text, value) {
            found.at(at, "Optional parameter defaults to something other than undef");
        }
    })
}

pub(crate) fn params_not_optional_with_undef(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    typed(text, |_, at, of, value| {
        let is_undef = !value.is_empty() && text.kind(value.start) == Kind::Undef;
        let takes_undef = match text.value(of.start) {
            "Optional" => true,
            "Variant" => has_undef(text, of),
            _ => false,
        };
        if is_undef && !takes_undef && !has_call(text, value) {
            found.at(at, "Not optional parameter defaults to undef");
        }
    })
}

/// Whether `Undef` is in the outer brackets of a type.
fn has_undef(text: &Manifest<'_>, of: std::ops::Range<usize>) -> bool {
    let mut depth = 0_i64;
    for at in of {
        match text.kind(at) {
            Kind::LBrack => depth += 1,
            Kind::RBrack => depth -= 1,
            Kind::Type if depth == 1 && text.value(at) == "Undef" => return true,
            _ => {}
        }
    }
    false
}

pub(crate) fn parameter_types(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    enum State {
        Begin,
        Type,
        Rest,
    }
    for one in text.definitions()? {
        let Some((first, end)) = one.parameters else { continue };
        let (mut state, mut parens, mut brackets) = (State::Begin, 0_u32, 0_u32);
        for at in (first..end).filter(|&at| !text.kind(at).is_formatting()) {
            text.step()?;
            match (&state, text.kind(at)) {
                (State::Begin, kind) => {
                    (parens, brackets) = (0, 0);
                    let is_type = kind == Kind::Type
                        || text
                            .value(at)
                            .lines()
                            .any(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
                    if is_type {
                        state = State::Type;
                    } else if kind == Kind::Variable {
                        let (class, name) = (text.value(one.name), text.value(at));
                        found.at(at, format!("missing datatype for parameter {class}::{name}"));
                        state = State::Rest;
                    }
                }
                (State::Type, Kind::Variable) => state = State::Rest,
                (State::Type, _) => {}
                (State::Rest, Kind::LParen) => parens += 1,
                (State::Rest, Kind::RParen) => parens = parens.saturating_sub(1),
                (State::Rest, Kind::LBrace | Kind::LBrack) => brackets += 1,
                (State::Rest, Kind::RBrace | Kind::RBrack) => brackets = brackets.saturating_sub(1),
                (State::Rest, Kind::Comma) if parens == 0 && brackets == 0 => state = State::Begin,
                (State::Rest, _) => {}
            }
        }
    }
    Ok(())
}

pub(crate) fn lookup_in_parameter(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let mut depth: Option<i64> = None;
    for (at, token) in text.tokens.iter().enumerate() {
        match (token.kind, depth) {
            (Kind::Class | Kind::Define, _) => {
                let name = text.next_code(at).filter(|&name| text.kind(name) == Kind::Name);
                if name.is_some_and(|name| text.next_kind(name) == Some(Kind::LParen)) {
                    depth = Some(0);
                }
            }
            (Kind::LParen, Some(open)) => depth = Some(open + 1),
            (Kind::RParen, Some(open)) => depth = Some(open - 1).filter(|&open| open != 0),
            (Kind::FunctionName, Some(_)) if token.value == "lookup" => {
                found.at(at, "lookup used to set the default value of a parameter");
            }
            _ => {}
        }
    }
    Ok(())
}

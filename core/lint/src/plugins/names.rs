//! Checks of the names of classes, variables and references.

use crate::Problems;
use crate::manifest::{CheckError, Manifest, Resource};
use crate::token::Kind;
use crate::variables::uppercase_names;

pub(crate) fn relative_classname_inclusion(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in 0..text.tokens.len() {
        let Some(next) = text.next_code(at) else { continue };
        match text.kind(at) {
            Kind::Name | Kind::FunctionName
                if matches!(text.value(at), "include" | "contain" | "require")
                    && text.kind(next) != Kind::FArrow =>
            {
                included(text, next, found)?;
            }
            Kind::Class if text.kind(next) == Kind::LBrace => {
                for name in next..text.tokens.len() {
                    text.step()?;
                    match text.kind(name) {
                        Kind::Colon => break,
                        Kind::Name | Kind::SingleQuoted => absolute(text, name, found),
                        _ => {}
                    }
                }
            }
            Kind::Inherits if text.kind(next) == Kind::Name => absolute(text, next, found),
            _ => {}
        }
    }
    Ok(())
}

/// Looks at the names behind `include` up to the end of the line. Arguments of calls are no names of classes.
fn included(text: &Manifest<'_>, first: usize, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let mut calls = 0_u32;
    for at in first..text.tokens.len() {
        text.step()?;
        match text.kind(at) {
            Kind::Newline => break,
            Kind::Name | Kind::FunctionName | Kind::SingleQuoted => match text.next_kind(at) {
                Some(Kind::LParen) => calls += 1,
                Some(Kind::RParen) if calls > 0 => calls -= 1,
                _ if calls == 0 => absolute(text, at, found),
                _ => {}
            },
            _ => {}
        }
    }
    Ok(())
}

fn absolute(text: &Manifest<'_>, name: usize, found: &mut Problems<'_>) {
    if text.value(name).starts_with("::") {
        found.at(name, "class included by absolute name (::$class)");
    }
}

pub(crate) fn relative_classname_reference(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::Type).filter(|&at| text.value(at) == "Class") {
        let Some(open) = text.next_code(at).filter(|&open| text.kind(open) == Kind::LBrack) else {
            continue;
        };
        for name in open..text.tokens.len() {
            text.step()?;
            match text.kind(name) {
                Kind::RBrack => break,
                Kind::Name | Kind::SingleQuoted if text.value(name).starts_with("::") => {
                    found.at(name, "absolute class name reference");
                }
                _ => {}
            }
        }
    }
    Ok(())
}

pub(crate) fn topscope_variable(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    if text.definitions()?.is_empty() {
        return Ok(());
    }
    for at in text.of_kind(|kind| kind == Kind::Variable) {
        let value = text.value(at);
        let Some(name) = value.strip_prefix("::") else { continue };
        let is_word = |space: &str| {
            space.len() > 1
                && !space.starts_with(|first: char| first.is_ascii_uppercase())
                && space.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if name.split_once("::").is_some_and(|(space, _)| is_word(space)) {
            found.at(at, format!("use ${name} instead of ${value}"));
        }
    }
    Ok(())
}

pub(crate) fn variable_contains_upcase(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    uppercase_names(text, "variable contains a capital letter", found);
    Ok(())
}

const BETWEEN: &str = "whitespce between reference type and title";

/// Reports types with white space in front of the bracket of their titles.
fn spaced(text: &Manifest<'_>, wanted: Kind, found: &mut Problems<'_>) {
    for at in text.of_kind(|kind| kind == wanted) {
        let is_spaced = text.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Whitespace);
        if is_spaced && text.next_kind(at) == Some(Kind::LBrack) {
            found.at(at, BETWEEN);
        }
    }
}

pub(crate) fn resource_reference_chain_without_whitespace(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    spaced(text, Kind::Type, found);
    Ok(())
}

pub(crate) fn resource_reference_without_whitespace(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    if !text.resources()?.is_empty() {
        spaced(text, Kind::ClassRef, found);
    }
    Ok(())
}

pub(crate) fn resource_reference_with_unquoted_title(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for resource in text.resources()? {
        for title in titles_of_references(text, resource).filter(|&title| text.kind(title) == Kind::Name) {
            found.at(title, "unquoted title in resource reference");
        }
    }
    Ok(())
}

pub(crate) fn resource_reference_without_title_capital(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for resource in text.resources()? {
        for title in titles_of_references(text, resource).filter(|&title| text.kind(title) == Kind::ClassRef)
        {
            found.at(title, "resource reference with title with capital letter");
        }
    }
    Ok(())
}

/// Attributes whose values are references.
const RELATIONSHIPS: &[&str] = &["require", "subscribe", "notify", "before", "consume", "export"];

/// What is first in the brackets of references in the values of such attributes.
fn titles_of_references<'m>(text: &'m Manifest<'_>, resource: &'m Resource) -> impl Iterator<Item = usize> {
    let of_attribute = move |(number, &name): (usize, &usize)| {
        let end = resource.parameters.get(number + 1).copied().unwrap_or(resource.end + 1);
        let start = text.next_code(name).map_or(end, |arrow| arrow + 1);
        start..end
    };
    let wanted = |(_, name): &(usize, &usize)| RELATIONSHIPS.contains(&text.value(**name));
    let values = resource.parameters.iter().enumerate().filter(wanted).flat_map(of_attribute);
    values.filter_map(|at| {
        let is_bracket = text.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::LBrack);
        let title = at + 2;
        (text.kind(at) == Kind::ClassRef && is_bracket && title < text.tokens.len()).then_some(title)
    })
}

//! Checks of resources and collectors.

use crate::Problems;
use crate::manifest::{CheckError, Manifest, Resource};
use crate::problem::Fixing;
use crate::token::Kind;

fn of_type<'m>(
    text: &'m Manifest<'_>,
    wanted: &'static str,
) -> Result<impl Iterator<Item = (&'m Resource, usize)>, CheckError> {
    let typed = text.resources()?.iter().filter_map(|resource| Some((resource, resource.kind?)));
    Ok(typed.filter(move |&(_, kind)| text.value(kind) == wanted))
}

/// The first name before an arrow in a resource, wherever it is in it.
fn named(text: &Manifest<'_>, resource: &Resource, name: &str) -> Option<usize> {
    (resource.start..=resource.end).find(|&at| {
        text.kind(at) == Kind::Name && text.value(at) == name && text.next_kind(at) == Some(Kind::FArrow)
    })
}

/// The value of `ensure`, if it is a word or text that says this.
fn ensured(text: &Manifest<'_>, resource: &Resource, wanted: &str) -> Option<usize> {
    let value = text.next_code(text.next_code(named(text, resource, "ensure")?)?)?;
    let is_text = matches!(text.kind(value), Kind::Name | Kind::DoubleQuoted | Kind::SingleQuoted);
    (is_text && text.value(value) == wanted).then_some(value)
}

pub(crate) fn file_ensure(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for (resource, _) in of_type(text, "file")? {
        if let Some(value) = ensured(text, resource, "present") {
            let written = if named(text, resource, "target").is_some() { "link" } else { "file" };
            found.fixable(value, "ensure set to present on file resource", Fixing::Value(written));
        }
    }
    Ok(())
}

pub(crate) fn package_ensure(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for (resource, _) in of_type(text, "package")? {
        if let Some(value) = ensured(text, resource, "latest") {
            let message = "ensure set to latest on a package resource";
            found.fixable(value, message, Fixing::Value("installed"));
        }
    }
    Ok(())
}

pub(crate) fn anchor_resource(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for (_, kind) in of_type(text, "anchor")? {
        found.at(kind, "manifest includes anchor resource");
    }
    Ok(())
}

pub(crate) fn exec_idempotency(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    const ATTRIBUTES: &[&str] = &["onlyif", "unless", "creates", "refreshonly"];
    for (resource, _) in of_type(text, "exec")? {
        let names = text.attributes(resource.start, resource.end, &[Kind::Name, Kind::Unless])?;
        if !names.into_iter().any(|name| ATTRIBUTES.contains(&text.value(name))) {
            let message = "exec without idempotency. set at least one of the attributes: ";
            found.at(resource.start, format!("{message}{}", ATTRIBUTES.join(", ")));
        }
    }
    Ok(())
}

pub(crate) fn spaceship_operator_without_tag(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::LCollect) {
        if text.next_kind(at) == Some(Kind::RCollect) {
            found.at(at, "spaceship operator without tag");
        }
    }
    Ok(())
}

//! Checks of resources.

use std::collections::{HashMap, HashSet};

use crate::Problems;
use crate::manifest::{CheckError, Manifest, Resource};
use crate::problem::Fixing;
use crate::token::Kind;

pub(crate) fn selector_inside_resource(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for resource in text.resources()? {
        for at in resource.start..=resource.end {
            let value = text.next_code(at).filter(|&value| text.kind(value) == Kind::Variable);
            let is_selector = value.is_some_and(|value| text.next_kind(value) == Some(Kind::QMark));
            if text.kind(at) == Kind::FArrow && is_selector {
                found.at(at, "selector inside resource block");
            }
        }
    }
    Ok(())
}

pub(crate) fn duplicate_params(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()? {
        let mut level = 0_i64;
        let mut seen: HashMap<i64, HashSet<&str>> = HashMap::new();
        for at in resource.start..=resource.end {
            match text.kind(at) {
                Kind::LBrace => level += 1,
                Kind::RBrace => {
                    seen.remove(&level);
                    level -= 1;
                }
                Kind::FArrow => {
                    let name = text.prev_code(at).filter(|&name| text.kind(name) == Kind::Name);
                    if let Some(name) = name
                        && !seen.entry(level).or_default().insert(text.value(name))
                    {
                        found.at(name, "duplicate parameter found in resource");
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

pub(crate) fn ensure_first_param(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()? {
        if resource.kind.is_some_and(|kind| text.kind(kind) == Kind::Class) {
            continue;
        }
        let place = resource.parameters.iter().position(|&name| text.value(name) == "ensure");
        if let Some(place) = place.filter(|&place| place > 0) {
            let fixing = Fixing::First(resource.parameters[0]);
            let message = "ensure found on line but it's not the first attribute";
            found.fixable(resource.parameters[place], message, fixing);
        }
    }
    Ok(())
}

/// The attributes of a name with the first token of their values.
fn values<'m>(
    text: &'m Manifest<'_>,
    resource: &'m Resource,
    name: &'static str,
) -> impl Iterator<Item = (usize, usize)> {
    let named = resource.parameters.iter().copied().filter(move |&at| text.value(at) == name);
    named.filter_map(|at| Some((at, text.next_code(text.next_code(at)?)?)))
}

fn is_of(text: &Manifest<'_>, resource: &Resource, kinds: &[&str]) -> bool {
    resource.kind.is_some_and(|kind| kinds.contains(&text.value(kind)))
}

pub(crate) fn ensure_not_symlink_target(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for resource in text.resources()?.iter().filter(|one| is_of(text, one, &["file"])) {
        for (name, value) in values(text, resource, "ensure") {
            if text.value(value).starts_with('/') {
                found.fixable(value, "symlink target specified in ensure attr", Fixing::Symlink(name));
            }
        }
    }
    Ok(())
}

pub(crate) fn file_mode(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()?.iter().filter(|one| is_of(text, one, &["file", "concat"])) {
        for (_, value) in values(text, resource, "mode") {
            let is_unknown = matches!(text.kind(value), Kind::Variable | Kind::Undef | Kind::FunctionName);
            if is_unknown || is_mode(text.value(value)) {
                break;
            }
            found.at(value, "mode should be represented as a 4 digit octal value or symbolic mode");
        }
    }
    Ok(())
}

/// Whether a text is four octal digits or a symbolic mode.
fn is_mode(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_symbolic = |part: &str| {
        let rest = part.trim_start_matches(['u', 'g', 'o', 'a']);
        rest.starts_with(['-', '=', '+']) && rest.chars().all(|sign| "-=+rstwxXugo".contains(sign))
    };
    text.len() == 4 && text.bytes().all(|digit| matches!(digit, b'0'..=b'7'))
        || text.split(',').all(is_symbolic)
}

pub(crate) fn unquoted_file_mode(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()?.iter().filter(|one| is_of(text, one, &["file", "concat"])) {
        for (_, value) in values(text, resource, "mode") {
            if matches!(text.kind(value), Kind::Name | Kind::Number) {
                found.at(value, "unquoted file mode");
            }
        }
    }
    Ok(())
}

pub(crate) fn unquoted_resource_title(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.titles() {
        if text.kind(at) == Kind::Name {
            found.at(at, "unquoted resource title");
        }
    }
    Ok(())
}

/// The column where an arrow should stand, and where the names before the arrows of its braces begin.
#[derive(Default)]
struct Level {
    column: usize,
    name_column: Option<usize>,
    arrows: Vec<usize>,
}

pub(crate) fn arrow_alignment(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()? {
        let Some((first, last)) = outer_arrows(text, resource) else { continue };
        if text.tokens[first].line == text.tokens[last].line {
            continue;
        }
        // Braces that close more than was opened share the innermost levels that are left.
        let mut levels = vec![Level::default()];
        let mut depth = 0_usize;
        for at in resource.start..=resource.end {
            match text.kind(at) {
                Kind::FArrow => arrow(text, at, &mut levels[depth]),
                Kind::LBrace => {
                    depth += 1;
                    if levels.len() == depth {
                        levels.push(Level::default());
                    }
                }
                Kind::RBrace | Kind::Semic => {
                    misaligned(text, &levels[depth], found);
                    levels[depth] = Level::default();
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The first and the last arrow of a resource.
fn outer_arrows(text: &Manifest<'_>, resource: &Resource) -> Option<(usize, usize)> {
    let mut arrows = (resource.start..=resource.end).filter(|&at| text.kind(at) == Kind::FArrow);
    let first = arrows.next()?;
    Some((first, arrows.next_back().unwrap_or(first)))
}

fn arrow(text: &Manifest<'_>, at: usize, level: &mut Level) {
    let Some(name) = text.prev_code(at) else { return };
    let width = |at: usize| text.written(at).chars().count();
    let column_of = |at: usize| text.tokens[at].column as usize;
    let (mut start, mut length) = (name, width(name));
    if text.kind(name) == Kind::DqPost {
        // A string with interpolations: from its start on, as it is written.
        while start > 0 && text.kind(start) != Kind::DqPre {
            start -= 1;
        }
        length = (start..=name).map(width).sum();
    }
    let name_column = *level.name_column.get_or_insert(column_of(start));
    let shares_line = level.arrows.iter().any(|&other| text.tokens[other].line == text.tokens[at].line);
    let column = if shares_line { name_column + length + 1 } else { column_of(name) + width(name) + 1 };
    level.column = level.column.max(column);
    level.arrows.push(at);
}

fn misaligned(text: &Manifest<'_>, level: &Level, found: &mut Problems<'_>) {
    let line = |at: usize| text.tokens[at].line;
    let lines: HashSet<u32> = level.arrows.iter().map(|&at| line(at)).collect();
    if lines.len() < 2 {
        return;
    }
    let mut first_of_line = HashMap::new();
    for &at in &level.arrows {
        let first = *first_of_line.entry(line(at)).or_insert(at);
        let column = text.tokens[at].column as usize;
        if column == level.column {
            continue;
        }
        let message = format!(
            "indentation of => is not properly aligned (expected in column {}, but found it in column {column})",
            level.column
        );
        let fixing = Fixing::Arrow {
            column: level.column,
            newline_indent: (first != at).then(|| level.name_column.unwrap_or(1).saturating_sub(1)),
        };
        found.fixable(at, message, fixing);
    }
}

pub(crate) fn space_before_arrow(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for resource in text.resources()? {
        let Some((first, last)) = outer_arrows(text, resource) else { continue };
        if text.tokens[first].line != text.tokens[last].line {
            continue;
        }
        for at in (first..=last).filter(|&at| text.kind(at) == Kind::FArrow) {
            let Some(before) = at.checked_sub(1).filter(|&before| text.value(before) != " ") else {
                continue;
            };
            let (line, column) = (text.tokens[before].line, text.tokens[before].column);
            let message =
                format!("there should be a single space before '=>' on line {line}, column {column}");
            found.at(before, message);
        }
    }
    Ok(())
}

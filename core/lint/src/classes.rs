//! Checks of classes, defined types and relationships.

use crate::Problems;
use crate::manifest::{CheckError, Definition, Manifest};
use crate::token::Kind;

pub(crate) fn arrow_on_right_operand_line(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| matches!(kind, Kind::InEdge | Kind::InEdgeSub)) {
        let next = text.next_code(at);
        if next.is_some_and(|next| text.tokens[next].line != text.tokens[at].line) {
            found.at(at, "arrow should be on the right operand's line");
        }
    }
    Ok(())
}

pub(crate) fn autoloader_layout(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let Some(path) = text.options.path.as_deref().filter(|path| !path.is_empty()) else { return Ok(()) };
    for one in text.definitions()? {
        let name = text.value(one.name);
        if !path.ends_with(&expected_path(name, text.options.relative)) {
            found.at(one.name, format!("{name} not in autoload module layout"));
        }
    }
    Ok(())
}

/// How the path of the file has to end that defines a name.
fn expected_path(name: &str, relative: bool) -> String {
    let (module, below) = match name.split_once("::") {
        Some((module, rest)) if !rest.is_empty() => (module, rest.replace("::", "/")),
        _ => (name.trim_end_matches(':'), "init".to_owned()),
    };
    if relative { format!("manifests/{below}.pp") } else { format!("/{module}/manifests/{below}.pp") }
}

pub(crate) fn class_inherits_from_params_class(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for inherited in text.classes()?.filter_map(|class| class.inherited) {
        if text.value(inherited).ends_with("::params") {
            found.at(inherited, "class inheriting from params class");
        }
    }
    Ok(())
}

pub(crate) fn code_on_top_scope(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let mut inside: Vec<_> = text.definitions()?.iter().map(|one| (one.start, one.end)).collect();
    inside.sort_unstable();
    let mut inside = inside.into_iter().peekable();
    let mut covered = 0;
    for (at, token) in text.tokens.iter().enumerate() {
        while let Some((_, end)) = inside.next_if(|&(start, _)| start <= at) {
            covered = covered.max(end + 1);
        }
        if at >= covered && !token.kind.is_formatting() {
            found.at(at, format!("code outside of class or define block - {}", token.value));
        }
    }
    Ok(())
}

pub(crate) fn inherits_across_namespaces(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    let module = |at: usize| text.value(at).split("::").find(|part| !part.is_empty());
    for class in text.classes()? {
        if let Some(inherited) = class.inherited
            && module(inherited) != module(class.name)
        {
            found.at(inherited, "class inherits across module namespaces");
        }
    }
    Ok(())
}

pub(crate) const fn described(one: &Definition) -> &'static str {
    if one.is_class { "class" } else { "defined type" }
}

pub(crate) fn names_containing_dash(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for one in text.definitions()? {
        if text.value(one.name).contains('-') {
            found.at(one.name, format!("{} name containing a dash", described(one)));
        }
    }
    Ok(())
}

pub(crate) fn names_containing_uppercase(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for one in text.definitions()? {
        let name = text.value(one.name);
        if name.contains(|character: char| character.is_ascii_uppercase()) {
            found.at(one.name, format!("{} '{name}' contains illegal uppercase", described(one)));
        }
    }
    Ok(())
}

pub(crate) fn nested_classes_or_defines(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for class in text.classes()? {
        for at in class.start + 1..=class.end {
            text.step()?;
            let kind = match text.kind(at) {
                Kind::Class => "class",
                Kind::Define => "defined type",
                _ => continue,
            };
            if text.next_kind(at) != Some(Kind::LBrace) {
                found.at(at, format!("{kind} defined inside a class"));
            }
        }
    }
    Ok(())
}

pub(crate) fn parameter_order(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for one in text.definitions()? {
        let Some((first, last)) = one.parameters else { continue };
        let (mut parens, mut brackets, mut has_default) = (0_u32, 0_u32, false);
        for at in first..last {
            match text.kind(at) {
                Kind::LParen => parens += 1,
                Kind::RParen => parens = parens.saturating_sub(1),
                Kind::LBrace | Kind::LBrack => brackets += 1,
                Kind::RBrace | Kind::RBrack => brackets = brackets.saturating_sub(1),
                Kind::Equals => has_default = true,
                _ => {}
            }
            if parens == 0 && brackets == 0 && has_default && is_required(text, at) {
                found.at(at, "optional parameter listed before required parameter");
            }
        }
    }
    Ok(())
}

/// Whether a token is a parameter without a default value.
fn is_required(text: &Manifest<'_>, at: usize) -> bool {
    let behind_type = matches!(
        text.prev_kind(at),
        Some(Kind::LParen | Kind::Comma | Kind::Type | Kind::RBrack | Kind::ClassRef)
    );
    let ends = matches!(text.next_kind(at), None | Some(Kind::Comma | Kind::RParen));
    text.kind(at) == Kind::Variable && behind_type && ends
}

pub(crate) fn right_to_left_relationship(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for at in text.of_kind(|kind| kind == Kind::OutEdge) {
        found.at(at, "right-to-left (<-) relationship");
    }
    Ok(())
}

pub(crate) fn documentation(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for one in text.definitions()? {
        if !is_documented(text, one.start) {
            found.at(one.start, format!("{} not documented", described(one)));
        }
    }
    Ok(())
}

/// Whether a comment is right above a token.
fn is_documented(text: &Manifest<'_>, at: usize) -> bool {
    let mut lines = 0;
    for token in text.tokens[..at].iter().rev() {
        match token.kind {
            Kind::Newline if lines == 1 => return false,
            Kind::Newline => lines += 1,
            Kind::Whitespace | Kind::Indent => {}
            kind => return kind.is_comment(),
        }
    }
    false
}

pub(crate) fn unquoted_node_name(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for node in text.of_kind(|kind| kind == Kind::Node) {
        let mut names = Vec::new();
        let mut is_closed = false;
        for at in node..text.tokens.len() {
            text.step()?;
            match text.kind(at) {
                Kind::LBrace => {
                    is_closed = true;
                    break;
                }
                Kind::Name => names.push(at),
                _ => {}
            }
        }
        if is_closed {
            names.into_iter().for_each(|at| found.at(at, "unquoted node name found"));
        } else {
            found.syntax(node, "Syntax error (try running `puppet parser validate <file>`)");
        }
    }
    Ok(())
}

pub(crate) fn case_without_default(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    let mut cases = Vec::new();
    for start in text.of_kind(|kind| kind == Kind::Case) {
        let mut depth = 0_i64;
        for at in start + 1..text.tokens.len() {
            text.step()?;
            match text.kind(at) {
                Kind::LBrace => depth += 1,
                Kind::RBrace => depth -= 1,
                _ => continue,
            }
            if depth == 0 && text.kind(at) == Kind::RBrace {
                cases.push((start, at));
                break;
            }
        }
    }
    for (number, &(start, end)) in cases.iter().enumerate() {
        let mut later = cases[number + 1..].iter().peekable();
        let (mut at, mut depth, mut has_default) = (start, 0_i64, false);
        while at <= end && !has_default {
            text.step()?;
            if let Some(&(_, end)) = later.next_if(|&&(start, _)| start <= at) {
                at = at.max(end + 1);
                continue;
            }
            match text.kind(at) {
                Kind::LBrace => depth += 1,
                Kind::RBrace => depth -= 1,
                Kind::Default => has_default = depth == 1,
                _ => {}
            }
            at += 1;
        }
        if !has_default {
            found.at(start, "case statement without a default case");
        }
    }
    Ok(())
}

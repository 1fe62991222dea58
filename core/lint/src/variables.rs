//! Checks of variables.

use std::collections::{HashMap, HashSet};

use crate::Problems;
use crate::manifest::{CheckError, Definition, Manifest};
use crate::token::Kind;

/// The variables that are everywhere, and the attributes that all classes have.
const EVERYWHERE: &[&str] = &[
    "name",
    "title",
    "module_name",
    "environment",
    "clientcert",
    "clientversion",
    "servername",
    "serverip",
    "serverversion",
    "caller_module_name",
    "alias",
    "audit",
    "before",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
    "facts",
    "trusted",
    "server_facts",
];

pub(crate) fn variable_scope(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    // What one class of a text sets, later ones may use, too: so does puppet-lint.
    let mut known: HashSet<&str> = EVERYWHERE.iter().copied().collect();
    for one in text.definitions()? {
        let (first, last) = one.parameters.unwrap_or_default();
        for at in first..last {
            let is_parameter = text.kind(at) == Kind::Variable
                && matches!(text.next_kind(at), Some(Kind::Comma | Kind::Equals | Kind::RParen));
            if is_parameter {
                known.insert(text.value(at));
            }
        }
        let mut scope = Scope::default();
        for at in one.start..=one.end {
            text.step()?;
            match text.kind(at) {
                Kind::Equals => assigned(text, at, &mut known)?,
                Kind::Variable => match scope.parameters.as_mut() {
                    Some(parameters) => parameters.push(text.value(at)),
                    None => scope.used.push(at),
                },
                Kind::Pipe => scope.pipe(text, at, one)?,
                _ => {}
            }
        }
        for &at in &scope.used {
            let value = text.value(at);
            let name = without_accesses(value);
            let is_known = value.contains("::")
                || known.contains(name)
                || value.bytes().all(|byte| byte.is_ascii_digit())
                || scope.has(text.tokens[at].line, name);
            if !is_known {
                found.at(at, "top-scope variable being used without an explicit namespace");
            }
        }
    }
    Ok(())
}

/// The name of a variable without the accesses behind it.
fn without_accesses(value: &str) -> &str {
    match value.find('[') {
        Some(at) if value.ends_with(']') && at + 2 < value.len() => &value[..at],
        _ => value,
    }
}

/// Adds the variables before an equals sign.
fn assigned<'m>(text: &'m Manifest<'_>, at: usize, known: &mut HashSet<&'m str>) -> Result<(), CheckError> {
    let Some(before) = text.prev_code(at) else { return Ok(()) };
    if text.kind(before) == Kind::Variable {
        known.insert(text.value(before));
    } else if text.kind(before) == Kind::RBrack {
        let (mut depth, mut next) = (0_u32, Some(before));
        while let Some(at) = next {
            text.step()?;
            match text.kind(at) {
                Kind::Variable => drop(known.insert(text.value(at))),
                Kind::RBrack => depth += 1,
                Kind::LBrack if depth <= 1 => break,
                Kind::LBrack => depth -= 1,
                Kind::Comma => {}
                _ => break,
            }
            next = text.prev_code(at);
        }
    }
    Ok(())
}

/// What the body of a class or a defined type uses.
#[derive(Default)]
struct Scope<'m> {
    used: Vec<usize>,
    /// The parameters of a lambda, between its pipes.
    parameters: Option<Vec<&'m str>>,
    /// The parameters of lambdas, with the lines on which they are known.
    lambdas: HashMap<&'m str, Vec<(u32, u32)>>,
}

impl<'m> Scope<'m> {
    fn pipe(&mut self, text: &'m Manifest<'_>, at: usize, of: &Definition) -> Result<(), CheckError> {
        let Some(parameters) = self.parameters.take() else {
            self.parameters = Some(Vec::new());
            return Ok(());
        };
        let mut depth = 0_i64;
        for end in at..text.tokens.len() {
            text.step()?;
            match text.kind(end) {
                Kind::LBrace => depth += 1,
                Kind::RBrace => depth -= 1,
                _ => continue,
            }
            if depth == 0 && text.kind(end) == Kind::RBrace {
                let lines = (text.tokens[at].line, text.tokens[end].line);
                for name in parameters {
                    self.lambdas.entry(name).or_default().push(lines);
                }
                return Ok(());
            }
        }
        Err(CheckError::Syntax(of.start))
    }

    fn has(&self, line: u32, name: &str) -> bool {
        let known = self.lambdas.get(name);
        known.is_some_and(|lines| lines.iter().any(|&(from, to)| (from..=to).contains(&line)))
    }
}

/// The names of variables, with the text in brackets taken out.
fn names(text: &Manifest<'_>) -> impl Iterator<Item = (usize, String)> {
    text.of_kind(Kind::is_variable).map(|at| {
        let mut name = String::new();
        let mut rest = text.value(at);
        while let Some(open) = rest.find('[') {
            let first = rest[open + 1..].chars().next().map_or(0, char::len_utf8);
            let Some(length) = rest[open + 1 + first..].find(']') else { break };
            name.push_str(&rest[..open]);
            rest = &rest[open + 1 + first + length + 1..];
        }
        name.push_str(rest);
        (at, name)
    })
}

pub(crate) fn variable_contains_dash(
    text: &Manifest<'_>,
    found: &mut Problems<'_>,
) -> Result<(), CheckError> {
    for (at, _) in names(text).filter(|(_, name)| name.contains('-')) {
        found.at(at, "variable contains a dash");
    }
    Ok(())
}

pub(crate) fn variable_is_lowercase(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    uppercase_names(text, "variable contains an uppercase letter", found);
    Ok(())
}

/// Reports the variables with capital letters in their names.
pub(crate) fn uppercase_names(text: &Manifest<'_>, message: &'static str, found: &mut Problems<'_>) {
    let has_uppercase = |name: &str| name.bytes().any(|byte| byte.is_ascii_uppercase());
    for (at, _) in names(text).filter(|(_, name)| has_uppercase(name)) {
        found.at(at, message);
    }
}

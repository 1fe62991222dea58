//! Checks of other languages and whole modules: templates in ERB, metadata, cycles, repeated definitions.

use bunraku_index::{Definition, FileIndex, Kind, Located, Role};
use bunraku_syntax::source::Span;
use rustc_hash::FxHashSet;

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::world::World;

/// Reports findings other than those of expressions; of all files, including those that need all of them.
pub(crate) fn check(world: &World<'_>, only: Option<&[&str]>, findings: &mut Vec<Finding>) {
    let Some(only) = only else {
        templates(world, findings);
        dependencies(world, findings);
        let files = world.index.files();
        files.iter().for_each(|file| cycles(world, file, findings));
        return duplicates(world, &|_, _| true, findings);
    };
    let mut names: FxHashSet<(Kind, &str)> = FxHashSet::default();
    for file in only.iter().filter_map(|path| world.index.file(path)) {
        cycles(world, file, findings);
        names.extend(file.definitions.iter().map(|one| (one.kind, one.name.as_str())));
    }
    if !names.is_empty() {
        duplicates(world, &|kind, name| names.contains(&(kind, name)), findings);
    }
}

/// The variables `@x` that an ERB template reads, with their places.
pub(crate) fn erb_variables(text: &str) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = Vec::new();
    let mut offset = 0;
    while let Some(open) = text.get(offset..).and_then(|rest| rest.find("<%")) {
        let start = offset + open + 2;
        let Some(code) = text.get(start..) else { break };
        let end = code.find("%>").unwrap_or(code.len());
        let code = code.get(..end).unwrap_or_default();
        if !code.starts_with(['#', '%']) {
            variables_of(code, start, &mut found);
        }
        offset = start + end;
    }
    found
}

/// Those of a piece of Ruby code at an offset, except variables that the template sets itself.
fn variables_of(code: &str, start: usize, found: &mut Vec<(String, Span)>) {
    for (at, _) in code.match_indices('@') {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        if before.is_some_and(|char| is_name(char) || matches!(char, '@' | ':' | '.')) {
            continue;
        }
        let rest = code.get(at + 1..).unwrap_or_default();
        let name: String = rest.chars().take_while(|&char| is_name(char)).collect();
        if !name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_') {
            continue;
        }
        let at = (start + at) as u32;
        found.push((name.clone(), Span::new(at, at + 1 + name.len() as u32)));
    }
}

/// Variables that templates read and no scope that renders them has.
fn templates(world: &World<'_>, findings: &mut Vec<Finding>) {
    for (name, callers) in world.templates.borrow().iter() {
        let Some(template) = world.index.find(Kind::Template, name) else { continue };
        let Some((first, others)) = callers.split_first() else { continue };
        let text = template.file.source.text();
        let mut told: FxHashSet<String> = FxHashSet::default();
        for (variable, span) in erb_variables(text) {
            let is_set =
                text.contains(&format!("@{variable} =")) || text.contains(&format!("@{variable} ||="));
            let is_missing = first.contains(&variable) && others.iter().all(|one| one.contains(&variable));
            if !is_missing || is_set || !told.insert(variable.clone()) {
                continue;
            }
            let message = format!("no scope that renders '{name}' has the variable '${variable}'");
            let place = Place::of(&template.file.source, span);
            let severity = if is_asked_for(text, &variable) { Severity::Note } else { Severity::Warning };
            findings.push(Finding::new(Code::TemplateVariable, severity, place, message));
        }
    }
}

/// Whether a template asks whether a variable has a value.
fn is_asked_for(text: &str, variable: &str) -> bool {
    let before =
        ["if ", "unless ", "elsif ", "&& ", "|| ", "!", "and ", "or ", "not ", "defined?(", "if(", "if ("];
    let behind = [".nil?", " ||", ".empty?", " ?", " &&", "&."];
    before.iter().any(|word| text.contains(&format!("{word}@{variable}")))
        || behind.iter().any(|word| text.contains(&format!("@{variable}{word}")))
}

/// Modules that files use and metadata do not name.
fn dependencies(world: &World<'_>, findings: &mut Vec<Finding>) {
    let mut used: Vec<_> =
        world.dependencies.borrow().iter().map(|(key, place)| (key.clone(), place.clone())).collect();
    used.sort_by(|one, other| one.0.cmp(&other.0));
    for ((own, module), place) in used {
        let Some(of) = world.environment.find_module(&own).filter(|of| of.has_metadata) else { continue };
        let is_named = of.dependencies.iter().any(|one| one.name.rsplit('/').next() == Some(&module));
        if is_named || !world.has_module(&module) {
            continue;
        }
        let message = format!("the module '{own}' uses '{module}', which its metadata.json does not name");
        findings.push(Finding::new(Code::UndeclaredDependency, Severity::Warning, place, message));
    }
}

/// Classes that inherit themselves.
fn cycles(world: &World<'_>, file: &FileIndex, findings: &mut Vec<Finding>) {
    let classes = file.definitions.iter().filter(|one| one.kind == Kind::Class);
    for place in classes.map(|item| Located { file, item }) {
        let mut seen = vec![place.item.name.clone()];
        let mut parent = place.item.parent.clone();
        while let Some(name) = parent {
            if name == place.item.name {
                seen.push(name);
                let message = format!("the class inherits itself: {}", seen.join(" inherits "));
                let at = Place::of(&place.file.source, place.item.name_span);
                findings.push(Finding::new(Code::InheritanceCycle, Severity::Error, at, message));
                break;
            }
            if seen.contains(&name) || seen.len() > 64 {
                break;
            }
            parent = world.index.find(Kind::Class, &name).and_then(|place| place.item.parent.clone());
            seen.push(name);
        }
    }
}

fn what_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Class => "class",
        Kind::DefinedType => "defined type",
        Kind::Function => "function",
        Kind::Type => "data type",
        Kind::Node => "node",
        _ => "definition",
    }
}

/// Names that are defined twice.
fn duplicates(world: &World<'_>, is_wanted: &dyn Fn(Kind, &str) -> bool, findings: &mut Vec<Finding>) {
    let mut seen: rustc_hash::FxHashMap<(Kind, &str), Located<'_, Definition>> = Default::default();
    for file in world.index.files() {
        if !matches!(file.role, Role::Manifest | Role::Function | Role::Type) {
            continue;
        }
        for item in &file.definitions {
            if !matches!(
                item.kind,
                Kind::Class | Kind::DefinedType | Kind::Function | Kind::Type | Kind::Node
            ) || !is_wanted(item.kind, &item.name)
            {
                continue;
            }
            let here = Located { file, item };
            // Only one of the two is found as a rule where one is out of place.
            match seen.entry((item.kind, item.name.as_str())) {
                std::collections::hash_map::Entry::Vacant(entry) => drop(entry.insert(here)),
                std::collections::hash_map::Entry::Occupied(entry) => {
                    let first = entry.get();
                    let is_one_file = std::ptr::eq(first.file, &**file);
                    let severity = if is_one_file { Severity::Error } else { Severity::Warning };
                    let message = format!("the {} '{}' is defined twice", what_of(item.kind), item.name);
                    let at = Place::of(&file.source, item.name_span);
                    let other = Place::of(&first.file.source, first.item.name_span);
                    findings.push(
                        Finding::new(Code::DuplicateDefinition, severity, at, message)
                            .related("it is defined here first", Some(other)),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_templates_stand_in_tags() {
        let text = "@a <%= @b -%> <%# @c %> <% @list.each do |x| %><%= a@b.c %> <%= scope['@@x'] %>";
        let names: Vec<_> = erb_variables(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "list"]);
    }
}

//! Definitions that depend on others: classes that inherit themselves, and names that are defined twice.

use bunraku_index::{Definition, FileIndex, Kind, Located, Role};
use rustc_hash::FxHashSet;

use super::codes::Code;
use super::finding::{Finding, Place, Severity};
use super::world::World;

/// Reports circles of parents and repeated definitions, of all files or of the definitions in some.
pub(crate) fn check(world: &World<'_>, only: Option<&[&str]>, findings: &mut Vec<Finding>) {
    let Some(only) = only else {
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

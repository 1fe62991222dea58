//! The path of a module's file determines its definitions: `m/manifests/a/b.pp` defines things in `m::a::b`,
//! and contains only definitions at its top level.

use super::super::ast::{Node, NodeId, Program};
use super::{Checker, ValidateOptions};
use crate::diagnostic::issues;

/// The rule that follows from the path of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileContents {
    /// It can contain anything: it belongs to no module.
    Free,
    /// It belongs to a module, but in a directory that is not searched for definitions.
    Misplaced,
    /// It contains definitions whose names begin with this, in lower case.
    Namespace(String),
}

impl Checker<'_> {
    /// Checks that a definition is in the file that is searched for it.
    pub(super) fn check_file_namespace(&mut self, id: NodeId, name: &str) {
        let unacceptable = match &self.place {
            FileContents::Free => false,
            FileContents::Misplaced => true,
            FileContents::Namespace(namespace) => !name.to_lowercase().starts_with(namespace),
        };
        if unacceptable {
            let file = self.program.source().path().map_or("", |file| file);
            self.error(issues::illegal_definition_location(name, file), id);
        }
    }

    /// Checks that the top level of a module's file contains only definitions.
    pub(super) fn check_top_constructs(&mut self) {
        if self.place == FileContents::Free {
            return;
        }
        let body = self.program.body();
        match *self.node(body) {
            Node::Nop {} => {}
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                for &statement in self.program.list(statements) {
                    self.check_top_construct(statement);
                }
            }
            _ => self.check_top_construct(body),
        }
    }

    fn check_top_construct(&mut self, id: NodeId) {
        match self.node(id) {
            Node::FunctionDefinition { .. }
            | Node::PlanDefinition { .. }
            | Node::ResourceTypeDefinition { .. }
            | Node::HostClassDefinition { .. }
            | Node::TypeAlias { .. }
            | Node::TypeMapping { .. }
            | Node::TypeDefinition { .. } => {}
            _ => self.error(issues::illegal_top_construct_location(self.label(id), None), id),
        }
    }
}

/// The rule that follows from the path of a program's file.
pub(super) fn place_of_program(program: &Program, options: &ValidateOptions<'_>) -> FileContents {
    match program.source().path() {
        Some(file) if !file.is_empty() => place_of(file, options),
        Some(_) | None => FileContents::Free,
    }
}

fn place_of(file: &str, options: &ValidateOptions<'_>) -> FileContents {
    let path = clean(file);
    let base = path.rsplit('/').next().unwrap_or("");
    if !base.ends_with(".pp") || base.len() == ".pp".len() {
        return FileContents::Free;
    }
    if options.manifest.is_some_and(|manifest| path.starts_with(manifest)) {
        return FileContents::Free;
    }
    let relative = options
        .modulepath
        .iter()
        .find_map(|directory| path.strip_prefix(&clean(directory)).and_then(|rest| rest.strip_prefix('/')));
    let Some(relative) = relative else { return FileContents::Free };
    let relative = relative.to_lowercase();
    let names: Vec<&str> = relative.split('/').collect();
    let [module, "manifests" | "functions" | "types" | "plans", namespace @ .., file] = names.as_slice()
    else {
        return FileContents::Misplaced;
    };
    let mut names = vec![*module];
    names.extend(namespace);
    if !(namespace.is_empty() && *file == "init.pp") {
        names.push(file.strip_suffix(".pp").unwrap_or(file));
    }
    FileContents::Namespace(names.join("::"))
}

/// The path without `.`, `..` and repeated slashes.
fn clean(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_says_what_it_defines() {
        let modulepath = ["/e/modules".to_owned()];
        let options = ValidateOptions {
            manifest: Some("/e/manifests"),
            modulepath: &modulepath,
            ..ValidateOptions::default()
        };
        let namespace = |name: &str| FileContents::Namespace(name.to_owned());
        assert_eq!(place_of("/e/manifests/a.pp", &options), FileContents::Free);
        assert_eq!(place_of("/e/modules/m/manifests/init.pp", &options), namespace("m"));
        assert_eq!(place_of("/e/modules/M/manifests/a/b.pp", &options), namespace("m::a::b"));
        assert_eq!(place_of("/e/modules/m/manifests/a/init.pp", &options), namespace("m::a::init"));
        assert_eq!(place_of("/e/modules/m/lib/x.pp", &options), FileContents::Misplaced);
        assert_eq!(place_of("/e/modules/m/manifests/a.epp", &options), FileContents::Free);
        assert_eq!(place_of("/e/modules2/m/manifests/a.pp", &options), FileContents::Free);
    }
}

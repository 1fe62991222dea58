//! Checks that definitions are in the files that Puppet searches for them.
//!
//! Follows the reference's loaders: `loader_paths.rb`, `puppet_function_instantiator.rb`, `type_loader.rb`
//! and their neighbours.

use std::sync::Arc;

use super::{Finding, ModuleCheck, Severity};
use crate::documentation::{Documentation, FunctionKind};
use crate::tasks::Metadata;
use bunraku_pcore::ruby::json;
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::source::Source;
use bunraku_syntax::{ParseOptions, parse_watched};

/// A definition in the outermost level of a manifest.
struct Defined {
    kind: &'static str,
    name: String,
    line: Option<usize>,
}

impl ModuleCheck<'_> {
    /// Complains about definitions where they are not found.
    pub(super) fn definitions(&mut self) {
        for file in self.files("manifests", ".pp") {
            let wanted = self.name_in("manifests", &file, ".pp");
            let Some(found) = self.defined(&file) else { continue };
            let is_class = |one: &Defined| matches!(one.kind, "class" | "defined type");
            for one in found.iter().filter(|one| is_class(one) && one.name != wanted) {
                let message = match self.place("manifests", &one.name) {
                    Some(place) => {
                        format!("the {} '{}' is not found here; it belongs in '{place}'", one.kind, one.name)
                    }
                    None => format!("the {} '{}' is none of the module '{}'", one.kind, one.name, self.name),
                };
                self.tell(Finding::new(Severity::Error, "definition", &file, message).at_line(one.line));
            }
            for one in found.iter().filter(|one| !is_class(one)) {
                let message = format!("a {} does not belong in a manifest", one.kind);
                self.tell(Finding::new(Severity::Error, "definition", &file, message).at_line(one.line));
            }
            if found.is_empty() {
                let message = format!("it should define the class or defined type '{wanted}'");
                self.tell(Finding::new(Severity::Warning, "definition", &file, message));
            }
        }
        for (directory, kind) in [("functions", "function"), ("types", "type alias"), ("plans", "plan")] {
            for file in self.files(directory, ".pp") {
                self.single(directory, kind, &file);
            }
        }
        self.ruby();
    }

    /// A file that must have exactly one definition, of its name.
    fn single(&mut self, directory: &str, kind: &'static str, file: &str) {
        let wanted = self.name_in(directory, file, ".pp");
        let Some(found) = self.defined(file) else { return };
        let error = |message: String| Finding::new(Severity::Error, "definition", file, message);
        if found.is_empty() {
            let message = format!("it should define the {kind} '{wanted}'");
            return self.tell(Finding::new(Severity::Warning, "definition", file, message));
        }
        for (index, one) in found.iter().enumerate() {
            if index > 0 || one.kind != kind || one.name.to_lowercase() != wanted {
                let message = format!(
                    "the {} '{}' does not belong here, only the {kind} '{wanted}'",
                    one.kind, one.name
                );
                self.tell(error(message).at_line(one.line));
            }
        }
    }

    /// The name for a file: `manifests/a/b.pp` of the module `m` is `m::a::b`.
    fn name_in(&self, directory: &str, file: &str, ending: &str) -> String {
        let relative = file.strip_prefix(directory).unwrap_or(file).trim_start_matches('/');
        let relative = relative.strip_suffix(ending).unwrap_or(relative);
        if relative == "init" && directory != "functions" {
            return self.name.clone();
        }
        format!("{}::{}", self.name, relative.replace('/', "::"))
    }

    /// The file for a name; `None` for another module's.
    fn place(&self, directory: &str, name: &str) -> Option<String> {
        if name == self.name {
            return Some(format!("{directory}/init.pp"));
        }
        let rest = name.strip_prefix(self.name.as_str())?.strip_prefix("::")?;
        Some(format!("{directory}/{}.pp", rest.replace("::", "/")))
    }

    /// The definitions in a manifest; `None` if it cannot be read, which is reported.
    fn defined(&mut self, file: &str) -> Option<Vec<Defined>> {
        let text = self.text(file)?;
        let options = ParseOptions { tasks: true, stacks: COROUTINES, ..ParseOptions::default() };
        let source = Arc::new(Source::new(Some(file), text));
        match parse_watched(source, &options, &mut Vec::new(), self.watch).ok()? {
            Ok(program) => Some(outermost(&program)),
            Err(error) => {
                let line = error.location.line.map(|line| line as usize);
                let message = error.message.clone();
                self.tell(Finding::new(Severity::Error, "definition", file, message).at_line(line));
                None
            }
        }
    }

    /// The definitions in Ruby files.
    fn ruby(&mut self) {
        for file in self.files("lib/puppet", ".rb") {
            let relative = file.strip_prefix("lib/puppet/").unwrap_or(&file);
            let places = ["functions/", "parser/functions/", "type/", "provider/"];
            if !places.iter().any(|place| relative.starts_with(place)) {
                continue;
            }
            let Some(text) = self.text(&file) else { continue };
            let mut documentation = Documentation::default();
            if documentation.add_text(&file, &text, self.watch).is_err() {
                return;
            }
            let error = |message: String| Finding::new(Severity::Error, "definition", &file, message);
            for failure in &documentation.failures {
                self.findings.push(error(failure.message.clone()));
            }
            for function in &documentation.functions {
                let directory =
                    if function.kind == FunctionKind::Ruby3x { "parser/functions" } else { "functions" };
                let wanted = format!("{directory}/{}.rb", function.name.replace("::", "/"));
                if relative != wanted {
                    let message = format!(
                        "the function '{}' is not found here; it belongs in 'lib/puppet/{wanted}'",
                        function.name
                    );
                    self.findings.push(error(message).at_line(Some(function.line)));
                }
                let is_own =
                    function.name == self.name || function.name.starts_with(&format!("{}::", self.name));
                if function.kind == FunctionKind::Ruby4x && function.name.contains("::") && !is_own {
                    let message =
                        format!("the function '{}' is none of the module '{}'", function.name, self.name);
                    self.findings.push(error(message).at_line(Some(function.line)));
                }
            }
            for own in documentation.resource_types.iter().filter(|own| own.is_declared) {
                let wanted = format!("type/{}.rb", own.name);
                if relative != wanted {
                    let message = format!(
                        "the type '{}' is not found here; it belongs in 'lib/puppet/{wanted}'",
                        own.name
                    );
                    self.findings.push(error(message).at_line(Some(own.line)));
                }
            }
            for own in &documentation.providers {
                if !relative.starts_with(&format!("provider/{}/", own.type_name))
                    && relative != format!("provider/{}.rb", own.type_name)
                {
                    let message = format!(
                        "the provider '{}' of '{}' is not found here; it belongs in 'lib/puppet/provider/{}'",
                        own.name, own.type_name, own.type_name
                    );
                    self.findings.push(error(message).at_line(Some(own.line)));
                }
            }
        }
    }

    /// Tasks by their names, their metadata and their executables.
    pub(super) fn tasks(&mut self) {
        let files: Vec<String> =
            self.files("tasks", "").into_iter().filter(|file| file.matches('/').count() == 1).collect();
        for file in &files {
            if self.watch.check().is_err() {
                return;
            }
            let name = file.strip_prefix("tasks/").unwrap_or(file);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let error = |message: String| Finding::new(Severity::Error, "task", file, message);
            if name.ends_with(".md") || name.ends_with(".conf") {
                continue;
            }
            if !bunraku_engine::loader::Module::is_name(stem) {
                self.findings.push(error(format!("'{stem}' cannot be the name of a task")));
                continue;
            }
            if !name.ends_with(".json") {
                continue;
            }
            let Some(text) = self.text(file) else { continue };
            let json = match json::read(&text).or_else(|_| serde_json::from_str::<serde_json::Value>(&text)) {
                Ok(json) => json,
                Err(wrong) => {
                    self.findings.push(error(format!("it is not JSON: {wrong}")).at_line(Some(wrong.line())));
                    continue;
                }
            };
            let (metadata, violations) = Metadata::read(&json);
            for violation in violations {
                self.findings.push(error(violation.message).at(&violation.path));
            }
            let prefix = format!("tasks/{stem}.");
            let is_runnable = |other: &String| {
                (other.starts_with(&prefix) && !other.ends_with(".json")) || *other == format!("tasks/{stem}")
            };
            match metadata.implementations {
                None if !files.iter().any(is_runnable) => {
                    self.findings.push(error(format!("there is nothing to run for the task '{stem}'")));
                }
                Some(list) => {
                    for (index, one) in list.iter().enumerate() {
                        if !files.contains(&format!("tasks/{}", one.name)) {
                            let path = format!("$.implementations[{index}].name");
                            self.findings.push(error(format!("there is no 'tasks/{}'", one.name)).at(&path));
                        }
                    }
                }
                None => {}
            }
        }
    }
}

/// The definitions that are in no other one.
fn outermost(program: &Program) -> Vec<Defined> {
    let body = program.body();
    let statements: Vec<NodeId> = match *program.node(body) {
        Node::BlockExpression { statements } => program.list(statements).to_vec(),
        _ => vec![body],
    };
    let defined = statements.into_iter().filter_map(|id| {
        let (kind, name) = match *program.node(id) {
            Node::HostClassDefinition { name, .. } => ("class", name),
            Node::ResourceTypeDefinition { name, .. } => ("defined type", name),
            Node::FunctionDefinition { name, .. } => ("function", name),
            Node::PlanDefinition { name, .. } => ("plan", name),
            Node::TypeAlias { name, .. } => ("type alias", name),
            _ => return None,
        };
        let name = program.text(name).trim_start_matches("::").to_owned();
        Some(Defined { kind, name, line: program.location(id).line.map(|line| line as usize) })
    });
    defined.collect()
}

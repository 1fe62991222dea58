//! Names that nobody reads: variables, parameters and private functions.
//!
//! A name counts as read if there is any way to read it: in the definition itself, in a class that inherits
//! it, by its qualified name, or by its word in a text where names can be looked up (templates, functions in
//! Ruby, hierarchies, literal texts of the same file).

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_engine::loader::{Environment, join_path};
use bunraku_host::{self as host, FILE_SIZE, Host, Reading};
use bunraku_index::{Definition, FileIndex, Index, Kind, Role};
use bunraku_syntax::ast::{List, Node, NodeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::Code;
use super::deprecated::is_without_effect;
use super::finding::{Finding, Place, Severity};
use super::world::World;

/// Variables that are read by their qualified names, and attributes of resources that are read, in all files.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Readers {
    qualified: FxHashSet<String>,
    /// Keys of accesses and of functions that read parameters of resources.
    keys: FxHashSet<String>,
}

impl Readers {
    pub fn of(files: &[Arc<FileIndex>]) -> Self {
        let mut found = Self::default();
        for file in files {
            if is_other(file.role) {
                qualified(file.source.text(), &mut found.qualified);
            }
            let Some(program) = &file.program else { continue };
            for one in file.uses.iter().filter(|one| one.kind == Kind::Variable) {
                if one.name.contains("::") {
                    found.qualified.insert(one.name.to_lowercase());
                }
            }
            keys(program, &mut found.keys);
        }
        found
    }
}

/// The qualified names in a text of another language: `scope['a::b::c']`, `%{a::b::c}`.
fn qualified(text: &str, found: &mut FxHashSet<String>) {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == ':';
    for word in text.split(|char: char| !is_part(char)) {
        let word = word.trim_matches(':');
        if word.contains("::") {
            found.insert(word.to_lowercase());
        }
    }
}

/// The words of a text: letters, digits and `_`.
type Words = FxHashSet<Box<str>>;

/// The words of files that look names up at run time, by module, read on request; those of the environment's
/// own have no name.
#[derive(Default)]
pub(crate) struct Loose {
    templates: RefCell<FxHashMap<String, Rc<Words>>>,
    others: RefCell<FxHashMap<String, Rc<Words>>>,
}

impl Loose {
    /// Those of a module's templates of any name.
    pub fn of_templates(&self, environment: &Environment, module: &str) -> Rc<Words> {
        if let Some(known) = self.templates.borrow().get(module) {
            return Rc::clone(known);
        }
        let directory = match module {
            "" => environment.directory.as_deref().map(|own| join_path(own, "templates")),
            _ => environment.find_module(module).map(|module| module.file("templates")),
        };
        let mut words = Words::default();
        if let Some(directory) = directory {
            read_below(&*environment.host, &directory, &mut words, 0);
        }
        let words = Rc::new(words);
        self.templates.borrow_mut().insert(module.to_owned(), Rc::clone(&words));
        words
    }

    /// Those of a module's functions in Ruby, and of its data and hierarchies.
    fn of_others(&self, index: &Index, module: Option<&str>) -> Rc<Words> {
        let key = module.unwrap_or_default();
        if let Some(known) = self.others.borrow().get(key) {
            return Rc::clone(known);
        }
        let mut words = Words::default();
        for file in index.files().iter().filter(|file| file.module.as_deref() == module) {
            if matches!(file.role, Role::RubyFunction | Role::Data | Role::Hierarchy) {
                add_words(file.source.text(), &mut words);
            }
        }
        let words = Rc::new(words);
        self.others.borrow_mut().insert(key.to_owned(), Rc::clone(&words));
        words
    }
}

/// Adds the words of a text.
pub(crate) fn add_words(text: &str, words: &mut Words) {
    for word in parts(text).filter(|word| !word.is_empty()) {
        if !words.contains(word) {
            words.insert(word.into());
        }
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_')
}

/// Adds the words of all files below a directory.
fn read_below(host: &dyn Host, directory: &str, words: &mut Words, depth: u32) {
    for name in host.list(directory).unwrap_or_default() {
        let path = join_path(directory, &name);
        match host.info(&path) {
            Some(info) if info.is_directory && depth < 16 => read_below(host, &path, words, depth + 1),
            Some(info) if !info.is_directory => {
                if let Ok(bytes) = host::read(host, &path, &Reading::of_size(FILE_SIZE)) {
                    add_words(&String::from_utf8_lossy(&bytes), words);
                }
            }
            _ => {}
        }
    }
}

/// `A::B['title']['key']`, `getparam(A::B['title'], 'key')`, and queries of collectors.
fn keys(program: &Program, found: &mut FxHashSet<String>) {
    for id in program.ids() {
        let list = match *program.node(id) {
            Node::AccessExpression { left_expr, keys } => match program.node(left_expr) {
                Node::AccessExpression { .. } => keys,
                _ => continue,
            },
            Node::CallNamedFunctionExpression { functor_expr, arguments, .. } => {
                match *program.node(functor_expr) {
                    Node::QualifiedName { value } if program.text(value).ends_with("getparam") => arguments,
                    _ => continue,
                }
            }
            Node::ComparisonExpression { left_expr, .. } => {
                if let Node::QualifiedName { value } = *program.node(left_expr) {
                    found.insert(program.text(value).to_owned());
                }
                continue;
            }
            _ => continue,
        };
        for &key in program.list(list) {
            if let Node::LiteralString { value } | Node::QualifiedName { value } = *program.node(key) {
                found.insert(program.text(value).to_owned());
            }
        }
    }
}

/// Reports the names of a file that nobody reads.
pub(crate) fn check(world: &World<'_>, file: &FileIndex, findings: &mut Vec<Finding>) {
    let Some(program) = &file.program else { return };
    let asked = Asked { world, file, program, texts: OnceCell::new(), rendered: OnceCell::new() };
    for (at, definition) in file.definitions.iter().enumerate() {
        if definition.kind == Kind::Function {
            asked.function(definition, findings);
        }
        asked.scope(at, definition, findings);
    }
    asked.blocks(findings);
}

struct Asked<'a, 'w> {
    world: &'a World<'w>,
    file: &'a FileIndex,
    program: &'a Program,
    /// The words in literal texts of the file.
    texts: OnceCell<FxHashSet<&'a str>>,
    /// The modules whose templates are rendered in it.
    rendered: OnceCell<Vec<String>>,
}

impl Asked<'_, '_> {
    fn texts(&self) -> &FxHashSet<&str> {
        self.texts.get_or_init(|| {
            let text = |id: NodeId| match *self.program.node(id) {
                Node::LiteralString { value } => Some(self.program.text(value)),
                _ => None,
            };
            self.program.ids().filter_map(text).flat_map(parts).collect()
        })
    }

    /// Whether a text of another language, which may look names up in scopes of this file, has a word.
    fn is_in_others(&self, name: &str) -> bool {
        let World { loose, environment, index, .. } = self.world;
        loose.of_others(index, self.file.module.as_deref()).contains(name)
            || self.rendering().iter().any(|module| loose.of_templates(environment, module).contains(name))
    }

    /// The modules whose templates may be rendered in scopes of this file: its own, those of which it names
    /// templates, and all of them if a name is computed.
    fn rendering(&self) -> &[String] {
        self.rendered.get_or_init(|| {
            let mut modules = vec![self.file.module.clone().unwrap_or_default()];
            let uses = || self.file.uses.iter();
            for one in uses().filter(|one| one.kind == Kind::Template) {
                modules.extend(one.name.split_once('/').map(|(module, _)| module.to_owned()));
            }
            let renders = |name: &str| matches!(name, "template" | "epp");
            let calls = uses().filter(|one| one.kind == Kind::Function && renders(&one.name)).count();
            if calls > uses().filter(|one| one.kind == Kind::Template).count() {
                modules.extend(self.world.environment.modules().iter().map(|module| module.name.to_string()));
                modules.push(String::new());
            }
            modules.sort();
            modules.dedup();
            modules
        })
    }

    /// The body and the parameters of a definition with a scope.
    fn parts(&self, definition: &Definition) -> Option<(List, Option<NodeId>)> {
        match *self.program.node(definition.node?) {
            Node::HostClassDefinition { parameters, body, .. }
            | Node::ResourceTypeDefinition { parameters, body, .. }
            | Node::FunctionDefinition { parameters, body, .. }
            | Node::PlanDefinition { parameters, body, .. } => Some((parameters, body)),
            Node::NodeDefinition { body, .. } => Some((List::EMPTY, body)),
            _ => None,
        }
    }

    fn scope(&self, at: usize, definition: &Definition, findings: &mut Vec<Finding>) {
        let Some((parameters, body)) = self.parts(definition) else { return };
        let mut names: Vec<(String, NodeId, bool)> = Vec::new();
        for &id in self.program.list(parameters) {
            if let Node::Parameter { name, .. } = *self.program.node(id) {
                names.push((self.program.text(name).to_owned(), id, true));
            }
        }
        // A definition without a body carries data for those who collect it.
        let Some(body) = body else { return };
        for (name, id) in self.assigned(body) {
            names.push((name, id, false));
        }
        if names.is_empty() {
            return;
        }
        let read = self.read(definition);
        let mut seen = FxHashSet::default();
        for (name, id, is_parameter) in names {
            // Several ways through the definition may set it.
            if name.starts_with('_') || read.contains(name.as_str()) || !seen.insert(name.clone()) {
                continue;
            }
            if !self.is_read_elsewhere(definition, &name, is_parameter) {
                self.tell(at, definition, &name, id, is_parameter, findings);
            }
        }
    }

    /// The variables that a body sets by plain assignments.
    fn assigned(&self, body: NodeId) -> Vec<(String, NodeId)> {
        let mut found = Vec::new();
        super::variables::assigned(self.program, body, &mut |name, id| {
            // The others of `[$a, $b] = …` have to be named.
            let is_plain = self
                .program
                .parent(id)
                .is_some_and(|above| matches!(self.program.node(above), Node::AssignmentExpression { .. }));
            if is_plain && !name.contains("::") {
                found.push((name.to_owned(), id));
            }
        });
        found.sort_by_key(|(_, id)| self.program.span(*id).start);
        found
    }

    /// The names of the variables that a definition reads, in its blocks, too.
    fn read(&self, definition: &Definition) -> FxHashSet<&str> {
        let mut found = FxHashSet::default();
        let Some(node) = definition.node else { return found };
        for id in self.program.descendants(node) {
            if let Node::VariableExpression { expr } = *self.program.node(id)
                && let Node::QualifiedName { value } = *self.program.node(expr)
                && !self.is_target(id)
            {
                found.insert(self.program.text(value));
            }
        }
        found
    }

    /// Whether a variable is on the left of an assignment.
    fn is_target(&self, id: NodeId) -> bool {
        let mut below = id;
        for above in self.program.ancestors(id) {
            match *self.program.node(above) {
                Node::AssignmentExpression { left_expr, .. } => return left_expr == below,
                Node::LiteralList { .. } | Node::LiteralHash { .. } => below = above,
                Node::KeyedEntry { key, .. } if key == below => below = above,
                _ => return false,
            }
        }
        false
    }

    fn is_read_elsewhere(&self, definition: &Definition, name: &str, is_parameter: bool) -> bool {
        let found = &self.world.summary.code.readers;
        if definition.kind == Kind::Class {
            let qualified = format!("{}::{name}", definition.name);
            if found.qualified.contains(&qualified) || self.is_inherited(definition, name) {
                return true;
            }
        }
        if is_parameter && definition.kind == Kind::DefinedType && found.keys.contains(name) {
            return true;
        }
        let is_of_functions = matches!(definition.kind, Kind::Function | Kind::Plan);
        self.texts().contains(name) || (!is_of_functions && self.is_in_others(name))
    }

    /// Whether a class that inherits this one may read a variable.
    fn is_inherited(&self, definition: &Definition, name: &str) -> bool {
        let mut open = vec![definition.name.as_str()];
        let mut seen = FxHashSet::default();
        while let Some(parent) = open.pop() {
            for place in self.world.index.all(Kind::Class) {
                if place.item.parent.as_deref() != Some(parent) || !seen.insert(place.item.name.as_str()) {
                    continue;
                }
                open.push(&place.item.name);
                if has_word(place.file.source.text(), name) {
                    return true;
                }
            }
        }
        false
    }

    fn tell(
        &self,
        at: usize,
        definition: &Definition,
        name: &str,
        id: NodeId,
        is_parameter: bool,
        findings: &mut Vec<Finding>,
    ) {
        let module = self.file.module.as_deref().and_then(|name| self.world.environment.find_module(name));
        let has_metadata = module.is_some_and(|module| module.has_metadata);
        let documentation = definition.documentation.as_deref().unwrap_or_default();
        let is_private = documentation.contains("@api private") || self.asserts_privacy(at);
        let (code, what, is_sure) = match is_parameter {
            true => (Code::UnusedParameter, "parameter", !is_without_effect(documentation, name)),
            false => {
                let is_seen = definition.kind == Kind::Class && has_metadata && !is_private;
                (Code::UnusedVariable, "variable", !is_seen)
            }
        };
        let severity = if is_sure { Severity::Warning } else { Severity::Note };
        let place = Place::of(&self.file.source, self.program.span(id));
        let message = format!("nobody reads the {what} '${name}'");
        findings.push(Finding::new(code, severity, place, message));
    }

    /// Whether a definition calls `assert_private`.
    fn asserts_privacy(&self, at: usize) -> bool {
        let is_it = |name: &str| matches!(name, "assert_private" | "stdlib::assert_private" | "private");
        self.file
            .uses
            .iter()
            .any(|one| one.inside == Some(at) && one.kind == Kind::Function && is_it(&one.name))
    }

    /// The last parameters of blocks: the others stand for a place in the arguments.
    fn blocks(&self, findings: &mut Vec<Finding>) {
        for id in self.program.descendants(self.program.body()) {
            let Node::LambdaExpression { parameters, body: Some(body), .. } = *self.program.node(id) else {
                continue;
            };
            // A template has its parameters in a block, too.
            if self.program.body() == id {
                self.template(parameters, body, findings);
                continue;
            }
            let Some(&last) = self.program.list(parameters).last() else { continue };
            self.parameter(last, body, Severity::Note, findings);
        }
    }

    fn template(&self, parameters: List, body: NodeId, findings: &mut Vec<Finding>) {
        for &parameter in self.program.list(parameters) {
            self.parameter(parameter, body, Severity::Warning, findings);
        }
    }

    fn parameter(&self, parameter: NodeId, body: NodeId, severity: Severity, findings: &mut Vec<Finding>) {
        let Node::Parameter { name, .. } = *self.program.node(parameter) else { return };
        let name = self.program.text(name);
        let is_it = |id: NodeId| match *self.program.node(id) {
            Node::VariableExpression { expr } => match *self.program.node(expr) {
                Node::QualifiedName { value } => self.program.text(value) == name,
                _ => false,
            },
            _ => false,
        };
        let is_read = self.program.descendants(body).into_iter().any(is_it);
        if is_read || name.starts_with('_') || self.texts().contains(name) {
            return;
        }
        let place = Place::of(&self.file.source, self.program.span(parameter));
        let message = format!("nobody reads the parameter '${name}'");
        findings.push(Finding::new(Code::UnusedParameter, severity, place, message));
    }

    /// A private function that nobody names.
    fn function(&self, definition: &Definition, findings: &mut Vec<Finding>) {
        let module = self.file.module.as_deref().and_then(|name| self.world.environment.find_module(name));
        let documentation = definition.documentation.as_deref().unwrap_or_default();
        let is_own = module.is_none_or(|module| !module.has_metadata);
        let is_private = is_own || documentation.contains("@api private");
        if !is_private || self.is_named(&definition.name) {
            return;
        }
        let place = Place::of(&self.file.source, definition.name_span);
        let message = format!("nobody calls the function '{}'", definition.name);
        findings.push(Finding::new(Code::UnusedFunction, Severity::Warning, place, message));
    }

    /// Whether any file names a function, other than by its definition.
    fn is_named(&self, name: &str) -> bool {
        self.world.index.files().iter().any(|file| {
            let text = file.source.text();
            let own = file.definitions.iter().filter(|one| one.kind == Kind::Function && one.name == name);
            words(text, name).count() > own.count()
        })
    }
}

/// Whether files with a role may look names up at run time.
const fn is_other(role: Role) -> bool {
    matches!(
        role,
        Role::Epp | Role::Erb | Role::RubyFunction | Role::Data | Role::Hierarchy | Role::ResourceType
    )
}

/// The places of a word in a text.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !is_part(before) && !is_part(behind)
    })
}

fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_alone() {
        assert!(has_word("<%= @ports %>", "ports") && has_word("a::ports", "ports"));
        assert!(!has_word("ports_of reports", "ports") && !has_word("", "ports"));
    }

    #[test]
    fn qualified_names_are_found_in_other_languages() {
        let mut found = FxHashSet::default();
        qualified("<%= scope['::Web::server_port'] %> %{x::y}: a:b", &mut found);
        let mut names: Vec<_> = found.into_iter().collect();
        names.sort_unstable();
        assert_eq!(names, ["web::server_port", "x::y"]);
    }
}

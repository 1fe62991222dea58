//! The definitions in an environment, and the references to them.
//!
//! An [`Index`] contains the environment's files, each with its definitions (classes, defined types,
//! functions, types, plans, nodes, and definitions in Ruby and in data) and its uses of names. Each file is
//! read independently, so that only a changed file is [renewed](Index::renew). Names are resolved across
//! files on request.
//!
//! * `files`: the files of an environment and their roles
//! * `definitions`, `uses`: the definitions and references in a file
//! * `yaml`: the keys of a data file, with their places
//! * `search`: names across files: definitions, references, calls
//! * `rename`: new names, in a program and in an environment
//! * `json`: an index for the bindings

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod definitions;
mod files;
mod json;
mod keys;
mod rename;
mod search;
mod uses;

use std::sync::Arc;

use bunraku_engine::loader::{Check, Environment};
use bunraku_host::{self as host, FILE_SIZE, HostError, Reading};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{NodeId, Program};
use bunraku_syntax::diagnostic::{Diagnostic, Error};
use bunraku_syntax::source::{Source, Span};
use bunraku_syntax::validate::{ValidateOptions, validate_watched};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};
use rustc_hash::FxHashMap;

pub use definitions::keys_of as data_keys;
pub use files::{Role, files_below, listed};
pub use rename::{Renamed, Renaming};
pub use search::Located;

/// The kind of a named thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A class.
    Class,
    /// A resource type that is written in the language.
    DefinedType,
    /// A resource type that is written in Ruby, or of the core.
    ResourceType,
    /// A function.
    Function,
    /// A data type.
    Type,
    /// A plan.
    Plan,
    /// A task.
    Task,
    /// A node definition.
    Node,
    /// A variable.
    Variable,
    /// A key of Hiera's data.
    DataKey,
    /// A template.
    Template,
    /// A file of a module that manifests read or serve.
    File,
    /// A resource, by its title.
    Resource,
    /// A fact of a module.
    Fact,
}

impl Kind {
    /// The name of the kind in data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::DefinedType => "defined_type",
            Self::ResourceType => "resource_type",
            Self::Function => "function",
            Self::Type => "type",
            Self::Plan => "plan",
            Self::Task => "task",
            Self::Node => "node",
            Self::Variable => "variable",
            Self::DataKey => "data_key",
            Self::Template => "template",
            Self::File => "file",
            Self::Resource => "resource",
            Self::Fact => "fact",
        }
    }
}

/// A definition in a file.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The kind.
    pub kind: Kind,
    /// The full name, in lower case except for variables and keys, without a leading `::`.
    pub name: String,
    /// The place of the definition.
    pub span: Span,
    /// The place of the name.
    pub name_span: Span,
    /// The node, if it is written in the language.
    pub node: Option<NodeId>,
    /// The text of its comments.
    pub documentation: Option<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The class that a class inherits.
    pub parent: Option<String>,
}

/// A parameter of a definition.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The source text of its type.
    pub type_text: Option<String>,
    /// The source text of its default.
    pub default_text: Option<String>,
    /// Whether it takes the rest of the arguments.
    pub captures_rest: bool,
    /// The place.
    pub span: Span,
    /// The node.
    pub node: Option<NodeId>,
}

impl Parameter {
    /// Whether an argument is required.
    pub const fn is_required(&self) -> bool {
        self.default_text.is_none() && !self.captures_rest
    }
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Usage {
    /// A class is declared by `include`, `contain`, `require`, `class { … }`, `inherits`.
    Include,
    /// A resource is declared; the name is that of its type, the title is separate.
    Declare,
    /// A function is called.
    Call,
    /// A reference: `Class['x']`, `File['/x']`, a variable, a type.
    Refer,
    /// Data is looked up by a function.
    Lookup,
    /// Defaults for resources, or changes of collected ones.
    Override,
    /// A variable is set.
    Assign,
}

impl Usage {
    /// The name of the usage in data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Include => "include",
            Self::Declare => "declare",
            Self::Call => "call",
            Self::Refer => "refer",
            Self::Lookup => "lookup",
            Self::Override => "override",
            Self::Assign => "assign",
        }
    }
}

/// A use of a name.
#[derive(Clone, Debug)]
pub struct Use {
    /// The kind of the used thing.
    pub kind: Kind,
    /// The usage.
    pub usage: Usage,
    /// The full name in the form of [`Definition::name`]; a variable's without `$`.
    pub name: String,
    /// Titles of resources; `None` if a title is not a literal.
    pub title: Option<String>,
    /// The place.
    pub span: Span,
    /// The node.
    pub node: NodeId,
    /// The enclosing definition in the same file.
    pub inside: Option<usize>,
}

/// A file of an environment.
#[derive(Clone, Debug)]
pub struct FileIndex {
    /// The path; `None` for a main manifest that was given as text.
    pub path: Option<Arc<str>>,
    /// The module that contains it.
    pub module: Option<String>,
    /// The role.
    pub role: Role,
    /// The text.
    pub source: Arc<Source>,
    /// The tree, if it is written in the language and can be parsed.
    pub program: Option<Arc<Program>>,
    /// The messages of the parser and the validator.
    pub diagnostics: Vec<Diagnostic>,
    /// The definitions, in source order.
    pub definitions: Vec<Definition>,
    /// The references, in source order.
    pub uses: Vec<Use>,
}

/// The definitions in an environment, and the references to them. Any number of threads can query it at the
/// same time.
#[derive(Clone, Debug, Default)]
pub struct Index {
    files: Vec<Arc<FileIndex>>,
    by_path: FxHashMap<Arc<str>, usize>,
    /// Definitions by name: the indices of the file and of the definition in it.
    names: FxHashMap<String, Vec<(usize, usize)>>,
}

impl Index {
    /// Reads all files of an environment: its main manifests, its modules' manifests, functions, types,
    /// plans, templates in EPP, Ruby and data.
    ///
    /// # Errors
    /// `check` fails, which ends the work.
    pub fn of(environment: &Environment, check: Check<'_>) -> Result<Self, Error> {
        let mut index = Self::default();
        for file in listed(environment) {
            check.check()?;
            if let Some(read) = read_file(environment, &file.path, file.module.as_deref(), file.role, check)?
            {
                index.push(read);
            }
        }
        if let Some(program) = environment.code_program() {
            index.push(FileIndex::of_program(program, None, Role::Manifest, Vec::new()));
        }
        index.rebuild();
        Ok(index)
    }

    fn push(&mut self, file: FileIndex) {
        if let Some(path) = &file.path {
            self.by_path.insert(path.clone(), self.files.len());
        }
        self.files.push(Arc::new(file));
    }

    fn rebuild(&mut self) {
        self.names.clear();
        for (file, one) in self.files.iter().enumerate() {
            for (index, definition) in one.definitions.iter().enumerate() {
                self.names.entry(definition.name.clone()).or_default().push((file, index));
            }
        }
    }

    /// Reads a file again after it was changed, created or removed. The others stay unchanged.
    ///
    /// # Errors
    /// `check` fails, which ends the work.
    pub fn renew(&mut self, environment: &Environment, path: &str, check: Check<'_>) -> Result<(), Error> {
        let known = self.by_path.get(path).copied();
        let place = files::place_of(environment, path);
        let read = match &place {
            Some((module, role)) => read_file(environment, path, module.as_deref(), *role, check)?,
            None => None,
        };
        match (known, read) {
            (Some(at), Some(read)) => {
                self.forget(at);
                let names = &mut self.names;
                for (index, definition) in read.definitions.iter().enumerate() {
                    names.entry(definition.name.clone()).or_default().push((at, index));
                }
                if let Some(file) = self.files.get_mut(at) {
                    *file = Arc::new(read);
                }
            }
            (Some(at), None) => {
                self.files.remove(at);
                self.by_path = (self.files.iter().enumerate())
                    .filter_map(|(index, file)| Some((file.path.clone()?, index)))
                    .collect();
                self.rebuild();
            }
            (None, Some(read)) => {
                let at = self.files.len();
                for (index, definition) in read.definitions.iter().enumerate() {
                    self.names.entry(definition.name.clone()).or_default().push((at, index));
                }
                self.push(read);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Removes the names of a file.
    fn forget(&mut self, at: usize) {
        let Some(file) = self.files.get(at) else { return };
        for definition in &file.definitions {
            if let Some(places) = self.names.get_mut(&definition.name) {
                places.retain(|(file, _)| *file != at);
            }
        }
    }

    /// The files, in the order of the environment's main manifest and its modules.
    pub fn files(&self) -> &[Arc<FileIndex>] {
        &self.files
    }

    /// A file by its path.
    pub fn file(&self, path: &str) -> Option<&Arc<FileIndex>> {
        self.files.get(*self.by_path.get(path)?)
    }
}

/// Reads a file. `None` if it does not exist or cannot be read.
fn read_file(
    environment: &Environment,
    path: &str,
    module: Option<&str>,
    role: Role,
    check: Check<'_>,
) -> Result<Option<FileIndex>, Error> {
    let reading = || check.check();
    let bytes = match host::read(&*environment.host, path, &Reading::checked(FILE_SIZE, &reading)) {
        Ok(bytes) => bytes,
        Err(HostError::Ended(error)) => return Err(*error),
        Err(_) => return Ok(None),
    };
    let watch = Watch::new(check);
    Ok(Some(match Source::of_bytes(Some(path), bytes) {
        Ok(source) => FileIndex::read(environment, Arc::new(source), module, role, &watch)?,
        Err(wrong) => FileIndex::unread(Arc::new(Source::new(Some(path), "")), module, role, vec![wrong]),
    }))
}

impl FileIndex {
    /// Reads a text as a file of an environment.
    ///
    /// # Errors
    /// The watch has cancelled it.
    pub fn read(
        environment: &Environment,
        source: Arc<Source>,
        module: Option<&str>,
        role: Role,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        if !role.is_puppet() {
            let mut file = Self::unread(source, module, role, Vec::new());
            definitions::of_others(&mut file);
            return Ok(file);
        }
        let tasks = environment.settings.tasks || role == Role::Plan;
        let options = ParseOptions { epp: role == Role::Epp, tasks, stacks: COROUTINES };
        let mut warnings = Vec::new();
        match parse_watched(Arc::clone(&source), &options, &mut warnings, watch)? {
            Err(wrong) => {
                warnings.push(wrong);
                Ok(Self::unread(source, module, role, warnings))
            }
            Ok(program) => {
                let options = ValidateOptions {
                    strict: environment.settings.strict,
                    tasks,
                    manifest: environment.manifest.as_deref(),
                    modulepath: &environment.full_modulepath,
                    stacks: COROUTINES,
                    nesting: 0,
                };
                warnings.extend(validate_watched(&program, &options, &mut Vec::new(), watch)?);
                Ok(Self::of_program(Arc::new(program), module, role, warnings))
            }
        }
    }

    fn unread(source: Arc<Source>, module: Option<&str>, role: Role, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            path: source.path().cloned(),
            module: module.map(str::to_owned),
            role,
            source,
            program: None,
            diagnostics,
            definitions: Vec::new(),
            uses: Vec::new(),
        }
    }

    fn of_program(
        program: Arc<Program>,
        module: Option<&str>,
        role: Role,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let mut file = Self::unread(Arc::clone(program.source()), module, role, diagnostics);
        file.definitions = definitions::of_program(&program, &file);
        file.uses = uses::of_program(&program, &file.definitions);
        file.definitions.shrink_to_fit();
        file.uses.shrink_to_fit();
        file.program = Some(program);
        file
    }
}

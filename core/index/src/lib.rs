//! What an environment defines, and who refers to it.
//!
//! An [`Index`] holds its files, each with its definitions (classes, defined types, functions, types,
//! plans, nodes, and what stands in Ruby and in data) and its uses of names. A file is read by itself, so
//! that one that changes is [renewed](Index::renew) alone; what a name means is looked up across files when
//! somebody asks.
//!
//! * `files`: which files an environment has, and what each is for
//! * `definitions`, `uses`: what a file defines, and what it refers to
//! * `yaml`: the keys of a data file, with their places
//! * `search`: names across files: who defines, refers, calls
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
pub use search::Place;

/// What something is that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A class.
    Class,
    /// A type of resources that is written in the language.
    DefinedType,
    /// A type of resources that is written in Ruby, or of the core.
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
    /// A fact that a module brings.
    Fact,
}

impl Kind {
    /// The word for it in data.
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

/// Something that a file defines.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What it is.
    pub kind: Kind,
    /// Its full name, in lower case but for variables and keys, without a leading `::`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Where its name stands.
    pub name_span: Span,
    /// The node, of what is written in the language.
    pub node: Option<NodeId>,
    /// What comments say of it.
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
    /// Its type, as it is written.
    pub type_text: Option<String>,
    /// Its default, as it is written.
    pub default_text: Option<String>,
    /// Whether it takes the rest of the arguments.
    pub captures_rest: bool,
    /// Where it stands.
    pub span: Span,
    /// The node.
    pub node: Option<NodeId>,
}

impl Parameter {
    /// Whether it must be given.
    pub const fn is_required(&self) -> bool {
        self.default_text.is_none() && !self.captures_rest
    }
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Usage {
    /// A class is declared by `include`, `contain`, `require`, `class { … }`, `inherits`.
    Include,
    /// A resource is declared; the name is that of its type, the title stands beside it.
    Declare,
    /// A function is called.
    Call,
    /// It is referred to: `Class['x']`, `File['/x']`, a variable, a type.
    Refer,
    /// Data is looked up by a function.
    Lookup,
    /// Defaults for resources, or changes of collected ones.
    Override,
    /// A variable is set.
    Assign,
}

impl Usage {
    /// The word for it in data.
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
    /// What is used.
    pub kind: Kind,
    /// How.
    pub usage: Usage,
    /// The full name as [`Definition::name`] has it; a variable's without `$`.
    pub name: String,
    /// Titles of resources; `None` where a title is no literal.
    pub title: Option<String>,
    /// Where.
    pub span: Span,
    /// The node.
    pub node: NodeId,
    /// The definition of the same file that it stands in.
    pub inside: Option<usize>,
}

/// A file of an environment.
#[derive(Clone, Debug)]
pub struct FileIndex {
    /// Its path; none of a main manifest that was given as text.
    pub path: Option<Arc<str>>,
    /// The module that has it.
    pub module: Option<String>,
    /// What it is for.
    pub role: Role,
    /// Its text.
    pub source: Arc<Source>,
    /// The tree, where it is written in the language and can be read.
    pub program: Option<Arc<Program>>,
    /// What the parser and the validator say of it.
    pub diagnostics: Vec<Diagnostic>,
    /// What it defines, in the order in which it is written.
    pub definitions: Vec<Definition>,
    /// What it refers to, in the order in which it is written.
    pub uses: Vec<Use>,
}

/// What an environment defines, and who refers to it. Any number of threads may ask at the same time.
#[derive(Clone, Debug, Default)]
pub struct Index {
    files: Vec<Arc<FileIndex>>,
    by_path: FxHashMap<Arc<str>, usize>,
    /// Definitions by name: files and places in their lists.
    names: FxHashMap<String, Vec<(usize, usize)>>,
}

impl Index {
    /// Reads all files of an environment: its main manifests, its modules' manifests, functions, types,
    /// plans, templates in EPP, Ruby and data.
    ///
    /// # Errors
    /// `check`'s, which ends the work.
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

    /// Reads a file anew, after it was changed, made or removed. The others stay as they are.
    ///
    /// # Errors
    /// `check`'s, which ends the work.
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

    /// Forgets the names of a file.
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

/// Reads a file. Nothing where it is not there or cannot be read.
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
    /// What watches has ended it.
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
        file.program = Some(program);
        file
    }
}

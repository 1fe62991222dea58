//! Documentation of modules: their definitions with their comments.
//!
//! Classes, defined types, functions, plans and aliases are read from manifests (`puppet`); functions,
//! resource types, providers and data types from Ruby, without running it (`ruby`); tasks from their metadata
//! (`task`). As JSON, the result is what `puppet strings generate --format json` writes, and as Markdown what
//! its `--format markdown` writes.

mod describe;
mod docstring;
mod entry;
pub mod generate;
mod markdown;
mod module_files;
mod puppet;
mod reference;
pub mod request;
mod ruby;
mod run;
mod tag;
mod task;
mod warning;

use serde_json::{Value as Json, json};

pub use describe::Shown;
pub use docstring::{Docstring, scrub};
pub use entry::{
    Attribute, DataType, Definition, Function, FunctionKind, Parameters, Provider, ResourceType, ShownValues,
    Task, TypeAlias,
};
pub use reference::Reference;
pub use tag::{Overload, Tag};
pub use warning::{Problem, Warning};

use bunraku_engine::loader::join_path;
use bunraku_host::{self as host, Entries, FILE_SIZE, Host, HostError, Reading};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// The definitions of modules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documentation {
    /// Classes.
    pub classes: Vec<Definition>,
    /// Data types that are written in Ruby.
    pub data_types: Vec<DataType>,
    /// Aliases of types.
    pub type_aliases: Vec<TypeAlias>,
    /// Defined types.
    pub defined_types: Vec<Definition>,
    /// Types of resources.
    pub resource_types: Vec<ResourceType>,
    /// Providers of all types.
    pub providers: Vec<Provider>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Tasks.
    pub tasks: Vec<Task>,
    /// Plans.
    pub plans: Vec<Definition>,
    /// Files that could not be read.
    pub failures: Vec<UndocumentedFile>,
    /// Wrong and missing parts of comments, in the order in which they were found.
    pub warnings: Vec<Warning>,
}

/// The reason why a file is not documented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndocumentedFile {
    /// The file.
    pub file: String,
    /// The error.
    pub message: String,
}

/// Directories of a module with the ending of the files that count, and whether directories in them do.
const PLACES: &[(&str, &str, bool)] = &[
    ("manifests", ".pp", true),
    ("functions", ".pp", true),
    ("types", ".pp", true),
    ("lib", ".rb", true),
    ("tasks", ".json", false),
    ("plans", ".pp", true),
];

impl Documentation {
    /// Reads a module; files are named relative to its directory.
    ///
    /// # Errors
    /// The watch ended the work.
    pub fn of_module(host: &dyn Host, directory: &str, watch: &Watch<'_>) -> Result<Self, Error> {
        let mut documentation = Self::default();
        for &(place, ending, is_deep) in PLACES {
            let mut files = Vec::new();
            list_files(host, directory, place, watch, &mut files);
            let is_there =
                |file: &str| is_deep || !file.get(place.len() + 1..).is_some_and(|name| name.contains('/'));
            files.retain(|file| file.ends_with(ending) && is_there(file));
            files.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
            for file in files {
                documentation.add_file(host, &join_path(directory, &file), &file, watch)?;
            }
        }
        documentation.resolve_references(watch)?;
        watch.result().map(|()| documentation)
    }

    /// Adds the definitions of a file on the host; `name` is its name in the documentation.
    ///
    /// # Errors
    /// The watch has cancelled it.
    pub fn add_file(
        &mut self,
        host: &dyn Host,
        path: &str,
        name: &str,
        watch: &Watch<'_>,
    ) -> Result<(), Error> {
        match host::read(host, path, &Reading::checked(FILE_SIZE, &|| watch.check())) {
            Ok(bytes) => self.add_text(name, &String::from_utf8_lossy(&bytes), watch)?,
            Err(HostError::Ended(error)) => return Err(*error),
            Err(error) => self.fail(name, &error),
        }
        Ok(())
    }

    fn fail(&mut self, name: &str, error: &HostError) {
        self.failures.push(UndocumentedFile { file: name.to_owned(), message: error.to_string() });
    }

    /// Adds the definitions of a text: a manifest, a Ruby program, or the metadata of a task, depending on
    /// the extension of its name.
    ///
    /// # Errors
    /// The watch has cancelled it.
    pub fn add_text(&mut self, name: &str, text: &str, watch: &Watch<'_>) -> Result<(), Error> {
        match name.rsplit('.').next() {
            Some("pp") => puppet::read(self, name, text, watch)?,
            Some("rb") => ruby::read(self, name, text),
            Some("json") => task::read(self, name, text),
            _ => {}
        }
        watch.check()
    }

    /// Adds what other documentation has.
    pub fn append(&mut self, mut other: Self) {
        self.classes.append(&mut other.classes);
        self.data_types.append(&mut other.data_types);
        self.type_aliases.append(&mut other.type_aliases);
        self.defined_types.append(&mut other.defined_types);
        self.resource_types.append(&mut other.resource_types);
        self.providers.append(&mut other.providers);
        self.functions.append(&mut other.functions);
        self.tasks.append(&mut other.tasks);
        self.plans.append(&mut other.plans);
        self.failures.append(&mut other.failures);
        self.warnings.append(&mut other.warnings);
    }

    fn add_function(&mut self, own: Function) {
        match self.functions.iter_mut().find(|other| other.name == own.name && other.kind == own.kind) {
            Some(other) => {
                let Function { docstring, parameters, source, .. } = own;
                (other.docstring, other.parameters, other.source) = (docstring, parameters, source);
            }
            None => self.functions.push(own),
        }
    }

    fn add_alias(&mut self, own: TypeAlias) {
        match self.type_aliases.iter_mut().find(|other| other.name == own.name) {
            Some(other) => other.docstring = own.docstring,
            None => self.type_aliases.push(own),
        }
    }

    /// The type of resources of a name; one that was not known before is begun at a place.
    fn resource_type(
        &mut self,
        name: &str,
        file: &str,
        line: usize,
        docstring: Docstring,
    ) -> (&mut ResourceType, bool) {
        let known = self.resource_types.iter().position(|own| own.name == name);
        let index = known.unwrap_or_else(|| {
            let (name, file) = (name.to_owned(), file.to_owned());
            self.resource_types.push(ResourceType { name, file, line, docstring, ..ResourceType::default() });
            self.resource_types.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the index was just found or made")]
        (&mut self.resource_types[index], known.is_some())
    }

    /// As `puppet strings generate --format json` writes it.
    pub fn to_json(&self) -> Json {
        json!({
            "puppet_classes": sorted(&self.classes, |own| &own.name, Definition::to_json),
            "data_types": sorted(&self.data_types, |own| &own.name, DataType::to_json),
            "data_type_aliases": sorted(&self.type_aliases, |own| &own.name, TypeAlias::to_json),
            "defined_types": sorted(&self.defined_types, |own| &own.name, Definition::to_json),
            "resource_types": sorted(&self.resource_types, |own| &own.name, |own| own.to_json(&self.providers)),
            "providers": sorted(&self.providers, |own| &own.name, Provider::to_json),
            "puppet_functions": sorted(&self.functions, |own| &own.name, Function::to_json),
            "puppet_tasks": sorted(&self.tasks, |own| &own.name, Task::to_json),
            "puppet_plans": sorted(&self.plans, |own| &own.name, Definition::to_json),
        })
    }
}

/// The entries of a list as JSON, sorted by their names.
fn sorted<T>(list: &[T], name: impl Fn(&T) -> &str, write: impl Fn(&T) -> Json) -> Vec<Json> {
    let mut list: Vec<&T> = list.iter().collect();
    list.sort_by(|one, other| name(one).cmp(name(other)));
    list.into_iter().map(write).collect()
}

/// Adds the files below a directory of a module, but hidden ones; fewer when what watches has ended it.
pub(crate) fn list_files(
    host: &dyn Host,
    root: &str,
    directory: &str,
    watch: &Watch<'_>,
    files: &mut Vec<String>,
) {
    let choose = |name: &str| {
        if name.starts_with('.') || watch.check().is_err() { Entries::Skip } else { Entries::Any }
    };
    let top = join_path(root, directory);
    host::walk(host, &top, &choose, &|_| (), &mut |path| {
        files.push(format!("{directory}{}", path.get(top.len()..).unwrap_or_default()));
    });
}

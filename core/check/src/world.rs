//! The meaning of names in an environment.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_engine::catalog::resource_types;
use bunraku_engine::eval::{Evaluator, FunctionDescription, Scope, Unwind};
use bunraku_engine::loader::{Environment, Loaded, ResourceType};
use bunraku_index::{Definition, FileIndex, Index, Kind, Located, Usage};
use bunraku_pcore::types::{self, Type, TypeKind, TypeLoader as _, built_in};
use bunraku_syntax::ast::{Node, NodeId};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Source;
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::Code;
use super::deprecated;
use super::facts;
use super::finding::{Finding, Place};
use super::installed::Installed;
use super::narrow::leaves;
use super::overlap::{can_be_undef, overlap};
use super::suggest::nearest;
use super::summary::Summary;
use super::tasks;
use super::unused::Loose;
use super::walk::{MAX_EXPRESSIONS, Question, Trouble};

/// The queries to an evaluator.
pub(crate) trait Engine {
    /// The description of a function's arguments, see [`Evaluator::describe_function`].
    fn describe(&self, name: &str) -> Result<Option<FunctionDescription>, Error>;

    /// Whether a type other than the language's own exists.
    fn has_type(&self, name: &str) -> bool;

    /// The definitions that were loaded for types.
    fn loaded(&self) -> &Loaded;

    /// The names of built-in functions.
    fn built_in(&self) -> Vec<&'static str>;
}

/// An evaluator and the top scope.
pub(crate) struct Asked<'a, 'e>(pub &'a Evaluator<'e>, pub &'a Rc<Scope>);

impl Engine for Asked<'_, '_> {
    fn describe(&self, name: &str) -> Result<Option<FunctionDescription>, Error> {
        self.0.describe_function(self.1, name).map_err(Unwind::into_error)
    }

    fn has_type(&self, name: &str) -> bool {
        !matches!(self.0.load_type(name), Ok(None))
    }

    fn loaded(&self) -> &Loaded {
        self.0.loaded
    }

    fn built_in(&self) -> Vec<&'static str> {
        self.0.functions.functions().map(|function| function.name).collect()
    }
}

/// The data about an environment, computed on request.
pub(crate) struct World<'w> {
    pub engine: &'w dyn Engine,
    pub environment: &'w Environment,
    pub index: &'w Index,
    /// What is known of all files.
    pub summary: &'w Summary,
    functions: RefCell<FxHashMap<String, Rc<Function>>>,
    deprecations: RefCell<Deprecations>,
    definitions: RefCell<Definitions<'w>>,
    /// Names of a kind, and those that are near to others.
    names: RefCell<FxHashMap<Kind, Rc<Vec<&'w str>>>>,
    near: RefCell<FxHashMap<(Kind, String), Option<String>>>,
    natives: RefCell<FxHashMap<String, Option<Arc<ResourceType>>>>,
    types: RefCell<FxHashMap<String, bool>>,
    tasks: RefCell<FxHashMap<String, Option<TaskParameters>>>,
    /// Variables of templates in ERB, by template: those that callers lack.
    pub templates: RefCell<FxHashMap<String, Vec<FxHashSet<String>>>>,
    /// The words of templates and other files that look names up at run time.
    pub loose: Loose,
    /// What fails in bodies with the values of declarations.
    pub troubles: RefCell<FxHashMap<Question, Rc<[Trouble]>>>,
    /// The number of expressions that may still be evaluated for them.
    pub expressions: Cell<u64>,
    /// Modules that files of a module use, with the place of the first use.
    pub dependencies: RefCell<FxHashMap<(String, String), Place>>,
}

/// Classes, defined types and templates that were asked for.
type Definitions<'w> = FxHashMap<(Kind, String), Option<Rc<Declarable<'w>>>>;

/// The parameters of a task; `None` if it takes any.
type TaskParameters = Option<Rc<[Parameter]>>;

/// What was asked for deprecations.
type Deprecations = FxHashMap<(Kind, String), Option<Rc<Deprecation>>>;

/// The function of a name.
pub(crate) enum Function {
    Unknown,
    /// There is one that cannot be read.
    Unread,
    Known(FunctionDescription),
}

/// That something is not to be used any more.
pub(crate) struct Deprecation {
    pub reason: String,
    pub module: Option<String>,
    pub place: Place,
}

/// A class, defined type or template with its parameters.
pub(crate) struct Declarable<'w> {
    pub file: &'w FileIndex,
    pub definition: &'w Definition,
    pub parameters: Vec<Parameter>,
    /// Variables that its body sets.
    pub variables: FxHashSet<String>,
}

/// A parameter with its type.
pub(crate) struct Parameter {
    pub name: String,
    pub of: Type,
    pub is_required: bool,
    pub place: Place,
}

impl Parameter {
    /// Whether some value of a type is accepted: `undef` asks for the default.
    pub fn takes(&self, of: &Type) -> bool {
        overlap(&self.of, of) || (!self.is_required && can_be_undef(of))
    }

    /// Whether some of the values that a type has are not accepted, as far as its members tell.
    pub fn refuses_some(&self, of: &Type) -> bool {
        leaves(of).is_some_and(|leaves| leaves.iter().any(|leaf| !self.takes(leaf)))
    }
}

impl Declarable<'_> {
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.name == name)
    }

    /// The place of its name.
    pub fn place(&self) -> Place {
        Place::of(&self.file.source, self.definition.name_span)
    }
}

/// Whether something with a name exists, or may exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    /// Its module is not installed.
    NoModule(String),
    Nowhere,
}

impl<'w> World<'w> {
    pub fn new(
        environment: &'w Environment,
        engine: &'w dyn Engine,
        index: &'w Index,
        summary: &'w Summary,
    ) -> Self {
        Self {
            engine,
            environment,
            index,
            summary,
            functions: RefCell::default(),
            deprecations: RefCell::default(),
            definitions: RefCell::default(),
            names: RefCell::default(),
            near: RefCell::default(),
            natives: RefCell::default(),
            types: RefCell::default(),
            tasks: RefCell::default(),
            loose: Loose::default(),
            templates: RefCell::default(),
            troubles: RefCell::default(),
            expressions: Cell::new(MAX_EXPRESSIONS),
            dependencies: RefCell::default(),
        }
    }

    /// Counts an expression of a body that is evaluated with the values of a declaration; whether it may be.
    pub fn spend(&self) -> bool {
        let left = self.expressions.get().saturating_sub(1);
        self.expressions.set(left);
        left > 0
    }

    /// A class, defined type or template by its name.
    pub fn definition(&self, kind: Kind, name: &str) -> Option<Rc<Declarable<'w>>> {
        let key = (kind, name.to_owned());
        if let Some(known) = self.definitions.borrow().get(&key) {
            return known.clone();
        }
        let found = self.index.find(kind, name).map(|place| Rc::new(self.known(place)));
        self.definitions.borrow_mut().insert(key, found.clone());
        found
    }

    fn known(&self, Located { file, item }: Located<'w, Definition>) -> Declarable<'w> {
        let program = file.program.as_deref();
        let parameter = |one: &bunraku_index::Parameter| {
            let expression = program.zip(one.node).and_then(|(program, id)| match *program.node(id) {
                Node::Parameter { type_expr, .. } => Some((program, type_expr?)),
                _ => None,
            });
            let of = expression
                .and_then(|(program, id)| self.environment.interpret(program, id, self.engine.loaded()).ok());
            let of = of.filter(|of| of.unresolved_reference().is_none());
            Parameter {
                name: one.name.clone(),
                of: of.unwrap_or_else(|| TypeKind::Any.into()),
                is_required: one.is_required(),
                place: Place::of(&file.source, one.span),
            }
        };
        let mut variables: FxHashSet<String> = item.parameters.iter().map(|one| one.name.clone()).collect();
        if let Some((program, body)) = program.zip(item.node) {
            super::variables::assigned(program, body, &mut |name, _| {
                variables.insert(name.to_owned());
            });
        }
        let parameters = item.parameters.iter().map(parameter).collect();
        Declarable { file, definition: item, parameters, variables }
    }

    pub fn class(&self, name: &str) -> Option<Rc<Declarable<'w>>> {
        self.definition(Kind::Class, name)
    }

    pub fn define(&self, name: &str) -> Option<Rc<Declarable<'w>>> {
        self.definition(Kind::DefinedType, name)
    }

    /// The parameters of a task; `None` if there is no such task.
    pub fn task(&self, name: &str) -> Option<TaskParameters> {
        if let Some(known) = self.tasks.borrow().get(name) {
            return known.clone();
        }
        let parameters = |file| tasks::parameters(self.environment, self.engine.loaded(), file);
        let found = match self.index.find(Kind::Task, name) {
            Some(place) => Some(parameters(place.file).map(Rc::from)),
            None => tasks::exists(self.environment, name).then_some(None),
        };
        self.tasks.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// A type of resources that agents manage.
    pub fn native(&self, name: &str) -> Option<Arc<ResourceType>> {
        if let Some(known) = self.natives.borrow().get(name) {
            return known.clone();
        }
        let found = resource_types::find(self.environment, name);
        self.natives.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// Whether a resource type exists.
    pub fn has_resource_type(&self, name: &str) -> bool {
        matches!(name, "class" | "node")
            || facts::BUNDLED_TYPES.contains(&name)
            || self.native(name).is_some()
            || self.index.has(Kind::DefinedType, name)
    }

    /// A function.
    pub fn function(&self, name: &str) -> Rc<Function> {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(known) = self.functions.borrow().get(name) {
            return Rc::clone(known);
        }
        let found = match self.engine.describe(name) {
            Ok(Some(description)) => Function::Known(description),
            Ok(None) if self.index.has(Kind::Function, name) => Function::Unread,
            Ok(None) => Function::Unknown,
            Err(_) => Function::Unread,
        };
        let found = Rc::new(found);
        self.functions.borrow_mut().insert(name.to_owned(), Rc::clone(&found));
        found
    }

    /// Whether a data type with a lower-case name exists.
    pub fn has_type(&self, name: &str) -> bool {
        if built_in(name).is_some() || name == "class" {
            return true;
        }
        if let Some(known) = self.types.borrow().get(name) {
            return *known;
        }
        let found =
            self.has_resource_type(name) || self.index.has(Kind::Type, name) || self.engine.has_type(name);
        self.types.borrow_mut().insert(name.to_owned(), found);
        found
    }

    /// Whether something of a kind with a lower-case name exists.
    pub fn presence(&self, kind: Kind, name: &str) -> Presence {
        let is_here = match kind {
            Kind::Class | Kind::DefinedType => self.index.has(kind, name),
            Kind::ResourceType => self.has_resource_type(name),
            Kind::Function => !matches!(*self.function(name), Function::Unknown),
            Kind::Type => self.has_type(name),
            _ => true,
        };
        match name.split_once("::") {
            _ if is_here => Presence::Here,
            Some((module, _)) if !self.has_module(module) => Presence::NoModule(module.to_owned()),
            Some(_) => Presence::Nowhere,
            // A class without a namespace is its module's own.
            None if kind == Kind::Class && !self.has_module(name) => Presence::NoModule(name.to_owned()),
            None => Presence::Nowhere,
        }
    }

    /// Whether a module is installed; the environment itself counts.
    pub fn has_module(&self, name: &str) -> bool {
        self.summary.installed.has(name)
    }

    /// Whether all is installed that the Puppetfile asks for, and that a file's module asks for, or, of files
    /// without metadata, all that the environment's files name.
    pub fn is_complete(&self, file: &FileIndex) -> bool {
        self.has_what_is_asked_for(file.module.as_deref())
    }

    /// As [`is_complete`](Self::is_complete), of a module's files, or of those of the environment itself.
    pub fn has_what_is_asked_for(&self, module: Option<&str>) -> bool {
        if !self.summary.installed.has_puppetfile_modules {
            return false;
        }
        let module = module.and_then(|name| self.environment.find_module(name));
        match module.filter(|module| module.has_metadata) {
            Some(module) => module.dependencies.iter().all(|one| {
                let name = one.name.rsplit('/').next().unwrap_or_default();
                self.has_module(name)
            }),
            // One name may be misspelt; several are of a module.
            None => self.summary.code.missing.len() < 2,
        }
    }

    /// Whether the top scope, a node definition or a fact has a variable.
    pub fn has_top_variable(&self, name: &str) -> bool {
        self.summary.code.top.contains(name) || facts::is_variable(name) || self.index.has(Kind::Fact, name)
    }

    /// The names of variables that manifests set at the top.
    pub fn top_variables(&self) -> impl Iterator<Item = &str> {
        self.summary.code.top.iter().map(String::as_str)
    }

    /// Whether a class has a variable, itself or by its parents; nothing where a parent is not known.
    pub fn class_has_variable(&self, class: &Declarable<'_>, name: &str) -> Option<bool> {
        if class.variables.contains(name) {
            return Some(true);
        }
        let mut parent = class.definition.parent.clone();
        for _ in 0..32 {
            let Some(name_of_parent) = parent else { return Some(false) };
            let class = self.class(&name_of_parent)?;
            if class.variables.contains(name) {
                return Some(true);
            }
            parent = class.definition.parent.clone();
        }
        None
    }

    /// The qualified name of the variable of a class that is nearest to another name.
    pub fn nearest_variable(&self, class: &Declarable<'_>, name: &str) -> Option<String> {
        let near = nearest(name, class.variables.iter().map(String::as_str))?;
        Some(format!("{}::{near}", class.definition.name))
    }

    /// Whether defaults or collectors anywhere may give resources of a type a parameter.
    pub fn may_be_given(&self, of: &str, parameter: &str) -> bool {
        self.summary.code.overridden.contains(&(of.to_owned(), parameter.to_owned()))
            || self.summary.code.overridden.contains(&(of.to_owned(), "*".to_owned()))
    }

    /// The deprecation of something, if its documentation tells of one.
    pub fn deprecation(&self, kind: Kind, name: &str) -> Option<Rc<Deprecation>> {
        let key = (kind, name.to_owned());
        if let Some(known) = self.deprecations.borrow().get(&key) {
            return known.clone();
        }
        let found = self.index.find(kind, name).and_then(|place| {
            Some(Rc::new(Deprecation {
                reason: deprecated::of(place)?,
                module: place.file.module.clone(),
                place: Place::of(&place.file.source, place.item.name_span),
            }))
        });
        self.deprecations.borrow_mut().insert(key, found.clone());
        found
    }

    /// The finding of a key that no data has, with the source of its place.
    pub fn missing_key(&self, key: &str, place: Place, source: &Source) -> Option<Finding> {
        let (severity, near) = self.summary.data.missing(key)?;
        let message = format!("no data has the key '{key}'");
        Some(Finding::new(Code::MissingKey, severity, place, message).meant(near.as_deref(), source))
    }

    /// The name of a kind that is nearest to another.
    pub fn nearest(&self, kind: Kind, name: &str) -> Option<String> {
        let key = (kind, name.to_owned());
        if let Some(known) = self.near.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_nearest(kind, name);
        self.near.borrow_mut().insert(key, found.clone());
        found
    }

    fn find_nearest(&self, kind: Kind, name: &str) -> Option<String> {
        match kind {
            Kind::Function => {
                let built_in = self.engine.built_in();
                nearest(name, self.defined(kind).iter().copied().chain(built_in)).map(str::to_owned)
            }
            Kind::ResourceType => {
                let core = facts::CORE_RESOURCE_TYPES.iter().copied();
                let (written, native) = (self.defined(Kind::DefinedType), self.defined(kind));
                let names = written.iter().chain(native.iter()).copied().chain(core);
                nearest(name, names).map(str::to_owned)
            }
            Kind::Type => {
                let built_in: Vec<_> =
                    types::built_in_names().map(|name| (name.to_lowercase(), name)).collect();
                let names = self.defined(kind);
                let resources = facts::CORE_RESOURCE_TYPES.iter().chain(names.iter()).copied();
                let near = nearest(name, built_in.iter().map(|(name, _)| name.as_str()).chain(resources))?;
                let written = built_in.iter().find(|(name, _)| name == near);
                let capitalized = || types::format::capitalize_segments(near);
                Some(written.map_or_else(capitalized, |&(_, name)| name.to_owned()))
            }
            _ => nearest(name, self.defined(kind).iter().copied()).map(str::to_owned),
        }
    }

    /// The names of a kind that files define.
    fn defined(&self, kind: Kind) -> Rc<Vec<&'w str>> {
        let mut names = self.names.borrow_mut();
        let made = names
            .entry(kind)
            .or_insert_with(|| Rc::new(self.index.all(kind).map(|place| place.item.name.as_str()).collect()));
        Rc::clone(made)
    }

    /// Notes that a file's module uses another one.
    pub fn note_dependency(&self, file: &FileIndex, name: &str, id: NodeId) {
        let (Some(own), Some((module, _))) = (file.module.as_deref(), name.split_once("::")) else { return };
        self.note_module(file, own, module, id);
    }

    /// As [`note_dependency`](Self::note_dependency), of a module's name.
    pub fn note_module(&self, file: &FileIndex, own: &str, module: &str, id: NodeId) {
        if own == module || module == "environment" || !bunraku_engine::loader::Module::is_name(module) {
            return;
        }
        let mut dependencies = self.dependencies.borrow_mut();
        let key = (own.to_owned(), module.to_owned());
        if let (false, Some(program)) = (dependencies.contains_key(&key), &file.program) {
            dependencies.insert(key, Place::of(&file.source, program.span(id)));
        }
    }
}

/// The modules that are not installed of classes, types and functions that files without metadata use.
pub(crate) fn missing_modules(
    environment: &Environment,
    installed: &Installed,
    files: &[Arc<FileIndex>],
) -> FxHashSet<String> {
    let is_there = |name: &str| match name.split_once("::") {
        Some((module, _)) => installed.has(module),
        None => true,
    };
    let is_own = |file: &&Arc<FileIndex>| {
        let module = file.module.as_deref().and_then(|name| environment.find_module(name));
        module.is_none_or(|module| !module.has_metadata)
    };
    let is_name = |kind: Kind| matches!(kind, Kind::Class | Kind::Resource | Kind::Function | Kind::Type);
    let own = files.iter().filter(is_own);
    let missing = own.flat_map(|file| &file.uses).filter(|one| is_name(one.kind) && !is_there(&one.name));
    missing.filter_map(|one| Some(one.name.split_once("::")?.0.to_owned())).collect()
}

/// The names of variables that main manifests set outside of classes.
pub(crate) fn top_variables(files: &[Arc<FileIndex>]) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for file in files.iter().filter(|file| file.module.is_none()) {
        let outside = |inside: Option<usize>| {
            let around = inside.and_then(|at| file.definitions.get(at));
            around.is_none_or(|around| around.kind == Kind::Node)
        };
        let set = file.uses.iter().filter(|one| one.usage == Usage::Assign && outside(one.inside));
        found.extend(set.map(|one| one.name.clone()));
    }
    found
}

/// Parameters that defaults and collectors give.
pub(crate) fn overridden(files: &[Arc<FileIndex>]) -> FxHashSet<(String, String)> {
    let mut found = FxHashSet::default();
    for file in files {
        let Some(program) = &file.program else { continue };
        for one in file.uses.iter().filter(|one| one.usage == Usage::Override) {
            let Some(around) = program.parent(one.node) else { continue };
            let operations = match *program.node(around) {
                Node::ResourceDefaultsExpression { operations, .. }
                | Node::CollectExpression { operations, .. } => operations,
                _ => continue,
            };
            for &operation in program.list(operations) {
                let name = match *program.node(operation) {
                    Node::AttributeOperation { attribute_name, .. } => program.text(attribute_name),
                    _ => "*",
                };
                found.insert((one.name.clone(), name.to_owned()));
            }
        }
    }
    found
}

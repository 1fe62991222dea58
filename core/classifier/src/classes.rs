//! The classes that environments have, so that groups can be held against them.

use std::sync::{Arc, Mutex};

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value as Json};

use bunraku_engine::loader::{Check, Environment, Environments};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::locked;

/// The parameters of a class, with their defaults: the value of a literal, the source text of anything else,
/// null when the parameter has to be given.
pub type Parameters = Map<String, Json>;

/// The classes of an environment by name.
pub type KnownClasses = IndexMap<String, Parameters>;

/// Knows the environments and their classes. Any number of threads may ask.
pub trait ClassSource: Send + Sync {
    /// The names of the environments.
    fn environments(&self) -> Vec<String>;

    /// The classes of an environment; `None` if the environment does not exist.
    ///
    /// # Errors
    /// The environment cannot be loaded, or `check` fails, which ends the work.
    fn classes(&self, environment: &str, check: Check<'_>) -> Result<Option<Arc<KnownClasses>>, Error>;

    /// Discards the cached classes of an environment, or of all.
    fn forget(&self, environment: Option<&str>);
}

/// The classes that the manifests of environments define. Manifests are read when they are first asked for,
/// and again after they were forgotten.
#[derive(Debug)]
pub struct EnvironmentClasses {
    environments: Arc<Environments>,
    kept: Mutex<FxHashMap<String, Arc<KnownClasses>>>,
}

impl EnvironmentClasses {
    /// The classes of these environments.
    pub fn new(environments: Arc<Environments>) -> Self {
        Self { environments, kept: Mutex::default() }
    }
}

impl ClassSource for EnvironmentClasses {
    fn environments(&self) -> Vec<String> {
        self.environments.names()
    }

    fn classes(&self, environment: &str, check: Check<'_>) -> Result<Option<Arc<KnownClasses>>, Error> {
        let kept = locked(&self.kept).get(environment).cloned();
        if kept.is_some() {
            return Ok(kept);
        }
        if !self.environments.names().iter().any(|name| name == environment) {
            return Ok(None);
        }
        let classes = Arc::new(known_classes(&*self.environments.get_watched(environment, check)?, check)?);
        locked(&self.kept).insert(environment.to_owned(), classes.clone());
        Ok(Some(classes))
    }

    fn forget(&self, environment: Option<&str>) {
        self.environments.clear(environment);
        let mut kept = locked(&self.kept);
        match environment {
            Some(environment) => drop(kept.remove(environment)),
            None => kept.clear(),
        }
    }
}

/// The classes that an environment's manifests define, sorted by name.
fn known_classes(environment: &Environment, check: Check<'_>) -> Result<KnownClasses, Error> {
    let mut classes = KnownClasses::new();
    for (_, program) in environment.all_manifests(check)? {
        check.check()?;
        for &definition in program.definitions() {
            if let Node::HostClassDefinition { name, parameters, .. } = *program.node(definition) {
                let parameters = program.list(parameters).iter().filter_map(|id| parameter(&program, *id));
                classes.insert(program.text(name).to_owned(), parameters.collect());
            }
        }
    }
    classes.sort_unstable_keys();
    Ok(classes)
}

fn parameter(program: &Program, id: NodeId) -> Option<(String, Json)> {
    let Node::Parameter { name, value, .. } = *program.node(id) else { return None };
    let default = match value {
        Some(value) => literal(program, value, 0).unwrap_or_else(|| program.source_text(value).into()),
        None => Json::Null,
    };
    Some((program.text(name).to_owned(), default))
}

/// The maximum nesting of literal values.
const MAX_DEPTH: u32 = 64;

/// The value of a literal, unless it nests deep.
fn literal(program: &Program, id: NodeId, depth: u32) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |id: NodeId| literal(program, id, depth + 1);
    Some(match *program.node(id) {
        Node::LiteralString { value } | Node::QualifiedName { value } => Json::from(program.text(value)),
        Node::LiteralInteger { value, .. } if program.big_integer(id).is_none() => Json::from(value),
        Node::LiteralFloat { value } => Json::Number(Number::from_f64(value)?),
        Node::LiteralBoolean { value } => Json::Bool(value),
        Node::LiteralList { values } => {
            program.list(values).iter().map(|value| inner(*value)).collect::<Option<Vec<_>>>()?.into()
        }
        Node::LiteralHash { entries } => {
            let entries = program.list(entries).iter().map(|entry| match *program.node(*entry) {
                Node::KeyedEntry { key, value } => match inner(key)? {
                    Json::String(key) => Some((key, inner(value)?)),
                    _ => None,
                },
                _ => None,
            });
            Json::Object(entries.collect::<Option<Map<_, _>>>()?)
        }
        _ => return None,
    })
}

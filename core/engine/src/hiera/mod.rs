//! Hiera 5: data for keys, from the global layer, the environment and the modules.
//!
//! A compilation keeps a [`State`]; [`lookup`] is the function `lookup()`, [`automatic_parameter`] finds
//! values for parameters of classes, [`explain`] looks up and tells how. Follows the reference's
//! `pops/lookup.rb` and the directory of that name.
//!
//! * `config`, `hierarchy`: `hiera.yaml` and the places that it names
//! * `provider`, `backends`, `context`: who gives data, and what functions written in Puppet get to work with
//! * `adapter`: the search through the layers, options for keys
//! * `interpolate`, `key`, `merge`: `%{…}`, dotted keys, merge strategies
//! * `invocation`, `explain`: a lookup in progress and its explanation

mod adapter;
pub mod backends;
mod config;
mod context;
mod explain;
mod hierarchy;
mod interpolate;
mod invocation;
mod key;
mod merge;
mod places;
mod provider;
mod text;
mod types;
pub use bunraku_pcore::formats::yaml;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

pub use backends::read_data;
pub use context::call_context_function;
pub use explain::{ExplainOptions, Explanation};
pub use places::{Finding, FoundPlace};

use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Scope, Unwind};
use adapter::KeyOptions;
use bunraku_pcore::value::{Hash, Object, Str, Value};
use context::FunctionContext;
use invocation::{Invocation, LookupError, LookupResult, Session};
use provider::Provider;

/// The key whose data are options for other keys.
const LOOKUP_OPTIONS: &str = "lookup_options";

/// What the lookups of one compilation have read and found.
#[derive(Debug, Default)]
pub struct State {
    /// What a classifier says of parameters: the layer before all others.
    classifier: Hash,
    current: RefCell<Option<Rc<Invocation>>>,
    global: OnceCell<Rc<Provider>>,
    environment: RefCell<Option<Option<Rc<Provider>>>>,
    modules: RefCell<FxHashMap<Str, Option<Rc<Provider>>>>,
    /// By module; those that no module has, under the empty name.
    lookup_options: RefCell<FxHashMap<Str, Rc<Option<KeyOptions>>>>,
    default_options: RefCell<FxHashMap<Str, Rc<Option<KeyOptions>>>>,
    global_options: RefCell<Option<Option<Value>>>,
    environment_options: RefCell<Option<Option<Value>>>,
    contexts: RefCell<Vec<(Arc<Object>, Rc<FunctionContext>)>>,
    file_data: RefCell<FxHashMap<Str, Value>>,
    recorded: RefCell<IndexSet<Str>>,
    key_places: RefCell<FxHashMap<String, Rc<places::KeyPlaces>>>,
}

impl State {
    /// The state of a compilation that has not looked up anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state of a compilation for which a classifier has data, by key.
    pub fn with_classifier_data(classifier: Hash) -> Self {
        Self { classifier, ..Self::default() }
    }

    /// The keys that were looked up, each once, in order.
    pub fn recorded_keys(&self) -> Vec<Str> {
        self.recorded.borrow().iter().cloned().collect()
    }
}

/// Looks up the first of the names that has data, as `lookup()` does.
///
/// Errors: nothing is found and there is no default; the value is not of the type; what data, configurations
/// and functions of backends fail with.
pub fn lookup(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &State,
    request: &LookupRequest,
    default_block: Option<&Closure>,
) -> Evaluated {
    lookup_with(evaluator, scope, state, request, default_block, None)
}

/// Looks up as [`lookup`] does; the explanation is for [`Explanation::finding`].
pub fn trace(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &State,
    request: &LookupRequest,
    default_block: Option<&Closure>,
    explanation: &Rc<Explanation>,
) -> Evaluated {
    lookup_with(evaluator, scope, state, request, default_block, Some(Rc::clone(explanation)))
}

/// Looks up as [`lookup`] does, and tells how.
pub fn explain(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &State,
    request: &LookupRequest,
    options: ExplainOptions,
) -> (Evaluated, Rc<Explanation>) {
    let explanation = Rc::new(Explanation::new(options));
    let result = lookup_with(evaluator, scope, state, request, None, Some(explanation.clone()));
    if let Err(Unwind::Error(error)) = &result
        && error.kind == bunraku_syntax::diagnostic::ErrorKind::Lookup
    {
        explanation.add_text(error.to_string());
    }
    (result, explanation)
}

fn lookup_with(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &State,
    request: &LookupRequest,
    default_block: Option<&Closure>,
    explanation: Option<Rc<Explanation>>,
) -> Evaluated {
    let session = Session { evaluator, state };
    let hash = |value: &Option<Value>| match value {
        Some(Value::Hash(hash)) => hash.clone(),
        _ => Arc::new(Hash::default()),
    };
    let (overrides, defaults) = (hash(&request.override_values), hash(&request.default_values));
    let invocation = Rc::new(Invocation::new(state, scope, overrides, defaults, explanation));
    if request.is_hiera_call {
        invocation.is_hiera_call.set(true);
        if !unwind(adapter::has_environment_data(session))? {
            invocation.global_only.set(true);
        }
        let overrides = hierarchy::strings(request.location_overrides.as_ref());
        if !overrides.is_empty() {
            let overrides = overrides.iter().map(|text| text.as_str().into()).collect();
            invocation.location_overrides.replace(overrides);
        }
    }
    unwind(search(session, &invocation, request, default_block))
}

/// The value of a class's parameter, `class::parameter`; `None` when there is no data for it. Tells how, when
/// there is an explanation.
///
/// Errors: as [`lookup`].
pub fn automatic_parameter(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &State,
    name: &str,
    explanation: Option<Rc<Explanation>>,
) -> Evaluated<Option<Value>> {
    let session = Session { evaluator, state };
    let none = || Arc::<Hash>::default();
    let invocation = Rc::new(Invocation::new(state, scope, none(), none(), explanation));
    match adapter::lookup(session, &invocation, name, None) {
        Ok(value) => Ok(Some(value)),
        Err(LookupError::NoSuchKey) => Ok(None),
        Err(LookupError::Failed(unwind)) => Err(unwind),
    }
}

/// Looks up the names of a request in turn: overrides, data, default values, the block or the default.
fn search(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    request: &LookupRequest,
    default_block: Option<&Closure>,
) -> LookupResult {
    let check = |subject: &str, value: Value| -> LookupResult {
        if let Some(expected) = &request.value_type {
            types::assert_type(subject, expected, &value)?;
        }
        Ok(value)
    };
    for name in &request.names {
        let found = match invocation.overrides.get(&Value::String(name.clone())) {
            Some(value) => {
                Some(check(&format!("Value found for key '{name}' in override hash"), value.clone())?)
            }
            None => match adapter::lookup(session, invocation, name, request.merge.as_ref()) {
                Ok(value) => Some(value),
                Err(LookupError::NoSuchKey) => None,
                Err(stop) => return Err(stop),
            },
        };
        if let Some(value) = found {
            return check("Found value", value);
        }
    }
    for name in &request.names {
        if let Some(value) = invocation.defaults.get(&Value::String(name.clone())) {
            return check(&format!("Value found for key '{name}' in default values hash"), value.clone());
        }
    }
    if let Some(block) = default_block {
        let names = match request.names.as_slice() {
            [name] => Value::String(name.clone()),
            names => Value::array(names.iter().cloned().map(Value::String)),
        };
        return check("Value returned from default block", session.evaluator.call_closure(block, &[names])?);
    }
    if let Some(default) = &request.default {
        return check("Default value", default.clone());
    }
    Err(request.not_found().into())
}

/// A search's result for those outside: a key that is nowhere is an error there.
fn unwind<T>(found: LookupResult<T>) -> Evaluated<T> {
    found.map_err(Unwind::from)
}

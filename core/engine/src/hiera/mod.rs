//! Hiera 5: data for keys, from the global layer, the environment and the modules.
//!
//! A compilation keeps a [`LookupState`]; [`lookup`] is the function `lookup()`, [`automatic_parameter`]
//! finds values for parameters of classes, [`explain`] looks up and explains. Follows the reference's
//! `pops/lookup.rb` and the directory of that name.
//!
//! A lookup goes in one direction; the files are layers in this order, and none uses a later one:
//!
//! * `text`, `explain`, `error`, `types`, `key`: the base of all others
//! * `session`, `invocation`: the shared state of lookups, and a lookup in progress
//! * `config`, `merge`, `dig`, `convert`: `hiera.yaml`; operations on values
//! * `query`: the search for a key
//! * `interpolate`: `%{…}`, the only part that starts another lookup (`session::Lookups`)
//! * `context`, `backends`, `locations`, `loaded`: providers of data; the entries and places of a
//!   configuration; what all places have
//! * `values`, `provider`, `layers`: the values of entries, of a layer, and of all layers
//! * `options`, `search`: options for keys, then the search itself
//!
//! The [`Explanation`] observes: it receives all events, and nothing depends on it. `places` reads it.

pub mod backends;
mod config;
mod context;
mod convert;
mod dig;
mod error;
mod explain;
mod interpolate;
mod invocation;
mod key;
mod layers;
mod loaded;
mod locations;
mod merge;
mod options;
mod places;
mod provider;
mod query;
mod search;
mod session;
mod state;
mod text;
mod types;
mod values;
pub use bunraku_pcore::formats::yaml;

use std::rc::Rc;
use std::sync::{Arc, LazyLock};

pub use backends::read_data;
pub use explain::{ExplainOptions, Explanation};
pub use loaded::LoadedValue;
pub use places::{Finding, FoundPlace};
pub use state::{LoadedData, LookupState};

use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Scope, Unwind};
use bunraku_pcore::value::{Hash, Value};
use error::LookupError;
use invocation::Invocation;
use session::Session;

/// A hash without keys.
static NOTHING: LazyLock<Arc<Hash>> = LazyLock::new(Arc::default);

/// The session of lookups that functions of this room begin.
fn session<'a, 'e>(evaluator: &'a Evaluator<'e>, state: &'a LookupState) -> Session<'a, 'e> {
    Session { evaluator, progress: &state.progress, lookups: state }
}

/// Calls a function of a `Puppet::LookupContext`. `None` if the value is not such a context, or the function
/// does not exist.
///
/// Errors: those of a block; `not_found` ends the function that calls it.
pub fn call_context_function(
    evaluator: &Evaluator<'_>,
    state: &LookupState,
    value: &Value,
    name: &str,
    arguments: &[Value],
    block: Option<&Closure>,
) -> Option<Evaluated> {
    context::call(session(evaluator, state), value, name, arguments, block)
}

/// Looks up the first of the names that has data, as `lookup()` does.
///
/// Errors: nothing is found and there is no default; the value does not have the type; failures of data,
/// configurations and functions of backends.
pub fn lookup(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &LookupState,
    request: &LookupRequest,
    default_block: Option<&Closure>,
) -> Evaluated {
    lookup_with(evaluator, scope, state, request, default_block, None)
}

/// Looks up as [`lookup`] does; the explanation is for [`Explanation::finding`].
pub fn trace(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &LookupState,
    request: &LookupRequest,
    default_block: Option<&Closure>,
    explanation: &Rc<Explanation>,
) -> Evaluated {
    lookup_with(evaluator, scope, state, request, default_block, Some(Rc::clone(explanation)))
}

/// Looks up as [`lookup`] does, and explains it.
pub fn explain(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &LookupState,
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
    state: &LookupState,
    request: &LookupRequest,
    default_block: Option<&Closure>,
    explanation: Option<Rc<Explanation>>,
) -> Evaluated {
    let session = session(evaluator, state);
    let hash = |value: &Option<Value>| match value {
        Some(Value::Hash(hash)) => hash.clone(),
        _ => Arc::new(Hash::default()),
    };
    let (overrides, defaults) = (hash(&request.override_values), hash(&request.default_values));
    let invocation = Rc::new(Invocation::new(&state.progress, scope, overrides, defaults, explanation));
    if request.is_hiera_call {
        invocation.is_hiera_call.set(true);
        if !state.layers.have_environment_data(session)? {
            invocation.global_only.set(true);
        }
        let overrides = config::strings(request.location_overrides.as_ref());
        if !overrides.is_empty() {
            let overrides = overrides.iter().map(|text| text.as_str().into()).collect();
            invocation.location_overrides.replace(overrides);
        }
    }
    Ok(search::first_of(session, state, &invocation, request, default_block)?)
}

/// All data for the parameters of a module's classes as a scope finds them, if earlier lookups have read all
/// of it.
pub fn loaded_data(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &LookupState,
    module: &str,
) -> Option<Rc<LoadedData>> {
    state.loaded(session(evaluator, state), scope, module).ok().flatten()
}

/// The value of a class's parameter, `class::parameter`; `None` if there is no data for it. Records an
/// explanation, if there is one.
///
/// Errors: as [`lookup`].
pub fn automatic_parameter(
    evaluator: &Evaluator<'_>,
    scope: &Rc<Scope>,
    state: &LookupState,
    name: &str,
    explanation: Option<Rc<Explanation>>,
) -> Evaluated<Option<Value>> {
    let session = session(evaluator, state);
    let none = Arc::clone(&NOTHING);
    let invocation = Rc::new(Invocation::new(&state.progress, scope, none.clone(), none, explanation));
    match search::lookup(session, state, &invocation, name, None) {
        Ok(value) => Ok(Some(value)),
        Err(LookupError::NoSuchKey) => Ok(None),
        Err(LookupError::Failed(unwind)) => Err(unwind),
    }
}

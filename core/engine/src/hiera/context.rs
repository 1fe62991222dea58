//! `Puppet::LookupContext`: what functions of backends are given to cache, to interpolate and to say that
//! they found nothing.
//!
//! Follows the reference's `pops/lookup/context.rb`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::State;
use super::interpolate::{Interpolation, interpolate};
use super::invocation::{Invocation, LookupError, Session};
use crate::eval::{Closure, Evaluated, Evaluator, Unwind};
use crate::loader::lookup_context_type;
use bunraku_pcore::value::{Hash, Object, RuntimeValue, Str, Value};
use bunraku_syntax::diagnostic::{Error, Issue};

/// The mark of the error that `not_found` ends a function with; it never reaches users.
pub(super) const NO_SUCH_KEY: Issue = Issue("NO_SUCH_KEY");

/// What a function of a hierarchy entry keeps for one place.
#[derive(Debug)]
pub(super) struct FunctionContext {
    module: Option<Str>,
    /// The data of a `data_hash` function.
    pub data: RefCell<Option<Arc<Hash>>>,
    /// What `lookup_key` and `data_dig` functions gave, by key.
    pub values: RefCell<FxHashMap<Str, Value>>,
    /// What the function cached.
    pub cache: RefCell<Hash>,
    /// The keys whose data was encrypted.
    pub decrypted: RefCell<FxHashSet<Str>>,
    object: RefCell<Option<Arc<Object>>>,
}

impl FunctionContext {
    /// A context without content.
    pub fn new(module: Option<Str>) -> Self {
        Self {
            module,
            data: RefCell::default(),
            values: RefCell::default(),
            cache: RefCell::default(),
            decrypted: RefCell::default(),
            object: RefCell::default(),
        }
    }

    /// The context as a value; the state knows it by its address.
    pub fn object(self: &Rc<Self>, state: &State) -> Arc<Object> {
        if let Some(object) = &*self.object.borrow() {
            return object.clone();
        }
        let object = Arc::new(Object::new(lookup_context_type(), IndexMap::new()));
        state.contexts.borrow_mut().push((object.clone(), Rc::clone(self)));
        self.object.replace(Some(object.clone()));
        object
    }
}

/// The context that a value is.
pub(super) fn context_of(state: &State, value: &Value) -> Option<Rc<FunctionContext>> {
    let Value::Object(object) = value else { return None };
    let contexts = state.contexts.borrow();
    contexts.iter().find(|(known, _)| Arc::ptr_eq(known, object)).map(|(_, context)| context.clone())
}

/// Calls a function of a `Puppet::LookupContext`. `None`: the value is no such context, or there is no such
/// function.
///
/// Errors: those of a block; `not_found` ends the function that calls it.
pub fn call_context_function(
    evaluator: &Evaluator<'_>,
    state: &State,
    value: &Value,
    name: &str,
    arguments: &[Value],
    block: Option<&Closure>,
) -> Option<Evaluated> {
    let context = context_of(state, value)?;
    let session = Session { evaluator, state };
    let argument = |index: usize| arguments.get(index).cloned().unwrap_or_default();
    let result = match name {
        "not_found" => Err(no_such_key()),
        // The reference knows environments by Symbols.
        "environment_name" => {
            let name = RuntimeValue::symbol(evaluator.environment.name.as_str());
            Ok(Value::Runtime(Arc::new(name)))
        }
        "module_name" => Ok(context.module.clone().map_or(Value::Undef, Value::String)),
        "cache" => {
            context.cache.borrow_mut().insert(argument(0), argument(1));
            Ok(argument(1))
        }
        "cache_all" => {
            if let Value::Hash(all) = argument(0) {
                let all = all.iter().map(|(key, value)| (key.clone(), value.clone()));
                context.cache.borrow_mut().extend(all);
            }
            Ok(Value::Undef)
        }
        "cache_has_key" => Ok(Value::Boolean(context.cache.borrow().contains_key(&argument(0)))),
        "cached_value" => Ok(context.cache.borrow().get(&argument(0)).cloned().unwrap_or_default()),
        "cached_entries" => cached_entries(evaluator, &context, block),
        "explain" => explain(evaluator, state, block),
        "interpolate" => interpolate_in(session, &argument(0)),
        "cached_file_data" => cached_file_data(session, &argument(0), block),
        _ => return None,
    };
    Some(result)
}

fn cached_entries(
    evaluator: &Evaluator<'_>,
    context: &FunctionContext,
    block: Option<&Closure>,
) -> Evaluated {
    let entries = context.cache.borrow().clone();
    let Some(block) = block else {
        return Ok(Value::from(entries));
    };
    for (key, value) in entries {
        if block.arity() == 2 {
            evaluator.call_closure(block, &[key, value])?;
        } else {
            evaluator.call_closure(block, &[Value::array([key, value])])?;
        }
    }
    Ok(Value::Undef)
}

/// The lookup that is in progress.
fn current(state: &State) -> Option<Rc<Invocation>> {
    state.current.borrow().clone()
}

fn explain(evaluator: &Evaluator<'_>, state: &State, block: Option<&Closure>) -> Evaluated {
    if let (Some(invocation), Some(block)) = (current(state), block)
        && invocation.is_explained()
    {
        let text = evaluator.call_closure(block, &[])?;
        invocation.report_foreign_text(super::text::to_s(&text));
    }
    Ok(Value::Undef)
}

fn interpolate_in(session: Session<'_, '_>, value: &Value) -> Evaluated {
    let Some(invocation) = current(session.state) else { return Ok(value.clone()) };
    super::unwind(interpolate(session, &invocation, value, Interpolation::DATA))
}

/// The text of a file, or what a block makes of it; made once.
fn cached_file_data(session: Session<'_, '_>, path: &Value, block: Option<&Closure>) -> Evaluated {
    let path = super::text::to_s(path);
    if let Some(data) = session.state.file_data.borrow().get(path.as_str()) {
        return Ok(data.clone());
    }
    let bytes = session.evaluator.read_file(&path);
    let bytes =
        bytes.map_err(|error| Unwind::from(error.into_error(|error| Error::io(error.to_string()))))?;
    let content = Value::from(String::from_utf8_lossy(&bytes).into_owned());
    let data = match block {
        Some(block) => session.evaluator.call_closure(block, &[content])?,
        None => content,
    };
    session.state.file_data.borrow_mut().insert(path.as_str().into(), data.clone());
    Ok(data)
}

fn no_such_key() -> Unwind {
    Unwind::from(Error { issue: Some(NO_SUCH_KEY), ..Error::lookup("no such key") })
}

impl From<LookupError> for Unwind {
    /// A search that ends without a value within a function ends the function too.
    fn from(stop: LookupError) -> Self {
        match stop {
            LookupError::Failed(unwind) => unwind,
            LookupError::NoSuchKey => no_such_key(),
        }
    }
}

//! The shared state of a compilation's lookups.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{LookupError, LookupResult};
use super::invocation::Invocation;
use crate::eval::Evaluator;
use crate::eval::context::LookupRequest;
use crate::loader::{Environment, lookup_context_type};
use bunraku_host::FileInfo;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::object::attribute_value;
use bunraku_pcore::value::{Hash, Object, Str, Value};
use bunraku_stacks::further_stack;
use bunraku_syntax::diagnostic::{LogEntry, LogLevel};

/// A context, and the object that it is in the language.
type Known = (Arc<Object>, Rc<FunctionContext>);

/// The lookups in progress of a compilation, and the caches of backend functions.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The lookup that is in progress, the innermost one.
    pub current: RefCell<Option<Rc<Invocation>>>,
    /// The files that `cached_file_data` has read, by path.
    pub files: RefCell<FxHashMap<Str, KnownFile>>,
    /// The contexts by the addresses of their objects, which live as long as this.
    contexts: RefCell<FxHashMap<usize, Known>>,
}

/// A file that `cached_file_data` has read.
#[derive(Debug, Default)]
pub(super) struct KnownFile {
    /// Its state directly before it was read.
    pub info: Option<FileInfo>,
    /// What was made of it.
    pub data: Option<Value>,
}

/// What tells the objects of contexts apart.
pub(super) fn address(object: &Arc<Object>) -> usize {
    Arc::as_ptr(object).addr()
}

impl Progress {
    /// The context that a value is. One that a program made (`Puppet::LookupContext.new`) begins empty.
    pub fn context_of(&self, value: &Value) -> Option<Rc<FunctionContext>> {
        let Value::Object(object) = value else { return None };
        if object.object_type.name != "Puppet::LookupContext" {
            return None;
        }
        let mut contexts = self.contexts.borrow_mut();
        let made = || {
            let module = match attribute_value(object, "module_name") {
                Some(Value::String(module)) => Some(module),
                _ => None,
            };
            (object.clone(), Rc::new(FunctionContext::new(module)))
        };
        let (_, context) = contexts.entry(address(object)).or_insert_with(made);
        Some(Rc::clone(context))
    }
}

/// Starts another lookup, for `%{lookup('key')}` in data: the only way back from results to the search.
pub(super) trait Lookups {
    /// The value of the first of the request's names that has data.
    fn look_up(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        request: &LookupRequest,
    ) -> LookupResult;
}

/// The shared state of a compilation's lookups.
#[derive(Clone, Copy)]
pub(super) struct Session<'a, 'e> {
    /// Evaluates functions of backends.
    pub evaluator: &'a Evaluator<'e>,
    /// The lookups in progress.
    pub progress: &'a Progress,
    /// For interpolations of data.
    pub lookups: &'a dyn Lookups,
}

impl<'a, 'e> Session<'a, 'e> {
    /// The environment.
    pub fn environment(&self) -> &'e Environment {
        self.evaluator.environment
    }

    /// Counts steps.
    pub fn charge_steps(&self, steps: usize) -> LookupResult<()> {
        Ok(self.evaluator.usage.charge(steps as u64)?)
    }

    /// Counts the steps of going through a value.
    pub fn charge_value(&self, value: &Value) -> LookupResult<()> {
        Ok(self.evaluator.usage.charge(value.price())?)
    }

    /// Runs `body` as a lookup within whatever asks for it, one level deeper.
    pub fn nested(&self, body: impl FnOnce() -> LookupResult) -> LookupResult {
        let usage = &self.evaluator.usage;
        usage.enter().map_err(|error| LookupError::from(*error))?;
        let result = if usage.is_short_of_stack() {
            further_stack(body).unwrap_or_else(|error| Err(error.into()))
        } else {
            body()
        };
        usage.leave();
        result
    }

    /// Adds a warning to the log.
    pub fn warn(&self, message: impl Into<String>) {
        self.evaluator.loaded.log.add(warning(message));
    }

    /// Adds a warning to the log once in a compilation, with the file that it is about.
    pub fn warn_once(&self, key: &str, message: &str, file: Option<&str>) {
        let place = match file {
            Some(file) => format!("(file: {file})"),
            None => "(file & line not available)".to_owned(),
        };
        self.evaluator.loaded.log.add_once(key, warning(format!("{message}\n   {place}")));
    }
}

/// A warning of Puppet itself, without a place.
pub(super) fn warning(message: impl Into<String>) -> LogEntry {
    LogEntry::of_puppet(LogLevel::Warning, message)
}

/// The cache of a hierarchy entry's function for one place.
#[derive(Debug)]
pub(super) struct FunctionContext {
    /// The module whose data it is.
    pub module: Option<Str>,
    /// The data of a `data_hash` function.
    pub data: RefCell<Option<Arc<Hash>>>,
    /// The results of `lookup_key` and `data_dig` functions, by key.
    pub values: RefCell<FxHashMap<Str, Value>>,
    /// The values that the function cached.
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

    /// The context as a value, which `progress` knows by its address.
    pub fn object(self: &Rc<Self>, progress: &Progress) -> Arc<Object> {
        if let Some(object) = &*self.object.borrow() {
            return object.clone();
        }
        let object = Arc::new(Object::new(lookup_context_type(), IndexMap::new()));
        progress.contexts.borrow_mut().insert(address(&object), (object.clone(), Rc::clone(self)));
        self.object.replace(Some(object.clone()));
        object
    }
}
